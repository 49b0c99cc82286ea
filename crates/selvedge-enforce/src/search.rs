//! All states that a schedule permits.
//!
//! Guarantee: every permitted state is visited, whichever way leads to it, so that failures and deadlocks are found if there are any, and
//! so is every step between them, so that threads that the schedule starves are found. The
//! way on from a state that was met before has been explored, so it ends there; thus programs that run forever can be
//! explored, too, if they have finitely many states. Two states with the same fingerprint are taken for one.

use crate::Scheduled;
use crate::starvation::{Fairness, StateGraph};
use selvedge_explore::search::levels_by_thread;
use selvedge_explore::{Exploration, Limits, Monitor, Program, Search, States as _};
use selvedge_interp::Failure;
use selvedge_trace::ThreadId;
use std::collections::HashMap;

/// The most states that are remembered; others are explored each time they are met.
const MOST_STATES: usize = 20_000_000;

/// How much of what a schedule permits is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it, within the limits.
    All,
    /// So many steps.
    Steps(u64),
}

/// What was found under a schedule.
#[derive(Debug)]
pub struct Explored {
    /// Violations and statistics.
    pub exploration: Exploration<Failure>,
    /// The number of states.
    pub states: usize,
    /// Whether some thread is starved.
    pub fairness: Fairness,
    /// Whether the search came to its end. If not, more is permitted than was looked at.
    pub is_whole: bool,
    /// The program.
    pub program: Scheduled,
}

/// Visits all states that a schedule permits, or as many as so many steps lead to.
pub fn explore(
    program: Scheduled,
    limits: Limits,
    extent: Extent,
    monitor: &mut dyn Monitor<Scheduled>,
) -> Explored {
    let mut search = Search::new(program, limits, monitor);
    let mut states = States::new(&mut search.path.program);
    let mut cursor = None;
    let mut is_whole = true;
    while !search.stopped() {
        if matches!(extent, Extent::Steps(most) if states.steps >= most) {
            is_whole = false;
            break;
        }
        let next = if search.at_depth_limit() { None } else { search.path.next_enabled(cursor) };
        if let Some(decision) = next {
            search.step(decision);
            let is_known = states.arrive(&mut search.path.program, decision.thread);
            cursor = None;
            let saw_an_end = search.statistics.complete + search.statistics.endless > 0;
            if is_known && !saw_an_end && states.closes_cycle() {
                search.statistics.endless += 1;
            }
            if is_known && !search.stopped() {
                search.end_known();
                cursor = Some(search.path.pop());
                states.way.pop();
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
        states.way.pop();
    }
    let (exploration, program) = search.finish();
    let (count, is_complete) = (states.numbers.len(), states.is_complete);
    is_whole &= exploration.stop.is_none() && exploration.statistics.cut == 0;
    let fairness = match is_whole && is_complete {
        true => states.graph.fairness(),
        false => Fairness::Undecided,
    };
    Explored { exploration, states: count, fairness, is_whole, program }
}

/// The states that were met.
struct States {
    numbers: HashMap<u128, u32>,
    graph: StateGraph,
    /// Those on the way to the present one; nothing for one that is not remembered.
    way: Vec<Option<u32>>,
    /// Whether all are remembered.
    is_complete: bool,
    steps: u64,
}

impl States {
    fn new(program: &mut Scheduled) -> States {
        let mut states = States {
            numbers: HashMap::new(),
            graph: StateGraph::new(program.thread_count()),
            way: Vec::new(),
            is_complete: true,
            steps: 0,
        };
        let (first, _) = states.number(program);
        states.way.push(first);
        states
    }

    /// The number of the present state, and whether it was met before.
    fn number(&mut self, program: &mut Scheduled) -> (Option<u32>, bool) {
        let Some(fingerprint) = program.fingerprint() else {
            self.is_complete = false;
            return (None, false);
        };
        if let Some(&known) = self.numbers.get(&fingerprint) {
            return (Some(known), true);
        }
        if self.numbers.len() >= MOST_STATES {
            self.is_complete = false;
            return (None, false);
        }
        let threads = (0..program.thread_count()).map(ThreadId::at);
        let enabled = threads.filter(|&thread| program.could_go_on(thread)).collect();
        let number = self.graph.add(enabled, program.leaves_out_orders());
        self.numbers.insert(fingerprint, number);
        (Some(number), false)
    }

    /// Whether the present state was on the way to itself: an execution without end.
    fn closes_cycle(&self) -> bool {
        let before = &self.way[..self.way.len() - 1];
        self.way.last().is_some_and(|present| present.is_some() && before.contains(present))
    }

    /// Notes a step of a thread to the present state; whether that was met before.
    fn arrive(&mut self, program: &mut Scheduled, thread: ThreadId) -> bool {
        self.steps += 1;
        let (number, is_known) = self.number(program);
        if let (Some(&Some(from)), Some(to)) = (self.way.last(), number) {
            self.graph.step(from, thread, to);
        }
        self.way.push(number);
        is_known
    }
}
