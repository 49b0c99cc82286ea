//! Verdicts, counterexamples and statistics, as text for people and as JSON for machines.
//!
//! A [`Report`] is made from an exploration of a [`Subject`]. Making it replays every violation and tells it as
//! a [`Counterexample`]; one that cannot be replayed is a bug of ours and an error, never a violation. A report
//! has a [`Verdict`], a [scope](scope::scope) that says what was covered, a [text](text::text) and a
//! [JSON form](json::json). A [`SavedTrace`] is a violation on disk.
//!
//! This crate explores nothing and writes no files. The same exploration always gives the same text, times and
//! memory aside.

pub mod blocked;
pub mod counterexample;
pub mod effects;
pub mod error;
pub mod json;
pub mod memory;
pub mod message;
pub mod native;
pub mod proof;
pub mod reason;
pub mod report;
pub mod saved_trace;
pub mod source;
pub mod statistics;
pub mod text;

pub use counterexample::{Counterexample, Step};
pub use error::ReportError;
pub use report::{Report, Subject};
pub use saved_trace::SavedTrace;
pub use selvedge_claim::{
    Palette, Reservations, Terms, Verdict, choice, paint, reservations, scope, table, terms, verdict,
};
pub use source::Source;
pub use text::Page;
