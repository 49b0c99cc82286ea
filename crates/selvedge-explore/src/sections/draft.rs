//! Drafts of sections: next operations of some threads, of which those that are certain will make a section.

use crate::seam::lookahead::{Lookahead, is_certain};
use selvedge_trace::{Access, AccessKind, LocationMask, ThreadId};

/// The most threads of a section: their sets are machine words.
const MAX_THREADS: usize = 64;

/// The most operations of a section: it compares all pairs of them.
const MAX_OPERATIONS: usize = 256;

/// How long sections are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Length {
    /// As long as operations are certain.
    #[default]
    Full,
    /// Up to the first operation of each thread that is dependent on one of another thread.
    Short,
    /// As long as operations are certain, but only where that is until the ends of all threads.
    ToTheEnd,
}

/// What is certain of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// It will be performed and access the same, whatever the other threads do: known by look-ahead.
    Always,
    /// It will be performed if nothing before it in its thread is dependent on other threads, and access the same.
    Alone,
    /// It will be performed and access the same if neither it nor anything before is dependent on other threads.
    Undisturbed,
}

/// Next operations of some threads, in the order of threads.
#[derive(Debug, Default)]
pub struct Draft {
    threads: Vec<ThreadId>,
    /// The first operation of each thread, and the number of all.
    first: Vec<u32>,
    operations: Vec<Operation>,
    /// For each thread: whether it ends after its operations, whatever the others do.
    ends: Vec<bool>,
    accesses: Vec<Access>,
    accessors: Vec<Accessor>,
    is_whole: bool,
    is_entangled: bool,
}

/// An operation: its accesses are a range of all.
#[derive(Clone, Copy, Debug)]
struct Operation {
    mask: LocationMask,
    start: u32,
    end: u32,
    certainty: Certainty,
}

/// An access with the operation that makes it and the position of its thread.
#[derive(Clone, Copy, Debug)]
pub struct Accessor {
    /// The access.
    pub access: Access,
    /// The position of the thread.
    pub thread: usize,
    /// The operation.
    pub operation: usize,
}

/// The threads that access a location and how: sets of their positions.
#[derive(Clone, Copy, Debug, Default)]
struct Presence {
    readers: u64,
    posters: u64,
    writers: u64,
}

impl Presence {
    fn of<'a>(accessors: impl Iterator<Item = &'a Accessor>) -> Self {
        let mut presence = Presence::default();
        for accessor in accessors {
            let set = match accessor.access.kind {
                kind if kind.is_read() => &mut presence.readers,
                AccessKind::Post => &mut presence.posters,
                _ => &mut presence.writers,
            };
            *set |= 1 << accessor.thread;
        }
        presence
    }

    /// Whether some other thread accesses the location in a conflicting way.
    fn conflicts_with(self, accessor: &Accessor) -> bool {
        let conflicting = match accessor.access.kind {
            kind if kind.is_read() => self.posters | self.writers,
            AccessKind::Post => self.readers | self.writers,
            _ => self.readers | self.posters | self.writers,
        };
        conflicting & !(1 << accessor.thread) != 0
    }
}

impl Draft {
    /// Makes this empty.
    pub fn clear(&mut self) {
        self.threads.clear();
        self.first.clear();
        self.first.push(0);
        self.operations.clear();
        self.ends.clear();
        self.accesses.clear();
        (self.is_whole, self.is_entangled) = (true, false);
    }

    /// Whether another thread fits in.
    pub fn has_room(&self) -> bool {
        self.threads.len() < MAX_THREADS && self.operations.len() < MAX_OPERATIONS
    }

    /// Adds a thread, greater than those before, with the operations that look-ahead shows.
    pub fn add(&mut self, thread: ThreadId, ahead: &Lookahead) {
        self.add_run(thread, ahead, ahead);
    }

    /// Adds a thread, greater than those before, with the operations that it performs alone, and what look-ahead shows
    /// of them.
    pub fn add_run(&mut self, thread: ThreadId, run: &Lookahead, ahead: &Lookahead) {
        let room = MAX_OPERATIONS - self.operations.len();
        self.is_whole &= run.footprints().len() <= room;
        for (i, footprint) in run.footprints().iter().take(room).enumerate() {
            let start = self.accesses.len() as u32;
            self.accesses.extend_from_slice(footprint.accesses());
            let end = self.accesses.len() as u32;
            let certainty = match is_certain(footprint) {
                _ if i < ahead.footprints().len() => Certainty::Always,
                true => Certainty::Alone,
                false => Certainty::Undisturbed,
            };
            self.operations.push(Operation { mask: footprint.mask(), start, end, certainty });
        }
        self.threads.push(thread);
        self.ends.push(ahead.reaches_end && self.is_whole);
        self.first.push(self.operations.len() as u32);
    }

    /// Cuts each thread where something dependent makes the rest uncertain, the branching transitions of
    /// [MetzlerSBHS2016, section 3.2]; and after its first dependent operation if the section is to be short.
    pub fn shorten(&mut self, length: Length) {
        let mut accessors = std::mem::take(&mut self.accessors);
        self.collect_accessors(&mut accessors);
        let by_location = || accessors.chunk_by(|a, b| a.access.location == b.access.location);
        let mut is_dependent = vec![false; self.len()];
        for group in by_location() {
            let presence = Presence::of(group.iter());
            for accessor in group.iter().filter(|a| presence.conflicts_with(a)) {
                is_dependent[accessor.operation] = true;
            }
        }
        let ends: Vec<usize> = (0..self.threads.len()).map(|t| self.end(t, length, &is_dependent)).collect();
        self.is_entangled = (0..self.threads.len())
            .any(|t| ends[t] == self.range(t).end && self.may_go_on(t, &is_dependent))
            || by_location().any(|group| {
                let (kept, cut): (Vec<_>, Vec<_>) = group.iter().partition(|a| a.operation < ends[a.thread]);
                let presence = Presence::of(kept.into_iter());
                cut.into_iter().any(|accessor| presence.conflicts_with(accessor))
            });
        self.accessors = accessors;
        self.cut(&ends);
    }

    /// The end of what is kept of a thread.
    fn end(&self, thread: usize, length: Length, is_dependent: &[bool]) -> usize {
        let range = self.range(thread);
        let Some(first) = range.clone().find(|&i| is_dependent[i]) else { return range.end };
        match self.operations[first].certainty {
            Certainty::Undisturbed => first,
            Certainty::Alone => first + 1,
            Certainty::Always if length == Length::Short => first + 1,
            Certainty::Always => {
                let certain = |i: &usize| self.operations[*i].certainty == Certainty::Always;
                range.take_while(certain).last().map_or(first, |last| last + 1)
            }
        }
    }

    /// Whether a thread is not known to end after its operations because some are dependent on other threads.
    fn may_go_on(&self, thread: usize, is_dependent: &[bool]) -> bool {
        !self.ends[thread] && self.range(thread).any(|i| is_dependent[i])
    }

    fn cut(&mut self, ends: &[usize]) {
        let count = self.len();
        let (mut kept, mut start) = (0, 0);
        for (t, &end) in ends.iter().enumerate() {
            let next = self.range(t).end;
            self.operations.copy_within(start..end, kept);
            kept += end - start;
            start = next;
            self.first[t + 1] = kept as u32;
        }
        self.operations.truncate(kept);
        self.is_whole &= kept == count;
    }

    /// The accesses of all operations, by location and kind.
    pub fn collect_accessors(&self, accessors: &mut Vec<Accessor>) {
        accessors.clear();
        for (thread, operation) in (0..self.threads.len()).flat_map(|t| self.range(t).map(move |i| (t, i))) {
            let accesses = self.accesses(operation).iter();
            accessors.extend(accesses.map(|&access| Accessor { access, thread, operation }));
        }
        accessors.sort_unstable_by_key(|a| (a.access.location, a.access.kind, a.operation));
    }

    /// The number of operations.
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Whether there are no operations.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// The threads.
    pub fn threads(&self) -> &[ThreadId] {
        &self.threads
    }

    /// The operations of the thread at a position.
    #[inline]
    pub fn range(&self, thread: usize) -> std::ops::Range<usize> {
        self.first[thread] as usize..self.first[thread + 1] as usize
    }

    /// What an operation accesses.
    pub fn accesses(&self, operation: usize) -> &[Access] {
        let Operation { start, end, .. } = self.operations[operation];
        &self.accesses[start as usize..end as usize]
    }

    /// What an operation accesses, folded into a mask.
    pub fn mask(&self, operation: usize) -> LocationMask {
        self.operations[operation].mask
    }

    /// Whether everything that was added is still there.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Whether something that was cut off is dependent on something that is there, or might be: it will lead to
    /// races between this section and later ones.
    pub fn is_entangled(&self) -> bool {
        self.is_entangled
    }
}
