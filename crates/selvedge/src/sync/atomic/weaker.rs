//! Whether the checked program uses orderings weaker than `SeqCst`.
//!
//! The explored executions are sequentially consistent; a program that uses weaker orderings may have others, and the claim says so.

use std::cell::Cell;
use std::sync::atomic::Ordering;

thread_local! {
    static USED: Cell<bool> = const { Cell::new(false) };
}

/// The program uses an ordering.
#[inline]
pub fn note(ordering: Ordering) {
    if ordering != Ordering::SeqCst {
        USED.set(true);
    }
}

/// A new search begins.
pub fn forget() {
    USED.set(false);
}

/// Whether weaker orderings were used since the search began.
pub fn were_used() -> bool {
    USED.get()
}
