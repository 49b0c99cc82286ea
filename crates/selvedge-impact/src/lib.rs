//! Proofs of programs that may run forever, and schedules under which they are safe.
//!
//! [`Prover`] holds a program as a transition system with a solver. [`complete`] unwinds it under all schedules into an
//! abstract reachability [`tree`], labels its nodes by interpolants of error paths ([`refine`], [`interpolate`]), closes it by
//! coverings, and so proves it or finds a counterexample: IMPACT for concurrent programs [WachterKO2013, section III]. [`iterate`] builds
//! trees for *some* schedules, which are safe, free of deadlock and [fair](fairness): the incomplete verification results of
//! iterative model checking [Metzler2020, chapter 4].
//!
//! This crate prints nothing and runs no program; counterexamples are schedules for somebody else to replay.

pub mod certify;
pub mod complete;
pub mod context;
pub mod counterexample;
pub mod fairness;
pub mod forced_covering;
pub mod independence;
pub mod interpolate;
pub mod iterate;
pub mod refine;
pub mod schedule;
pub mod tree;

pub use context::{Effort, Limits, Prover, Stop};
pub use counterexample::Counterexample;
pub use tree::{Edge, NodeId, Tree};
