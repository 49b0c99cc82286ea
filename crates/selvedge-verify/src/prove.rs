//! Proofs: a program under all schedules, or schedules under which it is safe.

mod classes;
pub mod conclusion;
pub mod discovery;
mod hunt;
mod replay;
mod session;
mod vacuity;
mod visiting;

pub use conclusion::{Basis, Conclusion, Inputs, Proven};
pub use discovery::{Discovery, Recheck};
pub use replay::failure;

use crate::assumptions::Origin;
use crate::{Monitor, Outcome, Property, Task, VerifyError};
use selvedge_claim::terms::Vacuity;
use selvedge_impact::context::SetupError;
use selvedge_impact::{Effort, Limits, Prover, Stop};
use selvedge_ir::Program;
use selvedge_smt::{Options, SolverError};
use selvedge_symbolic::movers::Blocks;
use session::Session;
use std::time::Duration;

/// A program to prove.
#[derive(Clone, Debug)]
pub struct Prove<'t> {
    /// The program.
    pub program: &'t Program,
    /// Where it comes from.
    pub origin: Origin,
    /// What to look for.
    pub goal: Goal,
    /// The property to decide, if only that is of interest: it is about all schedules.
    pub property: Option<Property>,
    /// Whether a claim about no execution is accepted.
    pub vacuity: Vacuity,
    /// The solver.
    pub solver: Options,
    /// What is done with blocks under a mutex.
    pub blocks: Blocks,
    /// The limits of the searches.
    pub limits: Limits,
    /// The time for all of it, which ends at the deadline of the limits.
    pub time: Option<Duration>,
    /// Whether the independent checker is asked.
    pub checking: Checking,
    /// Whether a certificate is wanted.
    pub certificates: Certificates,
}

/// What to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// A proof about all schedules, and a set of schedules on the way, unless a property is to be decided.
    Proof,
    /// So many sets of schedules, each larger than the one before.
    Schedules(u32),
    /// So many sets of schedules, and then a proof about all.
    SchedulesAndProof(u32),
}

/// Whether the independent checker is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checking {
    /// It checks every proof.
    Asked,
    /// It does not.
    NotAsked,
}

/// Whether a certificate is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certificates {
    /// It is, so a proof is worth some time, and states are listed where there is none.
    Wanted,
    /// It is not wanted.
    NotWanted,
}

impl Prove<'_> {
    /// How many sets of schedules are looked for.
    fn wanted_schedules(&self) -> u32 {
        match (self.goal, self.property) {
            (Goal::Schedules(count) | Goal::SchedulesAndProof(count), _) => count,
            (Goal::Proof, None) => 1,
            // A property is about all schedules.
            (Goal::Proof, Some(_)) => 0,
        }
    }
}

impl Task for Prove<'_> {
    type Evidence = Proven;

    fn decide(self, monitor: &mut dyn Monitor) -> Result<Outcome<Proven>, VerifyError> {
        let prover = Prover::new(self.program, self.solver.clone(), self.blocks, self.limits.clone());
        let stop: Stop = match prover {
            Ok(prover) => return Ok(Session::new(self, prover, monitor).run()?.outcome()),
            Err(error @ SetupError::Unsupported(_)) => return Err(VerifyError::Unprovable(error)),
            Err(error @ SetupError::Solver(SolverError::Missing { .. })) => {
                return Err(VerifyError::Unprovable(error));
            }
            Err(SetupError::Solver(error)) => error.into(),
            Err(SetupError::Stopped(why)) => why.into(),
        };
        Ok(Proven::nothing(stop, Effort::default()).outcome())
    }
}
