//! selvedge, loom and shuttle on the same programs: executions and processor time to a complete answer.
//!
//! `cargo run --release --manifest-path benches/rust/Cargo.toml [SECONDS [NAME]]` prints one table, or the rows with the given word in their names. A tool that does not finish
//! within the time (20 seconds unless given) is shown with how far it got. Rates are runs of the closure per second of processor
//! time: for loom and shuttle a run is an execution, for selvedge too, but that it runs a closure with just one execution twice.

mod bugs;
mod hunting;
mod programs;
mod published;
mod table;
mod tools;

use std::time::Duration;

/// How often everything is measured.
const ROUNDS: usize = 5;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("bugs") => hunting::table(arguments.get(1).map_or("", String::as_str)),
        Some("hunt") => hunting::hunt(&arguments[1..]),
        _ => complete_answers(),
    }
}

fn complete_answers() {
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(20);
    let limit = Duration::from_secs(seconds);
    let wanted = std::env::args().nth(2).unwrap_or_default();
    println!("{}", table::header());
    for program in programs::ALL.into_iter().filter(|&program| table::name(program).contains(&wanted)) {
        let mut results = tools::ALL.map(|tool| tools::run(tool, program, limit));
        // The tools take turns, so that a busy machine hinders all of them alike; the best round of each counts.
        for _ in 1..ROUNDS {
            for (tool, best) in tools::ALL.into_iter().zip(&mut results) {
                *best = tools::faster(*best, tools::run(tool, program, limit / 2));
            }
        }
        println!("{}", table::row(program, &results));
    }
}
