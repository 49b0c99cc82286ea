//! `selvedge check`: verdicts, scopes and counterexamples.

use crate::{Scratch, selvedge, selvedge_with, without_times};
use expect_test::expect;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

#[test]
fn a_correct_program_is_verified_with_its_scope() {
    expect![[r#"
        checking examples/peterson.sel: 2 threads, algorithm optimal
        verified: all 4 Mazurkiewicz traces under sequential consistency
          executions   4 complete
          transitions  COUNTERS
          time         TIME
        exit code 0
    "#]]
    .assert_eq(&selvedge("check examples/peterson.sel").told());
}

#[test]
fn a_lost_update_is_shown_with_the_values() {
    expect![[r#"
        checking examples/bank_account.sel: 2 threads, algorithm optimal

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

        violation: found in execution 2, under sequential consistency
          executions   1 complete, 1 failed
          transitions  COUNTERS
          time         TIME
        exit code 1
    "#]]
    .assert_eq(&selvedge("check examples/bank_account.sel").told());
}

#[test]
fn a_failed_assertion_is_shown_with_its_line() {
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
    .assert_eq(&selvedge("check examples/peterson_broken.sel --quiet").told());
}

#[test]
fn a_deadlock_names_who_holds_what() {
    expect![[r#"
        checking examples/dining_philosophers.sel: 3 threads, algorithm optimal

        step  line │ philosopher[0]                   │ philosopher[1]                   │ philosopher[2]
        ───────────┼──────────────────────────────────┼──────────────────────────────────┼──────────────────────────────────
           1    14 │ lock(fork[left])                 │                                  │
                   │   fork[0]: free → philosopher[0] │                                  │
           2    14 │                                  │ lock(fork[left])                 │
                   │                                  │   fork[1]: free → philosopher[1] │
           3    14 │                                  │                                  │ lock(fork[left])
                   │                                  │                                  │   fork[2]: free → philosopher[2]

        deadlock: 3 threads wait for ever
          philosopher[0]  examples/dining_philosophers.sel:15  lock(fork[right])  waits for mutex fork[1], held by philosopher[1]
          philosopher[1]  examples/dining_philosophers.sel:15  lock(fork[right])  waits for mutex fork[2], held by philosopher[2]
          philosopher[2]  examples/dining_philosophers.sel:15  lock(fork[right])  waits for mutex fork[0], held by philosopher[0]

        violation: found in execution 4, under sequential consistency
          executions   3 complete, 1 deadlocked
          transitions  COUNTERS
          time         TIME
        exit code 1
    "#]].assert_eq(&selvedge("check examples/dining_philosophers.sel").told());
}

#[test]
fn a_lost_wake_up_is_a_deadlock() {
    expect![[r#"
        checking examples/lost_wakeup.sel: 2 threads, algorithm optimal

        step  line │ waiter                 │ signaller
        ───────────┼────────────────────────┼───────────────────────
           1    17 │                        │ lock(m)
                   │                        │   m: free → signaller
           2    18 │                        │ ready = true
                   │                        │   ready: false → true
           3    19 │                        │ signal(c)
                   │                        │   nobody waits for c
           4    20 │                        │ unlock(m)
                   │                        │   m: signaller → free
           5    10 │ lock(m)                │
                   │   m: free → waiter     │
           6    11 │ wait(c, m)             │
                   │   waits for c, frees m │

        deadlock: a thread waits for ever
          waiter  examples/lost_wakeup.sel:11  wait(c, m)  waits for a signal of c, which nobody sends any more

        violation: found in execution 2, under sequential consistency
          executions   1 complete, 1 deadlocked
          transitions  COUNTERS
          time         TIME
        exit code 1
    "#]].assert_eq(&selvedge("check examples/lost_wakeup.sel").told());
}

#[test]
fn every_algorithm_states_what_it_promises() {
    let scope = |algorithm: &str| {
        let ran = selvedge(&format!("check examples/readers_writers.sel --quiet --algorithm {algorithm}"));
        assert_eq!(ran.code, 0);
        ran.stdout
    };
    let algorithms = ["exhaustive", "sleep", "dpor-no-sleep", "dpor", "source", "optimal"];
    expect![[r#"
        verified: all 24 interleavings under sequential consistency
        verified: all 8 Mazurkiewicz traces under sequential consistency
        verified: every Mazurkiewicz trace (in 16 executions) under sequential consistency
        verified: all 8 Mazurkiewicz traces under sequential consistency
        verified: all 8 Mazurkiewicz traces under sequential consistency
        verified: all 8 Mazurkiewicz traces under sequential consistency
    "#]]
    .assert_eq(&algorithms.map(scope).concat());
}

#[test]
fn defines_replace_constants() {
    let ran = selvedge("check examples/readers_writers.sel -D N=13 --algorithm source");
    assert!(ran.stdout.contains("N = 13: 13 threads, algorithm source"), "{}", ran.stdout);
    assert!(ran.stdout.contains("verified: all 4096 Mazurkiewicz traces"), "{}", ran.stdout);
}

#[test]
fn a_search_cut_by_a_limit_is_inconclusive() {
    let ran = selvedge("check examples/readers_writers.sel -D N=12 --max-executions 1000");
    expect![[r#"
        checking examples/readers_writers.sel, N = 12: 12 threads, algorithm optimal
        inconclusive: 1000 executions explored under sequential consistency, stopped by --max-executions
          executions   1000 complete
          transitions  COUNTERS
          time         TIME
        exit code 3
    "#]]
    .assert_eq(&ran.told());
}

#[test]
fn executions_cut_by_their_length_are_inconclusive() {
    let endless = Scratch::holding("endless.sel", "shared x = 0; thread t { while x == 0 { skip; } }");
    let ran = selvedge_with(&["check", endless.path(), "--max-depth", "50", "--quiet"]);
    expect![[r#"
        inconclusive: 1 execution explored under sequential consistency, it was cut after 50 operations (--max-depth)
        exit code 3
    "#]].assert_eq(&endless.hidden_in(&ran.told()));
}

const SEVERAL: &str = "\
shared a[3], i = 0;

thread t[2] {
    i++;
    a[i + 1] = 5;
    let k = nondet(3..6);
    a[k - 3] = 10 / (5 - k);
}
";

#[test]
fn keep_going_collects_violations_that_differ() {
    let program = Scratch::holding("several.sel", SEVERAL);
    let ran = selvedge_with(&["check", program.path(), "--keep-going"]);
    expect![[r#"
        checking SCRATCH: 2 threads, algorithm optimal

        violation 1 of 2

        step  line │ t[0]                       │ t[1]
        ───────────┼────────────────────────────┼───────────────
           1     4 │ i++                        │
                   │   i: 0 → 1                 │
           2     5 │ a[i + 1] = 5               │
                   │   reads i = 1, a[2]: 0 → 5 │
           3     4 │                            │ i++
                   │                            │   i: 1 → 2
           4     5 │                            │ a[i + 1] = 5
                   │                            │   reads i = 2

        index out of range: a[3] (indices are 0 to 2) in t[1] at SCRATCH:5:5
          5 │     a[i + 1] = 5;
            │     ^^^^^^^^^^^^

        violation 2 of 2

        step  line │ t[0]
        ───────────┼────────────────────────────
           1     4 │ i++
                   │   i: 0 → 1
           2     5 │ a[i + 1] = 5
                   │   reads i = 1, a[2]: 0 → 5
           3     6 │ let k = nondet(3..6)
                   │   chooses 5
           4     7 │ a[k - 3] = 10 / (5 - k)

        division by zero: `a[k - 3] = 10 / (5 - k)` in t[0] at SCRATCH:7:5
          7 │     a[k - 3] = 10 / (5 - k);
            │     ^^^^^^^^^^^^^^^^^^^^^^^

        violation: 2 violations found, explored all 8 Mazurkiewicz traces under sequential consistency
          executions   0 complete, 8 failed
          transitions  COUNTERS
          time         TIME
        exit code 1
    "#]]
    .assert_eq(&program.hidden_in(&ran.told()));
}

const BLOCKED: &str = "\
shared x = 0;
mutex m;
barrier b(3);

thread main { spawn worker[0]; let i = 1; join worker[i]; }
thread worker[2] { lock(m); wait(b); }
thread early { wait(b); }
thread hopeful { await(x == 1); }
";

#[test]
fn blocked_threads_say_what_they_wait_for() {
    let program = Scratch::holding("blocked.sel", BLOCKED);
    let ran = selvedge_with(&["check", program.path(), "--quiet"]);
    expect![[r#"

        step  line │ main               │ worker[0]             │ early
        ───────────┼────────────────────┼───────────────────────┼────────────────
           1     5 │ spawn worker[0]    │                       │
                   │   starts worker[0] │                       │
           2     6 │                    │ lock(m)               │
                   │                    │   m: free → worker[0] │
           3     6 │                    │ wait(b)               │
                   │                    │   arrives at b        │
           4     7 │                    │                       │ wait(b)
                   │                    │                       │   arrives at b

        deadlock: 4 threads wait for ever
          main       SCRATCH:5  join worker[i]  waits for the end of worker[1], which nobody starts
          worker[0]  SCRATCH:6  wait(b)         waits at barrier b, where 2 of 3 have arrived
          early      SCRATCH:7  wait(b)         waits at barrier b, where 2 of 3 have arrived
          hopeful    SCRATCH:8  await(x == 1)   waits for its condition, with x = 0

        violation: found in execution 1, under sequential consistency
        exit code 1
    "#]]
    .assert_eq(&program.hidden_in(&ran.told()));
}

#[test]
fn a_mutex_taken_twice_is_held_by_its_waiter() {
    let program = Scratch::holding("twice.sel", "mutex m; thread t { lock(m); lock(m); }");
    let ran = selvedge_with(&["check", program.path(), "--quiet"]);
    expect![[r#"

        step  line │ t
        ───────────┼───────────────
           1     1 │ lock(m)
                   │   m: free → t

        deadlock: a thread waits for ever
          t  SCRATCH:1  lock(m)  waits for mutex m, which it holds itself

        violation: found in execution 1, under sequential consistency
        exit code 1
    "#]]
    .assert_eq(&program.hidden_in(&ran.told()));
}

const SIGNALLED: &str = "\
shared turn = 0;
mutex m;
condvar c;

thread a { lock(m); while turn == 0 { wait(c, m); } unlock(m); assert(turn == 2); }
thread b { lock(m); turn = 1; broadcast(c); unlock(m); }
";

#[test]
fn a_wait_is_told_in_two_halves() {
    let program = Scratch::holding("signalled.sel", SIGNALLED);
    let ran = selvedge_with(&["check", program.path(), "--quiet", "--keep-going"]);
    expect![[r#"

        step  line │ a                      │ b
        ───────────┼────────────────────────┼───────────────
           1     5 │ lock(m)                │
                   │   m: free → a          │
           2     5 │ while turn == 0        │
                   │   reads turn = 0       │
           3     5 │ wait(c, m)             │
                   │   waits for c, frees m │
           4     6 │                        │ lock(m)
                   │                        │   m: free → b
           5     6 │                        │ turn = 1
                   │                        │   turn: 0 → 1
           6     6 │                        │ broadcast(c)
                   │                        │   wakes a
           7     6 │                        │ unlock(m)
                   │                        │   m: b → free
           8     5 │ wait(c, m)             │
                   │   wakes up, takes m    │
           9     5 │ while turn == 0        │
                   │   reads turn = 1       │
          10     5 │ unlock(m)              │
                   │   m: a → free          │
          11     5 │ assert(turn == 2)      │
                   │   reads turn = 1       │

        assertion failed: `turn == 2` in a at SCRATCH:5:64
          5 │ thread a { lock(m); while turn == 0 { wait(c, m); } unlock(m); assert(turn == 2); }
            │                                                                ^^^^^^^^^^^^^^^^^

        violation: 1 violation found, explored all 2 Mazurkiewicz traces under sequential consistency
        exit code 1
    "#]]
    .assert_eq(&program.hidden_in(&ran.told()));
}

#[test]
#[cfg(unix)]
fn an_interrupt_ends_the_search_with_what_is_known() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args(["check", "../../examples/readers_writers.sel", "-D", "N=40", "--algorithm", "source"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines().map_while(Result::ok);
    assert!(lines.next().is_some_and(|heading| heading.starts_with("checking ")));
    let kill = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status();
    assert!(kill.is_ok_and(|status| status.success()));
    assert_eq!(child.wait().expect("it ends").code(), Some(3));
    assert!(lines.next().is_some_and(|scope| scope.ends_with("stopped by an interrupt")));
}

#[test]
fn equal_inputs_have_equal_outputs() {
    let run =
        || without_times(&selvedge("check examples/bounded_buffer.sel -D ITEMS=3 --algorithm source").stdout);
    assert_eq!(run(), run());
}
