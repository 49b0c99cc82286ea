//! Discoveries: what a search for a proof reports as soon as it is there.

use selvedge_certificate::{Certificate, Checked};
use selvedge_explore::Violation;
use selvedge_impact::{Prover, Stop, Tree};
use selvedge_interp::Failure;

/// Something that a search for a proof has come to.
#[derive(Clone, Copy)]
pub enum Discovery<'d> {
    /// The program is translated, and the search begins.
    Begun(&'d Prover),
    /// A set of schedules, the first, the second, ….
    Schedules {
        /// Its number.
        number: u32,
        /// The proof that it is safe.
        proof: FoundProof<'d>,
    },
    /// A proof about all schedules.
    Proof(FoundProof<'d>),
    /// There will be no more sets of schedules than these.
    NoMoreSchedules {
        /// How many were found.
        found: u32,
        /// Why.
        stop: &'d Stop,
    },
    /// A violation, replayed.
    Violation(&'d Violation<Failure>),
}

/// A tree that proves something.
#[derive(Clone, Copy)]
pub struct FoundProof<'d> {
    /// The prover.
    pub prover: &'d Prover,
    /// The tree.
    pub tree: &'d Tree,
    /// Its certificate.
    pub certificate: &'d Certificate,
    /// What the independent checker says of it.
    pub recheck: &'d Recheck,
}

/// What the independent checker says of a proof that is not wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recheck {
    /// It agrees.
    Done(Checked),
    /// It was not asked.
    NotAsked,
    /// It did not come to its end, for this reason.
    Cut(String),
}
