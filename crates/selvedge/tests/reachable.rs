//! Points that some execution must reach, and what a claim says about weaker orderings.
#![forbid(unsafe_code)]

use selvedge::sync::atomic::{AtomicUsize, Ordering, fence};
use selvedge::sync::{Arc, Condvar, Mutex};
use selvedge::{Checker, FailureKind, Verdict, reachable, thread};

fn both_look(reads: usize) {
    let x = Arc::new(AtomicUsize::new(0));
    let other = thread::spawn({
        let x = x.clone();
        move || {
            x.store(1, Ordering::SeqCst);
            if x.load(Ordering::SeqCst) == 2 {
                reachable!("the thread sees main's");
            }
        }
    });
    x.store(2, Ordering::SeqCst);
    if x.load(Ordering::SeqCst) == reads {
        reachable!("main sees it");
    }
    other.join().unwrap();
}

fn has_no_points() {}

#[test]
fn a_point_that_is_reached_is_covered() {
    let report = Checker::new().run(|| {
        if selvedge::choose(2) == 1 {
            thread::spawn(|| reachable!("in a thread"));
        }
    });
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
    assert_eq!(report.points.len(), 1);
    let place = concat!(file!(), ":32:30");
    assert_eq!(report.to_string().lines().next().unwrap(), format!("reached: \"in a thread\" at {place}"));
}

#[test]
fn a_point_that_is_not_reached_fails_the_check() {
    let report = Checker::new().run(|| {
        if selvedge::choose(2) == 2 {
            reachable!("beyond the bound");
        }
    });
    assert_eq!(report.verdict, Verdict::Violation);
    assert_eq!(report.violations[0].kind, FailureKind::Unreached);
    let said = report.to_string();
    assert!(said.contains("no execution reaches \"beyond the bound\" at "), "{said}");
    assert!(said.contains("not reached: \"beyond the bound\""), "{said}");
    assert!(said.contains("explored: all 2 Mazurkiewicz traces"), "{said}");
    assert!(!said.contains("SELVEDGE_REPLAY"), "{said}");
}

#[selvedge::test]
#[should_panic(expected = "no execution reaches \"never\"")]
fn a_test_fails_if_a_point_in_it_is_not_reached() {
    if thread::spawn(|| false).join().unwrap() {
        reachable!("never");
    }
}

#[selvedge::test(reaches("main sees it"), reaches("the thread sees main's"))]
fn points_of_other_functions_are_named() {
    both_look(1);
}

#[test]
fn a_point_of_another_function_counts_only_if_it_is_named() {
    let program = || both_look(3);
    let report = Checker::new().run(program);
    assert_eq!((report.verdict, report.points.len()), (Verdict::Verified, 1), "{report}");
    let report = Checker::new().reaches("main sees it").run(program);
    assert_eq!((report.verdict, report.points.len()), (Verdict::Violation, 2), "{report}");
    let report = Checker::new().reaches("no such point").run(program);
    assert!(report.to_string().contains("no execution reaches \"no such point\" at an unknown place"));
}

#[test]
fn a_function_is_checked_with_the_points_in_it() {
    fn misses() {
        if selvedge::choose(1) == 1 {
            reachable!("missed");
        }
    }
    assert_eq!(Checker::new().run(misses).verdict, Verdict::Violation);
    assert_eq!(Checker::new().run(has_no_points).verdict, Verdict::Verified);
}

#[test]
fn a_sample_that_does_not_reach_a_point_is_not_wrong_and_says_so() {
    let rare = || {
        if selvedge::choose(1000) == 999 {
            reachable!("rare");
        }
    };
    let report = Checker::new().random(1, 20).run(rare);
    assert_eq!(report.verdict, Verdict::Inconclusive, "{report}");
    assert!(report.to_string().contains("not reached: \"rare\""), "{report}");
}

#[test]
fn a_sample_on_several_threads_knows_what_was_reached() {
    let report = Checker::new().random(1, 200).jobs(2).run(|| reachable!("always"));
    assert!(report.to_string().starts_with("reached: \"always\""), "{report}");
}

#[test]
fn every_algorithm_reaches_the_same_points() {
    for algorithm in selvedge::Algorithm::ALL {
        let checker = Checker::new().reaches("main sees it").reaches("the thread sees main's");
        let report = checker.algorithm(algorithm).run(|| both_look(1));
        let is_sample = report.scope.contains("a sample");
        assert!(is_sample || report.verdict == Verdict::Verified, "{}: {report}", algorithm.name());
        assert!(report.points.iter().all(|point| point.is_reached), "{}: {report}", algorithm.name());
    }
}

const WEAKER: &str = "orderings weaker than SeqCst were used, and what only they allow was not explored";

fn claim(f: impl Fn() + 'static) -> String {
    let report = Checker::new().run(f);
    assert_eq!(report.verdict, Verdict::Verified);
    report.scope
}

#[test]
fn a_claim_says_that_behaviour_of_weaker_orderings_was_not_explored() {
    let orderings = [Ordering::Relaxed, Ordering::Acquire, Ordering::SeqCst];
    for (ordering, is_weaker) in orderings.into_iter().zip([true, true, false]) {
        let scope = claim(move || {
            AtomicUsize::new(0).load(ordering);
        });
        assert_eq!(scope.ends_with(WEAKER), is_weaker, "{ordering:?}: {scope}");
    }
    assert!(claim(|| fence(Ordering::Release)).ends_with(WEAKER));
    let exchange = || {
        let _ = AtomicUsize::new(0).compare_exchange(0, 1, Ordering::SeqCst, Ordering::Relaxed);
    };
    assert!(claim(exchange).ends_with(WEAKER));
    assert!(claim(|| _ = AtomicUsize::new(0).fetch_add(1, Ordering::AcqRel)).ends_with(WEAKER));
}

#[test]
fn a_claim_about_locks_alone_says_nothing_of_orderings() {
    // A check before this one, on the same thread, used weaker orderings.
    claim(|| AtomicUsize::new(0).store(1, Ordering::Release));
    let scope = claim(|| {
        let mut x = AtomicUsize::new(0);
        *x.get_mut() = 1;
        let count = Arc::new(Mutex::new(x.load(Ordering::SeqCst)));
        let other = thread::spawn({
            let count = count.clone();
            move || *count.lock().unwrap() += 1
        });
        *count.lock().unwrap() += 1;
        other.join().unwrap();
    });
    assert_eq!(scope, "verified: all 2 Mazurkiewicz traces under sequential consistency");
}

#[test]
fn the_claim_names_what_wakes_those_who_wait_for_condition_variables() {
    let waits = || {
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let other = thread::spawn({
            let pair = pair.clone();
            move || {
                *pair.0.lock().unwrap() = true;
                pair.1.notify_one();
            }
        });
        let mut is_ready = pair.0.lock().unwrap();
        if !*is_ready {
            is_ready = pair.1.wait(is_ready).unwrap();
        }
        drop(is_ready);
        other.join().unwrap();
    };
    let scope = Checker::new().run(waits).scope;
    assert!(scope.ends_with("; threads wake up from condition variables only when notified"), "{scope}");
    let report = Checker::new().spurious_wakeups().run(waits);
    let told = "; waits for condition variables may also end spuriously";
    assert!(report.scope.ends_with(told), "{}: {:?}", report.scope, report.violations);
    assert!(!claim(|| ()).contains("condition variables"));
}
