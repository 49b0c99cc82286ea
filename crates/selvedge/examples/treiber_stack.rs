//! Treiber's stack, a list whose head is changed by compare-exchange. Nodes are never freed while the test runs; what freeing
//! means is a write to the cell `life`, so that a use after free is a data race that the checker sees.

use selvedge::cell::UnsafeCell;
use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicUsize, Ordering};
use selvedge::thread;

const NIL: usize = usize::MAX;

struct Node {
    next: AtomicUsize,
    /// Whether the memory of the node is in use: read by whoever uses the node, written by whoever frees it.
    life: UnsafeCell<bool>,
}

struct Stack {
    head: AtomicUsize,
    nodes: [Node; 2],
}

// SAFETY: what is in the cell is only read and written through the checker, which reports unordered accesses.
#[allow(unsafe_code, reason = "a lock-free structure shares cells")]
unsafe impl Sync for Stack {}

/// When a popped node is freed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Free {
    /// At once, though others may be looking at it.
    AtOnce,
    /// When all threads have ended.
    Later,
}

impl Stack {
    fn new() -> Stack {
        let node = |_| Node { next: AtomicUsize::new(NIL), life: UnsafeCell::new(true) };
        Stack { head: AtomicUsize::new(NIL), nodes: [0, 1].map(node) }
    }

    fn push(&self, node: usize) {
        let mut head = self.head.load(Ordering::Acquire);
        loop {
            self.nodes[node].next.store(head, Ordering::Relaxed);
            match self.head.compare_exchange(head, node, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return,
                Err(found) => head = found,
            }
        }
    }

    fn pop(&self, free: Free) -> Option<usize> {
        let mut head = self.head.load(Ordering::Acquire);
        while head != NIL {
            // Between the load and here, somebody else may have popped the node, and freed it.
            self.nodes[head].life.with(|_in_use| ());
            let next = self.nodes[head].next.load(Ordering::Relaxed);
            match self.head.compare_exchange(head, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => {
                    if free == Free::AtOnce {
                        self.nodes[head].life.with_mut(|_freed| ());
                    }
                    return Some(head);
                }
                Err(found) => head = found,
            }
        }
        None
    }
}

fn two_pops(free: Free) {
    let stack = Arc::new(Stack::new());
    stack.push(0);
    stack.push(1);
    let other = thread::Builder::new().name("other".to_owned()).spawn({
        let stack = stack.clone();
        move || stack.pop(free)
    });
    let own = stack.pop(free);
    let other = other.unwrap().join().unwrap();
    assert!(own.is_some() && other.is_some() && own != other);
}

/// Nodes are freed when nobody can look at them any more.
pub fn correct() {
    two_pops(Free::Later);
}

/// A popped node is freed at once: the other thread may be about to read its `next`.
pub fn broken() {
    two_pops(Free::AtOnce);
}

#[allow(dead_code, reason = "the tests have another main function")]
fn main() {
    println!("{}", selvedge::Checker::new().run(correct));
    println!("{}", selvedge::Checker::new().run(broken));
}
