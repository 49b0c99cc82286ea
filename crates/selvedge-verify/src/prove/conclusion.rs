//! The conclusion of a search for a proof, and what it rests on.

use crate::Outcome;
use selvedge_claim::{Terms, Verdict};
use selvedge_explore::Violation;
use selvedge_impact::{Effort, Stop};
use selvedge_interp::Failure;

/// The conclusion of a search for a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// Nothing goes wrong under any schedule.
    Safe(Basis),
    /// Something goes wrong, but not under the schedules that were found.
    PartiallySafe,
    /// Something goes wrong, and no schedule was found under which it does not.
    Unsafe,
    /// Nothing goes wrong, but for this reason that means nothing.
    Vacuous(&'static str),
    /// The search ended before its end.
    Inconclusive(Stop),
}

/// What it is that shows a program to be safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// A proof.
    Proof,
    /// So many executions, of which there are no others.
    Executions(u64),
    /// So many states, of which there are no others.
    States(u64),
}

impl Conclusion {
    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        match self {
            Conclusion::Safe(_) => Verdict::Verified,
            Conclusion::PartiallySafe | Conclusion::Unsafe => Verdict::Violation,
            Conclusion::Vacuous(_) | Conclusion::Inconclusive(_) => Verdict::Inconclusive,
        }
    }

    /// The name that reports use.
    pub fn name(&self) -> &'static str {
        match self {
            Conclusion::Safe(_) => "safe",
            Conclusion::PartiallySafe => "partially safe",
            Conclusion::Unsafe => "unsafe",
            Conclusion::Vacuous(_) | Conclusion::Inconclusive(_) => "inconclusive",
        }
    }
}

/// The inputs with which a program is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inputs {
    /// All that there are.
    All,
    /// One of each class of those that are only tested.
    Classes,
}

/// What a search for a proof has come to.
#[derive(Clone, Debug)]
pub struct Proven {
    /// The conclusion.
    pub conclusion: Conclusion,
    /// Sets of schedules that are certain to be safe.
    pub schedules: u32,
    /// The inputs with which the program was run.
    pub inputs: Inputs,
    /// Violations, replayed.
    pub violations: Vec<Violation<Failure>>,
    /// The certificate that lists all states, checked again, or why there is none; only if states or executions are the basis and a
    /// certificate was wanted.
    pub listing: Option<Result<Listing, String>>,
    /// What was done.
    pub effort: Effort,
    /// What a claim rests on.
    pub terms: Terms,
}

/// All states as a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// How many there are.
    pub states: usize,
    /// The text, which is what was checked.
    pub text: String,
}

impl Proven {
    /// A search that has found nothing.
    pub fn nothing(stop: Stop, effort: Effort) -> Proven {
        let conclusion = Conclusion::Inconclusive(stop);
        Proven {
            conclusion,
            schedules: 0,
            inputs: Inputs::All,
            violations: Vec::new(),
            listing: None,
            effort,
            terms: Terms::default(),
        }
    }

    pub(super) fn outcome(self) -> Outcome<Proven> {
        Outcome { verdict: self.conclusion.verdict(), evidence: self }
    }
}
