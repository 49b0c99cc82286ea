//! A bounded queue for several producers and consumers: each slot has a sequence number that says whose turn it is.

use super::tool::cell::UnsafeCell;
use super::tool::sync::Arc;
use super::tool::sync::atomic::{AtomicUsize, Ordering};
use super::tool::thread;

const CAPACITY: usize = 2;

struct Slot {
    sequence: AtomicUsize,
    value: UnsafeCell<u32>,
}

struct Queue {
    slots: [Slot; CAPACITY],
    head: AtomicUsize,
    tail: AtomicUsize,
    /// The ordering by which a slot is handed over.
    handing_over: Ordering,
}

#[allow(unsafe_code, reason = "the sequence numbers order the accesses")]
// SAFETY: a slot is accessed by the thread whose turn its sequence number says.
unsafe impl Sync for Queue {}

#[allow(unsafe_code, reason = "the sequence numbers say whose the slot is")]
impl Queue {
    fn new(handing_over: Ordering) -> Queue {
        let slot = |number| Slot { sequence: AtomicUsize::new(number), value: UnsafeCell::new(0) };
        Queue {
            slots: [slot(0), slot(1)],
            head: AtomicUsize::new(0),
            tail: AtomicUsize::new(0),
            handing_over,
        }
    }

    fn push(&self, value: u32) -> bool {
        let mut tail = self.tail.load(Ordering::Relaxed);
        loop {
            let slot = &self.slots[tail % CAPACITY];
            let sequence = slot.sequence.load(Ordering::Acquire);
            if sequence < tail {
                return false;
            }
            if sequence > tail {
                tail = self.tail.load(Ordering::Relaxed);
                continue;
            }
            match self.tail.compare_exchange(tail, tail + 1, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => {
                    // SAFETY: the slot is this thread's until the sequence number changes.
                    slot.value.with_mut(|content| unsafe { *content = value });
                    slot.sequence.store(tail + 1, self.handing_over);
                    return true;
                }
                Err(found) => tail = found,
            }
        }
    }

    fn pop(&self) -> Option<u32> {
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            let slot = &self.slots[head % CAPACITY];
            let sequence = slot.sequence.load(Ordering::Acquire);
            if sequence < head + 1 {
                return None;
            }
            if sequence > head + 1 {
                head = self.head.load(Ordering::Relaxed);
                continue;
            }
            match self.head.compare_exchange(head, head + 1, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => {
                    // SAFETY: the slot is this thread's until the sequence number changes.
                    let value = slot.value.with(|content| unsafe { *content });
                    slot.sequence.store(head + CAPACITY, Ordering::Release);
                    return Some(value);
                }
                Err(found) => head = found,
            }
        }
    }
}

fn explore(handing_over: Ordering) {
    let queue = Arc::new(Queue::new(handing_over));
    let producers: Vec<_> = (1..3)
        .map(|value| {
            let queue = Arc::clone(&queue);
            thread::spawn(move || assert!(queue.push(value), "there is room for all"))
        })
        .collect();
    let consumer = thread::spawn({
        let queue = Arc::clone(&queue);
        move || queue.pop()
    });
    let own = queue.pop();
    for producer in producers {
        producer.join().unwrap();
    }
    let mut taken = vec![own, consumer.join().unwrap(), queue.pop(), queue.pop()];
    taken.retain(Option::is_some);
    taken.sort();
    assert_eq!(taken, [Some(1), Some(2)]);
}

/// The sequence numbers are written with release.
pub fn correct() {
    explore(Ordering::Release);
}

/// The sequence numbers are written relaxed: nothing orders the content of a slot.
pub fn broken() {
    explore(Ordering::Relaxed);
}
