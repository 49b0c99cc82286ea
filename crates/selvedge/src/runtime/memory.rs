//! The model memory: one word for each location, with an undo log.
//!
//! Everything about synchronisation objects that decides what threads may do lives here: values of atomics, holders
//! of locks, tokens, counters. So going back to an earlier state, and looking at what an operation would
//! do there, needs none of the user's code. What users keep inside a mutex stays where Rust puts it.

use selvedge_trace::LocationId;
use std::ops::Range;

/// A word for each location.
#[derive(Debug, Default)]
pub struct Memory {
    words: Vec<u64>,
    undo: Vec<(LocationId, u64)>,
}

/// Contents to come back to.
#[derive(Debug, Default)]
pub struct Saved {
    words: Vec<u64>,
    log: usize,
}

impl Memory {
    /// Forgets all locations.
    pub fn clear(&mut self) {
        self.words.clear();
        self.undo.clear();
    }

    /// The content of a location.
    #[inline]
    pub fn get(&self, location: LocationId) -> u64 {
        self.words[location.0 as usize]
    }

    /// Changes the content of a location, to be undone by [`rollback`](Memory::rollback).
    #[inline]
    pub fn set(&mut self, location: LocationId, value: u64) {
        let word = &mut self.words[location.0 as usize];
        self.undo.push((location, *word));
        *word = value;
    }

    /// Gives a location its first content. This is never undone: whoever comes here again, with or without
    /// running the user's code, finds the first content where nothing else was written.
    #[inline]
    pub fn initialise(&mut self, location: LocationId, value: u64) {
        let index = location.0 as usize;
        if index >= self.words.len() {
            self.words.resize(index + 1, 0);
        }
        self.words[index] = value;
    }

    /// Gives locations in a row the same first content.
    #[inline]
    pub fn initialise_all(&mut self, locations: Range<u32>, value: u64) {
        let (start, end) = (locations.start as usize, locations.end as usize);
        if end > self.words.len() {
            self.words.resize(end, 0);
        }
        self.words[start..end].fill(value);
    }

    /// Makes sure that there is a word for a location that appeared during the search; it holds 0 at first.
    #[inline]
    pub fn ensure(&mut self, location: LocationId) {
        let index = location.0 as usize;
        if index >= self.words.len() {
            self.words.resize(index + 1, 0);
        }
    }

    /// Makes the contents what they were when the log had the given length, for a moment: the log stays as it is.
    #[inline]
    pub fn leave(&mut self, mark: usize, saved: &mut Saved) {
        saved.words.clone_from(&self.words);
        saved.log = self.undo.len();
        for &(location, value) in self.undo[mark..].iter().rev() {
            self.words[location.0 as usize] = value;
        }
    }

    /// Comes back from there, whatever was changed in the meantime.
    #[inline]
    pub fn restore(&mut self, saved: &Saved) {
        // Locations may have appeared.
        self.rollback(saved.log);
        self.words[..saved.words.len()].copy_from_slice(&saved.words);
    }

    /// Copies the contents.
    pub fn save(&self, words: &mut Vec<u64>) {
        words.clone_from(&self.words);
    }

    /// Has other contents from now on, and returns the present ones. There is a word for each of at least so many locations.
    pub fn exchange(&mut self, words: Vec<u64>, locations: u32) -> Vec<u64> {
        let before = std::mem::replace(&mut self.words, words);
        let locations = before.len().max(locations as usize);
        if self.words.len() < locations {
            self.words.resize(locations, 0);
        }
        before
    }

    /// Forgets the changes since the log had the given length, without undoing them.
    pub fn forget(&mut self, mark: usize) {
        self.undo.truncate(mark);
    }

    /// Tells the changes since the log had the given length, the latest first: the length of the log before it, the location, and its contents before
    /// and after.
    pub fn changes_since(&self, mark: usize, mut tell: impl FnMut(usize, LocationId, u64, u64)) {
        let mut later: Vec<(LocationId, u64)> = Vec::new();
        for (log, &(location, before)) in self.undo.iter().enumerate().skip(mark).rev() {
            let after = match later.iter_mut().find(|(known, _)| *known == location) {
                Some((_, content)) => std::mem::replace(content, before),
                None => {
                    later.push((location, before));
                    self.get(location)
                }
            };
            tell(log, location, before, after);
        }
    }

    /// The present length of the log.
    #[inline]
    pub fn mark(&self) -> usize {
        self.undo.len()
    }

    /// Undoes every change since the log had the given length.
    #[inline]
    pub fn rollback(&mut self, mark: usize) {
        while self.undo.len() > mark
            && let Some((location, value)) = self.undo.pop()
        {
            self.words[location.0 as usize] = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_undone_and_first_contents_stay() {
        let mut memory = Memory::default();
        memory.initialise(LocationId(1), 7);
        let mark = memory.mark();
        memory.set(LocationId(1), 8);
        memory.initialise(LocationId(2), 5);
        memory.set(LocationId(2), 6);
        memory.rollback(mark);
        assert_eq!((memory.get(LocationId(1)), memory.get(LocationId(2))), (7, 5));
        memory.set(LocationId(1), 9);
        let mut saved = Saved::default();
        memory.leave(mark, &mut saved);
        assert_eq!(memory.get(LocationId(1)), 7);
        memory.ensure(LocationId(3));
        memory.set(LocationId(3), 1);
        memory.set(LocationId(1), 2);
        memory.restore(&saved);
        assert_eq!((memory.get(LocationId(1)), memory.get(LocationId(3))), (9, 0));
        memory.rollback(mark);
        assert_eq!(memory.get(LocationId(1)), 7);
    }
}
