//! Running the program: some bugs are near in executions and far in proofs, and a program that ends and has few executions is
//! explored sooner than proved.

use super::session::Session;
use crate::VerifyError;
use selvedge_claim::Verdict;
use selvedge_explore::minimize::fewest_switches;
use selvedge_explore::{
    Algorithm, Exploration, Limits, Monitor, Statistics, Stop, Violation, explore, replay,
};
use selvedge_interp::{Failure, Interpreter};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How much is run.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Random executions, by each of the algorithms that sample.
    pub executions: u64,
    /// Steps after which an execution is cut.
    pub depth: usize,
    /// How often a shorter violation is looked for.
    pub rounds: u32,
}

/// Before the search for a proof.
pub const SHORT: Extent = Extent { executions: 200, depth: 200, rounds: 20 };
/// When there is no proof.
pub const LONG: Extent = Extent { executions: 2000, depth: 1000, rounds: 20 };

/// The first number of executions of a program that may end, and the factor by which it grows.
const FIRST_EXPLORED: u64 = 20;
const MORE: u64 = 10;
/// Steps after which an execution is taken not to end.
const DEEPEST: usize = 2000;
/// Steps of an exploration after which no larger one is begun.
const MOST_STEPS: u64 = 100_000;

/// Steps up to which an order with few context switches is looked for, which takes time.
const MOST_REORDERED: usize = 40;

/// Ends a hunt when the user interrupts.
struct Interrupt(Arc<AtomicBool>);

impl<P> Monitor<P> for Interrupt {
    fn progress(&mut self, _: &Statistics, _: f64) -> ControlFlow<()> {
        match self.0.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

impl Session<'_> {
    /// Runs the program at random; tells of a violation, the shortest that was found. Says nothing about programs without one.
    pub fn hunt(&mut self, extent: Extent) -> Result<(), VerifyError> {
        let mut shortest = None;
        for algorithm in [Algorithm::Random, Algorithm::Pct] {
            let mut depth = extent.depth;
            for _ in 0..extent.rounds {
                let Some(violation) = self.sample(algorithm, Extent { depth, ..extent }) else { break };
                depth = violation.schedule.len().saturating_sub(1);
                shortest = Some(violation);
                if depth == 0 {
                    break;
                }
            }
            if shortest.is_some() {
                break;
            }
        }
        let Some(mut violation) = shortest else { return Ok(()) };
        if violation.schedule.len() <= MOST_REORDERED {
            let interpreter = || Interpreter::new(self.task.program);
            let (fewer, _) = fewest_switches(interpreter(), &violation.schedule);
            if replay(interpreter(), &fewer, &violation.failure).is_ok() {
                violation.schedule = fewer;
            }
        }
        self.keep(violation)
    }

    /// Explores the program, more and more of it as long as that takes few steps. How many executions there are, if all end and
    /// nothing goes wrong in any.
    pub fn explore(&mut self) -> Result<Option<u64>, VerifyError> {
        let mut executions = FIRST_EXPLORED;
        loop {
            let exploration = self.exploration(Algorithm::Optimal, executions, DEEPEST);
            let is_verified = Verdict::of(&exploration) == Verdict::Verified;
            let Statistics { transitions, cut, .. } = exploration.statistics;
            let explored = exploration.statistics.executions();
            if let Some(violation) = exploration.violations.into_iter().next() {
                self.keep(violation)?;
                return Ok(None);
            }
            if is_verified {
                return Ok(Some(explored));
            }
            if exploration.stop != Some(Stop::Executions) || cut > 0 || transitions > MOST_STEPS {
                return Ok(None);
            }
            executions *= MORE;
        }
    }

    fn exploration(&self, algorithm: Algorithm, executions: u64, depth: usize) -> Exploration<Failure> {
        let limits = Limits { executions: Some(executions), depth, time: self.left(), ..Limits::default() };
        let mut monitor = Interrupt(self.prover.limits.interrupt.clone());
        let mut run = |program| explore(Interpreter::new(program), algorithm, limits, &mut monitor).0;
        let of_classes = self.with_classes().and_then(|program| self.without_classes(run(program)));
        of_classes.unwrap_or_else(|| run(self.task.program))
    }

    fn sample(&self, algorithm: Algorithm, extent: Extent) -> Option<Violation<Failure>> {
        let exploration = self.exploration(algorithm, extent.executions, extent.depth);
        exploration.violations.into_iter().next()
    }
}
