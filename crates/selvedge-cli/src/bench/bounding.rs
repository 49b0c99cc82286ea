//! `selvedge bench --paper bounding`: programs by algorithm and bound on preemptions, executions and time.
//!
//! The programs are our own versions of those that the author published; [`differences`] says what makes a count another one. Executions
//! are counted as on the slides: sleep-set-blocked ones are among them.

mod differences;
mod published;

use super::measurement::{Constant, Measurement};
use super::programs;
use super::report::{Columns, Outcome, Report};
use super::timing::timed;
use crate::args::BenchArgs;
use crate::error::CliError;
use crate::load;
use differences::difference;
use published::figure;
use selvedge_explore::{Algorithm, Bound, BoundKind, Limits, Statistics};
use std::collections::BTreeMap;

/// The bounds of the table; the last column is without a bound.
const BOUNDS: [Option<u32>; 4] = [Some(0), Some(1), Some(2), None];

/// The family of programs that is published as a plot, and the numbers of readers for which it is run.
const READERS: &str = "writer-N-readers";
const SIZES: [u32; 6] = [1, 2, 3, 4, 5, 6];

/// A program of the table.
struct Subject {
    name: &'static str,
    text: &'static str,
    /// The value of N in the program.
    constant: Option<i64>,
    /// The number of readers, in the family of the plot.
    readers: Option<u32>,
}

macro_rules! own {
    ($name:literal) => {
        own!($name, None)
    };
    ($name:literal, $constant:expr) => {
        Subject {
            name: $name,
            text: include_str!(concat!("../../../../benches/bounding/", $name, ".sel")),
            constant: $constant,
            readers: None,
        }
    };
}

/// A writer and some readers.
fn readers(number: u32) -> Result<Subject, CliError> {
    let text = programs::named("readers-writers")?.text;
    Ok(Subject { name: READERS, text, constant: Some(i64::from(number) + 1), readers: Some(number) })
}

fn subjects() -> Result<Vec<Subject>, CliError> {
    let mut subjects = SIZES.into_iter().map(readers).collect::<Result<Vec<_>, _>>()?;
    subjects.extend([
        own!("account"),
        own!("lazy"),
        own!("micro"),
        own!("lastzero", Some(5)),
        own!("lastzeromod"),
        own!("indexer0", Some(12)),
        own!("indexermod", Some(5)),
    ]);
    Ok(subjects)
}

/// What the user asks for by name, or by `NAME:N` where the program has a size; all when nothing is asked for.
fn selected(names: &[String]) -> Result<Vec<Subject>, CliError> {
    if names.is_empty() {
        return subjects();
    }
    let mut selected = Vec::new();
    for name in names {
        let (program, size) = programs::split(name)?;
        let mut found: Vec<Subject> = subjects()?;
        found.retain(|subject| subject.name == program);
        if found.is_empty() || (size.is_some() && found[0].constant.is_none()) {
            let mut known: Vec<_> = subjects()?.iter().map(|subject| subject.name).collect();
            known.dedup();
            return Err(CliError::NotPublished { name: name.clone(), known: known.join(", ") });
        }
        match (size, found[0].readers) {
            (None, _) => selected.extend(found),
            (Some(size), Some(_)) => selected.push(readers(size)?),
            (Some(size), None) => {
                selected.extend(found.into_iter().map(|s| Subject { constant: Some(i64::from(size)), ..s }));
            }
        }
    }
    Ok(selected)
}

const ALGORITHMS: [Algorithm; 7] = [
    Algorithm::Source,
    Algorithm::Nidhugg,
    Algorithm::NaiveBounded,
    Algorithm::ClassicBounded,
    Algorithm::NidhuggBounded,
    Algorithm::SourceBounded,
    Algorithm::LazyBounded,
];

const COLUMNS: Columns = &[
    ("program", 19),
    ("algorithm", 17),
    ("preemptions", 12),
    ("executions", 11),
    ("blocked", 8),
    ("total", 9),
    ("published", 10),
    ("time (s)", 10),
    ("", 0),
];

const LEGEND: &str = "\
published: [Sachinoglou2018], of C programs; total: with sleep-set-blocked executions, as published
The sound algorithms explore a representative of each trace that has an execution within the bound, lazy-bounded just one and
no others. Conservative branches repeat traces; lazy-bounded has none. A bounded algorithm without a bound explores what source explores.
";

/// Adds the table to the report.
pub fn run(args: &BenchArgs, report: &mut Report) -> Result<(), CliError> {
    let subjects = selected(&args.names)?;
    report.begin("Bounded reduction: synthetic programs", COLUMNS)?;
    for subject in &subjects {
        for algorithm in ALGORITHMS {
            for limit in BOUNDS.into_iter().filter(|limit| limit.is_some() == is_bounded(algorithm)) {
                add_row(subject, algorithm, limit, args, report)?;
            }
        }
    }
    report.legend(LEGEND)
}

fn is_bounded(algorithm: Algorithm) -> bool {
    algorithm.bound_promise().is_some()
}

fn add_row(
    subject: &Subject,
    algorithm: Algorithm,
    limit: Option<u32>,
    args: &BenchArgs,
    report: &mut Report,
) -> Result<(), CliError> {
    let (statistics, seconds, finished) = explored(subject, algorithm, limit, args)?;
    let total = statistics.maximal() + statistics.sleep_set_blocked;
    let published = subject.figure(algorithm, limit);
    let outcome = match (published, difference(subject.name, algorithm)) {
        _ if !finished => Outcome::Cut,
        (None, _) => Outcome::NothingToCompare(""),
        (Some(published), _) if published == total => Outcome::Reproduced,
        (Some(_), Some(why)) => Outcome::Explained(why.into()),
        (Some(_), None) => Outcome::Wrong,
    };
    let more = if finished { "" } else { "…" };
    let bound = limit.map_or("no bound".to_owned(), |limit| format!("at most {limit}"));
    let cells = vec![
        subject.title(),
        algorithm.name().to_owned(),
        bound.clone(),
        format!("{}{more}", statistics.maximal()),
        statistics.sleep_set_blocked.to_string(),
        format!("{total}{more}"),
        published.map_or("–".to_owned(), |published| published.to_string()),
        format!("{seconds:.3}{more}"),
        outcome.note(),
    ];
    let constants = subject.readers.map(|n| Constant { name: "N".to_owned(), value: n.into() });
    report.record(Measurement::of_search(
        format!("{}, {bound}", subject.name),
        constants.into_iter().collect(),
        algorithm.name().to_owned(),
        &statistics,
        (seconds, finished),
    ))?;
    report.row(cells, outcome)
}

impl Subject {
    fn title(&self) -> String {
        match (self.readers, self.constant) {
            (Some(readers), _) => self.name.replace('N', &readers.to_string()),
            (None, Some(size)) => format!("{}({size})", self.name),
            (None, None) => self.name.to_owned(),
        }
    }

    /// The published number of executions, at the published size.
    fn figure(&self, algorithm: Algorithm, limit: Option<u32>) -> Option<u64> {
        let published = match self.name {
            "lastzero" | "indexermod" => Some(5),
            "indexer0" => Some(12),
            _ => None,
        };
        if self.constant == published { figure(self.name, algorithm, limit) } else { None }
    }
}

fn explored(
    subject: &Subject,
    algorithm: Algorithm,
    limit: Option<u32>,
    args: &BenchArgs,
) -> Result<(Statistics, f64, bool), CliError> {
    let defines: BTreeMap<_, _> = subject.constant.map(|n| ("N".to_owned(), n)).into_iter().collect();
    let loaded = load::compile(format!("{}.sel", subject.name), subject.text.to_owned(), defines)?;
    let bound = limit.map(|limit| Bound { kind: BoundKind::Preemptions, limit });
    let limits = Limits { time: Some(args.max_time), bound, ..Limits::default() };
    let (found, elapsed) = timed(&loaded.program, algorithm, limits);
    Ok((found.statistics, elapsed.as_secs_f64(), found.stop.is_none()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn patient() -> BenchArgs {
        BenchArgs { max_time: Duration::from_secs(60), ..BenchArgs::default() }
    }

    fn total(name: &str, algorithm: Algorithm, limit: Option<u32>) -> u64 {
        let subject = selected(&[name.to_owned()]).expect("it exists").remove(0);
        let statistics = explored(&subject, algorithm, limit, &patient()).expect("it runs").0;
        statistics.maximal() + statistics.sleep_set_blocked
    }

    #[test]
    fn conservative_branches_blow_up_and_lazy_bounded_does_not() {
        assert_eq!(total("writer-N-readers:5", Algorithm::LazyBounded, Some(0)), 32);
        assert!(total("writer-N-readers:5", Algorithm::SourceBounded, Some(0)) > 300);
    }

    #[test]
    fn every_difference_is_one_and_every_count_that_differs_is_explained() {
        let (mut reproduced, mut explained) = (0, 0);
        for subject in subjects().expect("they exist").into_iter().filter(|s| s.name != "micro") {
            for algorithm in ALGORITHMS {
                let mut differs = false;
                for limit in BOUNDS.into_iter().filter(|limit| limit.is_some() == is_bounded(algorithm)) {
                    let Some(published) = subject.figure(algorithm, limit) else { continue };
                    let ours = total(subject.name, algorithm, limit);
                    let why = difference(subject.name, algorithm);
                    assert!(
                        ours == published || why.is_some(),
                        "{} {algorithm:?} {limit:?}: {ours}, published {published}",
                        subject.name
                    );
                    differs |= ours != published;
                    *(if ours == published { &mut reproduced } else { &mut explained }) += 1;
                }
                let claims = difference(subject.name, algorithm).is_some();
                assert!(differs == claims, "{} {algorithm:?}: nothing to explain", subject.name);
            }
        }
        assert_eq!((reproduced, explained), (35, 49));
    }

    /// Own programs: algorithms that have little in common count the same traces.
    #[test]
    fn independent_algorithms_count_the_same_traces() {
        for subject in ["account", "lazy", "lastzero:3", "lastzeromod", "indexer0:12", "indexermod:4"] {
            let subject = selected(&[subject.to_owned()]).expect("it exists").remove(0);
            let count =
                |algorithm| explored(&subject, algorithm, None, &patient()).expect("it runs").0.maximal();
            let traces = count(Algorithm::Source);
            for algorithm in [Algorithm::Optimal, Algorithm::Eager, Algorithm::Nidhugg] {
                assert_eq!(count(algorithm), traces, "{} under {algorithm:?}", subject.name);
            }
        }
    }

    #[test]
    fn only_programs_with_a_size_can_be_asked_for_at_one() {
        let ask = |name: &str| selected(&[name.to_owned()]).map(|subjects| subjects.len()).ok();
        assert_eq!((ask("lastzero:3"), ask("writer-N-readers:9"), ask("lazy")), (Some(1), Some(1), Some(1)));
        assert_eq!((ask("lazy:3"), ask("lazier")), (None, None));
    }
}
