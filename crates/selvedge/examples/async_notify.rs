//! An asynchronous event: tasks wait until it is set.

use selvedge::future;
use selvedge::sync::atomic::{AtomicBool, Ordering};
use selvedge::sync::{Arc, Mutex};
use std::future::poll_fn;
use std::task::{Poll, Waker};

#[derive(Default)]
struct Event {
    is_set: AtomicBool,
    waiting: Mutex<Option<Waker>>,
}

/// What a task does after it has left its waker.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    /// Looks again: the event may have been set in between.
    Again,
    /// Goes to sleep.
    Once,
}

impl Event {
    fn set(&self) {
        self.is_set.store(true, Ordering::Release);
        if let Some(waker) = self.waiting.lock().unwrap().take() {
            waker.wake();
        }
    }

    async fn wait(&self, look: Look) {
        poll_fn(|context| {
            if self.is_set.load(Ordering::Acquire) {
                return Poll::Ready(());
            }
            *self.waiting.lock().unwrap() = Some(context.waker().clone());
            if look == Look::Again && self.is_set.load(Ordering::Acquire) {
                return Poll::Ready(());
            }
            Poll::Pending
        })
        .await;
    }
}

fn set_and_wait(look: Look) {
    let event = Arc::new(Event::default());
    let task = future::spawn({
        let event = event.clone();
        async move { event.set() }
    });
    future::block_on(async {
        event.wait(look).await;
        task.await;
    });
}

/// A task looks again after it has left its waker.
pub fn correct() {
    set_and_wait(Look::Again);
}

/// A task does not look again: if the event is set in between, nobody wakes it.
pub fn broken() {
    set_and_wait(Look::Once);
}

#[allow(dead_code, reason = "the tests have another main function")]
fn main() {
    println!("{}", selvedge::Checker::new().run(correct));
    println!("{}", selvedge::Checker::new().run(broken));
}
