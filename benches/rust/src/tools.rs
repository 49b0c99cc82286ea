//! The tools: each runs a program to a complete answer, or until the time is up.

use crate::programs::{self, Program};
use cpu_time::ThreadTime;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// selvedge with its default algorithm.
    Selvedge,
    /// loom without a bound on preemptions.
    Loom,
    /// shuttle's depth-first search.
    Shuttle,
}

/// All tools.
pub const ALL: [Tool; 3] = [Tool::Selvedge, Tool::Loom, Tool::Shuttle];

/// What came of a run.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Executions.
    pub executions: u64,
    /// Time of the processor.
    pub time: Duration,
    /// Whether the answer is complete.
    pub is_complete: bool,
}

/// Runs a program again and again until that took long enough to be measured; times are the mean of all runs. Nothing if
/// the tool cannot run it at all.
pub fn run(tool: Tool, program: Program, limit: Duration) -> Option<Outcome> {
    const ENOUGH: Duration = Duration::from_millis(200);
    let mut first = run_once(tool, program, limit)?;
    let (mut runs, mut total) = (1, first.time);
    while first.is_complete && total < ENOUGH {
        total += run_once(tool, program, limit)?.time;
        runs += 1;
    }
    first.time = total / runs;
    Some(first)
}

fn run_once(tool: Tool, program: Program, limit: Duration) -> Option<Outcome> {
    let started = Started { wall: Instant::now(), cpu: ThreadTime::now() };
    let count = Arc::new(AtomicU64::new(0));
    match tool {
        Tool::Selvedge => {
            let report =
                selvedge::Checker::new().max_time(limit).run(move || programs::selvedge::run(program));
            let is_complete = report.verdict == selvedge::Verdict::Verified;
            Some(Outcome { executions: report.executions, time: started.cpu.elapsed(), is_complete })
        }
        Tool::Loom => {
            // loom has room for five threads, the main one included.
            if matches!(program, Program::ReadersWriters(n) if n > 5) {
                return None;
            }
            let mut builder = loom::model::Builder::new();
            builder.preemption_bound = None;
            builder.max_duration = Some(limit);
            builder.max_branches = 100_000;
            let counted = count.clone();
            builder.check(move || {
                counted.fetch_add(1, Ordering::Relaxed);
                programs::loom::run(program);
            });
            Some(outcome(&count, started, limit))
        }
        Tool::Shuttle => {
            let mut config = shuttle::Config::new();
            config.max_time = Some(limit);
            let scheduler = shuttle::scheduler::DfsScheduler::new(None, false);
            let counted = count.clone();
            shuttle::Runner::new(scheduler, config).run(move || {
                counted.fetch_add(1, Ordering::Relaxed);
                programs::shuttle::run(program);
            });
            Some(outcome(&count, started, limit))
        }
    }
}

/// When a run began.
struct Started {
    wall: Instant,
    cpu: ThreadTime,
}

fn outcome(count: &AtomicU64, started: Started, limit: Duration) -> Outcome {
    let is_complete = started.wall.elapsed() < limit;
    Outcome { executions: count.load(Ordering::Relaxed), time: started.cpu.elapsed(), is_complete }
}
