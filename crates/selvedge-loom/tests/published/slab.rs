//! A slab with a free list: slots are taken and given back by compare-exchange on its head, which counts a generation.

use super::tool::cell::UnsafeCell;
use super::tool::sync::Arc;
use super::tool::sync::atomic::{AtomicUsize, Ordering};
use super::tool::thread;

const INDEX: usize = 0xff;
const GENERATION: usize = 0x100;

struct Slot {
    /// The number of the next free slot; 0 for none.
    next: AtomicUsize,
    value: UnsafeCell<Option<u32>>,
}

struct Slab {
    /// The number of the first free slot, and the generation above.
    free: AtomicUsize,
    slots: [Slot; 2],
    /// What is added to the head at every change.
    step: usize,
}

#[allow(unsafe_code, reason = "the free list orders the accesses")]
// SAFETY: a slot is accessed by the thread that took it out of the free list.
unsafe impl Sync for Slab {}

impl Slab {
    fn new(step: usize) -> Slab {
        let slot = |next| Slot { next: AtomicUsize::new(next), value: UnsafeCell::new(None) };
        Slab { free: AtomicUsize::new(1), slots: [slot(2), slot(0)], step }
    }

    #[allow(unsafe_code, reason = "the slot was just taken")]
    fn insert(&self, value: u32) -> Option<usize> {
        let mut head = self.free.load(Ordering::Acquire);
        loop {
            let number = head & INDEX;
            if number == 0 {
                return None;
            }
            let slot = &self.slots[number - 1];
            let next = (head & !INDEX).wrapping_add(self.step) | slot.next.load(Ordering::Acquire);
            match self.free.compare_exchange(head, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => {
                    // SAFETY: the slot is this thread's.
                    let before = slot.value.with_mut(|content| unsafe { (*content).replace(value) });
                    assert_eq!(before, None, "a slot was handed out twice");
                    return Some(number);
                }
                Err(found) => head = found,
            }
        }
    }

    #[allow(unsafe_code, reason = "the slot is this thread's")]
    fn take(&self, number: usize) -> Option<u32> {
        let slot = &self.slots[number - 1];
        // SAFETY: the slot is this thread's.
        let value = slot.value.with_mut(|content| unsafe { (*content).take() });
        let mut head = self.free.load(Ordering::Acquire);
        loop {
            slot.next.store(head & INDEX, Ordering::Release);
            let next = (head & !INDEX).wrapping_add(self.step) | number;
            match self.free.compare_exchange(head, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return value,
                Err(found) => head = found,
            }
        }
    }
}

fn explore(step: usize) {
    let slab = Arc::new(Slab::new(step));
    let other = thread::spawn({
        let slab = Arc::clone(&slab);
        move || {
            let first = slab.insert(1);
            let _second = slab.insert(2);
            if let Some(first) = first {
                assert_eq!(slab.take(first), Some(1));
            }
        }
    });
    let own = slab.insert(3);
    other.join().unwrap();
    if let Some(own) = own {
        let _third = slab.insert(4);
        assert_eq!(slab.take(own), Some(3));
    }
}

/// The generation changes with the head.
pub fn correct() {
    explore(GENERATION);
}

/// There is no generation: a head that was taken and given back looks unchanged.
pub fn broken() {
    explore(0);
}
