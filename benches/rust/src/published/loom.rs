//! The programs with loom.

use ::loom as tool;

super::programs!();

/// Reads an atomic that only the present thread writes.
fn own(count: &tool::sync::atomic::AtomicUsize) -> usize {
    // SAFETY: only the present thread writes it.
    unsafe { count.unsync_load() }
}
