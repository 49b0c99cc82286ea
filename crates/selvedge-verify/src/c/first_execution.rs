//! Which execution the search for prefixes begins with: one that costs little to enforce.
//!
//! The first admissible trace decides what has to be enforced until the search has explored more, and programs differ up to 40-fold in what that
//! costs [Metzler2020, figure 5.4]. So a few simple schedulers run the program once each. Of the executions that are complete and safe, the one
//! with the fewest orders between threads is taken; among equals the one in which threads are estimated to wait least.
//!
//! *The estimate.* Every event takes as long as every other, and there is a processor for each thread. Then the partial order says when each event
//! can begin, and how long it is held up by events of other threads that the thread would not have waited for by itself.

use super::admissible_trace::AdmissibleTrace;
use selvedge_explore::{Path, Program, ThreadStatus};
use selvedge_machine::Machine;
use selvedge_trace::{Decision, ThreadId};
use std::time::{Duration, Instant};

/// The longest execution that is tried.
const LONGEST: usize = 20_000;

/// The time for all of them.
const TIME: Duration = Duration::from_millis(500);

/// A scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scheduler {
    /// Each thread runs as long as it can, the one that was made first comes first.
    EarliestFirst,
    /// Each thread runs as long as it can, the one that was made last comes first.
    LatestFirst,
    /// The same, but threads that have begun go on before those that have not.
    AsTheyCome,
    /// Each thread runs as long as it can, then the next one.
    InTurns,
    /// The next thread after each event.
    RoundRobin,
}

const SCHEDULERS: [Scheduler; 5] = [
    Scheduler::EarliestFirst,
    Scheduler::LatestFirst,
    Scheduler::AsTheyCome,
    Scheduler::InTurns,
    Scheduler::RoundRobin,
];

impl Scheduler {
    /// The thread that goes next, of those that can.
    fn choose(self, enabled: &[ThreadId], last: Option<ThreadId>) -> Option<ThreadId> {
        let going_on = last.filter(|last| enabled.contains(last));
        let next = || {
            let after = enabled.iter().find(|thread| last.is_none_or(|last| **thread > last));
            after.or(enabled.first()).copied()
        };
        match self {
            Scheduler::EarliestFirst => enabled.first().copied(),
            Scheduler::LatestFirst => enabled.last().copied(),
            // The initial thread makes the others, so it comes last.
            Scheduler::AsTheyCome => enabled.iter().find(|thread| thread.0 > 0).or(enabled.first()).copied(),
            Scheduler::InTurns => going_on.or_else(next),
            Scheduler::RoundRobin => next(),
        }
    }
}

/// What it costs to enforce an execution: orders between threads, then how long threads wait.
type Cost = (usize, u64);

/// The decisions of the execution to begin with; none if no scheduler finds a safe one.
pub fn choose(machine: &Machine) -> Vec<Decision> {
    let started = Instant::now();
    let mut best: Option<(Cost, Vec<Decision>)> = None;
    for scheduler in SCHEDULERS {
        if started.elapsed() >= TIME {
            break;
        }
        let Some(path) = run(machine.again(), scheduler) else { continue };
        let cost = AdmissibleTrace::of(&path).cost();
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, path.schedule()));
        }
    }
    best.map_or(Vec::new(), |(_, schedule)| schedule)
}

/// The execution under a scheduler, if it is complete and safe. Choices are always the first.
fn run(machine: Machine, scheduler: Scheduler) -> Option<Path<Machine>> {
    let mut path = Path::new(machine);
    if !path.program.failures().is_empty() {
        return None;
    }
    let mut last = None;
    loop {
        let threads = (0..path.program.thread_count()).map(ThreadId::at);
        let enabled: Vec<ThreadId> = threads.filter(|&t| path.program.is_enabled(t)).collect();
        let Some(thread) = scheduler.choose(&enabled, last) else { break };
        path.push(Decision { thread, choice: 0 });
        if !path.program.failures().is_empty() || path.len() > LONGEST {
            return None;
        }
        last = Some(thread);
    }
    let statuses = (0..path.program.thread_count()).map(|thread| path.program.status(ThreadId::at(thread)));
    let statuses: Vec<ThreadStatus> = statuses.collect();
    let waits = statuses.contains(&ThreadStatus::Running) && path.program.counts_as_deadlock();
    let is_complete =
        !waits && statuses.iter().all(|status| matches!(status, ThreadStatus::Running | ThreadStatus::Ended));
    is_complete.then_some(path)
}
