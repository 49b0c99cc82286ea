//! Why a program cannot be translated.

use selvedge_ir::Span;

/// Something that the translation does not know, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Refusal {
    /// What it is.
    pub what: String,
    /// The statement.
    pub span: Span,
}

/// Why a round of the translation ended before its end.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    /// Something was learnt: again from the beginning.
    Restart,
    /// Nobody wants to wait any longer.
    GivenUp,
    /// The program cannot be translated.
    Refused(Refusal),
}

/// What a part of the translation makes, if it is not stopped.
pub(crate) type Done<T = ()> = Result<T, Stop>;
