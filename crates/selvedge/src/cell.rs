//! Cells with detection of data races.
//!
//! Accesses to these cells are no operations: they do not multiply executions. In every execution they are compared
//! by vector clocks, which hold what the orderings and locks that the user wrote guarantee. Two accesses, one of them a write, of
//! which neither happens before the other are a data race; it exists in every execution of the same trace,
//! so exploring all traces finds every race.

pub mod pointers;
pub(crate) mod tracker;

pub use pointers::{ConstPtr, MutPtr};

/// These belong to one thread at a time, so they are std's own.
pub use std::cell::{BorrowError, BorrowMutError, LazyCell, OnceCell, Ref, RefCell, RefMut};

use crate::name::Named;
use crate::runtime::Object;
use std::cmp::Ordering;
use std::fmt;
use tracker::{Access, Tracker};

/// A cell with interior mutability, like [`std::cell::UnsafeCell`], whose accesses are checked.
///
/// ```
/// use selvedge::cell::UnsafeCell;
/// use selvedge::sync::{Arc, atomic::{AtomicBool, Ordering}};
/// use selvedge::thread;
///
/// struct Shared { ready: AtomicBool, data: UnsafeCell<u32> }
/// // SAFETY: `ready` orders the accesses to `data`. Or does it?
/// unsafe impl Sync for Shared {}
///
/// let report = selvedge::Checker::new().run(|| {
///     let shared = Arc::new(Shared { ready: AtomicBool::new(false), data: UnsafeCell::new(0) });
///     let writer = thread::spawn({
///         let shared = shared.clone();
///         move || {
///             shared.data.with_mut(|data| unsafe { *data = 1 });
///             shared.ready.store(true, Ordering::Relaxed); // should be `Release`
///         }
///     });
///     if shared.ready.load(Ordering::Acquire) {
///         shared.data.with(|data| assert_eq!(unsafe { *data }, 1));
///     }
///     writer.join().unwrap();
/// });
/// assert!(report.to_string().contains("data race"));
/// ```
pub struct UnsafeCell<T: ?Sized> {
    tracker: Tracker,
    content: std::cell::UnsafeCell<T>,
}

impl<T> UnsafeCell<T> {
    /// A cell with a content.
    ///
    /// ```
    /// use selvedge::cell::{Cell, UnsafeCell};
    /// selvedge::check(|| { assert_eq!(UnsafeCell::new(3).into_inner(), 3); });
    /// ```
    #[track_caller]
    pub fn new(content: T) -> UnsafeCell<T> {
        UnsafeCell { tracker: Tracker::new("UnsafeCell"), content: std::cell::UnsafeCell::new(content) }
    }

    /// The content, at the end of the cell's life.
    ///
    /// ```
    /// use selvedge::cell::{Cell, UnsafeCell};
    /// selvedge::check(|| { assert_eq!(UnsafeCell::new(3).into_inner(), 3); });
    /// ```
    pub fn into_inner(self) -> T {
        self.content.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// Reads the content through a pointer that must not outlive the closure.
    ///
    /// ```
    /// use selvedge::cell::{Cell, UnsafeCell};
    /// selvedge::check(|| {
    ///     let cell = UnsafeCell::new(3);
    ///     // SAFETY: nobody else has the cell.
    ///     assert_eq!(cell.with(|content| unsafe { *content }), 3);
    /// });
    /// ```
    #[track_caller]
    pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        let _access = self.tracker.access(Access::Read);
        f(self.content.get())
    }

    /// Changes the content through a pointer that must not outlive the closure.
    ///
    /// ```
    /// use selvedge::cell::{Cell, UnsafeCell};
    /// selvedge::check(|| {
    ///     let cell = UnsafeCell::new(3);
    ///     // SAFETY: nobody else has the cell.
    ///     cell.with_mut(|content| unsafe { *content += 1 });
    ///     assert_eq!(cell.into_inner(), 4);
    /// });
    /// ```
    #[track_caller]
    pub fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        let _access = self.tracker.access(Access::Write);
        f(self.content.get())
    }

    /// A pointer to the content, as in std. What is done with it is not seen: the call itself counts as a write, so that no race is
    /// missed, and a report of a race says so. For reads that may overlap use [`with`](UnsafeCell::with).
    ///
    /// ```
    /// use selvedge::cell::UnsafeCell;
    /// selvedge::check(|| {
    ///     let cell = UnsafeCell::new(1);
    ///     // SAFETY: nobody else has the cell.
    ///     unsafe { *cell.get() += 1 };
    ///     assert_eq!(cell.into_inner(), 2);
    /// });
    /// ```
    #[track_caller]
    pub fn get(&self) -> *mut T {
        drop(self.tracker.access(Access::Pointer));
        self.content.get()
    }

    /// Begins a read that lasts as long as the pointer is kept: a write in the meantime is a data race.
    ///
    /// ```
    /// use selvedge::cell::UnsafeCell;
    /// selvedge::check(|| {
    ///     let cell = UnsafeCell::new(3);
    ///     let pointer = cell.start_read();
    ///     // SAFETY: no other thread has the cell.
    ///     assert_eq!(unsafe { *pointer.deref() }, 3);
    /// });
    /// ```
    #[track_caller]
    pub fn start_read(&self) -> ConstPtr<T> {
        ConstPtr::new(self.tracker.access(Access::Read), self.content.get())
    }

    /// Begins a write that lasts as long as the pointer is kept: any other access in the meantime is a data race.
    ///
    /// ```
    /// use selvedge::cell::UnsafeCell;
    /// selvedge::check(|| {
    ///     let cell = UnsafeCell::new(3);
    ///     // SAFETY: no other thread has the cell.
    ///     unsafe { *cell.start_write().deref() += 1 };
    ///     assert_eq!(cell.into_inner(), 4);
    /// });
    /// ```
    #[track_caller]
    pub fn start_write(&self) -> MutPtr<T> {
        MutPtr::new(self.tracker.access(Access::Write), self.content.get())
    }

    /// The content: an exclusive reference needs no check.
    ///
    /// ```
    /// use selvedge::cell::{Cell, UnsafeCell};
    /// selvedge::check(|| {
    ///     let mut cell = UnsafeCell::new(3);
    ///     *cell.get_mut() += 1;
    ///     assert_eq!(cell.into_inner(), 4);
    /// });
    /// ```
    pub fn get_mut(&mut self) -> &mut T {
        self.content.get_mut()
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

impl<T: ?Sized> Named for UnsafeCell<T> {
    fn object(&self) -> Object {
        self.tracker.object()
    }
}

/// A cell whose content is copied in and out, like [`std::cell::Cell`], whose accesses are checked.
///
/// ```
/// selvedge::check(|| {
///     let cell = selvedge::cell::Cell::new(1);
///     cell.set(cell.get() + 1);
///     assert_eq!(cell.replace(5), 2);
/// });
/// ```
pub struct Cell<T> {
    tracker: Tracker,
    content: std::cell::Cell<T>,
}

impl<T> Cell<T> {
    /// A cell with a content.
    ///
    /// ```
    /// use selvedge::cell::{Cell, UnsafeCell};
    /// selvedge::check(|| { assert_eq!(Cell::new(3).get(), 3); });
    /// ```
    #[track_caller]
    pub fn new(content: T) -> Cell<T> {
        Cell { tracker: Tracker::new("Cell"), content: std::cell::Cell::new(content) }
    }

    /// The content.
    ///
    /// ```
    /// use selvedge::cell::{Cell, UnsafeCell};
    /// selvedge::check(|| { assert_eq!(Cell::new(3).get(), 3); });
    /// ```
    #[track_caller]
    pub fn get(&self) -> T
    where
        T: Copy,
    {
        let _access = self.tracker.access(Access::Read);
        self.content.get()
    }

    /// Sets the content.
    ///
    /// ```
    /// use selvedge::cell::{Cell, UnsafeCell};
    /// selvedge::check(|| {
    ///     let cell = Cell::new(3);
    ///     cell.set(4);
    ///     assert_eq!(cell.get(), 4);
    /// });
    /// ```
    #[track_caller]
    pub fn set(&self, value: T) {
        self.replace(value);
    }

    /// Sets the content and returns the one before.
    ///
    /// ```
    /// use selvedge::cell::{Cell, UnsafeCell};
    /// selvedge::check(|| {
    ///     let cell = Cell::new(3);
    ///     assert_eq!((cell.replace(4), cell.get()), (3, 4));
    /// });
    /// ```
    #[track_caller]
    pub fn replace(&self, value: T) -> T {
        let _access = self.tracker.access(Access::Write);
        self.content.replace(value)
    }

    /// Exchanges the contents of two cells.
    ///
    /// ```
    /// use selvedge::cell::{Cell, UnsafeCell};
    /// selvedge::check(|| {
    ///     let (one, two) = (Cell::new(1), Cell::new(2));
    ///     one.swap(&two);
    ///     assert_eq!((one.get(), two.get()), (2, 1));
    /// });
    /// ```
    #[track_caller]
    pub fn swap(&self, other: &Cell<T>) {
        let _access = (self.tracker.access(Access::Write), other.tracker.access(Access::Write));
        self.content.swap(&other.content);
    }

    /// Takes the content, leaving the default.
    ///
    /// ```
    /// use selvedge::cell::{Cell, UnsafeCell};
    /// selvedge::check(|| {
    ///     let cell = Cell::new(3);
    ///     assert_eq!((cell.take(), cell.get()), (3, 0));
    /// });
    /// ```
    #[track_caller]
    pub fn take(&self) -> T
    where
        T: Default,
    {
        self.replace(T::default())
    }

    /// Changes the content by a function.
    ///
    /// ```
    /// use selvedge::cell::{Cell, UnsafeCell};
    /// selvedge::check(|| {
    ///     let cell = Cell::new(3);
    ///     cell.update(|content| content * 2);
    ///     assert_eq!(cell.get(), 6);
    /// });
    /// ```
    #[track_caller]
    pub fn update(&self, f: impl FnOnce(T) -> T)
    where
        T: Copy,
    {
        self.set(f(self.get()));
    }

    /// A pointer to the content. What is done with it is not seen: the call itself counts as a write.
    ///
    /// ```
    /// selvedge::check(|| {
    ///     let cell = selvedge::cell::Cell::new(3);
    ///     // SAFETY: nobody else has the cell.
    ///     unsafe { *cell.as_ptr() += 1 };
    ///     assert_eq!(cell.get(), 4);
    /// });
    /// ```
    #[track_caller]
    pub fn as_ptr(&self) -> *mut T {
        drop(self.tracker.access(Access::Pointer));
        self.content.as_ptr()
    }

    /// The content: an exclusive reference needs no check.
    ///
    /// ```
    /// use selvedge::cell::{Cell, UnsafeCell};
    /// selvedge::check(|| {
    ///     let mut cell = Cell::new(3);
    ///     *cell.get_mut() += 1;
    ///     assert_eq!(cell.get(), 4);
    /// });
    /// ```
    pub fn get_mut(&mut self) -> &mut T {
        self.content.get_mut()
    }

    /// The content, at the end of the cell's life.
    ///
    /// ```
    /// use selvedge::cell::{Cell, UnsafeCell};
    /// selvedge::check(|| { assert_eq!(Cell::new(3).into_inner(), 3); });
    /// ```
    pub fn into_inner(self) -> T {
        self.content.into_inner()
    }
}

impl<T: Default> Default for Cell<T> {
    #[track_caller]
    fn default() -> Self {
        Cell::new(T::default())
    }
}

impl<T> From<T> for Cell<T> {
    #[track_caller]
    fn from(content: T) -> Self {
        Cell::new(content)
    }
}

impl<T: Copy> Clone for Cell<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        Cell::new(self.get())
    }
}

impl<T: Copy + PartialEq> PartialEq for Cell<T> {
    #[track_caller]
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<T: Copy + Eq> Eq for Cell<T> {}

impl<T: Copy + PartialOrd> PartialOrd for Cell<T> {
    #[track_caller]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.get().partial_cmp(&other.get())
    }
}

impl<T: Copy + Ord> Ord for Cell<T> {
    #[track_caller]
    fn cmp(&self, other: &Self) -> Ordering {
        self.get().cmp(&other.get())
    }
}

impl<T: Copy + fmt::Debug> fmt::Debug for Cell<T> {
    #[track_caller]
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Cell").field("value", &self.get()).finish()
    }
}

impl<T> Named for Cell<T> {
    fn object(&self) -> Object {
        self.tracker.object()
    }
}
