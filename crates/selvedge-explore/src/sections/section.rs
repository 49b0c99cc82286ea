//! Sections: operations of several threads whose traces are known without performing them
//! [MetzlerSBHS2016, section 3.2].
//!
//! A section is made of next operations of some threads that are certain, given that nothing else happens: found by
//! [looking ahead](crate::seam::lookahead) or by [running alone](crate::sections::solo). Every execution of it performs the same operations
//! (the paper's condition A) with the same dependences (condition B), so its traces are the acyclic ways to orient its
//! dependent pairs: the satisfiable [trace constraint systems](crate::sections::constraint_system).

use crate::sections::draft::{Accessor, Draft};
use selvedge_trace::{Access, LocationMask, ThreadId};

/// The operations of some threads and the dependences between them.
#[derive(Debug, Default)]
pub struct Section {
    content: Draft,
    /// For each operation: the threads with a dependent one.
    conflicts: Vec<u64>,
    /// For an operation and a thread: how many operations of the thread there are up to the last dependent one.
    last_conflict: Vec<u32>,
    /// For a pair of operations: whether they are dependent.
    dependent: Vec<bool>,
    accessors: Vec<Accessor>,
}

impl Section {
    /// Makes this the section of the operations in a draft, which gets something else in exchange. Returns the number
    /// of pairs found to be dependent; others are not compared.
    pub fn make(&mut self, draft: &mut Draft) -> u64 {
        std::mem::swap(&mut self.content, draft);
        let (count, threads) = (self.content.len(), self.thread_count());
        self.conflicts.clear();
        self.conflicts.resize(count, 0);
        self.dependent.clear();
        self.dependent.resize(count * count, false);
        self.last_conflict.clear();
        self.last_conflict.resize(count * threads, 0);
        let mut accessors = std::mem::take(&mut self.accessors);
        self.content.collect_accessors(&mut accessors);
        let by_location = accessors.chunk_by(|a, b| a.access.location == b.access.location);
        let compared = by_location.map(|group| self.compare(group)).sum();
        self.accessors = accessors;
        compared
    }

    /// Finds the dependent operations among those that access a location: whether two kinds of accesses conflict is asked
    /// once for all operations that access it in these ways.
    fn compare(&mut self, mut accessors: &[Accessor]) -> u64 {
        let mut compared = 0;
        while let Some(first) = accessors.first() {
            let kind = first.access.kind;
            let (alike, others) = accessors.split_at(accessors.partition_point(|a| a.access.kind == kind));
            if kind.conflicts_with(kind) {
                for (n, a) in alike.iter().enumerate() {
                    compared += self.note_dependences(a, &alike[n + 1..]);
                }
            }
            for other in others.chunk_by(|a, b| a.access.kind == b.access.kind) {
                if kind.conflicts_with(other[0].access.kind) {
                    compared += alike.iter().map(|a| self.note_dependences(a, other)).sum::<u64>();
                }
            }
            accessors = others;
        }
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
        self.dependent[a.operation * self.content.len() + b.operation] = true;
        self.conflicts[a.operation] |= 1 << b.thread;
        let up_to = (b.operation + 1 - self.range(b.thread).start) as u32;
        let last = &mut self.last_conflict[a.operation * self.content.threads().len() + b.thread];
        *last = up_to.max(*last);
    }

    /// The number of threads.
    pub fn thread_count(&self) -> usize {
        self.content.threads().len()
    }

    /// The thread at a position.
    pub fn thread(&self, position: usize) -> ThreadId {
        self.content.threads()[position]
    }

    /// The position of a thread among those of the section.
    pub fn position(&self, thread: ThreadId) -> Option<usize> {
        self.content.threads().binary_search(&thread).ok()
    }

    /// The operations of the thread at a position.
    #[inline]
    pub fn range(&self, thread: usize) -> std::ops::Range<usize> {
        self.content.range(thread)
    }

    /// What an operation accesses.
    pub fn accesses(&self, operation: usize) -> (LocationMask, &[Access]) {
        (self.content.mask(operation), self.content.accesses(operation))
    }

    /// The positions of the threads that have operations dependent on this one.
    #[inline]
    pub fn conflicts(&self, operation: usize) -> u64 {
        self.conflicts[operation]
    }

    /// Whether two operations are dependent.
    #[inline]
    pub fn are_dependent(&self, a: usize, b: usize) -> bool {
        self.dependent[a * self.content.len() + b]
    }

    /// How many operations of a thread there are up to the last one dependent on this one.
    #[inline]
    pub fn last_conflict(&self, operation: usize, thread: usize) -> u32 {
        self.last_conflict[operation * self.content.threads().len() + thread]
    }
}
