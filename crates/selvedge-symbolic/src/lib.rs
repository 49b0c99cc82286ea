//! Programs as transition systems over terms.
//!
//! [`System::new`] runs the compact code of the interpreter on terms instead of numbers, from each place where a thread
//! can stand to the next: a [`Transition`] for each way through the code, with the condition under which it is taken and what
//! becomes of the variables. So a transition is a step of the interpreter, with the same effect on the same memory; the tests
//! run both side by side. [`movers`] finds the places where nobody else needs to be let in, [`intervals`] bounds of the
//! variables that hold wherever the threads stand.
//!
//! Integers have 64 bits and wrap around, exactly as in the interpreter: terms are mathematical, and every operation that could
//! leave the range says what happens then.
//!
//! This crate proves nothing and asks no solver.

mod arithmetic;
pub mod intervals;
mod join;
pub mod movers;
mod path;
mod synchronisation;
pub mod system;
mod translate;

pub use system::{
    BuildError, Condition, Location, LocationKind, Place, StateVariable, System, Target, ThreadSystem,
    Transition, Unsupported, Woken,
};
