//! The programs of the paper's tables, in their order, with what is known of the code that was measured.

/// What is known of the program that the paper ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// It is this one: counts agree.
    Same,
    /// Not enough; in words, what is different here.
    Differs(&'static str),
    /// Nothing, so there is no program here; in words, why.
    Absent(&'static str),
}

/// A program of the paper.
#[derive(Debug)]
pub struct Program {
    /// What it is called.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
    /// The number of threads that work on it, where a constant of the program says that.
    pub workers: Option<u32>,
    /// Whether the paper ran the same.
    pub code: Code,
    /// The sizes at which we run it if none is published.
    pub own_sizes: &'static [u32],
}

/// Loops in which threads wait.
const ROUNDS: Code = Code::Differs(
    "the paper does not show how its loops are bounded; ours give up when they would have to wait",
);
const PLOT: Code = Code::Differs(
    "published as a plot, without numbers; there a main thread starts the two workers, ours has no main thread",
);
const REBUILT: Code = Code::Differs("the paper does not show its code; ours is written from its description");
const BURNS: Code = Code::Differs(
    "the published rows of two threads cannot be read in our copy of the paper; ours has two (burns3(1), of three, has 840 traces)",
);
const DIJKSTRA: Code = Code::Differs("the paper names it, but no row is published");
const PARKER: Code = Code::Differs("published with a lock of the original that we know in another version");
const UNPUBLISHED: Code = Code::Absent("the code of the program is not published");

macro_rules! program {
    ($name:literal, $file:literal * $workers:literal, $code:expr) => {
        program!($name, "vc-dpor", $file, Some($workers), $code, [])
    };
    ($name:literal, $code:expr) => {
        program!($name, $code, [])
    };
    ($name:literal, $code:expr, $own_sizes:expr) => {
        program!($name, "vc-dpor", $name, None, $code, $own_sizes)
    };
    ($name:literal, $folder:literal, $file:literal, $workers:expr, $code:expr, $own_sizes:expr) => {
        Program {
            name: $name,
            text: include_str!(concat!("../../../../../benches/", $folder, "/", $file, ".sel")),
            workers: $workers,
            code: $code,
            own_sizes: &$own_sizes,
        }
    };
}

const fn absent(name: &'static str) -> Program {
    Program { name, text: "", workers: None, code: UNPUBLISHED, own_sizes: &[] }
}

/// All programs.
pub static PROGRAMS: &[Program] = &[
    program!("parker", PARKER),
    program!("boop", REBUILT),
    program!("fun-point", Code::Same),
    program!("monabsex1", Code::Same),
    program!("monabsex2", Code::Same),
    program!("fk2012", REBUILT),
    program!("fkp2013", Code::Same),
    program!("nondet-array", Code::Same),
    program!("pthread-demo", Code::Same),
    program!("reorder", Code::Same),
    program!("scull", REBUILT),
    program!("sigma", Code::Same),
    absent("check-bad-arr"),
    program!("pthread5", Code::Same),
    program!("fkp2014", Code::Same),
    program!("singleton", Code::Same),
    program!("stack-true", "overhead", "stack", None, Code::Same, []),
    program!("ticket-lock", Code::Same),
    program!("rod-cut-td3", "rod-cut-td" * 2, REBUILT),
    program!("rod-cut-td4", "rod-cut-td" * 3, REBUILT),
    program!("rod-cut-bu3", "rod-cut-bu" * 2, Code::Same),
    program!("rod-cut-bu4", "rod-cut-bu" * 3, Code::Same),
    program!("lis-bu3", "lis-bu" * 2, REBUILT),
    program!("lis-bu4", "lis-bu" * 3, REBUILT),
    program!("coin-all-td3", "coin-all-td" * 2, REBUILT),
    program!("coin-all-td4", "coin-all-td" * 3, REBUILT),
    program!("coin-min-td3", "coin-min-td" * 2, REBUILT),
    program!("coin-min-td4", "coin-min-td" * 3, REBUILT),
    program!("bin-nocon-td3", "bin-nocon-td" * 2, REBUILT),
    program!("bin-nocon-bu3", "bin-nocon-bu" * 2, REBUILT),
    program!("tsay", ROUNDS),
    program!("peter-fisch", ROUNDS),
    program!("peterson", Code::Same),
    program!("lamport", Code::Same),
    program!("dekker", ROUNDS),
    absent("x2tv6"),
    program!("kessels", ROUNDS),
    absent("x2tv7"),
    absent("x2tv2"),
    program!("burns", BURNS, [2]),
    program!("burns3", ROUNDS),
    absent("x2tv10"),
    absent("x2tv5"),
    absent("x2tv1"),
    absent("x2tv8"),
    absent("x2tv9"),
    program!("szymanski", Code::Same),
    program!("eratosthenes", REBUILT),
    program!("redundant-co", Code::Same),
    program!("float-read", Code::Same),
    program!("opt-lock", Code::Same),
    program!("fib-bench", PLOT, [1, 2, 3, 4, 5, 6]),
    program!("fib-bench-1", PLOT, [1, 2, 3, 4, 5, 6]),
    program!("fib-bench-2", PLOT, [1, 2, 3, 4, 5, 6]),
    program!("fib-bench-3", PLOT, [1, 2, 3, 4, 5, 6]),
    program!("dijkstra", DIJKSTRA, [3]),
];
