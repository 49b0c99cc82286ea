//! Fairness of cycles [Metzler2020, definition 29].
//!
//! A cycle of tree edges and coverings is fair if every thread that may be enabled on it makes a step on it. For one thread that
//! is so for all cycles at once if, after its steps are removed from the graph, no cycle is left on which it may be enabled;
//! so there is no need to enumerate cycles. One pass over the graph suffices for all threads: it carries the set of those that have
//! made no step.
//!
//! DIVERGENCE. The paper asks for a step of every thread that has not ended; here a thread that provably has to wait all along the
//! cycle need not make one, as in definition 10.

use crate::context::{Prover, Stop};
use crate::tree::{NodeId, Tree};
use selvedge_smt::Answer;

/// For each node of a tree a set of threads: those of which some way to or from a certain node has no step.
struct Avoided {
    /// Words for each node: a bit for each thread.
    width: usize,
    words: Vec<u64>,
    /// The nodes whose sets are not empty, in the order in which they were found.
    nodes: Vec<NodeId>,
}

impl Avoided {
    fn nothing(nodes: usize, threads: usize) -> Avoided {
        let width = threads.div_ceil(64);
        Avoided { width, words: vec![0; nodes * width], nodes: Vec::new() }
    }

    fn of(&self, id: NodeId) -> &[u64] {
        &self.words[id.index() * self.width..][..self.width]
    }

    fn contains(&self, id: NodeId, thread: usize) -> bool {
        self.of(id)[thread / 64] & 1 << (thread % 64) != 0
    }

    /// Adds threads to the set of a node. Returns whether there were new ones among them.
    fn extend(&mut self, id: NodeId, more: &[u64]) -> bool {
        let was_empty = self.of(id).iter().all(|&word| word == 0);
        let mut is_larger = false;
        for (word, more) in self.words[id.index() * self.width..].iter_mut().zip(more) {
            is_larger |= more & !*word != 0;
            *word |= more;
        }
        if was_empty && is_larger {
            self.nodes.push(id);
        }
        is_larger
    }
}

impl Tree {
    /// The threads that would be left out on cycles that a covering would close; none if they are fair.
    pub fn left_out(&self, prover: &mut Prover, id: NodeId, by: NodeId) -> Result<Vec<usize>, Stop> {
        let places = self.node(id).places.clone();
        let mut running = vec![0; places.len().div_ceil(64)];
        for thread in 0..places.len() {
            running[thread / 64] |= u64::from(prover.system.is_running(&places, thread)) << (thread % 64);
        }
        let ahead = self.avoiding(prover, by, &running, Direction::Ahead)?;
        let missing = ahead.of(id);
        if missing.iter().all(|&word| word == 0) {
            return Ok(Vec::new());
        }
        let mut behind = self.avoiding(prover, id, missing, Direction::Behind)?;
        behind.nodes.sort_unstable();
        let mut left_out = Vec::new();
        for thread in (0..places.len()).filter(|&thread| ahead.contains(id, thread)) {
            for &node in &behind.nodes {
                let is_on_cycle = behind.contains(node, thread) && ahead.contains(node, thread);
                if is_on_cycle && self.may_be_enabled(prover, node, thread)? {
                    left_out.push(thread);
                    break;
                }
            }
        }
        Ok(left_out)
    }

    /// The nodes that can be reached from a node, or that it can be reached from, each with those of some threads without whose steps
    /// that is possible.
    fn avoiding(
        &self,
        prover: &mut Prover,
        from: NodeId,
        threads: &[u64],
        direction: Direction,
    ) -> Result<Avoided, Stop> {
        let mut avoided = Avoided::nothing(self.nodes.len(), 64 * threads.len());
        avoided.extend(from, threads);
        let mut todo = vec![from];
        while let Some(id) = todo.pop() {
            prover.visit(1)?;
            for (next, by) in self.neighbours(id, direction) {
                let mut still = avoided.of(id).to_vec();
                if let Some(thread) = by {
                    still[thread / 64] &= !(1 << (thread % 64));
                }
                if avoided.extend(next, &still) {
                    todo.push(next);
                }
            }
        }
        Ok(avoided)
    }

    /// The nodes beside a node, each with the thread whose step lies between, if it is not a covering.
    fn neighbours(&self, id: NodeId, direction: Direction) -> Vec<(NodeId, Option<usize>)> {
        let node = self.node(id);
        match direction {
            Direction::Ahead => {
                let children = node.children.iter().map(|(edge, child)| (*child, Some(edge.thread)));
                children.chain(node.covered_by.map(|by| (by, None))).collect()
            }
            Direction::Behind => {
                let parent = node.parent.map(|(parent, edge)| (parent, Some(edge.thread)));
                parent.into_iter().chain(node.covers.iter().map(|&covered| (covered, None))).collect()
            }
        }
    }

    /// Whether a thread may be enabled at a node.
    pub(crate) fn may_be_enabled(
        &self,
        prover: &mut Prover,
        id: NodeId,
        thread: usize,
    ) -> Result<bool, Stop> {
        let places = self.node(id).places.clone();
        if !prover.system.is_running(&places, thread) {
            return Ok(false);
        }
        let blocked = prover.system.blocked(&mut prover.terms, &places, thread);
        let mut formulas = self.premises(id);
        formulas.push(prover.terms.not(blocked));
        Ok(prover.check(formulas)? != Answer::Unsat)
    }
}

/// The way along the edges of a tree and its coverings.
#[derive(Clone, Copy, Debug)]
enum Direction {
    Ahead,
    Behind,
}
