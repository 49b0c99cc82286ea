//! A bounded queue for many producers and consumers: a ring of slots, each with a sequence number that says whose turn it is.

use selvedge::cell::UnsafeCell;
use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicUsize, Ordering};
use selvedge::thread;

struct Slot {
    sequence: AtomicUsize,
    value: UnsafeCell<usize>,
}

struct Queue {
    slots: [Slot; 2],
    tail: AtomicUsize,
    head: AtomicUsize,
    /// How a full slot is published.
    publish: Ordering,
}

// SAFETY: the sequence numbers order the accesses to the values; the checker sees whether they do.
#[allow(unsafe_code, reason = "a lock-free structure shares cells")]
unsafe impl Sync for Queue {}

impl Queue {
    fn new(publish: Ordering) -> Queue {
        let slot = |i| Slot { sequence: AtomicUsize::new(i), value: UnsafeCell::new(0) };
        Queue { slots: [0, 1].map(slot), tail: AtomicUsize::new(0), head: AtomicUsize::new(0), publish }
    }

    /// Takes the turn at `position`, if the slot there is at the given stage.
    fn take_turn(&self, at: &AtomicUsize, stage: usize) -> Option<usize> {
        loop {
            let position = at.load(Ordering::Relaxed);
            let sequence = self.slots[position % 2].sequence.load(Ordering::Acquire);
            if sequence < position + stage {
                return None;
            }
            if sequence == position + stage
                && at.compare_exchange(position, position + 1, Ordering::Relaxed, Ordering::Relaxed).is_ok()
            {
                return Some(position);
            }
        }
    }

    #[allow(unsafe_code, reason = "writes the cell")]
    fn push(&self, value: usize) -> bool {
        let Some(position) = self.take_turn(&self.tail, 0) else { return false };
        let slot = &self.slots[position % 2];
        // SAFETY: it is our turn at this slot.
        slot.value.with_mut(|cell| unsafe { *cell = value });
        slot.sequence.store(position + 1, self.publish);
        true
    }

    #[allow(unsafe_code, reason = "reads the cell")]
    fn pop(&self) -> Option<usize> {
        let position = self.take_turn(&self.head, 1)?;
        let slot = &self.slots[position % 2];
        // SAFETY: it is our turn at this slot.
        let value = slot.value.with(|cell| unsafe { *cell });
        slot.sequence.store(position + 2, Ordering::Release);
        Some(value)
    }
}

fn producer_and_consumer(publish: Ordering) {
    let queue = Arc::new(Queue::new(publish));
    let producer = thread::Builder::new().name("producer".to_owned()).spawn({
        let queue = queue.clone();
        move || [1, 2].map(|value| queue.push(value))
    });
    let received: Vec<usize> = (0..2).filter_map(|_| queue.pop()).collect();
    assert!([vec![], vec![1], vec![1, 2]].contains(&received), "{received:?}");
    assert_eq!(producer.unwrap().join().unwrap(), [true, true]);
}

/// A full slot is published with `Release`.
pub fn correct() {
    producer_and_consumer(Ordering::Release);
}

/// A full slot is published with `Relaxed`: nothing orders the value before the consumer's read.
pub fn broken() {
    producer_and_consumer(Ordering::Relaxed);
}

#[allow(dead_code, reason = "the tests have another main function")]
fn main() {
    println!("{}", selvedge::Checker::new().run(correct));
    println!("{}", selvedge::Checker::new().run(broken));
}
