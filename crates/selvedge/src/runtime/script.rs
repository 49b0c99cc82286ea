//! Scripts: what each thread did, operation by operation, in the execution at hand.
//!
//! As long as a thread reads the same values it does the same. So a step that is part of the present path can be
//! repeated elsewhere without running the thread: the script says what it did next.

use super::operation::{Operation, Place};
use std::ops::Range;

/// Where a thread stands.
#[derive(Clone, Copy, Debug)]
pub enum Standing {
    /// Before an operation.
    At(Operation),
    /// At its end.
    Ended,
    /// At a failure.
    Failed,
    /// At a false assumption.
    Dropped,
    /// At a limit of the library.
    Diverged,
}

impl Standing {
    /// The place of the operation before which the thread stands.
    pub fn place(&self) -> Option<Place> {
        match self {
            Standing::At(operation) => Some(operation.place),
            _ => None,
        }
    }
}

/// What a thread did between two operations, and where it stands then.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Where it stands.
    pub standing: Standing,
    /// The numbers of the children that it started on the way.
    pub children: Range<u32>,
}

impl Entry {
    /// Whether a thread did the same in two executions of the same decisions.
    #[inline]
    pub fn matches(&self, other: &Entry) -> bool {
        self.children == other.children
            && match (&self.standing, &other.standing) {
                (Standing::At(before), Standing::At(now)) => before.matches(now),
                (Standing::Ended, Standing::Ended)
                | (Standing::Failed, Standing::Failed)
                | (Standing::Diverged, Standing::Diverged)
                | (Standing::Dropped, Standing::Dropped) => true,
                _ => false,
            }
    }
}

/// What a thread did, and how far it is in the present state.
#[derive(Debug, Default)]
pub struct Script {
    /// What it did: the entry at position `n` is where it stood after `n` operations.
    pub entries: Vec<Entry>,
    /// How many operations it has performed in the present state.
    pub position: usize,
}

impl Script {
    /// Where the thread stands in the present state.
    #[inline]
    pub fn standing(&self) -> Option<&Standing> {
        self.entries.get(self.position).map(|entry| &entry.standing)
    }

    /// The next operation in the present state.
    #[inline]
    pub fn operation(&self) -> Option<&Operation> {
        match self.standing() {
            Some(Standing::At(operation)) => Some(operation),
            _ => None,
        }
    }
}
