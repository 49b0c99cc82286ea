//! `selvedge bench --paper`: our figures beside those of a published table, row by row.
//!
//! A published count may be wrong, which is marked; ours may not, which ends the command with a failure. The times come
//! from different machines and languages: their ratio is an order of magnitude, the counters are what compares.

use super::measurement::{Comparison, Constant, Measurement};
use super::published::{self, PublishedRow};
use super::report::{Columns, Outcome, Report};
use super::row::Row;
use super::table::{self, RowResult};
use crate::args::{BenchArgs, Paper};
use crate::error::CliError;
use selvedge_explore::Algorithm;

/// What is absent from the published table.
const ABSENT: &str = "–";

/// Runs the rows of a paper and adds them to the report.
pub fn run(paper: Paper, args: &BenchArgs, report: &mut Report) -> Result<(), CliError> {
    let rows = published::selected(paper, &args.names)?;
    report.begin(title(paper), COLUMNS)?;
    let mut out_of_time: Vec<(&str, Algorithm)> = Vec::new();
    let mut source = None;
    for (i, published) in rows.iter().enumerate() {
        let series = published.series();
        if out_of_time.contains(&series) {
            continue;
        }
        let row =
            Row { benchmark: published.benchmark, size: published.size, algorithm: published.algorithm };
        let result = RowResult { row, report: row.run_in_own_process(args.max_time)? };
        let comparison = result.comparison();
        if published.algorithm == Algorithm::Source {
            let ours = (comparison != Comparison::TimeLimit).then_some(result.report.seconds);
            source = Some(Pace { ours, published: published.seconds });
        }
        report.record(measurement(&result))?;
        report.row(cells(paper, &result, published, source.as_ref()), outcome(paper, &result, published))?;
        if comparison == Comparison::TimeLimit {
            out_of_time.push(series);
            let larger = rows[i + 1..].iter().filter(|row| row.series() == series);
            let larger: Vec<_> = larger.map(|row| row.size).collect();
            report.leave_out(larger.len(), &table::skipped(&row, &larger))?;
        }
    }
    report.legend(legend(paper))
}

/// The times of the algorithm that others are compared with, for the program and the size at hand.
struct Pace {
    ours: Option<f64>,
    published: Option<f64>,
}

fn measurement(result: &RowResult) -> Measurement {
    let size = Constant { name: "N".to_owned(), value: result.row.size.into() };
    let name = result.row.benchmark.name.to_owned();
    let measured = Measurement::of(name, vec![size], &result.report, &[]);
    Measurement { expected: result.row.expected(), comparison: result.comparison(), ..measured }
}

fn title(paper: Paper) -> &'static str {
    match paper {
        Paper::Lazypor => "Lazy partial-order reduction: appendix B",
        _ => "Eager partial-order reduction: appendix A",
    }
}

/// How a row compares with the published one. Our count is checked first: it must be that of the traces.
fn outcome(paper: Paper, result: &RowResult, published: &PublishedRow) -> Outcome {
    match (result.comparison(), published.traces) {
        (Comparison::TimeLimit, _) => Outcome::Cut,
        (Comparison::Differs, _) => Outcome::Wrong,
        (_, None) => Outcome::NothingToCompare(""),
        (_, Some(traces)) if traces == result.report.maximal() => Outcome::Reproduced,
        (_, Some(_)) => match note(paper, published) {
            why if why.is_empty() => {
                Outcome::Explained("neither algorithm promises each trace just once".into())
            }
            why => Outcome::Explained(why.into()),
        },
    }
}

impl PublishedRow {
    /// The rows that only differ in the size.
    fn series(&self) -> (&'static str, Algorithm) {
        (self.benchmark.name, self.algorithm)
    }
}

/// The names of the columns with their widths. A published figure is at the right of ours.
const COLUMNS: Columns = &[
    ("program(N)", 20),
    ("algorithm", 21),
    ("traces", 9),
    ("published", 9),
    ("correct", 15),
    ("time (s)", 9),
    ("published", 10),
    ("ratio", 8),
    ("speed-up", 8),
    ("published", 9),
    ("dep. checks", 11),
    ("published", 11),
    ("race checks", 11),
    ("published", 10),
    ("unsat.", 6),
    ("published", 9),
    ("", 0),
];

fn cells(paper: Paper, result: &RowResult, published: &PublishedRow, source: Option<&Pace>) -> Vec<String> {
    let report = &result.report;
    let (mark, more) = match result.comparison() {
        Comparison::Equal => (" ✓", ""),
        Comparison::Differs => (" ✗ WRONG", ""),
        Comparison::NotComparable => ("  ", ""),
        Comparison::TimeLimit => ("  ", "…"),
    };
    let ours = |counter: u64| format!("{counter}{more}");
    let theirs = |counter: Option<u64>| counter.map_or(ABSENT.to_owned(), |counter| counter.to_string());
    let correct = published.correct().map_or("?".to_owned(), |correct| correct.to_string());
    let seconds = (result.comparison() != Comparison::TimeLimit).then_some(report.seconds);
    let speedups = match source {
        Some(pace) if published.algorithm != Algorithm::Source => {
            [quotient(pace.ours, seconds), quotient(pace.published, published.seconds)]
        }
        _ => [ABSENT.to_owned(), ABSENT.to_owned()],
    };
    let [speedup, published_speedup] = speedups;
    vec![
        result.name(),
        format!("{} ({})", report.algorithm, published.published_as),
        ours(report.maximal()),
        theirs(published.traces),
        format!("{correct}{mark}"),
        format!("{:.3}{more}", report.seconds),
        published.seconds.map_or(ABSENT.to_owned(), |seconds| format!("{seconds:.3}")),
        quotient(published.seconds, seconds),
        speedup,
        published_speedup,
        ours(report.dependency_checks),
        theirs(published.dependency_checks),
        ours(report.race_checks),
        theirs(published.race_checks),
        report.unsatisfiable_systems.to_string(),
        theirs(published.unsatisfiable_systems),
        note(paper, published),
    ]
}

/// A time in units of another one.
fn quotient(time: Option<f64>, unit: Option<f64>) -> String {
    let (Some(time), Some(unit)) = (time, unit) else { return ABSENT.to_owned() };
    match time / unit.max(1e-9) {
        ratio if ratio < 10.0 => format!("{ratio:.1}×"),
        ratio => format!("{ratio:.0}×"),
    }
}

/// What is wrong with the published row.
fn note(paper: Paper, published: &PublishedRow) -> String {
    match (published.traces, published.correct()) {
        (None, _) => " no result published".to_owned(),
        (Some(executions), Some(correct)) if paper == Paper::Lazypor && executions > correct => {
            format!(" published: {} executions too many", executions - correct)
        }
        (Some(traces), Some(correct)) if traces < correct => {
            format!(" published count is wrong: {} too few", correct - traces)
        }
        (Some(traces), Some(correct)) if traces > correct => {
            format!(" published count is wrong: {} too many", traces - correct)
        }
        _ => String::new(),
    }
}

fn legend(paper: Paper) -> &'static str {
    match paper {
        Paper::Lazypor => {
            "published: [Metzler2014], appendix B (in Python on a 3.6 GHz Intel i7-4790), which counts executions, not \
             traces; ratio: published time / ours\n"
        }
        _ => {
            "published: [Metzler2020], appendix A (in Python on a 3.6 GHz Intel i7-4790); ratio: published time / ours; \
             speed-up: time of source / that of the row; unsat.: unsatisfiable trace constraint systems\n\
             dep. checks: pairs of operations that were asked whether they are dependent; race checks: pairs of dependent events that were asked \
             whether they race. Both depend on how an implementation finds pairs, not only on the algorithm\n"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_report::Verdict;
    use std::time::Duration;

    fn published(name: &str, published_as: &str) -> PublishedRow {
        let rows = published::selected(Paper::Epor, &[name.to_owned()]).expect("it is published");
        rows.into_iter().find(|row| row.published_as == published_as).expect("it is published")
    }

    fn ran(published: &PublishedRow) -> RowResult {
        let row =
            Row { benchmark: published.benchmark, size: published.size, algorithm: published.algorithm };
        RowResult { row, report: row.run(Duration::from_secs(60)).expect("it runs") }
    }

    #[test]
    fn a_wrong_count_of_ours_is_loud() {
        let published = published("ring:3", "EPOR");
        let mut result = ran(&published);
        assert_eq!(cells(Paper::Epor, &result, &published, None)[4], "6 ✓");
        assert_eq!(outcome(Paper::Epor, &result, &published), Outcome::Reproduced);
        result.report.executions.complete = 5;
        assert_eq!(cells(Paper::Epor, &result, &published, None)[4], "6 ✗ WRONG");
        assert_eq!(outcome(Paper::Epor, &result, &published), Outcome::Wrong);
    }

    #[test]
    fn counters_of_a_row_out_of_time_are_marked_as_partial() {
        let published = published("ring:3", "SDPOR");
        let mut result = ran(&published);
        result.report.verdict = Verdict::Inconclusive;
        let line = cells(Paper::Epor, &result, &published, None).join(" ");
        assert_eq!(outcome(Paper::Epor, &result, &published), Outcome::Cut);
        assert_eq!(line.matches('…').count(), 4, "{line}");
        assert!(!line.contains('×') && !line.contains('✓'), "{line}");
    }

    #[test]
    fn a_wrong_published_count_is_explained() {
        let published = published("ring-extended:3", "EPOR-SH");
        let why = " published count is wrong: 18 too few";
        assert_eq!(outcome(Paper::Epor, &ran(&published), &published), Outcome::Explained(why.into()));
    }

    #[test]
    fn a_speed_up_is_the_time_of_source_in_units_of_the_row() {
        let published = PublishedRow { seconds: Some(0.5), ..published("ring:3", "EPOR") };
        let mut result = ran(&published);
        result.report.seconds = 2.0;
        let pace = Pace { ours: Some(5.0), published: Some(10.0) };
        let cells = cells(Paper::Epor, &result, &published, Some(&pace));
        assert_eq!([&cells[7], &cells[8], &cells[9]], ["0.2×", "2.5×", "20×"]);
    }

    #[test]
    fn wrong_published_counts_are_marked() {
        assert_eq!(
            note(Paper::Epor, &published("ring-extended:3", "EPOR-SH")),
            " published count is wrong: 18 too few"
        );
        assert_eq!(
            note(Paper::Epor, &published("indexer:16", "EPOR")),
            " published count is wrong: 37 too many"
        );
        assert_eq!(note(Paper::Epor, &published("ring:18", "SDPOR")), " no result published");
        assert_eq!(note(Paper::Epor, &published("ring:17", "SDPOR")), "");
    }
}
