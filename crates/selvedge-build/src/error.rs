//! Why a binary cannot be made.

use selvedge_llvm::ReadError;
use selvedge_llvm::clang::ClangError;
use std::path::PathBuf;

/// Why a binary cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// clang is not there, or does not accept the program.
    #[error("{0}")]
    Clang(#[from] ClangError),
    /// The LLVM IR cannot be read.
    #[error("`{}`: {error}", path.display())]
    Module {
        /// The program.
        path: PathBuf,
        /// What is wrong.
        error: ReadError,
    },
    /// A file cannot be read or written.
    #[error("cannot use `{}`: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The schedule is one of another program, or of another version of this one.
    #[error(
        "the schedule is for another program, or for another version of this one: find it again with `selvedge check --prefix`"
    )]
    OtherProgram,
    /// The schedule names an instruction that the program does not have.
    #[error("the schedule names instruction {ordinal} of `{function}`, which the program does not have")]
    NoInstruction {
        /// The function.
        function: String,
        /// The position in it.
        ordinal: u32,
    },
    /// The schedule is larger than the run time can hold.
    #[error("the schedule has too many {what} for the run time")]
    TooLarge {
        /// Of what.
        what: &'static str,
    },
    /// An instruction that cannot be controlled.
    #[error("{place}: {what} cannot be held to a schedule")]
    Unsupported {
        /// Where.
        place: String,
        /// What.
        what: String,
    },
    /// clang does not make a binary of it.
    #[error("clang does not make a binary of it:\n{message}")]
    Link {
        /// What clang says.
        message: String,
    },
}
