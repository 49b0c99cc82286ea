//! Trace constraint systems: the ways to orient the dependent pairs of operations of a section
//! [MetzlerSBHS2016, section 3.1].
//!
//! A system is oriented step by step, by performing operations: what is performed first comes first.
//!
//! *Enumeration without unsatisfiable systems.* Of each trace the system makes the least linear extension by the
//! order of threads, its lexicographic normal form: threads are tried in order, and one that was tried sleeps
//! until something dependent is performed. A sleeper that nothing will wake would make a dead end. But whether all
//! sleepers can still be woken is known from the dependences: perform all remaining operations of the awake
//! threads; who is dependent on one of them wakes up and joins them. If that wakes everyone, going on with the least
//! awake thread puts no thread to sleep and leads to a complete execution; if not, no continuation does. So every
//! prefix that the system allows can be completed, and each trace is completed exactly once.

use crate::sections::section::Section;
use selvedge_trace::{Access, LocationMask, ThreadId};

/// A trace constraint system in the making: the pairs of which one operation has been performed are oriented.
#[derive(Debug, Default)]
pub struct ConstraintSystem {
    /// How many operations of each thread have been performed.
    performed: Vec<u32>,
    /// The threads with operations left.
    active: u64,
}

impl ConstraintSystem {
    /// The system of a section in which nothing is oriented.
    pub fn reset(&mut self, section: &Section) {
        self.performed.clear();
        self.performed.resize(section.thread_count(), 0);
        self.active = 0;
        for t in 0..section.thread_count() {
            if !section.range(t).is_empty() {
                self.active |= 1 << t;
            }
        }
    }

    /// Whether everything has been performed.
    pub fn is_at_end(&self) -> bool {
        self.active == 0
    }

    /// The first thread from `from` on, not asleep, that can be next, with the threads that are asleep after it.
    pub fn next(&self, section: &Section, asleep: u64, from: u32) -> Option<(u32, u64)> {
        let candidates = self.active & !asleep & !((1u64 << from.min(63)) - 1);
        if candidates == 0 || from > 63 {
            return None;
        }
        let thread = candidates.trailing_zeros();
        let asleep = self.asleep_after(section, asleep, thread);
        // If this thread leads to a dead end, so do all greater ones: the same operations remain, in all.
        self.can_complete(section, asleep, thread).then_some((thread, asleep))
    }

    fn next_operation(&self, section: &Section, thread: usize) -> usize {
        section.range(thread).start + self.performed[thread] as usize
    }

    fn asleep_after(&self, section: &Section, asleep: u64, thread: u32) -> u64 {
        let performed = self.next_operation(section, thread as usize);
        let mut left = asleep & section.conflicts(performed);
        let mut after = asleep;
        while left != 0 {
            let sleeper = left.trailing_zeros();
            left &= left - 1;
            let operation = self.next_operation(section, sleeper as usize);
            if section.are_dependent(performed, operation) {
                after &= !(1 << sleeper);
            }
        }
        after
    }

    /// Whether everyone asleep can still be woken after `thread` has performed its next operation.
    fn can_complete(&self, section: &Section, asleep: u64, thread: u32) -> bool {
        let mut asleep = asleep;
        let mut awake = self.active & !asleep;
        while asleep != 0 {
            let woken = self.woken_by(section, asleep, awake, thread);
            if woken == 0 {
                return false;
            }
            asleep &= !woken;
            awake |= woken;
        }
        true
    }

    fn woken_by(&self, section: &Section, asleep: u64, awake: u64, performing: u32) -> u64 {
        let mut woken = 0;
        let mut left = asleep;
        while left != 0 {
            let sleeper = left.trailing_zeros();
            left &= left - 1;
            let operation = self.next_operation(section, sleeper as usize);
            let mut wakers = section.conflicts(operation) & awake;
            while wakers != 0 {
                let waker = wakers.trailing_zeros();
                wakers &= wakers - 1;
                let performed = self.performed[waker as usize] + u32::from(waker == performing);
                let last = section.last_conflict(operation, waker as usize);
                if last > performed {
                    woken |= 1 << sleeper;
                    break;
                }
            }
        }
        woken
    }

    /// The thread at a position, with what its next operation accesses.
    pub fn operation<'s>(&self, section: &'s Section, thread: u32) -> (ThreadId, LocationMask, &'s [Access]) {
        let operation = self.next_operation(section, thread as usize);
        let (mask, accesses) = section.accesses(operation);
        (section.thread(thread as usize), mask, accesses)
    }

    /// Notes that a thread performed its next operation.
    pub fn advance(&mut self, section: &Section, thread: u32) {
        self.performed[thread as usize] += 1;
        if self.performed[thread as usize] as usize == section.range(thread as usize).len() {
            self.active &= !(1 << thread);
        }
    }

    /// Takes the last operation of a thread back.
    pub fn retreat(&mut self, thread: u32) {
        self.performed[thread as usize] -= 1;
        self.active |= 1 << thread;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seam::lookahead::Lookahead;
    use crate::sections::draft::{Draft, Length};
    use selvedge_trace::{AccessKind, LocationId};

    /// Thread `t` performs operations that read and write the given locations.
    fn draft(threads: &[&[&[(u32, AccessKind)]]]) -> Draft {
        let mut draft = Draft::default();
        draft.clear();
        for (t, operations) in threads.iter().enumerate() {
            let mut ahead = Lookahead::default();
            for operation in *operations {
                let footprint = ahead.add();
                operation.iter().for_each(|&(location, kind)| footprint.record(LocationId(location), kind));
            }
            draft.add(ThreadId::at(t), &ahead);
        }
        draft
    }

    /// The number of complete executions that the system makes from here; every prefix must lead to one.
    fn count(section: &Section, system: &mut ConstraintSystem, mut asleep: u64) -> usize {
        if system.is_at_end() {
            return 1;
        }
        let (mut total, mut from) = (0, 0);
        while let Some((thread, asleep_then)) = system.next(section, asleep, from) {
            system.advance(section, thread);
            let below = count(section, system, asleep_then);
            assert!(below > 0, "a dead end");
            system.retreat(thread);
            total += below;
            asleep |= 1 << thread;
            from = thread + 1;
        }
        total
    }

    fn traces(mut draft: Draft, length: Length) -> usize {
        let mut section = Section::default();
        draft.shorten(length);
        section.make(&mut draft);
        let mut system = ConstraintSystem::default();
        system.reset(&section);
        count(&section, &mut system, 0)
    }

    use AccessKind::{Read, Write};

    #[test]
    fn independent_operations_have_one_trace() {
        let independent = draft(&[&[&[(0, Write)]], &[&[(1, Write)], &[(1, Write)]], &[&[(2, Read)]]]);
        assert_eq!(traces(independent, Length::Full), 1);
    }

    #[test]
    fn a_writer_and_n_readers_have_two_to_the_n_traces() {
        let read: &[&[(u32, AccessKind)]] = &[&[(0, Read)]];
        let one_writer = draft(&[&[&[(0, Write)]], read, read, read, read]);
        assert_eq!(traces(one_writer, Length::Full), 16);
    }

    #[test]
    fn a_ring_of_three_performed_twice_has_90_traces() {
        let step = |t: u32| [(t, Read), ((t + 1) % 3, Write)];
        let steps = [step(0), step(1), step(2)];
        let twice: Vec<[&[(u32, AccessKind)]; 2]> = steps.iter().map(|s| [&s[..], &s[..]]).collect();
        let threads: Vec<&[&[(u32, AccessKind)]]> = twice.iter().map(|t| &t[..]).collect();
        assert_eq!(traces(draft(&threads), Length::Full), 90);
    }

    #[test]
    fn a_short_section_ends_after_the_first_dependent_operation_of_each_thread() {
        let short = draft(&[&[&[(5, Write)], &[(0, Write)], &[(0, Write)]], &[&[(0, Read)], &[(0, Read)]]]);
        assert_eq!(traces(short, Length::Short), 2);
    }
}
