//! Visiting all states of the program: one that runs forever may have few, and no proof that is found soon.

use super::conclusion::Listing;
use super::session::Session;
use crate::VerifyError;
use selvedge_certificate::states::NoList;
use selvedge_certificate::{CheckError, StateCertificate, states};
use selvedge_explore::states::explore_states_up_to;
use selvedge_explore::{Exploration, Limits, Stop, Violation};
use selvedge_interp::{Failure, Interpreter};
use selvedge_smt::Patience;
use std::sync::atomic::Ordering;

/// States that are visited for each unit of effort of the searches for proofs: a question to the solver takes longer than all of these.
const STATES_OF_EFFORT: u64 = 100;
/// The most states that are ever visited, for the sake of memory.
const MOST_STATES: u64 = 3_000_000;
/// Lengths of executions within which a violation is looked for again when the first that was found is longer.
const LENGTHS: [usize; 4] = [30, 100, 300, 1000];

/// States that are visited before the first question to the solver.
const FIRST_STATES: usize = 20_000;

/// What the first states show.
pub enum Glance {
    /// There are no others, and nothing goes wrong in any.
    Safe(u64),
    /// Something goes wrong.
    Violation(Violation<Failure>),
    /// There are more.
    Unknown,
}

impl Session<'_> {
    /// Visits some states before a solver is asked: it may fail, or take all the time.
    pub fn glance(&self) -> Glance {
        let Some((exploration, states)) = self.states(usize::MAX, FIRST_STATES) else {
            return Glance::Unknown;
        };
        let is_all = exploration.stop.is_none() && exploration.statistics.cut == 0;
        match exploration.violations.into_iter().next() {
            Some(found) => Glance::Violation(self.shorter(&found, FIRST_STATES).unwrap_or(found)),
            None if is_all => Glance::Safe(states as u64),
            None => Glance::Unknown,
        }
    }

    /// Lists all states as a certificate, if there are not too many, and has it checked; or why it is not there.
    pub fn list_states(&self) -> Result<Result<Listing, String>, VerifyError> {
        let patience = Patience { deadline: self.end(), interrupt: self.prover.limits.interrupt.clone() };
        let certificate = match states::list(self.task.program, &patience) {
            Ok(certificate) => certificate,
            Err(error @ NoList::Check(CheckError::Wrong(_))) => {
                return Err(VerifyError::Unproved(error.to_string()));
            }
            Err(error) => return Ok(Err(error.to_string())),
        };
        // What is checked is what is written.
        let text = certificate.to_string();
        let certificate =
            StateCertificate::parse(&text).map_err(|error| VerifyError::Unproved(error.to_string()))?;
        match states::check(self.task.program, &certificate, &patience) {
            Ok(states) => Ok(Ok(Listing { states, text })),
            Err(error @ CheckError::Wrong(_)) => Err(VerifyError::Unproved(error.to_string())),
            Err(error) => Ok(Err(error.to_string())),
        }
    }

    /// Visits all states, if there are not too many for this effort. How many there are, if nothing goes wrong in any.
    pub fn visit(&mut self, effort: u64) -> Result<Option<u64>, VerifyError> {
        let most = (effort * STATES_OF_EFFORT).min(MOST_STATES) as usize;
        let Some((exploration, states)) = self.states(usize::MAX, most) else { return Ok(None) };
        let is_all = exploration.stop.is_none() && exploration.statistics.cut == 0;
        match exploration.violations.into_iter().next() {
            None => Ok(is_all.then_some(states as u64)),
            Some(found) => {
                let shorter = self.shorter(&found, most);
                self.keep(shorter.unwrap_or(found))?;
                Ok(None)
            }
        }
    }

    /// A violation that fewer steps lead to. The first that is found has a long way behind it, since states are visited depth first.
    fn shorter(&self, found: &Violation<Failure>, most: usize) -> Option<Violation<Failure>> {
        let shorter = LENGTHS.into_iter().filter(|&length| length < found.schedule.len());
        shorter.filter_map(|length| self.states(length, most)?.0.violations.into_iter().next()).next()
    }

    fn states(&self, depth: usize, most: usize) -> Option<(Exploration<Failure>, usize)> {
        let limits = Limits { depth, time: self.time_left(), ..Limits::default() };
        let is_interrupted = || self.prover.limits.interrupt.load(Ordering::Relaxed);
        let visit =
            |program| explore_states_up_to(&mut Interpreter::new(program), &limits, most, &is_interrupted);
        let of_classes = self.with_classes().and_then(|program| {
            let (found, states) = visit(program)?;
            Some((self.without_classes(found)?, states))
        });
        let found = of_classes.or_else(|| visit(self.task.program))?;
        (found.0.stop != Some(Stop::Time) || !found.0.violations.is_empty() || depth < usize::MAX)
            .then_some(found)
    }

    /// The time that is left for the searches.
    fn time_left(&self) -> Option<std::time::Duration> {
        let deadline = self.prover.limits.deadline?;
        Some(deadline.saturating_duration_since(std::time::Instant::now()))
    }
}
