//! Random programs under prefixes of random executions: each thread sees exactly what it saw in the execution, however it is delayed.
//!
//! `SELVEDGE_PROGRAMS` and `SELVEDGE_SEED` say how many programs, and from which on.

#[path = "random/numbers.rs"]
mod numbers;
#[path = "random/order.rs"]
mod order;
#[path = "random/program.rs"]
mod program;

use numbers::Numbers;
use order::Execution;
use program::Random;
use selvedge_audit::audit;
use selvedge_audit::log::Log;
use selvedge_build::{Compiled, Mutation, OnDivergence, Options};
use std::path::Path;
use std::process::Command;

fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
fn threads_see_what_they_saw_in_the_execution_that_the_prefix_begins() {
    let first = from_environment("SELVEDGE_SEED", 1);
    for seed in first..first + from_environment("SELVEDGE_PROGRAMS", 6) {
        let mut numbers = Numbers::of(seed);
        let program = Random::of(&mut numbers);
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("random.c");
        std::fs::write(&path, program.text()).expect("it can be written");
        let compiled = Compiled::compile(&path, None, &[]).expect("it is C");
        for number in 0..3 {
            let execution = order::execute(&program, &compiled, &mut numbers);
            let binary = folder.path().join(format!("random{number}"));
            compiled.build(&execution.prefix, &Options::default(), &binary).expect("it can be enforced");
            let log = folder.path().join("log");
            for delays in 0..4 {
                let output = run(&binary, delays, &log);
                let why = compare(&output, &execution).or(is_not_permitted(&log, &execution));
                assert_eq!(
                    why,
                    None,
                    "seed {seed}, delays {delays}\n{}\n{}\n{output}",
                    program.text(),
                    execution.prefix
                );
            }
        }
    }
}

/// Runs a binary; with random delays, if a seed for them is not 0.
fn run(binary: &Path, delays: u64, log: &Path) -> String {
    let mut command = Command::new(binary);
    command.env("SELVEDGE_STALL", "5").env("SELVEDGE_RECORD", log);
    if delays > 0 {
        command.env("SELVEDGE_DELAYS", delays.to_string());
    }
    let done = command.output().expect("it runs");
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success() && told.is_empty(), "{}: {told}", done.status);
    String::from_utf8_lossy(&done.stdout).into_owned()
}

/// What is wrong with the log of a run that performed all events of its prefix.
fn is_not_permitted(log: &Path, execution: &Execution) -> Option<String> {
    let log = Log::read(&std::fs::read(log).expect("there is a log")).expect("it is a log");
    match audit(&log, &execution.prefix) {
        Ok(audited) if audited.is_whole => None,
        other => Some(format!("{other:?}")),
    }
}

#[test]
fn a_run_time_that_leaves_out_a_wait_is_caught() {
    let mut numbers = Numbers::of(5);
    let program = Random::of(&mut numbers);
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("random.c");
    std::fs::write(&path, program.text()).expect("it can be written");
    let compiled = Compiled::compile(&path, None, &[]).expect("it is C");
    let execution = order::execute(&program, &compiled, &mut numbers);
    let waits: usize = execution.prefix.events.iter().map(|event| event.after.len()).sum();
    assert!(waits > 3, "the program has constraints");
    let (binary, log) = (folder.path().join("random"), folder.path().join("log"));
    let mut caught = 0;
    for left_out in 0..4 {
        let mutation = Some(Mutation::MissingWait(left_out * (waits - 1) / 3));
        let options = Options { mutation, on_divergence: OnDivergence::Free, ..Options::default() };
        compiled.build(&execution.prefix, &options, &binary).expect("it can be enforced");
        let is_caught = |delays: &u64| {
            let mut command = Command::new(&binary);
            command.env("SELVEDGE_DELAYS", delays.to_string()).env("SELVEDGE_RECORD", &log);
            let _ = command.output().expect("it runs");
            is_not_permitted(&log, &execution).is_some()
        };
        caught += usize::from((1..=20).any(|delays| is_caught(&delays)));
    }
    assert!(caught >= 3, "{caught} of 4 were caught");
}

/// What is wrong with the output of a run.
fn compare(output: &str, execution: &Execution) -> Option<String> {
    let numbers = |line: &str| line.split_whitespace().filter_map(|n| n.parse().ok()).collect::<Vec<i32>>();
    let lines: Vec<&str> = output.lines().collect();
    for (thread, seen) in execution.seen.iter().enumerate() {
        let found = numbers(lines.get(thread)?.split_once(':')?.1);
        if !found.starts_with(seen) {
            return Some(format!("thread {thread} saw {found:?} instead of {seen:?}"));
        }
    }
    let finally = numbers(lines.last()?);
    match execution.finally {
        Some(expected) if finally != expected => Some(format!("{finally:?} instead of {expected:?}")),
        _ => None,
    }
}
