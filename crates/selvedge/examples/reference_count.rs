//! A reference count like that of `Arc`: the last owner frees.

use selvedge::cell::UnsafeCell;
use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicUsize, Ordering, fence};
use selvedge::thread;

struct Shared {
    owners: AtomicUsize,
    /// Read by owners, written by whoever frees.
    content: UnsafeCell<u32>,
}

// SAFETY: the count decides who may write; the checker sees whether it does.
#[allow(unsafe_code, reason = "a reference count shares a cell")]
unsafe impl Sync for Shared {}

/// How the count is decreased.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Decrease {
    /// With `Release`, and an `Acquire` fence before freeing.
    Synchronised,
    /// With `Relaxed`.
    Relaxed,
}

impl Shared {
    fn use_and_drop(&self, decrease: Decrease) {
        self.content.with(|_content| ());
        let ordering = match decrease {
            Decrease::Synchronised => Ordering::Release,
            Decrease::Relaxed => Ordering::Relaxed,
        };
        if self.owners.fetch_sub(1, ordering) == 1 {
            if decrease == Decrease::Synchronised {
                fence(Ordering::Acquire);
            }
            self.content.with_mut(|_freed| ());
        }
    }
}

fn two_owners(decrease: Decrease) {
    let shared = Arc::new(Shared { owners: AtomicUsize::new(2), content: UnsafeCell::new(7) });
    let other = thread::Builder::new().name("other".to_owned()).spawn({
        let shared = shared.clone();
        move || shared.use_and_drop(decrease)
    });
    shared.use_and_drop(decrease);
    other.unwrap().join().unwrap();
}

/// The other owner's uses happen before the content is freed.
pub fn correct() {
    two_owners(Decrease::Synchronised);
}

/// Nothing orders the other owner's uses before the content is freed.
pub fn broken() {
    two_owners(Decrease::Relaxed);
}

#[allow(dead_code, reason = "the tests have another main function")]
fn main() {
    println!("{}", selvedge::Checker::new().run(correct));
    println!("{}", selvedge::Checker::new().run(broken));
}
