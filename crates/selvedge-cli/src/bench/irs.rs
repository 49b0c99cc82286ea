//! `selvedge bench --paper irs`: what it costs to enforce trace prefixes, with the published overhead beside ours.
//!
//! The published figures are those of appendix C of [Metzler2020]: eight programs, each with every constraint of its first admissible trace,
//! with fewer, and with none. A row here is a prefix that the search has written. Its binary and one without any instrumentation, from the same LLVM IR
//! and with the same optimisation, run in turns, and each run is timed from before `main` to after it by an object that is
//! linked to both. Overheads are ratios of medians within one run of the table.

use super::native::Folder;
use super::report::{Columns, Outcome, Report};
use crate::args::{BenchArgs, ProgramArgs};
use crate::error::CliError;
use crate::native;
use selvedge_build::{Compiled, Options};
use selvedge_explore::{Algorithm, Limits, Plan};
use selvedge_machine::LeftShifts;
use selvedge_schedule::prefix::Prefix;
use selvedge_verify::{CheckC, FindPrefix, Question, Silent, verify};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A program of the table.
struct Program {
    name: &'static str,
    text: &'static str,
    /// The published numbers of constraints, each with the overhead in percent.
    published: &'static [(usize, i32)],
}

macro_rules! text {
    ($name:literal) => {
        include_str!(concat!("../../../../benches/irs/", $name, ".c"))
    };
}

const PROGRAMS: [Program; 8] = [
    Program { name: "bigshot", text: text!("bigshot"), published: &[(1, 5), (0, 3)] },
    Program { name: "dekker", text: text!("dekker"), published: &[(2, 4), (1, 3), (0, 2)] },
    Program {
        name: "fibonacci",
        text: text!("fibonacci"),
        published: &[(98, 13), (44, 9), (24, 12), (0, 6)],
    },
    Program {
        name: "lamport",
        text: text!("lamport"),
        published: &[(16, 12), (15, 12), (10, 13), (7, 13), (6, 13), (4, 12), (2, 12), (1, 13), (0, 3)],
    },
    Program {
        name: "peterson",
        text: text!("peterson"),
        published: &[(28, 8), (24, 9), (22, 6), (1, 7), (0, -2)],
    },
    Program {
        name: "shared-pointer",
        text: text!("shared_pointer"),
        published: &[(3, 22), (2, 21), (1, 20), (0, 4)],
    },
    Program {
        name: "indexer",
        text: text!("indexer"),
        published: &[(12, 2692), (8, 2716), (4, 2416), (3, 1904), (2, 61), (1, 11), (0, -13)],
    },
    Program {
        name: "last-zero",
        text: text!("last_zero"),
        published: &[(15, 4288), (8, 2075), (5, 102), (1, 8), (0, -5)],
    },
];

/// How often each binary runs.
const RUNS: usize = 300;

/// So many prefixes of a program are measured, evenly from all of its constraints to none.
const MOST_PREFIXES: usize = 8;

/// Prints the time from before `main` to after it, in nanoseconds.
const TIMER: &str = r#"
#include <stdio.h>
#include <time.h>
static struct timespec started;
__attribute__((constructor(101))) static void start(void) { clock_gettime(CLOCK_MONOTONIC, &started); }
__attribute__((destructor(101))) static void stop(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    fprintf(stderr, "%lld\n", (now.tv_sec - started.tv_sec) * 1000000000LL + now.tv_nsec - started.tv_nsec);
}
"#;

const COLUMNS: Columns = &[
    ("program", 16),
    ("constraints", 11),
    ("events", 7),
    ("time", 9),
    ("overhead", 9),
    ("worst", 9),
    ("published (constraints)", 24),
    ("", 0),
];

const LEGEND: &str = "published: [Metzler2020], appendix C, at the nearest number of constraints; time: the median of the instrumented program;\n\
     overhead: over the program without instrumentation; worst: of the slowest tenths of both\n";

/// Adds the table to the report.
pub fn run(args: &BenchArgs, report: &mut Report) -> Result<(), CliError> {
    let is_known = |name: &String| PROGRAMS.iter().any(|program| program.name == *name);
    if let Some(name) = args.names.iter().find(|name| !is_known(name)) {
        let known = PROGRAMS.iter().map(|program| program.name).collect::<Vec<_>>().join(", ");
        return Err(CliError::NotPublished { name: name.clone(), known });
    }
    report.begin("Iteratively relaxed scheduling: appendix C", COLUMNS)?;
    let folder = Folder::new()?;
    let selected =
        PROGRAMS.iter().filter(|p| args.names.is_empty() || args.names.iter().any(|name| name == p.name));
    for program in selected {
        match selvedge_llvm::clang::find() {
            Ok(clang) => Bench { folder: &folder, clang, program }.rows(args.max_time, report)?,
            Err(_) => {
                let cells = vec![program.name.to_owned(), "needs clang".to_owned()];
                report.row(cells, Outcome::NotReproducible("clang is not installed"))?;
            }
        }
    }
    report.legend(LEGEND)
}

/// A program that is measured.
struct Bench<'b> {
    folder: &'b Folder,
    clang: PathBuf,
    program: &'static Program,
}

/// Times of a binary, ascending.
struct Times(Vec<Duration>);

impl Times {
    fn median(&self) -> f64 {
        self.0[self.0.len() / 2].as_secs_f64()
    }

    /// The time that a tenth of the runs exceed.
    fn slow(&self) -> f64 {
        self.0[self.0.len() * 9 / 10].as_secs_f64()
    }
}

impl Bench<'_> {
    fn rows(&self, time: Duration, report: &mut Report) -> Result<(), CliError> {
        let path = self.folder.write(self.program.name, self.program.text)?;
        let prefixes = some_of(self.prefixes(&path, time)?);
        let timer = self.timer()?;
        let plain = self.plain(&path, &timer)?;
        let compiled = Compiled::compile(&path, Some(&self.clang), &[timer.display().to_string()])?;
        let mut binaries = Vec::new();
        for (number, prefix) in prefixes.iter().enumerate() {
            let binary = path.with_extension(format!("{number}"));
            compiled.build(prefix, &Options::default(), &binary)?;
            binaries.push(binary);
        }
        let mut times: Vec<Vec<Duration>> = vec![Vec::new(); binaries.len() + 1];
        for _ in 0..RUNS {
            for (binary, times) in [&plain].into_iter().chain(&binaries).zip(&mut times) {
                times.push(self.time(binary)?);
            }
        }
        let mut times = times.into_iter().map(|mut times| {
            times.sort_unstable();
            Times(times)
        });
        let Some(plain) = times.next() else { return Ok(()) };
        for (prefix, times) in prefixes.iter().zip(times) {
            report.row(self.cells(prefix, &times, &plain), Outcome::NothingToCompare(""))?;
        }
        Ok(())
    }

    /// The prefixes that the search writes, longest first.
    fn prefixes(&self, path: &Path, time: Duration) -> Result<Vec<Prefix>, CliError> {
        let native = native::load(&ProgramArgs::of(path, Vec::new()), LeftShifts::Unknown)?;
        let question = Question::default();
        let limits = Limits { time: Some(time), ..Limits::default() };
        let plan = Plan::of(Algorithm::Optimal, limits);
        let check = CheckC { native: &native, question: &question, plan, root: None };
        let mut prefixes = Vec::new();
        let mut sink = |prefix: &Prefix| {
            prefixes.push(prefix.clone());
            Ok(())
        };
        let task = FindPrefix { check, interval: Duration::ZERO, sink: &mut sink };
        verify(task, &mut Silent)?;
        Ok(prefixes)
    }

    fn timer(&self) -> Result<PathBuf, CliError> {
        let source = self.folder.write("timer", TIMER)?;
        let object = source.with_extension("o");
        self.clang(&["-O2", "-c"], &[&source], &object)?;
        Ok(object)
    }

    /// The program as it is, from the LLVM IR that is verified.
    fn plain(&self, path: &Path, timer: &Path) -> Result<PathBuf, CliError> {
        let text = selvedge_llvm::clang::compile(path, Some(&self.clang), &[])
            .map_err(|error| self.fail(error.to_string()))?;
        let ir = path.with_extension("ll");
        std::fs::write(&ir, text).map_err(|error| CliError::Write { path: ir.clone(), error })?;
        let binary = path.with_extension("plain");
        self.clang(&["-O2", "-w", "-pthread"], &[&ir, timer], &binary)?;
        Ok(binary)
    }

    fn clang(&self, flags: &[&str], inputs: &[&Path], output: &Path) -> Result<(), CliError> {
        let done = Command::new(&self.clang).args(flags).args(inputs).arg("-o").arg(output).output();
        match done {
            Ok(done) if done.status.success() => Ok(()),
            Ok(done) => Err(self.fail(String::from_utf8_lossy(&done.stderr).into_owned())),
            Err(error) => Err(self.fail(error.to_string())),
        }
    }

    fn time(&self, binary: &Path) -> Result<Duration, CliError> {
        let done = Command::new(binary).output().map_err(|error| self.fail(error.to_string()))?;
        let told = String::from_utf8_lossy(&done.stderr);
        match told.trim().parse() {
            Ok(nanoseconds) if done.status.success() => Ok(Duration::from_nanos(nanoseconds)),
            _ => Err(self.fail(format!("{} ended with {}: {told}", binary.display(), done.status))),
        }
    }

    fn fail(&self, reason: String) -> CliError {
        CliError::Row { row: self.program.name.to_owned(), reason }
    }

    fn cells(&self, prefix: &Prefix, times: &Times, plain: &Times) -> Vec<String> {
        let constraints = constraints(prefix);
        let nearest =
            self.program.published.iter().min_by_key(|(published, _)| published.abs_diff(constraints));
        let percent = |part: f64, whole: f64| format!("{:+.0} %", (part / whole - 1.0) * 100.0);
        vec![
            self.program.name.to_owned(),
            constraints.to_string(),
            prefix.events.len().to_string(),
            format!("{:.0} µs", times.median() * 1e6),
            percent(times.median(), plain.median()),
            percent(times.slow(), plain.slow()),
            nearest.map_or(String::new(), |(published, overhead)| format!("{overhead:+} % ({published})")),
            String::new(),
        ]
    }
}

/// The orders between threads that have to be enforced.
fn constraints(prefix: &Prefix) -> usize {
    prefix.events.iter().map(|event| event.after.len()).sum()
}

/// At most [`MOST_PREFIXES`], with different numbers of constraints: the first, the last and some between them.
fn some_of(mut prefixes: Vec<Prefix>) -> Vec<Prefix> {
    prefixes.dedup_by_key(|prefix| constraints(prefix));
    let last = prefixes.len().saturating_sub(1);
    let kept: Vec<usize> = (0..MOST_PREFIXES).map(|i| i * last / (MOST_PREFIXES - 1)).collect();
    let numbered = prefixes.into_iter().enumerate();
    numbered.filter(|(position, _)| kept.contains(position)).map(|(_, prefix)| prefix).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_schedule::prefix::PrefixEvent;

    /// A prefix with so many constraints.
    fn prefix(constraints: usize) -> Prefix {
        let event = |after| PrefixEvent { thread: 0, instruction: 0, part: 0, time: 1, choice: 0, after };
        Prefix { events: vec![event((0..constraints).collect())], ..Prefix::default() }
    }

    #[test]
    fn the_first_and_the_last_prefix_are_measured() {
        let kept = some_of((0..100).rev().map(prefix).collect());
        let kept: Vec<usize> = kept.iter().map(constraints).collect();
        assert_eq!((kept.len(), kept[0], kept[MOST_PREFIXES - 1]), (MOST_PREFIXES, 99, 0));
        assert_eq!(some_of(vec![prefix(3), prefix(3), prefix(0)]).len(), 2);
        assert!(some_of(Vec::new()).is_empty());
    }

    #[test]
    fn published_rows_lead_from_all_constraints_to_none() {
        for Program { name, published, .. } in &PROGRAMS {
            assert!(published.windows(2).all(|pair| pair[0].0 > pair[1].0), "{name}");
            assert_eq!(published.last().map(|row| row.0), Some(0), "{name}");
        }
    }
}
