//! A monitor: it watches a task being decided, and may end that.

use crate::prove::Discovery;
use selvedge_explore::{Plan, Statistics};
use std::ops::ControlFlow;

/// Watches a task being decided.
pub trait Monitor {
    /// The plan is made and the search begins; the program has room for so many threads.
    fn begins(&mut self, _plan: &Plan, _threads: usize) {}

    /// A search for a proof has come to something. `Break` ends it with [`VerifyError::Ended`](crate::VerifyError::Ended).
    fn discovers(&mut self, _discovery: &Discovery) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Some more work was done: the counters so far and a rough estimate of the fraction that was explored.
    /// `Break` ends the search.
    fn progress(&mut self, _statistics: &Statistics, _fraction: f64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// A monitor that does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Monitor for Silent {}

/// A monitor of a task as the monitor of one search.
pub(crate) struct OfSearch<'m>(pub &'m mut dyn Monitor);

impl<P> selvedge_explore::Monitor<P> for OfSearch<'_> {
    fn progress(&mut self, statistics: &Statistics, fraction: f64) -> ControlFlow<()> {
        self.0.progress(statistics, fraction)
    }
}
