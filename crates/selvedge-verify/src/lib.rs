//! The verifier: what is to be checked, how that is decided, and what it shows.
//!
//! [`verify`] takes a [`Task`]: a model ([`CheckModel`]), a program in C or C++ ([`CheckC`]), a model under a schedule
//! ([`CheckScheduled`]), a program in C of which trace prefixes are to be found ([`FindPrefix`]), or a program to be proved ([`Prove`]). It makes a plan of what was asked for, explores, begins again when an execution refutes a speculation, lets several
//! searches take turns where one property has to be decided or a proof is to be found, and returns an [`Outcome`]: a verdict and the evidence
//! that it rests on. A [`Monitor`] watches and may end it. Command line and tests come here; this crate reads no arguments and prints nothing.

pub mod assumptions;
pub mod c;
pub mod error;
pub mod model;
pub mod monitor;
pub mod outcome;
pub mod prove;
pub mod root;
pub mod scheduled;
pub mod task;

pub use c::check::{CheckC, EvidenceInC};
pub use c::native::Native;
pub use c::prefix::{EvidenceOfPrefix, FindPrefix, Prefixes, Size};
pub use c::question::{Ignored, MoreChecks, Property, Question};
pub use error::VerifyError;
pub use model::{CheckModel, EvidenceInModel};
pub use monitor::{Monitor, Silent};
pub use outcome::Outcome;
pub use prove::Prove;
pub use scheduled::CheckScheduled;
pub use task::{Task, verify};
