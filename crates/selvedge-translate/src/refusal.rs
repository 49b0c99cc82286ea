//! Why a program cannot be translated.

use selvedge_ir::Span;
use std::fmt;

/// Something that the translation does not know, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{scope}{what}")]
pub struct Refusal {
    /// What it is.
    pub what: String,
    /// Who does not support it.
    pub scope: Scope,
    /// The statement.
    pub span: Span,
}

/// Who does not support something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// No engine, and all say so in the same words.
    Everywhere,
    /// No engine: it is a function of which nothing is known, and the words say that.
    Unknown,
    /// Proofs.
    Proofs,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Scope::Everywhere => "not supported: ",
            Scope::Unknown => "",
            Scope::Proofs => "not supported by proofs: ",
        })
    }
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
