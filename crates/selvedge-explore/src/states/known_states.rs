//! States that have been explored, and what was done after each.
//!
//! A search that comes to a known state again need not go on from there. But races between what would come and what led
//! there now must be reversed nevertheless: each state keeps a summary of all accesses after it. So it is with
//! stateful dynamic partial-order reduction [YangCGK2008, section 4].

use crate::States;
use selvedge_trace::{Access, ThreadId};
use std::collections::{BTreeSet, HashMap};

/// The accesses of each thread after a state.
pub type Summary = BTreeSet<(ThreadId, Access)>;

/// The explored states and those being explored.
#[derive(Debug, Default)]
pub struct KnownStates {
    explored: HashMap<Box<[i64]>, Summary>,
    /// The states on the path that are being explored, each with the length of the path there.
    open: Vec<(usize, Box<[i64]>, Summary)>,
    snapshot: Vec<i64>,
}

impl KnownStates {
    /// Looks the present state up, `length` events after the beginning. If it is unknown, it is explored from now on.
    pub fn arrive<P: States>(&mut self, program: &P, length: usize) -> Option<&Summary> {
        self.snapshot.clear();
        if !program.snapshot(&mut self.snapshot) {
            return None;
        }
        if !self.explored.contains_key(&self.snapshot[..]) {
            self.open.push((length, self.snapshot.clone().into(), Summary::new()));
            return None;
        }
        let summary = &self.explored[&self.snapshot[..]];
        if let Some((_, _, around)) = self.open.last_mut() {
            around.extend(summary.iter().copied());
        }
        Some(summary)
    }

    /// Notes an access after the states that are being explored.
    pub fn note(&mut self, thread: ThreadId, accesses: &[Access]) {
        if let Some((_, _, summary)) = self.open.last_mut() {
            summary.extend(accesses.iter().map(|&access| (thread, access)));
        }
    }

    /// Notes that everything after the first `length` events has been explored.
    pub fn leave(&mut self, length: usize) {
        if self.open.last().is_some_and(|open| open.0 == length)
            && let Some((_, state, summary)) = self.open.pop()
        {
            if let Some((_, _, around)) = self.open.last_mut() {
                around.extend(summary.iter().copied());
            }
            self.explored.insert(state, summary);
        }
    }
}
