//! Executions that are given up: destructors run, nothing leaks from one execution to the next, and nobody aborts.

#[path = "shared/registered.rs"]
mod registered;

use registered::Registered;
use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::sync::{Arc, Barrier, Condvar, Mutex, RwLock, mpsc};
use selvedge::{Algorithm, Checker, FailureKind, thread};
use std::cell::Cell;
use std::rc::Rc;

#[test]
fn a_destructor_may_take_a_lock_that_an_unfinished_thread_holds() {
    let report = Checker::new().keep_going().run(|| {
        let all = Arc::new(Mutex::new(vec![1, 2]));
        let gate = Arc::new(Barrier::new(3));
        let holder = thread::spawn({
            let (all, gate) = (all.clone(), gate.clone());
            move || {
                let guard = all.lock().unwrap();
                gate.wait();
                drop(guard);
            }
        });
        let registered = Registered(all, 2);
        gate.wait();
        drop(registered);
        holder.join().unwrap();
    });
    assert_eq!(report.violations[0].kind, FailureKind::Deadlock, "{report}");
}

#[test]
fn threads_that_borrow_are_unwound_before_what_they_borrow() {
    let report = Checker::new().run(|| {
        let (lock, pair) = (RwLock::new(vec![1]), (Mutex::new(()), Condvar::new()));
        thread::scope(|scope| {
            scope.spawn(|| {
                let _reading = lock.read().unwrap();
                drop(pair.1.wait(pair.0.lock().unwrap()));
            });
            scope.spawn(|| lock.write().unwrap().push(2));
        });
    });
    assert_eq!(report.violations[0].kind, FailureKind::Deadlock, "{report}");
}

/// Counts what is alive, outside of the model.
struct Counted(Rc<Cell<usize>>);

#[allow(unsafe_code, reason = "all threads of a check share one thread of the system")]
// SAFETY: a checked thread never leaves the thread of the system that runs the check.
unsafe impl Send for Counted {}

impl Counted {
    fn new(alive: &Rc<Cell<usize>>) -> Counted {
        alive.set(alive.get() + 1);
        Counted(Rc::clone(alive))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

#[test]
fn every_execution_drops_everything() {
    let alive = Rc::new(Cell::new(0));
    for algorithm in [Algorithm::Optimal, Algorithm::Sleep, Algorithm::Random] {
        let inside = alive.clone();
        let report = Checker::new().algorithm(algorithm).max_executions(300).keep_going().run(move || {
            let _own = Counted::new(&inside);
            let x = Arc::new(AtomicUsize::new(0));
            let (sender, receiver) = mpsc::channel();
            for own in 0..3 {
                let (x, sender, counted) = (x.clone(), sender.clone(), Counted::new(&inside));
                thread::spawn(move || {
                    if x.fetch_add(own, SeqCst) == 2 {
                        thread::park();
                    }
                    assert_ne!(x.load(SeqCst), 3, "expected in some executions");
                    let _ = sender.send(counted);
                });
            }
            drop(receiver.recv());
        });
        assert!(!report.violations.is_empty(), "{}: {report}", algorithm.name());
        assert_eq!(alive.get(), 0, "{}", algorithm.name());
    }
}
