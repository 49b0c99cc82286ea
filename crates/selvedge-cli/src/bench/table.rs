//! The table of the benchmark, line by line as rows end, and the same as CSV.

use super::measurement::{Comparison, Measurement};
use super::programs::Size;
use super::row::Row;
use selvedge_explore::Promise;
use selvedge_report::Verdict;
use selvedge_report::json::JsonReport;
use selvedge_report::statistics::{megabytes, rate};

/// A row of a benchmark program that has ended.
#[derive(Debug)]
pub struct RowResult {
    /// The row.
    pub row: Row,
    /// The report of its run.
    pub report: JsonReport,
}

impl RowResult {
    /// How the row compares with the expected number of traces.
    pub fn comparison(&self) -> Comparison {
        match self.report.verdict {
            Verdict::Inconclusive => return Comparison::TimeLimit,
            Verdict::Violation => return Comparison::Differs,
            Verdict::Verified => {}
        }
        match (self.row.algorithm.promise(), self.row.expected()) {
            (_, None)
            | (Promise::EveryInterleaving | Promise::EveryFinalState | Promise::EveryClassOnce(_), _) => {
                Comparison::NotComparable
            }
            (Promise::EveryTrace, Some(expected)) if self.report.maximal() >= expected => {
                Comparison::NotComparable
            }
            (_, Some(expected)) if self.report.maximal() == expected => Comparison::Equal,
            _ => Comparison::Differs,
        }
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
    header_of(&columns)
}

/// The head of a table with any number of columns.
pub fn header_of(columns: &[(&str, usize)]) -> String {
    let names: Vec<String> = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
    let names = aligned_cells(columns, &names);
    let rule = "─".repeat(names.trim_end().chars().count());
    format!("{names}{rule}\n")
}

/// A line of the table.
pub fn line(measured: &Measurement) -> String {
    let expected = measured.expected.map_or("?".to_owned(), |expected| expected.to_string());
    let (traces, mark) = match measured.comparison {
        Comparison::Equal => (measured.traces.to_string(), " ✓"),
        Comparison::Differs => (measured.traces.to_string(), " ✗ WRONG"),
        Comparison::NotComparable => (measured.traces.to_string(), "  "),
        Comparison::TimeLimit => (format!("{}…", measured.traces), "  "),
    };
    aligned(
        COLUMNS,
        [
            measured.name(),
            measured.algorithm.clone(),
            traces,
            format!("{expected}{mark}"),
            measured.sleep_set_blocked.to_string(),
            measured.transitions.to_string(),
            rate(measured.transitions, measured.seconds),
            rate(measured.traces + measured.sleep_set_blocked, measured.seconds),
            measured.race_checks.to_string(),
            measured.dependency_checks.to_string(),
            time(measured),
            measured.peak_memory_bytes.map_or("?".to_owned(), megabytes),
        ],
    )
}

/// The verdict in a word.
pub fn verdict(measured: &Measurement) -> &'static str {
    match measured.verdict {
        Verdict::Verified => "verified",
        Verdict::Violation => "violation",
        Verdict::Inconclusive => "inconclusive",
    }
}

/// The median of the times, or that there is none.
pub fn time(measured: &Measurement) -> String {
    match measured.comparison {
        Comparison::TimeLimit => "> time limit".to_owned(),
        _ => duration(measured.seconds),
    }
}

/// A time in the unit that suits it.
pub fn duration(seconds: f64) -> String {
    match seconds < 0.1 {
        true => format!("{:.3} ms", 1000.0 * seconds),
        false => format!("{seconds:.3} s"),
    }
}

/// A line of a table; the first two columns are aligned to the left.
pub fn aligned<const N: usize>(columns: [(&str, usize); N], cells: [String; N]) -> String {
    aligned_cells(&columns, &cells)
}

/// A line of a table with any number of columns; the first two are aligned to the left.
pub fn aligned_cells(columns: &[(&str, usize)], cells: &[String]) -> String {
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
     executions_per_second,race_checks,dependency_checks,seconds,least_seconds,greatest_seconds,peak_memory_bytes\n"
        .to_owned()
}

/// A line of the CSV form.
pub fn csv_line(measured: &Measurement) -> String {
    let or_empty = |number: Option<u64>| number.map_or(String::new(), |number| number.to_string());
    let per_second = |number: u64| format!("{:.0}", number as f64 / measured.seconds.max(1e-9));
    let comparison = match measured.comparison {
        Comparison::Equal => "equal",
        Comparison::Differs => "DIFFERS",
        Comparison::NotComparable | Comparison::TimeLimit => "",
    };
    let fields = [
        quoted(&measured.program),
        measured.size(),
        measured.algorithm.clone(),
        verdict(measured).to_owned(),
        measured.traces.to_string(),
        or_empty(measured.expected),
        comparison.to_owned(),
        measured.sleep_set_blocked.to_string(),
        measured.transitions.to_string(),
        per_second(measured.transitions),
        per_second(measured.traces + measured.sleep_set_blocked),
        measured.race_checks.to_string(),
        measured.dependency_checks.to_string(),
        format!("{:.6}", measured.seconds),
        format!("{:.6}", measured.least_seconds),
        format!("{:.6}", measured.greatest_seconds),
        or_empty(measured.peak_memory_bytes),
    ];
    fields.join(",") + "\n"
}

/// A field of the CSV form. Only names of files may need quotes: all others are numbers or plain names.
fn quoted(field: &str) -> String {
    match field.contains(['"', ',', '\n']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
}
