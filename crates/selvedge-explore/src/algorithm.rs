//! What is known of an algorithm before it runs: its name, what it promises and what it needs.
//!
//! The file of an algorithm says so itself, in its constant `ABOUT`; [`algorithms`](crate::algorithms) lists the files.

use crate::{Algorithm, Checkpoint, Equivalence, Explorable, Exploration, Limits, Monitor, Search};

/// What is known of an algorithm before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// The name used on the command line.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// What it promises; the tests hold every algorithm to it against brute force.
    pub promise: Promise,
    /// What it promises within a bound, if it can be given one.
    pub bound_promise: Option<BoundPromise>,
    /// Whether it makes [checkpoints](Checkpoint) and can go on from them.
    pub checkpoints: Checkpoints,
    /// Whether it follows the safe admissible trace prefix.
    pub prefixes: Prefixes,
    /// What programs have to tell it.
    pub detail: FootprintDetail,
}

impl About {
    /// An algorithm without bounds and checkpoints that needs to know of dependences only.
    pub const fn new(name: &'static str, summary: &'static str, promise: Promise) -> About {
        About {
            name,
            summary,
            promise,
            bound_promise: None,
            checkpoints: Checkpoints::None,
            prefixes: Prefixes::None,
            detail: FootprintDetail::Dependence,
        }
    }

    /// The same with a promise within a bound.
    pub const fn within_bound(self, promise: BoundPromise) -> About {
        About { bound_promise: Some(promise), ..self }
    }

    /// The same with checkpoints.
    pub const fn with_checkpoints(self) -> About {
        About { checkpoints: Checkpoints::Kept, ..self }
    }

    /// The same, following the safe admissible trace prefix.
    pub const fn with_prefixes(self) -> About {
        About { prefixes: Prefixes::Followed, ..self }
    }

    /// The same, needing to know what every operation observes.
    pub const fn by_observations(self) -> About {
        About { detail: FootprintDetail::Observations, ..self }
    }
}

/// Whether an algorithm makes checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checkpoints {
    /// It does not: its state holds more than a checkpoint can.
    None,
    /// It makes them and can go on from them.
    Kept,
}

/// Whether an algorithm follows the safe admissible trace prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefixes {
    /// It does not: going back from a state does not mean that everything is explored that follows it.
    None,
    /// It does: see [`crate::admissible`].
    Followed,
}

/// What footprints have to tell an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FootprintDetail {
    /// Which operations depend on each other.
    Dependence,
    /// What every operation observes, too: see [`crate::Observations::content`].
    Observations,
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
    /// One execution of each trace that goes to its end, and some that are sleep-set blocked.
    EveryTraceOnce,
    /// One execution of each trace and no others.
    Optimal,
    /// An execution to each state in which some execution ends, and each failure.
    EveryFinalState,
    /// One execution of each class of a coarser equivalence and no others: with them every local state of every thread,
    /// every failure and every deadlock, but not all contents of memory that is not read again.
    EveryClassOnce(Equivalence),
}

impl Algorithm {
    /// The algorithm of that name.
    pub fn from_name(name: &str) -> Option<Algorithm> {
        Self::ALL.into_iter().chain(Self::SAMPLING).find(|algorithm| algorithm.name() == name)
    }

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        self.about().name
    }

    /// One line about it.
    pub fn summary(self) -> &'static str {
        self.about().summary
    }

    /// Whether it makes [checkpoints](Checkpoint) and can go on from them.
    pub fn keeps_checkpoints(self) -> bool {
        self.about().checkpoints == Checkpoints::Kept
    }

    /// Whether it follows the safe admissible trace prefix for a [monitor](Monitor::follows_prefix) that wants it.
    pub fn follows_prefixes(self) -> bool {
        self.about().prefixes == Prefixes::Followed
    }

    /// Whether it needs to know what every operation observes.
    pub fn asks_what_is_observed(self) -> bool {
        self.about().detail == FootprintDetail::Observations
    }

    /// What it promises within a bound, if it can be given one. Without one, see [`promise`](Self::promise).
    pub fn bound_promise(self) -> Option<BoundPromise> {
        self.about().bound_promise
    }

    /// What it promises; the tests hold every algorithm to it against brute force.
    pub fn promise(self) -> Promise {
        self.about().promise
    }
}

/// Explores a program. Returns what was found and the program.
pub fn explore<P: Explorable>(
    program: P,
    algorithm: Algorithm,
    limits: Limits,
    monitor: &mut dyn Monitor<P>,
) -> (Exploration<P::Failure>, P) {
    explore_from(program, algorithm, limits, monitor, None)
}

/// Explores a program from a checkpoint of the same algorithm, if there is one. Some algorithms
/// [make and understand](Algorithm::keeps_checkpoints) checkpoints.
pub fn explore_from<P: Explorable>(
    program: P,
    algorithm: Algorithm,
    limits: Limits,
    monitor: &mut dyn Monitor<P>,
    checkpoint: Option<&Checkpoint>,
) -> (Exploration<P::Failure>, P) {
    let mut search = Search::new(program, limits, monitor).resuming(checkpoint);
    P::run(algorithm, &mut search);
    search.finish()
}
