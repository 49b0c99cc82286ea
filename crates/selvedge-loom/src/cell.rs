//! Cells with detection of data races.

pub use selvedge::cell::{Cell, ConstPtr, MutPtr};

use std::fmt;

/// A cell with interior mutability whose accesses are checked, with the methods of loom: [`get`](UnsafeCell::get) and
/// [`get_mut`](UnsafeCell::get_mut) return pointers that stand for an access in progress.
///
/// ```
/// use selvedge_loom::cell::UnsafeCell;
/// selvedge_loom::model(|| {
///     let cell = UnsafeCell::new(1);
///     // SAFETY: no other thread has the cell.
///     unsafe { *cell.get_mut().deref() += 1 };
///     // SAFETY: the same.
///     assert_eq!(cell.with(|content| unsafe { *content }), 2);
/// });
/// ```
pub struct UnsafeCell<T: ?Sized> {
    cell: selvedge::cell::UnsafeCell<T>,
}

impl<T> UnsafeCell<T> {
    /// A cell with a content.
    ///
    /// ```
    /// selvedge_loom::model(|| assert_eq!(selvedge_loom::cell::UnsafeCell::new(1).into_inner(), 1));
    /// ```
    #[track_caller]
    pub fn new(content: T) -> UnsafeCell<T> {
        UnsafeCell { cell: selvedge::cell::UnsafeCell::new(content) }
    }

    /// The content, at the end of the cell's life.
    ///
    /// ```
    /// selvedge_loom::model(|| assert_eq!(selvedge_loom::cell::UnsafeCell::new(1).into_inner(), 1));
    /// ```
    pub fn into_inner(self) -> T {
        self.cell.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// Reads the content through a pointer that must not outlive the closure.
    ///
    /// ```
    /// selvedge_loom::model(|| {
    ///     let cell = selvedge_loom::cell::UnsafeCell::new(1);
    ///     // SAFETY: no other thread has the cell.
    ///     assert_eq!(cell.with(|content| unsafe { *content }), 1);
    /// });
    /// ```
    #[track_caller]
    pub fn with<F, R>(&self, f: F) -> R
    where
        F: FnOnce(*const T) -> R,
    {
        self.cell.with(f)
    }

    /// Changes the content through a pointer that must not outlive the closure.
    ///
    /// ```
    /// selvedge_loom::model(|| {
    ///     let cell = selvedge_loom::cell::UnsafeCell::new(1);
    ///     // SAFETY: no other thread has the cell.
    ///     cell.with_mut(|content| unsafe { *content += 1 });
    ///     assert_eq!(cell.into_inner(), 2);
    /// });
    /// ```
    #[track_caller]
    pub fn with_mut<F, R>(&self, f: F) -> R
    where
        F: FnOnce(*mut T) -> R,
    {
        self.cell.with_mut(f)
    }

    /// Begins a read that lasts as long as the pointer.
    ///
    /// ```
    /// selvedge_loom::model(|| {
    ///     let cell = selvedge_loom::cell::UnsafeCell::new(1);
    ///     // SAFETY: no other thread has the cell.
    ///     assert_eq!(unsafe { *cell.get().deref() }, 1);
    /// });
    /// ```
    #[track_caller]
    pub fn get(&self) -> ConstPtr<T> {
        self.cell.start_read()
    }

    /// Begins a write that lasts as long as the pointer.
    ///
    /// ```
    /// selvedge_loom::model(|| {
    ///     let cell = selvedge_loom::cell::UnsafeCell::new(1);
    ///     // SAFETY: no other thread has the cell.
    ///     unsafe { *cell.get_mut().deref() = 2 };
    ///     assert_eq!(cell.into_inner(), 2);
    /// });
    /// ```
    #[track_caller]
    pub fn get_mut(&self) -> MutPtr<T> {
        self.cell.start_write()
    }
}

impl<T: Default> Default for UnsafeCell<T> {
    #[track_caller]
    fn default() -> Self {
        UnsafeCell::new(T::default())
    }
}

impl<T> From<T> for UnsafeCell<T> {
    #[track_caller]
    fn from(content: T) -> Self {
        UnsafeCell::new(content)
    }
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("UnsafeCell").finish_non_exhaustive()
    }
}
