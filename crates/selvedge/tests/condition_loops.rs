//! Loops that wait for a condition variable whose waits may end without a notification: no livelock as long as another thread can end them.
#![forbid(unsafe_code)]

use selvedge::sync::{Arc, Condvar, Mutex, MutexGuard};
use selvedge::{Checker, FailureKind, Report, Verdict, thread};
use std::time::Duration;

/// What the other thread does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Other {
    Notifies,
    OnlySets,
    Nothing,
}

/// Main waits in a loop; each wait as given.
fn waits<W>(checker: Checker, other: Other, wait: W) -> Report
where
    W: for<'a> Fn(&Condvar, MutexGuard<'a, bool>) -> MutexGuard<'a, bool> + 'static,
{
    checker.run(move || {
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let setter = thread::spawn({
            let pair = pair.clone();
            move || {
                if other != Other::Nothing {
                    *pair.0.lock().unwrap() = true;
                }
                if other == Other::Notifies {
                    pair.1.notify_one();
                }
            }
        });
        let mut is_ready = pair.0.lock().unwrap();
        while !*is_ready {
            is_ready = wait(&pair.1, is_ready);
        }
        drop(is_ready);
        setter.join().unwrap();
    })
}

fn in_time<'a>(condition: &Condvar, guard: MutexGuard<'a, bool>) -> MutexGuard<'a, bool> {
    condition.wait_timeout(guard, Duration::from_secs(1)).unwrap().0
}

#[test]
fn a_loop_of_waits_with_a_time_limit_ends_when_another_thread_makes_its_condition_true() {
    for other in [Other::Notifies, Other::OnlySets] {
        let report = waits(Checker::new(), other, in_time);
        assert_eq!(report.verdict, Verdict::Verified, "{}: {:?}", report.scope, report.violations);
    }
}

#[test]
fn a_loop_of_waits_that_may_end_spuriously_ends_when_another_thread_makes_its_condition_true() {
    let report = waits(Checker::new().spurious_wakeups(), Other::Notifies, |c, guard| c.wait(guard).unwrap());
    assert_eq!(report.verdict, Verdict::Verified, "{}: {:?}", report.scope, report.violations);
}

#[test]
fn a_loop_of_waits_that_nobody_ends_is_a_livelock() {
    let report = waits(Checker::new(), Other::Nothing, in_time);
    assert_eq!(report.violations[0].kind, FailureKind::Livelock, "{}", report.scope);
}
