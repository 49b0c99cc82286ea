//! Whether a thread may be skipped at a node: what it does next could as well have been done before the last block.

use crate::certificate::Certificate;
use selvedge_smt::{Terms, Variable};
use selvedge_symbolic::{Condition, System, Target, Transition};
use std::collections::BTreeSet;

/// The tree, with what is needed to look at its blocks.
pub struct Blocks<'b> {
    pub certificate: &'b Certificate,
    pub system: &'b System,
    pub terms: &'b Terms,
    pub interior: &'b [Vec<bool>],
    pub parents: &'b [Option<(usize, usize, usize)>],
}

impl Blocks<'_> {
    fn goes_on(&self, node: usize) -> Option<usize> {
        let places = &self.certificate.nodes[node].places;
        (0..places.len()).find(|&thread| self.interior[thread][places[thread] as usize])
    }

    /// The thread that came last to a node, with the transitions of its block.
    fn last(&self, node: usize) -> Option<(usize, Vec<&Transition>)> {
        let (mut parent, thread, mut transition) = self.parents[node]?;
        let mut block = Vec::new();
        loop {
            let place = self.certificate.nodes[parent].places[thread] as usize;
            block.push(&self.system.threads[thread].locations[place].transitions[transition]);
            match self.goes_on(parent) {
                None => return Some((thread, block)),
                Some(other) if other != thread => return None,
                Some(_) => match self.parents[parent]? {
                    (before, same, number) if same == thread => (parent, transition) = (before, number),
                    _ => return None,
                },
            }
        }
    }

    /// All transitions that a thread may take in its next block.
    fn next(&self, node: usize, thread: usize) -> Vec<&Transition> {
        let first = self.certificate.nodes[node].places[thread] as usize;
        let mut places = BTreeSet::from([first]);
        let mut block = Vec::new();
        let mut todo = vec![first];
        while let Some(place) = todo.pop() {
            for transition in &self.system.threads[thread].locations[place].transitions {
                block.push(transition);
                if let Target::Location(target) = transition.target
                    && self.interior[thread][target]
                    && places.insert(target)
                {
                    todo.push(target);
                }
            }
        }
        block
    }

    /// Whether the executions that go on with this thread are the same as others that are looked at.
    pub fn may_skip(&self, node: usize, thread: usize) -> bool {
        let Some((last, before)) = self.last(node) else { return false };
        thread < last
            && self.goes_on(node).is_none()
            && self.next(node, thread).iter().all(|a| before.iter().all(|b| self.commute(thread, a, last, b)))
    }

    fn commute(&self, thread: usize, a: &Transition, other: usize, b: &Transition) -> bool {
        let reads = |t: &Transition| -> BTreeSet<Variable> {
            self.terms.variables_of(t.updates.values().copied().chain([t.guard])).into_iter().collect()
        };
        let writes = |t: &Transition| -> BTreeSet<Variable> { t.updates.keys().copied().collect() };
        let looks = |t: &Transition, at: usize| {
            t.conditions.iter().any(|condition| match condition {
                Condition::Ended(thread) | Condition::NotEnded(thread) => *thread == at,
                Condition::AllEnded | Condition::NotAllEnded => true,
            })
        };
        let touches = |t: &Transition, place_of: usize| looks(t, place_of) || t.spawns.contains(&place_of);
        writes(a).is_disjoint(&writes(b))
            && writes(a).is_disjoint(&reads(b))
            && reads(a).is_disjoint(&writes(b))
            && !touches(a, other)
            && !touches(b, thread)
            && a.spawns.iter().all(|spawned| !b.spawns.contains(spawned) && !looks(b, *spawned))
            && b.spawns.iter().all(|spawned| !looks(a, *spawned))
    }
}
