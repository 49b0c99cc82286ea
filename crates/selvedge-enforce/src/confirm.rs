//! Whether a schedule is what it claims to be, by all means that there are.
//!
//! First states are visited, as many as a moment allows. If that is not all, the claims of the nodes are proved by induction; only if that fails
//! as well, all states are visited, however long it takes.

use crate::induction::{self, NotProved, Proved};
use crate::search::{self, Explored, Extent};
use crate::{Fairness, Orders, Scheduled, SetupError};
use selvedge_explore::{Limits, Monitor};
use selvedge_ir::Program;
use selvedge_schedule::Schedule;
use selvedge_smt::{Options, Patience};
use std::time::Instant;

/// Steps after which a proof by induction is tried before more states are visited.
const FIRST_STEPS: u64 = 300_000;

/// Steps in which violations are looked for under a schedule that is known to be wrong.
pub const MORE_STEPS: u64 = 3_000_000;

/// What is known of a schedule.
#[derive(Debug)]
pub struct Confirmation {
    /// What was found by visiting states.
    pub explored: Explored,
    /// A proof by induction, if there is one, or why there is none, if it was looked for.
    pub proof: Option<Result<Proved, NotProved>>,
}

impl Confirmation {
    /// Whether all that the schedule permits is safe, free of deadlock and fair, and the schedule says how to go on everywhere.
    pub fn is_confirmed(&self) -> bool {
        let Explored { exploration, fairness, is_whole, program, .. } = &self.explored;
        let is_explored = *is_whole
            && *fairness == Fairness::Fair
            && exploration.violations.is_empty()
            && program.lost().is_none()
            && program.false_claim().is_none()
            && !program.is_overrun();
        is_explored || matches!(self.proof, Some(Ok(_)))
    }
}

/// Finds out whether a schedule is right.
///
/// # Errors
/// When the program cannot be translated, or the schedule does not fit it.
pub fn confirm(
    program: &Program,
    schedule: &Schedule,
    limits: Limits,
    solver: Options,
    monitor: &mut dyn Monitor<Scheduled>,
) -> Result<Confirmation, SetupError> {
    let started = Instant::now();
    let mut explore = |orders, extent| {
        let time = limits.time.map(|limit| limit.saturating_sub(started.elapsed()));
        let scheduled = Scheduled::new(program, schedule.clone(), orders)?;
        Ok::<Explored, SetupError>(search::explore(scheduled, Limits { time, ..limits }, extent, monitor))
    };
    let mut explored = explore(Orders::Different, Extent::Steps(FIRST_STEPS))?;
    let mut proof = None;
    let is_wrong = |explored: &Explored| {
        !explored.exploration.violations.is_empty() || explored.program.lost().is_some()
    };
    if !explored.is_whole && !is_wrong(&explored) {
        let deadline = limits.time.map(|time| started + time);
        let patience = Patience { deadline, ..solver.patience.clone() };
        let proved = induction::prove(program, schedule, Options { patience, ..solver });
        if proved.is_ok() {
            return Ok(Confirmation { explored, proof: Some(proved) });
        }
        proof = Some(proved);
        explored = explore(Orders::Different, Extent::All)?;
    }
    // If something is wrong with the schedule, steps that seem independent may not be; and a thread that has to wait in one order of events may
    // be enabled in another.
    if is_wrong(&explored) {
        explored = explore(Orders::All, Extent::Steps(MORE_STEPS))?;
    } else if explored.is_whole && explored.fairness == Fairness::Undecided {
        explored = explore(Orders::All, Extent::All)?;
    }
    Ok(Confirmation { explored, proof })
}
