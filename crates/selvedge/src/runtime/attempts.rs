//! Attempts: whether a loop without a hint gives up, which nobody can see from outside.
//!
//! A thread that does the same several times, without success, is taken to wait for others: a search speculates on that. To refute it, the thread goes on
//! alone, in an execution that is given up there and run again afterwards: whoever leaves the loop though nothing changes counts its attempts. The search then
//! begins again, and threads take so many rounds before they count as waiting. A loop is tried once for each state in which a thread comes to it:
//! after so many operations, with these results.

use super::execution::{Execution, Mode};
use super::history::Compare;
use super::operation::{Operation, Place};
use super::stutter::operation_at;
use crate::spin;
use selvedge_trace::ThreadId;
use std::hash::{DefaultHasher, Hash, Hasher};

/// After how many rounds alone a thread is taken to wait.
const MOST_ROUNDS: usize = 1000;
/// After how many rounds alone a thread is taken to wait for ever.
const ENDLESS: usize = 100_000;
/// How many loops are tried in a search. Each costs a run of the closure.
const MOST_TRIALS: usize = 256;
/// The least number of rounds after a refutation, so that a search does not begin again for each length of loops.
const LEAST: u32 = 16;

/// What is known of loops without a hint.
#[derive(Debug, Default)]
pub struct Attempts {
    /// The loops that were tried, by thread, its operations before, and what a round did.
    tried: Vec<(ThreadId, usize, u64)>,
    /// The loop that is to be tried, and then is: it is tried alone.
    trial: Option<Trial>,
    /// No loops are tried: the execution is one that a search has seen.
    pub is_closed: bool,
}

#[derive(Debug)]
struct Trial {
    thread: ThreadId,
    /// The operations of a round.
    round: Vec<Place>,
    /// How many operations the thread has performed alone, and how many it may.
    performed: usize,
    most: usize,
    end: Option<TrialEnd>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TrialEnd {
    /// The thread did something else.
    Left,
    /// It did the same many times, or waits.
    Stayed,
}

/// What becomes of an operation in an execution that is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alone {
    /// Its thread is not on trial.
    NotOnTrial,
    /// It was performed, with this result.
    Done(u64),
    /// It is not part of the trial any more.
    Over,
}

impl Attempts {
    /// A new search begins.
    pub fn clear(&mut self) {
        *self = Attempts::default();
    }

    /// Whether a loop is to be tried.
    #[inline]
    pub fn has_trial(&self) -> bool {
        self.trial.is_some()
    }

    /// No loop is to be tried now.
    pub fn dismiss(&mut self) {
        self.trial = None;
    }
}

impl Execution {
    /// The present thread is about to be taken for one that waits, after the latest of its operations, so many, made a round that was repeated.
    #[cold]
    pub(super) fn ask_for_trial(&mut self, length: usize) {
        if self.attempts.tried.len() < MOST_TRIALS {
            self.try_soon(length, MOST_ROUNDS);
        }
    }

    /// The present thread goes round alone, and is about to be told as one that does so for ever.
    #[cold]
    pub(super) fn ask_for_long_trial(&mut self) {
        let script = &self.history.scripts[self.current as usize];
        let is_yield = |i: &usize| operation_at(script, *i).is_some_and(spin::is_yield);
        let performed = script.position;
        let length = performed - (0..performed).rev().find(is_yield).map_or(0, |latest| latest + 1);
        self.try_soon(length, ENDLESS);
    }

    fn try_soon(&mut self, length: usize, rounds: usize) {
        let thread = ThreadId(self.current);
        let is_new = self.mode == Mode::Running && self.history.compare == Compare::New;
        if !is_new || self.attempts.is_closed {
            return;
        }
        let script = &self.history.scripts[thread.index()];
        let performed = script.position;
        let round: Vec<Place> = (performed - length..performed)
            .filter_map(|i| operation_at(script, i))
            .map(|operation| operation.place)
            .collect();
        let mut hasher = DefaultHasher::new();
        (performed - length..performed).for_each(|i| self.history.done.result(thread, i).hash(&mut hasher));
        let state = (thread, performed, hasher.finish());
        if !self.attempts.tried.contains(&state) {
            self.attempts.tried.push(state);
            let most = rounds * round.len();
            self.attempts.trial = Some(Trial { thread, round, performed: 0, most, end: None });
        }
    }

    /// The thread on trial, if there is one.
    pub(super) fn on_trial(&self) -> Option<ThreadId> {
        self.attempts.trial.as_ref().map(|trial| trial.thread)
    }

    /// Performs an operation of the thread on trial.
    pub(super) fn go_on_alone(&mut self, operation: &Operation) -> Alone {
        let Some(trial) = &mut self.attempts.trial else { return Alone::NotOnTrial };
        if trial.thread.0 != self.current || trial.end.is_some() {
            return Alone::NotOnTrial;
        }
        if spin::is_yield(operation) {
            return Alone::Done(0);
        }
        trial.performed += 1;
        if !trial.round.contains(&operation.place) {
            trial.end = Some(TrialEnd::Left);
            return Alone::Over;
        }
        if trial.performed < trial.most
            && let Some(result) = self.run_at_once(operation)
        {
            return Alone::Done(result);
        }
        if let Some(trial) = &mut self.attempts.trial {
            trial.end = Some(TrialEnd::Stayed);
        }
        Alone::Over
    }

    /// The thread on trial has come back. If it has left its loop, the search must begin again.
    pub(super) fn judge(&mut self) {
        let Some(trial) = self.attempts.trial.take() else { return };
        let has_ended = self.fibers.get(trial.thread.index()).is_none_or(Option::is_none);
        if trial.end == Some(TrialEnd::Stayed) || trial.end.is_none() && !has_ended {
            return;
        }
        let alone = (trial.performed / trial.round.len().max(1)) as u32;
        let rounds = (self.rounds() as u32 + alone + 1).next_power_of_two();
        self.assumptions.attempts = self.assumptions.attempts.max(rounds).max(LEAST);
        self.refuted = true;
    }
}
