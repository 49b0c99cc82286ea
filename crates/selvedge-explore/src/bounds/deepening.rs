//! Bounds that grow: the violation with the fewest preemptions, and claims without a bound.

use crate::bounds::bound::{Bound, BoundKind};
use crate::{Algorithm, Explorable, Exploration, Limits, Monitor, Stop, explore};
use std::time::Instant;

/// Where a search with growing bounds ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// Everything is within this bound, and something needs it.
    Everything {
        /// The bound.
        limit: u32,
    },
    /// The largest bound that was wanted; some executions exceed it.
    Wanted,
    /// There is a violation within this bound and none within less.
    Violation {
        /// The bound.
        limit: u32,
    },
    /// The search was stopped; everything within less than this bound was explored.
    Stopped {
        /// The bound at which it was stopped.
        limit: u32,
    },
}

/// Explores within the bound that the limits give. If there is a violation, looks for one within less.
pub fn explore_within<P: Explorable>(
    program: P,
    algorithm: Algorithm,
    limits: Limits,
    monitor: &mut dyn Monitor<P>,
) -> (Exploration<P::Failure>, P) {
    let started = Instant::now();
    let (mut found, mut program) = explore(program, algorithm, limits, monitor);
    let Some(bound) = limits.bound else { return (found, program) };
    if found.violations.is_empty() || found.stop != Some(Stop::Violation) {
        return (found, program);
    }
    for limit in 0..bound.limit {
        let limits = remaining(Limits { bound: Some(Bound { limit, ..bound }), ..limits }, started);
        let (fewer, again) = explore(program, algorithm, limits, monitor);
        program = again;
        if !fewer.violations.is_empty() {
            found.violations = fewer.violations;
            break;
        }
        if fewer.stop.is_some() {
            break;
        }
    }
    (found, program)
}

/// Explores within 0, 1, 2, … until there is a violation, until nothing exceeds the bound, or up to the bound that the limits
/// give.
pub fn explore_iteratively<P: Explorable>(
    mut program: P,
    algorithm: Algorithm,
    kind: BoundKind,
    limits: Limits,
    monitor: &mut dyn Monitor<P>,
) -> (Exploration<P::Failure>, Reached, P) {
    let started = Instant::now();
    let wanted = limits.bound.map_or(u32::MAX, |bound| bound.limit);
    let mut limit = 0;
    loop {
        let within = Limits { bound: Some(Bound { kind, limit }), ..remaining(limits, started) };
        let (found, again) = explore(program, algorithm, within, monitor);
        program = again;
        let reached = match &found {
            found if !found.violations.is_empty() => Some(Reached::Violation { limit }),
            found if found.stop.is_some() => Some(Reached::Stopped { limit }),
            found if found.statistics.over_bound == 0 => Some(Reached::Everything { limit }),
            _ if limit == wanted => Some(Reached::Wanted),
            _ => None,
        };
        if let Some(reached) = reached {
            return (found, reached, program);
        }
        limit += 1;
    }
}

/// The limits with what is left of the time.
fn remaining(limits: Limits, started: Instant) -> Limits {
    Limits { time: limits.time.map(|time| time.saturating_sub(started.elapsed())), ..limits }
}
