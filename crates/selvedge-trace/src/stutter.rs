//! Stuttering: parts of an execution that lead from a state to the same state, and can be left out.
//!
//! A thread that waits in a loop comes back to where it was. If its round wrote nothing, no thread can distinguish whether it happened. If it wrote
//! something and took that back, others may have seen it in between; then the round is part of what they did. What can be left out in
//! either case follows from the partial order.
//!
//! Let `P ⊂ Q` be sets of events of an execution `E`, both closed under predecessors in happens-before. Then `E` is equivalent
//! to `P · D · R` with `D = Q \ P`. If every thread with events in `D` is in the same local state after `P` and after `Q`, and so is the
//! memory, then `P · R` is an execution, too; it ends in the same state as `E`, and it is shorter.
//!
//! So whatever can be reached can be reached by an execution without such a part: leave one out, and go on. A search may thus let a thread that
//! has come to the end of one wait as long as it likes, for ever if need be, and loses no state in which the program ends, fails or
//! is stuck. If there are finitely many states, a thread passes finitely many of them before it comes to the end of such a part; so loops that disturb each
//! other come to rest, too.
//!
//! Here `Q` is the past of the latest event of a thread, and `P` contains its past at an earlier point. Both, and so the answer, are the same in all
//! executions of one Mazurkiewicz trace, and they depend on nothing but the thread's own past: a thread that waits for this
//! reason is disabled by nothing that is independent of it, as the algorithms need it.
//!
//! Among all `P` the [`Log`] finds the least one that leaves every thread in the state that it has after `Q`, if there is one. The memory is for
//! whoever asks to compare. By sums: each write to a location adds the new content and takes the old one away. Writes that do not commute are all
//! ordered, so that none of others lies between those of `D`; of those that do commute, like counting the readers of a lock, the sum is
//! all that matters.

use crate::footprint::conflicting;
use crate::{Access, ThreadId};
use std::ops::Range;

/// The events of an execution with their order, found when it is asked for.
#[derive(Debug, Default)]
pub struct Log {
    /// Thread, where the accesses end, and where the clock is.
    events: Vec<(ThreadId, usize, Range<usize>)>,
    accesses: Vec<Access>,
    /// For each thread: the numbers of its events.
    own: Vec<Vec<usize>>,
    /// For each event that is ordered: how many events of each thread are before it, itself included.
    clocks: Vec<u32>,
    ordered: usize,
}

/// How many events of each thread there are in a set that is closed under predecessors.
pub type Cut = Vec<u32>;

impl Log {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.events.clear();
        self.accesses.clear();
        self.own.iter_mut().for_each(Vec::clear);
        self.clocks.clear();
        self.ordered = 0;
    }

    /// Adds an event.
    #[inline]
    pub fn add(&mut self, thread: ThreadId, accesses: &[Access]) {
        self.make_room(thread);
        self.own[thread.index()].push(self.events.len());
        self.accesses.extend_from_slice(accesses);
        self.events.push((thread, self.accesses.len(), 0..0));
    }

    /// The latest event has more accesses, which order nothing that came before.
    #[inline]
    pub fn extend_last(&mut self, accesses: &[Access]) {
        if let Some((_, end, _)) = self.events.last_mut() {
            self.accesses.extend_from_slice(accesses);
            *end = self.accesses.len();
        }
    }

    /// Makes room for a thread.
    pub fn make_room(&mut self, thread: ThreadId) {
        if self.own.len() <= thread.index() {
            self.own.resize_with(thread.index() + 1, Vec::new);
        }
    }

    /// The number of events.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether there are no events.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The numbers of the events of a thread.
    pub fn own(&self, thread: ThreadId) -> &[usize] {
        self.own.get(thread.index()).map_or(&[], |own| own)
    }

    /// The thread of an event.
    pub fn thread(&self, event: usize) -> ThreadId {
        self.events[event].0
    }

    fn accesses(&self, event: usize) -> &[Access] {
        let start = event.checked_sub(1).map_or(0, |before| self.events[before].1);
        &self.accesses[start..self.events[event].1]
    }

    fn clock(&self, event: usize) -> &[u32] {
        &self.clocks[self.events[event].2.clone()]
    }

    /// Orders the events that were added since.
    pub fn order(&mut self) {
        let mut clock: Cut = Vec::new();
        for event in self.ordered..self.events.len() {
            let (thread, own) = (self.thread(event), self.own(self.thread(event)));
            let number = own.partition_point(|&earlier| earlier < event);
            clock.clear();
            clock.resize(self.own.len(), 0);
            if let Some(previous) = number.checked_sub(1) {
                join(&mut clock, self.clock(own[previous]));
            }
            for earlier in (0..event).rev() {
                let other = self.thread(earlier).index();
                let is_known = self.clock(earlier)[other] <= clock[other];
                if !is_known && conflicting(self.accesses(earlier), self.accesses(event)) {
                    join(&mut clock, self.clock(earlier));
                }
            }
            clock[thread.index()] = number as u32 + 1;
            let start = self.clocks.len();
            self.clocks.extend_from_slice(&clock);
            self.events[event].2 = start..self.clocks.len();
        }
        self.ordered = self.events.len();
    }

    /// The sets `P` and `Q` of a part of the execution after which all threads are in the same states as before, where `Q` is the past of the latest
    /// event of a thread, and `P` has just so many events of it. `is_same` says whether a thread is in the same state after so many of its events
    /// and after so many. All events must be ordered.
    pub fn part(
        &self,
        thread: ThreadId,
        events: usize,
        is_same: impl Fn(ThreadId, usize, usize) -> bool,
    ) -> Option<(Cut, Cut)> {
        let own = self.own(thread);
        let mut after = self.clock(*own.last()?).to_vec();
        after.resize(self.own.len(), 0);
        let mut before = vec![0; after.len()];
        if let Some(previous) = events.checked_sub(1) {
            join(&mut before, self.clock(own[previous]));
        }
        let mut other = 0;
        while other < before.len() {
            let (id, all) = (ThreadId::at(other), after[other] as usize);
            let is_at_rest = |count: usize| count == all || is_same(id, count, all);
            if id == thread || is_at_rest(before[other] as usize) {
                other += 1;
                continue;
            }
            // There is a next such state, if only the last one; what comes before it moves along.
            let next = (before[other] as usize + 1..=all).find(|&count| is_at_rest(count))?;
            join(&mut before, self.clock(self.own[other][next - 1]));
            if before[thread.index()] as usize > events {
                return None;
            }
            other = 0;
        }
        Some((before, after))
    }

    /// Whether an event is in the one set and not in the other.
    pub fn is_between(&self, event: usize, (before, after): (&Cut, &Cut)) -> bool {
        let thread = self.thread(event).index();
        let number = self.clock(event)[thread];
        before[thread] < number && number <= after[thread]
    }
}

fn join(clock: &mut [u32], other: &[u32]) {
    clock.iter_mut().zip(other).for_each(|(own, &theirs)| *own = (*own).max(theirs));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AccessKind, LocationId};
    use AccessKind::{Read, Write};

    fn log(events: &[(u32, u32, AccessKind)]) -> Log {
        let mut log = Log::default();
        for &(thread, at, kind) in events {
            log.add(ThreadId(thread), &[Access { location: LocationId(at), kind }]);
        }
        log.order();
        log
    }

    #[test]
    fn a_reader_of_a_temporary_value_belongs_to_the_round() {
        let observed = log(&[(0, 0, Write), (1, 0, Read), (0, 0, Write)]);
        // A thread that reads it goes on, or it does not.
        assert_eq!(observed.part(ThreadId(0), 0, |_, _, _| false), None);
        assert_eq!(observed.part(ThreadId(0), 0, |_, _, _| true), Some((vec![0, 0], vec![2, 1])));
    }

    #[test]
    fn what_can_come_before_the_round_is_not_part_of_it() {
        let log = log(&[(0, 0, Write), (1, 1, Write), (0, 1, Read), (0, 0, Write)]);
        assert_eq!(log.part(ThreadId(0), 0, |_, _, _| false), Some((vec![0, 1], vec![3, 1])));
        let cuts = (&vec![0, 1], &vec![3, 1]);
        assert!([0, 2, 3].into_iter().all(|event| log.is_between(event, cuts)) && !log.is_between(1, cuts));
    }

    #[test]
    fn order_goes_through_other_threads() {
        let events = [(0, 0, Write), (1, 0, Read), (1, 1, Write), (2, 1, Read), (2, 2, Write), (0, 2, Read)];
        assert_eq!(log(&events).part(ThreadId(0), 0, |_, _, _| false), None);
        let apart = [(0, 0, Write), (1, 3, Read), (1, 1, Write), (2, 1, Read), (2, 2, Write), (0, 2, Read)];
        assert_eq!(log(&apart).part(ThreadId(0), 0, |_, _, _| false), Some((vec![0, 2, 2], vec![2, 2, 2])));
    }
}
