//! With the names of std.

pub use std::{cell, hint, sync, thread, thread_local};

#[path = "uses.rs"]
mod uses;

fn check(f: impl Fn() + 'static) {
    f();
}

#[test]
fn the_claims_hold_with_std() {
    uses::all();
}
