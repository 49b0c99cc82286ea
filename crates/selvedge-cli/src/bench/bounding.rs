//! `selvedge bench --paper bounding`: programs by algorithm and bound on preemptions, executions and time.
//!
//! The slides give the executions of C programs whose code they do not show. Ours are written from what is known of them:
//! where nothing is known of a program that could explain its count, there is no published figure beside ours.

use super::programs;
use super::table;
use super::timing::timed;
use crate::args::BenchArgs;
use crate::error::CliError;
use crate::{load, output};
use selvedge_explore::{Algorithm, Bound, BoundKind, Limits, Statistics};
use std::collections::BTreeMap;

/// The bounds of the table; the last column is without a bound.
const BOUNDS: [u32; 3] = [0, 1, 2];

/// A program of the table.
struct Subject {
    /// The name in the slides.
    name: &'static str,
    file: &'static str,
    text: &'static str,
    size: Option<u32>,
    /// The published figures: an algorithm with those for each bound.
    published: &'static [(Algorithm, [u64; 3])],
}

const ACCOUNT: &str = include_str!("../../../../benches/bounding/account.sel");
const LAZY: &str = include_str!("../../../../benches/bounding/lazy.sel");
const MICRO: &str = include_str!("../../../../benches/bounding/micro.sel");

/// What the slides give for account and lazy alike.
const THREE_SECTIONS: &[(Algorithm, [u64; 3])] = &[
    (Algorithm::NaiveBounded, [1, 1, 4]),
    (Algorithm::NidhuggBounded, [6, 27, 42]),
    (Algorithm::SourceBounded, [6, 27, 42]),
    (Algorithm::LazyBounded, [6, 6, 6]),
];

const LAST_ZERO: &[(Algorithm, [u64; 3])] = &[
    (Algorithm::NaiveBounded, [1, 2, 5]),
    (Algorithm::NidhuggBounded, [252, 2444, 10614]),
    (Algorithm::SourceBounded, [252, 2444, 10614]),
    (Algorithm::LazyBounded, [97, 97, 97]),
];

const INDEXER: &[(Algorithm, [u64; 3])] = &[
    (Algorithm::NidhuggBounded, [2, 8, 14]),
    (Algorithm::SourceBounded, [2, 8, 14]),
    (Algorithm::LazyBounded, [4, 8, 8]),
];

fn subjects() -> Result<Vec<Subject>, CliError> {
    let seed = |name, file, size, published| -> Result<Subject, CliError> {
        Ok(Subject { name, file, text: programs::named(file)?.text, size: Some(size), published })
    };
    let own = |name, text, size, published| Subject { name, file: name, text, size, published };
    Ok(vec![
        seed("writer-3-readers", "readers-writers", 4, &[])?,
        seed("writer-5-readers", "readers-writers", 6, &[])?,
        seed("writer-7-readers", "readers-writers", 8, &[])?,
        own("account", ACCOUNT, None, THREE_SECTIONS),
        own("lazy", LAZY, None, THREE_SECTIONS),
        own("micro(2)", MICRO, Some(2), &[]),
        own("micro(3)", MICRO, Some(3), &[]),
        seed("lastzero", "last-zero", 6, LAST_ZERO)?,
        seed("indexer0", "indexer", 12, INDEXER)?,
    ])
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

const COLUMNS: [(&str, usize); 6] = [
    ("program", 18),
    ("algorithm", 17),
    ("0 preemptions", 30),
    ("at most 1", 30),
    ("at most 2", 30),
    ("no bound", 22),
];

/// Prints the table; the exit code.
pub fn run(args: &BenchArgs) -> Result<u8, CliError> {
    let subjects = subjects()?;
    if let Some(name) = args.names.iter().find(|name| subjects.iter().all(|s| s.name != **name)) {
        let known = subjects.iter().map(|subject| subject.name).collect::<Vec<_>>().join(", ");
        return Err(CliError::NotPublished { name: name.clone(), known });
    }
    output::print(&table::head(COLUMNS))?;
    for subject in subjects.iter().filter(|s| args.names.is_empty() || args.names.iter().any(|n| n == s.name))
    {
        for algorithm in ALGORITHMS {
            output::print(&line(subject, algorithm, args)?)?;
        }
    }
    output::print(LEGEND)?;
    Ok(0)
}

const LEGEND: &str = "\
executions, (published) and time; published: [Sachinoglou2018], of C programs whose code is not shown, run from a main thread
The sound algorithms explore a representative of each trace that has an execution within the bound, lazy-bounded just one and
no others. Conservative branches repeat traces; lazy-bounded has none.
";

fn line(subject: &Subject, algorithm: Algorithm, args: &BenchArgs) -> Result<String, CliError> {
    let mut cells = vec![subject.name.to_owned(), algorithm.name().to_owned()];
    for (i, limit) in BOUNDS.into_iter().enumerate() {
        if algorithm.bound_promise().is_none() {
            cells.push(String::new());
            continue;
        }
        let published = subject.published.iter().find(|(known, _)| *known == algorithm);
        let published = published.map_or(String::new(), |(_, counts)| format!(" ({})", counts[i]));
        cells.push(cell(subject, algorithm, Some(limit), &published, args)?);
    }
    cells.push(cell(subject, algorithm, None, "", args)?);
    let cells: [String; 6] = cells.try_into().unwrap_or_default();
    Ok(table::aligned(COLUMNS, cells))
}

fn cell(
    subject: &Subject,
    algorithm: Algorithm,
    limit: Option<u32>,
    published: &str,
    args: &BenchArgs,
) -> Result<String, CliError> {
    let (statistics, seconds, finished) = explored(subject, algorithm, limit, args)?;
    let more = if finished { "" } else { "…" };
    Ok(format!("{}{more}{published} {seconds:.3} s", statistics.maximal()))
}

fn explored(
    subject: &Subject,
    algorithm: Algorithm,
    limit: Option<u32>,
    args: &BenchArgs,
) -> Result<(Statistics, f64, bool), CliError> {
    let defines: BTreeMap<_, _> = subject.size.map(|n| ("N".to_owned(), i64::from(n))).into_iter().collect();
    let loaded = load::compile(format!("{}.sel", subject.file), subject.text.to_owned(), defines)?;
    let bound = limit.map(|limit| Bound { kind: BoundKind::Preemptions, limit });
    let limits = Limits { time: Some(args.max_time), bound, ..Limits::default() };
    let (found, elapsed) = timed(&loaded.program, algorithm, limits);
    Ok((found.statistics, elapsed.as_secs_f64(), found.stop.is_none()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn count(name: &str, algorithm: Algorithm, limit: u32) -> u64 {
        let args = BenchArgs { max_time: Duration::from_secs(60), ..BenchArgs::default() };
        let subjects = subjects().expect("they exist");
        let subject = subjects.iter().find(|subject| subject.name == name).expect("it exists");
        explored(subject, algorithm, Some(limit), &args).expect("it runs").0.maximal()
    }

    #[test]
    fn conservative_branches_blow_up_and_lazy_bounded_does_not() {
        assert_eq!(count("writer-5-readers", Algorithm::LazyBounded, 0), 32);
        assert!(count("writer-5-readers", Algorithm::SourceBounded, 0) > 300);
    }

    #[test]
    fn what_can_be_reproduced_exactly() {
        for algorithm in [Algorithm::NidhuggBounded, Algorithm::SourceBounded] {
            assert_eq!(count("lastzero", algorithm, 0), 252);
            assert_eq!(count("account", algorithm, 0), 6);
            assert_eq!(count("lazy", algorithm, 0), 6);
            assert_eq!(count("indexer0", algorithm, 0), 2);
        }
        assert_eq!(count("indexer0", Algorithm::LazyBounded, 2), 8);
        assert_eq!(count("account", Algorithm::LazyBounded, 2), 6);
    }
}
