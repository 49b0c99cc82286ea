//! The table of the benchmark, line by line as rows end, and the same as CSV.

use super::programs::Size;
use super::row::Row;
use selvedge_explore::Promise;
use selvedge_report::Verdict;
use selvedge_report::json::JsonReport;
use selvedge_report::statistics::{megabytes, rate};

/// A row that has ended.
#[derive(Debug)]
pub struct RowResult {
    /// What was run.
    pub row: Row,
    /// What came out.
    pub report: JsonReport,
}

/// How a row compares with what is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The number of traces is the expected one.
    AsExpected,
    /// It is another one.
    Differs,
    /// Nobody knows what it should be, or the algorithm does not count traces.
    NotComparable,
    /// The time limit was hit.
    TimeLimit,
}

impl RowResult {
    /// How the row compares with what is known.
    pub fn outcome(&self) -> Outcome {
        match self.report.verdict {
            Verdict::Inconclusive => return Outcome::TimeLimit,
            Verdict::Violation => return Outcome::Differs,
            Verdict::Verified => {}
        }
        match (self.row.algorithm.promise(), self.expected()) {
            (_, None)
            | (Promise::EveryInterleaving | Promise::EveryFinalState | Promise::EveryClassOnce(_), _) => {
                Outcome::NotComparable
            }
            (Promise::EveryTrace, Some(expected)) if self.report.maximal() >= expected => {
                Outcome::NotComparable
            }
            (_, Some(expected)) if self.report.maximal() == expected => Outcome::AsExpected,
            _ => Outcome::Differs,
        }
    }

    fn expected(&self) -> Option<u64> {
        (self.row.benchmark.traces)(self.row.size)
    }

    /// The program with its size.
    pub fn name(&self) -> String {
        format!("{}({})", self.row.benchmark.name, self.row.size)
    }
}

/// The names of the columns with their widths.
const COLUMNS: [(&str, usize); 12] = [
    ("program(N)", 20),
    ("algorithm", 13),
    ("traces", 9),
    ("expected", 13),
    ("blocked", 9),
    ("transitions", 12),
    ("trans./s", 9),
    ("exec./s", 9),
    ("race checks", 12),
    ("dep. checks", 12),
    ("time", 12),
    ("peak memory", 11),
];

/// The head of the table.
pub fn header() -> String {
    head(COLUMNS)
}

/// The head of a table with these columns.
pub fn head<const N: usize>(columns: [(&str, usize); N]) -> String {
    let names = aligned(columns, columns.map(|(name, _)| name.to_owned()));
    let rule = "─".repeat(names.trim_end().chars().count());
    format!("{names}{rule}\n")
}

/// A line of the table.
pub fn line(result: &RowResult) -> String {
    let report = &result.report;
    let expected = result.expected().map_or("?".to_owned(), |expected| expected.to_string());
    let (traces, mark) = match result.outcome() {
        Outcome::AsExpected => (report.maximal().to_string(), " ✓"),
        Outcome::Differs => (report.maximal().to_string(), " ✗ WRONG"),
        Outcome::NotComparable => (report.maximal().to_string(), "  "),
        Outcome::TimeLimit => (format!("{}…", report.maximal()), "  "),
    };
    let time = match result.outcome() {
        Outcome::TimeLimit => "> time limit".to_owned(),
        _ if report.seconds < 0.1 => format!("{:.3} ms", 1000.0 * report.seconds),
        _ => format!("{:.3} s", report.seconds),
    };
    aligned(
        COLUMNS,
        [
            result.name(),
            report.algorithm.clone(),
            traces,
            format!("{expected}{mark}"),
            report.executions.sleep_set_blocked.to_string(),
            report.transitions.to_string(),
            rate(report.transitions, report.seconds),
            rate(report.maximal() + report.executions.sleep_set_blocked, report.seconds),
            report.race_checks.to_string(),
            report.dependency_checks.to_string(),
            time,
            report.peak_memory_bytes.map_or("?".to_owned(), megabytes),
        ],
    )
}

/// A line of a table; the first two columns are aligned to the left.
pub fn aligned<const N: usize>(columns: [(&str, usize); N], cells: [String; N]) -> String {
    let mut line = String::new();
    for (i, (cell, (_, width))) in cells.iter().zip(columns).enumerate() {
        line += &match i {
            0 | 1 => format!("{cell:width$} "),
            _ => format!(" {cell:>width$}"),
        };
    }
    line.truncate(line.trim_end().len());
    line + "\n"
}

/// The note after a row that hit the time limit; empty when there are no larger sizes.
pub fn skipped(row: &Row, larger: &[Size]) -> String {
    if larger.is_empty() {
        return String::new();
    }
    let sizes: Vec<String> = larger.iter().map(ToString::to_string).collect();
    let (name, algorithm, sizes) = (row.benchmark.name, row.algorithm.name(), sizes.join(", "));
    format!("{name} with {algorithm}: larger sizes skipped ({sizes})\n")
}

/// The head of the CSV form.
pub fn csv_header() -> String {
    "program,n,algorithm,verdict,traces,expected,comparison,blocked,transitions,transitions_per_second,\
     executions_per_second,race_checks,dependency_checks,seconds,peak_memory_bytes\n"
        .to_owned()
}

/// A line of the CSV form. No field needs quotes: all are numbers or plain names.
pub fn csv_line(result: &RowResult) -> String {
    let report = &result.report;
    let or_empty = |number: Option<u64>| number.map_or(String::new(), |number| number.to_string());
    let per_second = |number: u64| format!("{:.0}", number as f64 / report.seconds.max(1e-9));
    let executions = report.maximal() + report.executions.sleep_set_blocked;
    let (verdict, comparison) = match result.outcome() {
        Outcome::AsExpected => ("verified", "equal"),
        Outcome::Differs => ("verified", "DIFFERS"),
        Outcome::NotComparable => ("verified", ""),
        Outcome::TimeLimit => ("inconclusive", ""),
    };
    let fields = [
        result.row.benchmark.name.to_owned(),
        result.row.size.to_string(),
        report.algorithm.clone(),
        verdict.to_owned(),
        report.maximal().to_string(),
        or_empty(result.expected()),
        comparison.to_owned(),
        report.executions.sleep_set_blocked.to_string(),
        report.transitions.to_string(),
        per_second(report.transitions),
        per_second(executions),
        report.race_checks.to_string(),
        report.dependency_checks.to_string(),
        format!("{:.6}", report.seconds),
        or_empty(report.peak_memory_bytes),
    ];
    fields.join(",") + "\n"
}
