//! Reversals: how a race or a blocked operation leads to another part of the state space.
//!
//! When `e` and a later operation `q` are in a race, executing `v = notdep(e, E).q` from the state before `e`
//! performs `q` without `e` [AbdullaAJS2017, section 4]. That is all for an operation that never waits and always
//! accesses the same. One that takes a mutex races with the acquisition before the release that let it through;
//! [`HappensBefore`](selvedge_trace::HappensBefore) knows that. Two kinds of operations need more:
//!
//! - One that waits for a condition ([`Blocking::Guard`]) may be enabled by one write, disabled by the next and enabled
//!   again: leaving out one event may leave it disabled while leaving out several enables it.
//! - One whose footprint [varies](Variation::Varying) may access something else without `e`: a compare-exchange
//!   succeeds, an index differs, a condition is evaluated further. Then it may depend on events that it passed by
//!   before, and must be tried before those too.
//!
//! For these we search the ways to leave out events, beginning with those that `q` conflicts with, latest
//! first, and go there to look what `q` would do. Each way that enables it is a reversal, unless `q` no longer depends
//! on the first event left out: then leaving that out was for nothing. The search goes on from a
//! way that leaves it disabled by leaving out what it looked at, and from a way that enables it by
//! leaving out what it did not conflict with in the execution at hand but would conflict with now. The same
//! search serves threads that wait at the end of an execution: if they wait for good they never become an
//! event, and no other event would show their races. Sleep-set-blocked executions need it too.
//!
//! *Why this suffices.* Let `w1.q` be a beginning of an execution that is missed, where `p.w1` was explored and `p` is
//! the explored decision with the longest `w1` that is independent of it. Some execution `p.w1.z` was
//! explored far enough that `q` was performed, or waits, in it. Leaving out `p`, and of `z` exactly what `q` then
//! conflicts with, is one of the ways the search goes: events of `w1` are never ordered after events of `z`,
//! so leaving out events of `z`, latest first, takes nothing else away. What is kept of `z` is independent of `w1.q`,
//! so every initial `r` of that reversal has a longer `w1`: a contradiction to the choice of `p`. Ways
//! with more events in between are not needed if `q` is enabled after them as well: they are explored, and the
//! same argument applies to an execution in which fewer events come before `q`.

use crate::path::Peek;
use crate::path::event_set::EventSet;
use crate::{Excursions, Path};
use selvedge_trace::{Access, Blocking, Decision, EventId, Footprint, LocationMask, ThreadId, Variation};
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::time::Instant;

/// The events of a path on which one more way to leave out events takes longer than a look at the clock.
const LONG: usize = 1 << 8;

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
    /// The event that performed it, if its order after the events kept is that of the sequence.
    pub later: Option<EventId>,
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
        Reversal { at: EventId(0), sequence: Vec::new(), decision, mask, accesses: Vec::new(), later: None }
    }
}

impl Reversal {
    /// Sets the operation that comes after the kept events.
    pub fn set_last(&mut self, decision: Decision, mask: LocationMask, accesses: &[Access]) {
        self.decision = decision;
        self.mask = mask;
        self.later = None;
        self.accesses.clear();
        self.accesses.extend_from_slice(accesses);
    }
}

/// Events with which an operation conflicts; few, as a rule.
type Races = SmallVec<[EventId; 8]>;

/// The sets of events that were left out so far.
#[derive(Default)]
struct Seen {
    few: SmallVec<[EventSet; 8]>,
    many: BTreeSet<EventSet>,
}

impl Seen {
    /// Adds a set. Returns whether it is new.
    fn insert(&mut self, set: &EventSet) -> bool {
        if self.few.contains(set) {
            return false;
        }
        match self.few.len() < self.few.inline_size() {
            true => self.few.push(set.clone()),
            false => return self.many.insert(set.clone()),
        }
        true
    }
}

/// Which of the dependent events of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Only the last dependent event of the thread.
    Last,
    /// Every dependent event of the thread.
    All,
}

impl<P: Excursions> Path<P> {
    /// Whether the races of `e` can be reversed by [`reverse`](Path::reverse) without asking the program.
    pub fn is_plain(&self, e: EventId) -> bool {
        let event = self.order.event(e);
        event.blocking != Blocking::Guard && event.variation != Variation::Varying
    }

    /// Fills in the reversal of a race between `e` and a [plain](Path::is_plain) event `later`.
    pub fn reverse(&self, e: EventId, later: EventId, reversal: &mut Reversal) {
        let event = self.order.event(later);
        self.keep_not_after(e, reversal);
        reversal.set_last(event.decision, event.mask, self.order.accesses(later));
        // Nothing is ordered between the two. Only one that takes a mutex comes after a release that is left out.
        reversal.later = (event.blocking == Blocking::Never).then_some(later);
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
            Later::Event(e) => self.event_reversals(e, scratch, visit),
            Later::Next(thread) => self.next_reversals(thread, scratch, visit),
        }
    }

    /// Calls `visit` with a reversal of the last event, or all events, of every other thread dependent on `later`, whether
    /// something else orders them or not: then the sequence lacks what `later` needs.
    pub fn reversals_with_every_thread(
        &mut self,
        later: Later,
        which: Which,
        scratch: &mut Reversal,
        visit: &mut dyn FnMut(&mut Self, &Reversal),
    ) {
        let mut footprint = Footprint::default();
        let (decision, end) = match later {
            Later::Event(e) => {
                self.order.accesses(e).iter().for_each(|a| footprint.record(a.location, a.kind));
                (self.order.event(e).decision, e)
            }
            Later::Next(thread) => {
                let decision = Decision { thread, choice: 0 };
                self.program.pending(decision, &mut footprint);
                (decision, EventId::at(self.order.len()))
            }
        };
        let mut seen = vec![false; self.order.thread_count()];
        seen[decision.thread.index()] = true;
        for earlier in (0..end.index()).rev().map(EventId::at) {
            let thread = self.order.event(earlier).thread().index();
            if !seen[thread] && self.order.depends(earlier, footprint.mask(), footprint.accesses()) {
                seen[thread] = which == Which::Last;
                self.keep_not_after(earlier, scratch);
                scratch.sequence.retain(|&e| e < end);
                scratch.set_last(decision, footprint.mask(), footprint.accesses());
                visit(self, scratch);
            }
        }
    }

    /// Keeps all of the path but `e` and what happens after it.
    pub fn keep_not_after(&self, e: EventId, reversal: &mut Reversal) {
        reversal.at = e;
        reversal.sequence.clear();
        reversal.sequence.extend(self.notdep(e));
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
        // Pushing the operation, even if it cannot be performed, lets the order tell what it races with.
        let e = self.order.push(decision, &footprint);
        let races = Races::from_slice(self.order.races(e));
        let is_plain = self.is_plain(e);
        self.order.pop();
        if !is_plain {
            let left_out = EventSet::with_room_for(self.len());
            self.search_reversals(thread, &footprint, &left_out, races, scratch, visit);
            return;
        }
        for earlier in races {
            self.keep_not_after(earlier, scratch);
            scratch.set_last(decision, footprint.mask(), footprint.accesses());
            visit(self, scratch);
        }
    }

    fn event_reversals(
        &mut self,
        e: EventId,
        scratch: &mut Reversal,
        visit: &mut dyn FnMut(&mut Self, &Reversal),
    ) {
        let races = Races::from_slice(self.order.races(e));
        if races.is_empty() {
            return;
        }
        let mut left_out = EventSet::with_room_for(self.len());
        self.leave_out(e, &mut left_out);
        let mut footprint = Footprint::default();
        self.order.accesses(e).iter().for_each(|a| footprint.record(a.location, a.kind));
        let thread = self.order.event(e).thread();
        self.search_reversals(thread, &footprint, &left_out, races, scratch, visit);
    }

    /// The search described in the module's documentation, for an operation with the footprint `original` in
    /// the execution at hand, in which it races with `races`.
    fn search_reversals(
        &mut self,
        thread: ThreadId,
        original: &Footprint,
        left_out: &EventSet,
        races: Races,
        scratch: &mut Reversal,
        visit: &mut dyn FnMut(&mut Self, &Reversal),
    ) {
        let mut seen = Seen::default();
        let mut todo: SmallVec<[_; 8]> = races.into_iter().map(|race| (left_out.clone(), race)).collect();
        while let Some((mut left_out, conflict)) = todo.pop() {
            if self.len() >= LONG && self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                self.is_broken_off = true;
                return;
            }
            self.leave_out(conflict, &mut left_out);
            if !seen.insert(&left_out) {
                continue;
            }
            self.keep_all_but(&left_out, scratch);
            let there = self.with_every_choice(thread, scratch, visit);
            let mut conflicts = self.latest_conflicts(thread, &there.footprint, &left_out);
            if there.choices > 0 {
                let (mask, accesses) = (original.mask(), original.accesses());
                conflicts.retain(|c| !self.order.depends(*c, mask, accesses));
            }
            self.forget(there);
            todo.extend(conflicts.into_iter().map(|c| (left_out.clone(), c)));
        }
    }

    /// Completes a reversal, all but its last operation known, with every choice of that operation. Returns what
    /// the operation would do with the last of them, or what it looked at if it must wait.
    fn with_every_choice(
        &mut self,
        thread: ThreadId,
        reversal: &mut Reversal,
        visit: &mut dyn FnMut(&mut Self, &Reversal),
    ) -> Peek {
        let mut decision = Decision { thread, choice: 0 };
        loop {
            let there = self.peek(reversal.at, &reversal.sequence, decision);
            let (mask, accesses) = (there.footprint.mask(), there.footprint.accesses());
            if there.choices > 0 && self.order.depends(reversal.at, mask, accesses) {
                reversal.set_last(decision, mask, accesses);
                visit(self, reversal);
            }
            decision.choice += 1;
            if decision.choice >= there.choices {
                return there;
            }
            self.forget(there);
        }
    }

    fn leave_out(&self, e: EventId, left_out: &mut EventSet) {
        left_out.insert(e);
        for later in self.order.events_after(e) {
            if self.order.happens_before(e, later) {
                left_out.insert(later);
            }
        }
    }

    fn keep_all_but(&self, left_out: &EventSet, reversal: &mut Reversal) {
        reversal.at = left_out.first().unwrap_or(EventId(0));
        reversal.sequence.clear();
        let all = (reversal.at.index()..self.order.len()).map(EventId::at);
        reversal.sequence.extend(all.filter(|&e| !left_out.contains(e)));
    }

    /// The kept events that conflict with the operation of `thread` and are ordered neither before its
    /// previous event nor before another one of them.
    fn latest_conflicts(&mut self, thread: ThreadId, footprint: &Footprint, left_out: &EventSet) -> Races {
        let (mask, accesses) = (footprint.mask(), footprint.accesses());
        let mut own = None;
        let mut latest = Races::new();
        for e in self.order.events().rev() {
            if left_out.contains(e) {
                continue;
            }
            if self.order.event(e).thread() == thread {
                own = own.or(Some(e));
            } else if self.order.depends(e, mask, accesses)
                && !latest.iter().chain(&own).any(|&l| self.order.happens_before(e, l))
            {
                latest.push(e);
            }
        }
        latest
    }
}
