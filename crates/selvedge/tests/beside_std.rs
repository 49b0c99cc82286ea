//! What programs use beside std: parking_lot, crossbeam, tokio and arc-swap. The examples of their documentation are examples of the modules here, in
//! other words; these tests are about what only several threads can get wrong.

use selvedge::arc_swap::ArcSwap;
use selvedge::crossbeam::channel;
use selvedge::crossbeam::utils::{Backoff, CachePadded};
use selvedge::parking_lot;
use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::tokio::sync::{Mutex, Notify, RwLock, Semaphore, mpsc, oneshot};
use selvedge::{Checker, Verdict, future, reachable, thread};
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

fn verified(f: impl Fn() + 'static) {
    let report = Checker::new().run(f);
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
}

fn found(f: impl Fn() + 'static, said: &str) {
    let report = Checker::new().run(f);
    assert!(report.verdict == Verdict::Violation && report.to_string().contains(said), "{report}");
}

/// Polls a future once, and gives it up.
fn poll_once<F: Future>(future: F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

fn hand_over(notify_inside: fn(&parking_lot::Condvar)) {
    let shared = Arc::new((parking_lot::Mutex::new(None), parking_lot::Condvar::new()));
    let other = thread::spawn({
        let shared = shared.clone();
        move || {
            *shared.0.lock() = Some(7);
            notify_inside(&shared.1);
        }
    });
    let mut content = shared.0.lock();
    while content.is_none() {
        shared.1.wait(&mut content);
    }
    assert_eq!(*content, Some(7));
    drop(content);
    other.join().unwrap();
}

#[test]
fn a_condition_variable_of_parking_lot_needs_its_notification() {
    verified(|| hand_over(|condvar| condvar.notify_one()));
    found(|| hand_over(|_| ()), "deadlock");
}

#[test]
fn a_mutex_of_parking_lot_is_not_poisoned() {
    verified(|| {
        let mutex = parking_lot::Mutex::new(1);
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _guard = mutex.lock();
            panic!("while the lock is held");
        }));
        assert!(caught.is_err());
        assert_eq!(*mutex.lock(), 1);
    });
}

#[test]
fn each_message_of_crossbeam_goes_to_one_receiver() {
    verified(|| {
        let (sender, receiver) = channel::bounded(1);
        let other = thread::spawn({
            let receiver = receiver.clone();
            move || receiver.iter().sum::<u32>()
        });
        let producer = thread::spawn(move || {
            sender.send(1).unwrap();
            sender.send(2).unwrap();
        });
        let own: u32 = receiver.iter().sum();
        producer.join().unwrap();
        match own {
            0 => reachable!("the other got both"),
            3 => reachable!("both were for main"),
            _ => reachable!("each got one"),
        }
        assert_eq!(own + other.join().unwrap(), 3);
    });
}

#[test]
fn a_channel_of_crossbeam_without_capacity_lets_sender_and_receiver_meet() {
    verified(|| {
        let taken = Arc::new(AtomicUsize::new(0));
        let (sender, receiver) = channel::bounded(0);
        let other = thread::spawn({
            let taken = taken.clone();
            move || {
                taken.store(1, SeqCst);
                receiver.recv().unwrap()
            }
        });
        sender.send(5).unwrap();
        assert_eq!(taken.load(SeqCst), 1, "the message was not taken when `send` returned");
        assert_eq!(other.join().unwrap(), 5);
    });
}

#[test]
fn a_backoff_waits_for_a_change() {
    verified(|| {
        let turn = Arc::new(CachePadded::new(AtomicUsize::new(0)));
        let other = thread::spawn({
            let turn = turn.clone();
            move || turn.fetch_add(1, SeqCst)
        });
        let backoff = Backoff::new();
        while turn.load(SeqCst) == 0 {
            backoff.snooze();
        }
        backoff.reset();
        other.join().unwrap();
    });
}

#[test]
fn a_task_that_gives_up_waiting_gives_its_permit_to_the_next() {
    verified(|| {
        let semaphore = Arc::new(Semaphore::new(1));
        let holder = thread::spawn({
            let semaphore = semaphore.clone();
            move || drop(future::block_on(semaphore.acquire()))
        });
        let patient = thread::spawn({
            let semaphore = semaphore.clone();
            move || drop(future::block_on(semaphore.acquire()))
        });
        match poll_once(semaphore.acquire()) {
            Poll::Ready(permit) => drop(permit),
            Poll::Pending => reachable!("gave up"),
        }
        holder.join().unwrap();
        patient.join().unwrap();
        assert_eq!(semaphore.available_permits(), 1);
    });
}

#[test]
fn a_notification_for_a_task_that_gives_up_goes_to_the_next() {
    verified(|| {
        let notify = Notify::new();
        {
            let mut first = pin!(notify.notified());
            let mut context = Context::from_waker(Waker::noop());
            assert!(first.as_mut().poll(&mut context).is_pending());
            notify.notify_one();
        }
        future::block_on(notify.notified());
    });
    found(
        || {
            let notify = Notify::new();
            notify.notify_waiters();
            future::block_on(notify.notified());
        },
        "deadlock",
    );
}

#[test]
fn a_guard_of_tokio_may_be_held_across_an_await() {
    fn add(counter: Arc<Mutex<u32>>) -> future::JoinHandle<()> {
        future::spawn(async move {
            let mut count = counter.lock().await;
            let before = *count;
            future::yield_now().await;
            *count = before + 1;
        })
    }
    verified(|| {
        let counter = Arc::new(Mutex::new(0));
        let tasks = [add(counter.clone()), add(counter.clone())];
        for task in tasks {
            future::block_on(task);
        }
        assert_eq!(*counter.try_lock().unwrap(), 2);
    });
}

#[test]
fn a_writer_of_tokio_comes_before_readers_that_came_later() {
    verified(|| {
        let lock = RwLock::new(0);
        let reader = lock.try_read().unwrap();
        let mut writer = pin!(lock.write());
        let mut context = Context::from_waker(Waker::noop());
        assert!(writer.as_mut().poll(&mut context).is_pending());
        assert!(poll_once(lock.read()).is_pending());
        drop(reader);
        assert!(writer.as_mut().poll(&mut context).is_ready());
    });
}

#[test]
fn a_bounded_channel_of_tokio_keeps_order_and_room() {
    verified(|| {
        let (sender, mut receiver) = mpsc::channel(1);
        let task = future::spawn(async move {
            for number in 0..3 {
                sender.send(number).await.unwrap();
            }
        });
        future::block_on(async {
            for number in 0..3 {
                assert_eq!(receiver.recv().await, Some(number));
            }
            assert_eq!(receiver.recv().await, None);
            task.await;
        });
    });
}

#[test]
fn a_one_shot_sender_that_is_dropped_is_an_error_and_no_deadlock() {
    verified(|| {
        let (sender, receiver) = oneshot::channel::<u32>();
        let other = thread::spawn(move || match selvedge::choose(2) {
            0 => drop(sender),
            _ => drop(sender.send(1)),
        });
        match future::block_on(receiver) {
            Ok(_) => reachable!("received"),
            Err(_) => reachable!("dropped"),
        }
        other.join().unwrap();
    });
}

fn both_add(add: fn(&ArcSwap<u32>)) {
    let place = Arc::new(ArcSwap::from_pointee(0));
    let other = thread::spawn({
        let place = place.clone();
        move || add(&place)
    });
    add(&place);
    other.join().unwrap();
    assert_eq!(**place.load(), 2, "an update was lost");
}

#[test]
fn a_read_copy_update_loses_nothing_and_a_store_may() {
    verified(|| both_add(|place| drop(place.rcu(|value| **value + 1))));
    found(|| both_add(|place| place.store(Arc::new(**place.load() + 1))), "an update was lost");
}
