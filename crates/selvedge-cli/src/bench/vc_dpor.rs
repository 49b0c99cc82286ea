//! `selvedge bench --paper vc-dpor`: programs by algorithm, executions and time beside the published ones.
//!
//! Of some programs the code is known, or the published counts determine it: there our counts must be the published ones, or the
//! row says why not. Of the others the paper tells what they do but not how; ours are written from the literature, and
//! each says so.

use super::table;
use super::timing::timed;
use crate::args::BenchArgs;
use crate::error::CliError;
use crate::{load, output};
use selvedge_explore::{Algorithm, Limits};
use std::collections::BTreeMap;

/// The names of the algorithms of the paper, in its order, and of ours.
const ALGORITHMS: [(&str, &str); 5] = [
    ("VC-DPOR", "value-centric"),
    ("Source", "source"),
    ("Optimal", "optimal"),
    ("Optimal*", "observers"),
    ("DC-DPOR", "data-centric"),
];

/// What is known of the program that the paper ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Code {
    /// It is this one: counts agree.
    Same,
    /// Not enough; in words, what is different here.
    Differs(&'static str),
}

/// A program of the tables at a size.
struct Subject {
    name: &'static str,
    text: &'static str,
    size: u32,
    /// The number of threads that work on it, where a constant of the program says that.
    workers: Option<u32>,
    code: Code,
    /// The published numbers of executions and seconds, in the order of [`ALGORITHMS`]; nothing where there is no result.
    published: [Option<(u64, f64)>; 5],
}

macro_rules! subject {
    ($name:literal, $size:expr, $code:expr, $published:expr) => {
        subject!($name, $name, None, $size, $code, $published)
    };
    ($name:literal, $file:literal, $workers:expr, $size:expr, $code:expr, $published:expr) => {
        Subject {
            name: $name,
            text: include_str!(concat!("../../../../benches/vc-dpor/", $file, ".sel")),
            size: $size,
            workers: $workers,
            code: $code,
            published: $published,
        }
    };
}

const ROUNDS: Code = Code::Differs(
    "the paper does not show how its loops are bounded; ours give up when they would have to wait",
);
const PLOT: Code = Code::Differs("published as a plot, without numbers");
const REBUILT: Code = Code::Differs("the paper does not show its code; ours is written from its description");
const NONE: [Option<(u64, f64)>; 5] = [None; 5];

static SUBJECTS: [Subject; 33] = [
    subject!(
        "float-read",
        9,
        Code::Same,
        [
            Some((9, 0.05)),
            Some((3_628_800, 1590.0)),
            Some((3_628_800, 1598.0)),
            Some((2305, 1.27)),
            Some((10, 0.04))
        ]
    ),
    subject!(
        "float-read",
        15,
        Code::Same,
        [Some((15, 0.65)), None, None, Some((245_761, 232.0)), Some((16, 0.74))]
    ),
    subject!(
        "singleton",
        8,
        Code::Same,
        [Some((2, 0.06)), Some((40320, 14.92)), Some((40320, 15.24)), Some((8, 0.04)), Some((8, 0.09))]
    ),
    subject!(
        "singleton",
        10,
        Code::Same,
        [
            Some((2, 0.16)),
            Some((3_628_800, 1653.0)),
            Some((3_628_800, 1689.0)),
            Some((10, 0.05)),
            Some((10, 0.19))
        ]
    ),
    subject!(
        "redundant-co",
        2,
        Code::Same,
        [
            Some((11, 0.06)),
            Some((1_969_110, 436.0)),
            Some((1_969_110, 452.0)),
            Some((5401, 1.51)),
            Some((729, 0.07))
        ]
    ),
    subject!(
        "redundant-co",
        8,
        Code::Same,
        [Some((35, 0.09)), None, None, Some((1_118_305, 804.0)), Some((35937, 0.97))]
    ),
    subject!(
        "opt-lock",
        2,
        Code::Same,
        [
            Some((2497, 1.5)),
            Some((69252, 15.1)),
            Some((69252, 15.53)),
            Some((11982, 3.25)),
            Some((6475, 2.5))
        ]
    ),
    subject!(
        "opt-lock",
        3,
        Code::Same,
        [
            Some((80805, 52.13)),
            Some((15_036_174, 3900.0)),
            Some((15_036_174, 4140.0)),
            Some((416_850, 129.0)),
            Some((212_877, 89.0))
        ]
    ),
    subject!("fib-bench", 4, PLOT, NONE),
    subject!("fib-bench-1", 4, PLOT, NONE),
    subject!("fib-bench-2", 4, PLOT, NONE),
    subject!("fib-bench-3", 4, PLOT, NONE),
    subject!(
        "peterson",
        5,
        Code::Same,
        [
            Some((86929, 32.42)),
            Some((268_706, 49.22)),
            Some((268_706, 54.6)),
            Some((268_706, 64.0)),
            Some((256_457, 92.0))
        ]
    ),
    subject!(
        "dekker",
        5,
        ROUNDS,
        [
            Some((89647, 29.78)),
            Some((435_245, 74.0)),
            Some((435_245, 83.0)),
            Some((435_245, 97.0)),
            Some((435_245, 134.0))
        ]
    ),
    subject!(
        "lamport",
        2,
        Code::Same,
        [Some((958, 0.39)), Some((3940, 0.75)), Some((3940, 0.77)), Some((2454, 0.59)), Some((1456, 0.45))]
    ),
    subject!(
        "kessels",
        3,
        ROUNDS,
        [
            Some((8900, 2.8)),
            Some((13856, 5.07)),
            Some((13856, 5.45)),
            Some((13856, 5.98)),
            Some((13856, 3.7))
        ]
    ),
    subject!(
        "szymanski",
        3,
        Code::Same,
        [
            Some((27892, 12.06)),
            Some((27951, 5.06)),
            Some((27951, 5.66)),
            Some((27951, 6.69)),
            Some((27951, 9.81))
        ]
    ),
    subject!("burns", 2, Code::Differs("the published row cannot be read"), NONE),
    subject!("dijkstra", 3, Code::Differs("no row of this name is published"), NONE),
    subject!(
        "parker",
        6,
        Code::Differs("published with a lock of the original that we know in another version"),
        [
            Some((38670, 89.0)),
            Some((1_100_917, 1385.0)),
            Some((1_100_917, 1469.0)),
            Some((1_023_567, 1494.0)),
            Some((985_807, 2801.0))
        ]
    ),
    subject!(
        "eratosthenes",
        5,
        REBUILT,
        [
            Some((3500, 16.92)),
            Some((1_527_736, 1117.0)),
            Some((1_527_736, 1239.0)),
            Some((27858, 41.14)),
            Some((19991, 89.0))
        ]
    ),
    subject!(
        "rod-cut-bu3",
        "rod-cut-bu",
        Some(2),
        6,
        Code::Same,
        [
            Some((19933, 56.15)),
            Some((183_516, 143.0)),
            Some((183_516, 239.0)),
            Some((147_746, 206.0)),
            Some((71670, 123.0))
        ]
    ),
    subject!(
        "rod-cut-bu4",
        "rod-cut-bu",
        Some(3),
        2,
        Code::Same,
        [
            Some((1901, 0.7)),
            Some((33912, 11.76)),
            Some((33912, 13.36)),
            Some((14667, 6.75)),
            Some((5377, 1.15))
        ]
    ),
    subject!(
        "rod-cut-td3",
        "rod-cut-td",
        Some(2),
        7,
        REBUILT,
        [
            Some((4324, 33.23)),
            Some((102_128, 254.0)),
            Some((102_128, 463.0)),
            Some((51974, 227.0)),
            Some((23143, 88.0))
        ]
    ),
    subject!(
        "rod-cut-td4",
        "rod-cut-td",
        Some(3),
        3,
        REBUILT,
        [
            Some((1478, 0.97)),
            Some((91592, 89.0)),
            Some((91592, 109.0)),
            Some((17451, 21.79)),
            Some((4810, 1.46))
        ]
    ),
    subject!(
        "lis-bu3",
        "lis-bu",
        Some(2),
        8,
        REBUILT,
        [
            Some((118_812, 264.0)),
            Some((1_744_064, 2002.0)),
            Some((1_744_064, 3600.0)),
            Some((475_986, 1107.0)),
            Some((358_347, 444.0))
        ]
    ),
    subject!(
        "lis-bu4",
        "lis-bu",
        Some(3),
        2,
        REBUILT,
        [
            Some((1137, 0.45)),
            Some((18522, 8.45)),
            Some((18522, 9.41)),
            Some((7936, 4.42)),
            Some((2828, 0.52))
        ]
    ),
    subject!(
        "coin-all-td3",
        "coin-all-td",
        Some(2),
        9,
        REBUILT,
        [
            Some((4015, 22.23)),
            Some((566_214, 2065.0)),
            Some((566_214, 4800.0)),
            Some((23308, 156.0)),
            Some((8071, 21.13))
        ]
    ),
    subject!(
        "coin-all-td4",
        "coin-all-td",
        Some(3),
        2,
        REBUILT,
        [Some((5938, 4.86)), Some((6_406_248, 13560.0)), None, Some((74153, 207.0)), Some((20668, 6.47))]
    ),
    subject!(
        "coin-min-td3",
        "coin-min-td",
        Some(2),
        8,
        REBUILT,
        [
            Some((46535, 180.0)),
            Some((1_902_262, 4380.0)),
            Some((1_902_262, 7920.0)),
            Some((981_936, 4320.0)),
            Some((382_275, 840.0))
        ]
    ),
    subject!(
        "coin-min-td4",
        "coin-min-td",
        Some(3),
        4,
        REBUILT,
        [
            Some((9912, 30.52)),
            Some((1_470_312, 2177.0)),
            Some((1_470_312, 3096.0)),
            Some((208_367, 426.0)),
            Some((46634, 47.93))
        ]
    ),
    subject!(
        "bin-nocon-bu3",
        "bin-nocon-bu",
        Some(2),
        6,
        REBUILT,
        [
            Some((52500, 75.0)),
            Some((773_122, 757.0)),
            Some((773_122, 1184.0)),
            Some((115_625, 185.0)),
            Some((75000, 68.0))
        ]
    ),
    subject!(
        "bin-nocon-td3",
        "bin-nocon-td",
        Some(2),
        7,
        REBUILT,
        [
            Some((13202, 29.57)),
            Some((1_664_672, 2914.0)),
            Some((1_664_672, 5160.0)),
            Some((471_151, 1571.0)),
            Some((121_350, 124.0))
        ]
    ),
];

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
published: [ChatterjeePT2019], tables 1 to 4 (Nidhugg on LLVM IR, Intel Xeon E5-1650); where N has no row there, none
An execution stands for a Mazurkiewicz trace under source and optimal, for a class of the algorithm's equivalence under the others.
";

/// Prints the table; the exit code.
pub fn run(args: &BenchArgs) -> Result<u8, CliError> {
    let is_called = |subject: &Subject, name: &str| {
        name == subject.name || name == format!("{}:{}", subject.name, subject.size)
    };
    if let Some(name) = args.names.iter().find(|name| !SUBJECTS.iter().any(|s| is_called(s, name))) {
        let mut known: Vec<String> = SUBJECTS.iter().map(|s| format!("{}:{}", s.name, s.size)).collect();
        known.dedup();
        return Err(CliError::NotPublished { name: name.clone(), known: known.join(", ") });
    }
    output::print(&table::head(COLUMNS))?;
    let mut differing = 0;
    for subject in &SUBJECTS {
        if !args.names.is_empty() && !args.names.iter().any(|name| is_called(subject, name)) {
            continue;
        }
        for (i, (published_as, name)) in ALGORITHMS.into_iter().enumerate() {
            let Some(algorithm) = Algorithm::from_name(name) else { continue };
            let row = Row::of(subject, algorithm, args)?;
            differing += u32::from(row.is_wrong(subject, i));
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
    match (subject.name, algorithm) {
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

/// What came out.
struct Row {
    algorithm: Algorithm,
    executions: u64,
    seconds: f64,
    finished: bool,
}

impl Row {
    fn of(subject: &Subject, algorithm: Algorithm, args: &BenchArgs) -> Result<Row, CliError> {
        let mut defines = BTreeMap::from([("N".to_owned(), i64::from(subject.size))]);
        defines.extend(subject.workers.map(|workers| ("WORKERS".to_owned(), i64::from(workers))));
        let loaded = load::compile(format!("{}.sel", subject.name), subject.text.to_owned(), defines)?;
        let limits = Limits { time: Some(args.max_time), ..Limits::default() };
        let (found, elapsed) = timed(&loaded.program, algorithm, limits);
        let (seconds, finished) = (elapsed.as_secs_f64(), found.stop.is_none());
        Ok(Row { algorithm, executions: found.statistics.maximal(), seconds, finished })
    }

    fn published(subject: &Subject, i: usize) -> Option<u64> {
        subject.published[i].map(|(executions, _)| executions)
    }

    fn is_wrong(&self, subject: &Subject, i: usize) -> bool {
        let differs = Self::published(subject, i).is_some_and(|published| published != self.executions);
        let is_comparable = subject.code == Code::Same && self.finished;
        is_comparable && differs && explanation(subject, self.algorithm).is_none()
    }

    fn line(&self, subject: &Subject, i: usize, published_as: &str) -> String {
        let more = if self.finished { "" } else { "…" };
        let published = Self::published(subject, i).filter(|_| self.finished);
        let note = match subject.code {
            _ if published == Some(self.executions) => " ✓".to_owned(),
            _ if self.is_wrong(subject, i) => " ✗ WRONG".to_owned(),
            Code::Same if published.is_some() => {
                explanation(subject, self.algorithm).map_or(String::new(), |why| format!("  {why}"))
            }
            Code::Differs(why) if i == 0 => format!("  {why}"),
            Code::Same | Code::Differs(_) => String::new(),
        };
        let theirs = subject.published[i];
        table::aligned(
            COLUMNS,
            [
                format!("{}({})", subject.name, subject.size),
                format!("{} ({published_as})", self.algorithm.name()),
                format!("{}{more}", self.executions),
                theirs.map_or("–".to_owned(), |(executions, _)| executions.to_string()),
                format!("{:.6}{more}", self.seconds),
                theirs.map_or("–".to_owned(), |(_, seconds)| format!("{seconds:.2}")),
                note,
            ],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn small_rows_have_the_published_counts() {
        let args = BenchArgs { max_time: Duration::from_secs(600), ..BenchArgs::default() };
        let small = |published: u64| published <= 6_000;
        let (mut compared, mut exact) = (0, 0);
        for subject in SUBJECTS.iter().filter(|subject| subject.code == Code::Same) {
            for (i, (_, name)) in ALGORITHMS.into_iter().enumerate() {
                let Some(algorithm) = Algorithm::from_name(name) else { continue };
                let Some(published) = Row::published(subject, i).filter(|&p| small(p)) else { continue };
                let row = Row::of(subject, algorithm, &args).expect("it runs");
                let (name, size) = (subject.name, subject.size);
                assert!(!row.is_wrong(subject, i), "{name}({size}) under {algorithm:?}: {}", row.executions);
                let is_explained = explanation(subject, algorithm).is_some();
                assert!(!is_explained || row.executions != published, "{name}({size}): nothing to explain");
                exact += u32::from(row.executions == published);
                compared += 1;
            }
        }
        assert!(compared >= 20 && exact >= 14, "{exact} of {compared}");
    }

    /// What the guide to the algorithms says about differences.
    #[test]
    fn differing_rows_have_the_counts_that_follow_from_the_definitions() {
        let args = BenchArgs { max_time: Duration::from_secs(600), ..BenchArgs::default() };
        let count = |name: &str, size: u32, algorithm: Algorithm| {
            let subject = SUBJECTS.iter().find(|s| s.name == name && s.size == size).expect("it is there");
            Row::of(subject, algorithm, &args).expect("it runs").executions
        };
        for size in [2, 8] {
            let w = u64::from(4 * size);
            assert_eq!(count("redundant-co", size, Algorithm::DataCentric), 3 * w * w + 3 * w + 1);
            assert_eq!(count("redundant-co", size, Algorithm::ValueCentric), 3);
        }
    }
}
