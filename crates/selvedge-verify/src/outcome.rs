//! The outcome of a task: the verdict, and what it rests on.

use selvedge_claim::Verdict;

/// The outcome of a task.
#[derive(Clone, Debug)]
pub struct Outcome<E> {
    /// The verdict.
    pub verdict: Verdict,
    /// What it rests on.
    pub evidence: E,
}
