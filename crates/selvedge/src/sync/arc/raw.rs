//! `Arc`s as raw pointers.
//!
//! A raw pointer has no room for what the model needs, so that is kept by address until the pointer comes back.

use super::{Arc, Counts, Weak};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc as StdArc, Weak as StdWeak};

thread_local! {
    static LENT: RefCell<HashMap<usize, (Counts, usize)>> = RefCell::new(HashMap::new());
}

/// A handle becomes a pointer.
fn lend(pointer: *const (), counts: Counts) {
    LENT.with_borrow_mut(|lent| {
        let known = lent.entry(pointer.addr()).or_insert((counts, 0));
        // Another execution may have left pointers behind.
        if known.0.object != counts.object {
            *known = (counts, 0);
        }
        known.1 += 1;
    });
}

/// A pointer becomes a handle again.
fn take_back(pointer: *const ()) -> Option<Counts> {
    LENT.with_borrow_mut(|lent| {
        let (counts, number) = lent.get_mut(&pointer.addr())?;
        *number -= 1;
        let (counts, left) = (*counts, *number);
        if left == 0 {
            lent.remove(&pointer.addr());
        }
        Some(counts)
    })
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
    /// When the pointer does not come from `into_raw`.
    #[allow(unsafe_code, reason = "like std's")]
    pub unsafe fn from_raw(pointer: *const T) -> Arc<T> {
        let Some(counts) = take_back(pointer.cast()) else {
            panic!("selvedge: `Arc::from_raw` of a pointer that is not from `into_raw`")
        };
        // SAFETY: the caller promises that the pointer comes from `into_raw` and is turned back once.
        let content = unsafe { StdArc::from_raw(pointer) };
        Arc { content, counts }
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
    #[allow(unsafe_code, reason = "like std's")]
    #[track_caller]
    pub unsafe fn increment_strong_count(pointer: *const T) {
        // SAFETY: the caller promises that there is a handle for the pointer; it is turned back at once.
        let this = unsafe { Arc::from_raw(pointer) };
        let more = Arc::clone(&this);
        Arc::into_raw(this);
        Arc::into_raw(more);
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
        Weak { content: unsafe { StdWeak::from_raw(pointer) }, counts: take_back(pointer.cast()) }
    }
}
