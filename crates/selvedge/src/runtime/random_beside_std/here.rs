//! The threads' actions on our look-alikes.

use super::Program;
use super::actions::{Action, Family};
use crate::arc_swap::ArcSwap;
use crate::crossbeam::channel::{self, RecvTimeoutError, TryRecvError, TrySendError};
use crate::crossbeam::utils::{Backoff, CachePadded};
use crate::parking_lot;
use crate::runtime::against_brute_force::log;
use crate::sync::Arc;
use crate::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use crate::tokio::sync::{Mutex, Notify, RwLock, Semaphore, TryAcquireError, mpsc, oneshot};
use std::future::Future;
use std::task::{Context, Waker};
use std::time::Duration;

type Sender = channel::Sender<usize>;
type Receiver = channel::Receiver<usize>;

/// Operations are steps by themselves.
async fn step() {}

fn channel(capacity: Option<usize>) -> (Sender, Receiver) {
    capacity.map_or_else(channel::unbounded, channel::bounded)
}

async fn put(sender: &Sender, message: usize) -> bool {
    sender.send(message).is_ok()
}

fn try_put(sender: &Sender, message: usize) -> usize {
    match sender.try_send(message) {
        Ok(()) => 1,
        Err(TrySendError::Full(_)) => 90,
        Err(TrySendError::Disconnected(_)) => 91,
    }
}

async fn take(receiver: &Receiver) -> Option<usize> {
    receiver.recv().ok()
}

async fn take_timeout(receiver: &Receiver) -> usize {
    receiver.recv_timeout(Duration::ZERO).unwrap_or_else(|error| match error {
        RecvTimeoutError::Timeout => 93,
        RecvTimeoutError::Disconnected => 91,
    })
}

fn try_take(receiver: &Receiver) -> usize {
    receiver.try_recv().unwrap_or_else(|error| match error {
        TryRecvError::Empty => 90,
        TryRecvError::Disconnected => 91,
    })
}

/// Objects of crates that need several threads.
struct Extra {
    mutex: parking_lot::Mutex<usize>,
    condvar: parking_lot::Condvar,
    lock: parking_lot::RwLock<usize>,
    padded: CachePadded<AtomicUsize>,
}

impl Extra {
    fn new() -> Extra {
        Extra {
            mutex: parking_lot::Mutex::new(0),
            condvar: parking_lot::Condvar::new(),
            lock: parking_lot::RwLock::new(0),
            padded: CachePadded::new(AtomicUsize::new(0)),
        }
    }
}

/// Adds to the content of a guard.
fn add(mut guard: impl std::ops::DerefMut<Target = usize>) -> usize {
    *guard += 1;
    *guard
}

fn extra(world: &World, action: Action) -> usize {
    let Extra { mutex, condvar, lock, padded } = &world.extra;
    match action {
        Action::PlainLock => add(mutex.lock()),
        Action::PlainTryLock => mutex.try_lock().map_or(99, add),
        Action::PlainRead => *lock.read(),
        Action::PlainTryRead => lock.try_read().map_or(99, |guard| *guard),
        Action::PlainWrite => add(lock.write()),
        Action::PlainTryWrite => lock.try_write().map_or(99, add),
        Action::PlainWait => {
            let mut guard = mutex.lock();
            condvar.wait(&mut guard);
            *guard
        }
        Action::PlainWaitFor => {
            let mut guard = mutex.lock();
            let result = condvar.wait_for(&mut guard, Duration::ZERO);
            *guard * 2 + usize::from(result.timed_out())
        }
        Action::PlainNotifyOne => {
            *mutex.lock() += 1;
            condvar.notify_one();
            0
        }
        Action::PlainNotifyAll => {
            condvar.notify_all();
            0
        }
        Action::Snooze => {
            let backoff = Backoff::new();
            while world.x.load(SeqCst) == 0 {
                backoff.snooze();
            }
            1
        }
        Action::SpinExchange => {
            let backoff = Backoff::new();
            loop {
                let seen = padded.load(SeqCst);
                if padded.compare_exchange(seen, seen + 1, SeqCst, SeqCst).is_ok() {
                    return seen;
                }
                backoff.spin();
            }
        }
        other => unreachable!("{other:?} is about a crate that runs on one thread"),
    }
}

source!();
