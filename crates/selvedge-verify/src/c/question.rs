//! The question about a program in C: what to look for, and how far to go.

use crate::VerifyError;
use crate::c::native::is_ir;
use selvedge_claim::terms::{Vacuity, Wakeups};
use selvedge_explore::{Algorithm, Promise};
use selvedge_machine::{Addresses, Checks, Inputs, LeftShifts, Options, Promotion, Reuse, Telling};
use std::path::Path;

/// A property of the software-verification competition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// No error function is called and no assertion fails.
    UnreachCall,
    /// No data race.
    NoDataRace,
    /// No wrong access to memory, no wrong free, no leak.
    ValidMemsafety,
    /// No signed overflow.
    NoOverflow,
}

/// What to look for besides assertions, deadlocks and memory errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoreChecks {
    /// Data races.
    Races,
    /// Memory that is never freed.
    Leaks,
    /// Reads of uninitialised memory.
    Uninitialised,
    /// Signed overflow.
    Overflow,
}

/// What is no failure for this once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// Threads that wait for ever.
    Deadlocks,
    /// `abort` and uncaught exceptions, which end the program.
    Aborts,
}

/// What to look for, and how far to go.
#[derive(Clone, Debug)]
pub struct Question {
    /// The one property to decide, if only that is of interest.
    pub property: Option<Property>,
    /// What to look for besides the usual.
    pub more: Vec<MoreChecks>,
    /// What of the usual not to look for.
    pub ignored: Vec<Ignored>,
    /// How often a loop may go round, if that is limited.
    pub unroll: Option<u32>,
    /// When threads wake up from condition variables.
    pub wakeups: Wakeups,
    /// Whether freed memory may come back.
    pub reuse: Reuse,
    /// What may depend on where objects lie in memory.
    pub addresses: Addresses,
    /// Whether a claim about no execution is accepted.
    pub vacuity: Vacuity,
}

impl Default for Question {
    fn default() -> Self {
        Question {
            property: None,
            more: Vec::new(),
            ignored: Vec::new(),
            unroll: None,
            wakeups: Wakeups::OnlySignalled,
            reuse: Reuse::Speculated,
            addresses: Addresses::Speculated,
            vacuity: Vacuity::Refused,
        }
    }
}

impl Question {
    /// What counts as a failure.
    pub fn checks(&self) -> Checks {
        let mut checks = match self.property {
            None => Checks::default(),
            Some(Property::UnreachCall) => Checks { assertions: true, ..Checks::NONE },
            Some(Property::NoDataRace) => Checks { races: true, ..Checks::NONE },
            Some(Property::ValidMemsafety) => Checks { memory: true, leaks: true, ..Checks::NONE },
            Some(Property::NoOverflow) => Checks { overflow: true, ..Checks::NONE },
        };
        for more in &self.more {
            match more {
                MoreChecks::Races => checks.races = true,
                MoreChecks::Leaks => checks.leaks = true,
                MoreChecks::Uninitialised => checks.uninitialised = true,
                MoreChecks::Overflow => checks.overflow = true,
            }
        }
        for ignored in &self.ignored {
            match ignored {
                Ignored::Deadlocks => checks.deadlocks = false,
                Ignored::Aborts => checks.aborts = false,
            }
        }
        checks
    }

    /// The options of a machine for the program in a file, to be explored by an algorithm.
    pub fn options(&self, algorithm: Algorithm, path: &Path) -> Options {
        let checks = self.checks();
        Options {
            checks,
            unroll: self.unroll,
            patience: patience(algorithm),
            inputs: inputs(algorithm),
            // The competition's programs must be right whenever the standard allows a thread to wake up.
            spurious_wakeups: self.wakeups == Wakeups::Spurious || self.property.is_some(),
            promotion: promotion(checks),
            left_shifts: left_shifts(checks, path),
            telling: telling(algorithm),
            reuse: self.reuse,
            addresses: self.addresses,
            ..Options::default()
        }
    }

    /// What is asked for that is not local to a thread, and that coarser equivalences than happens-before do not tell apart.
    pub fn not_local(&self) -> Option<&'static str> {
        match self.property {
            Some(Property::NoDataRace) => Some("data races"),
            Some(Property::ValidMemsafety) => Some("leaks"),
            _ if self.more.contains(&MoreChecks::Races) => Some("data races"),
            _ if self.more.contains(&MoreChecks::Leaks) => Some("leaks"),
            _ => None,
        }
    }

    /// Refuses to look for what an algorithm does not tell apart.
    pub(crate) fn check_preserved(&self, algorithm: Algorithm) -> Result<(), VerifyError> {
        match (algorithm.promise(), self.not_local()) {
            (Promise::EveryClassOnce(_), Some(property)) => {
                Err(VerifyError::NotPreserved { algorithm: algorithm.name(), property })
            }
            _ => Ok(()),
        }
    }
}

/// How often a loop that only waits and counts may go round. A sample does not try all numbers, so it need not be limited.
fn patience(algorithm: Algorithm) -> Option<u32> {
    match Algorithm::SAMPLING.contains(&algorithm) {
        true => None,
        false => Options::default().patience,
    }
}

/// What to do with inputs of very many values. A sample does not try all anyway.
fn inputs(algorithm: Algorithm) -> Inputs {
    match Algorithm::SAMPLING.contains(&algorithm) {
        true => Inputs::Samples,
        false => Inputs::All,
    }
}

/// What operations have to tell an algorithm.
pub fn telling(algorithm: Algorithm) -> Telling {
    match algorithm.asks_what_is_observed() {
        true => Telling::Observations,
        false => Telling::Order,
    }
}

/// LLVM IR is taken as it is, the rest is compiled with tests where they are needed.
pub fn left_shifts(checks: Checks, path: &Path) -> LeftShifts {
    match checks.overflow && !is_ir(path) {
        true => LeftShifts::Instrumented,
        false => LeftShifts::Unknown,
    }
}

/// Variables stay in memory where each of their bytes is of interest.
pub fn promotion(checks: Checks) -> Promotion {
    match checks.uninitialised {
        true => Promotion::Memory,
        false => Promotion::Registers,
    }
}
