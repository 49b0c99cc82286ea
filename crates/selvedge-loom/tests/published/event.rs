//! An event that threads listen to: listeners are listed under a mutex, and parked.

use super::tool::sync::atomic::{AtomicBool, Ordering};
use super::tool::sync::{Arc, Mutex};
use super::tool::thread;

struct Listener {
    notified: AtomicBool,
    thread: thread::Thread,
}

struct Event {
    listeners: Mutex<Vec<Arc<Listener>>>,
}

impl Event {
    fn listen(&self) -> Arc<Listener> {
        let listener = Arc::new(Listener { notified: AtomicBool::new(false), thread: thread::current() });
        self.listeners.lock().unwrap().push(Arc::clone(&listener));
        listener
    }

    fn notify_all(&self) {
        let listeners = std::mem::take(&mut *self.listeners.lock().unwrap());
        for listener in listeners {
            listener.notified.store(true, Ordering::Release);
            listener.thread.unpark();
        }
    }
}

impl Listener {
    fn wait(&self) {
        while !self.notified.load(Ordering::Acquire) {
            thread::park();
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Recheck {
    Yes,
    No,
}

fn explore(recheck: Recheck) {
    let shared = Arc::new((Event { listeners: Mutex::new(Vec::new()) }, AtomicBool::new(false)));
    let waiters: Vec<_> = (0..2)
        .map(|_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                while !shared.1.load(Ordering::Acquire) {
                    let listener = shared.0.listen();
                    if recheck == Recheck::Yes && shared.1.load(Ordering::Acquire) {
                        break;
                    }
                    listener.wait();
                }
            })
        })
        .collect();
    shared.1.store(true, Ordering::Release);
    shared.0.notify_all();
    for waiter in waiters {
        waiter.join().unwrap();
    }
}

/// Threads look again after they are listed.
pub fn correct() {
    explore(Recheck::Yes);
}

/// Threads look only before: a notification in between is lost.
pub fn broken() {
    explore(Recheck::No);
}
