//! Lazy bounded partial-order reduction, Lazy-BPOR [Sachinoglou2018, algorithms 10 to 12], made exact.
//!
//! Guarantee: a maximal trace is explored, exactly once, if one of its linear extensions is within the bound; and no others
//! are, unless [`LeastCost`] could not tell in time.
//!
//! | slides | here |
//! |---|---|
//! | `min{B_v([S.t])} <= c` | [`LeastCost::ask`] |
//! | blocks, `AddBlock`, Hamiltonian paths of the graph | linear extensions, built thread by thread |
//! | `backtrack`, `Sleep` | [`Sets`] |
//!
//! DIVERGENCES: the slides estimate the least number of preemptions, from both sides; we compute it. They do not say what the
//! cost of an unfinished execution is: ours never exceeds that of what it may become, see [`crate::least_cost`]. Races of
//! a step that is given up are reversed before it is, and when nothing at a state is within the bound, everything awake
//! there is tried.
//!
//! *Why nothing is lost*, without conservative branches. Let `w` lead from a state `E` to the end of an execution whose trace
//! is within the bound, and let no weak initial of `w` be explored at `E` or asleep there. Let `p` be explored, and `w = w1.q.w2` where
//! `q` is the first event dependent on `p`. Take a linear extension `u` of `E.w` that is within the bound, restrict it to the
//! events of `E.w1`, and add `p` at its end. That is a linear extension of `E.p.w1`, and it costs no more than `u`:
//! the thread of `p` is left after its last event in `E`, and continued later, in `u` as well. So `E.p.w1` is within the
//! bound, and so are all its prefixes. By induction the search below `E.p` tries `q` after `E.p.w1` (or finds that it would
//! have to wait), and then the race between `p` and `q` is reversed, be the step itself within the bound or not: an initial of
//! `w1.q` is in the backtrack set of `E`.

use crate::backtrack::{self, Sets};
use crate::bound::{Bound, BoundKind};
use crate::least_cost::{Answer, LeastCost, Pending, Question};
use crate::search::Level;
use crate::{End, Program, Reversal, Search};
use selvedge_trace::{Access, Blocking, Decision, EventId, Footprint, ThreadId};

use super::source::SourceSets;

/// Explores the traces within a bound.
pub fn run<P: Program>(search: &mut Search<P>, bound: Bound) {
    let mut lazy = LazyBounded::new(search.path.order.thread_count(), bound);
    while !search.stopped() {
        match lazy.next(search) {
            Some(decision) => lazy.step(search, decision),
            None if search.path.is_empty() => break,
            None => lazy.back(search),
        }
        search.poll(|search| lazy.levels(search.path.len()));
    }
}

/// A state on the path.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    is_new: bool,
    /// The number of threads explored from here, those given up at once not among them.
    explored: usize,
    /// Whether the thread of the event before could go on here.
    can_go_on: bool,
    /// What the path costs up to here, as it is.
    cost: u32,
}

struct LazyBounded<F> {
    bound: Bound,
    sets: Sets,
    rule: SourceSets,
    nodes: Vec<Node>,
    /// What went wrong on the path; it counts when the execution turns out to be within the bound.
    failures: Vec<(EventId, F)>,
    least: LeastCost,
    scratch: Reversal,
}

impl<F: Clone> LazyBounded<F> {
    fn new(threads: usize, bound: Bound) -> Self {
        LazyBounded {
            bound,
            sets: Sets::new(threads),
            rule: SourceSets::default(),
            nodes: vec![Node { is_new: true, ..Node::default() }],
            failures: Vec::new(),
            least: LeastCost::default(),
            scratch: Reversal::default(),
        }
    }

    fn node(&mut self) -> &mut Node {
        self.nodes.last_mut().expect("there is a node for the present state")
    }

    /// What to try next at the present state.
    fn next<P: Program<Failure = F>>(&mut self, search: &mut Search<P>) -> Option<Decision> {
        let Node { is_new, explored, .. } = *self.node();
        self.node().is_new = false;
        if search.at_depth_limit() {
            if is_new {
                self.end(search, End::Cut);
            }
            return None;
        }
        if explored > 0
            && let Some(decision) = backtrack::next_decision(&mut search.path, &self.sets)
        {
            return Some(decision);
        }
        if explored > 0 {
            return None;
        }
        let Some(decision) = self.first_awake(search) else {
            if search.path.next_enabled(None).is_none() {
                self.end(search, End::Complete);
            } else if is_new {
                search.end_asleep();
            }
            backtrack::reverse_races_at_end(search, &mut self.rule, &mut self.sets, &mut self.scratch);
            return None;
        };
        self.sets.add(EventId::at(search.path.len()), decision.thread);
        Some(decision)
    }

    /// Who is tried first: the thread of the event before, if possible.
    fn first_awake<P: Program>(&mut self, search: &mut Search<P>) -> Option<Decision> {
        let path = &mut search.path;
        if let Some(last) = path.order.events().next_back() {
            let thread = path.order.event(last).thread();
            if path.program.is_enabled(thread)
                && let Some(decision) = self.sets.sleep.first_awake(thread, path.program.choices(thread))
            {
                return Some(decision);
            }
        }
        self.sets.sleep.next_awake(path, None)
    }

    /// Takes a step, and takes it back if it leads out of the bound.
    fn step<P: Program<Failure = F>>(&mut self, search: &mut Search<P>, decision: Decision) {
        let e = search.step_quietly(decision);
        self.failures.extend(search.path.program.failures().iter().map(|failure| (e, failure.clone())));
        self.sets.sleep.enter(e, &mut search.path.order);
        self.sets.extend();
        backtrack::reverse_races(&mut search.path, &mut self.rule, &mut self.sets, e, &mut self.scratch);
        let cost = self.cost_of_path(search, e);
        let can_go_on = search.path.program.is_enabled(decision.thread);
        self.nodes.push(Node { is_new: true, explored: 0, can_go_on, cost });
        let is_within = cost <= self.bound.limit && self.bound.kind == BoundKind::Preemptions
            || self.ask(search, Pending::Unknown);
        if !is_within {
            search.end_over_bound();
            self.back(search);
            return;
        }
        let parent = self.nodes.len() - 2;
        self.nodes[parent].explored += 1;
    }

    /// What the path costs as it is, of preemptions: an upper bound of what its trace costs.
    fn cost_of_path<P: Program>(&mut self, search: &Search<P>, e: EventId) -> u32 {
        let cost = self.node().cost;
        match search.path.order.previous(e) {
            Some(previous) if previous.index() + 1 < e.index() => {
                cost + u32::from(self.nodes[previous.index() + 1].can_go_on)
            }
            _ => cost,
        }
    }

    fn ask<P: Program>(&mut self, search: &mut Search<P>, pending: Pending) -> bool {
        let start = search.path.start();
        let (program, order) = (&mut search.path.program, &search.path.order);
        let mut could_go_on = |sequence: &[EventId], thread| {
            let mut footprint = Footprint::default();
            program.rollback(start);
            for &e in sequence {
                program.step(order.event(e).decision, &mut footprint);
            }
            let could_go_on = program.is_enabled(thread);
            program.rollback(start);
            for e in order.events() {
                program.step(order.event(e).decision, &mut footprint);
            }
            could_go_on
        };
        let question = Question { order, pending, could_go_on: &mut could_go_on };
        let answer = self.least.ask(question, self.bound);
        search.statistics.bound_unknown += u64::from(answer == Answer::Unknown);
        answer != Answer::Over
    }

    fn back<P: Program>(&mut self, search: &mut Search<P>) {
        self.nodes.pop();
        let last = EventId::at(search.path.len() - 1);
        self.sets.sleep.leave(last, &search.path.order);
        search.path.pop();
        self.sets.shrink(&search.path);
        self.failures.retain(|&(e, _)| e < last);
    }

    /// Notes the end of an execution, if it is within the bound.
    fn end<P: Program<Failure = F>>(&mut self, search: &mut Search<P>, end: End) {
        let operations = waiting_operations(search);
        let pending = if end == End::Cut { Pending::Unknown } else { Pending::Waiting(&operations) };
        if !self.ask(search, pending) {
            search.end_over_bound();
            return;
        }
        let sequence = self.least.sequence();
        for (e, failure) in &self.failures {
            let events = sequence.iter().take_while(|&f| f != e).chain([e]);
            let schedule = events.map(|&f| search.path.order.event(f).decision).collect();
            search.note_failure(failure.clone(), schedule);
        }
        search.end_with(|path| sequence.iter().map(|&f| path.order.event(f).decision).collect());
    }

    fn levels(&self, length: usize) -> impl Iterator<Item = Level> {
        self.nodes[..length]
            .iter()
            .map(|node| Level { explored: node.explored.saturating_sub(1), known: node.explored + 1 })
    }
}

/// What the threads that have not ended wait for.
fn waiting_operations<P: Program>(search: &mut Search<P>) -> Vec<Option<(Blocking, Vec<Access>)>> {
    let mut operations = vec![None; search.path.order.thread_count()];
    for thread in search.running_threads().collect::<Vec<ThreadId>>() {
        let mut footprint = Footprint::default();
        search.path.program.pending(Decision { thread, choice: 0 }, &mut footprint);
        operations[thread.index()] = Some((footprint.blocking, footprint.accesses().to_vec()));
    }
    operations
}
