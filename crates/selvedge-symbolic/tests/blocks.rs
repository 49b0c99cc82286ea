//! Which places are inside blocks, and which bounds are known, for programs where that is easy to see.

use selvedge_smt::{Patience, Terms};
use selvedge_symbolic::System;
use selvedge_symbolic::intervals::Intervals;
use selvedge_symbolic::movers::{Blocks, Movers};
use std::collections::BTreeMap;

/// Bounds of the shared variables by name, and how many places are inside blocks.
fn analysed(text: &str) -> (BTreeMap<String, (i128, i128)>, usize) {
    let program = selvedge_lang::compile("test.sel", text, &BTreeMap::new()).expect("compiles");
    let mut terms = Terms::new();
    let patience = Patience::default();
    let system = System::new(&program, &mut terms, &patience).expect("is supported");
    let movers = Movers::new(&system, &terms, Blocks::Merged, &patience).expect("there is time");
    let intervals = Intervals::new(&system, &terms, &movers, &patience).expect("there is time");
    let name = |variable| system.variables[system.numbers[&variable]].name.clone();
    let bounds =
        intervals.shared.iter().map(|(&v, interval)| (name(v), (interval.low, interval.high))).collect();
    (bounds, movers.interior.iter().flatten().filter(|interior| **interior).count())
}

#[test]
fn a_variable_under_a_mutex_keeps_the_bounds_of_its_blocks() {
    let text = "shared count = 0; mutex m;
        thread up[2] { loop { lock(m); if count != 7 { count++; } unlock(m); } }
        thread down { loop { lock(m); if count > 0 { count--; } unlock(m); } }";
    let (bounds, interior) = analysed(text);
    assert_eq!(bounds["count"], (0, 7));
    // In each thread: the test, the change, the release.
    assert_eq!(interior, 9);
}

#[test]
fn a_variable_that_somebody_accesses_without_the_mutex_is_not_protected() {
    let locked = "shared x = 0; mutex m; thread t[2] { lock(m); x = 1; x = 2; unlock(m); }";
    assert_eq!(analysed(locked).1, 6);
    let racy =
        "shared x = 0; mutex m; thread t[2] { lock(m); x = 1; x = 2; unlock(m); } thread r { let v = x; }";
    // Only what comes right after taking the mutex is inside a block.
    assert_eq!(analysed(racy).1, 2);
}

#[test]
fn a_mutex_that_somebody_tries_to_take_begins_no_block() {
    let tried = "shared x = 0; mutex m; thread t[2] { lock(m); x = 1; unlock(m); }
        thread u { if try_lock(m) { x = 2; unlock(m); } }";
    let (_, interior) = analysed(tried);
    // The stores are still protected: only the place between taking the mutex and the store is open.
    assert_eq!(interior, 3);
}

#[test]
fn nobody_waits_inside_a_block() {
    let two = "shared x = 0; mutex m, n; thread t[2] { lock(m); lock(n); x = 1; unlock(n); unlock(m); }";
    // Before the second mutex the thread may have to wait; after freeing it, others must be let in.
    assert_eq!(analysed(two).1, 4);
}

#[test]
fn bounds_that_grow_without_end_are_given_up() {
    let (bounds, _) =
        analysed("shared x = 0; thread t { loop { x++; } } thread u { loop { assert(x != -5); } }");
    assert_eq!(bounds["x"], (i64::MIN.into(), i64::MAX.into()), "the counter wraps around");
}
