//! Threads that wait for each other: with condition variables, by parking, at channels and barriers.

use crate::{Version, compare};
use selvedge::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use selvedge::sync::{Arc, Barrier, Condvar, Mutex, RwLock, mpsc};
use selvedge::{FailureKind, thread};
use std::collections::VecDeque;
use std::time::Duration;

/// Lets threads wait for a condition that they look at themselves.
#[derive(Default)]
struct EventCount {
    epoch: AtomicUsize,
    waiters: AtomicUsize,
    lock: Mutex<()>,
    changed: Condvar,
}

impl EventCount {
    fn wait_for(&self, condition: impl Fn() -> bool) {
        while !condition() {
            self.waiters.fetch_add(1, SeqCst);
            let epoch = self.epoch.load(SeqCst);
            if !condition() {
                let mut guard = self.lock.lock().unwrap();
                while self.epoch.load(SeqCst) == epoch {
                    guard = self.changed.wait(guard).unwrap();
                }
            }
            self.waiters.fetch_sub(1, SeqCst);
        }
    }

    fn notify(&self, version: Version) {
        if self.waiters.load(SeqCst) > 0 {
            let _guard = version.is_right().then(|| self.lock.lock().unwrap());
            self.epoch.fetch_add(1, SeqCst);
            self.changed.notify_all();
        }
    }
}

#[test]
fn a_notification_comes_between_the_look_and_the_wait() {
    compare(FailureKind::Deadlock, |version| {
        let shared = Arc::new((EventCount::default(), AtomicBool::new(false)));
        let other = thread::spawn({
            let shared = shared.clone();
            move || {
                shared.1.store(true, SeqCst);
                shared.0.notify(version);
            }
        });
        shared.0.wait_for(|| shared.1.load(SeqCst));
        other.join().unwrap();
    });
}

#[test]
fn a_semaphore_notifies_only_when_it_becomes_free() {
    compare(FailureKind::Deadlock, |version| {
        let semaphore = Arc::new((Mutex::new(0), Condvar::new()));
        let acquire = || {
            let semaphore = semaphore.clone();
            thread::spawn(move || {
                let (free, changed) = &*semaphore;
                *changed.wait_while(free.lock().unwrap(), |free| *free == 0).unwrap() -= 1;
            })
        };
        let others = [acquire(), acquire()];
        for _ in 0..2 {
            let (free, changed) = &*semaphore;
            let mut free = free.lock().unwrap();
            *free += 1;
            if version.is_right() || *free == 1 {
                changed.notify_one();
            }
        }
        others.into_iter().for_each(|other| other.join().unwrap());
    });
}

/// A lock with a queue of threads that are parked.
#[derive(Default)]
struct ParkingLock {
    is_taken: AtomicBool,
    queue: Mutex<VecDeque<thread::Thread>>,
}

impl ParkingLock {
    fn try_lock(&self) -> bool {
        self.is_taken.compare_exchange(false, true, SeqCst, SeqCst).is_ok()
    }

    fn lock(&self, version: Version) {
        while !self.try_lock() {
            self.queue.lock().unwrap().push_back(thread::current());
            // It may have been freed before anybody could see who waits.
            if version.is_right() && self.try_lock() {
                let own = thread::current().id();
                return self.queue.lock().unwrap().retain(|thread| thread.id() != own);
            }
            thread::park();
        }
    }

    fn unlock(&self) {
        self.is_taken.store(false, SeqCst);
        if let Some(next) = self.queue.lock().unwrap().pop_front() {
            next.unpark();
        }
    }
}

#[test]
fn a_lock_is_freed_before_anybody_can_see_who_waits() {
    compare(FailureKind::Deadlock, |version| {
        let lock = Arc::new(ParkingLock::default());
        let other = thread::spawn({
            let lock = lock.clone();
            move || {
                lock.lock(version);
                lock.unlock();
            }
        });
        lock.lock(version);
        lock.unlock();
        other.join().unwrap();
    });
}

#[test]
fn one_condition_variable_for_two_conditions_wakes_the_wrong_thread() {
    compare(FailureKind::Deadlock, |version| {
        let queue = Arc::new((Mutex::new(None), Condvar::new()));
        let notify = move |changed: &Condvar| match version {
            Version::Right => changed.notify_all(),
            Version::Broken => changed.notify_one(),
        };
        let put = || {
            let queue = queue.clone();
            thread::spawn(move || {
                let mut slot = queue.1.wait_while(queue.0.lock().unwrap(), |slot| slot.is_some()).unwrap();
                *slot = Some(1);
                notify(&queue.1);
            })
        };
        let take = || {
            let queue = queue.clone();
            move || {
                let mut slot = queue.1.wait_while(queue.0.lock().unwrap(), |slot| slot.is_none()).unwrap();
                *slot = None;
                notify(&queue.1);
            }
        };
        let others = [put(), put(), thread::spawn(take())];
        take()();
        others.into_iter().for_each(|other| other.join().unwrap());
    });
}

#[test]
fn both_ends_of_two_channels_without_room_send_first() {
    compare(FailureKind::Deadlock, |version| {
        let (question, questions) = mpsc::sync_channel(0);
        let (answer, answers) = mpsc::sync_channel(0);
        let other = thread::spawn(move || match version {
            Version::Right => answer.send(questions.recv().unwrap() + 1).unwrap(),
            Version::Broken => {
                answer.send(2).unwrap();
                assert_eq!(questions.recv(), Ok(1));
            }
        });
        question.send(1).unwrap();
        assert_eq!(answers.recv(), Ok(2));
        other.join().unwrap();
    });
}

#[test]
fn somebody_leaves_before_the_second_barrier() {
    compare(FailureKind::Deadlock, |version| {
        let barrier = Arc::new(Barrier::new(2));
        let other = thread::spawn({
            let barrier = barrier.clone();
            move || {
                if barrier.wait().is_leader() || version.is_right() {
                    barrier.wait();
                }
            }
        });
        barrier.wait();
        barrier.wait();
        other.join().unwrap();
    });
}

#[test]
fn a_wait_that_is_over_is_taken_for_a_condition_that_holds() {
    compare(FailureKind::Panic, |version| {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = thread::spawn({
            let shared = shared.clone();
            move || {
                *shared.0.lock().unwrap() = true;
                shared.1.notify_one();
            }
        });
        let guard = shared.0.lock().unwrap();
        let (is_done, outcome) =
            shared.1.wait_timeout_while(guard, Duration::from_millis(1), |is_done| !*is_done).unwrap();
        assert!(*is_done || version.is_right() && outcome.timed_out());
        drop(is_done);
        other.join().unwrap();
    });
}

#[test]
fn a_reader_asks_to_write() {
    compare(FailureKind::Deadlock, |version| {
        let lock = RwLock::new(0);
        let reader = lock.read().unwrap();
        if version.is_right() {
            drop(reader);
            *lock.write().unwrap() += 1;
        } else {
            *lock.write().unwrap() += *reader;
        }
    });
}
