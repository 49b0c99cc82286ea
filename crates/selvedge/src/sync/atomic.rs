//! Atomics, with the names and operations of [`std::sync::atomic`].
//!
//! The explored executions are sequentially consistent: every load sees the latest store, whatever the orderings.
//! The orderings still count for the detection of data races on [`cell`](crate::cell)s, as the standard says.
//! A failed compare-exchange is a read, so it commutes with other reads.
//!
//! ```
//! use selvedge::sync::{Arc, atomic::{AtomicUsize, Ordering}};
//! use selvedge::thread;
//!
//! let report = selvedge::Checker::new().run(|| {
//!     let x = Arc::new(AtomicUsize::new(0));
//!     let other = thread::spawn({ let x = x.clone(); move || x.fetch_add(1, Ordering::Relaxed) });
//!     x.fetch_add(1, Ordering::Relaxed);
//!     other.join().unwrap();
//!     assert_eq!(x.load(Ordering::Relaxed), 2);
//! });
//! assert_eq!(report.executions, 2);
//! ```

pub(crate) mod compared;
mod kinds;
mod pointer;
mod types;
pub(crate) mod weaker;

pub use pointer::AtomicPtr;
pub use std::sync::atomic::Ordering;
pub use types::{
    AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32,
    AtomicU64, AtomicUsize,
};

use crate::runtime::with;
use selvedge_trace::ThreadId;

/// A fence, as [`std::sync::atomic::fence`]. Under sequential consistency it orders nothing that is not in order; it counts for the
/// detection of data races.
///
/// ```
/// use selvedge::sync::atomic::{Ordering, fence};
/// selvedge::check(|| fence(Ordering::SeqCst));
/// ```
///
/// # Panics
/// With [`Ordering::Relaxed`], like std.
#[track_caller]
pub fn fence(ordering: Ordering) {
    assert!(ordering != Ordering::Relaxed, "there is no such thing as a relaxed fence");
    weaker::note(ordering);
    with(|x| {
        if x.assumptions.cells_are_tracked {
            let thread = ThreadId(x.current);
            x.clocks.fence(thread, ordering);
        }
    });
}

/// A fence for the compiler only, as [`std::sync::atomic::compiler_fence`]: nothing here.
///
/// ```
/// use selvedge::sync::atomic::{Ordering, compiler_fence};
/// selvedge::check(|| compiler_fence(Ordering::SeqCst));
/// ```
pub fn compiler_fence(_ordering: Ordering) {}

/// Says that the thread spins, as [`std::sync::atomic::spin_loop_hint`].
///
/// ```
/// # #[allow(deprecated)]
/// selvedge::check(|| selvedge::sync::atomic::spin_loop_hint());
/// ```
#[track_caller]
#[deprecated(note = "as in std: use `hint::spin_loop`")]
pub fn spin_loop_hint() {
    crate::hint::spin_loop();
}
