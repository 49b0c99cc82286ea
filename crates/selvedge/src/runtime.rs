//! The runtime: closures as programs to explore.
//!
//! Threads are coroutines on one thread of the operating system ([`fiber`]). Each runs up to its next operation
//! ([`operation`]) and suspends; the explorer decides who goes next. What operations do is done on the model memory
//! ([`memory`]), which can be undone, so that [`program`] answers every question of the explorer about earlier
//! states without running anything; only performing a new operation at an earlier state re-runs the closure.
//! [`execution`] is what the user's side of the library sees of all this, and [`performing`] what it calls. An execution that is
//! given up is finished quietly ([`giving_up`]), so that destructors run to their ends.

#[cfg(test)]
mod against_brute_force;
pub mod assumptions;
pub mod attempts;
pub mod clocks;
pub mod execution;
pub mod exiting;
pub mod failure;
pub mod fiber;
pub mod giving_up;
pub mod history;
pub mod memory;
pub mod names;
pub mod object;
pub mod observed;
pub mod operation;
pub mod panics;
pub mod performing;
pub mod program;
#[cfg(test)]
mod random_beside_std;
#[cfg(test)]
mod random_closures;
#[cfg(test)]
mod random_programs;
#[cfg(test)]
mod random_spins;
pub mod retry;
pub mod script;
pub mod stacks;
pub mod strays;
pub mod stutter;
pub mod trap;
pub mod turn;
pub mod watch;

pub use execution::{Execution, Mode, with};
pub use object::Object;
pub use operation::{Alternatives, Kind, Operation, Outcome, Place, Tells, View, Waits};
pub use performing::{Showing, perform, perform_at_drop, showing};
