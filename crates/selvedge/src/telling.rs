//! Counterexamples told to people: the steps in columns, and what is wrong.
//!
//! The columns, the verdict and the scope are printed by `selvedge-claim`; here the operations of the library are put
//! into words.

pub mod divergence;
pub mod effects;
pub mod names;
pub mod reason;
pub mod schedule;
pub mod source;
pub mod steps;
