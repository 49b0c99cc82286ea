//! Why a count is not the published one, where the implementation of an algorithm decides it as well as the program. The guide to the
//! algorithms has the reasons in full.

use selvedge_explore::Algorithm;

const LEAVES: &str =
    "fewer: the published tools explore orders of leaf threads that no read needs; see docs/algorithms.md";
const TURNS: &str = "more: the published tool decides first the read with most writes behind it, ours that of the root; see docs/algorithms.md";

/// A reason with the programs and the algorithms that it is about.
type Reason = (&'static [&'static str], &'static [Algorithm], &'static str);

const BOTH: &[Algorithm] = &[Algorithm::DataCentric, Algorithm::ValueCentric];

static REASONS: &[Reason] = &[
    (
        &["redundant-co"],
        &[Algorithm::DataCentric],
        "3w² + 3w + 1 ways to observe w = 4N writes of each thread; published: (w + 1)³, with an order of leaf threads",
    ),
    (
        &["redundant-co"],
        &[Algorithm::ValueCentric],
        "the reader can read 3 pairs of values, so this is the least; published: w + 3 for w = 4N, with an order of leaf threads",
    ),
    (&["opt-lock", "rod-cut-bu3", "rod-cut-bu4"], BOTH, LEAVES),
    (&["monabsex1", "monabsex2", "fkp2013", "nondet-array", "reorder"], BOTH, LEAVES),
    (&["sigma"], &[Algorithm::ValueCentric], LEAVES),
    (&["lamport", "fun-point"], &[Algorithm::ValueCentric], TURNS),
];

/// The reason, if there is one.
pub fn reason(program: &str, algorithm: Algorithm) -> Option<&'static str> {
    let fits =
        |(programs, algorithms, _): &&Reason| programs.contains(&program) && algorithms.contains(&algorithm);
    REASONS.iter().find(fits).map(|(.., why)| *why)
}
