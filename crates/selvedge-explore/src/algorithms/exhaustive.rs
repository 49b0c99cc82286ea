//! Every interleaving: brute force, the measure of all other algorithms.
//!
//! Guarantee: every sequence of decisions is explored exactly once.

use crate::algorithm::About;
use crate::checkpoint::SavedState;
use crate::search::levels_by_thread;
use crate::{Checkpoint, Program, Promise, Search};
use selvedge_trace::Decision;

/// What is known of the algorithm before it runs.
pub const ABOUT: About =
    About::new("exhaustive", "every interleaving, without any reduction", Promise::EveryInterleaving)
        .with_checkpoints()
        .with_prefixes();

/// Explores every interleaving.
pub fn run<P: Program>(search: &mut Search<P>) {
    let mut cursor = None;
    if let Some(checkpoint) = search.resumed() {
        checkpoint.restore(search, |_, _, state| cursor = state.free);
    }
    while !search.stopped() {
        if search.checkpoint_is_due() {
            search.save(everything_left(search, cursor));
        }
        let next = if search.at_depth_limit() { None } else { search.path.next_enabled(cursor) };
        match next {
            Some(decision) => {
                search.step(decision);
                cursor = None;
                search.poll(levels_by_thread);
            }
            None => {
                if cursor.is_none() {
                    search.end();
                }
                search.complete_state();
                if search.path.is_empty() {
                    break;
                }
                cursor = Some(search.path.pop());
            }
        }
    }
    if search.checkpoint_is_due() {
        search.save(everything_left(search, cursor));
    }
}

/// The states on the path; in the present one, the cursor says what was explored last.
fn everything_left<P: Program>(search: &Search<P>, cursor: Option<Decision>) -> Checkpoint {
    let mut states = vec![SavedState::default(); search.path.len()];
    states.push(SavedState { free: cursor, ..SavedState::default() });
    Checkpoint::of(search, states)
}
