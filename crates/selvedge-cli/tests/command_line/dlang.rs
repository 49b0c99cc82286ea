//! `selvedge check` on programs in dlang (.d).

use crate::{Scratch, selvedge, selvedge_with};
use expect_test::expect;

#[test]
fn the_example_of_the_thesis_is_verified_as_printed() {
    expect![[""]].assert_eq(&selvedge("check examples/readers_writers.d --algorithm source").told());
}

#[test]
fn a_counterexample_shows_the_statements_of_a_repetition() {
    let program = Scratch::holding("race.d", "<2, x 1, a 2>\n<{2\n  [x := x + 1\n   a[x] := $]\n}>\n");
    let ran = selvedge_with(&["check", program.path(), "--quiet"]);
    assert_eq!(ran.code, 1);
    expect![[""]].assert_eq(&program.hidden_in(&ran.stdout));
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
    expect![[""]].assert_eq(&program.hidden_in(&told));
}

#[test]
fn defines_make_no_sense() {
    let ran = selvedge("check examples/readers_writers.d -D N=3");
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    expect![[""]].assert_eq(&ran.stderr);
}
