//! A semaphore with an intrusive list of waiters: the nodes are on the stacks of the threads that wait, linked under a mutex.

use super::tool::cell::UnsafeCell;
use super::tool::sync::atomic::{AtomicBool, Ordering};
use super::tool::sync::{Arc, Mutex};
use super::tool::thread;
use std::ptr::null;

struct Node {
    granted: AtomicBool,
    thread: thread::Thread,
    next: UnsafeCell<*const Node>,
}

struct Waiters {
    permits: usize,
    first: *const Node,
}

struct Semaphore {
    waiters: Mutex<Waiters>,
}

#[allow(unsafe_code, reason = "the mutex orders the accesses to nodes")]
// SAFETY: nodes are linked and unlinked under the mutex, and leave the list before their frame ends.
unsafe impl Send for Semaphore {}
#[allow(unsafe_code, reason = "the mutex orders the accesses to nodes")]
// SAFETY: as above.
unsafe impl Sync for Semaphore {}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cancel {
    UnderTheLock,
    Unlocked,
}

#[allow(unsafe_code, reason = "links of the list are read and written under the mutex")]
impl Semaphore {
    fn push(waiters: &mut Waiters, node: &Node) {
        // SAFETY: under the mutex.
        node.next.with_mut(|next| unsafe { *next = waiters.first });
        waiters.first = node;
    }

    fn unlink(waiters: &mut Waiters, node: &Node) {
        // SAFETY: under the mutex.
        let after = |at: &Node| at.next.with(|next| unsafe { *next });
        if std::ptr::eq(waiters.first, node) {
            waiters.first = after(node);
            return;
        }
        let mut at = waiters.first;
        while !at.is_null() {
            // SAFETY: nodes in the list are alive.
            let present = unsafe { &*at };
            if std::ptr::eq(after(present), node) {
                // SAFETY: under the mutex.
                present.next.with_mut(|next| unsafe { *next = after(node) });
                return;
            }
            at = after(present);
        }
    }

    fn enqueue(&self, node: &Node) -> bool {
        let mut waiters = self.waiters.lock().unwrap();
        if waiters.permits > 0 {
            waiters.permits -= 1;
            return true;
        }
        Semaphore::push(&mut waiters, node);
        false
    }

    fn node() -> Node {
        Node { granted: AtomicBool::new(false), thread: thread::current(), next: UnsafeCell::new(null()) }
    }

    fn acquire(&self) {
        let node = Semaphore::node();
        if !self.enqueue(&node) {
            while !node.granted.load(Ordering::Acquire) {
                thread::park();
            }
        }
    }

    /// Waits for a moment only. Returns whether there is a permit.
    fn acquire_or_cancel(&self, cancel: Cancel) -> bool {
        let node = Semaphore::node();
        if self.enqueue(&node) {
            return true;
        }
        let is_granted = || node.granted.load(Ordering::Acquire);
        if cancel == Cancel::Unlocked && is_granted() {
            return true;
        }
        let mut waiters = self.waiters.lock().unwrap();
        if cancel == Cancel::UnderTheLock && is_granted() {
            return true;
        }
        Semaphore::unlink(&mut waiters, &node);
        false
    }

    fn release(&self) {
        let mut waiters = self.waiters.lock().unwrap();
        if waiters.first.is_null() {
            waiters.permits += 1;
            return;
        }
        // SAFETY: nodes in the list are alive.
        let node = unsafe { &*waiters.first };
        Semaphore::unlink(&mut waiters, node);
        let thread = node.thread.clone();
        node.granted.store(true, Ordering::Release);
        drop(waiters);
        thread.unpark();
    }
}

fn explore(cancel: Cancel) {
    let semaphore = Arc::new(Semaphore { waiters: Mutex::new(Waiters { permits: 1, first: null() }) });
    let impatient = thread::spawn({
        let semaphore = Arc::clone(&semaphore);
        move || {
            if semaphore.acquire_or_cancel(cancel) {
                semaphore.release();
            }
        }
    });
    semaphore.acquire();
    semaphore.release();
    impatient.join().unwrap();
    assert_eq!(semaphore.waiters.lock().unwrap().permits, 1, "a permit was lost");
}

/// Whether a permit was granted is asked under the lock.
pub fn correct() {
    explore(Cancel::UnderTheLock);
}

/// Whether a permit was granted is asked before the lock is taken: a permit may be granted in between, and is lost.
pub fn broken() {
    explore(Cancel::Unlocked);
}
