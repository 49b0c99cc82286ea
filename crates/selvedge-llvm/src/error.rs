//! Why a text is no module.

/// Why a text is no module.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the LLVM IR: {message}")]
pub struct ReadError {
    /// The line of the text, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}
