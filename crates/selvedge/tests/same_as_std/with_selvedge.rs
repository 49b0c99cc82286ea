//! With the names of this library.

pub use selvedge::{cell, check, hint, sync, thread, thread_local};

#[path = "uses.rs"]
mod uses;

#[test]
fn the_claims_hold_with_this_library() {
    uses::all();
}
