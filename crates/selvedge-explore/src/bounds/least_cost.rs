//! The least cost of a trace: of its linear extensions, the one with the fewest preemptions or delays.
//!
//! A linear extension is built step by step. Its state is how many events of each thread are in it: an *ideal* of the
//! trace. An event can be next when all events that happen before it are in. Whether a thread could go on at an ideal
//! decides what leaving it costs. That is known from the trace: its next operation could be performed if all before it
//! is in, or if nothing makes it wait; a mutex is free after the last of its events that are in; what is observed has to be
//! in. Only of an operation that waits for a condition ([`Blocking::Guard`]) it is not known without asking the program.
//!
//! *Prefixes.* Of a thread that has no more events in the trace it is not counted whether it could go on: more may come,
//! right then. So the cost of a trace is no less than that of its prefixes, and a prefix that costs too much can be
//! given up. (A linear extension of the longer trace, restricted to the events of the prefix, leaves a thread that has
//! events to come in the prefix where the longer one leaves it, in the same state as far as its next operation
//! is concerned: whatever that operation depends on and comes before it is in the prefix.) Of a
//! maximal trace it is counted; the threads left over then have [`Pending`] operations.

mod waits;

pub use waits::Waiting;

use crate::bounds::blocks::Blocks;
use crate::bounds::bound::{Bound, BoundKind};
use selvedge_trace::{AccessKind, Blocking, EventId, HappensBefore, ThreadId};
use std::collections::HashMap;
use std::ops::Range;
use waits::Waits;

/// States that are looked at before giving up.
const BUDGET: usize = 4_000;

/// What the threads do that have no more events in the trace.
#[derive(Clone, Copy, Debug)]
pub enum Pending<'p> {
    /// More events may come.
    Unknown,
    /// These operations, thread by thread, wait for good; threads without one have ended.
    Waiting(&'p [Option<Waiting>]),
}

/// A trace whose cost is asked for.
pub struct Question<'q> {
    /// Its events and their order.
    pub order: &'q HappensBefore,
    /// What the threads do that have no more events.
    pub pending: Pending<'q>,
    /// Answers whether a thread could go on after some events, of operations that wait for a condition.
    pub could_go_on: &'q mut dyn FnMut(&[EventId], ThreadId) -> bool,
}

/// Whether a trace is within a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is; the linear extension that shows it can be asked for.
    Within,
    /// The trace costs more than the bound.
    Over,
    /// It was too much work to find out.
    Unknown,
}

/// A state of the search: an ideal and the thread of the last step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Packed(u128, u32),
    Long(Box<[u32]>, u32),
}

/// Finds cheap linear extensions; keeps its memory from one use to the next.
#[derive(Debug, Default)]
pub struct LeastCost {
    blocks: Blocks,
    /// The events of each thread.
    by_thread: Vec<Vec<EventId>>,
    /// The linear extension being built.
    sequence: Vec<EventId>,
    ideal: Vec<u32>,
    /// What was left of the bound at the states looked at.
    seen: HashMap<Key, u32>,
    /// For each thread and number of its events that are in: after how many of the others it will have to be left.
    forced: Vec<Vec<u32>>,
    /// How many bits it takes to write down the number of events of each thread.
    bits: Vec<u32>,
    /// What was left of the bound at the end.
    left: u32,
    cost: u32,
    work: usize,
    gave_up: bool,
    waits: Waits,
    /// For each event: how many events of other threads it has to come after, and the event before it in its thread has not.
    needs: Vec<Range<u32>>,
    needed: Vec<(u32, u32)>,
    /// For each thread and number of its events that are in: whether one of the others may end a wait.
    ends_waits: Vec<Vec<bool>>,
    /// For each thread, at the state at hand, whether it could go on, as far as the price of a step depends on it.
    standing: Vec<bool>,
}

impl LeastCost {
    /// Whether a linear extension of the trace costs no more than the bound.
    pub fn ask(&mut self, mut question: Question, bound: Bound) -> Answer {
        if let Some(cuts) = cuts(&question, bound) {
            if !self.blocks.suffice(question.order, cuts) {
                return Answer::Over;
            }
            self.sequence = self.blocks.sequence();
            self.cost = bound.limit - (cuts - self.blocks.cuts());
            return Answer::Within;
        }
        self.start(&question);
        if self.extend(&mut question, bound.kind, bound.limit, None) {
            self.cost = bound.limit - self.left;
            return Answer::Within;
        }
        if self.gave_up { Answer::Unknown } else { Answer::Over }
    }

    /// What the linear extension found by [`ask`](Self::ask) costs.
    pub fn cost(&self) -> u32 {
        self.cost
    }

    /// The linear extension found by [`ask`](Self::ask).
    pub fn sequence(&self) -> &[EventId] {
        &self.sequence
    }

    fn start(&mut self, question: &Question) {
        let order = question.order;
        self.waits.start(order, question.pending);
        self.by_thread.resize(order.thread_count(), Vec::new());
        self.by_thread.iter_mut().for_each(Vec::clear);
        for e in order.events() {
            self.by_thread[order.event(e).thread().index()].push(e);
        }
        self.find_needs(order);
        self.find_ends();
        self.bits.clear();
        let lengths = self.by_thread.iter().map(|events| events.len() as u32);
        self.bits.extend(lengths.map(|length| u32::BITS - length.leading_zeros()));
        self.find_forced(order);
        self.sequence.clear();
        self.ideal.clear();
        self.ideal.resize(order.thread_count(), 0);
        self.seen.clear();
        self.work = 0;
        self.gave_up = false;
    }

    fn find_needs(&mut self, order: &HappensBefore) {
        self.needs.clear();
        self.needed.clear();
        for e in order.events() {
            let start = self.needed.len() as u32;
            let (clock, own) = (order.clock(e), order.event(e).thread().index());
            let known = order.previous(e).map(|previous| order.clock(previous));
            for (thread, &count) in clock.iter().enumerate() {
                if thread != own && count > known.map_or(0, |known| known[thread]) {
                    self.needed.push((thread as u32, count));
                }
            }
            self.needs.push(start..self.needed.len() as u32);
        }
    }

    fn find_ends(&mut self) {
        self.ends_waits.resize(self.by_thread.len(), Vec::new());
        for (ends, events) in self.ends_waits.iter_mut().zip(&self.by_thread) {
            ends.clear();
            ends.resize(events.len() + 1, false);
            for (i, &e) in events.iter().enumerate().rev() {
                ends[i] = ends[i + 1] || self.waits.ends(e);
            }
        }
    }

    fn find_forced(&mut self, order: &HappensBefore) {
        self.forced.resize(order.thread_count(), Vec::new());
        for (forced, events) in self.forced.iter_mut().zip(&self.by_thread) {
            // The gap after event i counts as long as i is not in.
            forced.clear();
            forced.resize(events.len() + 1, 0);
            for i in (1..events.len()).rev() {
                forced[i - 1] = forced[i] + u32::from(is_left_before(order, events[i]));
            }
        }
    }

    /// What the rest costs at least: preemptions that every linear extension has.
    fn at_least(&self, kind: BoundKind) -> u32 {
        match kind {
            BoundKind::Preemptions | BoundKind::Switches => {
                self.forced.iter().zip(&self.ideal).map(|(forced, &count)| forced[count as usize]).sum()
            }
            BoundKind::Delays => 0,
        }
    }

    /// Extends the sequence to the end at no more than `left`; takes everything back if that is impossible.
    fn extend(
        &mut self,
        question: &mut Question,
        kind: BoundKind,
        left: u32,
        last: Option<ThreadId>,
    ) -> bool {
        let order = question.order;
        if self.sequence.len() == order.len() {
            self.left = left;
            return true;
        }
        let known = self.sequence.len();
        // A thread that is running and can go on loses nothing by doing so, unless it lets others go on.
        while let Some(thread) = last
            && let Some(e) = self.next_ready(thread)
            && !self.waits.ends(e)
        {
            self.add(thread, e);
        }
        if self.sequence.len() == order.len() {
            self.left = left;
            return true;
        }
        let done = self.branch(question, kind, left, last);
        if !done {
            while self.sequence.len() > known {
                self.take_back(order);
            }
        }
        done
    }

    fn branch(
        &mut self,
        question: &mut Question,
        kind: BoundKind,
        left: u32,
        last: Option<ThreadId>,
    ) -> bool {
        let order = question.order;
        if self.at_least(kind) > left {
            return false;
        }
        let key = self.key(last);
        if self.seen.get(&key).is_some_and(|&before| before >= left) {
            return false;
        }
        self.work += 1;
        if self.work > BUDGET {
            self.gave_up = true;
            return false;
        }
        self.seen.insert(key, left);
        let threads = order.thread_count();
        let start = last.map_or(0, ThreadId::index);
        self.note_standing(question, kind, last);
        let round = (0..threads).map(|i| ThreadId::at((start + i) % threads));
        let mut candidates: Vec<(u32, usize, ThreadId)> = round
            .filter_map(|thread| {
                self.next_ready(thread)?;
                let price = kind.price(threads, last, thread, |t| self.standing[t.index()]);
                (price <= left).then(|| (price, self.rest_after_running(question, thread), thread))
            })
            .collect();
        candidates.sort_by_key(|&(price, rest, _)| (price, rest));
        if kind != BoundKind::Delays && candidates.first().is_some_and(|first| first.1 == 0) {
            // It costs no more than anything else, ends the thread, and lets no other thread go on: there is nothing better.
            candidates.truncate(1);
        }
        candidates.into_iter().any(|(price, _, thread)| {
            let Some(e) = self.next_ready(thread) else { return false };
            self.add(thread, e);
            let done = self.extend(question, kind, left - price, Some(thread));
            if !done {
                self.take_back(order);
            }
            done
        })
    }

    /// Finds out who could go on, of those that may have to be paid for.
    fn note_standing(&mut self, question: &mut Question, kind: BoundKind, last: Option<ThreadId>) {
        self.standing.clear();
        self.standing.resize(question.order.thread_count(), false);
        match kind {
            BoundKind::Switches => {}
            BoundKind::Preemptions => {
                if let Some(last) = last {
                    self.standing[last.index()] = self.can_go_on(question, last);
                }
            }
            BoundKind::Delays => {
                for thread in (0..question.order.thread_count()).map(ThreadId::at) {
                    self.standing[thread.index()] = self.can_go_on(question, thread);
                }
            }
        }
    }

    /// How many events of a thread are left when it runs from now on as long as it can, not counting on others; one more
    /// if it lets others go on or has to wait in the end.
    fn rest_after_running(&self, question: &Question, thread: ThreadId) -> usize {
        let known = self.ideal[thread.index()] as usize;
        let events = &self.by_thread[thread.index()][known..];
        let ready = events.iter().take_while(|&&e| self.is_ready(e)).count();
        let lets_go_on = self.ends_waits[thread.index()][known];
        let waits =
            matches!(question.pending, Pending::Waiting(operations) if operations[thread.index()].is_some());
        events.len() - ready + usize::from(lets_go_on || waits)
    }

    /// The present state, written down in few bits if possible.
    fn key(&self, last: Option<ThreadId>) -> Key {
        let last = last.map_or(u32::MAX, |last| last.0);
        if self.bits.iter().sum::<u32>() > u128::BITS {
            return Key::Long(self.ideal.clone().into_boxed_slice(), last);
        }
        let packed = self.ideal.iter().zip(&self.bits);
        Key::Packed(packed.fold(0, |packed, (&count, &bits)| packed << bits | u128::from(count)), last)
    }

    /// The next event of a thread, if everything that happens before it is in.
    fn next_ready(&self, thread: ThreadId) -> Option<EventId> {
        let e = *self.by_thread[thread.index()].get(self.ideal[thread.index()] as usize)?;
        self.is_ready(e).then_some(e)
    }

    /// Whether all events of other threads that happen before an event are in, if all of its own thread are.
    fn is_ready(&self, e: EventId) -> bool {
        let Range { start, end } = self.needs[e.index()];
        let needed = &self.needed[start as usize..end as usize];
        needed.iter().all(|&(thread, count)| count <= self.ideal[thread as usize])
    }

    fn add(&mut self, thread: ThreadId, e: EventId) {
        self.ideal[thread.index()] += 1;
        self.sequence.push(e);
    }

    fn take_back(&mut self, order: &HappensBefore) {
        if let Some(e) = self.sequence.pop() {
            self.ideal[order.event(e).thread().index()] -= 1;
        }
    }

    /// Whether a thread could go on at the present ideal, as far as it counts.
    fn can_go_on(&mut self, question: &mut Question, thread: ThreadId) -> bool {
        let order = question.order;
        if self.next_ready(thread).is_some() {
            return true;
        }
        let next = self.by_thread[thread.index()].get(self.ideal[thread.index()] as usize).copied();
        let (blocking, variation, accesses) = match (next, question.pending) {
            (Some(e), _) => (order.event(e).blocking, order.event(e).variation, order.accesses(e)),
            (None, Pending::Unknown) => return false,
            (None, Pending::Waiting(operations)) => match &operations[thread.index()] {
                None | Some(Waiting { blocking: Blocking::Never, .. }) => return false,
                Some(Waiting { blocking, variation, accesses }) => (*blocking, *variation, &accesses[..]),
            },
        };
        let LeastCost { waits, ideal, sequence, .. } = self;
        match blocking {
            Blocking::Guard => waits.holds(order, ideal, thread, (variation, accesses), || {
                (question.could_go_on)(sequence, thread)
            }),
            _ => waits.could_be_performed(order, ideal, (blocking, accesses), next),
        }
    }

    /// Forgets what is known of traces with more events than these, which are taken back.
    pub fn forget(&mut self, length: usize) {
        self.waits.forget(length);
    }
}

/// How many cuts the threads of a trace in which nothing waits may have; nothing of others.
fn cuts(question: &Question, bound: Bound) -> Option<u32> {
    let order = question.order;
    let waits = |e: EventId| {
        order.event(e).blocking != Blocking::Never
            || order.previous(e).is_some()
                && order.accesses(e).iter().any(|access| access.kind == AccessKind::Observe)
    };
    if matches!(question.pending, Pending::Waiting(operations) if operations.iter().any(Option::is_some))
        || order.events().any(waits)
    {
        return None;
    }
    let threads = (0..order.thread_count()).filter(|&t| order.latest_of(ThreadId::at(t)).is_some()).count();
    match bound.kind {
        BoundKind::Preemptions => Some(bound.limit),
        BoundKind::Switches => bound.limit.checked_sub(threads as u32 - 1),
        BoundKind::Delays => None,
    }
}

/// Whether every execution leaves the thread of an event before it, though it could go on: another thread's event comes
/// between it and the one before in its thread.
pub fn is_left_before(order: &HappensBefore, e: EventId) -> bool {
    let event = order.event(e);
    let Some(previous) = order.previous(e) else { return false };
    let waits = event.blocking != Blocking::Never
        || order.accesses(e).iter().any(|access| access.kind == AccessKind::Observe);
    if waits {
        return false;
    }
    let thread = event.thread().index();
    let (clock, index) = (order.clock(e), order.event(previous).index);
    // If any event of a thread comes between them, the last one before `e` does.
    order.events().take(e.index()).skip(previous.index() + 1).any(|between| {
        let other = order.event(between);
        clock[other.thread().index()] == other.index
            && other.thread().index() != thread
            && order.clock(between)[thread] >= index
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_trace::{Decision, Footprint, LocationId};

    /// An execution: threads with the locations that they access.
    fn order(threads: usize, events: &[(u32, u32, AccessKind)]) -> HappensBefore {
        let mut order = HappensBefore::new(threads);
        for &(thread, location, kind) in events {
            let mut footprint = Footprint::default();
            footprint.record(LocationId(location), kind);
            if kind == AccessKind::Acquire {
                footprint.blocking = Blocking::Acquire;
            }
            order.push(Decision { thread: ThreadId(thread), choice: 0 }, &footprint);
        }
        order
    }

    fn ask(order: &HappensBefore, pending: Pending, bound: Bound) -> Answer {
        LeastCost::default().ask(Question { order, pending, could_go_on: &mut |_, _| false }, bound)
    }

    fn least(order: &HappensBefore, kind: BoundKind) -> u32 {
        let ended = vec![None; order.thread_count()];
        (0..)
            .find(|&limit| {
                let answer = ask(order, Pending::Waiting(&ended), Bound { kind, limit });
                answer == Answer::Within
            })
            .expect("some bound suffices")
    }

    use AccessKind::{Acquire, Read, Release, Write};

    #[test]
    fn independent_switches_can_be_avoided() {
        let trace = order(2, &[(0, 0, Write), (1, 1, Write), (0, 0, Write), (1, 1, Write)]);
        assert_eq!(least(&trace, BoundKind::Preemptions), 0);
    }

    #[test]
    fn a_write_between_two_reads_is_a_preemption() {
        let trace = order(2, &[(0, 0, Read), (1, 0, Write), (0, 0, Read)]);
        assert_eq!(least(&trace, BoundKind::Preemptions), 1);
        assert_eq!(least(&trace, BoundKind::Delays), 1);
    }

    #[test]
    fn a_thread_that_waits_for_a_mutex_is_left_for_free() {
        // Thread 1 takes the mutex between two sections of thread 0, which wants it again.
        let trace = order(
            2,
            &[
                (1, 9, Acquire),
                (0, 0, Read),
                (1, 1, Write),
                (1, 9, Release),
                (0, 9, Acquire),
                (0, 9, Release),
            ],
        );
        assert_eq!(least(&trace, BoundKind::Preemptions), 0);
        // Thread 1 reads what thread 0 wrote before it waited.
        let trace = order(
            2,
            &[
                (1, 9, Acquire),
                (0, 0, Write),
                (1, 0, Read),
                (1, 9, Release),
                (0, 9, Acquire),
                (0, 9, Release),
            ],
        );
        assert_eq!(least(&trace, BoundKind::Preemptions), 1);
    }

    #[test]
    fn a_thread_may_be_left_before_it_spawns_another() {
        // Thread 0 starts threads 1 and 2. If thread 1 writes before thread 2 is there, only thread 0 is passed over.
        let events: [(u32, &[(u32, AccessKind)]); 5] = [
            (0, &[(8, Write)]),
            (0, &[(9, Write)]),
            (1, &[(8, AccessKind::Observe), (0, Write)]),
            (0, &[(0, Write)]),
            (2, &[(9, AccessKind::Observe), (0, Write)]),
        ];
        let mut trace = HappensBefore::new(3);
        for (thread, accesses) in events {
            let mut footprint = Footprint::default();
            accesses.iter().for_each(|&(location, kind)| footprint.record(LocationId(location), kind));
            trace.push(Decision { thread: ThreadId(thread), choice: 0 }, &footprint);
        }
        assert_eq!(least(&trace, BoundKind::Delays), 1);
    }

    #[test]
    fn a_prefix_costs_no_more_than_what_it_is_a_prefix_of() {
        let events = [(0, 0, Write), (1, 0, Read), (1, 1, Write), (0, 1, Read), (1, 0, Write), (0, 0, Read)];
        let bound = |limit| Bound { kind: BoundKind::Preemptions, limit };
        let mut before = 0;
        for length in 1..=events.len() {
            let prefix = order(2, &events[..length]);
            let within = |&limit: &u32| ask(&prefix, Pending::Unknown, bound(limit)) == Answer::Within;
            let cost = (0..).find(within).expect("some bound suffices");
            assert!(cost >= before, "{length}: {cost} < {before}");
            before = cost;
        }
        assert_eq!(before, 1);
    }
}
