//! The current path: one execution in progress, with the order of its events.
//!
//! The path is the work-bench of all algorithms. It extends and retracts the execution, keeping the program and
//! its happens-before relation in step, and answers the questions that the papers ask of an execution `E`:
//! `notdep(e, E)`, the initials of a sequence, and what an operation would do at another place.

pub mod event_set;
mod excursion;
pub mod preview;
pub mod reversal;

pub use excursion::{Elsewhere, Peek};

use crate::{Mark, Program, Reversal, spare};
use selvedge_trace::{Access, Decision, EventId, Footprint, HappensBefore, ThreadId};
use std::ops::Range;
use std::time::Instant;

/// An execution in progress.
pub struct Path<P> {
    /// The program, in the state after the last event.
    pub program: P,
    /// The events and their order, but for those pushed [without order](Path::push_unordered) so far.
    pub order: HappensBefore,
    /// Whether the order at present leaves events unordered that conflict.
    pub leaves_conflicts_open: bool,
    marks: Vec<Mark>,
    unordered: Vec<(Decision, Footprint)>,
    /// How many of `unordered` are in use; the others are kept to be used again.
    unordered_len: usize,
    footprint: Footprint,
    is_kept: Vec<bool>,
    left_out: Vec<Range<Mark>>,
    /// Room for the next look elsewhere.
    peeked: Footprint,
    /// When to break off long work at the end of an execution.
    pub deadline: Option<Instant>,
    /// Whether some was broken off, so that there may be executions that are not known.
    pub is_broken_off: bool,
}

impl<P: Program> Path<P> {
    /// The empty execution.
    pub fn new(mut program: P) -> Self {
        program.restart();
        let order = spare::order(program.thread_count());
        Path {
            program,
            order,
            leaves_conflicts_open: false,
            marks: Vec::with_capacity(32),
            unordered: Vec::new(),
            unordered_len: 0,
            footprint: Footprint::default(),
            is_kept: Vec::new(),
            left_out: Vec::new(),
            peeked: Footprint::default(),
            deadline: None,
            is_broken_off: false,
        }
    }

    /// The program; the room of the order is left for the next path.
    pub fn into_program(self) -> P {
        spare::keep_order(self.order);
        self.program
    }

    /// The number of events.
    pub fn len(&self) -> usize {
        self.marks.len()
    }

    /// Whether nothing has happened yet.
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// The thread of the last event, if all events are in order.
    pub fn last_thread(&self) -> Option<ThreadId> {
        self.order.events().next_back().map(|e| self.order.event(e).thread())
    }

    /// The decisions taken so far.
    pub fn schedule(&self) -> Vec<Decision> {
        let ordered = self.order.events().map(|e| self.order.event(e).decision);
        ordered.chain(self.unordered[..self.unordered_len].iter().map(|u| u.0)).collect()
    }

    /// Performs the next operation of a thread without finding out how it is ordered.
    pub fn push_unordered(&mut self, decision: Decision) {
        self.marks.push(self.program.mark());
        if self.unordered_len == self.unordered.len() {
            self.unordered.push((decision, Footprint::default()));
        }
        let entry = &mut self.unordered[self.unordered_len];
        self.unordered_len += 1;
        entry.0 = decision;
        self.program.step(decision, &mut entry.1);
        self.order.grow(self.program.thread_count());
    }

    /// Finds out how the events pushed without order are ordered.
    pub fn put_in_order(&mut self) {
        self.put_in_order_with(|_, _| {});
    }

    /// Finds out how the events pushed without order are ordered; visits each when it and those before are in order.
    pub fn put_in_order_with(&mut self, mut visit: impl FnMut(&mut Self, EventId)) {
        for i in 0..self.unordered_len {
            let (decision, footprint) = &self.unordered[i];
            let e = self.order.push(*decision, footprint);
            visit(self, e);
        }
        self.unordered_len = 0;
    }

    /// Performs the next operation of a thread. All events before must be in order.
    pub fn push(&mut self, decision: Decision) -> EventId {
        debug_assert_eq!(self.unordered_len, 0);
        self.marks.push(self.program.mark());
        self.program.step(decision, &mut self.footprint);
        self.order.grow(self.program.thread_count());
        self.order.push(decision, &self.footprint)
    }

    /// The last event and what it accessed.
    ///
    /// # Panics
    /// When there is none.
    pub fn last(&self) -> (Decision, &[Access]) {
        if let Some((decision, footprint)) = self.unordered[..self.unordered_len].last() {
            return (*decision, footprint.accesses());
        }
        let e = self.order.events().next_back().expect("there is an event");
        (self.order.event(e).decision, self.order.accesses(e))
    }

    /// Takes the last event back.
    ///
    /// # Panics
    /// When there is none.
    pub fn pop(&mut self) -> Decision {
        let mark = self.marks.pop().expect("pop needs an event");
        self.program.rollback(mark);
        if self.unordered_len > 0 {
            self.unordered_len -= 1;
            return self.unordered[self.unordered_len].0;
        }
        let decision = self.order.event(EventId::at(self.marks.len())).decision;
        self.order.pop();
        decision
    }

    /// The first enabled decision after `cursor`, in the order of threads and choices.
    pub fn next_enabled(&mut self, cursor: Option<Decision>) -> Option<Decision> {
        let mut thread = 0;
        if let Some(Decision { thread: last, choice }) = cursor {
            if choice + 1 < self.program.choices(last) {
                return Some(Decision { thread: last, choice: choice + 1 });
            }
            thread = last.index() + 1;
        }
        (thread..self.order.thread_count())
            .map(ThreadId::at)
            .find(|&t| self.program.is_enabled(t))
            .map(|thread| Decision { thread, choice: 0 })
    }

    /// The events after `e` that do not happen after it: `notdep(e, E)`.
    pub fn notdep(&self, e: EventId) -> impl Iterator<Item = EventId> {
        self.order.events_after(e).filter(move |&later| !self.order.happens_before(e, later))
    }

    /// The initials of a reversal's sequence `v`, the decisions with which an execution equivalent to `v` can begin, but
    /// for the last decision.
    pub fn initials(&mut self, reversal: &Reversal, initials: &mut Vec<Decision>) {
        initials.clear();
        let mut heads: smallvec::SmallVec<[EventId; 16]> = smallvec::SmallVec::new();
        for &e in &reversal.sequence {
            let thread = self.order.event(e).thread();
            if heads.iter().any(|&head| self.order.event(head).thread() == thread) {
                continue;
            }
            if !heads.iter().any(|&head| self.order.happens_before(head, e)) {
                initials.push(self.order.event(e).decision);
            }
            heads.push(e);
        }
    }

    /// Whether the last decision of a reversal's sequence is an initial of it.
    pub fn last_is_initial(&mut self, reversal: &Reversal) -> bool {
        if let Some(later) = reversal.later {
            let comes_before = |&e: &EventId| e < later && self.order.happens_before(e, later);
            return !reversal.sequence.iter().any(comes_before);
        }
        let (mask, accesses) = (reversal.mask, &reversal.accesses);
        reversal.sequence.iter().all(|&e| {
            self.order.event(e).thread() != reversal.decision.thread && !self.order.depends(e, mask, accesses)
        })
    }
}
