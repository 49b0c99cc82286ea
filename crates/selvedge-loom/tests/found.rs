//! Bugs that the loom names find: leaks of allocations, races of pointers that are kept, loads without synchronisation, and waits that
//! end without a notification. And the limits that loom's environment variables set.
#![allow(unsafe_code, reason = "loom has unsafe names")]

use loom::alloc::{Layout, Track, alloc, dealloc};
use loom::cell::UnsafeCell;
use loom::model::Builder;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::sync::{Arc, Notify};
use loom::thread;
use selvedge::{FailureKind, Verdict};
use selvedge_loom as loom;
use std::process::Command;

fn found(model: fn(), kind: FailureKind, said: &str) {
    let report = Builder::new().run(model);
    assert_eq!(report.violations.first().map(|violation| violation.kind), Some(kind), "{report}");
    assert!(report.to_string().contains(said), "{report}");
}

#[test]
fn a_tracked_value_that_is_forgotten_is_a_leak() {
    found(|| std::mem::forget(Track::new(1)), FailureKind::Leak, "leak: the Track");
}

#[test]
fn memory_that_one_order_of_threads_does_not_free_is_a_leak() {
    let racy = || {
        let first = Arc::new(AtomicUsize::new(0));
        let layout = Layout::new::<u64>();
        // SAFETY: the layout is that of the allocation, which is freed at most once.
        let free_if_first = move |first: &AtomicUsize| unsafe {
            let pointer = alloc(layout);
            if first.load(Ordering::SeqCst) == 0 {
                dealloc(pointer, layout);
            }
            first.store(1, Ordering::SeqCst);
        };
        let other = thread::spawn({
            let first = first.clone();
            move || free_if_first(&first)
        });
        free_if_first(&first);
        other.join().unwrap();
    };
    found(racy, FailureKind::Leak, "leak: the allocation pointer");
}

#[test]
fn memory_that_is_freed_twice_is_a_panic() {
    let twice = || {
        let layout = Layout::new::<u64>();
        // SAFETY: the second call panics before it frees anything.
        unsafe {
            let pointer = alloc(layout);
            dealloc(pointer, layout);
            dealloc(pointer, layout);
        }
    };
    found(twice, FailureKind::Panic, "or was freed before");
}

struct Shared {
    flag: AtomicUsize,
    cell: UnsafeCell<u32>,
}

// SAFETY: these tests are about what happens if it is not so; the accesses through bare pointers are checked before they happen.
unsafe impl Sync for Shared {}

#[test]
fn a_pointer_that_is_kept_is_an_access_in_progress() {
    let kept = || {
        let shared = Arc::new(Shared { flag: AtomicUsize::new(0), cell: UnsafeCell::new(0) });
        let other = thread::spawn({
            let shared = shared.clone();
            move || {
                let pointer = shared.cell.get();
                shared.flag.store(1, Ordering::Release);
                drop(pointer);
            }
        });
        if shared.flag.load(Ordering::Acquire) == 1 {
            shared.cell.with_mut(|content| unsafe { *content = 1 });
        }
        other.join().unwrap();
    };
    found(kept, FailureKind::DataRace, "data race on cell");
}

fn load_without_synchronisation(publish: Ordering) {
    let shared = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
    let other = thread::spawn({
        let shared = shared.clone();
        move || {
            shared.0.store(1, Ordering::Relaxed);
            shared.1.store(1, publish);
        }
    });
    if shared.1.load(Ordering::Acquire) == 1 {
        // SAFETY: if `publish` releases, the other thread has finished writing.
        assert_eq!(unsafe { shared.0.unsync_load() }, 1);
    }
    other.join().unwrap();
}

#[test]
fn a_load_without_synchronisation_races_with_writes_that_nothing_orders() {
    found(
        || load_without_synchronisation(Ordering::Relaxed),
        FailureKind::DataRace,
        "the unsync_load by main",
    );
    loom::model(|| load_without_synchronisation(Ordering::Release));
}

#[test]
fn a_wait_may_end_without_a_notification() {
    let hasty = || {
        let shared = Arc::new((Notify::new(), AtomicUsize::new(0)));
        let other = thread::spawn({
            let shared = shared.clone();
            move || {
                shared.1.store(1, Ordering::SeqCst);
                shared.0.notify();
            }
        });
        shared.0.wait();
        assert_eq!(shared.1.load(Ordering::SeqCst), 1, "woken too early");
        other.join().unwrap();
    };
    found(hasty, FailureKind::Panic, "woken too early");
}

loom::lazy_static! {
    static ref KEPT: Arc<usize> = Arc::new(7);
}

#[test]
fn what_a_static_holds_is_no_leak() {
    loom::model(|| {
        let other = thread::spawn(|| **KEPT);
        assert_eq!(**KEPT + other.join().unwrap(), 14);
    });
}

/// The model of the child processes below: four preemptions are needed to see 1 and 2 in a row.
fn sandwich() {
    let x = Arc::new(AtomicUsize::new(0));
    let other = thread::spawn({
        let x = x.clone();
        move || (1..4).for_each(|value| x.store(value, Ordering::SeqCst))
    });
    let seen = [x.load(Ordering::SeqCst), x.load(Ordering::SeqCst)];
    other.join().unwrap();
    assert_ne!(seen, [1, 2], "seen in a row");
}

#[test]
fn of_a_child() {
    if std::env::var_os("OF_A_CHILD").is_some() {
        loom::model(sandwich);
    }
}

fn child(variable: &str, value: &str) -> (bool, String) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "of_a_child", "--nocapture"])
        .env("OF_A_CHILD", "1")
        .env("LOOM_LOG", "1")
        .env(variable, value)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

#[test]
fn the_variables_of_loom_set_the_limits() {
    let (passed, said) = child("LOOM_LOCATION", "1");
    assert!(!passed && said.contains("seen in a row"), "{said}");
    let (passed, said) = child("LOOM_MAX_PREEMPTIONS", "0");
    assert!(passed && said.contains("verified") && said.contains("without preemptions"), "{said}");
    let (passed, said) = child("LOOM_MAX_PERMUTATIONS", "1");
    assert!(passed && said.contains("inconclusive: 1 execution"), "{said}");
    let (passed, said) = child("LOOM_MAX_BRANCHES", "3");
    assert!(!passed && said.contains("cut after 3 operations"), "{said}");
    let (passed, said) = child("LOOM_MAX_PREEMPTIONS", "many");
    assert!(!passed && said.contains("`LOOM_MAX_PREEMPTIONS=many` is not a number"), "{said}");
}

#[test]
fn a_bug_beyond_the_bound_is_not_found_within() {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(0);
    assert_eq!(builder.run(sandwich).verdict, Verdict::Verified);
    builder.preemption_bound = Some(4);
    assert_eq!(builder.run(sandwich).verdict, Verdict::Violation);
}
