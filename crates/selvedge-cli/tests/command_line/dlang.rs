//! `selvedge check` on programs in dlang (.d).

use crate::{Scratch, selvedge, selvedge_with};
use expect_test::expect;

#[test]
fn the_example_of_the_thesis_is_verified_as_printed() {
    expect![[r#"
        checking examples/readers_writers.d: 21 threads, algorithm source
        verified: all 1048576 Mazurkiewicz traces under sequential consistency
          executions   1048576 complete
          transitions  COUNTERS
          time         TIME
        exit code 0
    "#]]
    .assert_eq(&selvedge("check examples/readers_writers.d --algorithm source").told());
}

#[test]
fn a_counterexample_shows_the_statements_of_a_repetition() {
    let program = Scratch::holding("race.d", "<2, x 1, a 2>\n<{2\n  [x := x + 1\n   a[x] := $]\n}>\n");
    let ran = selvedge_with(&["check", program.path(), "--quiet"]);
    assert_eq!(ran.code, 1);
    expect![[r#"

        step  line │ p0                         │ p1
        ───────────┼────────────────────────────┼───────────────
           1     3 │ x := x + 1                 │
                   │   x: 0 → 1                 │
           2     4 │ a[x] := $                  │
                   │   reads x = 1, a[1]: 0 → 0 │
           3     3 │                            │ x := x + 1
                   │                            │   x: 1 → 2
           4     4 │                            │ a[x] := $
                   │                            │   reads x = 2

        index out of range: a[2] (indices are 0 to 1) in p1 at SCRATCH:4:4
          4 │    a[x] := $]
            │    ^^^^^^^^^

        violation: found in execution 1, under sequential consistency
    "#]]
    .assert_eq(&program.hidden_in(&ran.stdout));
}

#[test]
fn a_saved_counterexample_is_replayed() {
    let program = Scratch::holding("replayed.d", "<1, x 1> [x := 1 / x]");
    let trace = Scratch::new("replayed.json");
    let ran = selvedge_with(&["check", program.path(), "--save-trace", trace.path()]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let ran = selvedge_with(&["replay", trace.path(), program.path()]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stdout.contains("division by zero"), "{}", ran.stdout);
}

#[test]
fn mistakes_in_a_repetition_are_shown_once() {
    let program = Scratch::holding("mistakes.d", "<3, x 1>\n<{3\n  [x := y$ + 1]\n}>\n");
    let ran = selvedge_with(&["check", program.path()]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    let told: String = ran.stderr.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    expect![[r#"
        Error: `y0` is not declared
           ╭─[ SCRATCH:3:9 ]
           │
         3 │   [x := y$ + 1]
           │         ─┬
           │          ╰── not found
           │
           │ Help: declare it: `<…, y0 1>` for a single value
        ───╯
        1 error in SCRATCH
    "#]]
    .assert_eq(&program.hidden_in(&told));
}

#[test]
fn defines_make_no_sense() {
    let ran = selvedge("check examples/readers_writers.d -D N=3");
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    expect![[r#"
        error: cannot use -D with `examples/readers_writers.d`: the constants of a dlang program are fixed in its text
    "#]].assert_eq(&ran.stderr);
}
