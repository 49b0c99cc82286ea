//! Reversals: how a race or a blocked operation leads to another part of the state space.
//!
//! When `e` and a later operation `q` are in a race, executing `v = notdep(e, E).q` from the state before `e`
//! performs `q` without `e` [AbdullaAJS2017, section 4]. That needs three refinements for real programs:
//!
//! - The operation `q` may access something else without `e`: a compare-exchange succeeds, an index differs, a
//!   signal finds other waiters. If its footprint [varies](Variation::Varying) we go there and look.
//! - An operation that takes a mutex could not be performed between the acquisition and the release before
//!   it; its race is with the acquisition. [`HappensBefore`](selvedge_trace::HappensBefore) knows that.
//! - An operation that waits for an arbitrary condition ([`Blocking::Guard`]) may be enabled by one write, disabled by
//!   the next and enabled again. Leaving out one event may leave it disabled while leaving out several
//!   enables it. So we search all ways to leave out events that it conflicts with, latest first, and stop at
//!   those after which it is enabled. The same search serves threads that are blocked for good at the end of an
//!   execution: they never become an event, and nobody else would see their races.
//!
//! *Why the maximal ways suffice.* Let `w1.q` be an execution of which the algorithm has explored only
//! `p.w1` with `p` disabling `q`. Some explored execution holds `p.w1` and goes on until `q` is enabled again
//! or for good. The set of its conflicting events that `w1` holds is one way to leave events out; if it is not
//! maximal, a larger one was found, whose reversal is explored and holds fewer conflicting events before
//! `q`. The same argument applies to that execution, and the number of those events decreases.

use crate::{Path, Program};
use selvedge_trace::{Access, Blocking, Decision, EventId, Footprint, LocationMask, ThreadId, Variation};
use std::collections::HashSet;

/// A sequence to explore instead of what follows the events before `at`.
#[derive(Clone, Debug)]
pub struct Reversal {
    /// The first event that is left out.
    pub at: EventId,
    /// The events after `at` that are kept, in their order.
    pub sequence: Vec<EventId>,
    /// The decision that comes after them: the later one of the race, now without the earlier.
    pub decision: Decision,
    /// What it accesses there, as a quick test.
    pub mask: LocationMask,
    /// What it accesses there.
    pub accesses: Vec<Access>,
}

/// The operation whose races are looked for.
#[derive(Clone, Copy, Debug)]
pub enum Later {
    /// One that was performed.
    Event(EventId),
    /// The next one of a thread, which may have to wait, at the end of the path.
    Next(ThreadId),
}

impl Default for Reversal {
    fn default() -> Self {
        let decision = Decision { thread: ThreadId(0), choice: 0 };
        let mask = LocationMask::default();
        Reversal { at: EventId(0), sequence: Vec::new(), decision, mask, accesses: Vec::new() }
    }
}

impl Reversal {
    fn set_last(&mut self, decision: Decision, footprint: &Footprint) {
        self.decision = decision;
        self.mask = footprint.mask();
        self.accesses.clear();
        self.accesses.extend_from_slice(footprint.accesses());
    }
}

impl<P: Program> Path<P> {
    /// Whether the races of `e` can be reversed by [`reverse`](Path::reverse) without asking the program.
    pub fn is_plain(&self, e: EventId) -> bool {
        let event = self.order.event(e);
        event.blocking != Blocking::Guard && event.variation == Variation::Fixed
    }

    /// Fills in the reversal of a race between `e` and a [plain](Path::is_plain) event `later`.
    pub fn reverse(&self, e: EventId, later: EventId, reversal: &mut Reversal) {
        let event = self.order.event(later);
        self.leave_out_alone(e, reversal);
        reversal.decision = event.decision;
        reversal.mask = event.mask;
        reversal.accesses.clear();
        reversal.accesses.extend_from_slice(self.order.accesses(later));
    }

    /// Calls `visit` with every reversal of a race of `later`.
    pub fn reversals(
        &mut self,
        later: Later,
        scratch: &mut Reversal,
        visit: &mut dyn FnMut(&mut Self, &Reversal),
    ) {
        match later {
            Later::Event(e) if self.is_plain(e) => {
                for race in 0..self.order.races(e).len() {
                    self.reverse(self.order.races(e)[race], e, scratch);
                    visit(self, scratch);
                }
            }
            Later::Event(e) if self.order.event(e).blocking != Blocking::Guard => {
                for race in 0..self.order.races(e).len() {
                    self.leave_out_alone(self.order.races(e)[race], scratch);
                    let thread = self.order.event(e).thread();
                    self.with_every_choice(thread, scratch, visit);
                }
            }
            Later::Event(_) => self.guard_reversals(later, scratch, visit),
            Later::Next(thread) => self.next_reversals(thread, scratch, visit),
        }
    }

    /// Keeps all of the path but `e` and what happens after it.
    fn leave_out_alone(&self, e: EventId, reversal: &mut Reversal) {
        reversal.at = e;
        reversal.sequence.clear();
        reversal.sequence.extend(self.notdep(e));
    }

    /// Completes a reversal, all but its last operation known, with every choice of that operation. Returns what
    /// the operation looked at if it must wait.
    fn with_every_choice(
        &mut self,
        thread: ThreadId,
        reversal: &mut Reversal,
        visit: &mut dyn FnMut(&mut Self, &Reversal),
    ) -> Option<Footprint> {
        let mut decision = Decision { thread, choice: 0 };
        loop {
            let there = self.peek(reversal.at, &reversal.sequence, decision);
            if there.choices == 0 {
                return Some(there.footprint);
            }
            reversal.set_last(decision, &there.footprint);
            visit(self, reversal);
            decision.choice += 1;
            if decision.choice >= there.choices {
                return None;
            }
        }
    }

    fn next_reversals(
        &mut self,
        thread: ThreadId,
        scratch: &mut Reversal,
        visit: &mut dyn FnMut(&mut Self, &Reversal),
    ) {
        let mut footprint = Footprint::default();
        let decision = Decision { thread, choice: 0 };
        self.program.pending(decision, &mut footprint);
        if footprint.blocking == Blocking::Guard {
            self.guard_reversals(Later::Next(thread), scratch, visit);
            return;
        }
        // Pushing the operation, even if it cannot be performed, lets the order tell what it races with.
        let e = self.order.push(decision, &footprint);
        let races = self.order.races(e).to_vec();
        self.order.pop();
        for earlier in races {
            self.leave_out_alone(earlier, scratch);
            match footprint.variation {
                Variation::Fixed => {
                    scratch.set_last(decision, &footprint);
                    visit(self, scratch);
                }
                Variation::Varying => _ = self.with_every_choice(thread, scratch, visit),
            }
        }
    }

    /// The search described in the module's documentation.
    fn guard_reversals(
        &mut self,
        later: Later,
        scratch: &mut Reversal,
        visit: &mut dyn FnMut(&mut Self, &Reversal),
    ) {
        let mut left_out = vec![false; self.len()];
        let mut footprint = Footprint::default();
        let thread = match later {
            Later::Event(e) => {
                self.leave_out(e, &mut left_out);
                self.order.accesses(e).iter().for_each(|a| footprint.record(a.location, a.kind));
                self.order.event(e).thread()
            }
            Later::Next(thread) => {
                self.program.pending(Decision { thread, choice: 0 }, &mut footprint);
                thread
            }
        };
        let mut seen = HashSet::new();
        let mut todo = vec![(left_out, footprint)];
        while let Some((left_out, footprint)) = todo.pop() {
            for conflicting in self.latest_conflicts(thread, &footprint, &left_out) {
                let mut fewer = left_out.clone();
                self.leave_out(conflicting, &mut fewer);
                if !seen.insert(fewer.clone()) {
                    continue;
                }
                self.keep_all_but(&fewer, scratch);
                if let Some(looked_at) = self.with_every_choice(thread, scratch, visit) {
                    todo.push((fewer, looked_at));
                }
            }
        }
    }

    fn leave_out(&self, e: EventId, left_out: &mut [bool]) {
        left_out[e.index()] = true;
        for later in self.order.events_after(e) {
            left_out[later.index()] |= self.order.happens_before(e, later);
        }
    }

    fn keep_all_but(&self, left_out: &[bool], reversal: &mut Reversal) {
        let first = left_out.iter().position(|&out| out).unwrap_or(0);
        reversal.at = EventId::at(first);
        reversal.sequence.clear();
        reversal.sequence.extend((first..left_out.len()).filter(|&e| !left_out[e]).map(EventId::at));
    }

    /// The kept events that conflict with the operation of `thread` and are ordered neither before its
    /// previous event nor before another one of them.
    fn latest_conflicts(
        &mut self,
        thread: ThreadId,
        footprint: &Footprint,
        left_out: &[bool],
    ) -> Vec<EventId> {
        let kept = |e: &EventId| !left_out[e.index()];
        let own = self.order.events().filter(kept).filter(|&e| self.order.event(e).thread() == thread).last();
        let mut latest: Vec<EventId> = Vec::new();
        for e in self.order.events().filter(kept).rev() {
            if self.order.event(e).thread() != thread
                && self.order.depends(e, footprint.mask(), footprint.accesses())
                && !latest
                    .iter()
                    .chain(own.iter().filter(|o| **o > e))
                    .any(|&l| self.order.happens_before(e, l))
            {
                latest.push(e);
            }
        }
        latest
    }
}
