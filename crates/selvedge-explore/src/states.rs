//! The search that remembers states: every state is explored once, whichever way leads to it.
//!
//! Where many traces lead through few states this decides what no search of traces can. It needs a program that
//! can tell its states apart by [fingerprints](crate::Program::fingerprint), and memory for all of these. An
//! operation that only observes commutes with everything, cannot be disabled and cannot be repeated for ever, so that it
//! is enough to explore it alone.

use crate::hunt::is_deadlock;
use crate::{End, Exploration, Limits, Mark, Program, Statistics, Stop, ThreadStatus, Violation};
use selvedge_trace::{AccessKind, Decision, Footprint, ThreadId};
use std::collections::HashSet;
use std::time::Instant;

/// The most states that are remembered.
pub const MOST_STATES: usize = 60_000_000;

/// A state on the way to the present one, and what is left to explore there.
struct Level {
    mark: Mark,
    decisions: Vec<Decision>,
}

/// What was found, and how many states there are. Nothing if the program has no fingerprints.
pub fn explore_states<P: Program>(
    program: &mut P,
    limits: &Limits,
) -> Option<(Exploration<P::Failure>, usize)> {
    let started = Instant::now();
    program.restart();
    let mut states = HashSet::new();
    states.insert(program.fingerprint()?);
    let mut statistics = Statistics::default();
    let mut violations = Vec::new();
    let mut stop = None;
    let mut footprint = Footprint::default();
    let mut path: Vec<Decision> = Vec::new();
    let mut levels = vec![Level { mark: program.mark(), decisions: enabled(program) }];
    if let Some(failure) = program.failures().first() {
        violations.push(Violation { failure: failure.clone(), schedule: Vec::new() });
        stop = Some(Stop::Violation);
    }
    while stop.is_none() {
        let Some(level) = levels.last_mut() else { break };
        program.rollback(level.mark);
        path.truncate(levels.len() - 1);
        let Some(level) = levels.last_mut() else { break };
        let Some(decision) = level.decisions.pop() else {
            levels.pop();
            continue;
        };
        program.step(decision, &mut footprint);
        statistics.transitions += 1;
        path.push(decision);
        if let Some(failure) = program.failures().first() {
            violations.push(Violation { failure: failure.clone(), schedule: path.clone() });
            stop = Some(Stop::Violation);
            break;
        }
        let is_late =
            statistics.transitions % 1024 == 0 && limits.time.is_some_and(|limit| started.elapsed() >= limit);
        if is_late || states.len() >= MOST_STATES {
            stop = Some(Stop::Time);
        }
        if !states.insert(program.fingerprint()?) {
            continue;
        }
        let decisions = enabled(program);
        if decisions.is_empty() || path.len() >= limits.depth {
            let end = end_of(program, decisions.is_empty());
            if end == End::Deadlock {
                violations.push(Violation { failure: program.deadlock(), schedule: path.clone() });
                stop = Some(Stop::Violation);
            }
            statistics.count(end);
            statistics.longest = statistics.longest.max(path.len() as u64);
            continue;
        }
        levels.push(Level { mark: program.mark(), decisions });
    }
    Some((Exploration { violations, statistics, stop }, states.len()))
}

fn end_of<P: Program>(program: &P, is_end: bool) -> End {
    let statuses = || (0..program.thread_count()).map(|t| program.status(ThreadId::at(t)));
    if !is_end || statuses().any(|status| status == ThreadStatus::Diverged) {
        return End::Cut;
    }
    if is_deadlock(program) {
        return End::Deadlock;
    }
    match statuses().any(|status| status == ThreadStatus::Dropped) {
        true => End::Dropped,
        false => End::Complete,
    }
}

/// The decisions to explore in the present state.
fn enabled<P: Program>(program: &mut P) -> Vec<Decision> {
    let mut decisions = Vec::new();
    let mut footprint = Footprint::default();
    for thread in (0..program.thread_count()).map(ThreadId::at) {
        if !program.is_enabled(thread) {
            continue;
        }
        let choices = program.choices(thread);
        program.pending(Decision { thread, choice: 0 }, &mut footprint);
        let accesses = footprint.accesses();
        if choices == 1 && !accesses.is_empty() && accesses.iter().all(|a| a.kind == AccessKind::Observe) {
            return vec![Decision { thread, choice: 0 }];
        }
        decisions.extend((0..choices).map(|choice| Decision { thread, choice }));
    }
    decisions.reverse();
    decisions
}
