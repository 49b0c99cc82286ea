//! The tools: each runs a program to a complete answer, or until the time is up.

use crate::programs::{self, Program};
use crate::published::Published;
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
    /// Executions that the tool explored.
    pub executions: u64,
    /// How often it ran the closure.
    pub runs: u64,
    /// Time of the processor.
    pub time: Duration,
    /// Whether the answer is complete.
    pub is_complete: bool,
}

/// Runs a program again and again until that took long enough to be measured; times are the mean of all runs but the first, if there
/// are others. Nothing if the tool cannot run it at all.
pub fn run(tool: Tool, program: Program, limit: Duration) -> Option<Outcome> {
    const ENOUGH: Duration = Duration::from_millis(60);
    let mut first = run_once(tool, program, limit)?;
    if !first.is_complete || first.time >= ENOUGH {
        return Some(first);
    }
    // One look at the clock takes longer than the smallest checks, so there are two for all of them.
    let times = (ENOUGH.as_nanos() / first.time.as_nanos().max(1)).clamp(1, 20_000) as u32;
    let started = ThreadTime::now();
    for _ in 0..times {
        explore(tool, program, limit);
    }
    first.time = started.elapsed() / times;
    Some(first)
}

/// The outcome with the higher rate; one that is complete says how much there is.
pub fn faster(one: Option<Outcome>, other: Option<Outcome>) -> Option<Outcome> {
    let (one, other) = (one?, other?);
    let time_per_run = |outcome: Outcome| outcome.time.as_secs_f64() / outcome.runs as f64;
    let best = time_per_run(one).min(time_per_run(other));
    let whole = if one.is_complete || one.runs >= other.runs { one } else { other };
    Some(Outcome { time: Duration::from_secs_f64(best * whole.runs as f64), ..whole })
}

fn run_once(tool: Tool, program: Program, limit: Duration) -> Option<Outcome> {
    // loom has room for five threads, the main one included.
    if tool == Tool::Loom && matches!(program, Program::ReadersWriters(n) if n > 5) {
        return None;
    }
    // Depth first, shuttle never leaves loops that wait for another thread, and has no state for wakers that outlive an execution.
    let loops = [Published::Waker, Published::List, Published::Ring].map(Program::Published);
    if tool == Tool::Shuttle && loops.contains(&program) {
        return None;
    }
    let (wall, cpu) = (Instant::now(), ThreadTime::now());
    let (executions, runs) = explore(tool, program, limit);
    let is_complete = wall.elapsed() < limit;
    Some(Outcome { executions, runs, time: cpu.elapsed(), is_complete })
}

/// Explores a program once. Returns the number of executions, and how often the closure was run.
fn explore(tool: Tool, program: Program, limit: Duration) -> (u64, u64) {
    let count = Arc::new(AtomicU64::new(0));
    let counted = count.clone();
    let executions = match tool {
        Tool::Selvedge => {
            let report = selvedge::Checker::new().max_time(limit).run(move || {
                counted.fetch_add(1, Ordering::Relaxed);
                programs::selvedge::run(program);
            });
            Some(report.executions)
        }
        Tool::Loom => {
            let mut builder = loom::model::Builder::new();
            builder.preemption_bound = None;
            builder.max_duration = Some(limit);
            builder.max_branches = 100_000;
            builder.check(move || {
                counted.fetch_add(1, Ordering::Relaxed);
                programs::loom::run(program);
            });
            None
        }
        Tool::Shuttle => {
            let mut config = shuttle::Config::new();
            config.max_time = Some(limit);
            let scheduler = shuttle::scheduler::DfsScheduler::new(None, false);
            shuttle::Runner::new(scheduler, config).run(move || {
                counted.fetch_add(1, Ordering::Relaxed);
                programs::shuttle::run(program);
            });
            None
        }
    };
    let runs = count.load(Ordering::Relaxed);
    (executions.unwrap_or(runs), runs)
}
