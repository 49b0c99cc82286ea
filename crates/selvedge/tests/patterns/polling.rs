//! Loops that ask again and again.

use crate::{Version, compare};
use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::sync::mpsc::{self, Receiver, TryRecvError};
use selvedge::sync::{Arc, Mutex};
use selvedge::{Checker, FailureKind, Verdict, hint, thread};
use std::time::Duration;

fn sends(messages: &'static [u32]) -> Receiver<u32> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || messages.iter().for_each(|&message| sender.send(message).unwrap()));
    receiver
}

/// Asks several channels in turn, until all are closed.
fn sum_of_all<const N: usize>(receivers: [Receiver<u32>; N], version: Version) -> u32 {
    let (mut sum, mut is_open) = (0, [true; N]);
    while is_open.contains(&true) {
        for (receiver, is_open) in receivers.iter().zip(&mut is_open).filter(|(_, is_open)| **is_open) {
            match receiver.try_recv() {
                Ok(message) => sum += message,
                Err(TryRecvError::Empty) if version.is_right() => thread::yield_now(),
                Err(_) => *is_open = false,
            }
        }
    }
    sum
}

#[test]
fn a_channel_that_is_empty_is_taken_for_closed() {
    compare(FailureKind::Panic, |version| {
        assert_eq!(sum_of_all([sends(&[1]), sends(&[2])], version), 3);
    });
}

#[test]
fn a_loop_that_yields_after_each_of_three_channels_has_an_end() {
    let report = Checker::new()
        .run(|| assert_eq!(sum_of_all([sends(&[]), sends(&[1]), sends(&[])], Version::Right), 1));
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
}

#[test]
fn whoever_has_received_something_looks_for_more() {
    // The second message is received before anything comes from the other channel, also by a thread that spins.
    let report = Checker::new().run(|| {
        let (first, second) = (sends(&[1, 2]), sends(&[3]));
        let mut received = Vec::new();
        while received.len() < 3 {
            received.extend(first.try_recv());
            received.extend(second.try_recv());
            hint::spin_loop();
        }
        assert_ne!(received, [1, 2, 3], "this order exists");
    });
    assert_eq!(report.violations.len(), 1, "{report}");
}

#[test]
fn a_ticket_that_is_drawn_twice_is_waited_for_in_vain() {
    compare(FailureKind::Livelock, |version| {
        let lock = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let take = || {
            let lock = lock.clone();
            move || {
                let [next, serving] = &*lock;
                let ticket = match version {
                    Version::Right => next.fetch_add(1, SeqCst),
                    Version::Broken => {
                        let ticket = next.load(SeqCst);
                        next.store(ticket + 1, SeqCst);
                        ticket
                    }
                };
                let mut attempts = 0;
                while serving.load(SeqCst) != ticket {
                    attempts += 1;
                    if attempts % 2 == 0 { thread::yield_now() } else { hint::spin_loop() }
                }
                serving.store(ticket + 1, SeqCst);
            }
        };
        let other = thread::spawn(take());
        take()();
        other.join().unwrap();
    });
}

#[test]
fn a_worker_gives_up_before_the_last_job() {
    compare(FailureKind::Panic, |version| {
        let (sender, receiver) = mpsc::channel::<Box<dyn FnOnce() + Send>>();
        let done = Arc::new(Mutex::new(0));
        let worker = thread::Builder::new().name("worker".to_owned()).spawn(move || match version {
            Version::Right => receiver.iter().for_each(|job| job()),
            Version::Broken => {
                while let Ok(job) = receiver.recv_timeout(Duration::from_millis(1)) {
                    job();
                }
            }
        });
        for _ in 0..2 {
            let done = done.clone();
            let _ = sender.send(Box::new(move || *done.lock().unwrap() += 1));
        }
        drop(sender);
        worker.unwrap().join().unwrap();
        assert_eq!(*done.lock().unwrap(), 2);
    });
}
