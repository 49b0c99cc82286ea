//! Running the program: some bugs are near in executions and far in proofs, and a program that ends and has few executions is
//! explored sooner than proved.

use super::Session;
use crate::error::CliError;
use selvedge_explore::minimize::fewest_switches;
use selvedge_explore::{Algorithm, Limits, Monitor, Statistics, Violation, explore, replay};
use selvedge_interp::{Failure, Interpreter};
use selvedge_report::Verdict;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How much is run.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Random executions, by each of the algorithms that sample.
    pub executions: u64,
    /// Steps after which an execution is cut.
    pub depth: usize,
    /// The time for all.
    pub time: Duration,
}

/// Before the search for a proof.
pub const SHORT: Extent = Extent { executions: 200, depth: 200, time: Duration::from_millis(300) };
/// Of a program that may end.
pub const EXPLORED: Extent = Extent { executions: 20_000, depth: 2000, time: Duration::from_secs(2) };
/// When there is no proof.
pub const LONG: Extent = Extent { executions: 3000, depth: 1000, time: Duration::from_secs(5) };

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
    pub fn hunt(&mut self, extent: Extent) -> Result<(), CliError> {
        let started = Instant::now();
        let mut shortest = None;
        for algorithm in [Algorithm::Random, Algorithm::Pct] {
            let mut depth = extent.depth;
            let left = || extent.time.saturating_sub(started.elapsed());
            while let Some(violation) = self.sample(algorithm, Extent { depth, time: left(), ..extent }) {
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
            let interpreter = || Interpreter::new(self.subject.program);
            let (fewer, _) = fewest_switches(interpreter(), &violation.schedule);
            if replay(interpreter(), &fewer, &violation.failure).is_ok() {
                violation.schedule = fewer;
            }
        }
        self.keep(violation)
    }

    /// Explores the program. How many executions there are, if all end and nothing goes wrong in any.
    pub fn explore(&mut self) -> Result<Option<u64>, CliError> {
        let limits = Limits {
            executions: Some(EXPLORED.executions),
            depth: EXPLORED.depth,
            time: Some(EXPLORED.time),
            ..Limits::default()
        };
        let mut monitor = Interrupt(self.prover.limits.interrupt.clone());
        let interpreter = Interpreter::new(self.subject.program);
        let (exploration, _) = explore(interpreter, Algorithm::Optimal, limits, &mut monitor);
        let is_verified = Verdict::of(&exploration) == Verdict::Verified;
        let executions = exploration.statistics.executions();
        if let Some(violation) = exploration.violations.into_iter().next() {
            self.keep(violation)?;
        }
        Ok(is_verified.then_some(executions))
    }

    fn sample(&self, algorithm: Algorithm, extent: Extent) -> Option<Violation<Failure>> {
        if extent.time.is_zero() {
            return None;
        }
        let limits = Limits {
            executions: Some(extent.executions),
            depth: extent.depth,
            time: Some(extent.time),
            ..Limits::default()
        };
        let mut monitor = Interrupt(self.prover.limits.interrupt.clone());
        let interpreter = Interpreter::new(self.subject.program);
        let (exploration, _) = explore(interpreter, algorithm, limits, &mut monitor);
        exploration.violations.into_iter().next()
    }
}
