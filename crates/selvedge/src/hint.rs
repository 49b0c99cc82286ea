//! Hints, with the names of [`std::hint`].

use crate::runtime::performing::ANY_EPOCH;
use crate::runtime::{Operation, perform};
use crate::spin::SPIN;
use selvedge_trace::LocationId;

pub use std::hint::{assert_unchecked, black_box, select_unpredictable, unreachable_unchecked};

/// Says that the thread waits for others in a loop: it goes on when something that it has read since it last said so
/// has changed. If that never happens the loop is a livelock, and reported.
///
/// ```
/// use selvedge::sync::{Arc, atomic::{AtomicBool, Ordering}};
/// use selvedge::{hint, thread};
///
/// let report = selvedge::Checker::new().run(|| {
///     let ready = Arc::new(AtomicBool::new(false));
///     let other = thread::spawn({ let ready = ready.clone(); move || ready.store(true, Ordering::Release) });
///     while !ready.load(Ordering::Acquire) {
///         hint::spin_loop();
///     }
///     other.join().unwrap();
/// });
/// assert_eq!(report.executions, 2);
/// ```
#[track_caller]
pub fn spin_loop() {
    perform(Operation { epoch: ANY_EPOCH, ..Operation::on(&SPIN, LocationId(0)) });
}

/// Says that what follows is rare, like `std::hint::cold_path`: nothing here.
///
/// ```
/// selvedge::check(|| selvedge::hint::cold_path());
/// ```
#[cold]
pub fn cold_path() {}
