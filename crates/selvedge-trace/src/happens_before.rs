//! The happens-before relation of the current execution, kept while events are pushed and popped.
//!
//! Happens-before is the least partial order that holds program order and orders every two conflicting accesses
//! as they were executed. Each event has a vector clock: entry `t` counts the events of thread `t` that happen
//! before it, itself included. Accesses to one location form a chain from the latest backwards, so that
//! pushing an event looks only at the accesses it may be adjacent to, and popping it restores the chains.
//! All of this lives in flat arrays that grow with the length of the execution; nothing is allocated per event.

use crate::footprint::conflicting;
use crate::{
    Access, AccessKind, Blocking, Decision, EventId, Finding, Footprint, LocationMask, ThreadId, Variation,
};

const NONE: u32 = u32::MAX;

/// Entries of clocks that are compared at once; each clock has a multiple of them.
const LANES: usize = 4;

/// An operation that was performed.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// The thread that performed it, with its choice.
    pub decision: Decision,
    /// How many events of its thread came up to it, itself included.
    pub index: u32,
    /// What it accessed, as a quick test.
    pub mask: LocationMask,
    /// Whether it might have had to wait.
    pub blocking: Blocking,
    /// Whether its accesses depended on the state.
    pub variation: Variation,
    finding: u32,
    previous: u32,
    accesses: u32,
    races: u32,
}

impl Event {
    /// The thread that performed it.
    pub fn thread(&self) -> ThreadId {
        self.decision.thread
    }
}

#[derive(Clone, Copy, Debug)]
struct Link {
    event: u32,
    previous: u32,
}

/// The events of one execution and the order between them.
#[derive(Clone, Debug)]
pub struct HappensBefore {
    threads: usize,
    /// How many entries a clock has; those that belong to no thread are 0.
    stride: usize,
    events: Vec<Event>,
    clocks: Vec<u32>,
    accesses: Vec<Access>,
    links: Vec<Link>,
    latest_access: Vec<u32>,
    latest_event: Vec<u32>,
    races: Vec<EventId>,
    /// For each event, in how many races it is the earlier one.
    later_races: Vec<u32>,
    findings: Vec<Finding>,
    adjacent: Vec<u32>,
    /// Pairs of accesses compared so far.
    pub dependency_checks: u64,
    /// Pairs of dependent events looked at so far: do they race?
    pub race_checks: u64,
}

/// Room for a small execution from the beginning: most checks of a test suite have only such.
const ROOM: usize = 32;

impl HappensBefore {
    /// The order of the empty execution of a program with that many threads.
    pub fn new(threads: usize) -> Self {
        let stride = threads.next_multiple_of(LANES);
        HappensBefore {
            threads,
            stride,
            events: Vec::with_capacity(ROOM),
            clocks: Vec::with_capacity(ROOM * stride),
            accesses: Vec::with_capacity(ROOM),
            links: Vec::with_capacity(ROOM),
            latest_access: Vec::with_capacity(ROOM),
            latest_event: vec![NONE; threads],
            races: Vec::with_capacity(ROOM),
            later_races: Vec::with_capacity(ROOM),
            findings: Vec::new(),
            adjacent: Vec::new(),
            dependency_checks: 0,
            race_checks: 0,
        }
    }

    /// Makes this the order of the empty execution of a program with that many threads, in the room that it has.
    pub fn clear(&mut self, threads: usize) {
        self.threads = threads;
        self.stride = threads.next_multiple_of(LANES);
        self.events.clear();
        self.clocks.clear();
        self.accesses.clear();
        self.links.clear();
        self.latest_access.clear();
        self.latest_event.clear();
        self.latest_event.resize(threads, NONE);
        self.races.clear();
        self.later_races.clear();
        self.findings.clear();
        self.adjacent.clear();
        (self.dependency_checks, self.race_checks) = (0, 0);
    }

    /// How many events have room, and how many locations.
    pub fn room(&self) -> (usize, usize) {
        (self.events.capacity(), self.latest_access.capacity())
    }

    /// The number of threads.
    pub fn thread_count(&self) -> usize {
        self.threads
    }

    /// Makes room for threads that appeared during the execution.
    pub fn grow(&mut self, threads: usize) {
        if threads <= self.threads {
            return;
        }
        self.latest_event.resize(threads, NONE);
        self.threads = threads;
        let (old, stride) = (self.stride, threads.next_multiple_of(LANES));
        if stride == old {
            return;
        }
        // From the last event to the first, so that nothing is overwritten before it is moved.
        self.clocks.resize(self.events.len() * stride, 0);
        for e in (0..self.events.len()).rev() {
            self.clocks.copy_within(e * old..(e + 1) * old, e * stride);
            self.clocks[e * stride + old..(e + 1) * stride].fill(0);
        }
        self.stride = stride;
    }

    /// The number of events.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether nothing has happened yet.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// All events in the order of execution.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = EventId> + use<> {
        (0..self.events.len()).map(EventId::at)
    }

    /// The events after `e` in the order of execution.
    pub fn events_after(&self, e: EventId) -> impl DoubleEndedIterator<Item = EventId> + use<> {
        (e.index() + 1..self.events.len()).map(EventId::at)
    }

    /// An event.
    #[inline]
    pub fn event(&self, e: EventId) -> &Event {
        &self.events[e.index()]
    }

    /// What an event accessed.
    #[inline]
    pub fn accesses(&self, e: EventId) -> &[Access] {
        let start = self.events[e.index()].accesses as usize;
        let end = self.events.get(e.index() + 1).map_or(self.accesses.len(), |next| next.accesses as usize);
        &self.accesses[start..end]
    }

    /// What an event found, if it accessed one number.
    pub fn finding(&self, e: EventId) -> Option<Finding> {
        self.findings.get(self.events[e.index()].finding as usize).copied()
    }

    /// The vector clock of an event.
    #[inline]
    pub fn clock(&self, e: EventId) -> &[u32] {
        &self.clocks[e.index() * self.stride..][..self.threads]
    }

    /// The latest event of a thread.
    pub fn latest_of(&self, thread: ThreadId) -> Option<EventId> {
        let latest = self.latest_event[thread.index()];
        (latest != NONE).then_some(EventId(latest))
    }

    /// The event of the same thread before `e`.
    pub fn previous(&self, e: EventId) -> Option<EventId> {
        let previous = self.events[e.index()].previous;
        (previous != NONE).then_some(EventId(previous))
    }

    /// Whether `a` happens before `b` or is `b`; `a` must not come after `b` in the execution.
    #[inline]
    pub fn happens_before(&self, a: EventId, b: EventId) -> bool {
        let first = &self.events[a.index()];
        self.clocks[b.index() * self.stride + first.thread().index()] >= first.index
    }

    /// The events with which `e` is in a race, latest first: dependent and not ordered by anything else. Without
    /// them `e` could have been performed, unless its blocking is [`Blocking::Guard`]: then it is a question
    /// to the program.
    #[inline]
    pub fn races(&self, e: EventId) -> &[EventId] {
        &self.races[self.race_numbers(e)]
    }

    /// The numbers of the races of `e` among all races on the path.
    pub fn race_numbers(&self, e: EventId) -> std::ops::Range<usize> {
        let start = self.events[e.index()].races as usize;
        start..self.events.get(e.index() + 1).map_or(self.races.len(), |next| next.races as usize)
    }

    /// The earlier event of the race with the given number.
    pub fn race(&self, number: usize) -> EventId {
        self.races[number]
    }

    /// Whether a later event races with `e`, so that there is something to reverse at it.
    #[inline]
    pub fn is_raced(&self, e: EventId) -> bool {
        self.later_races[e.index()] > 0
    }

    /// The number of races on the path.
    pub fn race_count(&self) -> usize {
        self.races.len()
    }

    /// Whether an event and an operation of another thread with the given accesses are dependent.
    #[inline]
    pub fn depends(&mut self, e: EventId, mask: LocationMask, accesses: &[Access]) -> bool {
        self.dependency_checks += 1;
        self.events[e.index()].mask.may_conflict(mask) && conflicting(self.accesses(e), accesses)
    }

    /// Appends an event.
    pub fn push(&mut self, decision: Decision, footprint: &Footprint) -> EventId {
        let id = self.events.len();
        let thread = decision.thread.index();
        let previous = self.latest_event[thread];
        let start = id * self.stride;
        let index = match previous {
            NONE => {
                self.clocks.resize(start + self.stride, 0);
                1
            }
            p => {
                let p = p as usize;
                self.clocks.extend_from_within(p * self.stride..(p + 1) * self.stride);
                self.events[p].index + 1
            }
        };
        self.events.push(Event {
            decision,
            index,
            mask: footprint.mask(),
            blocking: footprint.blocking,
            variation: footprint.variation,
            finding: footprint.finding.map_or(NONE, |_| self.findings.len() as u32),
            previous,
            accesses: self.accesses.len() as u32,
            races: self.races.len() as u32,
        });
        self.findings.extend(footprint.finding);
        self.clocks[start + thread] = index;
        if footprint.observes() {
            self.order_after_observed(id, footprint);
        }
        self.order_after_conflicting(id, footprint);
        self.later_races.push(0);
        for &earlier in &self.races[self.events[id].races as usize..] {
            self.later_races[earlier.index()] += 1;
        }
        self.link(id, footprint);
        self.latest_event[thread] = id as u32;
        EventId::at(id)
    }

    /// Removes the last event.
    ///
    /// # Panics
    /// When there is none.
    pub fn pop(&mut self) {
        let event = self.events.pop().expect("pop needs an event");
        self.clocks.truncate(self.events.len() * self.stride);
        for earlier in self.races.drain(event.races as usize..) {
            self.later_races[earlier.index()] -= 1;
        }
        self.later_races.pop();
        if event.finding != NONE {
            self.findings.pop();
        }
        self.latest_event[event.thread().index()] = event.previous;
        for i in (event.accesses as usize..self.accesses.len()).rev() {
            self.latest_access[self.accesses[i].location.0 as usize] = self.links[i].previous;
        }
        self.accesses.truncate(event.accesses as usize);
        self.links.truncate(event.accesses as usize);
    }

    /// Joins the clocks of the posts that the event observed. These orders cannot be reversed, so they come
    /// first: what they imply is no race.
    fn order_after_observed(&mut self, id: usize, footprint: &Footprint) {
        for &access in footprint.accesses() {
            if access.kind == AccessKind::Observe {
                let mut at = self.latest_access_to(access);
                while let Some(post) = self.next_adjacent(id, access, &mut at) {
                    self.join_clock(id, post as usize);
                }
            }
        }
    }

    /// Joins the clocks of the conflicting events and notes which of them race with the event.
    fn order_after_conflicting(&mut self, id: usize, footprint: &Footprint) {
        for &access in footprint.accesses() {
            if access.kind != AccessKind::Observe {
                let mut at = self.latest_access_to(access);
                while let Some(event) = self.next_adjacent(id, access, &mut at) {
                    self.adjacent.push(event);
                }
            }
        }
        if footprint.blocking == Blocking::Acquire {
            self.note_races_for_mutex(id, footprint);
        }
        let mut adjacent = std::mem::take(&mut self.adjacent);
        if adjacent.len() > 1 {
            adjacent.sort_unstable_by(|a, b| b.cmp(a));
        }
        for &e in &adjacent {
            self.race_checks += 1;
            if self.is_ordered(e, id) {
                continue;
            }
            if footprint.blocking != Blocking::Acquire {
                self.races.push(EventId(e));
            }
            self.join_clock(id, e as usize);
        }
        adjacent.clear();
        self.adjacent = adjacent;
    }

    /// Whether an event happens before the one being pushed by what is known so far.
    #[inline]
    fn is_ordered(&self, e: u32, id: usize) -> bool {
        let earlier = &self.events[e as usize];
        self.clocks[id * self.stride + earlier.thread().index()] >= earlier.index
    }

    /// An operation that takes a mutex does not race with the release that let it through. If somebody has
    /// looked at the free mutex since, it races with that; otherwise with the acquisition before the release: just
    /// before it, the mutex was free. So it does if the mutex is still held.
    fn note_races_for_mutex(&mut self, id: usize, footprint: &Footprint) {
        let acquires = |access: &&Access| access.kind == AccessKind::Acquire;
        let Some(mutex) = footprint.accesses().iter().find(acquires) else { return };
        let first_race = self.races.len();
        let mut is_free = false;
        let mut at = self.latest_access_to(*mutex);
        while at != NONE {
            let Link { event, previous } = self.links[at as usize];
            self.race_checks += 1;
            let is_race = !self.is_ordered(event, id);
            match self.accesses[at as usize].kind {
                AccessKind::Read if !is_free && is_race => self.races.push(EventId(event)),
                AccessKind::Read | AccessKind::Retake => {}
                AccessKind::Release if self.races.len() == first_race => is_free = true,
                // An event that took and freed the mutex: free before and after.
                AccessKind::Write if self.races.len() > first_race => return,
                AccessKind::Acquire | AccessKind::Write => {
                    if !is_free {
                        self.races.truncate(first_race);
                    }
                    self.races.extend(is_race.then_some(EventId(event)));
                    return;
                }
                _ => return,
            }
            at = previous;
        }
    }

    #[inline]
    fn latest_access_to(&self, access: Access) -> u32 {
        self.latest_access.get(access.location.0 as usize).copied().unwrap_or(NONE)
    }

    /// The next event of another thread that conflicts with an access of event `id`, from the access at `at` backwards, up to
    /// those that are ordered before it through such an event or an own one anyway.
    #[inline]
    fn next_adjacent(&mut self, id: usize, access: Access, at: &mut u32) -> Option<u32> {
        let own = self.events[id].thread();
        while *at != NONE {
            let link = self.links[*at as usize];
            let earlier = self.accesses[*at as usize].kind;
            let is_own = self.events[link.event as usize].thread() == own;
            self.dependency_checks += 1;
            let own_covers = match access.kind {
                AccessKind::Post => earlier == AccessKind::Post,
                kind => kind.is_read() && earlier.is_read(),
            };
            *at = if earlier.is_write() || is_own && own_covers { NONE } else { link.previous };
            if !is_own && access.kind.conflicts_with(earlier) {
                return Some(link.event);
            }
        }
        None
    }

    #[inline]
    fn join_clock(&mut self, id: usize, earlier: usize) {
        let (before, own) = self.clocks.split_at_mut(id * self.stride);
        let (mine, _) = own.as_chunks_mut::<LANES>();
        let (theirs, _) = before[earlier * self.stride..][..self.stride].as_chunks::<LANES>();
        for (mine, theirs) in mine.iter_mut().zip(theirs) {
            *mine = std::array::from_fn(|i| mine[i].max(theirs[i]));
        }
    }

    fn link(&mut self, id: usize, footprint: &Footprint) {
        let first = self.accesses.len() as u32;
        self.accesses.extend_from_slice(footprint.accesses());
        for (number, access) in (first..).zip(footprint.accesses()) {
            let location = access.location.0 as usize;
            if location >= self.latest_access.len() {
                self.latest_access.resize(location + 1, NONE);
            }
            let previous = std::mem::replace(&mut self.latest_access[location], number);
            self.links.push(Link { event: id as u32, previous });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LocationId, Trace};

    fn push(order: &mut HappensBefore, thread: u32, accesses: &[(u32, AccessKind)]) -> EventId {
        let mut footprint = Footprint::default();
        for &(location, kind) in accesses {
            footprint.record(LocationId(location), kind);
        }
        if accesses.iter().any(|a| a.1 == AccessKind::Acquire) {
            footprint.blocking = Blocking::Acquire;
        }
        order.push(Decision { thread: ThreadId(thread), choice: 0 }, &footprint)
    }

    use AccessKind::{Acquire, Observe, Post, Read, Release, Write};

    #[test]
    fn a_write_races_with_the_reads_since_the_last_write() {
        let mut order = HappensBefore::new(3);
        let w = push(&mut order, 0, &[(0, Write)]);
        let r1 = push(&mut order, 1, &[(0, Read)]);
        let r2 = push(&mut order, 2, &[(0, Read)]);
        let w2 = push(&mut order, 0, &[(0, Write)]);
        assert_eq!(order.races(r1), [w]);
        assert_eq!(order.races(r2), [w]);
        assert_eq!(order.races(w2), [r2, r1]);
        assert!(order.is_raced(w) && order.is_raced(r1) && !order.is_raced(w2));
        assert!(!order.happens_before(r1, r2));
        assert!(order.happens_before(w, w2));
        order.pop();
        assert!(order.is_raced(w) && !order.is_raced(r1));
    }

    #[test]
    fn an_acquisition_races_with_the_acquisition_before_not_with_the_release() {
        let mut order = HappensBefore::new(2);
        let first = push(&mut order, 0, &[(0, Acquire)]);
        let release = push(&mut order, 0, &[(0, Release)]);
        let second = push(&mut order, 1, &[(0, Acquire)]);
        assert_eq!(order.races(second), [first]);
        assert!(order.happens_before(release, second));
    }

    #[test]
    fn what_an_observation_waits_for_is_ordered_and_no_race() {
        let mut order = HappensBefore::new(3);
        let a = push(&mut order, 0, &[(0, Post), (1, Write)]);
        let b = push(&mut order, 1, &[(0, Post)]);
        let pass = push(&mut order, 2, &[(0, Observe), (1, Read)]);
        assert!(!order.happens_before(a, b));
        assert!(order.happens_before(a, pass) && order.happens_before(b, pass));
        assert_eq!(order.races(pass), []);
    }

    #[test]
    fn threads_that_appear_later_change_nothing_before() {
        let mut order = HappensBefore::new(1);
        let a = push(&mut order, 0, &[(0, Write)]);
        let b = push(&mut order, 0, &[(1, Post)]);
        let before = Trace::of(&order);
        order.grow(3);
        assert_eq!(Trace::of(&order), before);
        let c = push(&mut order, 2, &[(1, Observe), (0, Read)]);
        assert!(order.happens_before(a, c) && order.happens_before(b, c));
        assert_eq!(order.races(c), []);
        assert_eq!(order.clock(c), [2, 0, 1]);
    }

    #[test]
    fn equivalent_executions_have_one_canonical_form_and_popping_restores_it() {
        let mut order = HappensBefore::new(2);
        push(&mut order, 0, &[(0, Write)]);
        push(&mut order, 1, &[(1, Write)]);
        let one = Trace::of(&order);
        push(&mut order, 1, &[(0, Read)]);
        let longer = Trace::of(&order);
        order.pop();
        assert_eq!(Trace::of(&order), one);
        order.pop();
        order.pop();
        push(&mut order, 1, &[(1, Write)]);
        push(&mut order, 0, &[(0, Write)]);
        assert_eq!(Trace::of(&order), one);
        push(&mut order, 1, &[(0, Read)]);
        assert_eq!(Trace::of(&order), longer);
    }
}
