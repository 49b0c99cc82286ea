//! A step of a counterexample, in words.

use selvedge_trace::Decision;

/// A step of a counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The thread that performed it, and which alternative.
    pub decision: Decision,
    /// The name of the thread.
    pub thread: String,
    /// The file of the statement, if there are several.
    pub file: Option<String>,
    /// The line of the statement.
    pub line: usize,
    /// The statement, on one line.
    pub statement: String,
    /// What it did, in words.
    pub effects: Vec<String>,
}

impl Step {
    /// Where the statement is, for people.
    pub fn place(&self) -> String {
        match &self.file {
            Some(file) => format!("{file}:{}", self.line),
            None => self.line.to_string(),
        }
    }
}
