//! Pointers into a cell that stand for an access in progress, like loom's.
//!
//! The access begins when the pointer is made and ends when it is dropped; both ends are compared with the accesses of other
//! threads, so an access of another thread in between is a data race.

use super::tracker::InProgress;
use std::fmt;

/// A read of an [`UnsafeCell`](super::UnsafeCell) that lasts as long as this pointer.
///
/// ```
/// use selvedge::cell::UnsafeCell;
/// selvedge::check(|| {
///     let cell = UnsafeCell::new([1, 2]);
///     // SAFETY: no other thread has the cell.
///     assert_eq!(cell.start_read().with(|content| unsafe { (*content)[1] }), 2);
/// });
/// ```
pub struct ConstPtr<T: ?Sized> {
    _access: InProgress,
    pointer: *const T,
}

impl<T: ?Sized> ConstPtr<T> {
    pub(super) fn new(access: InProgress, pointer: *const T) -> ConstPtr<T> {
        ConstPtr { _access: access, pointer }
    }

    /// The content.
    ///
    /// ```
    /// selvedge::check(|| {
    ///     let cell = selvedge::cell::UnsafeCell::new(3);
    ///     // SAFETY: no other thread has the cell.
    ///     assert_eq!(unsafe { *cell.start_read().deref() }, 3);
    /// });
    /// ```
    ///
    /// # Safety
    /// As for a dereference of the pointer that `std::cell::UnsafeCell::get` returns: no writes while the reference lives, and the cell
    /// outlives it.
    #[allow(unsafe_code, reason = "the caller promises what a dereference needs")]
    pub unsafe fn deref(&self) -> &T {
        // SAFETY: the caller promises it.
        unsafe { &*self.pointer }
    }

    /// Calls a function with the bare pointer, which must not outlive this one.
    ///
    /// ```
    /// selvedge::check(|| {
    ///     let cell = selvedge::cell::UnsafeCell::new(3);
    ///     // SAFETY: no other thread has the cell.
    ///     assert_eq!(cell.start_read().with(|content| unsafe { *content }), 3);
    /// });
    /// ```
    pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        f(self.pointer)
    }
}

impl<T: ?Sized> fmt::Debug for ConstPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("ConstPtr").finish_non_exhaustive()
    }
}

/// A write of an [`UnsafeCell`](super::UnsafeCell) that lasts as long as this pointer.
///
/// ```
/// use selvedge::cell::UnsafeCell;
/// selvedge::check(|| {
///     let cell = UnsafeCell::new(1);
///     // SAFETY: no other thread has the cell.
///     cell.start_write().with(|content| unsafe { *content += 1 });
///     assert_eq!(cell.into_inner(), 2);
/// });
/// ```
pub struct MutPtr<T: ?Sized> {
    _access: InProgress,
    pointer: *mut T,
}

impl<T: ?Sized> MutPtr<T> {
    pub(super) fn new(access: InProgress, pointer: *mut T) -> MutPtr<T> {
        MutPtr { _access: access, pointer }
    }

    /// The content, to be changed.
    ///
    /// ```
    /// selvedge::check(|| {
    ///     let cell = selvedge::cell::UnsafeCell::new(3);
    ///     // SAFETY: no other thread has the cell.
    ///     unsafe { *cell.start_write().deref() = 4 };
    ///     assert_eq!(cell.into_inner(), 4);
    /// });
    /// ```
    ///
    /// # Safety
    /// As for a dereference of the pointer that `std::cell::UnsafeCell::get` returns: no other access while the reference lives, and
    /// the cell outlives it. Two references from one pointer must not be used in turns.
    #[allow(unsafe_code, reason = "the caller promises what a dereference needs")]
    #[allow(
        clippy::mut_from_ref,
        reason = "as loom's; the caller promises that there is no second reference"
    )]
    pub unsafe fn deref(&self) -> &mut T {
        // SAFETY: the caller promises it.
        unsafe { &mut *self.pointer }
    }

    /// Calls a function with the bare pointer, which must not outlive this one.
    ///
    /// ```
    /// selvedge::check(|| {
    ///     let cell = selvedge::cell::UnsafeCell::new(3);
    ///     // SAFETY: no other thread has the cell.
    ///     cell.start_write().with(|content| unsafe { *content = 4 });
    ///     assert_eq!(cell.into_inner(), 4);
    /// });
    /// ```
    pub fn with<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        f(self.pointer)
    }
}

impl<T: ?Sized> fmt::Debug for MutPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("MutPtr").finish_non_exhaustive()
    }
}
