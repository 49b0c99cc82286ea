//! Programs held to a program schedule.
//!
//! [`Scheduled`] is a program of which only what a [`Schedule`](selvedge_schedule::Schedule) permits can happen: the interpreter,
//! and beside it the transitions of the program on values ([`walk`]), which say at which places of the [`automaton`] of sections the
//! execution may be. [`search::explore`] visits all states that are permitted.
//!
//! Nothing of the schedule is believed: that it is safe is what an exploration finds out.

pub mod automaton;
pub mod scheduled;
pub mod search;
pub mod walk;

pub use automaton::Orders;
pub use scheduled::{Lost, Scheduled};
