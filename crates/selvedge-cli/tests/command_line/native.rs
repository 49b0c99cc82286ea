//! C and C++ programs, from the file to the verdict.

use crate::{Scratch, selvedge, selvedge_with};
use expect_test::expect;

const CORPUS: &str = "crates/selvedge-testkit/corpus/c";

#[test]
fn what_algorithms_cannot_treat_is_refused_with_its_place() {
    for algorithm in ["data-centric", "value-centric"] {
        let ran = selvedge(&format!("check {CORPUS}/semaphore.c --algorithm {algorithm}"));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let file = format!("{CORPUS}/timed_wait.c");
        let ran = selvedge(&format!("check {file} --algorithm {algorithm}"));
        assert_eq!(ran.code, 2);
        let refused = format!("not supported by `{algorithm}`: a wait with a time limit at {file}:");
        assert!(ran.stderr.contains(&refused), "{}", ran.stderr);
    }
}

#[test]
fn an_algorithm_is_chosen_that_can_treat_the_program_and_what_is_asked() {
    let twins = "crates/selvedge-testkit/twins";
    for (program, chosen) in [
        (format!("{twins}/float-read.c"), "chose value-centric: it explores everything in"),
        (format!("{twins}/float-read.c --check races"), "chose optimal: nothing else that `auto` tries"),
        (format!("{CORPUS}/timed_wait.c"), "chose optimal: it explores everything in"),
        (format!("{CORPUS}/no_race_under_a_lock.c"), "chose optimal: it explores everything in"),
    ] {
        let ran = selvedge(&format!("check {program} --algorithm auto"));
        assert!(ran.stdout.contains(chosen), "{program}: {}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn a_verified_program_says_what_was_not_looked_for() {
    let line = |arguments: &str| {
        let ran = selvedge(&format!("check {CORPUS}/mutex_counter.c {arguments}"));
        ran.stdout.lines().find(|line| line.starts_with("verified")).unwrap_or("").to_owned()
    };
    let usual = "; not looked for: data races, signed overflow, copies of uninitialised memory";
    assert!(line("").ends_with(usual), "{}", line(""));
    assert!(
        line("--check races").ends_with("; not looked for: signed overflow, copies of uninitialised memory")
    );
    assert!(!line("--property unreach-call").contains("not looked for"));
}

#[test]
fn the_use_of_a_destroyed_mutex_is_wrong_for_both_engines() {
    let program = Scratch::holding(
        "destroyed.c",
        "#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint main(void) {\n    pthread_mutex_destroy(&m);\n    pthread_mutex_lock(&m);\n}\n",
    );
    let checked = selvedge(&format!("check {}", program.path()));
    assert!(checked.stdout.contains("use of a mutex that was destroyed in main at"), "{}", checked.stdout);
    let proved = selvedge(&format!("prove {}", program.path()));
    assert_eq!((checked.code, proved.code), (1, 1), "{}", proved.stdout);
}

#[test]
fn a_counterexample_is_told_in_the_lines_of_the_source() {
    let told = selvedge(&format!("check {CORPUS}/lost_update.c --algorithm source")).told();
    expect![[r#"
        checking crates/selvedge-testkit/corpus/c/lost_update.c: 3 threads, algorithm source

        step  line │ main                                    │ first#1       │ second#2
        ───────────┼─────────────────────────────────────────┼───────────────┼───────────────
           1     9 │                                         │ x++           │
                   │                                         │   reads x = 0 │
           2    14 │                                         │               │ x++
                   │                                         │               │   reads x = 0
           3     9 │                                         │ x++           │
                   │                                         │   x: 0 → 1    │
           4    14 │                                         │               │ x++
                   │                                         │               │   x: 1 → 1
           5    22 │ pthread_join(a, 0)                      │               │
                   │   first#1 has ended, second#2 has ended │               │

        assertion failed: `x == 2` in main at crates/selvedge-testkit/corpus/c/lost_update.c:24:5
          24 │     assert(x == 2);
             │     ^^^^^^^^^^^^^^

        violation: found in execution 2, under sequential consistency
          executions   1 complete, 1 failed
          transitions  COUNTERS
          time         TIME
        exit code 1
    "#]]
    .assert_eq(&told);
}

#[test]
fn a_deadlock_says_who_waits_for_what() {
    let told = selvedge(&format!("check {CORPUS}/lock_order.c --quiet")).told();
    expect![[r#"

        step  line │ first#1                │ second#2
        ───────────┼────────────────────────┼────────────────────────
           1     9 │ pthread_mutex_lock(&m) │
                   │   takes m              │
           2    17 │                        │ pthread_mutex_lock(&n)
                   │                        │   takes n

        deadlock: 3 threads wait for ever
          main      crates/selvedge-testkit/corpus/c/lock_order.c:28  pthread_join(a, 0)      waits for the end of a thread
          first#1   crates/selvedge-testkit/corpus/c/lock_order.c:10  pthread_mutex_lock(&n)  waits for n
          second#2  crates/selvedge-testkit/corpus/c/lock_order.c:18  pthread_mutex_lock(&m)  waits for m

        violation: found in execution 2, under sequential consistency
        exit code 1
    "#]].assert_eq(&told);
}

#[test]
fn a_data_race_names_both_places() {
    let told = selvedge(&format!("check {CORPUS}/race_with_relaxed.c --check races --quiet")).told();
    expect![[r#"

        step  line │ first#1                                      │ second#2
        ───────────┼──────────────────────────────────────────────┼──────────────────────────────────────────────
           1    12 │ data = 1                                     │
                   │   data: 0 → 1                                │
           2    13 │ atomic_store_explicit(&flag, 1, memory_orde… │
                   │   flag: 0 → 1                                │
           3    18 │                                              │ if (atomic_load_explicit(&flag, memory_orde…
                   │                                              │   reads flag = 1
           4    18 │                                              │ if (atomic_load_explicit(&flag, memory_orde…
                   │                                              │   reads data = 1

        data race: unordered read of data, with the access at crates/selvedge-testkit/corpus/c/race_with_relaxed.c:12 in second#2 at crates/selvedge-testkit/corpus/c/race_with_relaxed.c:18:60
          18 │     if (atomic_load_explicit(&flag, memory_order_relaxed)) assert(data == 1);
             │                                                            ^^^^^^^^^^^^^^^^^

        violation: found in execution 1, under sequential consistency
        exit code 1
    "#]].assert_eq(&told);
}

#[test]
fn a_property_ends_with_a_verdict() {
    let last = |arguments: &str| {
        let ran = selvedge(arguments);
        (ran.stdout.lines().last().unwrap_or("").to_owned(), ran.code)
    };
    let verdict = |text: &str, code| (text.to_owned(), code);
    let of = |file: &str, property: &str| last(&format!("check {CORPUS}/{file}.c -q --property {property}"));
    assert_eq!(of("error_call", "unreach-call"), verdict("VERDICT: false(unreach-call)", 1));
    assert_eq!(of("mutex_counter", "unreach-call"), verdict("VERDICT: true", 0));
    assert_eq!(of("mutex_counter", "no-data-race"), verdict("VERDICT: true", 0));
    assert_eq!(of("lost_update", "no-data-race"), verdict("VERDICT: false(no-data-race)", 1));
    assert_eq!(of("use_after_free", "valid-memsafety"), verdict("VERDICT: false(valid-deref)", 1));
    assert_eq!(of("double_free", "valid-memsafety"), verdict("VERDICT: false(valid-free)", 1));
    assert_eq!(of("leak", "valid-memsafety"), verdict("VERDICT: false(valid-memtrack)", 1));
    assert_eq!(of("signed_overflow", "no-overflow"), verdict("VERDICT: false(no-overflow)", 1));
    assert_eq!(of("unknown_function", "unreach-call"), verdict("VERDICT: unknown", 3));
}

#[test]
fn a_hunt_tries_samples_of_inputs_and_its_trace_can_be_replayed() {
    let trace = std::env::temp_dir().join(format!("selvedge-samples-{}.json", std::process::id()));
    let (program, trace) = (format!("{CORPUS}/nondet_compared.c"), trace.display().to_string());
    let ran = selvedge_with(&["check", &program, "--property", "unreach-call", "--save-trace", &trace]);
    assert!(ran.stdout.ends_with("VERDICT: false(unreach-call)\n"), "{}{}", ran.stdout, ran.stderr);
    let ran = selvedge_with(&["replay", &trace, &program]);
    assert!(ran.stdout.contains("assertion failed: `a * 2 != b`"), "{}{}", ran.stdout, ran.stderr);
    let ran = selvedge_with(&["check", &program, "--algorithm", "random", "--max-executions", "20000"]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn what_is_not_supported_never_ends_in_verified() {
    let ran = selvedge(&format!("check {CORPUS}/unknown_function.c -q"));
    assert_eq!(ran.code, 3);
    assert!(
        ran.stdout.contains("the function `mystery` has no body") && ran.stdout.contains(".c:9"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_loop_that_is_cut_is_no_proof() {
    let ran = selvedge(&format!("check {CORPUS}/endless_loop.c -q --unroll 3"));
    assert!(ran.stdout.contains("a loop was cut after 3 rounds (--unroll)"), "{}", ran.stdout);
    assert_eq!(ran.code, 3);
}

#[test]
fn a_saved_trace_can_be_replayed() {
    let trace = std::env::temp_dir().join(format!("selvedge-trace-{}.json", std::process::id()));
    let (program, trace) = (format!("{CORPUS}/lost_update.c"), trace.display().to_string());
    assert_eq!(selvedge_with(&["check", &program, "--save-trace", &trace]).code, 1);
    let ran = selvedge_with(&["replay", &trace, &program]);
    assert!(ran.stdout.contains("assertion failed: `x == 2`"), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.code, 1);
}

#[test]
fn what_clang_does_not_accept_is_told_in_its_words() {
    let file = std::env::temp_dir().join(format!("selvedge-wrong-{}.c", std::process::id()));
    std::fs::write(&file, "int main(void) { return x; }\n").expect("a file is written");
    let ran = selvedge_with(&["check", &file.display().to_string()]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("clang does not accept") && ran.stderr.contains("undeclared"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_clang_that_is_not_there_is_named() {
    let ran = selvedge(&format!("check {CORPUS}/lost_update.c --clang no-such-clang"));
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("`no-such-clang` cannot be used"), "{}", ran.stderr);
}

#[test]
fn options_for_c_are_refused_elsewhere() {
    let ran = selvedge("check examples/peterson.sel --unroll 3");
    assert_eq!((ran.code, ran.stderr.as_str()), (2, "error: --unroll is for C and C++ only\n"));
}
