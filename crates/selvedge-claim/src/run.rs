//! How something was explored.

use crate::Terms;
use selvedge_explore::auto::Reason;
use selvedge_explore::bounds::deepening::Reached;
use selvedge_explore::{Algorithm, Limits};
use std::time::Duration;

/// How it was explored.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Why this algorithm, if the program decided that.
    pub chosen_because: Option<Reason>,
    /// The limits.
    pub limits: Limits,
    /// Where it ended, if the bound grew.
    pub reached: Option<Reached>,
    /// How long it took.
    pub elapsed: Duration,
    /// What the claim is about and rests on.
    pub terms: Terms,
}
