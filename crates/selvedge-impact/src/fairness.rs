//! Fairness of cycles [Metzler2020, definition 29].
//!
//! A cycle of tree edges and coverings is fair if every thread that may be enabled on it makes a step on it. For one thread that
//! is so for all cycles at once if, after its steps are removed from the graph, no cycle is left on which it may be enabled;
//! so there is no need to enumerate cycles.
//!
//! DIVERGENCE. The paper asks for a step of every thread that has not ended; here a thread that provably has to wait all along the
//! cycle need not make one, as in definition 10.

use crate::context::{Prover, Stop};
use crate::tree::{NodeId, Tree};
use selvedge_smt::Answer;
use std::collections::BTreeSet;

impl Tree {
    /// The threads that would be left out on cycles that a covering would close; none if they are fair.
    pub fn left_out(&self, prover: &mut Prover, id: NodeId, by: NodeId) -> Result<Vec<usize>, Stop> {
        let places = self.node(id).places.clone();
        let mut left_out = Vec::new();
        for thread in 0..places.len() {
            if !prover.system.is_running(&places, thread) {
                continue;
            }
            let ahead = self.reached(by, thread);
            if !ahead.contains(&id) {
                continue;
            }
            let behind = self.reaching(id, thread);
            for &node in ahead.intersection(&behind) {
                if self.may_be_enabled(prover, node, thread)? {
                    left_out.push(thread);
                    break;
                }
            }
        }
        Ok(left_out)
    }

    /// The nodes that can be reached without steps of a thread.
    fn reached(&self, from: NodeId, thread: usize) -> BTreeSet<NodeId> {
        let mut reached = BTreeSet::from([from]);
        let mut todo = vec![from];
        while let Some(id) = todo.pop() {
            let node = self.node(id);
            let children =
                node.children.iter().filter(|(edge, _)| edge.thread != thread).map(|child| child.1);
            todo.extend(children.chain(node.covered_by).filter(|&next| reached.insert(next)));
        }
        reached
    }

    /// The nodes from which a node can be reached without steps of a thread.
    fn reaching(&self, to: NodeId, thread: usize) -> BTreeSet<NodeId> {
        let mut reaching = BTreeSet::from([to]);
        let mut todo = vec![to];
        while let Some(id) = todo.pop() {
            let node = self.node(id);
            let parent = node.parent.filter(|(_, edge)| edge.thread != thread).map(|parent| parent.0);
            let before = parent.into_iter().chain(node.covers.iter().copied());
            todo.extend(before.filter(|&before| reaching.insert(before)));
        }
        reaching
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
