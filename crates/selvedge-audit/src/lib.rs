//! Audits: was a recorded execution of a native program permitted by its schedule?
//!
//! [`audit`] takes a [log](log::Log) as the run time writes it and a [prefix](selvedge_schedule::prefix::Prefix). It shares no code with the run time, nor with the crate that
//! makes binaries, and does not believe that waits were observed: a record says what a thread had *seen* of another one when it
//! performed an event, and that must include everything that the schedule puts before. This crate runs nothing.

mod audit;
pub mod log;

pub use audit::{Audited, Violation, audit};
