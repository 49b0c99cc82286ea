//! RUSTSEC-2019-0013 in miniature: the reader-writer lock of `spin`. A writer freed the lock with `Relaxed`, so nothing ordered its writes
//! before the next holder's accesses.

use selvedge::cell::UnsafeCell;
use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicUsize, Ordering};
use selvedge::{hint, thread};

struct RwLock {
    lock: AtomicUsize,
    data: UnsafeCell<u32>,
}

// SAFETY: the lock orders the accesses to the data; the checker sees whether it does.
#[allow(unsafe_code, reason = "a lock shares a cell")]
unsafe impl Sync for RwLock {}

const WRITER: usize = 1;

impl RwLock {
    #[allow(unsafe_code, reason = "writes the cell")]
    fn increment(&self, free: Ordering) {
        while self.lock.compare_exchange(0, WRITER, Ordering::Acquire, Ordering::Relaxed).is_err() {
            hint::spin_loop();
        }
        // SAFETY: the lock is ours.
        self.data.with_mut(|data| unsafe { *data += 1 });
        self.lock.store(0, free);
    }
}

fn two_writers(free: Ordering) {
    let lock = Arc::new(RwLock { lock: AtomicUsize::new(0), data: UnsafeCell::new(0) });
    let other = thread::Builder::new().name("other".to_owned()).spawn({
        let lock = lock.clone();
        move || lock.increment(free)
    });
    lock.increment(free);
    other.unwrap().join().unwrap();
}

pub fn mended() {
    two_writers(Ordering::Release);
}

pub fn published() {
    two_writers(Ordering::Relaxed);
}
