//! Exploration of concurrent programs.
//!
//! [`explore`] runs an [`Algorithm`] on anything that implements [`Program`] and returns an [`Exploration`]: the
//! [`Violation`]s found, with schedules that lead to them, and [`Statistics`] that say what was covered. The
//! algorithms share the current [`Path`] and the [`Search`] around it; each is a file of its own under
//! [`algorithms`] that reads like the paper it comes from.
//!
//! This crate knows neither input languages nor how programs run, and it prints nothing.

pub mod algorithm;
pub mod algorithms;
pub mod auto;
pub mod backtrack;
pub mod blocks;
pub mod bound;
pub mod bounded_search;
pub mod checkpoint;
pub mod constraint_system;
pub mod deepening;
pub mod draft;
pub mod equivalence;
pub mod event_set;
pub mod fingerprint;
pub mod hunt;
pub mod known_states;
pub mod least_cost;
pub mod lookahead;
pub mod minimize;
pub mod path;
pub mod preview;
pub mod program;
pub mod replay;
pub mod reversal;
pub mod search;
pub mod section;
pub mod section_search;
pub mod sleep_set;
pub mod solo;
mod spare;
pub mod states;
pub mod statistics;
pub mod turning;
pub mod wakeup_search;
pub mod wakeup_tree;

pub use algorithm::{Algorithm, BoundPromise, Promise, explore, explore_from};
pub use algorithms::value_centric::default_root;
pub use bound::{Bound, BoundKind};
pub use checkpoint::Checkpoint;
pub use equivalence::Equivalence;
pub use path::Path;
pub use program::{Mark, Program, Readiness, ThreadStatus, WaitingForEver};
pub use replay::{ReplayError, replay};
pub use reversal::{Later, Reversal};
pub use search::{AfterViolation, Exploration, Limits, Monitor, Search, Silent, Stop, Violation};
pub use statistics::{End, Statistics};
