//! `Arc`s as raw pointers.
//!
//! A raw pointer has no room for what the model needs, so that is kept by address. A pointer that outlives the content is
//! noticed when somebody wants a handle of it, before anything is touched.

use super::counts::{Counts, INCREMENT};
use super::{Arc, Weak};
use crate::runtime::with;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc as StdArc, Weak as StdWeak};

thread_local! {
    /// The latest content at each address that somebody knows, in the execution that is first in the pair.
    static LENT: RefCell<(u32, HashMap<usize, Counts>)> = RefCell::default();
}

/// Somebody gets to know a pointer.
pub(super) fn lend(pointer: *const (), counts: Counts) {
    LENT.with_borrow_mut(|(epoch, lent)| {
        if *epoch != counts.object.epoch {
            *epoch = counts.object.epoch;
            lent.clear();
        }
        lent.insert(pointer.addr(), counts);
    });
}

/// What is known of a pointer.
fn known(pointer: *const ()) -> Option<Counts> {
    LENT.with_borrow(|(_, lent)| lent.get(&pointer.addr()).copied())
}

/// Whether somebody knows the pointer and the content is gone.
pub(super) fn is_gone(pointer: *const (), counts: &Counts) -> bool {
    // When the thread of the operating system ends, its locals may be gone.
    let is_lent = LENT.try_with(|lent| {
        let (_, lent) = &*lent.borrow();
        !lent.is_empty() && lent.get(&pointer.addr()).is_some_and(|known| known.object == counts.object)
    });
    let is_lent = is_lent.unwrap_or(false);
    let at = counts.object.location;
    is_lent && with(|x| counts.object.is_present(x) && !x.live_arcs.iter().any(|(alive, _)| *alive == at))
}

/// What is known of a pointer for which somebody wants a handle.
///
/// # Panics
/// When the pointer is not from an `Arc`, or the content is gone.
#[track_caller]
fn alive(pointer: *const (), function: &str) -> Counts {
    let Some(counts) = known(pointer) else {
        panic!("selvedge: `Arc::{function}` of a pointer that is not from `into_raw`")
    };
    assert!(!is_gone(pointer, &counts), "selvedge: `Arc::{function}` of a pointer whose content is gone");
    counts
}

impl<T: ?Sized> Arc<T> {
    /// Turns a handle into a pointer, to be turned back with [`from_raw`](Arc::from_raw).
    ///
    /// ```
    /// use selvedge::sync::Arc;
    /// selvedge::check(|| {
    ///     let pointer = Arc::into_raw(Arc::new(5));
    ///     // SAFETY: the pointer comes from `into_raw` and is turned back once.
    ///     assert_eq!(*unsafe { Arc::from_raw(pointer) }, 5);
    /// });
    /// ```
    pub fn into_raw(this: Arc<T>) -> *const T {
        let (content, counts) = this.into_parts();
        let pointer = StdArc::into_raw(content);
        lend(pointer.cast(), counts);
        pointer
    }

    /// Turns a pointer from [`into_raw`](Arc::into_raw) back into a handle.
    ///
    /// ```
    /// use selvedge::sync::Arc;
    /// selvedge::check(|| {
    ///     let pointer = Arc::into_raw(Arc::new(5));
    ///     // SAFETY: the pointer comes from `into_raw` and is turned back once.
    ///     drop(unsafe { Arc::from_raw(pointer) });
    /// });
    /// ```
    ///
    /// # Safety
    /// The pointer must come from `into_raw`, and each is turned back once, as in std.
    ///
    /// # Panics
    /// When the pointer does not come from `into_raw`, or its content is gone.
    #[allow(unsafe_code, reason = "like std's")]
    #[track_caller]
    pub unsafe fn from_raw(pointer: *const T) -> Arc<T> {
        let counts = alive(pointer.cast(), "from_raw");
        // SAFETY: the caller promises that the pointer comes from `into_raw` and is turned back once.
        let content = unsafe { StdArc::from_raw(pointer) };
        Arc::of(content, counts)
    }

    /// Counts one handle more for a pointer from [`into_raw`](Arc::into_raw).
    ///
    /// ```
    /// use selvedge::sync::Arc;
    /// selvedge::check(|| {
    ///     let pointer = Arc::into_raw(Arc::new(5));
    ///     // SAFETY: the pointer comes from `into_raw` and is turned back as often as it is counted.
    ///     unsafe {
    ///         Arc::increment_strong_count(pointer);
    ///         assert_eq!(Arc::strong_count(&Arc::from_raw(pointer)), 2);
    ///         drop(Arc::from_raw(pointer));
    ///     }
    /// });
    /// ```
    ///
    /// # Safety
    /// As in std: the pointer comes from `into_raw`, and its content is alive.
    ///
    /// # Panics
    /// When the pointer does not come from `into_raw`, or its content is gone.
    #[allow(unsafe_code, reason = "like std's")]
    #[track_caller]
    pub unsafe fn increment_strong_count(pointer: *const T) {
        let counts = alive(pointer.cast(), "increment_strong_count");
        counts.observe(&INCREMENT);
        // Others went first, perhaps.
        alive(pointer.cast(), "increment_strong_count");
        // SAFETY: the pointer comes from an `Arc` and its content is alive.
        unsafe { StdArc::increment_strong_count(pointer) };
    }

    /// Drops a handle for a pointer from [`into_raw`](Arc::into_raw).
    ///
    /// ```
    /// use selvedge::sync::Arc;
    /// selvedge::check(|| {
    ///     let pointer = Arc::into_raw(Arc::new(5));
    ///     // SAFETY: the pointer comes from `into_raw` and is given up once.
    ///     unsafe { Arc::decrement_strong_count(pointer) };
    /// });
    /// ```
    ///
    /// # Safety
    /// As in std: the pointer comes from `into_raw`, and its content is alive.
    #[allow(unsafe_code, reason = "like std's")]
    #[track_caller]
    pub unsafe fn decrement_strong_count(pointer: *const T) {
        // SAFETY: the caller promises that there is a handle for the pointer.
        drop(unsafe { Arc::from_raw(pointer) });
    }
}

impl<T: ?Sized> Weak<T> {
    /// Turns a handle into a pointer, to be turned back with [`from_raw`](Weak::from_raw).
    ///
    /// ```
    /// use selvedge::sync::{Arc, Weak};
    /// selvedge::check(|| {
    ///     let strong = Arc::new(5);
    ///     let pointer = Arc::downgrade(&strong).into_raw();
    ///     // SAFETY: the pointer comes from `into_raw` and is turned back once.
    ///     assert_eq!(unsafe { Weak::from_raw(pointer) }.upgrade().as_deref(), Some(&5));
    /// });
    /// ```
    pub fn into_raw(self) -> *const T {
        let (content, counts) = self.into_parts();
        let pointer = content.into_raw();
        if let Some(counts) = counts {
            lend(pointer.cast(), counts);
        }
        pointer
    }

    /// Turns a pointer from [`into_raw`](Weak::into_raw) back into a handle.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Weak};
    /// selvedge::check(|| {
    ///     let pointer = Weak::<u8>::new().into_raw();
    ///     // SAFETY: the pointer comes from `into_raw` and is turned back once.
    ///     assert!(unsafe { Weak::from_raw(pointer) }.upgrade().is_none());
    /// });
    /// ```
    ///
    /// # Safety
    /// The pointer must come from `into_raw`, and each is turned back once, as in std.
    #[allow(unsafe_code, reason = "like std's")]
    pub unsafe fn from_raw(pointer: *const T) -> Weak<T> {
        // SAFETY: the caller promises that the pointer comes from `into_raw` and is turned back once.
        Weak { content: unsafe { StdWeak::from_raw(pointer) }, counts: known(pointer.cast()) }
    }
}
