//! Formulas over integers and arrays, and the solvers that decide them.
//!
//! [`Terms`] holds every term once, in a normal form, so that equal terms are the same number. [`text`] writes them in
//! SMT-LIB. A [`Solver`] is a process, z3 or cvc5, that is asked over pipes; what it answers is an [`Answer`] or a
//! [`SolverError`], and an answer that is not one of the words of the standard is never taken for a verdict.
//! [`Implications`] remembers what has been asked.
//!
//! This crate knows no programs.

pub mod display;
pub mod evaluate;
pub mod implication;
pub mod parse;
pub mod patience;
mod process;
pub mod propagate;
pub mod solver;
pub mod substitute;
pub mod term;
pub mod text;

pub use implication::Implications;
pub use patience::{Patience, Stopped};
pub use process::{Reuse, SolverError};
pub use solver::{Answer, Core, Kind, Options, Solver};
pub use term::{BitOp, Node, Sort, Term, Terms, Variable};
