//! selvedge, loom and shuttle on the same programs: executions and processor time to a complete answer.
//!
//! `cargo run --release --manifest-path benches/rust/Cargo.toml [SECONDS]` prints one table. A tool that does not finish
//! within the time (20 seconds unless given) is shown with how far it got.

mod programs;
mod table;
mod tools;

use std::time::Duration;

fn main() {
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(20);
    let limit = Duration::from_secs(seconds);
    println!("{}", table::header());
    for program in programs::ALL {
        let results = tools::ALL.map(|tool| tools::run(tool, program, limit));
        println!("{}", table::row(program, &results));
    }
}
