//! Replay by `SELVEDGE_REPLAY`: just one execution, aloud. The tests run this very program again.

use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::{Checker, thread};
use std::process::Command;

/// A program with a violation that prints something in every execution.
fn lost_update() {
    println!("an execution begins");
    let x = Arc::new(AtomicUsize::new(0));
    let other = thread::spawn({
        let x = x.clone();
        move || x.store(x.load(SeqCst) + 1, SeqCst)
    });
    x.fetch_add(1, SeqCst);
    other.join().unwrap();
    assert_eq!(x.load(SeqCst), 2, "an update was lost");
}

/// What is run again by the tests below; it says nothing if nobody asks.
#[test]
fn subject() {
    if std::env::var_os("SELVEDGE_REPLAY").is_some() {
        selvedge::check(lost_update);
    }
}

/// What this program prints for a schedule.
fn replayed(schedule: &str) -> String {
    let output = Command::new(std::env::current_exe().expect("this program has a path"))
        .args(["subject", "--exact", "--nocapture", "--test-threads=1"])
        .env("SELVEDGE_REPLAY", schedule)
        .output()
        .expect("this program runs");
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn a_schedule_of_a_report_leads_to_its_violation_in_one_execution_with_all_its_noise() {
    let report = Checker::new().run(lost_update);
    let shown = replayed(&report.violations[0].schedule);
    assert_eq!(shown.matches("an execution begins").count(), 1, "{shown}");
    // Once by the user's own panic, once in the report.
    assert!(shown.matches("an update was lost").count() >= 2, "{shown}");
    assert!(shown.contains("x.fetch_add(1, SeqCst)"), "{shown}");
}

#[test]
fn a_schedule_that_leads_nowhere_wrong_passes() {
    let shown = replayed("0x2.1+z");
    assert!(shown.contains("is no schedule"), "{shown}");
    // The join must wait.
    let shown = replayed("0x2.1");
    assert!(shown.contains("does not fit"), "{shown}");
    let shown = replayed("0.1x2.0x2");
    assert!(shown.contains("1 passed"), "{shown}");
}

#[test]
fn something_else_is_no_schedule() {
    assert!(replayed("abc").contains("is no schedule"));
}
