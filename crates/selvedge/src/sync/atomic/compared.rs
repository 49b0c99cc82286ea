//! Whether the checked program compares addresses by compare-exchange on an `AtomicPtr`.
//!
//! Memory comes from the allocator of the process. A block that is freed and allocated again may come back at its old address, so that a
//! compare-exchange takes the new block for the old one; it is explored where the allocator does so, and not where it only could. The claim
//! says so.

use std::cell::Cell;

thread_local! {
    static COMPARED: Cell<bool> = const { Cell::new(false) };
}

/// The program expects an address; null is never freed.
#[inline]
pub fn note(address: u64) {
    if address != 0 {
        COMPARED.set(true);
    }
}

/// A new search begins.
pub fn forget() {
    COMPARED.set(false);
}

/// Whether addresses were compared since the search began.
pub fn were_compared() -> bool {
    COMPARED.get()
}
