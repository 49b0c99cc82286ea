//! Which blocks of steps of different threads can be exchanged, and so which threads need not be expanded at a node.
//!
//! If a node is reached by a block of thread `U` and a thread `T < U` could as well have made its block before that, with the same
//! result, then the executions that go on with `T` need not be looked at: there are others, smaller in the order of the
//! threads, that end in the same states [WachterKO2013, peephole reduction]. A block is a step with all that its thread does
//! at [interior](selvedge_symbolic::movers) places after it. The same must be true at every node that is covered by this one.

use crate::context::Prover;
use crate::tree::{NodeId, Tree};
use selvedge_smt::Variable;
use selvedge_symbolic::movers::reads;
use selvedge_symbolic::{Condition, Target, Transition};
use std::collections::BTreeSet;

/// What a block accesses.
#[derive(Clone, Debug, Default)]
pub struct Footprint {
    reads: BTreeSet<Variable>,
    writes: BTreeSet<Variable>,
    /// Threads whose place matters.
    looks_at: BTreeSet<usize>,
    /// Threads that begin.
    starts: BTreeSet<usize>,
    looks_at_all: bool,
}

impl Footprint {
    fn add(&mut self, prover: &Prover, transition: &Transition) {
        self.reads.extend(reads(&prover.terms, transition));
        self.writes.extend(transition.updates.keys());
        self.starts.extend(&transition.spawns);
        for condition in &transition.conditions {
            match condition {
                Condition::Ended(thread) | Condition::NotEnded(thread) => {
                    self.looks_at.insert(*thread);
                }
                Condition::AllEnded | Condition::NotAllEnded => self.looks_at_all = true,
            }
        }
    }

    fn conflicts(&self, thread: usize, other: &Footprint, other_thread: usize) -> bool {
        !self.writes.is_disjoint(&other.reads)
            || !self.writes.is_disjoint(&other.writes)
            || !self.reads.is_disjoint(&other.writes)
            || self.looks_at_all
            || other.looks_at_all
            || self.looks_at.contains(&other_thread)
            || other.looks_at.contains(&thread)
            || self.starts.contains(&other_thread)
            || other.starts.contains(&thread)
            || !self.starts.is_disjoint(&other.starts)
    }
}

impl Tree {
    /// The thread that made the last block before a node, and what the block accessed. Nothing if the block has no beginning.
    fn last_block(&self, prover: &Prover, id: NodeId) -> Option<(usize, Footprint)> {
        let mut footprint = Footprint::default();
        let (mut present, edge) = self.node(id).parent?;
        let thread = edge.thread;
        let mut edge = edge;
        loop {
            let places = &self.node(present).places;
            footprint.add(prover, &prover.system.location(places, thread).transitions[edge.transition]);
            match prover.movers.must_go_on(places) {
                None => return Some((thread, footprint)),
                Some(forced) if forced != thread => return None,
                Some(_) => {
                    (present, edge) = self.node(present).parent.filter(|parent| parent.1.thread == thread)?
                }
            }
        }
    }

    /// What a thread accesses in its next block, whatever way it takes.
    fn next_block(&self, prover: &Prover, id: NodeId, thread: usize) -> Footprint {
        let ours = &prover.system.threads[thread];
        let first = self.node(id).places[thread] as usize;
        let mut footprint = Footprint::default();
        let mut seen = BTreeSet::from([first]);
        let mut todo = vec![first];
        while let Some(place) = todo.pop() {
            for transition in &ours.locations[place].transitions {
                footprint.add(prover, transition);
                if let Target::Location(target) = transition.target
                    && prover.movers.interior[thread][target]
                    && seen.insert(target)
                {
                    todo.push(target);
                }
            }
        }
        footprint
    }

    /// Whether a thread need not be expanded at a node [Metzler2020, algorithm 7, Skip].
    pub fn skip(&self, prover: &Prover, id: NodeId, thread: usize) -> bool {
        match self.last_block(prover, id) {
            Some((last, footprint)) if thread < last => {
                !self.next_block(prover, id, thread).conflicts(thread, &footprint, last)
            }
            _ => false,
        }
    }
}
