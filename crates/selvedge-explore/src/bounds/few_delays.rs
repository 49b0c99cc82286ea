//! All schedules with few delays, one by one.
//!
//! The search by traces ([`lazy_bounded`](crate::algorithms::lazy_bounded)) can do badly within a small number of delays: a prefix costs little,
//! since more may come of the threads that have no more events, and only much later it turns out that all that follows costs
//! too much. But a scheduler that is deviated from at most k times in n steps has about n over k schedules. These are tried here with 0, 1,
//! 2, … delays, so that a larger bound finds what a smaller one finds, and as soon.
//!
//! Two schedules of one trace have the same fingerprint: the sum over its events of a hash of the event with its vector clock. Of the
//! schedules of a trace the first is an execution, and of those that begin with the same trace and end with the same thread only the
//! first with the fewest delays goes on.

use crate::bounds::bound::BoundKind;
use crate::seam::fingerprint::Fingerprinter;
use crate::search::Level;
use crate::{Path, Program, Search};
use selvedge_trace::{Decision, EventId, HappensBefore, ThreadId};
use std::collections::{HashMap, HashSet};

/// How much work it is worth to try what.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// How often the search by traces may leave the bound without having found anything.
    pub over_bound: u64,
    /// Schedules up to which all are tried.
    pub schedules: u64,
}

impl Default for Patience {
    fn default() -> Self {
        Patience { over_bound: 1000, schedules: 1 << 18 }
    }
}

impl Patience {
    /// Whether the search by traces does badly: it leaves the bound again and again without finding an execution within it.
    pub fn is_hopeless<P: Program>(self, search: &Search<P>) -> bool {
        search.statistics.over_bound > self.over_bound + 20 * search.statistics.maximal()
    }
}

/// Prefixes that are remembered.
const MOST_PREFIXES: usize = 1 << 20;

/// Fingerprints of the traces of which an execution was counted.
pub type Counted = HashSet<u128>;

/// How far the schedules were tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried {
    /// All within the bound, or the search was stopped.
    All,
    /// Those with few delays: there are too many with more.
    Few,
}

/// The fingerprint of the trace of an execution.
pub fn fingerprint(order: &HappensBefore) -> u128 {
    let mut fingerprinter = Fingerprinter::default();
    order.events().fold(0, |sum, e| sum.wrapping_add(of_event(order, e, &mut fingerprinter)))
}

/// The part of an event, which other events do not change: threads that appear later have no entry in its clock.
fn of_event(order: &HappensBefore, e: EventId, fingerprinter: &mut Fingerprinter) -> u128 {
    let Decision { thread, choice } = order.event(e).decision;
    fingerprinter.add(u64::from(thread.0) << 32 | u64::from(choice));
    for (other, &count) in order.clock(e).iter().enumerate().filter(|(_, count)| **count > 0) {
        fingerprinter.add((other as u64) << 32 | u64::from(count));
    }
    fingerprinter.take()
}

/// Tries the schedules with 0, 1, 2, … delays up to the bound, as long as there are not too many: executions have about so many
/// steps. Counts those whose trace was not counted before.
pub fn run<P: Program>(
    search: &mut Search<P>,
    steps: usize,
    patience: Patience,
    counted: &mut Counted,
) -> Tried {
    let limit = search.bound().limit;
    for delays in 0..=limit {
        if schedules(steps as u64, u64::from(delays)) > patience.schedules {
            return Tried::Few;
        }
        let over_bound = search.statistics.over_bound;
        FewDelays::new(delays, counted).run(search);
        if search.stopped() {
            return Tried::All;
        }
        let is_all = search.statistics.over_bound == over_bound;
        if delays < limit && !is_all {
            search.statistics.over_bound = over_bound;
        }
        if is_all {
            return Tried::All;
        }
    }
    Tried::All
}

/// How many ways there are to spread delays over so many steps, and the end: too many if the number is large.
fn schedules(steps: u64, delays: u64) -> u64 {
    (1..=delays).fold(1u64, |ways, k| ways.saturating_mul(steps + k) / k)
}

/// A state on the path.
#[derive(Debug, Default)]
struct Node {
    cost: u32,
    trace: u128,
    /// What is still to be tried, the last first, with what it costs.
    rest: Vec<(Decision, u32)>,
    explored: usize,
}

struct FewDelays<'c> {
    limit: u32,
    counted: &'c mut Counted,
    nodes: Vec<Node>,
    /// The prefixes that were tried, by trace and last thread, with what they cost.
    seen: HashMap<(u128, ThreadId), u32>,
    fingerprinter: Fingerprinter,
}

impl<'c> FewDelays<'c> {
    fn new(limit: u32, counted: &'c mut Counted) -> Self {
        let fingerprinter = Fingerprinter::default();
        FewDelays { limit, counted, nodes: Vec::new(), seen: HashMap::new(), fingerprinter }
    }

    fn run<P: Program>(&mut self, search: &mut Search<P>) {
        self.arrive(search, 0, 0);
        while !search.stopped() {
            let Some(node) = self.nodes.last_mut() else { break };
            match node.rest.pop() {
                Some((decision, price)) => {
                    node.explored += 1;
                    self.step(search, decision, price);
                }
                None => {
                    self.nodes.pop();
                    if !search.path.is_empty() {
                        search.path.pop();
                    }
                }
            }
            search.poll(|_| self.levels());
        }
    }

    fn levels(&self) -> std::vec::IntoIter<Level> {
        let level = |node: &Node| Level { explored: node.explored, known: node.explored + node.rest.len() };
        self.nodes.iter().map(level).collect::<Vec<_>>().into_iter()
    }

    fn step<P: Program>(&mut self, search: &mut Search<P>, decision: Decision, price: u32) {
        let (cost, before) = self.nodes.last().map_or((0, 0), |node| (node.cost + price, node.trace));
        let e = search.step_quietly(decision);
        let trace = before.wrapping_add(of_event(&search.path.order, e, &mut self.fingerprinter));
        let is_known = self.seen.get(&(trace, decision.thread)).is_some_and(|&known| known <= cost);
        if is_known {
            search.path.pop();
            return;
        }
        if self.seen.len() < MOST_PREFIXES {
            self.seen.insert((trace, decision.thread), cost);
        }
        for failure in search.path.program.failures().to_vec() {
            search.note_failure(failure, search.path.schedule());
        }
        if search.stopped() {
            search.end();
            return;
        }
        self.arrive(search, cost, trace);
    }

    /// Finds out what can be done at the present state within the bound; counts an execution that is at its end.
    fn arrive<P: Program>(&mut self, search: &mut Search<P>, cost: u32, trace: u128) {
        let mut rest = candidates(&mut search.path, self.limit - cost);
        search.statistics.over_bound += rest.over_bound;
        if rest.is_end || search.at_depth_limit() {
            rest.decisions.clear();
            if self.counted.insert(trace) {
                search.end();
            }
        }
        self.nodes.push(Node { cost, trace, rest: rest.decisions, explored: 0 });
    }
}

/// What can be done at a state.
struct Candidates {
    /// Within the bound, the cheapest last.
    decisions: Vec<(Decision, u32)>,
    over_bound: u64,
    is_end: bool,
}

fn candidates<P: Program>(path: &mut Path<P>, left: u32) -> Candidates {
    let threads = path.program.thread_count();
    let enabled: Vec<bool> = (0..threads).map(|t| path.program.is_enabled(ThreadId::at(t))).collect();
    let last = path.last_thread();
    let (mut decisions, mut over_bound) = (Vec::new(), 0);
    for thread in (0..threads).map(ThreadId::at).filter(|t| enabled[t.index()]) {
        let price = BoundKind::Delays.price(threads, last, thread, |t| enabled[t.index()]);
        let choices = path.program.choices(thread);
        if price > left {
            over_bound += u64::from(choices);
            continue;
        }
        decisions.extend((0..choices).rev().map(|choice| (Decision { thread, choice }, price)));
    }
    decisions.sort_by_key(|&(_, price)| std::cmp::Reverse(price));
    Candidates { decisions, over_bound, is_end: !enabled.contains(&true) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_spread_over_steps_in_so_many_ways() {
        assert_eq!(schedules(44, 0), 1);
        assert_eq!(schedules(44, 1), 45);
        assert_eq!(schedules(2, 2), 6);
        assert!(schedules(1000, 9) > Patience::default().schedules);
    }
}
