//! Why numbers of executions are not the published ones, as data beside the figures.
//!
//! Ours follow the definitions of the slides, and the tests compare them with brute force; of the published tool neither the order in which
//! it runs threads nor what it counts as a preemption is known in every detail.

use selvedge_explore::Algorithm;

const NAIVE: &str = "naive bounding explores what the first execution and its order of threads leave within the bound, and the order of the \
                     published tool is not known";
const BRANCHES: &str = "where conservative branches are inserted decides how often a trace is repeated: ours need none at a join or the end of a \
                        thread, and a thread that waits for a mutex can be left for free";
const PERSISTENT: &str = "the same traces; the sets of Nidhugg-DPOR, and so the repeated and the sleep-set-blocked executions, depend on the order of \
                          the threads";
const BLOCKED: &str = "51 318 traces under every algorithm; the published total has sleep-set-blocked executions, of which ours has none";
const ESTIMATE: &str = "ours computes the least number of preemptions of a trace; the published algorithm estimates it from below, and so explores \
                        traces beyond the bound";

/// A reason with the programs and the algorithms that it is about.
type Difference = (&'static [&'static str], &'static [Algorithm], &'static str);

static DIFFERENCES: &[Difference] = &[
    (&["micro"], &[Algorithm::Source, Algorithm::Nidhugg], BLOCKED),
    (&["account", "lazy", "lastzero", "indexermod"], &[Algorithm::Nidhugg], PERSISTENT),
    (
        &["account", "lazy", "micro", "lastzero", "lastzeromod", "indexer0", "indexermod"],
        &[Algorithm::NaiveBounded],
        NAIVE,
    ),
    (
        &["account", "lazy", "micro", "lastzero", "lastzeromod", "indexer0", "indexermod"],
        &[Algorithm::NidhuggBounded, Algorithm::SourceBounded],
        BRANCHES,
    ),
    (&["micro", "indexer0"], &[Algorithm::LazyBounded], ESTIMATE),
];

/// The reason, if there is one.
pub fn difference(program: &str, algorithm: Algorithm) -> Option<&'static str> {
    let fits = |(programs, algorithms, _): &&Difference| {
        programs.contains(&program) && algorithms.contains(&algorithm)
    };
    DIFFERENCES.iter().find(fits).map(|(.., why)| *why)
}
