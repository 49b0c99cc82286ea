//! `selvedge bench --paper vc-dpor`: programs by algorithm, executions and time beside the published ones.
//!
//! Of some programs the code is known, or the published counts determine it: there our counts must be the published ones, or the
//! row says why not. Of the others the paper tells what they do but not how; ours are written from the literature, and
//! each says so.

mod rows;

use super::table;
use super::timing::timed;
use crate::args::BenchArgs;
use crate::error::CliError;
use crate::{load, output};
use rows::{ALGORITHMS, Code, Published, Subject};
use selvedge_explore::{Algorithm, Limits};
use std::collections::BTreeMap;

const COLUMNS: [(&str, usize); 7] = [
    ("program(N)", 19),
    ("algorithm", 25),
    ("executions", 12),
    ("published", 11),
    ("time (s)", 10),
    ("published", 10),
    ("", 0),
];

const LEGEND: &str = "\
published: [ChatterjeePT2019], tables 1 to 4 (Nidhugg on LLVM IR, Intel Xeon E5-1650); > 4 h: no result within the published time limit
An execution stands for a Mazurkiewicz trace under source and optimal, for a class of the algorithm's equivalence under the others.
";

/// Prints the table; the exit code.
pub fn run(args: &BenchArgs) -> Result<u8, CliError> {
    let subjects = rows::selected(&args.names)?;
    output::print(&table::head(COLUMNS))?;
    let mut differing = 0;
    for subject in &subjects {
        for (i, (published_as, name)) in ALGORITHMS.into_iter().enumerate() {
            let Some(algorithm) = Algorithm::from_name(name) else { continue };
            let row = Row::of(subject, algorithm, args)?;
            differing += u32::from(row.comparison(subject, i) == Comparison::Wrong);
            output::print(&row.line(subject, i, published_as))?;
        }
    }
    output::print(LEGEND)?;
    super::summary(differing)
}

const LEAVES: &str =
    "fewer: the published tools explore orders of leaf threads that no read needs; see docs/algorithms.md";

/// Why the number of executions is not the published one, where an implementation decides it as well as the program. The guide to
/// the algorithms has the reasons in full.
fn explanation(subject: &Subject, algorithm: Algorithm) -> Option<&'static str> {
    match (subject.program.name, algorithm) {
        ("redundant-co", Algorithm::DataCentric) => Some(
            "3w² + 3w + 1 ways to observe w = 4N writes of each thread; published: (w + 1)³, with an order of leaf threads",
        ),
        ("redundant-co", Algorithm::ValueCentric) => Some(
            "the reader can read 3 pairs of values, so this is the least; published: w + 3 for w = 4N, with an order of leaf threads",
        ),
        ("opt-lock" | "rod-cut-bu3" | "rod-cut-bu4", Algorithm::DataCentric | Algorithm::ValueCentric) => {
            Some(LEAVES)
        }
        ("lamport", Algorithm::ValueCentric) => Some(
            "more: the published tool decides first the read with most writes behind it, ours that of the root; see docs/algorithms.md",
        ),
        _ => None,
    }
}

/// How a row compares with the published one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    /// The counts are the same.
    Same,
    /// They are not, and this is why; or there is none to compare with, and this is why.
    Explained(&'static str),
    /// They are not, and should be.
    Wrong,
    /// The search was cut by our time limit.
    Cut,
    /// The published search was cut by its time limit.
    PublishedCut,
}

/// What came out.
struct Row {
    algorithm: Algorithm,
    executions: u64,
    seconds: f64,
    finished: bool,
}

impl Row {
    fn of(subject: &Subject, algorithm: Algorithm, args: &BenchArgs) -> Result<Row, CliError> {
        let program = subject.program;
        let mut defines = BTreeMap::from([("N".to_owned(), i64::from(subject.size))]);
        defines.extend(program.workers.map(|workers| ("WORKERS".to_owned(), i64::from(workers))));
        let loaded = load::compile(format!("{}.sel", program.name), program.text.to_owned(), defines)?;
        let limits = Limits { time: Some(args.max_time), ..Limits::default() };
        let (found, elapsed) = timed(&loaded.program, algorithm, limits);
        let (seconds, finished) = (elapsed.as_secs_f64(), found.stop.is_none());
        Ok(Row { algorithm, executions: found.statistics.maximal(), seconds, finished })
    }

    fn comparison(&self, subject: &Subject, i: usize) -> Comparison {
        let published = subject.published_count(i);
        match (subject.program.code, explanation(subject, self.algorithm)) {
            _ if !self.finished => Comparison::Cut,
            _ if published == Some(self.executions) => Comparison::Same,
            (Code::Differs(why), _) => Comparison::Explained(why),
            (Code::Same, _) if published.is_none() => Comparison::PublishedCut,
            (Code::Same, Some(why)) => Comparison::Explained(why),
            (Code::Same, None) => Comparison::Wrong,
        }
    }

    fn line(&self, subject: &Subject, i: usize, published_as: &str) -> String {
        let more = if self.finished { "" } else { "…" };
        let note = match self.comparison(subject, i) {
            Comparison::Same => " ✓".to_owned(),
            Comparison::Wrong => " ✗ WRONG".to_owned(),
            Comparison::Explained(why) => format!("  {why}"),
            Comparison::Cut => "  not finished within the time limit".to_owned(),
            Comparison::PublishedCut => String::new(),
        };
        let (count, time) = match subject.published.map(|results| results[i]) {
            None => ("–".to_owned(), "–".to_owned()),
            Some(Published::TimeLimit) => ("–".to_owned(), "> 4 h".to_owned()),
            Some(Published::Ended { executions, seconds }) => {
                (executions.to_string(), format!("{seconds:.2}"))
            }
        };
        table::aligned(
            COLUMNS,
            [
                format!("{}({})", subject.program.name, subject.size),
                format!("{} ({published_as})", self.algorithm.name()),
                format!("{}{more}", self.executions),
                count,
                format!("{:.6}{more}", self.seconds),
                time,
                note,
            ],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn patient() -> BenchArgs {
        BenchArgs { max_time: Duration::from_secs(600), ..BenchArgs::default() }
    }

    fn subject(name: &str) -> Subject {
        rows::selected(&[name.to_owned()]).expect("it is there").remove(0)
    }

    fn row(name: &str, algorithm: Algorithm, args: &BenchArgs) -> Row {
        Row::of(&subject(name), algorithm, args).expect("it runs")
    }

    #[test]
    fn small_rows_have_the_published_counts() {
        let small = |published: u64| published <= 60_000;
        let (mut compared, mut exact) = (0, 0);
        for subject in rows::selected(&[]).expect("the table is well-formed") {
            for (i, (_, name)) in ALGORITHMS.into_iter().enumerate() {
                let Some(algorithm) = Algorithm::from_name(name) else { continue };
                let is_same = subject.program.code == Code::Same;
                let is_small = subject.published_count(i).is_some_and(small);
                if !is_same || !is_small {
                    continue;
                }
                let row = Row::of(&subject, algorithm, &patient()).expect("it runs");
                let comparison = row.comparison(&subject, i);
                let (name, size) = (subject.program.name, subject.size);
                assert_ne!(
                    comparison,
                    Comparison::Wrong,
                    "{name}({size}) under {algorithm:?}: {}",
                    row.executions
                );
                let is_explained = explanation(&subject, algorithm).is_some();
                assert!(
                    !is_explained || comparison != Comparison::Same,
                    "{name}({size}): nothing to explain"
                );
                exact += u32::from(comparison == Comparison::Same);
                compared += 1;
            }
        }
        assert_eq!((exact, compared), (37, 50));
    }

    /// What the guide to the algorithms says about differences.
    #[test]
    fn differing_rows_have_the_counts_that_follow_from_the_definitions() {
        for size in [2_u64, 8, 9] {
            let count = |algorithm| row(&format!("redundant-co:{size}"), algorithm, &patient()).executions;
            let w = 4 * size;
            assert_eq!(count(Algorithm::DataCentric), 3 * w * w + 3 * w + 1);
            assert_eq!(count(Algorithm::ValueCentric), 3);
        }
    }

    #[test]
    fn a_row_of_another_program_says_why_under_every_algorithm() {
        let kessels = subject("kessels");
        for (i, (published_as, name)) in ALGORITHMS.into_iter().enumerate() {
            let Some(algorithm) = Algorithm::from_name(name) else { continue };
            let row = Row { algorithm, executions: 1, seconds: 1.0, finished: true };
            let line = row.line(&kessels, i, published_as);
            assert!(line.contains("give up when they would have to wait"), "{line}");
        }
    }

    #[test]
    fn a_row_that_was_cut_is_no_difference() {
        let args = BenchArgs { max_time: Duration::from_millis(1), ..BenchArgs::default() };
        for name in ["peterson:6", "dekker:5"] {
            let cut = row(name, Algorithm::Source, &args);
            assert_eq!(cut.comparison(&subject(name), 1), Comparison::Cut);
            assert!(cut.line(&subject(name), 1, "Source").contains("not finished within the time limit"));
        }
    }

    #[test]
    fn what_the_paper_could_not_finish_is_no_difference() {
        let finished = Row { algorithm: Algorithm::Source, executions: 1, seconds: 1.0, finished: true };
        let line = finished.line(&subject("float-read:16"), 1, "Source");
        assert!(line.contains("> 4 h") && !line.contains("WRONG"), "{line}");
    }
}
