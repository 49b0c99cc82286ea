//! A queue with a condition variable: consumers wait until there is something.

use selvedge::sync::{Arc, Condvar, Mutex};
use selvedge::thread;
use std::collections::VecDeque;

#[derive(Default)]
struct Queue {
    items: Mutex<VecDeque<u32>>,
    not_empty: Condvar,
}

/// Whom a producer tells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Notify {
    /// One consumer for every item.
    EveryTime,
    /// One consumer when the queue was empty: with two items and two consumers, one is never told.
    WhenItWasEmpty,
}

impl Queue {
    fn push(&self, item: u32, notify: Notify) {
        let mut items = self.items.lock().unwrap();
        items.push_back(item);
        if notify == Notify::EveryTime || items.len() == 1 {
            self.not_empty.notify_one();
        }
    }

    fn pop(&self) -> u32 {
        let mut items = self.items.lock().unwrap();
        loop {
            match items.pop_front() {
                Some(item) => return item,
                None => items = self.not_empty.wait(items).unwrap(),
            }
        }
    }
}

fn two_consumers(notify: Notify) {
    let queue = Arc::new(Queue::default());
    let consumers = ["first", "second"].map(|name| {
        let queue = queue.clone();
        thread::Builder::new().name(name.to_owned()).spawn(move || queue.pop()).unwrap()
    });
    queue.push(1, notify);
    queue.push(2, notify);
    let mut items = consumers.map(|consumer| consumer.join().unwrap());
    items.sort_unstable();
    assert_eq!(items, [1, 2]);
}

/// Every push notifies.
pub fn correct() {
    two_consumers(Notify::EveryTime);
}

/// Only a push to an empty queue notifies: a wake-up is lost.
pub fn broken() {
    two_consumers(Notify::WhenItWasEmpty);
}

#[allow(dead_code, reason = "the tests have another main function")]
fn main() {
    println!("{}", selvedge::Checker::new().run(correct));
    println!("{}", selvedge::Checker::new().run(broken));
}
