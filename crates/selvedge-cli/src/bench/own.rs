//! Programs of the user's own in `selvedge bench`: each file with each value of its constants under each algorithm.
//!
//! A row is a run of `selvedge check` in a process of its own, so that it measures what users get. There is no expected number
//! of traces; algorithms that explore each trace exactly once have to agree on it.

use super::measurement::{Comparison, Constant, Measurement};
use super::row::in_own_process;
use super::sink::Sinks;
use super::table;
use crate::args::BenchArgs;
use crate::error::CliError;
use crate::{native, output};
use selvedge_explore::{Algorithm, Promise};
use selvedge_report::Verdict;
use selvedge_report::json::JsonReport;
use selvedge_report::statistics::megabytes;
use std::path::Path;

/// Whether a name on the command line is that of a file and not of a benchmark program.
pub fn is_file(name: &str) -> bool {
    let path = Path::new(name);
    native::is_native(path)
        || path.extension().is_some_and(|extension| extension == "sel" || extension == "d")
}

/// Runs files of the user's own; the exit code.
pub fn run(args: &BenchArgs) -> Result<u8, CliError> {
    if let Some(name) = args.names.iter().find(|name| !is_file(name)) {
        return Err(CliError::MixedBench { name: name.clone() });
    }
    let mut sinks = Sinks::create(args)?;
    output::print(&table::head(COLUMNS))?;
    let mut differing = 0;
    for file in &args.names {
        let mut out_of_time = vec![false; args.algorithms.len()];
        for constants in assignments(args) {
            let mut counted: Option<u64> = None;
            for (algorithm, is_over) in args.algorithms.iter().zip(&mut out_of_time) {
                if *is_over {
                    continue;
                }
                let mut measured =
                    Row { file, constants: &constants, algorithm: *algorithm }.measure(args)?;
                compare(&mut measured, *algorithm, &mut counted);
                *is_over = measured.verdict == Verdict::Inconclusive;
                differing += u32::from(measured.comparison == Comparison::Differs);
                output::print(&line(&measured))?;
                sinks.record(measured)?;
            }
        }
    }
    sinks.finish()?;
    match differing {
        0 => Ok(0),
        _ => {
            output::print("WRONG: algorithms that explore each trace once disagree; please report this\n")?;
            Ok(super::COUNTS_DIFFER)
        }
    }
}

/// All ways to give the constants values from their ranges; the last one varies fastest.
fn assignments(args: &BenchArgs) -> Vec<Vec<Constant>> {
    let mut all = vec![Vec::new()];
    for (name, range) in &args.constants {
        let with = |constants: &Vec<Constant>, value| {
            let constant = Constant { name: name.clone(), value };
            constants.iter().cloned().chain([constant]).collect()
        };
        all =
            all.iter().flat_map(|constants| range.clone().map(move |value| with(constants, value))).collect();
    }
    all
}

/// Compares a number of traces with that of the algorithms before, if both count traces.
fn compare(measured: &mut Measurement, algorithm: Algorithm, counted: &mut Option<u64>) {
    let counts_traces = matches!(algorithm.promise(), Promise::EveryTraceOnce | Promise::Optimal);
    if measured.verdict != Verdict::Verified || !counts_traces {
        return;
    }
    match *counted {
        None => *counted = Some(measured.traces),
        Some(traces) if traces == measured.traces => measured.comparison = Comparison::Equal,
        Some(_) => measured.comparison = Comparison::Differs,
    }
}

/// A file with values of its constants and an algorithm.
struct Row<'a> {
    file: &'a str,
    constants: &'a [Constant],
    algorithm: Algorithm,
}

impl Row<'_> {
    /// Runs the row as often as asked for.
    fn measure(&self, args: &BenchArgs) -> Result<Measurement, CliError> {
        let report = self.run_in_own_process(args)?;
        let repetitions = match report.verdict {
            Verdict::Inconclusive => Vec::new(),
            _ => (1..args.repeat).map(|_| self.run_in_own_process(args)).collect::<Result<_, _>>()?,
        };
        Ok(Measurement::of(self.file.to_owned(), self.constants.to_vec(), &report, &repetitions))
    }

    fn run_in_own_process(&self, args: &BenchArgs) -> Result<JsonReport, CliError> {
        let values = self.constants.iter().map(|c| format!("-D{}={}", c.name, c.value));
        in_own_process(&format!("{} with {}", self.file, self.algorithm.name()), |command| {
            command.args(["check", self.file, "--format", "json", "--algorithm", self.algorithm.name()]);
            command.args(["--max-time", &args.max_time.as_secs_f64().to_string()]);
            match native::is_native(Path::new(self.file)) {
                true => command.arg("--").args(values).args(&args.cflags),
                false => command.args(values),
            };
        })
    }
}

/// The names of the columns with their widths.
const COLUMNS: [(&str, usize); 10] = [
    ("program", 36),
    ("algorithm", 16),
    ("verdict", 12),
    ("traces", 12),
    ("blocked", 9),
    ("transitions", 12),
    ("time", 12),
    ("least", 11),
    ("greatest", 11),
    ("peak memory", 11),
];

fn line(measured: &Measurement) -> String {
    let mark = match measured.comparison {
        Comparison::Equal => " ✓",
        Comparison::Differs => " ✗",
        Comparison::NotComparable => "  ",
        Comparison::TimeLimit => "… ",
    };
    table::aligned(
        COLUMNS,
        [
            measured.name(),
            measured.algorithm.clone(),
            table::verdict(measured).to_owned(),
            format!("{}{mark}", measured.traces),
            measured.sleep_set_blocked.to_string(),
            measured.transitions.to_string(),
            table::time(measured),
            table::duration(measured.least_seconds),
            table::duration(measured.greatest_seconds),
            measured.peak_memory_bytes.map_or("?".to_owned(), megabytes),
        ],
    )
}
