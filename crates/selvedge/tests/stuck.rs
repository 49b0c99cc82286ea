//! Destructors that wait for ever while an execution is given up. What is on the stacks of their threads is never dropped, so
//! these tests leak on purpose.

#[path = "shared/registered.rs"]
mod registered;

use registered::Registered;
use selvedge::sync::{Arc, Barrier, Mutex};
use selvedge::{Checker, FailureKind, thread};

/// The destructor of a value waits for a lock that its own thread holds, or that somebody holds who waits for that thread: std would
/// hang. The check ends with a report, and those after it on the same thread of the system are right as well.
#[test]
fn a_destructor_that_waits_for_ever_is_a_deadlock_and_not_the_end_of_the_process() {
    for _ in 0..3 {
        let report = Checker::new().keep_going().run(|| {
            let all = Arc::new(Mutex::new(vec![1]));
            let _guard = all.lock().unwrap();
            let _registered = Registered(all.clone(), 1);
            panic!("with the lock in hand");
        });
        assert_eq!(report.violations[0].kind, FailureKind::Deadlock, "{report}");
        let report = Checker::new().keep_going().run(|| {
            let locks = [Arc::new(Mutex::new(vec![1])), Arc::new(Mutex::new(vec![1]))];
            let gate = Arc::new(Barrier::new(2));
            for (own, other) in [(0, 1), (1, 0)] {
                let (own, other, gate) = (locks[own].clone(), locks[other].clone(), gate.clone());
                thread::spawn(move || {
                    let _guard = own.lock().unwrap();
                    let _registered = Registered(other, 1);
                    gate.wait();
                    panic!("both have their own lock");
                });
            }
        });
        assert!(report.violations.iter().any(|v| v.kind == FailureKind::Deadlock), "{report}");
        poisoning_works();
    }
}

fn poisoning_works() {
    let report = Checker::new().keep_going().run(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = thread::spawn({
            let lock = lock.clone();
            move || {
                let _guard = lock.lock().unwrap();
                panic!("poison");
            }
        });
        let poisoned_before = lock.lock().is_err();
        assert!(other.join().is_err());
        assert!(lock.lock().is_err());
        assert!(!thread::panicking());
        selvedge::assume(!poisoned_before);
        drop(Registered(Arc::new(Mutex::new(vec![1])), 1));
    });
    assert_eq!(report.violations.len(), 1, "{report}");
    assert_eq!((report.violations[0].message.as_str(), report.executions), ("poison", 2), "{report}");
}
