//! Threads at the end of a part of the execution that can be left out; see [`selvedge_trace::stutter`] for the argument.
//!
//! The local state of a thread is on its stack, and nobody sees it. Where a thread yields in a loop, it is taken to be decided by the place
//! of the yield and by what the thread did since the yield before, results included; after `spin_loop`, by the place alone. That is what spinning means
//! everywhere here: a thread that counts its rounds goes on when nobody else can move. What a thread does
//! after the yield follows from that state and the results of its operations.

use super::execution::Execution;
use super::operation::{Operation, SpinRead};
use super::script::{Script, Standing};
use crate::spin;
use selvedge_trace::stutter::{Cut, Log};
use selvedge_trace::{Access, AccessKind, LocationId, ThreadId};
use std::ops::Range;

/// How many yields of a thread are looked back to.
const MOST_YIELDS: usize = 8;
/// How long executions may be for such parts to be looked for.
const LONGEST: usize = 1000;

/// What the fibers did, in the order in which they did it.
#[derive(Debug, Default)]
pub struct Done {
    log: Log,
    /// The result of each event.
    results: Vec<u64>,
    /// Whether each event replaced something without looking at it.
    replaces: Vec<bool>,
    /// For each thread: how many operations it had performed when it wrote to something that the model memory does not hold.
    hidden: Vec<Vec<usize>>,
}

impl Done {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.log.clear();
        self.results.clear();
        self.replaces.clear();
        self.hidden.iter_mut().for_each(Vec::clear);
    }

    /// Adds an event.
    #[inline]
    pub fn add(&mut self, thread: ThreadId, accesses: &[Access], result: u64) {
        self.log.add(thread, accesses);
        self.results.push(result);
        self.replaces.push(accesses.iter().any(|access| access.kind == AccessKind::Overwrite));
    }

    /// The latest event has more accesses, which order nothing that came before.
    #[inline]
    pub fn extend_last(&mut self, accesses: &[Access]) {
        self.log.extend_last(accesses);
    }

    /// A thread writes to something that the model memory does not hold.
    pub fn note_hidden_write(&mut self, thread: ThreadId) {
        if self.hidden.len() <= thread.index() {
            self.hidden.resize_with(thread.index() + 1, Vec::new);
        }
        self.hidden[thread.index()].push(self.log.own(thread).len());
    }

    /// Whether a thread wrote to something that the model memory does not hold after one of these operations.
    fn hides(&self, thread: ThreadId, operations: Range<u32>) -> bool {
        let of_thread = self.hidden.get(thread.index()).into_iter().flatten();
        of_thread.into_iter().any(|&performed| operations.contains(&(performed as u32)))
    }

    pub(super) fn result(&self, thread: ThreadId, position: usize) -> u64 {
        self.results[self.log.own(thread)[position]]
    }
}

impl Execution {
    /// A thread has come to a yield. It waits until something that it read changes, if it has changed none of that itself: the next
    /// round would then be another one. If it has, but the yield ends a part of the execution that can be left out, it waits until nobody else
    /// can move.
    pub(super) fn prepare_stuttering(&mut self, thread: ThreadId, operation: Operation) -> Operation {
        let reads = spin::reads(&operation, &self.spins);
        let waits_for_change = !reads.is_empty() && !self.has_changed_itself(thread, reads);
        if self.semantics.every_attempt || waits_for_change {
            return operation;
        }
        match self.is_stuttering(thread, &operation) {
            true => spin::until_alone(operation),
            false => spin::at_once(operation),
        }
    }

    /// Whether a thread has itself changed something that it has read, since it last yielded, in a way that another round would change it again. A
    /// store would leave what is there.
    fn has_changed_itself(&self, thread: ThreadId, reads: &[SpinRead]) -> bool {
        let differs = |read: &SpinRead| reads.iter().any(|r| r.cell == read.cell && r.value != read.value);
        if reads.iter().any(differs) {
            return true;
        }
        let log = &self.history.done.log;
        let script = &self.history.scripts[thread.index()];
        let first = last_yield(script, script.position).map_or(0, |latest| latest + 1);
        let Some(&first) = log.own(thread).get(first) else { return false };
        let mut changed = false;
        self.changes_since(first, |event, location, before, after| {
            let is_own = log.thread(event) == thread && !self.history.done.replaces[event];
            changed |= is_own && before != after && reads.iter().any(|read| read.cell == location);
        });
        changed
    }

    /// Whether a thread that has come to a yield is in a state, and at the end of a part that leads there, which can be left out.
    fn is_stuttering(&mut self, thread: ThreadId, operation: &Operation) -> bool {
        if self.history.done.log.len() > LONGEST {
            return false;
        }
        self.history.done.log.order();
        let script = &self.history.scripts[thread.index()];
        let now = script.position;
        let mut candidate = last_yield(script, now);
        for _ in 0..MOST_YIELDS {
            let Some(earlier) = candidate else { return false };
            candidate = last_yield(script, earlier);
            let is_here = operation_at(script, earlier).is_some_and(|o| spin::is_same_yield(o, operation));
            if is_here
                && self.is_same_after_yields(thread, earlier, now)
                && self.leads_nowhere(thread, earlier)
            {
                return true;
            }
        }
        false
    }

    /// Whether a thread is in the same state at two yields, the same one.
    fn is_same_after_yields(&self, thread: ThreadId, earlier: usize, now: usize) -> bool {
        let script = &self.history.scripts[thread.index()];
        if operation_at(script, earlier).is_some_and(spin::waits_at_once) {
            return true;
        }
        let round = |end: usize| last_yield(script, end).map_or(0, |start| start + 1)..end;
        self.does_the_same(thread, round(earlier), round(now))
    }

    /// Whether a thread did the same in two intervals of its operations, with the same results.
    pub(super) fn does_the_same(&self, thread: ThreadId, left: Range<usize>, right: Range<usize>) -> bool {
        let script = &self.history.scripts[thread.index()];
        left.len() == right.len()
            && left.zip(right).all(|(i, j)| {
                is_same_standing(script, i, j)
                    && self.history.done.result(thread, i) == self.history.done.result(thread, j)
            })
    }

    /// Whether a part of the execution in which a thread goes on after so many operations leads from a state to the same state.
    fn leads_nowhere(&self, thread: ThreadId, operations: usize) -> bool {
        let log = &self.history.done.log;
        let is_same = |other, before, after| self.is_same_state(other, before, after);
        let Some((before, after)) = log.part(thread, operations, is_same) else { return false };
        let hides = |other: usize| {
            let operations = before[other] + 1..after[other] + 1;
            before[other] < after[other] && self.history.done.hides(ThreadId::at(other), operations)
        };
        !(0..after.len()).any(hides) && self.memory_is_what_it_was((&before, &after))
    }

    /// Whether a thread is in the same state after so many of its operations.
    fn is_same_state(&self, thread: ThreadId, before: usize, after: usize) -> bool {
        let script = &self.history.scripts[thread.index()];
        let (Some(left), Some(right)) = (last_yield(script, before), last_yield(script, after)) else {
            return false;
        };
        is_same_standing(script, before, after)
            && is_same_standing(script, left, right)
            && self.is_same_after_yields(thread, left, right)
            && self.does_the_same(thread, left + 1..before, right + 1..after)
    }

    /// Whether the events between two cuts have changed nothing in the end.
    fn memory_is_what_it_was(&self, cuts: (&Cut, &Cut)) -> bool {
        let mut sums: Vec<(LocationId, u64)> = Vec::new();
        self.changes_since(0, |event, location, before, after| {
            if self.history.done.log.is_between(event, cuts) {
                let change = after.wrapping_sub(before);
                match sums.iter_mut().find(|(known, _)| *known == location) {
                    Some((_, sum)) => *sum = sum.wrapping_add(change),
                    None => sums.push((location, change)),
                }
            }
        });
        sums.iter().all(|&(_, sum)| sum == 0)
    }

    /// Tells what events have changed, from this one on, the latest first: event, location, content before and after.
    fn changes_since(&self, first: usize, mut tell: impl FnMut(usize, LocationId, u64, u64)) {
        let marks = &self.history.marks;
        let Some(mut event) = marks.len().checked_sub(1) else { return };
        self.memory.changes_since(marks[first], |log, location, before, after| {
            while marks[event] > log {
                event -= 1;
            }
            tell(event, location, before, after);
        });
    }
}

/// The operation that a thread performs after so many others.
pub(super) fn operation_at(script: &Script, position: usize) -> Option<&Operation> {
    match &script.entries.get(position)?.standing {
        Standing::At(operation) => Some(operation),
        _ => None,
    }
}

/// The last yield among the first operations of a thread.
fn last_yield(script: &Script, operations: usize) -> Option<usize> {
    (0..operations).rev().find(|&i| operation_at(script, i).is_some_and(spin::is_yield))
}

/// Whether a thread is about to perform the same operation after so many others.
pub(super) fn is_same_standing(script: &Script, left: usize, right: usize) -> bool {
    match (operation_at(script, left), operation_at(script, right)) {
        (Some(left), Some(right)) if spin::is_yield(left) => spin::is_same_yield(left, right),
        (Some(left), Some(right)) => left.matches(right) && left.a == right.a && left.b == right.b,
        _ => false,
    }
}
