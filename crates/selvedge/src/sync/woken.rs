//! Whether threads waited for condition variables: who waits is woken by notifications only, unless the user wants spurious wake-ups,
//! and the claim says so.

use std::cell::Cell;

/// What may end a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wakeups {
    /// A notification.
    Notified,
    /// A notification, or nothing.
    Spurious,
}

thread_local! {
    static WAITED: Cell<Option<Wakeups>> = const { Cell::new(None) };
}

/// A thread waits.
#[inline]
pub fn note(by: Wakeups) {
    WAITED.set(Some(by));
}

/// A new search begins.
pub fn forget() {
    WAITED.set(None);
}

/// What ended waits since the search began, if there were any.
pub fn wakeups() -> Option<Wakeups> {
    WAITED.get()
}
