//! `--save-trace` and `selvedge replay`.

use crate::{Scratch, selvedge, selvedge_with};
use expect_test::expect;

/// The trace of the lost update in the example of the bank account.
fn saved(name: &str) -> Scratch {
    let trace = Scratch::new(name);
    let ran = selvedge_with(&["check", "examples/bank_account.sel", "--save-trace", trace.path()]);
    assert_eq!(ran.code, 1);
    let told = trace.hidden_in(&ran.stdout);
    let hint = "trace saved; to step through it again: selvedge replay SCRATCH examples/bank_account.sel\n";
    assert!(told.ends_with(hint), "{told}");
    trace
}

#[test]
fn a_saved_trace_leads_to_the_same_violation() {
    let trace = saved("same.json");
    let ran = selvedge_with(&["replay", trace.path(), "examples/bank_account.sel"]);
    expect![[r#"
        replaying SCRATCH on examples/bank_account.sel

        step  line │ careful               │ careless              │ finally
        ───────────┼───────────────────────┼───────────────────────┼────────────────────────
           1     7 │ lock(m)               │                       │
                   │   m: free → careful   │                       │
           2     8 │ let before = balance  │                       │
                   │   reads balance = 100 │                       │
           3    14 │                       │ let before = balance  │
                   │                       │   reads balance = 100 │
           4     9 │ balance = before + 10 │                       │
                   │   balance: 100 → 110  │                       │
           5    10 │ unlock(m)             │                       │
                   │   m: careful → free   │                       │
           6    15 │                       │ balance = before + 20 │
                   │                       │   balance: 110 → 120  │
           7    18 │                       │                       │ runs after all threads
                   │                       │                       │   reads balance = 120

        assertion failed: `balance == 130` in finally at examples/bank_account.sel:19:5
          19 │     assert(balance == 130);
             │     ^^^^^^^^^^^^^^^^^^^^^^
        exit code 1
    "#]]
    .assert_eq(&trace.hidden_in(&ran.told()));
    let checked = selvedge("check examples/bank_account.sel --quiet").stdout;
    let (_, table) = ran.stdout.split_once("\n\n").expect("a heading and a table");
    assert!(checked.contains(table), "the same table as when it was found");
}

#[test]
fn a_trace_of_a_repaired_program_does_not_fit() {
    let trace = saved("repaired.json");
    let repaired = Scratch::holding(
        "repaired.sel",
        "shared balance = 100; mutex m;
         thread careful { lock(m); balance += 10; unlock(m); }
         thread careless { lock(m); balance += 20; unlock(m); }
         finally { assert(balance == 130); }",
    );
    let ran = selvedge_with(&["replay", trace.path(), repaired.path()]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    let told = trace.hidden_in(&ran.stderr);
    assert!(told.starts_with("error: `SCRATCH`: the trace does not fit the program: `careless`"), "{told}");
}

#[test]
fn a_trace_of_another_program_names_the_missing_thread() {
    let trace = saved("another.json");
    let ran = selvedge_with(&["replay", trace.path(), "examples/peterson.sel"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("step 1 is by `careful`, which is no thread of it"), "{}", ran.stderr);
}

#[test]
fn defines_are_saved_with_the_trace() {
    let trace = Scratch::new("defines.json");
    let program = "examples/dining_philosophers.sel";
    let ran = selvedge_with(&["check", program, "-D", "N=4", "-q", "--save-trace", trace.path()]);
    assert_eq!(ran.code, 1);
    assert!(trace.text().contains("\"N\": 4"));
    let ran = selvedge_with(&["replay", trace.path(), program]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("deadlock: 4 threads wait for ever"), "{}", ran.stdout);
    let ran = selvedge_with(&["replay", trace.path(), program, "-D", "N=3"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("philosopher[3]"), "{}", ran.stderr);
}

#[test]
fn a_verified_program_saves_no_trace() {
    let trace = Scratch::new("none.json");
    let ran = selvedge_with(&["check", "examples/peterson.sel", "-q", "--save-trace", trace.path()]);
    assert_eq!(ran.code, 0);
    assert!(!trace.0.exists());
}

#[test]
fn something_else_is_no_trace() {
    let ran = selvedge("replay examples/peterson.sel examples/peterson.sel");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("this is no saved trace"), "{}", ran.stderr);
}
