//! How long a caller is willing to wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long to go on: until a point in time, or until an interrupt. Without either, forever.
#[derive(Clone, Debug, Default)]
pub struct Patience {
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Set from outside to stop.
    pub interrupt: Arc<AtomicBool>,
}

/// Why something was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// The time is over.
    #[error("the time limit was reached")]
    Time,
    /// An interrupt ended it.
    #[error("interrupted")]
    Interrupted,
}

impl Patience {
    /// Goes on, or not.
    ///
    /// # Errors
    /// When it is time to stop.
    pub fn watch(&self) -> Result<(), Stopped> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(Stopped::Interrupted);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Stopped::Time),
            _ => Ok(()),
        }
    }

    /// The time that is left, at most so much.
    pub fn at_most(&self, time: Duration) -> Duration {
        match self.deadline {
            Some(deadline) => deadline.saturating_duration_since(Instant::now()).min(time),
            None => time,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_ends_with_the_time_and_with_an_interrupt() {
        let mut patience = Patience::default();
        assert_eq!(patience.watch(), Ok(()));
        patience.deadline = Some(Instant::now());
        assert_eq!(patience.watch(), Err(Stopped::Time));
        assert_eq!(patience.at_most(Duration::from_secs(1)), Duration::ZERO);
        patience.interrupt.store(true, Ordering::Relaxed);
        assert_eq!(patience.watch(), Err(Stopped::Interrupted));
    }
}
