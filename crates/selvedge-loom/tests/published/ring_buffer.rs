//! A ring buffer for one producer and one consumer.

use super::tool::cell::UnsafeCell;
use super::tool::sync::Arc;
use super::tool::sync::atomic::{AtomicUsize, Ordering};
use super::tool::thread;

const CAPACITY: usize = 2;

struct Ring {
    slots: [UnsafeCell<u32>; CAPACITY],
    /// How many were taken: written by the consumer.
    taken: AtomicUsize,
    /// How many were given: written by the producer.
    given: AtomicUsize,
}

#[allow(unsafe_code, reason = "the counts order the accesses")]
// SAFETY: a slot is accessed by the side to which the counts give it.
unsafe impl Sync for Ring {}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Publish {
    BeforeWriting,
    AfterWriting,
}

#[allow(unsafe_code, reason = "the counts say whose the slot is")]
impl Ring {
    fn push(&self, value: u32, publish: Publish) -> bool {
        let given = super::own(&self.given);
        if given - self.taken.load(Ordering::Acquire) == CAPACITY {
            return false;
        }
        if publish == Publish::BeforeWriting {
            self.given.store(given + 1, Ordering::Release);
        }
        // SAFETY: the slot is the producer's until the count changes.
        self.slots[given % CAPACITY].with_mut(|content| unsafe { *content = value });
        if publish == Publish::AfterWriting {
            self.given.store(given + 1, Ordering::Release);
        }
        true
    }

    fn pop(&self) -> Option<u32> {
        let taken = super::own(&self.taken);
        if self.given.load(Ordering::Acquire) == taken {
            return None;
        }
        // SAFETY: the slot is the consumer's until the count changes.
        let value = self.slots[taken % CAPACITY].with(|content| unsafe { *content });
        self.taken.store(taken + 1, Ordering::Release);
        Some(value)
    }
}

fn explore(publish: Publish) {
    const MESSAGES: u32 = 4;
    let slots = [UnsafeCell::new(0), UnsafeCell::new(0)];
    let ring = Arc::new(Ring { slots, taken: AtomicUsize::new(0), given: AtomicUsize::new(0) });
    let producer = thread::spawn({
        let ring = Arc::clone(&ring);
        move || {
            for message in 1..=MESSAGES {
                while !ring.push(message, publish) {
                    thread::yield_now();
                }
            }
        }
    });
    for message in 1..=MESSAGES {
        let received = loop {
            match ring.pop() {
                Some(received) => break received,
                None => thread::yield_now(),
            }
        };
        assert_eq!(received, message);
    }
    producer.join().unwrap();
}

/// The count is written after the content.
pub fn correct() {
    explore(Publish::AfterWriting);
}

/// The count is written before the content.
pub fn broken() {
    explore(Publish::BeforeWriting);
}
