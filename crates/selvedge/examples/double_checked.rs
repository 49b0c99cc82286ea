//! Double-checked initialisation: look without the lock, and again with it.

use selvedge::cell::UnsafeCell;
use selvedge::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use selvedge::sync::{Arc, Mutex};
use selvedge::thread;

struct Lazy {
    is_ready: AtomicBool,
    lock: Mutex<()>,
    value: UnsafeCell<u32>,
    initialisations: AtomicUsize,
}

// SAFETY: the flag and the lock order the accesses to the value; the checker sees whether they do.
#[allow(unsafe_code, reason = "shares a cell")]
unsafe impl Sync for Lazy {}

/// What is done with the lock held.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Check {
    Again,
    Once,
}

impl Lazy {
    #[allow(unsafe_code, reason = "writes and reads the cell")]
    fn get(&self, check: Check) -> u32 {
        if !self.is_ready.load(Ordering::Acquire) {
            let _guard = self.lock.lock().unwrap();
            if check == Check::Once || !self.is_ready.load(Ordering::Relaxed) {
                self.initialisations.fetch_add(1, Ordering::Relaxed);
                // SAFETY: the lock is held, and nobody reads before the flag is set.
                self.value.with_mut(|value| unsafe { *value = 42 });
                self.is_ready.store(true, Ordering::Release);
            }
        }
        // SAFETY: the flag is set, and nobody writes after that.
        self.value.with(|value| unsafe { *value })
    }
}

fn two_users(check: Check) {
    let lazy = Arc::new(Lazy {
        is_ready: AtomicBool::new(false),
        lock: Mutex::new(()),
        value: UnsafeCell::new(0),
        initialisations: AtomicUsize::new(0),
    });
    let other = thread::Builder::new().name("other".to_owned()).spawn({
        let lazy = lazy.clone();
        move || lazy.get(check)
    });
    assert_eq!(lazy.get(check), 42);
    assert_eq!(other.unwrap().join().unwrap(), 42);
    assert_eq!(lazy.initialisations.load(Ordering::Relaxed), 1, "initialised twice");
}

/// Looks again with the lock held.
pub fn correct() {
    two_users(Check::Again);
}

/// Does not look again: both may initialise, one while the other already reads.
pub fn broken() {
    two_users(Check::Once);
}

#[allow(dead_code, reason = "the tests have another main function")]
fn main() {
    println!("{}", selvedge::Checker::new().run(correct));
    println!("{}", selvedge::Checker::new().run(broken));
}
