//! The published numbers of executions of the synthetic programs, as data. Sleep-set-blocked executions are among them.

use selvedge_explore::Algorithm;

/// The figures of a program, in the order of the slides.
struct Figures {
    program: &'static str,
    /// Source-DPOR and Nidhugg-DPOR ("Classic-DPOR" in the head of the table) without a bound.
    unbounded: [u64; 2],
    /// With at most 0, 1 and 2 preemptions.
    naive: [u64; 3],
    nidhugg: [u64; 3],
    source: [u64; 3],
    lazy: [u64; 3],
}

/// Two tables of the slides differ in one figure: lastzero under Nidhugg-BPOR with at most 2 preemptions, 10614 and 10610; this is the first.
static FIGURES: [Figures; 7] = [
    locked("account"),
    locked("lazy"),
    Figures {
        program: "micro",
        unbounded: [52495, 53084],
        naive: [1, 1, 10],
        nidhugg: [6, 93, 886],
        source: [6, 93, 886],
        lazy: [60, 805, 4362],
    },
    Figures {
        program: "lastzero",
        unbounded: [97, 97],
        naive: [1, 2, 5],
        nidhugg: [252, 2444, 10614],
        source: [252, 2444, 10614],
        lazy: [97, 97, 97],
    },
    Figures {
        program: "lastzeromod",
        unbounded: [13, 17],
        naive: [1, 1, 6],
        nidhugg: [64, 290, 651],
        source: [64, 290, 651],
        lazy: [13, 13, 13],
    },
    Figures {
        program: "indexer0",
        unbounded: [8, 8],
        naive: [1, 4, 1],
        nidhugg: [2, 8, 14],
        source: [2, 8, 14],
        lazy: [4, 8, 8],
    },
    Figures {
        program: "indexermod",
        unbounded: [120, 226],
        naive: [1, 1, 5],
        nidhugg: [120, 1320, 7920],
        source: [120, 1320, 7920],
        lazy: [120, 120, 120],
    },
];

/// What the slides give for account and lazy alike.
const fn locked(program: &'static str) -> Figures {
    Figures {
        program,
        unbounded: [6, 7],
        naive: [1, 1, 4],
        nidhugg: [6, 27, 42],
        source: [6, 27, 42],
        lazy: [6, 6, 6],
    }
}

/// The published number of executions of a program under an algorithm, within a bound if there is one.
pub fn figure(program: &str, algorithm: Algorithm, limit: Option<u32>) -> Option<u64> {
    let figures = FIGURES.iter().find(|figures| figures.program == program)?;
    let within = |counts: [u64; 3]| counts.get(limit? as usize).copied();
    match algorithm {
        Algorithm::Source if limit.is_none() => Some(figures.unbounded[0]),
        Algorithm::Nidhugg if limit.is_none() => Some(figures.unbounded[1]),
        Algorithm::NaiveBounded => within(figures.naive),
        Algorithm::NidhuggBounded => within(figures.nidhugg),
        Algorithm::SourceBounded => within(figures.source),
        Algorithm::LazyBounded => within(figures.lazy),
        _ => None,
    }
}
