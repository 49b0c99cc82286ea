//! Loops that wait though they write: what they write is taken back before the next round.

use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::sync::{Arc, Mutex};
use selvedge::{Checker, Report, Verdict, hint, thread};

fn check(closure: impl Fn() + 'static) -> Report {
    Checker::new().max_executions(2000).run(closure)
}

fn announce(lock: &AtomicUsize) {
    while lock.fetch_add(2, SeqCst) & 1 != 0 {
        lock.fetch_sub(2, SeqCst);
        thread::yield_now();
    }
}

#[test]
fn a_reader_that_announces_itself_waits_for_the_writer() {
    let report = check(|| {
        let lock = Arc::new(AtomicUsize::new(1));
        let reader = thread::spawn({
            let lock = lock.clone();
            move || announce(&lock)
        });
        lock.fetch_sub(1, SeqCst);
        reader.join().unwrap();
        assert_eq!(lock.load(SeqCst), 2);
    });
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
    assert!(report.scope.ends_with("threads that spin wait until something that they read changes"));
}

#[test]
fn whoever_sees_the_announcement_is_explored() {
    let report = check(|| {
        let lock = Arc::new(AtomicUsize::new(1));
        let reader = thread::spawn({
            let lock = lock.clone();
            move || announce(&lock)
        });
        let seen = lock.load(SeqCst);
        lock.fetch_sub(1, SeqCst);
        reader.join().unwrap();
        assert_ne!(seen, 3, "seen");
    });
    assert_eq!(report.verdict, Verdict::Violation, "{report}");
    assert!(report.violations[0].message.contains("seen"), "{report}");
}

#[test]
fn what_is_stored_in_every_round_is_stored_again_after_others_replaced_it() {
    for hint in [hint::spin_loop, thread::yield_now] {
        let report = check(move || {
            let shared = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
            let other = thread::spawn({
                let shared = shared.clone();
                move || loop {
                    shared[0].store(1, SeqCst);
                    if shared[1].load(SeqCst) == 1 {
                        break;
                    }
                    hint();
                }
            });
            let mut seen = 0;
            for _ in 0..3 {
                seen += shared[0].swap(0, SeqCst);
            }
            shared[1].store(1, SeqCst);
            other.join().unwrap();
            assert_ne!(seen, 3, "three rounds");
        });
        assert_eq!(report.verdict, Verdict::Violation, "{report}");
        assert!(report.violations[0].message.contains("three rounds"), "{report}");
    }
}

#[test]
fn rounds_that_are_counted_in_shared_memory_are_explored() {
    let report = check(|| {
        let shared = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let other = thread::spawn({
            let shared = shared.clone();
            move || {
                while shared[1].load(SeqCst) == 0 && shared[0].fetch_add(1, SeqCst) < 2 {
                    hint::spin_loop();
                }
            }
        });
        let seen = shared[0].load(SeqCst);
        shared[1].store(1, SeqCst);
        other.join().unwrap();
        assert_ne!(seen, 3, "three rounds");
    });
    assert_eq!(report.verdict, Verdict::Violation, "{report}");
    assert!(report.violations[0].message.contains("three rounds"), "{report}");
}

#[test]
fn a_writer_that_never_leaves_is_a_livelock() {
    let report = check(|| announce(&AtomicUsize::new(1)));
    assert_eq!(report.verdict, Verdict::Violation);
    assert!(report.violations[0].message.starts_with("livelock"), "{report}");
}

/// They do meet; but when each goes round while the other does not, neither ever leaves.
#[test]
fn threads_that_meet_only_in_the_midst_of_their_rounds_meet_or_spin_for_ever() {
    let meet = |x: &AtomicUsize| {
        loop {
            x.fetch_add(1, SeqCst);
            if x.load(SeqCst) >= 2 {
                break;
            }
            x.fetch_sub(1, SeqCst);
            hint::spin_loop();
        }
    };
    let report = Checker::new().keep_going().max_executions(2000).run(move || {
        let x = Arc::new(AtomicUsize::new(0));
        let _other = thread::spawn({
            let x = x.clone();
            move || meet(&x)
        });
        meet(&x);
        panic!("met");
    });
    let has =
        |message: &str| report.violations.iter().any(|violation| violation.message.starts_with(message));
    assert!(has("met") && has("livelock"), "{report}");
}

#[test]
fn a_compare_exchange_that_fails_again_and_again_waits_without_a_hint() {
    let report = check(|| {
        let (lock, data) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let work = move || {
            while lock.compare_exchange(0, 1, SeqCst, SeqCst).is_err() {}
            let before = data.load(SeqCst);
            data.store(before + 1, SeqCst);
            lock.store(0, SeqCst);
            data.load(SeqCst)
        };
        let other = thread::spawn(work.clone());
        let seen = work().max(other.join().unwrap());
        assert_eq!(seen, 2);
    });
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
}

/// A thread that gives up while the other still can move: the loop is no waiting, though nothing in it says so.
#[test]
fn a_loop_without_a_hint_that_gives_up_is_explored_as_it_is() {
    let report = check(|| {
        let lock = Arc::new(AtomicUsize::new(1));
        let other = thread::spawn({
            let lock = lock.clone();
            move || lock.store(0, SeqCst)
        });
        let got = (0..10).any(|_| lock.compare_exchange(0, 1, SeqCst, SeqCst).is_ok());
        other.join().unwrap();
        assert!(got, "gave up");
    });
    assert_eq!(report.verdict, Verdict::Violation, "{report}");
    assert!(report.violations[0].message.contains("gave up"), "{report}");
}

/// Loops of any length up to a thousand rounds are found to give up by letting their threads go on alone.
#[test]
fn loops_that_give_up_late_are_explored_as_they_are() {
    for attempts in [1, 2, 3, 4, 5, 17, 40, 300] {
        let report = Checker::new().max_executions(5000).keep_going().run(move || {
            let lock = Arc::new(Mutex::new(()));
            let guard = lock.lock();
            let other = thread::spawn({
                let lock = lock.clone();
                move || (0..attempts).any(|_| lock.try_lock().is_ok())
            });
            drop(guard);
            assert!(other.join().unwrap(), "gave up");
        });
        assert_eq!(report.verdict, Verdict::Violation, "{attempts}: {report}");
        assert!(report.violations[0].message.contains("gave up"), "{attempts}: {report}");
        // All attempts before the lock is free, or a number of them, or none.
        assert_eq!(report.executions, attempts + 1, "{report}");
    }
}

#[test]
fn a_long_loop_in_which_nothing_changes_is_no_livelock() {
    let report = check(|| {
        let x = AtomicUsize::new(0);
        for _ in 0..5000 {
            x.load(SeqCst);
        }
    });
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
}

#[test]
fn a_loop_that_only_loads_waits_without_a_hint() {
    let report = check(|| {
        let ready = Arc::new(AtomicUsize::new(0));
        let other = thread::spawn({
            let ready = ready.clone();
            move || while ready.load(SeqCst) == 0 {}
        });
        ready.store(1, SeqCst);
        other.join().unwrap();
    });
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
    let report = check(|| while AtomicUsize::new(0).load(SeqCst) == 0 {});
    assert!(report.violations.is_empty(), "each round has a variable of its own: {report}");
    let report = check(|| {
        let ready = AtomicUsize::new(0);
        while ready.load(SeqCst) == 0 {}
    });
    assert!(report.violations[0].message.starts_with("livelock"), "{report}");
}

/// The same loop gives up in one thread and waits in another; and only where it gives up are its attempts counted.
#[test]
fn a_loop_gives_up_in_one_thread_and_waits_in_another() {
    let report = check(|| {
        let lock = Arc::new(AtomicUsize::new(1));
        let take = |lock: &AtomicUsize, most: usize| {
            (0..most).any(|_| lock.compare_exchange(0, 1, SeqCst, SeqCst).is_ok())
        };
        let waits = thread::spawn({
            let lock = lock.clone();
            move || assert!(take(&lock, usize::MAX))
        });
        let gives_up = take(&lock, 5);
        lock.store(0, SeqCst);
        waits.join().unwrap();
        assert!(gives_up, "gave up");
    });
    assert_eq!(report.verdict, Verdict::Violation, "{report}");
    assert!(report.violations[0].message.contains("gave up"), "{report}");
}

#[test]
fn a_schedule_says_how_many_attempts_loops_may_make() {
    let closure = || {
        let lock = Arc::new(AtomicUsize::new(1));
        let other = thread::spawn({
            let lock = lock.clone();
            move || lock.store(0, SeqCst)
        });
        let got = (0..20).any(|_| lock.compare_exchange(0, 1, SeqCst, SeqCst).is_ok());
        other.join().unwrap();
        assert!(got, "gave up");
    };
    let report = check(closure);
    assert!(report.violations[0].schedule.ends_with("+a32"), "{report}");
}

#[test]
fn a_flag_under_a_mutex_is_waited_for_without_a_hint() {
    let report = check(|| {
        let flag = Arc::new(Mutex::new(false));
        let other = thread::spawn({
            let flag = flag.clone();
            move || *flag.lock().unwrap() = true
        });
        while !*flag.lock().unwrap() {}
        other.join().unwrap();
    });
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
}

struct Counted(AtomicUsize, selvedge::cell::UnsafeCell<u32>);

#[allow(unsafe_code, reason = "a cell is shared")]
// SAFETY: whoever has exchanged the number for 1 has the cell alone.
unsafe impl Sync for Counted {}

/// The rounds leave the atomics as they were, but not the cell.
#[test]
fn a_round_that_changes_a_cell_is_no_waiting() {
    let report = check(|| {
        let counted = Arc::new(Counted(AtomicUsize::new(0), selvedge::cell::UnsafeCell::new(0)));
        let work = {
            let counted = counted.clone();
            move || {
                loop {
                    if counted.0.swap(1, SeqCst) == 0 {
                        #[allow(unsafe_code, reason = "a cell is shared")]
                        // SAFETY: the lock is held.
                        let count = counted.1.with_mut(|count| unsafe {
                            *count += 1;
                            *count
                        });
                        counted.0.store(0, SeqCst);
                        if count > 3 {
                            return;
                        }
                    }
                    thread::yield_now();
                }
            }
        };
        let slow = Arc::new(AtomicUsize::new(0));
        let other = thread::spawn({
            let slow = slow.clone();
            move || slow.store(1, SeqCst)
        });
        work();
        let seen = slow.load(SeqCst);
        other.join().unwrap();
        assert_eq!(seen, 1, "the rounds were not waiting");
    });
    assert_eq!(report.verdict, Verdict::Violation, "{report}");
    assert!(report.violations[0].message.contains("not waiting"), "{report}");
}
