//! What reports look like. `UPDATE_EXPECT=1 cargo test -p selvedge --test reports` writes them anew.

mod programs;

use expect_test::{Expect, expect};
use selvedge::Checker;

fn shows(expected: &Expect, f: impl Fn() + 'static) {
    let report = Checker::new().run(f);
    expected.assert_eq(&format!("{report}\n"));
}

#[test]
fn a_panic_is_shown_with_the_steps_that_lead_to_it() {
    shows(
        &expect![[r#"

        step           place │ main                      │ counter
        ─────────────────────┼───────────────────────────┼────────────────────────
           1  programs.rs:14 │                           │ hits.load(Acquire)
                             │                           │   reads hits = 0
           2  programs.rs:18 │ hits.fetch_add(1, AcqRel) │
                             │   hits: 0 → 1             │
           3  programs.rs:15 │                           │ hits.store(1, Release)
                             │                           │   hits: 1 → 1
           4  programs.rs:19 │ counter.join()            │
                             │   counter has ended       │
           5  programs.rs:20 │ hits.load(Acquire)        │
                             │   reads hits = 1          │

        panic in main at crates/selvedge/tests/reports/programs.rs:20:5: assertion `left == right` failed: an update was lost
          left: 1
         right: 2
          20 │     assert_eq!(hits.load(Ordering::Acquire), 2, "an update was lost");
             │     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

        to replay: SELVEDGE_REPLAY=1.0.1.0x2 cargo test …

        violation: found in execution 2, under sequential consistency
    "#]],
        programs::lost_update,
    );
}

#[test]
fn a_deadlock_says_what_everybody_waits_for() {
    shows(
        &expect![[r#"

        step           place │ main         │ thread 1
        ─────────────────────┼──────────────┼───────────────
           1  programs.rs:34 │ left.lock()  │
                             │   takes left │
           2  programs.rs:29 │              │ right.lock()
                             │              │   takes right

        deadlock: 2 threads wait for ever
          main      programs.rs:35  right.lock()  waits for right, held by thread 1
          thread 1  programs.rs:30  left.lock()   waits for left, held by main

        to replay: SELVEDGE_REPLAY=0.1 cargo test …

        violation: found in execution 2, under sequential consistency
    "#]],
        programs::deadlock,
    );
}

#[test]
fn a_lost_wakeup_is_a_deadlock() {
    shows(
        &expect![[r#"

            step           place │ main                         │ thread 1
            ─────────────────────┼──────────────────────────────┼───────────────────────────────────
               1  programs.rs:46 │                              │ pair.lock()
                                 │                              │   takes pair
               2  programs.rs:47 │                              │ ready.load(SeqCst)
                                 │                              │   reads ready = false
               3  programs.rs:52 │ ready.store(true, SeqCst)    │
                                 │   ready: false → true        │
               4  programs.rs:53 │ Condvar#1.notify_one()       │
                                 │   nobody waits for Condvar#1 │
               5  programs.rs:48 │                              │ Condvar#1.wait()
                                 │                              │   frees pair, waits for Condvar#1

            deadlock: 2 threads wait for ever
              main      programs.rs:54  thread 1.join()   waits for the end of thread 1
              thread 1  programs.rs:48  Condvar#1.wait()  waits for a notification of Condvar#1, which nobody sends any more

            to replay: SELVEDGE_REPLAY=1x2.0x2.1 cargo test …

            violation: found in execution 2, under sequential consistency
        "#]],
        programs::lost_wakeup,
    );
}

#[test]
fn a_data_race_names_both_accesses() {
    shows(
        &expect![[r#"

        step           place │ main                │ thread 1
        ─────────────────────┼─────────────────────┼───────────────────────────
           1  programs.rs:69 │                     │ full.store(true, Release)
                             │                     │   full: false → true
           2  programs.rs:73 │ full.load(Acquire)  │
                             │   reads full = true │

        data race on value: nothing orders the write by thread 1 at crates/selvedge/tests/reports/programs.rs:70:24 and the read by main at crates/selvedge/tests/reports/programs.rs:74:20
          70 │             slot.value.with_mut(|_value| ());
             │                        ^^^^^^^^^^^^^^^^^^^^^^
          74 │         slot.value.with(|_value| ());
             │                    ^^^^^^^^^^^^^^^^^^

        to replay: SELVEDGE_REPLAY=1.0 cargo test …

        violation: found in execution 2, under sequential consistency
    "#]],
        programs::data_race,
    );
}

#[test]
fn a_leak_says_where_the_arc_was_made() {
    shows(
        &expect![[r#"

        step           place │ main
        ─────────────────────┼──────────────────────────
           1  programs.rs:84 │ Arc::clone(&node)
           2  programs.rs:85 │ next.lock()
                             │   takes next
           3  programs.rs:85 │ next.unlock()
                             │   frees next
           4  programs.rs:83 │ drop(node)
                             │   handles of node: 2 → 1

        leak: the Arc node made at crates/selvedge/tests/reports/programs.rs:83:16 is alive though all threads have ended
          83 │     let node = Arc::new(Node { next: Mutex::new(None) });
             │                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

        to replay: SELVEDGE_REPLAY=0x4 cargo test …

        violation: found in execution 1, under sequential consistency
    "#]],
        programs::leak,
    );
}

#[test]
fn a_livelock_is_not_shown_for_ever() {
    shows(
        &expect![[r#"

            step           place │ thread 1
            ─────────────────────┼──────────────────────
               1  programs.rs:93 │ stop.load(Acquire)
                                 │   reads stop = false
               2  programs.rs:94 │ spin_loop()
                                 │   reads stop = false
               3  programs.rs:93 │ stop.load(Acquire)
                                 │   reads stop = false
            … and so on: 198 more steps that only repeat

            livelock: 2 threads spin or wait for ever
              main      programs.rs:98  thread 1.join()  waits for the end of thread 1
              thread 1  programs.rs:94  spin_loop()      spins: nothing that it reads changes any more

            to replay: SELVEDGE_REPLAY=1x201 cargo test …

            violation: found in execution 1, under sequential consistency
        "#]],
        programs::livelock,
    );
}

#[test]
fn a_receiver_that_waits_for_ever_is_told() {
    shows(
        &expect![[r#"

            step            place │ main                      │ thread 1
            ──────────────────────┼───────────────────────────┼────────────────────────────────
               1  programs.rs:105 │ Sender::clone(&channel#1) │
                                  │   starts thread 1         │
               2  programs.rs:106 │                           │ channel#1.send()
                                  │                           │   sends message 1 of channel#1
               3  programs.rs:108 │ channel#1.recv()          │
               4  programs.rs:103 │                           │ drop(channel#1)

            deadlock: a thread waits for ever
              main  programs.rs:108  channel#1.recv()  waits for a message of channel#1, which nobody sends any more

            to replay: SELVEDGE_REPLAY=0.1.0.1 cargo test …

            violation: found in execution 1, under sequential consistency
        "#]],
        programs::receiver,
    );
}

#[test]
fn a_claim_says_what_was_covered() {
    shows(
        &expect![[r#"
        verified: all 2 Mazurkiewicz traces under sequential consistency
    "#]],
        programs::correct,
    );
}

#[test]
fn a_closure_that_is_not_deterministic_is_told_by_both_histories() {
    shows(
        &expect![[r#"

            the closure is not deterministic: run again under the same decisions, it did something else.
            Time, randomness, hash seeds, addresses, statics or other threads of the system may be why.

              both times:
                main  x.store(7, SeqCst)  programs.rs:128
              then, the first time:
                main  x.swap(1, SeqCst)  programs.rs:132
              then, the second time:
                main  x.store(1, SeqCst)  programs.rs:131

            inconclusive: the closure is not deterministic
        "#]],
        programs::not_deterministic,
    );
}
