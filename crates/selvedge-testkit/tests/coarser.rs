//! The toy programs and claims of the papers about equivalences coarser than happens-before.
//!
//! That each algorithm keeps its promise is part of the test on random programs; here are the numbers.

use selvedge_explore::{
    Algorithm, Equivalence, Exploration, Limits, Observations as _, Silent, Statistics, explore,
};
use selvedge_interp::{Failure, Interpreter};
use selvedge_testkit::oracle::{self, Check};
use selvedge_trace::ThreadId;
use std::collections::{BTreeMap, BTreeSet};

fn exploration(text: &str, algorithm: Algorithm, root: u32) -> Exploration<Failure> {
    let program = selvedge_lang::compile("toy.sel", text, &BTreeMap::new()).expect("it compiles");
    let limits = Limits { root: Some(ThreadId(root)), ..Limits::default() };
    explore(Interpreter::new(&program), algorithm, limits, &mut Silent).0
}

fn statistics(text: &str, algorithm: Algorithm) -> Statistics {
    exploration(text, algorithm, 0).statistics
}

/// The number of executions that source, data-centric and value-centric exploration need.
fn counts(text: &str) -> [u64; 3] {
    [Algorithm::Source, Algorithm::DataCentric, Algorithm::ValueCentric]
        .map(|a| statistics(text, a).maximal())
}

#[test]
fn the_motivating_example_has_four_traces_two_observations_and_one_value() {
    let text = "shared x = 0; thread p { x = 1; } thread q { x = 2; x = 1; let r = x; }";
    assert_eq!(counts(text), [4, 2, 1]);
}

/// Figure 3a: all orders of `n` writes and `n` reads of one variable, with one value.
#[test]
fn many_operations_on_one_variable_are_one_class_by_values() {
    let text = |n: u32| {
        format!(
            "shared x = 0; thread p {{ for i in 0..{n} {{ x = 0; }} }}
             thread q {{ for i in 0..{n} {{ let r = x; }} }}"
        )
    };
    assert_eq!([1, 2, 3, 4, 5].map(|n| counts(&text(n))[0]), [2, 6, 20, 70, 252]);
    assert_eq!(statistics(&text(40), Algorithm::ValueCentric).maximal(), 1);
}

/// Figure 3b: two writes to each of `n` variables and one read, which comes before, between or after them, whatever the others do.
/// Brute force and the definitions agree.
#[test]
fn few_operations_on_many_variables_are_one_class_by_values() {
    let text = |n: u32| {
        format!(
            "shared x[{n}]; thread p {{ for i in 0..{n} {{ x[i] = 0; x[i] = 0; }} }}
             thread q {{ for i in 0..{n} {{ let r = x[i]; }} }}"
        )
    };
    for n in 1..=5 {
        let program = selvedge_lang::compile("toy.sel", &text(n), &BTreeMap::new()).expect("it compiles");
        let truth = oracle::findings(&program, Algorithm::Exhaustive, 10_000).expect("it is small");
        let classes = |equivalence: Equivalence| {
            let all = truth.executions.iter().map(|e| e.class(equivalence, ThreadId(0)));
            all.collect::<BTreeSet<_>>().len()
        };
        let all = 3_usize.pow(n);
        assert_eq!((truth.traces.len(), classes(Equivalence::Observers)), (all, all));
        assert_eq!(classes(Equivalence::Observation), all);
        assert_eq!(classes(Equivalence::ValueHappensBefore), 1);
        assert_eq!(counts(&text(n)), [all as u64, all as u64, 1]);
        assert_eq!(statistics(&text(n), Algorithm::Observers).maximal(), all as u64);
    }
    assert_eq!(statistics(&text(40), Algorithm::ValueCentric).maximal(), 1);
}

/// One reader and `n` writers: published are 9 by values and 10 by observation for 9 writers, one of which writes the initial
/// value.
#[test]
fn float_read_has_the_published_numbers() {
    let text = "shared x = 0; thread w[9] { x = self; } thread r { let v = x; }";
    assert_eq!(statistics(text, Algorithm::ValueCentric).maximal(), 9);
    assert_eq!(statistics(text, Algorithm::DataCentric).maximal(), 10);
}

/// Published are 2 by values and 10 by observation.
#[test]
fn singleton_has_the_published_numbers() {
    let text = "shared v = 0; thread x { v = 1; } thread y[9] { v = 2; } finally { let r = v; assert(r == 1 || r == 2); }";
    assert_eq!(statistics(text, Algorithm::ValueCentric).maximal(), 2);
    assert_eq!(statistics(text, Algorithm::DataCentric).maximal(), 10);
}

#[test]
fn any_thread_may_be_the_root() {
    let text = "shared x = 0, y = 0; thread p { x = 1; let a = y; } thread q { y = 1; let b = x; }
                thread r { let c = x; let d = y; }";
    let all = [0, 1, 2, 7].map(|root| exploration(text, Algorithm::ValueCentric, root).statistics.maximal());
    let traces = statistics(text, Algorithm::Source).maximal();
    assert!(all.iter().all(|&count| count <= traces), "{all:?} for {traces} traces");
}

/// A value that a thread gets in one way only is found, whoever is the root.
#[test]
fn a_violation_by_values_is_found_from_every_root() {
    let text = "shared x = 0, y = 0; thread p { x = 1; let a = y; assert(a != 2); }
                thread q { let b = x; if b == 1 { y = 2; } }";
    for algorithm in [Algorithm::ValueCentric, Algorithm::DataCentric] {
        for root in [0, 1] {
            assert_eq!(exploration(text, algorithm, root).violations.len(), 1);
        }
    }
}

/// Read-modify-write operations exclude each other: each value is returned once.
#[test]
fn read_modify_writes_are_atomic() {
    let text =
        "shared x = 0; thread p[3] { let a = fetch_add(x, 1); } finally { let r = x; assert(r == 3); }";
    assert_eq!(counts(text), [6, 6, 6]);
}

/// Critical sections are as many as their orders, whatever is written in them.
#[test]
fn critical_sections_are_ordered_like_read_modify_writes() {
    let text = "mutex m; shared x = 0; thread p[3] { lock(m); let a = x; x = a + 1; unlock(m); }";
    let [traces, observations, values] = counts(text);
    assert_eq!((traces, observations), (6, 6));
    assert!(values <= 6);
}

/// The time for a class grows like a polynomial in the length of the program: operations per class, here, where each class is
/// one more write observed.
#[test]
fn work_per_class_is_polynomial() {
    let text = |n: u32| {
        format!(
            "shared x = 0, y = 0; thread p {{ for i in 0..{n} {{ x = i + 1; y = 1; }} }}
             thread q {{ let r = x; let s = y; }}"
        )
    };
    let per_class = |n: u32| {
        let statistics = statistics(&text(n), Algorithm::ValueCentric);
        statistics.transitions / statistics.executions()
    };
    let (short, long) = (per_class(20), per_class(80));
    assert!(long <= 16 * short, "{short} operations per class for 20 rounds, {long} for 80");
}

/// A write that comes after a join has no read before it in its thread, and was still not there when the root was looked at.
#[test]
fn a_write_after_a_join_is_a_candidate_for_reads_that_were_considered() {
    let text = "shared x = 0, y = 0; thread r { let b = x; assert(b != 1); }
                thread m { spawn q; join q; x = 1; } thread q { let a = y; }";
    assert_eq!(exploration(text, Algorithm::ValueCentric, 0).violations.len(), 1);
}

/// Figure 7. We do not have the figure: the program is reconstructed from the text about it. The root writes three times and reads what it wrote last (`r4`);
/// the leaf writes the same value, reads it (`r2`), writes and, as two nodes follow, reads that (`s`). With the paper's names of nodes:
///
/// - b, c: `r4` observes the root, `r2` the one value that there is. Then `s` is of the leaf (d) or of the root (e).
/// - f, g, h: `r4` observes the leaf. Then the root has written `y` before, and `s` is of the leaf.
/// - i, j, k: the leaf reads first, and `r4` has nothing new to observe. The paper's search begins this branch, ours foresees it.
#[test]
fn the_running_example_rebuilt_from_its_text_ends_in_three_nodes() {
    let text = "shared x = 0, y = 0, z = 0; thread p { y = 1; z = 1; x = 1; let r4 = x; }
                thread q { x = 1; let r2 = x; y = 2; let s = y; }";
    let found = statistics(text, Algorithm::ValueCentric);
    assert_eq!((found.maximal(), found.sleep_set_blocked), (3, 0));
    assert_eq!(counts(text), [6, 4, 3]);
}

/// Threads that never meet are not tried in other orders, and those that have nothing left to wait for are not waited for.
#[test]
fn little_is_begun_in_vain() {
    let indexer = |n: u32| {
        format!(
            "shared table[128]; thread p[{n}] {{ for m in 1..5 {{ let w = m * 11 + self; let h = (w * 7) % 128;
             while !cas(table[h], 0, w) {{ h = (h + 1) % 128; }} }} }}"
        )
    };
    let figures = |text: &str| {
        let found = statistics(text, Algorithm::ValueCentric);
        (found.maximal(), found.sleep_set_blocked)
    };
    assert_eq!(figures(&indexer(11)), (1, 0));
    assert_eq!(figures(&indexer(12)), (8, 0));
    let fibonacci = "shared x = 1, y = 1; thread p { for i in 0..3 { let a = y; let b = x; x = a + b; } }
                     thread q { for i in 0..3 { let a = x; let b = y; y = a + b; } }";
    assert_eq!(figures(fibonacci).1, 0);
    let locks = "mutex m[3]; thread p[3] { lock(m[self]); unlock(m[self]); lock(m[self]); unlock(m[self]); }";
    assert_eq!(figures(locks), (1, 0));
}

/// Operations that the papers leave out keep every promise: compared with brute force.
#[test]
fn operations_outside_the_theory_are_covered() {
    let programs = [
        ("condition variables", "mutex m; condvar c; shared x = 0, y = 0;
          thread p { lock(m); while x == 0 { wait(c, m); } let a = y; unlock(m); }
          thread q { y = 1; lock(m); x = 1; signal(c); unlock(m); } thread r { lock(m); y = 2; broadcast(c); unlock(m); }"),
        ("barriers", "barrier b(2); shared x = 0; thread p { x = 1; wait(b); let a = x; } thread q { x = 2; wait(b); x = 2; }"),
        ("several locations", "shared x = 0, y = 0; thread p { x = y + 1; } thread q { y = x + 1; } thread r { let a = x + y; }"),
        ("conditions on several locations", "shared x = 0, y = 0; thread p { await(x == 1 && y == 1); } thread q { x = 1; x = 2; } thread r { y = 1; }"),
        ("locations that depend on values", "shared i = 0, a[2]; thread p { a[i] = 1; } thread q { i = 1; } thread r { let v = a[0] + a[1]; }"),
        ("compare and exchange", "shared x = 0, y = 0; thread p[2] { let won = cas(x, 0, 1); if won { y = y + 1; } }"),
        ("attempts to lock", "mutex m; shared x = 0; thread p[2] { let got = try_lock(m); if got { x = x + 1; unlock(m); } }"),
        ("blocks with branches", "shared x = 0, y = 0; thread p { atomic { if x == 0 { y = 1; } else { y = 2; } } } thread q { x = 1; let a = y; }"),
        ("choices", "shared x = 0; thread p { let c = nondet(0..2); x = c; } thread q { let a = x; if a == 1 { let d = nondet(0..2); x = d; } }"),
    ];
    for (what, text) in programs {
        let program = selvedge_lang::compile("test.sel", text, &BTreeMap::new()).expect(what);
        assert!(matches!(oracle::check_all(&program, 100_000), Check::Passed(_)), "{what}");
    }
}

/// Only what several threads replace without looking can float; where nothing does, the equivalence is happens-before.
#[test]
fn what_floats_is_known_before_anything_is_run() {
    let floats = |text: &str| {
        let program = selvedge_lang::compile("test.sel", text, &BTreeMap::new()).expect("it compiles");
        Interpreter::new(&program).has_floating_locations()
    };
    assert!(floats("shared x = 0; thread p[2] { x = self; }"));
    assert!(floats(
        "shared x = 0; fn f() { x = 1; return 0; } thread p { let a = f(); } thread q { x = 2; }"
    ));
    assert!(!floats("shared x = 0; thread p { x = 1; x = 2; } thread q { let a = x; }"));
    assert!(!floats("shared x = 0; thread p[2] { x = x + 1; }"));
    assert!(!floats("shared x = 0; thread p[2] { let a = fetch_add(x, 1); }"));
    assert!(!floats("shared x = 0; thread p[2] { x = self; } thread q { await(x == 1); }"));
    assert!(!floats("mutex m; thread p[2] { lock(m); unlock(m); }"));
}

/// The variables of [`float_read_has_the_published_numbers`] end with 9 values, and the reader reads each of them: 81 pairs, of which
/// 9 executions cannot show more than 9. So what is in memory in the end is not preserved, unless somebody reads it.
#[test]
fn final_values_are_preserved_if_somebody_reads_them() {
    let text = |finally: &str| {
        format!("shared x = 0; thread w[4] {{ x = self; }} thread r {{ let v = x; }} {finally}")
    };
    assert_eq!(statistics(&text(""), Algorithm::ValueCentric).maximal(), 4);
    let read = text("finally { let last = x; }");
    assert_eq!(statistics(&read, Algorithm::ValueCentric).maximal(), 16);
}
