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
use selvedge_build::{Compiled, Options};
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
            for delays in 0..4 {
                let output = run(&binary, delays);
                let why = compare(&output, &execution);
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
fn run(binary: &Path, delays: u64) -> String {
    let mut command = Command::new(binary);
    command.env("SELVEDGE_STALL", "5");
    if delays > 0 {
        command.env("SELVEDGE_DELAYS", delays.to_string());
    }
    let done = command.output().expect("it runs");
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success() && told.is_empty(), "{}: {told}", done.status);
    String::from_utf8_lossy(&done.stdout).into_owned()
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
