//! A one-shot channel: one value from one thread to another, with parking.

use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use selvedge::thread::{self, Thread};

struct Channel {
    value: AtomicUsize,
    is_full: AtomicBool,
    receiver: Thread,
}

/// In which order the sender fills the channel and wakes the receiver.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    FillThenWake,
    WakeThenFill,
}

impl Channel {
    fn send(&self, value: usize, order: Order) {
        self.value.store(value, Ordering::Relaxed);
        match order {
            Order::FillThenWake => {
                self.is_full.store(true, Ordering::Release);
                self.receiver.unpark();
            }
            Order::WakeThenFill => {
                self.receiver.unpark();
                self.is_full.store(true, Ordering::Release);
            }
        }
    }

    fn receive(&self) -> usize {
        while !self.is_full.load(Ordering::Acquire) {
            thread::park();
        }
        self.value.load(Ordering::Relaxed)
    }
}

fn send_and_receive(order: Order) {
    let channel = Arc::new(Channel {
        value: AtomicUsize::new(0),
        is_full: AtomicBool::new(false),
        receiver: thread::current(),
    });
    let sender = thread::Builder::new().name("sender".to_owned()).spawn({
        let channel = channel.clone();
        move || channel.send(5, order)
    });
    assert_eq!(channel.receive(), 5);
    sender.unwrap().join().unwrap();
}

/// The channel is full before the receiver is woken.
pub fn correct() {
    send_and_receive(Order::FillThenWake);
}

/// The receiver is woken too early, looks, and parks for ever.
pub fn broken() {
    send_and_receive(Order::WakeThenFill);
}

#[allow(dead_code, reason = "the tests have another main function")]
fn main() {
    println!("{}", selvedge::Checker::new().run(correct));
    println!("{}", selvedge::Checker::new().run(broken));
}
