//! Allocations whose leaks are reported, like loom's.
//!
//! [`alloc`] and [`dealloc`] stand for those of `std::alloc`; a [`Track`] is a value that must be dropped. An allocation or a
//! `Track` that is alive when all threads have ended is reported as a leak, as an `Arc` is.

use crate::runtime::execution::{Execution, Mode};
use crate::runtime::object::show_number;
use crate::runtime::{Object, Place, with};
use std::cell::RefCell;
use std::panic::Location;

pub use std::alloc::Layout;

thread_local! {
    /// Memory of [`alloc`] that is not freed: its address and its object.
    static ALLOCATED: RefCell<Vec<(usize, Object)>> = const { RefCell::new(Vec::new()) };
}

/// A new object that leaks if it is not [ended](end).
#[track_caller]
fn begin(type_name: &'static str) -> Object {
    let made: Place = Location::caller();
    let object = Object::new(type_name, 0, show_number);
    with(|x| {
        if x.mode == Mode::Running && !x.is_making_static() {
            x.live_arcs.push((object.location, made));
        }
    });
    object
}

/// An object is gone: it does not leak.
fn end(x: &mut Execution, object: Object) {
    if object.is_present(x) {
        x.live_arcs.retain(|(at, _)| *at != object.location);
    }
}

/// Runs a closure that makes a value for a static: what it allocates lives for ever, and is no leak.
pub(crate) fn without_leaks<R>(make: impl FnOnce() -> R) -> R {
    struct Making;
    impl Drop for Making {
        fn drop(&mut self) {
            with(|x| x.this_thread().making_statics -= 1);
        }
    }
    with(|x| x.this_thread().making_statics += 1);
    let _making = Making;
    make()
}

/// Allocates memory, like `std::alloc::alloc`.
///
/// ```
/// use selvedge::alloc::{Layout, alloc, dealloc};
/// let report = selvedge::Checker::new().run(|| {
///     let layout = Layout::new::<u64>();
///     // SAFETY: the layout is not empty.
///     let pointer = unsafe { alloc(layout) };
///     if selvedge::choose(2) == 0 {
///         // SAFETY: it was allocated above with this layout.
///         unsafe { dealloc(pointer, layout) };
///     }
/// });
/// assert!(report.to_string().contains("leak: the allocation"), "{report}");
/// ```
///
/// # Safety
/// As for `std::alloc::alloc`: the layout is not empty.
#[track_caller]
#[allow(unsafe_code, reason = "like std's")]
pub unsafe fn alloc(layout: Layout) -> *mut u8 {
    // SAFETY: the caller promises it.
    let pointer = unsafe { std::alloc::alloc(layout) };
    note(pointer, begin("allocation"));
    pointer
}

/// Allocates memory filled with zeros, like `std::alloc::alloc_zeroed`.
///
/// ```
/// use selvedge::alloc::{Layout, alloc_zeroed, dealloc};
/// selvedge::check(|| {
///     let layout = Layout::new::<u64>();
///     // SAFETY: the layout is not empty, and the memory is freed with it.
///     unsafe { dealloc(alloc_zeroed(layout), layout) };
/// });
/// ```
///
/// # Safety
/// As for `std::alloc::alloc_zeroed`: the layout is not empty.
#[track_caller]
#[allow(unsafe_code, reason = "like std's")]
pub unsafe fn alloc_zeroed(layout: Layout) -> *mut u8 {
    // SAFETY: the caller promises it.
    let pointer = unsafe { std::alloc::alloc_zeroed(layout) };
    note(pointer, begin("allocation"));
    pointer
}

fn note(pointer: *mut u8, object: Object) {
    ALLOCATED.with_borrow_mut(|allocated| {
        // What an earlier execution leaked is no longer of interest.
        allocated.retain(|(_, known)| known.epoch == object.epoch);
        allocated.push((pointer.addr(), object));
    });
}

/// Frees memory of [`alloc`] or [`alloc_zeroed`], like `std::alloc::dealloc`.
///
/// ```
/// use selvedge::alloc::{Layout, alloc, dealloc};
/// selvedge::check(|| {
///     let layout = Layout::new::<u64>();
///     // SAFETY: the layout is not empty, and the memory is freed with it.
///     unsafe { dealloc(alloc(layout), layout) };
/// });
/// ```
///
/// # Safety
/// As for `std::alloc::dealloc`: the memory was allocated with this layout.
///
/// # Panics
/// When the memory was not allocated by this module, or was freed before.
#[track_caller]
#[allow(unsafe_code, reason = "like std's")]
pub unsafe fn dealloc(pointer: *mut u8, layout: Layout) {
    let known = ALLOCATED.try_with(|allocated| {
        let mut allocated = allocated.borrow_mut();
        let position = allocated.iter().rposition(|(address, _)| *address == pointer.addr())?;
        Some(allocated.swap_remove(position).1)
    });
    match known {
        Ok(Some(object)) => with(|x| end(x, object)),
        // The thread of the operating system ends.
        Err(_) => return,
        Ok(None) if crate::thread::panicking() => return,
        Ok(None) => panic!("`dealloc` of memory that was not allocated by `alloc`, or was freed before"),
    }
    // SAFETY: the caller promises that the layout is right; that the memory was allocated is known.
    unsafe { std::alloc::dealloc(pointer, layout) };
}

/// A value that is reported as a leak if it is alive when all threads have ended.
///
/// ```
/// use selvedge::alloc::Track;
/// let report = selvedge::Checker::new().run(|| std::mem::forget(Track::new(7)));
/// assert!(report.to_string().contains("leak: the Track"), "{report}");
/// ```
#[derive(Debug)]
pub struct Track<T> {
    value: T,
    tracked: Tracked,
}

#[derive(Debug)]
struct Tracked(Object);

impl Drop for Tracked {
    fn drop(&mut self) {
        with(|x| end(x, self.0));
    }
}

impl<T> Track<T> {
    /// A value to be tracked.
    ///
    /// ```
    /// selvedge::check(|| { assert_eq!(selvedge::alloc::Track::new(7).into_inner(), 7); });
    /// ```
    #[track_caller]
    pub fn new(value: T) -> Track<T> {
        Track { value, tracked: Tracked(begin("Track")) }
    }

    /// The value.
    ///
    /// ```
    /// selvedge::check(|| { assert_eq!(*selvedge::alloc::Track::new(7).get_ref(), 7); });
    /// ```
    pub fn get_ref(&self) -> &T {
        &self.value
    }

    /// The value, to be changed.
    ///
    /// ```
    /// selvedge::check(|| { *selvedge::alloc::Track::new(7).get_mut() += 1; });
    /// ```
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.value
    }

    /// The value, which is tracked no longer.
    ///
    /// ```
    /// selvedge::check(|| { assert_eq!(selvedge::alloc::Track::new(7).into_inner(), 7); });
    /// ```
    pub fn into_inner(self) -> T {
        let Track { value, tracked } = self;
        drop(tracked);
        value
    }
}
