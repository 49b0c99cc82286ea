//! Statics that are made at their first use, anew in each execution.

pub use crate::thread::{AccessError, panicking, yield_now};
pub use selvedge::statics::lazy::Lazy;
