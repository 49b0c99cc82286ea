//! Checkpoints: everything that a search with wakeup trees has left to do.
//!
//! The path with, for each state on it, what was explored, what sleeps and what remains. A search that goes on from a
//! checkpoint performs the path once and explores just what the interrupted one would have explored. Only `optimal` can.

use crate::Statistics;
use selvedge_trace::{Access, Decision, ThreadId};

/// A search in the middle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checkpoint {
    /// What was done so far.
    pub statistics: Statistics,
    /// The decisions that lead to the present state.
    pub path: Vec<Decision>,
    /// The states on the path: one more than there are decisions.
    pub states: Vec<SavedState>,
}

/// A state on the path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedState {
    /// How many branches have been explored.
    pub explored: u32,
    /// The thread that was picked freely, with the latest of its choices.
    pub free: Option<Decision>,
    /// What sleeps.
    pub sleepers: Vec<SavedSleeper>,
    /// What remains to be explored, first to last.
    pub branches: Vec<SavedBranch>,
}

/// Decisions that are asleep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedSleeper {
    /// The thread.
    pub thread: ThreadId,
    /// The first of its consecutive choices.
    pub first_choice: u32,
    /// The last of them.
    pub last_choice: u32,
    /// What its operation accesses.
    pub accesses: Vec<Access>,
}

/// A branch of a wakeup tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedBranch {
    /// The decision.
    pub decision: Decision,
    /// What its operation accesses.
    pub accesses: Vec<Access>,
    /// What follows it.
    pub children: Vec<SavedBranch>,
}
