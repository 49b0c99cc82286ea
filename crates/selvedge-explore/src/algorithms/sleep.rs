//! Sleep sets only [Godefroid1996, chapter 5].
//!
//! Guarantee: every Mazurkiewicz trace is explored to its end exactly once. All enabled threads are tried at
//! every state, so executions that end asleep can be many.

use crate::search::levels_by_thread;
use crate::sleep_set::SleepSets;
use crate::{Program, Search};
use selvedge_trace::{Decision, EventId};

/// Explores with sleep sets.
pub fn run<P: Program>(search: &mut Search<P>) {
    let mut sleep = SleepSets::default();
    let mut cursor = None;
    while !search.stopped() {
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
                if search.path.is_empty() {
                    break;
                }
                sleep.leave(EventId::at(search.path.len() - 1), &search.path.order);
                cursor = Some(search.path.pop());
            }
        }
    }
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
        false => search.end_asleep(),
    }
}
