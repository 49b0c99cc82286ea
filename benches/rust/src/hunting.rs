//! How soon each tool finds the first bug.
//!
//! What counts is what a user waits for in `cargo test`: the first check of a process, from its call to the panic that tells what is wrong.
//! So each measurement is a process of its own, which says how long it took; the tools take turns, and the best round of each counts.

use crate::bugs::{self, Bug};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A tool that looks for a bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hunter {
    /// selvedge with its default algorithm.
    Selvedge,
    /// loom without a bound on preemptions.
    Loom,
    /// selvedge's random walk.
    SelvedgeRandom,
    /// shuttle's.
    ShuttleRandom,
    /// selvedge's probabilistic concurrency testing.
    SelvedgePct,
    /// shuttle's, for bugs of depth 3.
    ShuttlePct,
    /// selvedge's partial order sampling.
    SelvedgePos,
    /// selvedge's uniform random walk.
    SelvedgeUrw,
}

/// All of them.
pub const ALL: [Hunter; 8] = [
    Hunter::Selvedge,
    Hunter::Loom,
    Hunter::SelvedgeRandom,
    Hunter::ShuttleRandom,
    Hunter::SelvedgePct,
    Hunter::ShuttlePct,
    Hunter::SelvedgePos,
    Hunter::SelvedgeUrw,
];

/// How often everything is measured; each time, samples have other random numbers.
const ROUNDS: u64 = 7;

/// The most executions of a sample.
const SAMPLE: u64 = 100_000;

/// The most time for one measurement.
const LIMIT: Duration = Duration::from_secs(5);

/// What came of it.
#[derive(Clone, Copy, Debug)]
struct Found {
    executions: u64,
    time: Duration,
}

/// Prints a table of the bugs with a word in their names. A sample's executions are the mean over the rounds, its time is the median.
pub fn table(wanted: &str) {
    println!("| bug | selvedge | loom | selvedge random | shuttle random | selvedge pct | shuttle pct | selvedge pos | selvedge urw |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for (number, bug) in bugs::ALL.into_iter().enumerate().filter(|(_, bug)| bug.name().contains(wanted)) {
        let mut found: [Vec<Option<Found>>; ALL.len()] = Default::default();
        for round in 0..ROUNDS {
            for (hunter, found) in found.iter_mut().enumerate() {
                found.push(in_a_process(hunter, number, round + 1));
            }
        }
        let cells: Vec<String> = found.iter().map(|found| cell(found)).collect();
        println!("| {} | {} |", bug.name(), cells.join(" | "));
    }
}

fn cell(found: &[Option<Found>]) -> String {
    let Some(mut found) = found.iter().copied().collect::<Option<Vec<Found>>>() else {
        return "not found".to_owned();
    };
    found.sort_by_key(|found| found.time);
    let executions: u64 = found.iter().map(|found| found.executions).sum();
    let mean = executions as f64 / found.len() as f64;
    let milliseconds = found[found.len() / 2].time.as_secs_f64() * 1e3;
    format!("{mean:.0}, {milliseconds:.2} ms")
}

fn in_a_process(hunter: usize, bug: usize, seed: u64) -> Option<Found> {
    let this = std::env::current_exe().ok()?;
    let output = Command::new(this)
        .args(["hunt", &hunter.to_string(), &bug.to_string(), &seed.to_string()])
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (executions, nanoseconds) = text.trim().lines().last()?.split_once(' ')?;
    Some(Found {
        executions: executions.parse().ok()?,
        time: Duration::from_nanos(nanoseconds.parse().ok()?),
    })
}

/// The work of such a process: `arguments` are the numbers of hunter and bug, and the seed. Prints executions and nanoseconds if the bug was found.
pub fn hunt(arguments: &[String]) {
    let number = |index: usize| arguments.get(index).and_then(|text| text.parse().ok()).unwrap_or(0);
    let (hunter, bug, seed) = (ALL[number(0)], bugs::ALL[number(1)], number(2) as u64);
    let count = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&count);
    let started = Instant::now();
    // The first panic that reaches this hook tells the user what is wrong. (After it, loom may abort the process.)
    std::panic::set_hook(Box::new(move |_| {
        let time = started.elapsed();
        if time < LIMIT {
            println!("{} {}", counted.load(Ordering::Relaxed), time.as_nanos());
        }
        std::process::exit(0);
    }));
    find(hunter, bug, seed, count);
}

fn find(hunter: Hunter, bug: Bug, seed: u64, count: Arc<AtomicU64>) {
    let counted = count.clone();
    let with_selvedge = move || {
        counted.fetch_add(1, Ordering::Relaxed);
        bugs::selvedge::run(bug);
    };
    let counted = count.clone();
    let with_shuttle = move || {
        counted.fetch_add(1, Ordering::Relaxed);
        bugs::shuttle::run(bug);
    };
    let shuttle = || {
        let mut config = shuttle::Config::new();
        config.max_time = Some(LIMIT);
        config.failure_persistence = shuttle::FailurePersistence::None;
        config
    };
    let sample = SAMPLE as usize;
    match hunter {
        Hunter::Selvedge => selvedge::Checker::new().max_time(LIMIT).check(with_selvedge),
        Hunter::SelvedgeRandom => {
            selvedge::Checker::new().random(seed, SAMPLE).max_time(LIMIT).check(with_selvedge);
        }
        Hunter::SelvedgePct => {
            selvedge::Checker::new().pct(seed, SAMPLE).max_time(LIMIT).check(with_selvedge);
        }
        Hunter::SelvedgePos => {
            selvedge::Checker::new().pos(seed, SAMPLE).max_time(LIMIT).check(with_selvedge);
        }
        Hunter::SelvedgeUrw => {
            selvedge::Checker::new().urw(seed, SAMPLE).max_time(LIMIT).check(with_selvedge);
        }
        Hunter::Loom => {
            let mut builder = loom::model::Builder::new();
            builder.preemption_bound = None;
            builder.max_duration = Some(LIMIT);
            builder.max_branches = 100_000;
            builder.check(move || {
                count.fetch_add(1, Ordering::Relaxed);
                bugs::loom::run(bug);
            });
        }
        Hunter::ShuttleRandom => {
            let scheduler = shuttle::scheduler::RandomScheduler::new_from_seed(seed, sample);
            shuttle::Runner::new(scheduler, shuttle()).run(with_shuttle);
        }
        Hunter::ShuttlePct => {
            let scheduler = shuttle::scheduler::PctScheduler::new_from_seed(seed, 3, sample);
            shuttle::Runner::new(scheduler, shuttle()).run(with_shuttle);
        }
    }
}
