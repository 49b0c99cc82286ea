//! Exploration of concurrent programs.
//!
//! [`explore`] runs an [`Algorithm`] on anything that implements [`Program`] and returns an [`Exploration`]: the
//! [`Violation`]s found, with schedules that lead to them, and [`Statistics`] that say what was covered. The
//! algorithms share the current [`Path`] and the [`Search`] around it; each is a file of its own under
//! [`algorithms`] that reads like the paper it comes from. A [`Plan`] is an algorithm with all that was asked for besides;
//! programs that [speculate](speculation) are explored again when an execution refutes them.
//!
//! This crate knows neither input languages nor how programs run, and it prints nothing.

pub mod admissible;
pub mod algorithm;
pub mod algorithms;
pub mod auto;
pub mod bounds;
pub mod checkpoint;
pub mod equivalence;
pub mod frames;
pub mod minimize;
pub mod path;
pub mod plan;
pub mod replay;
pub mod sampling;
pub mod seam;
pub mod search;
pub mod sections;
mod spare;
pub mod speculation;
pub mod states;
pub mod statistics;

pub use algorithm::{BoundPromise, Promise, explore, explore_from};
pub use algorithms::Algorithm;
pub use algorithms::value_centric::default_root;
pub use bounds::bound::{Bound, BoundKind};
pub use checkpoint::Checkpoint;
pub use equivalence::Equivalence;
pub use path::Path;
pub use path::reversal::{Later, Reversal};
pub use plan::Plan;
pub use replay::{ReplayError, replay};
pub use seam::capabilities::{Excursions, Explorable, LooksAhead, Observations, States};
pub use seam::program::{Mark, Program, Readiness, ThreadStatus, WaitingForEver};
pub use search::{AfterViolation, Exploration, Limits, Monitor, Search, Silent, Stop, Violation};
pub use speculation::{Attempt, Speculates, restart_while_refuted};
pub use statistics::{End, Statistics};
