//! Shorter counterexamples: threads, rounds and steps that do not matter are left out before a violation is shown.
//!
//! Candidates are executions that the search has not performed. If the closure has `unsafe` code, and that is wrong, any of them may do harm that the one that was
//! found does not do; and then there would be no report at all. So short counterexamples, which can be read as they are, are left alone
//! unless the user asks.

use crate::checker::without_noise;
use crate::runtime::failure::{Failure, FailureKind, Site};
use crate::runtime::program::Closure;
use crate::runtime::{panics, with};
use selvedge_explore::Violation;
use selvedge_explore::minimize::{Effort, shorten};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The most steps of all candidates for one counterexample. As a rule this ends the work, and not the clock, so that the same closure
/// is shown with the same steps on a slow machine.
const MOST_STEPS: u64 = 2_000_000;

/// How long to look for shorter counterexamples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Minimization {
    /// The time for all violations of a search; with none, they are shown as they were found.
    pub time: Duration,
    /// Counterexamples with fewer steps are shown as they were found.
    pub least: usize,
}

/// Counterexamples of so many steps are hard to read.
const LONG: usize = 50;

impl Default for Minimization {
    fn default() -> Self {
        Minimization { time: Duration::from_secs(1), least: LONG }
    }
}

/// Shortens the violations of a search.
pub fn shorten_all(violations: &mut [Violation<Failure>], body: &Rc<dyn Fn()>, minimization: Minimization) {
    if minimization.time.is_zero() || panics::others_unwind() {
        return;
    }
    let deadline = Instant::now().checked_add(minimization.time);
    let assumptions = with(|x| x.assumptions);
    let is_worth_it = |violation: &&mut Violation<Failure>| {
        violation.schedule.len() >= minimization.least && is_cheap(&violation.failure)
    };
    for violation in violations.iter_mut().filter(is_worth_it) {
        let effort = Effort { steps: MOST_STEPS, deadline };
        // A candidate may show that something was wrongly taken for granted: then the best so far counts.
        let outcome = without_noise(|| {
            let mut closure = Closure::new(Rc::clone(body));
            let shortened = shorten(&mut closure, violation, is_same, effort);
            closure.conclude();
            closure.abandon();
            shortened
        });
        if outcome.is_err() {
            with(|x| x.take_for_granted(assumptions));
        }
    }
}

/// Whether the failure may be caused again and again: each overflow leaves a stack behind, and a hang takes its time.
fn is_cheap(failure: &Failure) -> bool {
    !matches!(failure.kind, FailureKind::StackOverflow | FailureKind::Hang | FailureKind::Crash)
}

/// Whether two failures are the same kind of thing at the same places. Which of several equal threads fails, and with which numbers in
/// its message, does not matter.
fn is_same(one: &Failure, other: &Failure) -> bool {
    let sites = |failure: &Failure| {
        let mut sites: Vec<Site> = failure.sites.clone();
        sites.sort();
        sites
    };
    one.kind == other.kind && one.sites.len() == other.sites.len() && sites(one) == sites(other)
}
