//! Proofs as files, and an independent checker of them.
//!
//! A [`Certificate`] is a tree with its labels. [`check`](check::check) believes nothing in it: it translates the program again, asks a
//! fresh solver about every edge, every covering, every transition that is missing and every thread that could be blocked,
//! finds out by itself which places may be passed without letting others in ([`blocks`]), which threads may be
//! skipped, and whether every cycle is fair. It shares with the prover the translation of the program into transitions, which
//! the tests hold against the interpreter, and the terms with their text; no code of the prover. A [`StateCertificate`] lists all states of a
//! program instead ([`states`]), and is checked without a solver.

pub mod blocks;
pub mod certificate;
pub mod check;
mod graph;
pub mod states;
mod swap;

pub use certificate::{Certificate, Claim, FormatError, Node};
pub use check::{CheckError, Checked};
pub use states::StateCertificate;
