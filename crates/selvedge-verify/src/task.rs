//! A task: something to verify, with everything that decides how.

use crate::{Monitor, Outcome, VerifyError};

/// Something to verify.
pub trait Task {
    /// What the verdict rests on, besides counters.
    type Evidence;

    /// Decides the task, as far as its limits allow.
    ///
    /// # Errors
    /// When it cannot be begun: what is asked for does not fit the program.
    fn decide(self, monitor: &mut dyn Monitor) -> Result<Outcome<Self::Evidence>, VerifyError>;
}

/// Verifies: decides a task, as far as its limits allow.
///
/// # Errors
/// When it cannot be begun: what is asked for does not fit the program.
pub fn verify<T: Task>(task: T, monitor: &mut dyn Monitor) -> Result<Outcome<T::Evidence>, VerifyError> {
    task.decide(monitor)
}
