//! Binaries of C and C++ programs that keep to a schedule.
//!
//! [`Compiled`] is the LLVM IR of a program, the same that the verifier reads; [`Compiled::build`] puts hooks at the instructions that a
//! [prefix](selvedge_schedule::prefix::Prefix) mentions ([`instrument`]), adds the [table](table::Table) of its events and the run time of
//! `selvedge-rt`, and lets clang make a binary of it. [`explain`] lists what such a binary does not control. This crate finds no schedules and runs no programs.

mod compile;
mod error;
pub mod explain;
mod hooks;
pub mod instrument;
mod ordering;
pub mod table;

pub use compile::{Compiled, Mutation, OnDivergence, Options};
pub use error::BuildError;
