//! `selvedge bench --paper imc`: the programs of iterative model checking, with our times beside the published ones.
//!
//! The published times are those of table 4.1 of [Metzler2020, chapter 4]: to the first set of schedules, and to a complete proof; rows
//! without published time are programs of sections 4.5.2 to 4.5.4. Every program is there twice: in the modelling language, and in C (the rows
//! whose names end in `.c`).

use super::native::Folder;
use super::report::{Columns, Outcome as Compared, Report};
use crate::args::{BenchArgs, ProgramArgs};
use crate::error::CliError;
use crate::load::Loaded;
use crate::{load, translated};
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
    /// The same in C.
    c: &'static str,
    defines: &'static [(&'static str, i64)],
    /// What the verdict must be.
    expected: &'static str,
    /// The published time to the first schedules and to completion.
    published: [&'static str; 2],
}

macro_rules! texts {
    ($name:literal) => {
        [
            include_str!(concat!("../../../../benches/imc/", $name, ".sel")),
            include_str!(concat!("../../../../benches/imc/", $name, ".c")),
        ]
    };
}

const PRODUCER_CONSUMER: [&str; 2] = texts!("producer_consumer");
const BROKEN: [&str; 2] = texts!("producer_consumer_broken");
const DOUBLE_LOCK: [&str; 2] = texts!("double_lock");
const DEADLOCK: [&str; 2] = texts!("double_lock_broken");
const RACE: [&str; 2] = texts!("race");
const FILE_SYSTEM: [&str; 2] = texts!("file_system");
const DECLARED: [&str; 2] = texts!("file_system_declared");
const USEFUL: [&str; 2] = texts!("file_system_useful");
const BARRIER: [&str; 2] = texts!("barrier_ring");

const ROWS: [Row; 14] = [
    buffer("prod-cons-1p-1c-1000b", &[("P", 1), ("C", 1), ("N", 1000)], ["2 m 0 s", "> 72 h"]),
    buffer("prod-cons-2p-2c-1000b", &[("P", 2), ("C", 2), ("N", 1000)], ["23 m 47 s", "> 72 h"]),
    buffer("prod-cons-4p-4c-1000b", &[("P", 4), ("C", 4), ("N", 1000)], ["4 h 29 m 53 s", "> 72 h"]),
    buffer("prod-cons-1p-1c-5b", &[("P", 1), ("C", 1), ("N", 5)], ["2 s", "2 m 28 s"]),
    buffer("prod-cons-2p-2c-5b", &[("P", 2), ("C", 2), ("N", 5)], ["18 s", "1 m 16 s"]),
    buffer("prod-cons-4p-4c-5b", &[("P", 4), ("C", 4), ("N", 5)], ["2 m 41 s", "9 m 44 s"]),
    Row {
        name: "double-lock",
        text: DOUBLE_LOCK[0],
        c: DOUBLE_LOCK[1],
        defines: &[],
        expected: "safe",
        published: ["0 s", "0 s"],
    },
    Row {
        name: "file-system",
        text: FILE_SYSTEM[0],
        c: FILE_SYSTEM[1],
        defines: &[],
        expected: "safe",
        published: ["0 s", "0 s"],
    },
    Row {
        name: "barrier",
        text: BARRIER[0],
        c: BARRIER[1],
        defines: &[],
        expected: "safe",
        published: ["1 s", "4 m 14 s"],
    },
    Row {
        name: "prod-cons-broken",
        text: BROKEN[0],
        c: BROKEN[1],
        defines: &[],
        expected: "partially safe",
        published: ["", ""],
    },
    Row {
        name: "double-lock-broken",
        text: DEADLOCK[0],
        c: DEADLOCK[1],
        defines: &[],
        expected: "partially safe",
        published: ["", ""],
    },
    Row {
        name: "race",
        text: RACE[0],
        c: RACE[1],
        defines: &[],
        expected: "partially safe",
        published: ["", ""],
    },
    Row {
        name: "file-system-declared",
        text: DECLARED[0],
        c: DECLARED[1],
        defines: &[],
        expected: "safe",
        published: ["", ""],
    },
    Row {
        name: "file-system-useful",
        text: USEFUL[0],
        c: USEFUL[1],
        defines: &[],
        expected: "safe",
        published: ["", ""],
    },
];

const fn buffer(
    name: &'static str,
    defines: &'static [(&'static str, i64)],
    published: [&'static str; 2],
) -> Row {
    Row { name, text: PRODUCER_CONSUMER[0], c: PRODUCER_CONSUMER[1], defines, expected: "safe", published }
}

/// What came of a row.
struct Result {
    first: Option<Duration>,
    complete: Duration,
    verdict: String,
    effort: selvedge_impact::Effort,
}

const COLUMNS: Columns = &[
    ("program", 24),
    ("verdict", 15),
    ("1st sched.", 10),
    ("published", 15),
    ("complete", 10),
    ("published", 10),
    ("nodes", 6),
    ("queries", 8),
    ("predicates", 11),
    ("", 0),
];

const LEGEND: &str =
    "published: [Metzler2020], table 4.1: the times to the first set of schedules and to a complete proof\n";

/// Adds the table to the report.
pub fn run(args: &BenchArgs, report: &mut Report) -> std::result::Result<(), CliError> {
    let is_row = |name: &str| ROWS.iter().any(|row| row.name == name.strip_suffix(".c").unwrap_or(name));
    if let Some(name) = args.names.iter().find(|name| !is_row(name)) {
        let known = ROWS.iter().map(|row| row.name).collect::<Vec<_>>().join(", ");
        return Err(CliError::NotPublished { name: name.clone(), known });
    }
    report.begin("Iterative model checking", COLUMNS)?;
    let folder = Folder::new()?;
    let has_clang = selvedge_llvm::clang::find().is_ok();
    let all = ROWS.iter().flat_map(|row| [(row, row.name.to_owned()), (row, format!("{}.c", row.name))]);
    for (row, name) in all.filter(|(_, name)| args.names.is_empty() || args.names.contains(name)) {
        let is_c = name != row.name;
        if is_c && !has_clang {
            report.row(
                vec![name, "needs clang".to_owned()],
                Compared::NotReproducible("clang is not installed"),
            )?;
            continue;
        }
        let loaded = if is_c { folder.translate(row)? } else { row.compile()? };
        let result = prove(&name, &loaded, args.max_time)?;
        let outcome = row.outcome(&result);
        report.row(row.cells(name, &result, &outcome), outcome)?;
    }
    report.legend(LEGEND)
}

impl Row {
    fn outcome(&self, result: &Result) -> Compared {
        match result.verdict.as_str() {
            "inconclusive" if self.expected != "inconclusive" => Compared::Cut,
            verdict if verdict != self.expected => Compared::Wrong,
            _ if self.published == ["", ""] => Compared::NothingToCompare(""),
            _ => Compared::Reproduced,
        }
    }

    fn cells(&self, name: String, result: &Result, outcome: &Compared) -> Vec<String> {
        let first = result.first.map_or("none".to_owned(), |time| format!("{:.2} s", time.as_secs_f64()));
        let effort = &result.effort;
        vec![
            name,
            result.verdict.clone(),
            first,
            self.published[0].to_owned(),
            format!("{:.2} s", result.complete.as_secs_f64()),
            self.published[1].to_owned(),
            effort.nodes.to_string(),
            effort.queries.to_string(),
            effort.predicates.to_string(),
            outcome.note(),
        ]
    }

    fn compile(&self) -> std::result::Result<Loaded, CliError> {
        let defines: BTreeMap<String, i64> =
            self.defines.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
        load::compile(format!("{}.sel", self.name), self.text.to_owned(), defines)
    }
}

impl Folder {
    fn translate(&self, row: &Row) -> std::result::Result<Loaded, CliError> {
        let path = self.write(row.name, row.c)?;
        let cflags = row.defines.iter().map(|(name, value)| format!("-D{name}={value}")).collect();
        translated::program(&ProgramArgs::of(&path, cflags), &Default::default())
    }
}

/// Looks for the first schedules, then at all of them. Every proof is checked, which is not part of the time.
fn prove(name: &str, loaded: &Loaded, time: Duration) -> std::result::Result<Result, CliError> {
    let fail = |reason: String| CliError::Row { row: name.to_owned(), reason };
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
            if selvedge_verify::prove::failure(&loaded.program, &found).is_none() {
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
