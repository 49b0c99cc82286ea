//! Counterexamples are shortened before they are shown.

use selvedge::cell::UnsafeCell;
use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicUsize, Ordering};
use selvedge::{Checker, FailureKind, Report, thread};
use std::time::Duration;

fn steps(report: &Report) -> usize {
    let schedule = &report.violations[0].schedule;
    let count = |part: &str| part.split_once('x').map_or(1, |(_, times)| times.parse().unwrap());
    schedule.split('+').next().unwrap().split('.').map(count).sum()
}

/// Main waits for a thread, without a hint, and gives up at last; by then both may write.
fn waits_without_a_hint() {
    let (ready, data) = (Arc::new(AtomicUsize::new(0)), Arc::new(UnsafeCell::new(0)));
    // Rounds that do the same would be taken for waiting.
    let rounds = AtomicUsize::new(0);
    let shared = Shared(data.clone());
    let other = thread::spawn({
        let ready = ready.clone();
        move || {
            shared.write();
            ready.store(1, Ordering::Relaxed);
        }
    });
    for _ in 0..5000 {
        if ready.load(Ordering::Acquire) == 1 {
            Shared(data).write();
            break;
        }
        rounds.fetch_add(1, Ordering::Relaxed);
    }
    other.join().unwrap();
}

struct Shared(Arc<UnsafeCell<u32>>);

// SAFETY: the checker sees whether accesses are ordered.
#[allow(unsafe_code, reason = "threads share a cell")]
unsafe impl Send for Shared {}

impl Shared {
    #[allow(unsafe_code, reason = "writes the cell")]
    fn write(&self) {
        // SAFETY: the checker stops the execution before a race.
        self.0.with_mut(|data| unsafe { *data += 1 });
    }
}

#[test]
fn rounds_that_do_not_matter_are_left_out() {
    let found = Checker::new().minimize(Duration::ZERO).run(waits_without_a_hint);
    assert!(steps(&found) > 4000, "{} steps", steps(&found));
    let shown = Checker::new().run(waits_without_a_hint);
    assert_eq!(shown.violations[0].kind, FailureKind::DataRace);
    assert_eq!(shown.violations[0].schedule, "1.0", "{shown}");
}

/// Threads count up, more often than it takes.
fn four_threads_that_count() {
    let x = Arc::new(AtomicUsize::new(0));
    for _ in 0..4 {
        let x = x.clone();
        thread::spawn(move || {
            for _ in 0..10 {
                let before = x.load(Ordering::SeqCst);
                assert!(before < 3, "too many");
                x.store(before + 1, Ordering::SeqCst);
            }
        });
    }
}

#[test]
fn threads_and_steps_that_do_not_matter_are_left_out() {
    for checker in [Checker::new(), Checker::new().random(3, 10), Checker::new().pct(3, 10)] {
        let report = checker.minimize(Duration::from_secs(60)).run(four_threads_that_count);
        assert_eq!(steps(&report), 7, "{report}");
        assert!(report.violations[0].schedule.ends_with("x7"), "one thread is enough: {report}");
    }
}

#[test]
fn a_deadlock_is_shortened_to_one() {
    let report = Checker::new().random(1, 1000).minimize(Duration::from_secs(60)).run(|| {
        let locks: Arc<[_; 3]> = Arc::new(std::array::from_fn(|_| selvedge::sync::Mutex::new(())));
        for i in 0..3 {
            let locks = locks.clone();
            thread::spawn(move || {
                for _ in 0..3 {
                    let _first = locks[i].lock().unwrap();
                    let _second = locks[(i + 1) % 3].lock().unwrap();
                }
            });
        }
    });
    assert_eq!(steps(&report), 3, "{report}");
}
