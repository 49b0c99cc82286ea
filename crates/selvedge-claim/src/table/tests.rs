//! Tables of hand-made steps.

use super::*;
use expect_test::expect;
use selvedge_trace::Decision;

fn step(thread: u32, statement: &str, effects: &[&str]) -> Step {
    Step {
        decision: Decision { thread: ThreadId(thread), choice: 0 },
        thread: format!("t[{thread}]"),
        file: None,
        line: 7,
        statement: statement.to_owned(),
        effects: effects.iter().map(|effect| (*effect).to_owned()).collect(),
    }
}

fn page(width: usize) -> Page {
    Page { width, ..Page::default() }
}

#[test]
fn no_steps_make_no_table() {
    assert_eq!(table(&[], page(80)), "");
}

#[test]
fn threads_have_columns_in_their_order() {
    let steps = [step(2, "x = 1", &["x: 0 → 1"]), step(0, "let v = x", &["reads x = 1"])];
    expect![[r#"
        step  line │ t[0]          │ t[2]
        ───────────┼───────────────┼────────────
           1     7 │               │ x = 1
                   │               │   x: 0 → 1
           2     7 │ let v = x     │
                   │   reads x = 1 │
    "#]]
    .assert_eq(&table(&steps, page(80)));
}

#[test]
fn columns_that_do_not_fit_become_rows() {
    let long = "a_long_name = another_long_name + a_third_name";
    let steps: Vec<Step> = (0..3).map(|t| step(t, long, &["reads a = 1", "b: 0 → 1"])).collect();
    expect![[r#"
        step  line │ t[0]                 │ t[1]                 │ t[2]
        ───────────┼──────────────────────┼──────────────────────┼──────────────────────
           1     7 │ a_long_name = anoth… │                      │
                   │   reads a = 1        │                      │
                   │   b: 0 → 1           │                      │
           2     7 │                      │ a_long_name = anoth… │
                   │                      │   reads a = 1        │
                   │                      │   b: 0 → 1           │
           3     7 │                      │                      │ a_long_name = anoth…
                   │                      │                      │   reads a = 1
                   │                      │                      │   b: 0 → 1
    "#]]
    .assert_eq(&table(&steps, page(80)));
    expect![[r#"
        step  thread  line  statement
           1  t[0]       7  a_long_name = anoth…  reads a = 1
                                                  b: 0 → 1
           2  t[1]       7  a_long_name = anoth…  reads a = 1
                                                  b: 0 → 1
           3  t[2]       7  a_long_name = anoth…  reads a = 1
                                                  b: 0 → 1
    "#]]
    .assert_eq(&table(&steps, page(60)));
}

#[test]
fn steps_in_several_files_have_places() {
    let mut steps = [step(0, "x = 1", &[]), step(0, "y = 1", &[])];
    steps[0].file = Some("a.rs".to_owned());
    steps[1].file = Some("lib.rs".to_owned());
    expect![[r#"
        step     place │ t[0]
        ───────────────┼───────
           1    a.rs:7 │ x = 1
           2  lib.rs:7 │ y = 1
    "#]]
    .assert_eq(&table(&steps, page(80)));
}

#[test]
fn effects_wrap_at_commas() {
    let effects = ["reads x = 1".to_owned(), "y: 0 → 1".to_owned(), "z: 0 → 1".to_owned()];
    assert_eq!(wrapped(&effects, 22), ["reads x = 1, y: 0 → 1", "z: 0 → 1"]);
    let reads = ["reads x = 1".to_owned(), "reads y = 2".to_owned(), "reads z = 3".to_owned()];
    assert_eq!(wrapped(&reads, 18), ["reads x = 1, y = 2", "reads z = 3"]);
    assert_eq!(wrapped(&effects, 8), ["reads x", "  = 1", "y: 0 → 1", "z: 0 → 1"]);
}

#[test]
fn long_texts_are_continued_at_spaces_or_within_words() {
    assert_eq!(folded("x.store(1, Release)", 19), ["x.store(1, Release)"]);
    assert_eq!(folded("x.store(1, Release)", 12), ["x.store(1,", "  Release)"]);
    assert_eq!(folded("x: 123456789 → 5", 8), ["x: 12345", "  6789 →", "  5"]);
    assert_eq!(folded("a b", 1), ["a", "  b"]);
}

#[test]
fn no_value_is_lost_in_narrow_columns() {
    let store = "x.store(5984943632786405586, SeqCst)";
    let change = "x: 1311768467463790320 → 5984943632786405586";
    let steps: Vec<Step> = (0..4).map(|t| step(t, store, &[change])).collect();
    let whole = |width| Page { statements: Statements::Whole, ..page(width) };
    expect![[r#"
        step  line │ t[0]                     │ t[1]                     │ t[2]                     │ t[3]
        ───────────┼──────────────────────────┼──────────────────────────┼──────────────────────────┼──────────────────────────
           1     7 │ x.store(5984943632786405 │                          │                          │
                   │   586, SeqCst)           │                          │                          │
                   │   x: 1311768467463790320 │                          │                          │
                   │     →                    │                          │                          │
                   │     5984943632786405586  │                          │                          │
           2     7 │                          │ x.store(5984943632786405 │                          │
                   │                          │   586, SeqCst)           │                          │
                   │                          │   x: 1311768467463790320 │                          │
                   │                          │     →                    │                          │
                   │                          │     5984943632786405586  │                          │
           3     7 │                          │                          │ x.store(5984943632786405 │
                   │                          │                          │   586, SeqCst)           │
                   │                          │                          │   x: 1311768467463790320 │
                   │                          │                          │     →                    │
                   │                          │                          │     5984943632786405586  │
           4     7 │                          │                          │                          │ x.store(5984943632786405
                   │                          │                          │                          │   586, SeqCst)
                   │                          │                          │                          │   x: 1311768467463790320
                   │                          │                          │                          │     →
                   │                          │                          │                          │     5984943632786405586
    "#]].assert_eq(&table(&steps, whole(120)));
    expect![[r#"
        step  thread  line  statement
           1  t[0]       7  x.store(5984943632786405586,    x: 1311768467463790320 →
                              SeqCst)                         5984943632786405586
           2  t[1]       7  x.store(5984943632786405586,    x: 1311768467463790320 →
                              SeqCst)                         5984943632786405586
           3  t[2]       7  x.store(5984943632786405586,    x: 1311768467463790320 →
                              SeqCst)                         5984943632786405586
           4  t[3]       7  x.store(5984943632786405586,    x: 1311768467463790320 →
                              SeqCst)                         5984943632786405586
    "#]]
    .assert_eq(&table(&steps, whole(80)));
}
