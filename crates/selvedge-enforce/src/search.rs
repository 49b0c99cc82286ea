//! All states that a schedule permits.
//!
//! Guarantee: every permitted state is visited, whichever way leads to it, so that failures and deadlocks are found if there are any. The
//! way on from a state that was met before has been explored, so it ends there; thus programs that run forever can be
//! explored, too, if they have finitely many states. Two states with the same fingerprint are taken for one.

use crate::Scheduled;
use selvedge_explore::search::levels_by_thread;
use selvedge_explore::{Exploration, Limits, Monitor, Program, Search};
use selvedge_interp::Failure;
use std::collections::HashSet;

/// The most states that are remembered; others are explored each time they are met.
const MOST_STATES: usize = 60_000_000;

/// What was found, the number of states, and the program.
pub fn explore(
    program: Scheduled,
    limits: Limits,
    monitor: &mut dyn Monitor<Scheduled>,
) -> (Exploration<Failure>, usize, Scheduled) {
    let mut search = Search::new(program, limits, monitor);
    let mut states: HashSet<u128> = search.path.program.fingerprint().into_iter().collect();
    // The states on the way to the present one, to see executions without end.
    let mut way: Vec<Option<u128>> = vec![search.path.program.fingerprint()];
    let mut cursor = None;
    while !search.stopped() {
        let next = if search.at_depth_limit() { None } else { search.path.next_enabled(cursor) };
        if let Some(decision) = next {
            search.step(decision);
            let state = search.path.program.fingerprint();
            let is_known = state.is_some_and(|state| match states.len() < MOST_STATES {
                true => !states.insert(state),
                false => states.contains(&state),
            });
            cursor = None;
            let saw_an_end = search.statistics.complete + search.statistics.endless > 0;
            if is_known && !saw_an_end && way.contains(&state) {
                search.statistics.endless += 1;
            }
            way.push(state);
            if is_known && !search.stopped() {
                search.end_known();
                cursor = Some(search.path.pop());
                way.pop();
            }
            search.poll(levels_by_thread);
            continue;
        }
        if cursor.is_none() {
            search.end();
        }
        if search.path.is_empty() {
            break;
        }
        cursor = Some(search.path.pop());
        way.pop();
    }
    let (exploration, program) = search.finish();
    (exploration, states.len(), program)
}
