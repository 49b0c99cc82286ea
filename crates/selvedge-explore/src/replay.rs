//! Replay of a schedule: the independent check of a counterexample before it is shown.

use crate::{Path, Program, Readiness};
use selvedge_trace::{Decision, Footprint};
use std::fmt;

/// Why a schedule does not lead where it should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// A decision cannot be taken.
    NotEnabled {
        /// The step, counted from 1.
        step: usize,
    },
    /// The end was reached without the failure.
    NoFailure,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            ReplayError::NotEnabled { step } => {
                write!(f, "step {step} of the schedule cannot be performed: the thread is not enabled there")
            }
            ReplayError::NoFailure => {
                f.write_str("the schedule was performed but did not end in the violation")
            }
        }
    }
}

impl std::error::Error for ReplayError {}

/// Runs a program from its beginning along a schedule and checks that it ends in the given failure. Returns the
/// path that leads there.
///
/// # Errors
/// When a decision cannot be taken or the failure does not occur.
pub fn replay<P: Program>(
    program: P,
    schedule: &[Decision],
    failure: &P::Failure,
) -> Result<Path<P>, ReplayError> {
    let mut path = Path::new(program);
    let mut footprint = Footprint::default();
    let mut found = path.program.failures().contains(failure);
    for (step, &decision) in schedule.iter().enumerate() {
        let in_range = decision.thread.index() < path.order.thread_count();
        let ready = in_range
            && path.program.pending(decision, &mut footprint) == Readiness::Enabled
            && decision.choice < path.program.choices(decision.thread);
        if !ready {
            return Err(ReplayError::NotEnabled { step: step + 1 });
        }
        path.push(decision);
        found = path.program.failures().contains(failure);
    }
    if !found && path.next_enabled(None).is_none() && path.program.counts_as_deadlock() {
        found = path.program.deadlock() == *failure;
    }
    match found {
        true => Ok(path),
        false => Err(ReplayError::NoFailure),
    }
}
