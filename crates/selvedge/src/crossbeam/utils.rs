//! `CachePadded` and `Backoff`, with the names of `crossbeam::utils`.

use crate::{hint, thread};
use std::cell::Cell;
use std::ops::{Deref, DerefMut};

/// A value with a cache line of its own, like `crossbeam::utils::CachePadded`. Nothing is padded here.
///
/// ```
/// use selvedge::crossbeam::utils::CachePadded;
/// let mut counter = CachePadded::new(1);
/// *counter += 1;
/// assert_eq!(counter.into_inner(), 2);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CachePadded<T> {
    value: T,
}

impl<T> CachePadded<T> {
    /// A value.
    ///
    /// ```
    /// assert_eq!(*selvedge::crossbeam::utils::CachePadded::new(1), 1);
    /// ```
    pub const fn new(value: T) -> CachePadded<T> {
        CachePadded { value }
    }

    /// The value.
    ///
    /// ```
    /// assert_eq!(selvedge::crossbeam::utils::CachePadded::new(1).into_inner(), 1);
    /// ```
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<T> Deref for CachePadded<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for CachePadded<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T> From<T> for CachePadded<T> {
    fn from(value: T) -> Self {
        CachePadded::new(value)
    }
}

/// Waiting in loops, like `crossbeam::utils::Backoff`: a thread that calls it waits until something that it has read changes.
///
/// ```
/// use selvedge::crossbeam::utils::Backoff;
/// use selvedge::sync::{Arc, atomic::{AtomicBool, Ordering::SeqCst}};
/// use selvedge::thread;
/// selvedge::check(|| {
///     let ready = Arc::new(AtomicBool::new(false));
///     let other = thread::spawn({ let ready = ready.clone(); move || ready.store(true, SeqCst) });
///     let backoff = Backoff::new();
///     while !ready.load(SeqCst) {
///         backoff.snooze();
///     }
///     other.join().unwrap();
/// });
/// ```
#[derive(Debug, Default)]
pub struct Backoff {
    rounds: Cell<u32>,
}

/// The number of rounds after which crossbeam advises to block.
const ROUNDS: u32 = 10;

impl Backoff {
    /// A new one.
    ///
    /// ```
    /// assert!(!selvedge::crossbeam::utils::Backoff::new().is_completed());
    /// ```
    pub fn new() -> Backoff {
        Backoff::default()
    }

    /// Begins anew.
    ///
    /// ```
    /// selvedge::crossbeam::utils::Backoff::new().reset();
    /// ```
    pub fn reset(&self) {
        self.rounds.set(0);
    }

    /// Waits after a compare-exchange that failed.
    ///
    /// ```
    /// selvedge::check(|| selvedge::crossbeam::utils::Backoff::new().spin());
    /// ```
    #[track_caller]
    pub fn spin(&self) {
        self.rounds.set((self.rounds.get() + 1).min(ROUNDS));
        // Another attempt is not in vain here: a compare-exchange failed because something has changed.
        thread::yield_now();
    }

    /// Waits for another thread.
    ///
    /// ```
    /// selvedge::check(|| selvedge::crossbeam::utils::Backoff::new().snooze());
    /// ```
    #[track_caller]
    pub fn snooze(&self) {
        self.rounds.set((self.rounds.get() + 1).min(ROUNDS + 1));
        hint::spin_loop();
    }

    /// Whether it is time to block.
    ///
    /// ```
    /// assert!(!selvedge::crossbeam::utils::Backoff::new().is_completed());
    /// ```
    pub fn is_completed(&self) -> bool {
        self.rounds.get() > ROUNDS
    }
}
