//! Checkpoints: everything that a search has left to do.
//!
//! The path with, for each state on it, what was explored, what sleeps and what remains. A search that goes on from a
//! checkpoint performs the path once and explores just what the interrupted one would have explored. The algorithms that
//! [can](crate::Algorithm::keeps_checkpoints) are those whose states hold nothing else.

use crate::{Program, Search, Statistics};
use selvedge_trace::{Access, Decision, EventId, ThreadId};

/// A search in the middle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checkpoint {
    /// What was done so far.
    pub statistics: Statistics,
    /// The decisions that lead to each violation that was found.
    pub violations: Vec<Vec<Decision>>,
    /// The decisions that lead to the present state.
    pub path: Vec<Decision>,
    /// The states on the path: one more than there are decisions.
    pub states: Vec<SavedState>,
}

impl Checkpoint {
    /// The checkpoint of a search whose states are these.
    pub fn of<P: Program>(search: &Search<P>, states: Vec<SavedState>) -> Checkpoint {
        Checkpoint {
            statistics: search.statistics,
            violations: search.violation_schedules(),
            path: search.path.schedule(),
            states,
        }
    }

    /// Goes to where the checkpoint was made. `follow` is called at each state, with the event that led there.
    pub fn restore<P: Program>(
        &self,
        search: &mut Search<P>,
        mut follow: impl FnMut(&mut Search<P>, Option<EventId>, &SavedState),
    ) {
        search.revisit(&self.violations);
        for (position, state) in self.states.iter().enumerate() {
            let e = position.checked_sub(1).map(|last| search.step(self.path[last]));
            follow(search, e, state);
        }
        search.statistics = self.statistics;
    }
}

/// A state on the path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedState {
    /// How many branches have been explored; where they are not counted, 0 or 1.
    pub explored: u32,
    /// The decision that was explored last, where that decides what follows.
    pub free: Option<Decision>,
    /// What sleeps.
    pub sleepers: Vec<SavedSleeper>,
    /// What remains to be explored, first to last, or everything that is explored from here.
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
    /// The position of the state in which it fell asleep.
    pub since: u32,
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
