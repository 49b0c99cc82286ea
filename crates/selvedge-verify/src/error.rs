//! Why a task cannot be begun.

use selvedge_enforce::SetupError;
use selvedge_llvm::clang::ClangError;
use selvedge_llvm::link::LinkError;
use selvedge_machine::lower::LowerError;
use std::io;
use std::path::PathBuf;

/// Why a task cannot be begun.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// A file cannot be read.
    #[error("cannot read `{}`: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// There is no LLVM IR.
    #[error("{0}")]
    Clang(#[from] ClangError),
    /// clang wrote something that we cannot read.
    #[error("cannot read what clang made of `{}`: {error}", path.display())]
    Module {
        /// The source file.
        path: PathBuf,
        /// Why.
        error: selvedge_llvm::ReadError,
    },
    /// The files of a program do not fit together.
    #[error("cannot link: {0}")]
    Link(#[from] LinkError),
    /// There is no file.
    #[error("a program needs a file")]
    NoFile,
    /// The module cannot be run.
    #[error("cannot check `{}`: {error}", path.display())]
    Lower {
        /// The source file.
        path: PathBuf,
        /// Why.
        error: LowerError,
    },
    /// A root thread that is not there.
    #[error("there is no thread `{root}` to be the root: {threads}")]
    NoSuchRoot {
        /// The thread that was asked for.
        root: String,
        /// Those that there are, in words.
        threads: String,
    },
    /// A property that a coarse equivalence does not preserve.
    #[error(
        "not supported by `{algorithm}`: {property}, since executions that it takes to be the same may differ in that; take \
         optimal"
    )]
    NotPreserved {
        /// The algorithm.
        algorithm: &'static str,
        /// The property.
        property: &'static str,
    },
    /// An operation of C that an algorithm cannot treat.
    #[error("not supported by `{algorithm}`: {operation}{place}; take optimal")]
    NotObserved {
        /// The algorithm.
        algorithm: &'static str,
        /// The operation.
        operation: String,
        /// Where it is, if that is known, as the end of a phrase.
        place: String,
    },
    /// An algorithm that explores in another order than that of a depth-first search, or not everything.
    #[error(
        "`{algorithm}` does not follow trace prefixes; take optimal, source, dpor, nidhugg, sleep or exhaustive, without bounds"
    )]
    NoPrefixes {
        /// The algorithm.
        algorithm: &'static str,
    },
    /// A prefix is safe only if everything is looked for.
    #[error(
        "a trace prefix is about all that is looked for as a rule, deadlocks included: leave --property out"
    )]
    PrefixOfProperty,
    /// Nobody takes a prefix.
    #[error("cannot write a trace prefix: {0}")]
    PrefixNotTaken(io::Error),
    /// A program cannot be proved: something in it is not supported, or there is no solver.
    #[error(transparent)]
    Unprovable(selvedge_impact::context::SetupError),
    /// A proof or a counterexample of ours is wrong.
    #[error("internal error: {0}; please report this")]
    Unproved(String),
    /// The monitor has ended a search for a proof.
    #[error("ended by its monitor")]
    Ended,
    /// A schedule cannot be put into force.
    #[error(transparent)]
    Schedule(#[from] SetupError),
}
