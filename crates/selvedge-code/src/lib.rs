//! The meaning of C and C++ that all engines share, apart from how they run it.
//!
//! [`functions`] is the table of the functions that are known without their bodies, each with its [meaning](builtin::Builtin), [`inputs`] those
//! that return any value of a type. [`domain`] defines the operations on words once for all kinds of values: [`words`] that are known, and words with
//! bits [`in_doubt`]. `selvedge-machine` runs programs with it, `selvedge-translate` makes models of them.

pub mod builtin;
pub mod domain;
pub mod functions;
pub mod in_doubt;
pub mod inputs;
pub mod intrinsics;
pub mod words;

pub use builtin::Builtin;
pub use domain::{Domain, Undefined};
pub use functions::{Function, Kind, Signature, function};
