//! The search that remembers states: sleep sets with state matching [Godefroid1996, section 5.3].
//!
//! Guarantee: every reachable state that matters is visited, whichever way leads to it, so that failures and deadlocks are
//! found if there are any. Where many traces lead through few states this decides what no search of traces
//! can. It needs memory for all states, and a program that can tell its states apart by
//! [fingerprints](States::fingerprint); two states with the same one are taken for one, so
//! the answer is right but for the chance of that, which is about the square of their number divided by 2^129.
//!
//! | paper | here |
//! |---|---|
//! | `H` | `states`, with the sleep set each state was last explored with |
//! | `s.Sleep` | `Level::asleep` |
//! | `enabled(s)` | `persistent_set` |
//!
//! DIVERGENCES: Only threads without alternatives are put to sleep, the first 64 at most, so that a sleep set fits into a word.
//! An operation that only observes commutes with everything, cannot be disabled and cannot be repeated for ever: it is
//! a persistent set by itself.

pub mod known_states;

use crate::sampling::hunt::is_deadlock;
use crate::{
    End, Exploration, Limits, Mark, States, Statistics, Stop, ThreadStatus, Violation, WaitingForEver,
};
use selvedge_trace::footprint::conflicting;
use selvedge_trace::{Decision, Footprint, LocationMask, ThreadId};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};
use std::time::Instant;

/// The most states that are remembered.
pub const MOST_STATES: usize = 60_000_000;

/// A set of threads, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Threads(u64);

impl Threads {
    fn only(thread: ThreadId) -> Threads {
        Threads(1u64.checked_shl(thread.0).unwrap_or(0))
    }

    fn contains(self, thread: ThreadId) -> bool {
        self.0 & Threads::only(thread).0 != 0
    }
}

/// A thread that sleeps, and what its next operation accesses.
#[derive(Clone, Debug)]
struct Sleeper {
    thread: ThreadId,
    mask: LocationMask,
    accesses: smallvec::SmallVec<[selvedge_trace::Access; 2]>,
}

/// A decision to explore.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    decision: Decision,
    /// Whether its thread has no alternatives.
    is_only: bool,
}

/// A state on the way to the present one.
struct Level {
    mark: Mark,
    /// Its fingerprint.
    state: u128,
    /// What is left to explore there, last first.
    options: Vec<Candidate>,
    /// The threads that sleep there.
    asleep: Vec<Sleeper>,
}

/// A hasher for what is well mixed already.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u128(&mut self, word: u128) {
        self.0 = word as u64;
    }
}

/// What was found, and how many states there are. Nothing if the program has no fingerprints.
pub fn explore_states<P: States>(
    program: &mut P,
    limits: &Limits,
) -> Option<(Exploration<P::Failure>, usize)> {
    explore_states_up_to(program, limits, MOST_STATES, &|| false)
}

/// The same, but the search stops when there are more than so many states, or alternatives in one of them, or when the caller asks for it.
pub fn explore_states_up_to<P: States>(
    program: &mut P,
    limits: &Limits,
    most: usize,
    is_enough: &dyn Fn() -> bool,
) -> Option<(Exploration<P::Failure>, usize)> {
    program.restart();
    let mut search = StateSearch {
        program,
        states: HashMap::default(),
        statistics: Statistics::default(),
        path: Vec::new(),
        levels: Vec::new(),
        most,
        is_overrun: false,
    };
    let (violations, stop) = search.run(limits, is_enough)?;
    let (statistics, states) = (search.statistics, search.states.len());
    Some((Exploration { violations, statistics, stop }, states))
}

struct StateSearch<'p, P> {
    program: &'p mut P,
    states: HashMap<u128, Threads, BuildHasherDefault<Mixed>>,
    statistics: Statistics,
    path: Vec<Decision>,
    levels: Vec<Level>,
    most: usize,
    /// Whether some state has more alternatives than there may be states.
    is_overrun: bool,
}

/// What ends a search, or nothing.
type Ending<F> = (Vec<Violation<F>>, Option<Stop>);

impl<P: States> StateSearch<'_, P> {
    fn run(&mut self, limits: &Limits, is_enough: &dyn Fn() -> bool) -> Option<Ending<P::Failure>> {
        let started = Instant::now();
        let mut footprint = Footprint::default();
        if let Some(failure) = self.arrive(Vec::new(), limits)? {
            return Some(self.violation(failure));
        }
        while let Some(level) = self.levels.last_mut() {
            self.program.rollback(level.mark);
            let Some(Candidate { decision, is_only }) = level.options.pop() else {
                self.levels.pop();
                self.path.pop();
                continue;
            };
            self.program.step(decision, &mut footprint);
            self.statistics.transitions += 1;
            let level = self.levels.last_mut()?;
            let asleep = level.asleep.iter().filter(|sleeper| stays_asleep(sleeper, decision, &footprint));
            let asleep = asleep.cloned().collect();
            if is_only {
                let (mask, accesses) = (footprint.mask(), footprint.accesses().into());
                level.asleep.push(Sleeper { thread: decision.thread, mask, accesses });
            }
            self.path.push(decision);
            if let Some(failure) = self.arrive(asleep, limits)? {
                return Some(self.violation(failure));
            }
            let is_late = self.statistics.transitions.is_multiple_of(64)
                && (limits.time.is_some_and(|limit| started.elapsed() >= limit) || is_enough());
            if is_late || self.is_overrun || self.states.len() >= self.most {
                return Some((Vec::new(), Some(Stop::Time)));
            }
        }
        Some((Vec::new(), None))
    }

    /// Looks at a state that was just reached, in which some threads sleep. If there is something to explore it becomes the last level,
    /// otherwise the path goes back. What is wrong with the state, if something is; nothing at all without fingerprints.
    fn arrive(&mut self, asleep: Vec<Sleeper>, limits: &Limits) -> Option<Option<P::Failure>> {
        if let Some(failure) = self.program.failures().first() {
            return Some(Some(failure.clone()));
        }
        let set = Threads(asleep.iter().fold(0, |set, sleeper| set | Threads::only(sleeper.thread).0));
        let state = self.program.fingerprint()?;
        let level = match self.states.entry(state) {
            Entry::Vacant(entry) => {
                entry.insert(set);
                let Some(options) = persistent_set(self.program, self.most) else {
                    self.is_overrun = true;
                    self.statistics.count(End::Cut);
                    self.path.pop();
                    return Some(None);
                };
                if options.is_empty() || self.path.len() >= limits.depth {
                    let failure = self.end(options.is_empty());
                    if failure.is_none() {
                        self.path.pop();
                    }
                    return Some(failure);
                }
                let awake = options.into_iter().filter(|o| !set.contains(o.decision.thread)).collect();
                Level { mark: self.program.mark(), state, options: awake, asleep }
            }
            Entry::Occupied(mut entry) => {
                let saw_an_end = self.statistics.complete + self.statistics.endless > 0;
                if !saw_an_end && self.levels.iter().any(|level| level.state == state) {
                    self.statistics.endless += 1;
                }
                // A thread that slept before and does not now has yet to be explored.
                let woken = Threads(entry.get().0 & !set.0);
                entry.insert(Threads(entry.get().0 & set.0));
                let options = match woken {
                    Threads(0) => Vec::new(),
                    _ => persistent_set(self.program, self.most).unwrap_or_default(),
                };
                let options = options.into_iter().filter(|o| woken.contains(o.decision.thread)).collect();
                let kept = |sleeper: &Sleeper| entry.get().contains(sleeper.thread);
                let asleep = asleep.into_iter().filter(kept).collect();
                Level { mark: self.program.mark(), state, options, asleep }
            }
        };
        match level.options.is_empty() {
            true => drop(self.path.pop()),
            false => self.levels.push(level),
        }
        Some(None)
    }

    /// Counts the end of an execution; the deadlock, if it is one.
    fn end(&mut self, is_end: bool) -> Option<P::Failure> {
        let end = end_of(self.program, is_end);
        self.statistics.count(end);
        self.statistics.longest = self.statistics.longest.max(self.path.len() as u64);
        (end == End::Deadlock).then(|| self.program.deadlock())
    }

    fn violation(&self, failure: P::Failure) -> Ending<P::Failure> {
        let schedule = self.path.clone();
        (vec![Violation { failure, schedule }], Some(Stop::Violation))
    }
}

/// Whether a thread sleeps on after an operation that commutes with its own.
fn stays_asleep(sleeper: &Sleeper, decision: Decision, footprint: &Footprint) -> bool {
    sleeper.thread != decision.thread
        && !(sleeper.mask.may_conflict(footprint.mask())
            && conflicting(&sleeper.accesses, footprint.accesses()))
}

fn end_of<P: States>(program: &P, is_end: bool) -> End {
    let statuses = || (0..program.thread_count()).map(|t| program.status(ThreadId::at(t)));
    if !is_end || statuses().any(|status| status == ThreadStatus::Diverged) {
        return End::Cut;
    }
    if is_deadlock(program) {
        return End::Deadlock;
    }
    let is_dropped = |thread: ThreadId| match program.status(thread) {
        ThreadStatus::Dropped => true,
        ThreadStatus::Running => program.waiting_for_ever(thread) == WaitingForEver::FalseAssumption,
        _ => false,
    };
    match (0..program.thread_count()).map(ThreadId::at).any(is_dropped) {
        true => End::Dropped,
        false => End::Complete,
    }
}

/// What to explore in the present state, last first; nothing if there are more than so many alternatives.
fn persistent_set<P: States>(program: &mut P, most: usize) -> Option<Vec<Candidate>> {
    let mut options = Vec::new();
    for thread in (0..program.thread_count()).map(ThreadId::at) {
        if !program.is_enabled(thread) {
            continue;
        }
        let choices = program.choices(thread);
        let candidate = |choice| Candidate { decision: Decision { thread, choice }, is_only: choices == 1 };
        if choices == 1 && program.only_observes(thread) {
            return Some(vec![candidate(0)]);
        }
        if choices as usize > most {
            return None;
        }
        options.extend((0..choices).map(candidate));
    }
    options.reverse();
    Some(options)
}
