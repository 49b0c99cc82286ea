//! The meaning of the IR, as a [`Program`](selvedge_explore::Program) to explore.
//!
//! [`Interpreter::new`] compiles an IR program into flat [`code`]; the interpreter runs that code forward, and backward
//! by a log of overwritten values, so that taking a step back costs about as much as the step and nothing is
//! run again. What can go wrong in the checked program is a [`Failure`]. [`steps`](steps::steps) describes an
//! execution for people: which statement ran, what it read and wrote.
//!
//! This crate does not choose schedules and knows no algorithm and no input language.

mod assumptions;
pub mod code;
mod compile;
pub mod failure;
mod interpreter;
mod layout;
mod lookahead;
mod run;
mod state;
pub mod steps;

pub use assumptions::Assumptions;
pub use compile::compile;
pub use failure::{Detail, Failure, FailureKind};
pub use interpreter::{Deadlocks, Interpreter, ThreadState};
pub use layout::{CellArray, Content, Layout};
