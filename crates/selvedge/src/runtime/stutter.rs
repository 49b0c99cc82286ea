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
use selvedge_trace::stutter::Between;
use selvedge_trace::{Access, LocationId, ThreadId};
use std::ops::Range;

/// How many yields of a thread are looked back to.
const MOST_YIELDS: usize = 8;
/// How many events a part may span.
const LONGEST: usize = 400;

/// What the fibers did, in the order in which they did it.
#[derive(Debug, Default)]
pub struct Done {
    /// Thread, result, and where the accesses end.
    events: Vec<(ThreadId, u64, usize)>,
    accesses: Vec<Access>,
    /// For each thread: the numbers of its events.
    own: Vec<Vec<usize>>,
    /// For each thread: how many operations it had performed when it wrote to something that the model memory does not hold.
    hidden: Vec<Vec<usize>>,
}

impl Done {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.events.clear();
        self.accesses.clear();
        self.own.iter_mut().chain(&mut self.hidden).for_each(Vec::clear);
    }

    /// Adds an event.
    #[inline]
    pub fn add(&mut self, thread: ThreadId, accesses: &[Access], result: u64) {
        self.accesses.extend_from_slice(accesses);
        self.make_room(thread);
        self.own[thread.index()].push(self.events.len());
        self.events.push((thread, result, self.accesses.len()));
    }

    /// The latest event has more accesses.
    #[inline]
    pub fn extend_last(&mut self, accesses: &[Access]) {
        self.accesses.extend_from_slice(accesses);
        if let Some((_, _, end)) = self.events.last_mut() {
            *end = self.accesses.len();
        }
    }

    /// A thread writes to something that the model memory does not hold.
    pub fn note_hidden_write(&mut self, thread: ThreadId) {
        self.make_room(thread);
        let performed = self.own[thread.index()].len();
        self.hidden[thread.index()].push(performed);
    }

    fn make_room(&mut self, thread: ThreadId) {
        if self.own.len() <= thread.index() {
            self.own.resize_with(thread.index() + 1, Vec::new);
            self.hidden.resize_with(thread.index() + 1, Vec::new);
        }
    }

    fn event(&self, number: usize) -> (ThreadId, &[Access]) {
        let (thread, _, end) = self.events[number];
        let start = number.checked_sub(1).map_or(0, |before| self.events[before].2);
        (thread, &self.accesses[start..end])
    }

    fn result(&self, thread: ThreadId, position: usize) -> u64 {
        self.events[self.own[thread.index()][position]].1
    }
}

impl Execution {
    /// A thread has come to a yield. If that ends a part of the execution that can be left out, and what it
    /// read does not tell when that changes, it waits until nobody else can move.
    pub(super) fn prepare_stuttering(&self, thread: ThreadId, operation: Operation) -> Operation {
        let reads = spin::reads(&operation, &self.spins);
        let waits_for_change = !reads.is_empty() && !self.has_changed_itself(thread, reads);
        if self.semantics.every_attempt || waits_for_change || !self.is_stuttering(thread, &operation) {
            return operation;
        }
        spin::until_alone(operation)
    }

    /// Whether a thread has itself changed something that it has read, since it last yielded.
    fn has_changed_itself(&self, thread: ThreadId, reads: &[SpinRead]) -> bool {
        let differs = |read: &SpinRead| reads.iter().any(|r| r.cell == read.cell && r.value != read.value);
        if reads.iter().any(differs) {
            return true;
        }
        let (done, marks) = (&self.history.done, &self.history.marks);
        let script = &self.history.scripts[thread.index()];
        let first = last_yield(script, script.position).map_or(0, |latest| latest + 1);
        let Some(&first) = done.own[thread.index()].get(first) else { return false };
        let (mut event, mut changed) = (marks.len() - 1, false);
        self.memory.changes_since(marks[first], |log, location, before, after| {
            while marks[event] > log {
                event -= 1;
            }
            let is_own = done.events[event].0 == thread;
            changed |= is_own && before != after && reads.iter().any(|read| read.cell == location);
        });
        changed
    }

    /// Whether a thread that has come to a yield is in a state, and at the end of a part that leads there, which can be left out.
    fn is_stuttering(&self, thread: ThreadId, operation: &Operation) -> bool {
        let script = &self.history.scripts[thread.index()];
        let now = script.position;
        let mut candidate = last_yield(script, now);
        for _ in 0..MOST_YIELDS {
            let Some(earlier) = candidate else { return false };
            candidate = last_yield(script, earlier);
            let is_here = operation_at(script, earlier).is_some_and(|o| spin::is_same_yield(o, operation));
            if is_here
                && self.is_same_after_yields(thread, earlier, now)
                && self.leads_nowhere(thread, earlier + 1)
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
        let round = |end: usize| last_yield(script, end).map(|start| start + 1..end);
        match (round(earlier), round(now)) {
            (Some(before), Some(latest)) => self.does_the_same(thread, before, latest),
            _ => false,
        }
    }

    /// Whether a thread did the same in two intervals of its operations, with the same results.
    fn does_the_same(&self, thread: ThreadId, left: Range<usize>, right: Range<usize>) -> bool {
        let script = &self.history.scripts[thread.index()];
        left.len() == right.len()
            && left.zip(right).all(|(i, j)| {
                is_same_standing(script, i, j)
                    && self.history.done.result(thread, i) == self.history.done.result(thread, j)
            })
    }

    /// Whether the part of the execution from this operation of a thread, the latest of which is about to yield, leads from a state to the same state.
    fn leads_nowhere(&self, thread: ThreadId, position: usize) -> bool {
        let done = &self.history.done;
        let Some(&first) = done.own[thread.index()].get(position) else { return false };
        let Some(&last) = done.own[thread.index()].last() else { return false };
        if last - first >= LONGEST {
            return false;
        }
        let mut between = Between::default();
        let is_between = between.find(last + 1 - first, |i| done.event(first + i));
        let hidden = &done.hidden[thread.index()];
        hidden.iter().all(|&performed| performed < position)
            && self.others_are_where_they_were(thread, first, is_between)
            && self.memory_is_what_it_was(first, is_between)
    }

    /// Whether all threads but this one, which have events between, are in the same state after them as before.
    fn others_are_where_they_were(&self, thread: ThreadId, first: usize, is_between: &[bool]) -> bool {
        let done = &self.history.done;
        let others = (0..done.own.len()).map(ThreadId::at).filter(|&other| other != thread);
        others.into_iter().all(|other| {
            let own = &done.own[other.index()];
            let is_inside = |number: usize| {
                number.checked_sub(first).and_then(|i| is_between.get(i)).is_some_and(|&inside| inside)
            };
            let Some(start) = own.iter().position(|&number| is_inside(number)) else { return true };
            let end = start + own[start..].iter().take_while(|&&number| is_inside(number)).count();
            let hides =
                done.hidden[other.index()].iter().any(|&performed| start < performed && performed <= end);
            !hides && self.is_same_state(other, start, end)
        })
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

    /// Whether the events between have changed nothing in the end.
    fn memory_is_what_it_was(&self, first: usize, is_between: &[bool]) -> bool {
        let marks = &self.history.marks;
        let mut sums: Vec<(LocationId, u64)> = Vec::new();
        let mut event = marks.len() - 1;
        self.memory.changes_since(marks[first], |log, location, before, after| {
            while marks[event] > log {
                event -= 1;
            }
            if is_between.get(event - first).is_some_and(|&inside| inside) {
                let change = after.wrapping_sub(before);
                match sums.iter_mut().find(|(known, _)| *known == location) {
                    Some((_, sum)) => *sum = sum.wrapping_add(change),
                    None => sums.push((location, change)),
                }
            }
        });
        sums.iter().all(|&(_, sum)| sum == 0)
    }
}

/// The operation that a thread performs after so many others.
fn operation_at(script: &Script, position: usize) -> Option<&Operation> {
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
fn is_same_standing(script: &Script, left: usize, right: usize) -> bool {
    match (operation_at(script, left), operation_at(script, right)) {
        (Some(left), Some(right)) if spin::is_yield(left) => spin::is_same_yield(left, right),
        (Some(left), Some(right)) => left.matches(right) && left.a == right.a && left.b == right.b,
        _ => false,
    }
}
