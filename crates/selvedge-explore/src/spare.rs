//! Room that a search leaves for the next one on the same thread of the operating system.
//!
//! A suite of tests makes many small searches, and a large part of their time would be spent on making the same vectors
//! grow again and again. What is kept is empty: nothing of one search is seen by the next. What grew large in a long search is not kept.

use selvedge_trace::HappensBefore;
use std::cell::RefCell;
use std::thread::LocalKey;

thread_local! {
    static ORDER: RefCell<Option<HappensBefore>> = const { RefCell::new(None) };
}

/// More events or locations than this are not kept room for.
pub const LARGE: usize = 1 << 12;

/// The order of an empty execution.
pub fn order(threads: usize) -> HappensBefore {
    match take(&ORDER) {
        Some(mut order) => {
            order.clear(threads);
            order
        }
        None => HappensBefore::new(threads),
    }
}

/// Leaves an order for the next search.
pub fn keep_order(order: HappensBefore) {
    let (events, locations) = order.room();
    if events.max(locations) <= LARGE {
        keep(&ORDER, order);
    }
}

/// What the last search left in a place, if there is anything.
pub fn take<T>(place: &'static LocalKey<RefCell<Option<T>>>) -> Option<T> {
    place.try_with(|spare| spare.take()).ok().flatten()
}

/// Leaves something for the next search.
pub fn keep<T>(place: &'static LocalKey<RefCell<Option<T>>>, spare: T) {
    let _ = place.try_with(|place| place.replace(Some(spare)));
}
