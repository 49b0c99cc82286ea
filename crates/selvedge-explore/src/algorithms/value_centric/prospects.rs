//! What may still become of operations that have been considered, so that nothing is begun that leads nowhere.
//!
//! Let a node `M` have gone on with an operation `s` in every way in which it observes events of `M` only. Where the search goes on
//! with another thread, `s` must observe something else: an event that is yet to come and writes what `s` reads. If
//! there is none, all that follows is in vain; and if there is none from the start, no other thread needs to be
//! tried. The search has seen what may come, because it goes on with `s` first: so each node collects the writes of each thread among the events below
//! it, its [`Prospects`].
//!
//! # Why that is enough
//!
//! Let `t` be an execution that the node allows, in which `s` observes an event outside of the node, and `w` the first event of `t`
//! outside of the node that writes what `s` may read. Take of `t` what is before `w`, then the rest of the node's events:
//! they observe what they did, as a node's reads observe its own events. Neither writes what `s` reads but as the node
//! does, so now `s` can be performed and observes events of the node only: an execution that was followed when the node went on with `s`. There the
//! thread of `w` stands before the operation that was `w`, with the same past. If its accesses are fixed it is the same
//! `w`, and has been seen, or it waits for a mutex and has been looked at. Else it has been tried there with what `w` observed,
//! and showed what it writes; or that could not be realized, and then it is taken to write everything.
//!
//! Where the search does not follow an execution because of another operation that was considered, the execution is one of
//! those below the node that considered it, whose prospects are added.
//!
//! An operation that never waits is part of every execution to its end. One that takes a mutex is if the mutex is free and
//! no other thread takes it; it is free in every witness of a node, or in none. Those that wait for a condition are not judged.

use selvedge_trace::{LocationId, ThreadId};
use smallvec::SmallVec;

/// Stands for all locations.
pub const EVERYTHING: LocationId = LocationId(u32::MAX);

/// Numbers for pairs of a thread and a location that it writes.
#[derive(Debug, Default)]
pub struct Writers {
    /// By location.
    numbers: Vec<SmallVec<[(ThreadId, u32); 4]>>,
    pairs: Vec<(ThreadId, LocationId)>,
}

impl Writers {
    fn index(location: LocationId) -> usize {
        location.0.wrapping_add(1) as usize
    }

    /// The threads that write a location, each with the number of the pair.
    fn of(&self, location: LocationId) -> &[(ThreadId, u32)] {
        self.numbers.get(Writers::index(location)).map_or(&[], |threads| threads)
    }

    fn number(&mut self, thread: ThreadId, location: LocationId) -> usize {
        let index = Writers::index(location);
        if index >= self.numbers.len() {
            self.numbers.resize_with(index + 1, SmallVec::new);
        }
        if let Some(&(_, number)) = self.numbers[index].iter().find(|(t, _)| *t == thread) {
            return number as usize;
        }
        let number = self.pairs.len();
        self.numbers[index].push((thread, number as u32));
        self.pairs.push((thread, location));
        number
    }
}

/// For each pair of a thread and a location: up to which place in the thread events were seen that write it.
#[derive(Debug, Default)]
pub struct Prospects(Vec<u32>);

impl Prospects {
    /// Notes that an event at a place in its thread writes a location.
    pub fn note(&mut self, writers: &mut Writers, thread: ThreadId, location: LocationId, place: u32) {
        let number = writers.number(thread, location);
        if number >= self.0.len() {
            self.0.resize(writers.pairs.len(), 0);
        }
        self.0[number] = self.0[number].max(place + 1);
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds others.
    pub fn merge(&mut self, others: &Prospects) {
        if self.0.len() < others.0.len() {
            self.0.resize(others.0.len(), 0);
        }
        self.0.iter_mut().zip(&others.0).for_each(|(mine, other)| *mine = (*mine).max(*other));
    }

    /// Adds those of others that count.
    pub fn merge_some(
        &mut self,
        others: &Prospects,
        writers: &Writers,
        counts: impl Fn(ThreadId, LocationId, u32) -> bool,
    ) {
        if self.0.len() < others.0.len() {
            self.0.resize(others.0.len(), 0);
        }
        let others = others.0.iter().zip(&writers.pairs);
        for (mine, (&other, &(thread, location))) in self.0.iter_mut().zip(others) {
            if other > *mine && counts(thread, location, other - 1) {
                *mine = other;
            }
        }
    }

    /// Whether one of these locations may be written by an event that counts, given by its thread and the last place there.
    pub fn promise(
        &self,
        writers: &Writers,
        locations: &[LocationId],
        counts: impl Fn(ThreadId, LocationId, u32) -> bool,
    ) -> bool {
        locations.iter().chain([&EVERYTHING]).any(|&location| {
            writers.of(location).iter().any(|&(thread, number)| {
                let seen = self.0.get(number as usize).copied().unwrap_or(0);
                seen > 0 && counts(thread, location, seen - 1)
            })
        })
    }
}

/// An operation that has been considered at some node: a part of the causally-happens-before map `C`.
#[derive(Debug, Default)]
pub struct Considered {
    /// How deep the node is.
    pub depth: usize,
    /// For each thread, how many of its events there were.
    pub counts: Vec<u32>,
    /// The locations that the operation may read.
    pub locations: SmallVec<[LocationId; 2]>,
    /// What may happen if it is performed there.
    pub prospects: Prospects,
    /// Whether it is certain that the operation is performed unless others write what it reads.
    pub is_certain: bool,
}
