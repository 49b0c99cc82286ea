//! The algorithms by name, and what each promises.

use crate::algorithms::value_centric::Numbers;
use crate::algorithms::{
    classic_bounded, data_centric, dpor, eager, exhaustive, lazy, lazy_bounded, naive_bounded, nidhugg,
    nidhugg_bounded, observers, optimal, pct, pos, random, sleep, source, source_bounded, urw, value_centric,
};
use crate::bound::{Bound, BoundKind};
use crate::draft::Length;
use crate::{Checkpoint, Equivalence, Exploration, Limits, Monitor, Program, Search};

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
    /// Sections found by executing them.
    Lazy,
    /// The same, exploring no state twice.
    LazyStateful,
    /// Wakeup trees.
    Optimal,
    /// Wakeup trees, and writes that are ordered only if they are observed.
    Observers,
    /// Persistent sets in the frame of source sets.
    Nidhugg,
    /// Source sets, giving up what exceeds a bound.
    NaiveBounded,
    /// Persistent sets and conservative branches within a bound.
    ClassicBounded,
    /// The same, with fewer branches.
    NidhuggBounded,
    /// Source sets, and conservative branches with persistent sets, within a bound.
    SourceBounded,
    /// Source sets and the least cost of each trace, within a bound.
    LazyBounded,
    /// Who observes which write.
    DataCentric,
    /// Which values are observed.
    ValueCentric,
    /// A sample: at each state any enabled thread.
    Random,
    /// A sample: threads with random priorities that change now and then.
    Pct,
    /// A sample: pending operations with random priorities, drawn anew by those that race with the operation performed.
    Pos,
    /// A sample: threads that have more left to do are more likely to go next.
    Urw,
}

/// What an algorithm with a bound explores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BoundPromise {
    /// Some of the traces that have an execution within the bound.
    Heuristic,
    /// All of them, if the bound is on preemptions.
    EveryTrace,
    /// All of them once, and no others.
    Exact,
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
    /// An execution to each state in which some execution ends, and each failure.
    EveryFinalState,
    /// One execution of each class of a coarser equivalence and no others: with them every local state of every thread,
    /// every failure and every deadlock, but not all contents of memory that nobody reads again.
    EveryClassOnce(Equivalence),
}

impl Algorithm {
    /// Those that explore everything, or everything within a bound, simplest first.
    pub const ALL: [Algorithm; 20] = [
        Algorithm::Exhaustive,
        Algorithm::Sleep,
        Algorithm::DporWithoutSleep,
        Algorithm::Dpor,
        Algorithm::Source,
        Algorithm::Eager,
        Algorithm::EagerShort,
        Algorithm::EagerAdaptive,
        Algorithm::Lazy,
        Algorithm::LazyStateful,
        Algorithm::Optimal,
        Algorithm::Observers,
        Algorithm::Nidhugg,
        Algorithm::NaiveBounded,
        Algorithm::ClassicBounded,
        Algorithm::NidhuggBounded,
        Algorithm::SourceBounded,
        Algorithm::LazyBounded,
        Algorithm::DataCentric,
        Algorithm::ValueCentric,
    ];

    /// Those that explore a sample, for a quick look at programs that are too big for the others.
    pub const SAMPLING: [Algorithm; 4] = [Algorithm::Random, Algorithm::Pct, Algorithm::Pos, Algorithm::Urw];

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
            Algorithm::Lazy => "lazy",
            Algorithm::LazyStateful => "lazy-stateful",
            Algorithm::Optimal => "optimal",
            Algorithm::Observers => "observers",
            Algorithm::Nidhugg => "nidhugg",
            Algorithm::NaiveBounded => "naive-bounded",
            Algorithm::ClassicBounded => "classic-bounded",
            Algorithm::NidhuggBounded => "nidhugg-bounded",
            Algorithm::SourceBounded => "source-bounded",
            Algorithm::LazyBounded => "lazy-bounded",
            Algorithm::DataCentric => "data-centric",
            Algorithm::ValueCentric => "value-centric",
            Algorithm::Random => "random",
            Algorithm::Pct => "pct",
            Algorithm::Pos => "pos",
            Algorithm::Urw => "urw",
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
            Algorithm::Lazy => "LazyPOR: each trace once, by reordering what was executed",
            Algorithm::LazyStateful => "LazyPOR with stored states: every final state, not every trace",
            Algorithm::Optimal => "Optimal-DPOR with wakeup trees: each trace once and nothing else",
            Algorithm::Observers => {
                "Optimal-DPOR with observers: each observer class once, never more than traces"
            }
            Algorithm::Nidhugg => "Nidhugg-DPOR: persistent sets and sleep sets",
            Algorithm::NaiveBounded => "source sets, cut at a bound: a heuristic",
            Algorithm::ClassicBounded => "bounded: persistent sets with conservative branches",
            Algorithm::NidhuggBounded => "bounded: fewer persistent sets with conservative branches",
            Algorithm::SourceBounded => "bounded: source sets with conservative branches",
            Algorithm::LazyBounded => "bounded: each trace with an execution within the bound, once",
            Algorithm::DataCentric => "DC-DPOR: one execution for each way in which reads observe writes",
            Algorithm::ValueCentric => "VC-DPOR: one execution for each way in which reads observe values",
            Algorithm::Random => "a sample: at each state any enabled thread; not exhaustive",
            Algorithm::Pct => "a sample: random priorities that change a few times; not exhaustive",
            Algorithm::Pos => {
                "a sample: random priorities of operations, drawn anew at races; not exhaustive"
            }
            Algorithm::Urw => "a sample: threads with more left to do go on more often; not exhaustive",
        }
    }

    /// Whether it makes [checkpoints](Checkpoint) and can go on from them.
    pub fn keeps_checkpoints(self) -> bool {
        matches!(
            self,
            Algorithm::Exhaustive
                | Algorithm::Sleep
                | Algorithm::DporWithoutSleep
                | Algorithm::Dpor
                | Algorithm::Source
                | Algorithm::Optimal
                | Algorithm::Observers
                | Algorithm::Nidhugg
        )
    }

    /// Whether it asks what every operation observes. Programs have to tell it then: see
    /// [`Program::content`].
    pub fn asks_what_is_observed(self) -> bool {
        matches!(self, Algorithm::DataCentric | Algorithm::ValueCentric)
    }

    /// What it promises within a bound, if it can be given one. Without one, see [`promise`](Self::promise).
    pub fn bound_promise(self) -> Option<BoundPromise> {
        match self {
            Algorithm::NaiveBounded => Some(BoundPromise::Heuristic),
            Algorithm::ClassicBounded | Algorithm::NidhuggBounded | Algorithm::SourceBounded => {
                Some(BoundPromise::EveryTrace)
            }
            Algorithm::LazyBounded => Some(BoundPromise::Exact),
            _ => None,
        }
    }

    /// What it promises; the tests hold every algorithm to it against brute force.
    pub fn promise(self) -> Promise {
        match self {
            Algorithm::Exhaustive => Promise::EveryInterleaving,
            Algorithm::DporWithoutSleep
            | Algorithm::ClassicBounded
            | Algorithm::NidhuggBounded
            | Algorithm::SourceBounded => Promise::EveryTrace,
            Algorithm::Sleep
            | Algorithm::Dpor
            | Algorithm::Source
            | Algorithm::Eager
            | Algorithm::EagerShort
            | Algorithm::EagerAdaptive
            | Algorithm::Lazy
            | Algorithm::Nidhugg
            | Algorithm::NaiveBounded
            | Algorithm::LazyBounded => Promise::EveryTraceOnce,
            Algorithm::LazyStateful => Promise::EveryFinalState,
            Algorithm::Optimal => Promise::Optimal,
            Algorithm::Observers => Promise::EveryClassOnce(Equivalence::Observers),
            Algorithm::DataCentric => Promise::EveryClassOnce(Equivalence::Observation),
            Algorithm::ValueCentric => Promise::EveryClassOnce(Equivalence::ValueHappensBefore),
            Algorithm::Random | Algorithm::Pct | Algorithm::Pos | Algorithm::Urw => Promise::Sample,
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

/// Explores a program from a checkpoint of the same algorithm, if there is one. Some algorithms
/// [make and understand](Algorithm::keeps_checkpoints) checkpoints.
pub fn explore_from<P: Program>(
    program: P,
    algorithm: Algorithm,
    limits: Limits,
    monitor: &mut dyn Monitor<P>,
    checkpoint: Option<&Checkpoint>,
) -> (Exploration<P::Failure>, P) {
    let unlimited = Bound { kind: BoundKind::Preemptions, limit: u32::MAX };
    let bound = limits.bound.unwrap_or(unlimited);
    let mut search = Search::new(program, limits, monitor);
    match algorithm {
        Algorithm::Exhaustive => exhaustive::run(&mut search, checkpoint),
        Algorithm::Sleep => sleep::run(&mut search, checkpoint),
        Algorithm::DporWithoutSleep => dpor::run_without_sleep(&mut search, checkpoint),
        Algorithm::Dpor => dpor::run(&mut search, checkpoint),
        Algorithm::Source => source::run(&mut search, checkpoint),
        Algorithm::Eager => eager::run(&mut search, Length::Full),
        Algorithm::EagerShort => eager::run(&mut search, Length::Short),
        Algorithm::EagerAdaptive => eager::run(&mut search, Length::ToTheEnd),
        Algorithm::Lazy => lazy::run(&mut search),
        Algorithm::LazyStateful => lazy::run_with_stored_states(&mut search),
        Algorithm::Optimal => optimal::run(&mut search, checkpoint),
        Algorithm::Observers => observers::run(&mut search, checkpoint),
        Algorithm::Nidhugg => nidhugg::run(&mut search, checkpoint),
        Algorithm::NaiveBounded => naive_bounded::run(&mut search, bound),
        Algorithm::ClassicBounded => classic_bounded::run(&mut search, bound),
        Algorithm::NidhuggBounded => nidhugg_bounded::run(&mut search, bound),
        Algorithm::SourceBounded => source_bounded::run(&mut search, bound),
        Algorithm::LazyBounded => lazy_bounded::run(&mut search, bound),
        Algorithm::DataCentric => data_centric::run(&mut search),
        Algorithm::ValueCentric => value_centric::run(&mut search, limits.root, Numbers::Matter),
        Algorithm::Random => random::run(&mut search),
        Algorithm::Pct => pct::run(&mut search),
        Algorithm::Pos => pos::run(&mut search),
        Algorithm::Urw => urw::run(&mut search),
    }
    search.finish()
}
