//! `selvedge bench --paper imc`: the programs of iterative model checking, with our times beside the published ones.
//!
//! The published times are those of table 4.1 of [Metzler2020, chapter 4]: to the first set of schedules, and to a complete proof; rows
//! without published time are programs of sections 4.5.2 to 4.5.4.

use crate::args::BenchArgs;
use crate::error::CliError;
use crate::{load, output};
use selvedge_certificate::{Claim, check};
use selvedge_impact::complete::Outcome;
use selvedge_impact::iterate::{Progress, Schedules};
use selvedge_impact::{Limits, Prover};
use selvedge_smt::Options;
use selvedge_symbolic::movers::Blocks;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A row of the table.
struct Row {
    name: &'static str,
    text: &'static str,
    defines: &'static [(&'static str, i64)],
    /// What the verdict must be.
    expected: &'static str,
    /// The published time to the first schedules and to completion.
    published: [&'static str; 2],
}

const PRODUCER_CONSUMER: &str = include_str!("../../../../benches/imc/producer_consumer.sel");
const BROKEN: &str = include_str!("../../../../benches/imc/producer_consumer_broken.sel");
const DOUBLE_LOCK: &str = include_str!("../../../../benches/imc/double_lock.sel");
const DEADLOCK: &str = include_str!("../../../../benches/imc/double_lock_broken.sel");
const RACE: &str = include_str!("../../../../benches/imc/race.sel");
const FILE_SYSTEM: &str = include_str!("../../../../benches/imc/file_system.sel");
const DECLARED: &str = include_str!("../../../../benches/imc/file_system_declared.sel");
const USEFUL: &str = include_str!("../../../../benches/imc/file_system_useful.sel");
const BARRIER: &str = include_str!("../../../../benches/imc/barrier_ring.sel");

const ROWS: [Row; 14] = [
    buffer("prod-cons-1p-1c-1000b", &[("P", 1), ("C", 1), ("N", 1000)], ["2 m 0 s", "> 72 h"]),
    buffer("prod-cons-2p-2c-1000b", &[("P", 2), ("C", 2), ("N", 1000)], ["23 m 47 s", "> 72 h"]),
    buffer("prod-cons-4p-4c-1000b", &[("P", 4), ("C", 4), ("N", 1000)], ["4 h 29 m 53 s", "> 72 h"]),
    buffer("prod-cons-1p-1c-5b", &[("P", 1), ("C", 1), ("N", 5)], ["2 s", "2 m 28 s"]),
    buffer("prod-cons-2p-2c-5b", &[("P", 2), ("C", 2), ("N", 5)], ["18 s", "1 m 16 s"]),
    buffer("prod-cons-4p-4c-5b", &[("P", 4), ("C", 4), ("N", 5)], ["2 m 41 s", "9 m 44 s"]),
    Row { name: "double-lock", text: DOUBLE_LOCK, defines: &[], expected: "safe", published: ["0 s", "0 s"] },
    Row { name: "file-system", text: FILE_SYSTEM, defines: &[], expected: "safe", published: ["0 s", "0 s"] },
    Row { name: "barrier", text: BARRIER, defines: &[], expected: "safe", published: ["1 s", "4 m 14 s"] },
    Row {
        name: "prod-cons-broken",
        text: BROKEN,
        defines: &[],
        expected: "partially safe",
        published: ["", ""],
    },
    Row {
        name: "double-lock-broken",
        text: DEADLOCK,
        defines: &[],
        expected: "partially safe",
        published: ["", ""],
    },
    Row { name: "race", text: RACE, defines: &[], expected: "partially safe", published: ["", ""] },
    Row { name: "file-system-declared", text: DECLARED, defines: &[], expected: "safe", published: ["", ""] },
    Row { name: "file-system-useful", text: USEFUL, defines: &[], expected: "safe", published: ["", ""] },
];

const fn buffer(
    name: &'static str,
    defines: &'static [(&'static str, i64)],
    published: [&'static str; 2],
) -> Row {
    Row { name, text: PRODUCER_CONSUMER, defines, expected: "safe", published }
}

/// What came of a row.
struct Result {
    first: Option<Duration>,
    complete: Duration,
    verdict: String,
    effort: selvedge_impact::Effort,
}

/// Prints the table; the exit code.
pub fn run(args: &BenchArgs) -> std::result::Result<u8, CliError> {
    if let Some(name) = args.names.iter().find(|name| ROWS.iter().all(|row| row.name != **name)) {
        let known = ROWS.iter().map(|row| row.name).collect::<Vec<_>>().join(", ");
        return Err(CliError::NotPublished { name: name.clone(), known });
    }
    output::print(&format!(
        "{:<22} {:>10} {:>15} {:>10} {:>10}  {:<15} {:>6} {:>8} {:>11}\n",
        "program",
        "1st sched.",
        "published",
        "complete",
        "published",
        "verdict",
        "nodes",
        "queries",
        "predicates"
    ))?;
    let mut differing = 0;
    for row in
        ROWS.iter().filter(|row| args.names.is_empty() || args.names.iter().any(|name| name == row.name))
    {
        let result = prove(row, args.max_time)?;
        let is_right = result.verdict == row.expected;
        differing += u32::from(!is_right);
        let first = result.first.map_or("none".to_owned(), |time| format!("{:.2} s", time.as_secs_f64()));
        output::print(&format!(
            "{:<22} {:>10} {:>15} {:>8.2} s {:>10}  {:<15} {:>6} {:>8} {:>11}{}\n",
            row.name,
            first,
            row.published[0],
            result.complete.as_secs_f64(),
            row.published[1],
            result.verdict,
            result.effort.nodes,
            result.effort.queries,
            result.effort.predicates,
            if is_right { "" } else { "  WRONG" },
        ))?;
    }
    Ok(u8::from(differing > 0))
}

/// Looks for the first schedules, then at all of them. Every proof is checked, which is not part of the time.
fn prove(row: &Row, time: Duration) -> std::result::Result<Result, CliError> {
    let fail = |reason: String| CliError::Row { row: row.name.to_owned(), reason };
    let defines: BTreeMap<String, i64> =
        row.defines.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    let loaded = load::compile(format!("{}.sel", row.name), row.text.to_owned(), defines)?;
    let started = Instant::now();
    let limits = Limits { deadline: Some(started + time), ..Limits::default() };
    let mut prover = Prover::new(&loaded.program, Options::named("z3"), Blocks::Merged, limits)
        .map_err(|error| fail(error.to_string()))?;
    let mut proofs = Vec::new();
    let mut schedules = Schedules::new(&mut prover);
    let first = loop {
        match schedules.iteration(&mut prover) {
            Ok(Progress::Larger) => {
                proofs.push((schedules.tree.clone(), Claim::SomeSchedules));
                break Some(started.elapsed());
            }
            Ok(Progress::Counterexample(_)) => {}
            Ok(Progress::None) | Err(_) => break None,
        }
    };
    let verdict = match prover.complete() {
        Ok(Outcome::Safe(tree)) => {
            proofs.push((tree, Claim::AllSchedules));
            "safe".to_owned()
        }
        Ok(Outcome::Unsafe(found)) => {
            if crate::prove::failure(&loaded.program, &found).is_none() {
                return Err(fail("the counterexample cannot be replayed".to_owned()));
            }
            if first.is_some() { "partially safe" } else { "unsafe" }.to_owned()
        }
        Err(_) => "inconclusive".to_owned(),
    };
    let complete = started.elapsed();
    for (tree, claim) in proofs {
        let certificate = prover.certificate(&loaded.program, &tree, claim);
        check::check(&loaded.program, &certificate, Options::named("z3"))
            .map_err(|error| fail(error.to_string()))?;
    }
    Ok(Result { first, complete, verdict, effort: prover.effort })
}
