//! Handles that do not keep their content alive.

use super::Arc;
use super::counts::{Counts, STRONG_COUNT, UPGRADE, WEAK_COUNT_OF_WEAK};
use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::Weak as StdWeak;

/// A handle that does not keep the content alive, like [`std::sync::Weak`].
///
/// ```
/// use selvedge::sync::{Arc, Weak};
/// selvedge::check(|| {
///     let strong = Arc::new(5);
///     let weak: Weak<i32> = Arc::downgrade(&strong);
///     assert_eq!(weak.upgrade().as_deref(), Some(&5));
///     drop(strong);
///     assert!(weak.upgrade().is_none());
/// });
/// ```
pub struct Weak<T: ?Sized> {
    pub(super) content: StdWeak<T>,
    pub(super) counts: Option<Counts>,
}

impl<T> Weak<T> {
    /// A handle to nothing.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Weak};
    /// selvedge::check(|| { assert!(Weak::<u8>::new().upgrade().is_none()); });
    /// ```
    pub const fn new() -> Weak<T> {
        Weak { content: StdWeak::new(), counts: None }
    }
}

impl<T> Default for Weak<T> {
    fn default() -> Self {
        Weak::new()
    }
}

impl<T: ?Sized> Weak<T> {
    /// A handle that keeps the content alive, if it is.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Weak};
    /// selvedge::check(|| {
    ///     let one = Arc::new(5);
    ///     let weak = Arc::downgrade(&one);
    ///     assert!(weak.upgrade().is_some());
    ///     drop(one);
    ///     assert!(weak.upgrade().is_none());
    /// });
    /// ```
    #[track_caller]
    pub fn upgrade(&self) -> Option<Arc<T>> {
        let counts = self.counts.as_ref()?;
        match counts.observe(&UPGRADE) {
            0 => None,
            _ => Some(Arc::of(self.content.upgrade()?, *counts)),
        }
    }

    /// The number of handles that keep the content alive.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Weak};
    /// selvedge::check(|| {
    ///     let one = Arc::new(5);
    ///     assert_eq!(Arc::downgrade(&one).strong_count(), 1);
    /// });
    /// ```
    #[track_caller]
    pub fn strong_count(&self) -> usize {
        self.counts.as_ref().map_or(0, |counts| counts.observe(&STRONG_COUNT) as usize)
    }

    /// The number of handles that do not keep the content alive; 0 if it is not.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Weak};
    /// selvedge::check(|| {
    ///     let one = Arc::new(5);
    ///     let weak = Arc::downgrade(&one);
    ///     assert_eq!(weak.weak_count(), 1);
    ///     drop(one);
    ///     assert_eq!(weak.weak_count(), 0);
    /// });
    /// ```
    #[track_caller]
    pub fn weak_count(&self) -> usize {
        self.counts.as_ref().map_or(0, |counts| counts.observe(&WEAK_COUNT_OF_WEAK) as usize)
    }

    /// Where the content is, or was.
    ///
    /// ```
    /// use selvedge::sync::Arc;
    /// selvedge::check(|| {
    ///     let one = Arc::new(5);
    ///     assert_eq!(Arc::downgrade(&one).as_ptr(), Arc::as_ptr(&one));
    /// });
    /// ```
    pub fn as_ptr(&self) -> *const T {
        self.content.as_ptr()
    }

    /// Whether two handles have the same content.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Weak};
    /// selvedge::check(|| {
    ///     let one = Arc::new(5);
    ///     assert!(Arc::downgrade(&one).ptr_eq(&Arc::downgrade(&one)));
    /// });
    /// ```
    pub fn ptr_eq(&self, other: &Weak<T>) -> bool {
        self.content.ptr_eq(&other.content)
    }
}

impl<T: ?Sized> Weak<T> {
    #[allow(unsafe_code, reason = "takes the parts out of a type with a destructor")]
    pub(super) fn into_parts(self) -> (StdWeak<T>, Option<Counts>) {
        let this = ManuallyDrop::new(self);
        // SAFETY: `this` is never dropped, so that each part is moved out once.
        (unsafe { std::ptr::read(&raw const this.content) }, this.counts)
    }
}

impl<T: ?Sized> Clone for Weak<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        if let Some(counts) = &self.counts {
            counts.change_weak(1);
        }
        Weak { content: self.content.clone(), counts: self.counts }
    }
}

impl<T: ?Sized> Drop for Weak<T> {
    fn drop(&mut self) {
        if let Some(counts) = &self.counts {
            counts.change_weak(-1);
        }
    }
}

impl<T: ?Sized> fmt::Debug for Weak<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("(Weak)")
    }
}
