//! Nothing passes without a word: cut executions, threads of which nothing is seen, and closures that do not always do the same.

use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::{Checker, Verdict, thread};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

fn polls_for_ever() {
    let ready = Arc::new(AtomicUsize::new(0));
    thread::spawn({
        let ready = ready.clone();
        move || while ready.fetch_add(1, SeqCst) != usize::MAX {}
    });
}

/// What a check panics with.
fn complaint(checker: &Checker, f: fn()) -> Option<String> {
    let outcome = catch_unwind(AssertUnwindSafe(|| checker.check(f)));
    outcome.err().and_then(|payload| payload.downcast_ref::<String>().cloned())
}

#[test]
fn a_check_that_saw_no_end_fails_whatever_its_limits() {
    for checker in [
        Checker::new().max_depth(40),
        Checker::new().max_depth(40).max_executions(3),
        Checker::new().max_depth(40).max_time(Duration::from_secs(60)),
        Checker::new().max_depth(40).random(1, 10),
    ] {
        let told = complaint(&checker, polls_for_ever).expect("it fails");
        assert!(
            told.contains("an execution was cut after 40 operations: thread 1 performed `fetch_add`"),
            "{told}"
        );
        assert!(told.contains("tests/silent.rs:14:") && told.contains("hint::spin_loop"), "{told}");
        let allowed = checker.max_executions(3).allow_vacuous();
        assert_eq!(complaint(&allowed, polls_for_ever), None, "the user said so");
    }
}

#[test]
fn some_executions_that_are_cut_are_told() {
    fn sometimes() {
        if selvedge::choose(2) == 1 {
            polls_for_ever();
        }
    }
    let report = Checker::new().max_depth(40).run(sometimes);
    assert_eq!(report.verdict, Verdict::Inconclusive);
    assert!(report.to_string().contains("performed `fetch_add`"), "{report}");
}

#[test]
fn threads_of_which_nothing_is_seen_are_told() {
    static HITS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let report = Checker::new().run(|| {
        let threads =
            [(); 2].map(|()| thread::spawn(|| HITS.fetch_add(1, std::sync::atomic::Ordering::SeqCst)));
        threads.into_iter().for_each(|thread| drop(thread.join()));
    });
    assert!(report.warnings[0].contains("2 threads were started"), "{report}");
    assert!(report.warnings[0].contains("std::sync::atomic"), "{report}");
    let report = Checker::new().run(|| {
        let hits = Arc::new(AtomicUsize::new(0));
        for _ in 0..2 {
            let hits = hits.clone();
            thread::spawn(move || hits.fetch_add(1, SeqCst));
        }
    });
    assert_eq!(report.warnings, Vec::<String>::new(), "{report}");
}

/// One more than at the last call, for all that a closure should not know.
fn next() -> usize {
    static CALLS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    CALLS.fetch_add(1, std::sync::atomic::Ordering::SeqCst)
}

#[test]
fn a_closure_that_does_something_else_the_next_time_is_told_with_both_histories() {
    fn counts_calls() {
        let (x, y) = (AtomicUsize::new(0), AtomicUsize::new(0));
        x.store(1, SeqCst);
        if next().is_multiple_of(2) {
            x.load(SeqCst)
        } else {
            y.load(SeqCst)
        };
    }
    fn at_the_end_of_a_race() {
        let x = Arc::new(AtomicUsize::new(0));
        let other = thread::spawn({
            let x = x.clone();
            move || x.fetch_add(1, SeqCst)
        });
        x.fetch_add(1, SeqCst);
        other.join().unwrap();
        for _ in 0..next() {
            x.load(SeqCst);
        }
    }
    fn in_the_order_of_hashes() {
        let all: HashMap<usize, AtomicUsize> = (0..8).map(|key| (key, AtomicUsize::new(key))).collect();
        all.values().for_each(|value| value.store(1, SeqCst));
    }
    for closure in [counts_calls as fn(), at_the_end_of_a_race, in_the_order_of_hashes] {
        for checker in [Checker::new(), Checker::new().random(1, 100), Checker::new().preemptions(1)] {
            let report = checker.run(closure);
            assert_eq!(report.verdict, Verdict::Inconclusive, "{report}");
            assert!(report.divergence.is_some(), "{report}");
            assert!(complaint(&checker.max_executions(50), closure).is_some(), "it fails");
        }
    }
}
