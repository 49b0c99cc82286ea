//! What `selvedge prove` found, as JSON for machines.

use crate::json::JsonViolation;
use serde::Serialize;

/// The report of a proof, in JSON.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ProofReport {
    /// The program's file name.
    pub program: String,
    /// `safe`, `partially safe`, `unsafe` or `inconclusive`.
    pub verdict: &'static str,
    /// The claim, as in the text.
    pub scope: String,
    /// Why the search ended before its end; null if it did not.
    pub reason: Option<String>,
    /// The sets of schedules, each larger than the one before.
    pub schedules: Vec<ScheduleReport>,
    /// The proof about all schedules; null if there is none.
    pub proof: Option<TreeReport>,
    /// The executions of a program that ends, if all were explored instead; null if they were not.
    pub explored_executions: Option<u64>,
    /// The states of the program, if all were visited instead; null if they were not.
    pub visited_states: Option<u64>,
    /// How many states the certificate lists, if it lists all of them.
    pub listed_states: Option<usize>,
    /// The violations, replayed.
    pub violations: Vec<JsonViolation>,
    /// Nodes that were made.
    pub nodes: usize,
    /// Questions to the solver.
    pub queries: u64,
    /// Different predicates in labels.
    pub predicates: usize,
    /// Error paths that were refuted.
    pub refinements: usize,
    /// How long it took.
    pub seconds: f64,
}

/// A tree that proves something.
#[derive(Clone, Debug, Serialize)]
pub struct TreeReport {
    /// When it was found.
    pub seconds: f64,
    /// Its nodes.
    pub nodes: usize,
    /// The queries of the independent checker; null if it was not checked.
    pub checked_with_queries: Option<u64>,
    /// Why it was not checked; null if it was.
    pub unchecked_because: Option<String>,
}

/// A set of schedules.
#[derive(Clone, Debug, Serialize)]
pub struct ScheduleReport {
    /// The tree.
    #[serde(flatten)]
    pub tree: TreeReport,
    /// Nodes at which several threads may go first.
    pub choices: usize,
    /// One way through the tree.
    pub turns: Vec<Turn>,
    /// The turn, counted from 1, with which it begins again; null if all threads end.
    pub again_from: Option<usize>,
}

/// What one thread does before another goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Turn {
    /// The thread.
    pub thread: String,
    /// The first line of what it does.
    pub first_line: usize,
    /// The last line.
    pub last_line: usize,
}

impl ProofReport {
    /// The text of the JSON object, several lines.
    pub fn to_text(&self) -> String {
        // Structures of numbers, strings and lists with string keys always have a JSON form.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}
