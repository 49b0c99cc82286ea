//! How to explore: the algorithm, the limits and the bounds that the arguments ask for.

use crate::args::CheckArgs;
use crate::error::CliError;
use selvedge_explore::deepening::{Reached, explore_iteratively, explore_within};
use selvedge_explore::minimize::fewest_switches;
use selvedge_explore::{
    AfterViolation, Algorithm, Bound, BoundKind, BoundPromise, Exploration, Limits, Monitor, Program,
};

/// How to explore.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The limits.
    pub limits: Limits,
    growing: Option<BoundKind>,
    minimize: bool,
}

impl Plan {
    /// What the arguments ask for.
    pub fn of(args: &CheckArgs) -> Result<Plan, CliError> {
        let kind = if args.delays.is_some() { BoundKind::Delays } else { BoundKind::Preemptions };
        let bound = args.preemptions.or(args.delays).map(|limit| Bound { kind, limit });
        let is_bounded = bound.is_some() || args.iterative;
        let default = if is_bounded { Algorithm::LazyBounded } else { Algorithm::Optimal };
        let algorithm = args.algorithm.unwrap_or(default);
        match algorithm.bound_promise() {
            None if is_bounded => return Err(CliError::NotBounded { algorithm: algorithm.name() }),
            Some(BoundPromise::EveryTrace) if kind == BoundKind::Delays => {
                return Err(CliError::NoDelays { algorithm: algorithm.name() });
            }
            _ => {}
        }
        let limits = Limits {
            seed: args.seed,
            executions: args.max_executions,
            time: args.max_time,
            depth: args.max_depth as usize,
            after_violation: match args.keep_going {
                true => AfterViolation::KeepGoing,
                false => AfterViolation::Stop,
            },
            bound,
        };
        Ok(Plan { algorithm, limits, growing: args.iterative.then_some(kind), minimize: args.minimize })
    }

    /// The same with another algorithm.
    pub fn with_algorithm(&self, algorithm: Algorithm) -> Plan {
        Plan { algorithm, ..*self }
    }

    /// The same with other limits.
    pub fn with_limits(&self, limits: Limits) -> Plan {
        Plan { limits, ..*self }
    }

    /// Explores a program.
    pub fn explore<P: Program>(
        &self,
        program: P,
        monitor: &mut dyn Monitor<P>,
    ) -> (Exploration<P::Failure>, Option<Reached>, P) {
        let (mut exploration, reached, mut program) = match self.growing {
            Some(kind) => {
                let (found, reached, program) =
                    explore_iteratively(program, self.algorithm, kind, self.limits, monitor);
                (found, Some(reached), program)
            }
            None => {
                let (found, program) = explore_within(program, self.algorithm, self.limits, monitor);
                (found, None, program)
            }
        };
        if self.minimize {
            for violation in &mut exploration.violations {
                let (schedule, again) = fewest_switches(program, &violation.schedule);
                (violation.schedule, program) = (schedule, again);
            }
        }
        (exploration, reached, program)
    }
}
