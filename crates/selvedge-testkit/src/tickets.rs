//! Tickets: numbers that threads who share work take, each once.
//!
//! The atomics come from `crate::atomics`, so that the same file is checked with those of the Rust library.

use crate::atomics::{AtomicU64, Ordering};
use std::ops::Range;

/// Numbers to be taken, lock-free.
pub struct Tickets {
    next: AtomicU64,
    end: u64,
}

impl Tickets {
    /// The numbers of a range.
    pub fn new(range: Range<u64>) -> Tickets {
        Tickets { next: AtomicU64::new(range.start), end: range.end }
    }

    /// The next number that nobody has taken. Asking again when there is none is harmless.
    pub fn take(&self) -> Option<u64> {
        let mut next = self.next.load(Ordering::Relaxed);
        while next < self.end {
            match self.next.compare_exchange(next, next + 1, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(taken) => return Some(taken),
                Err(found) => next = found,
            }
        }
        None
    }
}
