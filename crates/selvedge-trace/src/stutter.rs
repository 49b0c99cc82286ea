//! Stuttering: parts of an execution that lead from a state to the same state, and can be left out.
//!
//! A thread that waits in a loop comes back to where it was. If its round wrote nothing, nobody can tell whether it happened. If it wrote
//! something and took that back, others may have seen it in between; then the round is part of what they did. What can be left out in
//! either case follows from the partial order alone.
//!
//! Let `first` and `last` be events of one thread in an execution `E`, and let `D` be the events [between](Between) them: `first ≤ f ≤ last` in
//! happens-before, for events of any thread. The events of `E` that are not after `first` are closed under predecessors, and so are they together
//! with `D`; hence `E` is equivalent to `P · D · R` for some `P` and `R`. If every thread with events in `D` is in the same local state before
//! and after them, and so is the memory, then `P · R` is an execution, too, it ends in the same state as `E`, and it is
//! shorter.
//!
//! So whatever can be reached can be reached by an execution without such a part: cut one, and go on. A search may thus let a thread
//! that is at the end of one wait for as long as it likes, for ever if need be. Each thread passes but finitely many states without
//! completing one, if there are finitely many states; so loops that disturb each other come to rest. And whether `D` has this property is
//! the same in all executions of one Mazurkiewicz trace, as is the part of the trace it depends on, the past of `last`: to wait or not is a property of the thread's own past,
//! as the algorithms need it.
//!
//! The memory before and after `D` is compared by sums: each write to a location adds the new content and takes the old one away. Writes that
//! do not commute are all ordered, so that nothing of others lies between those of `D`; of those that do commute, like the count of readers of a lock, only the sum means anything.

use crate::footprint::conflicting;
use crate::{Access, ThreadId};

/// The events between two events of one thread, in happens-before; keeps its memory from one use to the next.
#[derive(Debug, Default)]
pub struct Between {
    /// For each event from the first to the last: whether it is one of them.
    is_between: Vec<bool>,
    threads: Vec<ThreadId>,
    accesses: Vec<Access>,
}

impl Between {
    /// Finds the events between the first and the last of some consecutive events of an execution, which belong to one thread.
    pub fn find<'a>(&mut self, length: usize, event: impl Fn(usize) -> (ThreadId, &'a [Access])) -> &[bool] {
        self.is_between.clear();
        self.is_between.resize(length, false);
        self.begin();
        for i in 0..length {
            let (thread, accesses) = event(i);
            if i == 0 || self.is_ordered(thread, accesses) {
                self.is_between[i] = true;
                self.add(thread, accesses);
            }
        }
        self.begin();
        for i in (0..length).rev() {
            let (thread, accesses) = event(i);
            if self.is_between[i] && (i + 1 == length || self.is_ordered(thread, accesses)) {
                self.add(thread, accesses);
            } else {
                self.is_between[i] = false;
            }
        }
        &self.is_between
    }

    fn begin(&mut self) {
        self.threads.clear();
        self.accesses.clear();
    }

    /// Whether an event is ordered with one that was added.
    fn is_ordered(&self, thread: ThreadId, accesses: &[Access]) -> bool {
        self.threads.contains(&thread) || conflicting(&self.accesses, accesses)
    }

    fn add(&mut self, thread: ThreadId, accesses: &[Access]) {
        if !self.threads.contains(&thread) {
            self.threads.push(thread);
        }
        for access in accesses {
            if !self.accesses.contains(access) {
                self.accesses.push(*access);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AccessKind, LocationId};

    fn between(events: &[(u32, u32, AccessKind)]) -> Vec<bool> {
        let accesses: Vec<[Access; 1]> =
            events.iter().map(|&(_, at, kind)| [Access { location: LocationId(at), kind }]).collect();
        Between::default().find(events.len(), |i| (ThreadId(events[i].0), &accesses[i])).to_vec()
    }

    #[test]
    fn a_reader_of_a_temporary_value_is_between() {
        use AccessKind::{Read, Write};
        assert_eq!(between(&[(0, 0, Write), (1, 0, Read), (0, 0, Write)]), [true, true, true]);
        // It reads after the first write, and what it does then is not observed.
        assert_eq!(between(&[(0, 0, Write), (1, 1, Write), (0, 0, Write)]), [true, false, true]);
        assert_eq!(
            between(&[(0, 0, Read), (1, 0, Read), (1, 1, Write), (0, 0, Read)]),
            [true, false, false, true]
        );
    }

    #[test]
    fn order_goes_through_other_threads() {
        use AccessKind::{Read, Write};
        let events = [(0, 0, Write), (1, 0, Read), (1, 1, Write), (2, 1, Read), (2, 2, Write), (0, 2, Read)];
        assert_eq!(between(&events), [true; 6]);
    }
}
