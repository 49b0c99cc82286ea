//! Forced covering [McMillan2006, section 5]: labels on the way to a node are strengthened so that an earlier node covers it.
//!
//! Labels say no more than refinement needed. So a node that comes back to the head of a loop often does not imply the label of the
//! node there, although its path does: what is missing has not been asked for yet. Here it is asked for.

use crate::context::{Prover, Stop};
use crate::interpolate::Facts;
use crate::refine::{Refined, Wrong};
use crate::tree::{NodeId, Tree};

/// Rounds after which it is given up: a way that leads through the covering node strengthens that one, too.
const ROUNDS: usize = 3;

impl Tree {
    /// Whether a node is at the head of a loop: reached by a step that closes one.
    pub(crate) fn is_at_loop_head(&self, prover: &Prover, id: NodeId) -> bool {
        let Some((parent, edge)) = self.node(id).parent else { return false };
        let before = &self.node(parent).places;
        prover.system.location(before, edge.thread).transitions[edge.transition].jumps_back
    }

    /// The nodes that a node could be forced to be covered by: the latest before it on its path, at most so many, the last first.
    pub(crate) fn forcing_candidates(&self, prover: &Prover, id: NodeId, most: usize) -> Vec<NodeId> {
        if !self.is_at_loop_head(prover, id) {
            return Vec::new();
        }
        let mut candidates = self.candidates(id);
        candidates.retain(|&other| self.is_above(other, id));
        candidates.reverse();
        candidates.truncate(most);
        candidates
    }

    fn is_above(&self, other: NodeId, id: NodeId) -> bool {
        let mut present = id;
        while present > other {
            match self.node(present).parent {
                Some((parent, _)) => present = parent,
                None => return false,
            }
        }
        present == other
    }

    /// Strengthens labels until a node implies the label of another, if its path does.
    pub(crate) fn force(&mut self, prover: &mut Prover, id: NodeId, by: NodeId) -> Result<bool, Stop> {
        for _ in 0..ROUNDS {
            let missing: Vec<_> = self.node(by).label.difference(&self.node(id).label).copied().collect();
            for conjunct in missing {
                if prover.implies(&self.premises(id), conjunct)? {
                    continue;
                }
                let negated = prover.terms.not(conjunct);
                match self.refine_by(prover, id, Wrong::Condition(negated), Facts::General)? {
                    None | Some(Refined::Possible(_)) => return Ok(false),
                    Some(Refined::Refuted) if self.node(id).dead => return Ok(false),
                    Some(Refined::Refuted) => {}
                }
            }
            if self.entails(prover, id, by)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
