//! Allocations whose leaks are reported.

pub use selvedge::alloc::{Layout, Track, alloc, alloc_zeroed, dealloc};
