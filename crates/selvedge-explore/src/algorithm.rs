//! The algorithms by name, and what each promises.

use crate::algorithms::{dpor, eager, exhaustive, optimal, pct, random, sleep, source};
use crate::section::Length;
use crate::{Checkpoint, Exploration, Limits, Monitor, Program, Search};

/// An exploration algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Algorithm {
    /// Every interleaving.
    Exhaustive,
    /// Sleep sets only.
    Sleep,
    /// Persistent sets, without sleep sets.
    DporWithoutSleep,
    /// Persistent sets and sleep sets.
    Dpor,
    /// Source sets and sleep sets.
    Source,
    /// Sections, explored by schedules made in advance.
    Eager,
    /// The same with short sections.
    EagerShort,
    /// The same with sections only where they reach to the ends of all threads.
    EagerAdaptive,
    /// Wakeup trees.
    Optimal,
    /// A sample: at each state any enabled thread.
    Random,
    /// A sample: threads with random priorities that change now and then.
    Pct,
}

/// What the executions of a finished search are, compared with the Mazurkiewicz traces of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Promise {
    /// Every interleaving.
    EveryInterleaving,
    /// Some executions; nothing about the others.
    Sample,
    /// At least one execution of each trace.
    EveryTrace,
    /// One execution of each trace that goes to its end, and some that end asleep.
    EveryTraceOnce,
    /// One execution of each trace and no others.
    Optimal,
}

impl Algorithm {
    /// Those that explore everything, simplest first.
    pub const ALL: [Algorithm; 9] = [
        Algorithm::Exhaustive,
        Algorithm::Sleep,
        Algorithm::DporWithoutSleep,
        Algorithm::Dpor,
        Algorithm::Source,
        Algorithm::Eager,
        Algorithm::EagerShort,
        Algorithm::EagerAdaptive,
        Algorithm::Optimal,
    ];

    /// Those that explore a sample, for a quick look at programs that are too big for the others.
    pub const SAMPLING: [Algorithm; 2] = [Algorithm::Random, Algorithm::Pct];

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Exhaustive => "exhaustive",
            Algorithm::Sleep => "sleep",
            Algorithm::DporWithoutSleep => "dpor-no-sleep",
            Algorithm::Dpor => "dpor",
            Algorithm::Source => "source",
            Algorithm::Eager => "eager",
            Algorithm::EagerShort => "eager-short",
            Algorithm::EagerAdaptive => "eager-adaptive",
            Algorithm::Optimal => "optimal",
            Algorithm::Random => "random",
            Algorithm::Pct => "pct",
        }
    }

    /// The algorithm of that name.
    pub fn from_name(name: &str) -> Option<Algorithm> {
        Self::ALL.into_iter().chain(Self::SAMPLING).find(|algorithm| algorithm.name() == name)
    }

    /// One line about it.
    pub fn summary(self) -> &'static str {
        match self {
            Algorithm::Exhaustive => "every interleaving, without any reduction",
            Algorithm::Sleep => "sleep sets only: each trace once, many executions given up half-way",
            Algorithm::DporWithoutSleep => "Flanagan and Godefroid 2005, persistent sets only",
            Algorithm::Dpor => "Flanagan and Godefroid 2005, persistent sets and sleep sets",
            Algorithm::Source => "Source-DPOR: each trace once, few executions given up",
            Algorithm::Eager => {
                "Eager POR: each trace once, dependences looked for once per section of the program"
            }
            Algorithm::EagerShort => "Eager POR with short sections",
            Algorithm::EagerAdaptive => "Eager POR where sections reach to the end, Source-DPOR before",
            Algorithm::Optimal => "Optimal-DPOR with wakeup trees: each trace once and nothing else",
            Algorithm::Random => "a sample: at each state any enabled thread; not exhaustive",
            Algorithm::Pct => "a sample: random priorities that change a few times; not exhaustive",
        }
    }

    /// What it promises; the tests hold every algorithm to it against brute force.
    pub fn promise(self) -> Promise {
        match self {
            Algorithm::Exhaustive => Promise::EveryInterleaving,
            Algorithm::DporWithoutSleep => Promise::EveryTrace,
            Algorithm::Sleep
            | Algorithm::Dpor
            | Algorithm::Source
            | Algorithm::Eager
            | Algorithm::EagerShort
            | Algorithm::EagerAdaptive => Promise::EveryTraceOnce,
            Algorithm::Optimal => Promise::Optimal,
            Algorithm::Random | Algorithm::Pct => Promise::Sample,
        }
    }
}

/// Explores a program. Returns what was found and the program.
pub fn explore<P: Program>(
    program: P,
    algorithm: Algorithm,
    limits: Limits,
    monitor: &mut dyn Monitor<P>,
) -> (Exploration<P::Failure>, P) {
    explore_from(program, algorithm, limits, monitor, None)
}

/// Explores a program from a checkpoint, if there is one. Only `optimal` makes and understands checkpoints.
pub fn explore_from<P: Program>(
    program: P,
    algorithm: Algorithm,
    limits: Limits,
    monitor: &mut dyn Monitor<P>,
    checkpoint: Option<&Checkpoint>,
) -> (Exploration<P::Failure>, P) {
    let mut search = Search::new(program, limits, monitor);
    match algorithm {
        Algorithm::Exhaustive => exhaustive::run(&mut search),
        Algorithm::Sleep => sleep::run(&mut search),
        Algorithm::DporWithoutSleep => dpor::run_without_sleep(&mut search),
        Algorithm::Dpor => dpor::run(&mut search),
        Algorithm::Source => source::run(&mut search),
        Algorithm::Eager => eager::run(&mut search, Length::Full),
        Algorithm::EagerShort => eager::run(&mut search, Length::Short),
        Algorithm::EagerAdaptive => eager::run(&mut search, Length::ToTheEnd),
        Algorithm::Optimal => optimal::run(&mut search, checkpoint),
        Algorithm::Random => random::run(&mut search),
        Algorithm::Pct => pct::run(&mut search),
    }
    search.finish()
}
