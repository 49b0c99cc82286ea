//! Programs held to a program schedule.
//!
//! [`Scheduled`] is a program of which only what a [`Schedule`](selvedge_schedule::Schedule) permits can happen: the interpreter,
//! and beside it the transitions of the program on values ([`walk`]), which say at which places of the [`automaton`] of sections the
//! execution may be. [`search::explore`] visits all states that are permitted, and [`starvation`] finds the threads that are left out for
//! ever. Where there are too many states, [`induction`] proves what the nodes of the schedule claim.
//!
//! Nothing of the schedule is believed: that it is safe and fair is what an exploration or a proof by induction finds out.

pub mod automaton;
pub mod confirm;
pub mod fit;
pub mod induction;
pub mod scheduled;
pub mod search;
pub mod starvation;
pub mod walk;

pub use automaton::Orders;
pub use scheduled::{Lost, Scheduled, SetupError};
pub use starvation::Fairness;
