//! Errors of reports.

use selvedge_explore::ReplayError;

/// Why a result cannot be reported.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The search found a violation that does not happen: a bug of ours.
    #[error("internal error: a violation was found that cannot be replayed ({0}); please report this")]
    Replay(#[from] ReplayError),
    /// A saved trace is not JSON of the right form.
    #[error("this is no saved trace: {0}")]
    NoTrace(#[from] serde_json::Error),
    /// A text is not the JSON form of a report.
    #[error("this is no report: {0}")]
    NoReport(serde_json::Error),
    /// A saved trace of another version.
    #[error("the saved trace has version {found}, this program reads version {expected}")]
    Version {
        /// The version of the trace.
        found: u32,
        /// The version that can be read.
        expected: u32,
    },
    /// A saved trace names a thread that the program does not have.
    #[error("the trace does not fit the program: step {step} is by `{thread}`, which is no thread of it")]
    NoSuchThread {
        /// The step, counted from 1.
        step: usize,
        /// The thread.
        thread: String,
    },
    /// A step of a saved trace cannot be performed.
    #[error("the trace does not fit the program: `{thread}` cannot go on at step {step}")]
    NotEnabled {
        /// The step, counted from 1.
        step: usize,
        /// The thread.
        thread: String,
    },
    /// A saved trace does not end in the violation any more.
    #[error("the program does not fail any more: the trace was performed but did not end in `{kind}`")]
    NoViolation {
        /// The kind of violation that was expected.
        kind: String,
    },
}
