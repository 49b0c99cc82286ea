//! The meaning of C and C++ that all engines share, apart from how they run it.
//!
//! [`functions`] is the table of the functions that are known without their bodies, each with its [meaning](builtin::Builtin), [`inputs`] those
//! that return any value of a type. `selvedge-machine` runs programs with it, `selvedge-translate` makes models of them.

pub mod builtin;
pub mod functions;
pub mod inputs;
pub mod intrinsics;

pub use builtin::Builtin;
pub use functions::{Function, Kind, Signature, function};
