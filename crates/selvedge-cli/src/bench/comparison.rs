//! `selvedge bench --paper`: our figures beside those of a published table, row by row.
//!
//! A published count may be wrong, which is marked; ours may not, which ends the command with a failure. The times come
//! from different machines and languages: their ratio is an order of magnitude, the counters are what compares.

use super::measurement::Comparison;
use super::published::{self, PublishedRow};
use super::row::Row;
use super::summary;
use super::table::{self, RowResult};
use crate::args::{BenchArgs, Paper};
use crate::error::CliError;
use crate::output;
use selvedge_explore::Algorithm;

/// What is absent from the published table.
const ABSENT: &str = "–";

/// Runs the rows of a paper; the exit code.
pub fn run(paper: Paper, args: &BenchArgs) -> Result<u8, CliError> {
    let rows = published::selected(paper, &args.names)?;
    output::print(&table::head(COLUMNS))?;
    let mut differing = 0;
    let mut out_of_time: Vec<(&str, Algorithm)> = Vec::new();
    for (i, published) in rows.iter().enumerate() {
        let series = published.series();
        if out_of_time.contains(&series) {
            continue;
        }
        let row =
            Row { benchmark: published.benchmark, size: published.size, algorithm: published.algorithm };
        let result = RowResult { row, report: row.run_in_own_process(args.max_time)? };
        output::print(&line(paper, &result, published))?;
        match result.comparison() {
            Comparison::Differs => differing += 1,
            Comparison::TimeLimit => {
                out_of_time.push(series);
                let larger = rows[i + 1..].iter().filter(|row| row.series() == series);
                output::print(&table::skipped(&row, &larger.map(|row| row.size).collect::<Vec<_>>()))?;
            }
            Comparison::Equal | Comparison::NotComparable => {}
        }
    }
    output::print(legend(paper))?;
    summary(differing)
}

impl PublishedRow {
    /// The rows that only differ in the size.
    fn series(&self) -> (&'static str, Algorithm) {
        (self.benchmark.name, self.algorithm)
    }
}

/// The names of the columns with their widths. A published figure is at the right of ours.
const COLUMNS: [(&str, usize); 15] = [
    ("program(N)", 20),
    ("algorithm", 21),
    ("traces", 9),
    ("published", 9),
    ("correct", 15),
    ("time (s)", 9),
    ("published", 10),
    ("ratio", 8),
    ("dep. checks", 11),
    ("published", 11),
    ("race checks", 11),
    ("published", 10),
    ("unsat.", 6),
    ("published", 9),
    ("", 0),
];

fn line(paper: Paper, result: &RowResult, published: &PublishedRow) -> String {
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
    table::aligned(
        COLUMNS,
        [
            result.name(),
            format!("{} ({})", report.algorithm, published.published_as),
            ours(report.maximal()),
            theirs(published.traces),
            format!("{correct}{mark}"),
            format!("{:.3}{more}", report.seconds),
            published.seconds.map_or(ABSENT.to_owned(), |seconds| format!("{seconds:.3}")),
            ratio(result, published),
            ours(report.dependency_checks),
            theirs(published.dependency_checks),
            ours(report.race_checks),
            theirs(published.race_checks),
            report.unsatisfiable_systems.to_string(),
            theirs(published.unsatisfiable_systems),
            note(paper, published),
        ],
    )
}

/// The published time in units of ours.
fn ratio(result: &RowResult, published: &PublishedRow) -> String {
    match (result.comparison(), published.seconds) {
        (Comparison::TimeLimit, _) | (_, None) => ABSENT.to_owned(),
        (_, Some(seconds)) => match seconds / result.report.seconds.max(1e-9) {
            ratio if ratio < 10.0 => format!("{ratio:.1}×"),
            ratio => format!("{ratio:.0}×"),
        },
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
        Paper::Epor => {
            "published: [Metzler2020], appendix A (in Python on a 3.6 GHz Intel i7-4790); ratio: published time / ours; \
             unsat.: unsatisfiable trace constraint systems\n"
        }
        Paper::Bounding | Paper::VcDpor | Paper::Imc => "",
        Paper::Lazypor => {
            "published: [Metzler2014], appendix B (in Python on a 3.6 GHz Intel i7-4790), which counts executions, not \
             traces; ratio: published time / ours\n"
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
        assert!(line(Paper::Epor, &result, &published).contains(" 6 ✓ "));
        result.report.executions.complete = 5;
        assert!(line(Paper::Epor, &result, &published).contains(" 6 ✗ WRONG "));
    }

    #[test]
    fn counters_of_a_row_out_of_time_are_marked_as_partial() {
        let published = published("ring:3", "SDPOR");
        let mut result = ran(&published);
        result.report.verdict = Verdict::Inconclusive;
        let line = line(Paper::Epor, &result, &published);
        assert_eq!(line.matches('…').count(), 4, "{line}");
        assert!(!line.contains('×') && !line.contains('✓'), "{line}");
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
