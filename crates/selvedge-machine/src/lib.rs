//! The meaning of LLVM IR, as a [`Program`](selvedge_explore::Program) to explore.
//!
//! [`lower`](lower::lower) turns a module of `selvedge-llvm` into [`Code`](code::Code): flat instructions over words. A
//! [`Machine`] runs that code forward, and backward by a log, on a [memory] of objects with bytes. Threads,
//! locks and the C library are [builtins](builtin::Builtin) of the machine. What can go wrong in the checked program
//! is a [`Failure`]; what the machine cannot do is a [`Cut`](failure::Cut), which never counts as safe.
//!
//! This crate chooses no schedules, knows no algorithm and reads no text.

mod address_numbers;
pub mod code;
pub mod failure;
mod landmarks;
pub mod lower;
mod machine;
pub mod memory;
pub mod names;
mod options;
mod races;
mod run;
mod state;
pub mod steps;
mod symbols;

pub use failure::{Failure, FailureKind};
pub use machine::{Machine, events};
pub use options::{
    Addresses, Arrivals, Assumptions, Checks, Claims, Inputs, LeftShifts, Options, Promotion, Reuse, Telling,
};
pub use selvedge_code::builtin;
