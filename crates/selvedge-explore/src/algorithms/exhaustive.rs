//! Every interleaving: brute force, the measure of all other algorithms.
//!
//! Guarantee: every sequence of decisions is explored exactly once.

use crate::search::Level;
use crate::{Program, Search};

/// Explores every interleaving.
pub fn run<P: Program>(search: &mut Search<P>) {
    let threads = search.path.order.thread_count();
    let mut cursor = None;
    while !search.stopped() {
        let next = if search.at_depth_limit() { None } else { search.path.next_enabled(cursor) };
        match next {
            Some(decision) => {
                search.step(decision);
                cursor = None;
                search.poll(|search| {
                    let order = &search.path.order;
                    order
                        .events()
                        .map(move |e| Level { explored: order.event(e).thread().index(), known: threads })
                        .collect::<Vec<_>>()
                        .into_iter()
                });
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
