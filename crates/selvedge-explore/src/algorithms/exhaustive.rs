//! Every interleaving: brute force, the measure of all other algorithms.
//!
//! Guarantee: every sequence of decisions is explored exactly once.

use crate::search::levels_by_thread;
use crate::{Program, Search};

/// Explores every interleaving.
pub fn run<P: Program>(search: &mut Search<P>) {
    let mut cursor = None;
    while !search.stopped() {
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
                if search.path.is_empty() {
                    break;
                }
                cursor = Some(search.path.pop());
            }
        }
    }
}
