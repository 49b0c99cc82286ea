//! `selvedge check` within bounds.

use crate::{Scratch, selvedge};
use expect_test::expect;

#[test]
fn growing_bounds_find_a_bug_that_needs_one_preemption_in_a_program_too_large_to_explore() {
    expect![[r#"
        checking examples/ticket_office.sel: 7 threads, algorithm lazy-bounded

        step  line │ window[0]             │ window[1]
        ───────────┼───────────────────────┼───────────────────────
           1    12 │ if tickets > 0        │
                   │   reads tickets = 1   │
           2    12 │                       │ if tickets > 0
                   │                       │   reads tickets = 1
           3    13 │                       │ tickets = tickets - 1
                   │                       │   tickets: 1 → 0
           4    14 │                       │ assert(tickets >= 0)
                   │                       │   reads tickets = 0
           5    13 │ tickets = tickets - 1 │
                   │   tickets: 0 → -1     │
           6    14 │ assert(tickets >= 0)  │
                   │   reads tickets = -1  │

        assertion failed: `tickets >= 0` in window[0] at examples/ticket_office.sel:14:9
          14 │         assert(tickets >= 0);
             │         ^^^^^^^^^^^^^^^^^^^^

        violation: found in execution 8521 with 1 preemption, none with fewer, under sequential consistency
          executions   8520 complete, 1 failed, 307940 led out of the bound
          transitions  COUNTERS
          time         TIME
        exit code 1
    "#]]
    .assert_eq(&selvedge("check --iterative examples/ticket_office.sel").told());
}

#[test]
fn a_bounded_claim_names_the_bound_and_what_was_left_out() {
    expect![[r#"
        checking examples/peterson.sel: 2 threads, algorithm lazy-bounded
        verified: all 2 Mazurkiewicz traces that have an execution without preemptions, under sequential consistency; those that need more were not explored
          executions   2 complete, 2 led out of the bound
          transitions  COUNTERS
          time         TIME
        exit code 0
    "#]].assert_eq(&selvedge("check --preemptions 0 examples/peterson.sel").told());
    expect![[r#"
        verified: all 4 Mazurkiewicz traces under sequential consistency; none needs more than 1 delay
        exit code 0
    "#]]
    .assert_eq(&selvedge("check --delays 1 --quiet examples/peterson.sel").told());
}

#[test]
fn growing_bounds_end_in_a_claim_without_a_bound() {
    expect![[r#"
        verified: all 4 Mazurkiewicz traces under sequential consistency; the largest needs 1 preemption
        exit code 0
    "#]]
    .assert_eq(&selvedge("check --iterative --quiet examples/peterson.sel").told());
}

#[test]
fn the_violation_with_the_fewest_preemptions_is_shown() {
    let generous = selvedge("check --preemptions 9 --quiet examples/bank_account.sel");
    let scarce = selvedge("check --preemptions 1 --quiet examples/bank_account.sel");
    let table = |told: &str| told.lines().take_while(|line| !line.starts_with("violation")).count();
    assert_eq!(table(&generous.stdout), table(&scarce.stdout));
    assert_eq!((generous.code, scarce.code), (1, 1));
}

#[test]
fn the_naive_heuristic_says_so_and_verifies_nothing() {
    expect![[r#"
        inconclusive: 1 execution explored under sequential consistency, cut at 0 preemptions: a heuristic, which may miss traces that have an execution within the bound
        exit code 3
    "#]].assert_eq(
        &selvedge("check --algorithm naive-bounded --preemptions 0 --quiet examples/peterson.sel").told(),
    );
}

#[test]
fn bounds_are_for_algorithms_that_know_them() {
    let told = |arguments: &str| {
        let ran = selvedge(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        ran.stderr
    };
    expect![[r#"
        error: `optimal` explores without bounds; leave --algorithm out, or take lazy-bounded, source-bounded, nidhugg-bounded, classic-bounded or naive-bounded
    "#]].assert_eq(&told("check --algorithm optimal --preemptions 1 examples/peterson.sel"));
    expect![[r#"
        error: `source-bounded` is for bounds on preemptions; for --delays leave --algorithm out, or take lazy-bounded
    "#]].assert_eq(&told("check --algorithm source-bounded --delays 1 examples/peterson.sel"));
}

#[test]
fn a_minimized_counterexample_has_few_context_switches() {
    expect![[r#"

        step  line │ t[0]                                   │ t[1]
        ───────────┼────────────────────────────────────────┼──────────────────────────────────────
           1    11 │ turn = self                            │
                   │   turn: 0 → 0                          │
           2    11 │                                        │ turn = self
                   │                                        │   turn: 0 → 1
           3    12 │                                        │ flag[self] = true
                   │                                        │   flag[1]: false → true
           4    13 │                                        │ await(!flag[other] || turn == other)
                   │                                        │   reads flag[0] = false
           5    12 │ flag[self] = true                      │
                   │   flag[0]: false → true                │
           6    13 │ await(!flag[other] || turn == other)   │
                   │   reads flag[1] = true, turn = 1       │
           7    15 │ inside++                               │
                   │   inside: 0 → 1                        │
           8    16 │ assert(inside == 1)                    │
                   │   reads inside = 1                     │
           9    15 │                                        │ inside++
                   │                                        │   inside: 1 → 2
          10    16 │                                        │ assert(inside == 1)
                   │                                        │   reads inside = 2

        assertion failed: `inside == 1` in t[1] at examples/peterson_broken.sel:16:5
          16 │     assert(inside == 1);
             │     ^^^^^^^^^^^^^^^^^^^

        violation: found in execution 5, under sequential consistency
        exit code 1
    "#]]
    .assert_eq(&selvedge("check --minimize --quiet examples/peterson_broken.sel").told());
}

#[test]
fn ignored_deadlocks_are_no_violation_whatever_the_bound_and_the_claim_says_so() {
    let program = Scratch::holding(
        "stuck.sel",
        "shared x = 0;\nthread a { x = 1; }\nthread b { await(x == 2); assert(false); }\n",
    );
    for bound in ["", "--preemptions 1", "--delays 1", "--iterative"] {
        let with = selvedge(&format!("check {} --ignore deadlocks {bound}", program.path()));
        assert_eq!(with.code, 0, "{bound}: {}", with.stdout);
        assert!(with.stdout.contains("; not looked for: deadlocks\n"), "{bound}: {}", with.stdout);
        let without = selvedge(&format!("check {} {bound}", program.path()));
        assert_eq!(without.code, 1, "{bound}: {}", without.stdout);
    }
    assert_eq!(selvedge(&format!("check {} --ignore aborts", program.path())).code, 2);
}

#[test]
fn json_tells_the_bound_at_which_a_search_ended_and_the_limit_that_stopped_it() {
    let ran = selvedge("check examples/ticket_office.sel --iterative --format json");
    assert!(
        ran.stdout.contains("\"bound\": {\n    \"of\": \"preemptions\",\n    \"limit\": 1\n  }"),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("stopped_by"), "{}", ran.stdout);
    let ran = selvedge("check examples/ticket_office.sel --max-executions 3 --format json");
    assert!(
        ran.stdout.contains("\"stopped_by\": \"executions\"") && !ran.stdout.contains("\"bound\""),
        "{}",
        ran.stdout
    );
}

/// The search by traces leaves the bound 467 788 times before it has seen that there is only one execution without delays.
#[test]
fn a_larger_bound_on_delays_finds_what_a_smaller_one_finds() {
    for delays in [1, 2] {
        let ran = selvedge(&format!("check examples/ticket_office.sel --delays {delays} --max-time 60 -q"));
        assert_eq!(ran.code, 1, "{}", ran.stdout);
    }
    let ran = selvedge("check examples/ticket_office.sel --delays 0 --max-time 60 --format json");
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(ran.stdout.contains("\"complete\": 1,"), "{}", ran.stdout);
}
