//! An `Arc` that is replaced as a whole, with the names of the crate `arc-swap`.
//!
//! Caches, strategies and projections are not here; a guard is a handle of its own.

use crate::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::fmt;
use std::ops::Deref;

/// A place for an `Arc` that threads read and replace, like `arc_swap::ArcSwap`.
///
/// ```
/// use selvedge::arc_swap::ArcSwap;
/// use selvedge::{sync::Arc, thread};
/// selvedge::check(|| {
///     let settings = Arc::new(ArcSwap::from_pointee(1));
///     let other = thread::spawn({ let settings = settings.clone(); move || settings.store(Arc::new(2)) });
///     let before = settings.load();
///     assert!(**before == 1 || **before == 2);
///     other.join().unwrap();
///     assert_eq!(**settings.load(), 2);
/// });
/// ```
pub struct ArcSwap<T> {
    content: Mutex<Arc<T>>,
}

impl<T> ArcSwap<T> {
    /// A place with an `Arc`.
    ///
    /// ```
    /// use selvedge::{arc_swap::ArcSwap, sync::Arc};
    /// selvedge::check(|| assert_eq!(**ArcSwap::new(Arc::new(1)).load(), 1));
    /// ```
    #[track_caller]
    pub fn new(content: Arc<T>) -> ArcSwap<T> {
        ArcSwap { content: Mutex::new(content) }
    }

    /// A place with a new `Arc` of a value.
    ///
    /// ```
    /// selvedge::check(|| assert_eq!(**selvedge::arc_swap::ArcSwap::from_pointee(1).load(), 1));
    /// ```
    #[track_caller]
    pub fn from_pointee(value: T) -> ArcSwap<T> {
        ArcSwap::new(Arc::new(value))
    }

    #[track_caller]
    fn content(&self) -> MutexGuard<'_, Arc<T>> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The present content.
    ///
    /// ```
    /// selvedge::check(|| assert_eq!(**selvedge::arc_swap::ArcSwap::from_pointee(1).load(), 1));
    /// ```
    #[track_caller]
    pub fn load(&self) -> Guard<T> {
        Guard(self.load_full())
    }

    /// A handle of the present content.
    ///
    /// ```
    /// selvedge::check(|| assert_eq!(*selvedge::arc_swap::ArcSwap::from_pointee(1).load_full(), 1));
    /// ```
    #[track_caller]
    pub fn load_full(&self) -> Arc<T> {
        Arc::clone(&self.content())
    }

    /// Replaces the content.
    ///
    /// ```
    /// use selvedge::{arc_swap::ArcSwap, sync::Arc};
    /// selvedge::check(|| ArcSwap::from_pointee(1).store(Arc::new(2)));
    /// ```
    #[track_caller]
    pub fn store(&self, new: Arc<T>) {
        drop(self.swap(new));
    }

    /// Replaces the content and returns the one before.
    ///
    /// ```
    /// use selvedge::{arc_swap::ArcSwap, sync::Arc};
    /// selvedge::check(|| assert_eq!(*ArcSwap::from_pointee(1).swap(Arc::new(2)), 1));
    /// ```
    #[track_caller]
    pub fn swap(&self, new: Arc<T>) -> Arc<T> {
        std::mem::replace(&mut *self.content(), new)
    }

    /// Replaces the content if it is still the given one; returns what it was.
    ///
    /// ```
    /// use selvedge::{arc_swap::ArcSwap, sync::Arc};
    /// selvedge::check(|| {
    ///     let place = ArcSwap::from_pointee(1);
    ///     let seen = place.load_full();
    ///     assert!(Arc::ptr_eq(&place.compare_and_swap(&seen, Arc::new(2)), &seen));
    ///     assert_eq!(**place.load(), 2);
    /// });
    /// ```
    #[track_caller]
    pub fn compare_and_swap(&self, current: &Arc<T>, new: Arc<T>) -> Guard<T> {
        let mut content = self.content();
        match Arc::ptr_eq(&content, current) {
            true => Guard(std::mem::replace(&mut *content, new)),
            false => Guard(Arc::clone(&content)),
        }
    }

    /// Replaces the content by a function of it, again if another thread was faster. Returns the content before.
    ///
    /// ```
    /// selvedge::check(|| {
    ///     let place = selvedge::arc_swap::ArcSwap::from_pointee(1);
    ///     assert_eq!(*place.rcu(|value| **value + 1), 1);
    ///     assert_eq!(**place.load(), 2);
    /// });
    /// ```
    #[track_caller]
    pub fn rcu<R: Into<Arc<T>>>(&self, mut update: impl FnMut(&Arc<T>) -> R) -> Arc<T> {
        let mut seen = self.load_full();
        loop {
            let new = update(&seen).into();
            let before = self.compare_and_swap(&seen, new);
            if Arc::ptr_eq(&before, &seen) {
                return seen;
            }
            seen = Guard::into_inner(before);
        }
    }
}

impl<T> fmt::Debug for ArcSwap<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("ArcSwap").finish_non_exhaustive()
    }
}

/// The content of an [`ArcSwap`] at some moment.
///
/// ```
/// use selvedge::arc_swap::{ArcSwap, Guard};
/// selvedge::check(|| {
///     let guard: Guard<u8> = ArcSwap::from_pointee(1).load();
///     assert_eq!(*Guard::into_inner(guard), 1);
/// });
/// ```
pub struct Guard<T>(Arc<T>);

impl<T> Guard<T> {
    /// The handle.
    ///
    /// ```
    /// use selvedge::arc_swap::{ArcSwap, Guard};
    /// selvedge::check(|| assert_eq!(*Guard::into_inner(ArcSwap::from_pointee(1).load()), 1));
    /// ```
    pub fn into_inner(guard: Guard<T>) -> Arc<T> {
        guard.0
    }
}

impl<T> Deref for Guard<T> {
    type Target = Arc<T>;

    fn deref(&self) -> &Arc<T> {
        &self.0
    }
}
