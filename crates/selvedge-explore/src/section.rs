//! Sections: operations of several threads whose traces are known without performing them
//! [MetzlerSBHS2016, section 3.2].
//!
//! A section is made of the [certain](crate::lookahead) next operations of some threads. Every execution of it
//! performs the same operations (the paper's condition A) with the same dependences (condition B), so its traces are
//! the acyclic ways to orient its dependent pairs: the satisfiable *trace constraint systems*. A [`Section`] is the system
//! of all pairs; a [`Cursor`] orients them step by step, by performing operations: what is performed first comes first.
//!
//! *Enumeration without unsatisfiable systems.* Of each trace the cursor makes the least linear extension by the
//! order of threads, its lexicographic normal form: threads are tried in order, and one that was tried sleeps
//! until something dependent is performed. A sleeper that nothing will wake would make a dead end. But whether all
//! sleepers can still be woken is known from the dependences: perform all remaining operations of the awake
//! threads; who is dependent on one of them wakes up and joins them. If that wakes everyone, going on with the least
//! awake thread puts nobody to sleep and leads to a complete execution; if not, no continuation does. So every
//! prefix that the cursor allows can be completed, and each trace is completed exactly once.

use crate::lookahead::Lookahead;
use selvedge_trace::{Access, LocationMask, ThreadId};

/// The most threads of a section: their sets are machine words.
const MAX_THREADS: usize = 64;

/// The most operations of a section: it compares all pairs of them.
const MAX_OPERATIONS: usize = 256;

/// How long sections are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// As long as operations are certain.
    Full,
    /// Up to the first operation of each thread that is dependent on one of another thread.
    Short,
    /// As long as operations are certain, but only where that is until the ends of all threads.
    ToTheEnd,
}

/// An operation of a section.
#[derive(Clone, Copy, Debug)]
struct Operation {
    mask: LocationMask,
    start: u32,
    end: u32,
    /// The threads with a dependent operation.
    conflicts: u64,
}

/// The operations of some threads and the dependences between them.
#[derive(Debug, Default)]
pub struct Section {
    threads: Vec<ThreadId>,
    /// The first operation of each thread, and the number of all.
    first: Vec<u32>,
    operations: Vec<Operation>,
    accesses: Vec<Access>,
    /// For an operation and a thread: how many operations of the thread there are up to the last dependent one.
    last_conflict: Vec<u32>,
    /// For a pair of operations: whether they are dependent.
    dependent: Vec<bool>,
    accessors: Vec<Accessor>,
}

/// An access with the position of its thread and the operation that makes it.
#[derive(Clone, Copy, Debug)]
struct Accessor {
    access: Access,
    thread: usize,
    operation: usize,
}

impl Section {
    /// Makes this the empty section.
    pub fn clear(&mut self) {
        self.threads.clear();
        self.first.clear();
        self.first.push(0);
        self.operations.clear();
        self.accesses.clear();
    }

    /// Whether another thread fits in.
    pub fn has_room(&self) -> bool {
        self.threads.len() < MAX_THREADS && self.operations.len() < MAX_OPERATIONS
    }

    /// Adds a thread, greater than those before, with the operations that are certain.
    pub fn add(&mut self, thread: ThreadId, ahead: &Lookahead) {
        let room = MAX_OPERATIONS - self.operations.len();
        for footprint in ahead.footprints().iter().take(room) {
            let start = self.accesses.len() as u32;
            self.accesses.extend_from_slice(footprint.accesses());
            let end = self.accesses.len() as u32;
            self.operations.push(Operation { mask: footprint.mask(), start, end, conflicts: 0 });
        }
        self.threads.push(thread);
        self.first.push(self.operations.len() as u32);
    }

    /// Finds the dependences. Returns the number of pairs found to be dependent: others are not compared.
    pub fn complete(&mut self, length: Length) -> u64 {
        let compared = self.compare();
        if length == Length::Short && self.shorten() {
            return compared + self.compare();
        }
        compared
    }

    /// Finds the dependent operations location by location: whether two kinds of accesses conflict is asked once for
    /// all operations that access a location in these ways.
    fn compare(&mut self) -> u64 {
        let (count, threads) = (self.operations.len(), self.threads.len());
        self.dependent.clear();
        self.dependent.resize(count * count, false);
        self.last_conflict.clear();
        self.last_conflict.resize(count * threads, 0);
        let mut accessors = std::mem::take(&mut self.accessors);
        accessors.clear();
        for (thread, i) in (0..threads).flat_map(|t| self.range(t).map(move |i| (t, i))) {
            accessors.extend(self.accesses_of(i).iter().map(|&access| Accessor { access, thread, operation: i }));
        }
        accessors.sort_unstable_by_key(|a| (a.access.location, a.access.kind, a.operation));
        let mut compared = 0;
        for group in accessors.chunk_by(|a, b| a.access.location == b.access.location) {
            let mut rest = group;
            while let Some(first) = rest.first() {
                let (alike, others) = rest.split_at(rest.partition_point(|a| a.access.kind == first.access.kind));
                if first.access.kind.conflicts_with(first.access.kind) {
                    for (n, a) in alike.iter().enumerate() {
                        compared += self.note_dependences(a, &alike[n + 1..]);
                    }
                }
                for other in others.chunk_by(|a, b| a.access.kind == b.access.kind) {
                    if first.access.kind.conflicts_with(other[0].access.kind) {
                        compared += alike.iter().map(|a| self.note_dependences(a, other)).sum::<u64>();
                    }
                }
                rest = others;
            }
        }
        self.accessors = accessors;
        compared
    }

    /// Notes that an operation is dependent on those of other threads; returns how many there were.
    fn note_dependences(&mut self, a: &Accessor, others: &[Accessor]) -> u64 {
        let mut found = 0;
        for b in others.iter().filter(|b| b.thread != a.thread) {
            self.note_dependence(a, b);
            self.note_dependence(b, a);
            found += 1;
        }
        found
    }

    fn note_dependence(&mut self, a: &Accessor, b: &Accessor) {
        let (count, threads) = (self.operations.len(), self.threads.len());
        self.dependent[a.operation * count + b.operation] = true;
        self.operations[a.operation].conflicts |= 1 << b.thread;
        let last = &mut self.last_conflict[a.operation * threads + b.thread];
        *last = (*last).max((b.operation + 1) as u32 - self.first[b.thread]);
    }

    /// Cuts each thread after its first dependent operation; says whether there was something to cut.
    fn shorten(&mut self) -> bool {
        let keep: Vec<usize> = (0..self.threads.len())
            .map(|t| {
                let dependent = self.range(t).position(|i| self.operations[i].conflicts != 0);
                dependent.map_or(self.range(t).len(), |first| first + 1)
            })
            .collect();
        if keep.iter().sum::<usize>() == self.operations.len() {
            return false;
        }
        let mut kept = Vec::new();
        let mut first = vec![0];
        for (t, &keep) in keep.iter().enumerate() {
            let of_thread = self.range(t).take(keep);
            kept.extend(of_thread.map(|i| Operation { conflicts: 0, ..self.operations[i] }));
            first.push(kept.len() as u32);
        }
        (self.operations, self.first) = (kept, first);
        true
    }

    fn range(&self, thread: usize) -> std::ops::Range<usize> {
        self.first[thread] as usize..self.first[thread + 1] as usize
    }

    fn accesses_of(&self, operation: usize) -> &[Access] {
        let Operation { start, end, .. } = self.operations[operation];
        &self.accesses[start as usize..end as usize]
    }

    /// Whether there are no operations.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// The position of a thread among those of the section.
    pub fn position(&self, thread: ThreadId) -> Option<usize> {
        self.threads.binary_search(&thread).ok()
    }
}

/// A partial execution of a section.
#[derive(Debug, Default)]
pub struct Cursor {
    /// How many operations of each thread have been performed.
    performed: Vec<u32>,
    /// The threads with operations left.
    active: u64,
}

impl Cursor {
    /// Goes to the beginning of a section.
    pub fn reset(&mut self, section: &Section) {
        self.performed.clear();
        self.performed.resize(section.threads.len(), 0);
        self.active = 0;
        for t in 0..section.threads.len() {
            if !section.range(t).is_empty() {
                self.active |= 1 << t;
            }
        }
    }

    /// Whether everything has been performed.
    pub fn is_at_end(&self) -> bool {
        self.active == 0
    }

    /// The first thread from `from` on, not asleep, that can be next, with who is asleep after it.
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
        (section.first[thread] + self.performed[thread]) as usize
    }

    fn asleep_after(&self, section: &Section, asleep: u64, thread: u32) -> u64 {
        let performed = self.next_operation(section, thread as usize);
        let mut left = asleep & section.operations[performed].conflicts;
        let mut after = asleep;
        while left != 0 {
            let sleeper = left.trailing_zeros();
            left &= left - 1;
            let operation = self.next_operation(section, sleeper as usize);
            if section.dependent[performed * section.operations.len() + operation] {
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
            let mut wakers = section.operations[operation].conflicts & awake;
            while wakers != 0 {
                let waker = wakers.trailing_zeros();
                wakers &= wakers - 1;
                let performed = self.performed[waker as usize] + u32::from(waker == performing);
                let last = section.last_conflict[operation * section.threads.len() + waker as usize];
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
        let mask = section.operations[operation].mask;
        (section.threads[thread as usize], mask, section.accesses_of(operation))
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
    use selvedge_trace::{AccessKind, LocationId};

    /// A section in which thread `t` performs operations that read and write the given locations.
    fn section(threads: &[&[&[(u32, AccessKind)]]]) -> Section {
        let mut section = Section::default();
        section.clear();
        for (t, operations) in threads.iter().enumerate() {
            let mut ahead = Lookahead::default();
            for operation in *operations {
                let footprint = ahead.add();
                operation.iter().for_each(|&(location, kind)| footprint.record(LocationId(location), kind));
            }
            section.add(ThreadId::at(t), &ahead);
        }
        section
    }

    /// The number of complete executions that the cursor makes from here; every prefix must lead to one.
    fn count(section: &Section, cursor: &mut Cursor, mut asleep: u64) -> usize {
        if cursor.is_at_end() {
            return 1;
        }
        let (mut total, mut from) = (0, 0);
        while let Some((thread, asleep_then)) = cursor.next(section, asleep, from) {
            cursor.advance(section, thread);
            let below = count(section, cursor, asleep_then);
            assert!(below > 0, "a dead end");
            cursor.retreat(thread);
            total += below;
            asleep |= 1 << thread;
            from = thread + 1;
        }
        total
    }

    fn traces(section: &mut Section, length: Length) -> usize {
        section.complete(length);
        let mut cursor = Cursor::default();
        cursor.reset(section);
        count(section, &mut cursor, 0)
    }

    use AccessKind::{Read, Write};

    #[test]
    fn independent_operations_have_one_trace() {
        let mut independent = section(&[&[&[(0, Write)]], &[&[(1, Write)], &[(1, Write)]], &[&[(2, Read)]]]);
        assert_eq!(traces(&mut independent, Length::Full), 1);
    }

    #[test]
    fn a_writer_and_n_readers_have_two_to_the_n_traces() {
        let read: &[&[(u32, AccessKind)]] = &[&[(0, Read)]];
        let mut one_writer = section(&[&[&[(0, Write)]], read, read, read, read]);
        assert_eq!(traces(&mut one_writer, Length::Full), 16);
    }

    #[test]
    fn a_ring_of_three_performed_twice_has_90_traces() {
        let step = |t: u32| [(t, Read), ((t + 1) % 3, Write)];
        let steps = [step(0), step(1), step(2)];
        let twice: Vec<[&[(u32, AccessKind)]; 2]> = steps.iter().map(|s| [&s[..], &s[..]]).collect();
        let threads: Vec<&[&[(u32, AccessKind)]]> = twice.iter().map(|t| &t[..]).collect();
        assert_eq!(traces(&mut section(&threads), Length::Full), 90);
    }

    #[test]
    fn a_short_section_ends_after_the_first_dependent_operation_of_each_thread() {
        let mut short =
            section(&[&[&[(5, Write)], &[(0, Write)], &[(0, Write)]], &[&[(0, Read)], &[(0, Read)]]]);
        assert_eq!(traces(&mut short, Length::Short), 2);
        assert_eq!(short.operations.len(), 3);
    }
}
