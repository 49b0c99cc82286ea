//! Sleep sets only [Godefroid1996, chapter 5].
//!
//! Guarantee: every Mazurkiewicz trace is explored to its end exactly once. All enabled threads are tried at
//! every state, so sleep-set-blocked executions can be many.

use crate::algorithm::About;
use crate::checkpoint::SavedState;
use crate::frames::sleep_set::SleepSets;
use crate::search::levels_by_thread;
use crate::{Checkpoint, Program, Promise, Search};
use selvedge_trace::{Decision, EventId};

/// What is known of the algorithm before it runs.
pub const ABOUT: About = About::new(
    "sleep",
    "sleep sets only: each trace once, many sleep-set-blocked executions",
    Promise::EveryTraceOnce,
)
.with_checkpoints()
.with_prefixes();

/// Explores with sleep sets.
pub fn run<P: Program>(search: &mut Search<P>) {
    let mut sleep = SleepSets::default();
    let mut cursor = None;
    if let Some(checkpoint) = search.resumed() {
        checkpoint.restore(search, |_, e, state| {
            if e.is_some() {
                sleep.enter_where(|_, _| false);
            }
            sleep.restore(&state.sleepers);
            cursor = state.free;
        });
    }
    while !search.stopped() {
        if search.checkpoint_is_due() {
            search.save(everything_left(search, &sleep, cursor));
        }
        match next_awake(search, &sleep, cursor) {
            Some(decision) => {
                let e = search.step(decision);
                sleep.enter(e, &mut search.path.order);
                cursor = None;
                search.poll(levels_by_thread);
            }
            None => {
                if cursor.is_none() {
                    end(search);
                }
                let below = search.complete_state();
                if search.path.is_empty() {
                    break;
                }
                let last = EventId::at(search.path.len() - 1);
                sleep.leave_knowing_below(last, &search.path.order, below);
                cursor = Some(search.path.pop());
            }
        }
    }
    if search.checkpoint_is_due() {
        search.save(everything_left(search, &sleep, cursor));
    }
}

/// The states on the path; in the present one, the cursor says what was explored last.
fn everything_left<P: Program>(
    search: &Search<P>,
    sleep: &SleepSets,
    cursor: Option<Decision>,
) -> Checkpoint {
    let length = search.path.len();
    let state = |position| SavedState {
        free: cursor.filter(|_| position == length),
        sleepers: sleep.saved(position),
        ..SavedState::default()
    };
    Checkpoint::of(search, (0..=length).map(state).collect())
}

fn next_awake<P: Program>(
    search: &mut Search<P>,
    sleep: &SleepSets,
    cursor: Option<Decision>,
) -> Option<Decision> {
    if search.at_depth_limit() {
        return None;
    }
    sleep.next_awake(&mut search.path, cursor)
}

fn end<P: Program>(search: &mut Search<P>) {
    match search.at_depth_limit() || search.path.next_enabled(None).is_none() {
        true => search.end(),
        false => search.end_sleep_set_blocked(),
    }
}
