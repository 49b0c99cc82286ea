//! Bugs of well-known crates, reproduced in miniature and found. `UPDATE_EXPECT=1 cargo test -p selvedge --test published`
//! writes the reports anew.

mod oneshot;
mod spin_rwlock;

use expect_test::{Expect, expect};
use selvedge::{Checker, Verdict};

fn found(published: fn(), mended: fn(), expected: &Expect) {
    expected.assert_eq(&format!("{}\n", Checker::new().run(published)));
    let report = Checker::new().run(mended);
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
}

#[test]
fn the_data_race_of_a_one_shot_channel_after_close_is_found() {
    found(
        oneshot::published,
        oneshot::mended,
        &expect![[r#"

        step          place │ main
        ────────────────────┼───────────────────────────
           1  oneshot.rs:43 │ state.fetch_or(2, AcqRel)
                            │   state: 0 → 2

        data race on value: nothing orders the write by sender at crates/selvedge/tests/published/oneshot.rs:54:20 and the write by main at crates/selvedge/tests/published/oneshot.rs:60:20
          54 │         self.value.with_mut(|cell| unsafe { *cell = value });
             │                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          60 │         self.value.with_mut(|cell| unsafe { (*cell).take() })
             │                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

        to replay: SELVEDGE_REPLAY=0 cargo test …

        violation: found in execution 1, under sequential consistency
    "#]],
    );
}

#[test]
fn the_relaxed_unlock_of_a_reader_writer_lock_is_found() {
    found(
        spin_rwlock::published,
        spin_rwlock::mended,
        &expect![[r#"

            step              place │ main                                         │ other
            ────────────────────────┼──────────────────────────────────────────────┼──────────────────────────────────────────────
               1  spin_rwlock.rs:23 │ lock.compare_exchange(0, 1, Acquire,         │
                                    │   Relaxed)                                   │
                                    │   lock: 0 → 1                                │
               2  spin_rwlock.rs:28 │ lock.store(0, Relaxed)                       │
                                    │   lock: 1 → 0                                │
               3  spin_rwlock.rs:23 │                                              │ lock.compare_exchange(0, 1, Acquire,
                                    │                                              │   Relaxed)
                                    │                                              │   lock: 0 → 1

            data race on data: nothing orders the write by main at crates/selvedge/tests/published/spin_rwlock.rs:27:19 and the write by other at crates/selvedge/tests/published/spin_rwlock.rs:27:19
              27 │         self.data.with_mut(|data| unsafe { *data += 1 });
                 │                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              27 │         self.data.with_mut(|data| unsafe { *data += 1 });
                 │                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

            to replay: SELVEDGE_REPLAY=0x2.1 cargo test …

            violation: found in execution 1, under sequential consistency
        "#]],
    );
}
