//! `Arc`s as raw pointers, and lists of nodes.

use crate::{Version, compare};
use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::SeqCst};
use selvedge::{Checker, FailureKind, hint, thread};
use std::mem::ManuallyDrop;

/// A value that is replaced while others read it. Readers announce themselves, so that the old value can be kept for them.
struct Swap<T> {
    value: AtomicPtr<T>,
    readers: AtomicUsize,
}

impl<T> Swap<T> {
    fn new(value: T) -> Swap<T> {
        let value = Arc::into_raw(Arc::new(value)).cast_mut();
        Swap { value: AtomicPtr::new(value), readers: AtomicUsize::new(0) }
    }

    fn load(&self) -> Arc<T> {
        self.readers.fetch_add(1, SeqCst);
        let value = self.value.load(SeqCst);
        // SAFETY: as long as there are readers, the value is not given up; in the broken version it is.
        let handle = unsafe {
            Arc::increment_strong_count(value);
            Arc::from_raw(value)
        };
        self.readers.fetch_sub(1, SeqCst);
        handle
    }

    fn store(&self, value: T, version: Version) {
        let old = self.value.swap(Arc::into_raw(Arc::new(value)).cast_mut(), SeqCst);
        while version.is_right() && self.readers.load(SeqCst) != 0 {
            hint::spin_loop();
        }
        // SAFETY: the pointer is from `into_raw`, and nobody else can turn it back any more.
        drop(unsafe { Arc::from_raw(old) });
    }
}

impl<T> Drop for Swap<T> {
    fn drop(&mut self) {
        // SAFETY: the pointer is from `into_raw`, and nobody else has it.
        drop(unsafe { Arc::from_raw(*self.value.get_mut()) });
    }
}

fn swaps<T: Clone + Send + Sync + PartialEq + 'static>(values: [T; 2], version: Version) {
    let [first, second] = values;
    let shared = Arc::new(Swap::new(first.clone()));
    let writer = thread::spawn({
        let (shared, second) = (shared.clone(), second.clone());
        move || shared.store(second, version)
    });
    let seen = shared.load();
    assert!(*seen == first || *seen == second);
    writer.join().unwrap();
}

#[test]
fn a_pointer_is_counted_after_its_content_is_gone() {
    compare(FailureKind::Panic, |version| swaps([1, 2], version));
    compare(FailureKind::Panic, |version| swaps(["one".to_owned(), "two".to_owned()], version));
}

#[test]
fn a_pointer_may_be_looked_at_as_a_handle_any_number_of_times() {
    selvedge::check(|| {
        let pointer = Arc::into_raw(Arc::new(5));
        for _ in 0..3 {
            // SAFETY: the pointer is from `into_raw`, and the handle is not dropped.
            let handle = ManuallyDrop::new(unsafe { Arc::from_raw(pointer) });
            assert_eq!(*Arc::clone(&handle), 5);
        }
        // SAFETY: as before, once.
        let handle = unsafe { Arc::from_raw(pointer) };
        // SAFETY: somebody has a handle; where it is does not matter.
        unsafe { Arc::increment_strong_count(Arc::as_ptr(&handle)) };
        assert_eq!(Arc::strong_count(&handle), 2);
        // SAFETY: this is the one that was counted.
        unsafe { Arc::decrement_strong_count(pointer) };
    });
}

#[test]
fn a_pointer_is_turned_back_twice() {
    let twice = |content: fn() -> Box<dyn std::any::Any>| {
        Checker::new().run(move || {
            let pointer = Arc::into_raw(Arc::new(content()));
            // SAFETY: none: that is the mistake, and it is found before anything is touched.
            let handles = unsafe { [Arc::from_raw(pointer), Arc::from_raw(pointer)] };
            drop(handles);
        })
    };
    for report in [twice(|| Box::new(1)), twice(|| Box::new("content".to_owned()))] {
        let message = &report.violations[0].message;
        assert!(message.contains("dropped whose content is gone"), "{report}");
    }
}

struct Node {
    value: u32,
    next: *mut Node,
}

#[derive(Default)]
struct List {
    head: AtomicPtr<Node>,
}

impl List {
    fn push(&self, value: u32, version: Version) {
        let node = Box::into_raw(Box::new(Node { value, next: std::ptr::null_mut() }));
        loop {
            let head = self.head.load(SeqCst);
            // SAFETY: nobody else has the node yet.
            unsafe { (*node).next = head };
            if version == Version::Broken {
                return self.head.store(node, SeqCst);
            }
            if self.head.compare_exchange_weak(head, node, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }

    fn take_all(&self) -> Vec<u32> {
        let mut values = Vec::new();
        let mut next = self.head.swap(std::ptr::null_mut(), SeqCst);
        while !next.is_null() {
            // SAFETY: whoever swaps owns all nodes.
            let node = unsafe { Box::from_raw(next) };
            values.push(node.value);
            next = node.next;
        }
        values
    }
}

#[test]
fn a_node_is_pushed_over_another() {
    compare(FailureKind::Panic, |version| {
        let list = Arc::new(List::default());
        let push = |value| {
            let list = list.clone();
            thread::spawn(move || list.push(value, version))
        };
        let others = [push(0), push(1)];
        let mut values = list.take_all();
        others.into_iter().for_each(|other| other.join().unwrap());
        values.extend(list.take_all());
        values.sort_unstable();
        assert_eq!(values, [0, 1]);
    });
}

/// A block is freed while another thread still has its address, and the next block may come back there: a compare-exchange takes it for the first.
fn a_stale_address_is_expected() {
    let head = Arc::new(AtomicPtr::new(Box::into_raw(Box::new(1))));
    let other = thread::spawn({
        let head = head.clone();
        move || {
            let first = head.swap(std::ptr::null_mut(), SeqCst);
            if !first.is_null() {
                // SAFETY: the pointer is from `into_raw`, and whoever takes it out of the head owns the block.
                drop(unsafe { Box::from_raw(first) });
                head.store(Box::into_raw(Box::new(2)), SeqCst);
            }
        }
    });
    let seen = head.load(SeqCst);
    let taken = head.compare_exchange(seen, std::ptr::null_mut(), SeqCst, SeqCst);
    let owned = if !seen.is_null() { taken.unwrap_or(std::ptr::null_mut()) } else { seen };
    if !owned.is_null() {
        // SAFETY: as above.
        drop(unsafe { Box::from_raw(owned) });
    }
    other.join().unwrap();
    let left = head.swap(std::ptr::null_mut(), SeqCst);
    if !left.is_null() {
        // SAFETY: as above; all other threads have ended.
        drop(unsafe { Box::from_raw(left) });
    }
}

#[test]
fn the_claim_says_that_freed_memory_comes_back_where_the_allocator_does_so() {
    let said = "freed memory came back at its old address only where the allocator did so";
    let report = Checker::new().run(a_stale_address_is_expected);
    assert!(report.violations.is_empty() && report.scope.contains(said), "{report}");
    // Null is never freed.
    let report = Checker::new().run(|| {
        let head = AtomicPtr::<u8>::default();
        let _ = head.compare_exchange(std::ptr::null_mut(), std::ptr::null_mut(), SeqCst, SeqCst);
    });
    assert!(!report.scope.contains(said), "{report}");
}
