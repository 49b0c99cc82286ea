//! IMPACT for concurrent programs: all schedules, until there is a proof or a counterexample [WachterKO2013, section III].
//!
//! | paper | here |
//! |---|---|
//! | expand | [`Tree::expand_thread`], failures and deadlocks looked for at once |
//! | close, cover | [`Tree::candidates`], [`Tree::entails`], [`Tree::cover`] |
//! | forced covering | [`forced_covering`](crate::forced_covering), at the heads of loops |
//! | refine | [`Tree::refine`] |
//! | Skip, the set I | [`Tree::skip`]; what is in I is expanded at once |
//!
//! DIVERGENCES. Labels begin with bounds that were computed before, and with the predicates that refinement found useful at the same
//! places before, if they follow. A transition that the label excludes gets no node.
//! `Loop` in Skip is not needed: an error is at the end of a finite execution, of which only finitely many reorderings exist.
//! Local loops that may not end are found in the finished tree; their heads are then opened to the other threads, and the search
//! begins again.

use crate::context::{Prover, Stop};
use crate::counterexample::Counterexample;
use crate::refine::{Refined, Wrong};
use crate::tree::{Edge, NodeId, Tree};
use selvedge_smt::Answer;
use selvedge_symbolic::Target;
use std::collections::BTreeSet;

/// Refinements after which a search begins again, twice as many each time: with the predicates that were found, all nodes get the
/// labels that otherwise each has to be refined for.
const PATIENCE: usize = 12;

/// How a complete search ended.
#[derive(Debug)]
pub enum Outcome {
    /// All schedules are safe: the tree is the proof.
    Safe(Tree),
    /// One is not.
    Unsafe(Counterexample),
}

impl Prover {
    /// Looks at all schedules.
    ///
    /// # Errors
    /// When a limit is reached, or the solver fails or does not know.
    pub fn complete(&mut self) -> Result<Outcome, Stop> {
        self.close_all_but(&[]);
        loop {
            let tree = match self.unwind()? {
                Outcome::Safe(tree) => tree,
                found @ Outcome::Unsafe(_) => return Ok(found),
            };
            let Some((thread, place)) = tree.never_comes_out(self) else { return Ok(Outcome::Safe(tree)) };
            if !self.open(thread, place) {
                let name = &self.system.names[thread];
                return Err(Stop::Unknown(format!(
                    "thread {name} may never come to the end of an atomic block"
                )));
            }
        }
    }

    /// Unwinds the program until nothing is left to be looked at.
    fn unwind(&mut self) -> Result<Outcome, Stop> {
        let mut tree = Tree::new(self);
        let (mut patience, mut since) = (PATIENCE, self.effort.refinements);
        while let Some(id) = tree.todo.pop() {
            self.watch()?;
            if self.effort.refinements > since + patience {
                tree = Tree::new(self);
                (patience, since) = (2 * patience, self.effort.refinements);
                continue;
            }
            let node = tree.node(id);
            if node.dead || node.covered_by.is_some() || tree.close(self, id)? {
                continue;
            }
            if let Some(found) = tree.expand(self, id)? {
                return Ok(Outcome::Unsafe(found));
            }
        }
        Ok(Outcome::Safe(tree))
    }
}

impl Tree {
    /// A thread, and the place of a loop, where it may stay forever in the middle of a step: nobody else has been let in there, which
    /// says nothing about the others.
    fn never_comes_out(&self, prover: &Prover) -> Option<(usize, usize)> {
        let committed = |id: NodeId| {
            let node = self.node(id);
            let thread = prover.movers.must_go_on(&node.places)?;
            let place = node.places[thread] as usize;
            (!node.dead && prover.movers.committed[thread][place]).then_some((thread, place))
        };
        // Nodes from which only such nodes, but no cycle of them, can be reached; and those on the way now.
        let (mut done, mut on_the_way) = (BTreeSet::new(), BTreeSet::new());
        for root in (0..self.nodes.len() as u32).map(NodeId) {
            let mut todo = vec![(root, false)];
            while let Some((id, is_left)) = todo.pop() {
                let Some(loops) = committed(id) else { continue };
                if is_left {
                    on_the_way.remove(&id);
                    done.insert(id);
                    continue;
                }
                if on_the_way.contains(&id) {
                    return Some(loops);
                }
                if done.contains(&id) {
                    continue;
                }
                on_the_way.insert(id);
                todo.push((id, true));
                let node = self.node(id);
                let nexts = node.children.iter().map(|child| child.1).chain(node.covered_by);
                todo.extend(nexts.map(|next| (next, false)));
            }
        }
        None
    }

    /// Covers a node if possible, by force if need be.
    fn close(&mut self, prover: &mut Prover, id: NodeId) -> Result<bool, Stop> {
        for other in self.candidates(id) {
            if self.entails(prover, id, other)? {
                self.close_with(prover, id, other);
                return Ok(true);
            }
        }
        for other in self.forcing_candidates(prover, id, 1) {
            if self.force(prover, id, other)? {
                self.close_with(prover, id, other);
                return Ok(true);
            }
            if self.node(id).dead {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn close_with(&mut self, prover: &Prover, id: NodeId, other: NodeId) {
        self.cover(id, other);
        // The set I: what was skipped at the covering node may be needed by the covered one.
        let skipped: Vec<usize> = self.node(other).skipped.iter().copied().collect();
        for thread in skipped {
            if !self.skip(prover, id, thread) {
                self.node_mut(other).skipped.remove(&thread);
                self.node_mut(other).needed.insert(thread);
                self.todo.push(other);
            }
        }
    }

    /// Expands all threads that must be. A node may be expanded again when its label or the set I has changed.
    fn expand(&mut self, prover: &mut Prover, id: NodeId) -> Result<Option<Counterexample>, Stop> {
        let places = self.node(id).places.clone();
        let threads: Vec<usize> = match prover.movers.must_go_on(&places) {
            Some(thread) => vec![thread],
            None => (0..places.len()).filter(|&thread| prover.system.is_running(&places, thread)).collect(),
        };
        let mut chosen = Vec::new();
        for thread in threads {
            if self.node(id).expanded.contains(&thread) {
                continue;
            }
            if prover.movers.must_go_on(&places).is_none() && self.may_skip(prover, id, thread) {
                self.node_mut(id).skipped.insert(thread);
                continue;
            }
            chosen.push(thread);
        }
        for &thread in &chosen {
            match self.failures(prover, id, thread)? {
                Checked::Wrong(found) => return Ok(Some(found)),
                Checked::Gone => return Ok(None),
                Checked::Fine => {}
            }
        }
        match self.deadlock(prover, id)? {
            Checked::Wrong(found) => return Ok(Some(found)),
            Checked::Gone => return Ok(None),
            Checked::Fine => {}
        }
        for thread in chosen {
            self.expand_thread(prover, id, thread)?;
        }
        Ok(None)
    }

    /// Whether a thread need not be expanded at a node, nor at those that it covers.
    fn may_skip(&self, prover: &Prover, id: NodeId, thread: usize) -> bool {
        let node = self.node(id);
        !node.needed.contains(&thread)
            && self.skip(prover, id, thread)
            && node.covers.iter().all(|&covered| self.skip(prover, covered, thread))
    }

    /// Whether a transition of a thread can fail at a node.
    pub(crate) fn failures(
        &mut self,
        prover: &mut Prover,
        id: NodeId,
        thread: usize,
    ) -> Result<Checked, Stop> {
        let places = self.node(id).places.clone();
        let failing: Vec<(usize, bool)> = prover
            .system
            .transitions(&places, thread)
            .filter_map(|(number, transition)| match transition.target {
                Target::Failed(..) => Some((number, true)),
                Target::Diverged => Some((number, false)),
                _ => None,
            })
            .collect();
        for (number, fails) in failing {
            let guard = prover.system.location(&places, thread).transitions[number].guard;
            let mut formulas = self.premises(id);
            formulas.push(guard);
            if prover.check(formulas)? == Answer::Unsat {
                continue;
            }
            let edge = Edge { thread, transition: number };
            match self.refine(prover, id, Wrong::Transition(edge))? {
                Refined::Possible(_) if !fails => {
                    return Err(Stop::Unknown(
                        "a choice among more values than the interpreter can make".to_owned(),
                    ));
                }
                Refined::Possible(found) => return Ok(Checked::Wrong(found)),
                Refined::Refuted if self.node(id).dead => return Ok(Checked::Gone),
                Refined::Refuted => {}
            }
        }
        Ok(Checked::Fine)
    }

    /// Whether all threads can be blocked at a node.
    fn deadlock(&mut self, prover: &mut Prover, id: NodeId) -> Result<Checked, Stop> {
        let places = self.node(id).places.clone();
        if !prover.system.counts_as_deadlock(&places) {
            return Ok(Checked::Fine);
        }
        let running = (0..places.len()).filter(|&thread| prover.system.is_running(&places, thread));
        let running: Vec<usize> = running.collect();
        let blocked: Vec<_> =
            running.into_iter().map(|t| prover.system.blocked(&mut prover.terms, &places, t)).collect();
        let condition = prover.terms.and(blocked);
        let mut formulas = self.premises(id);
        formulas.push(condition);
        if prover.check(formulas)? == Answer::Unsat {
            return Ok(Checked::Fine);
        }
        Ok(match self.refine(prover, id, Wrong::Condition(condition))? {
            Refined::Possible(found) => Checked::Wrong(found),
            Refined::Refuted if self.node(id).dead => Checked::Gone,
            Refined::Refuted => Checked::Fine,
        })
    }
}

/// What was found at a node.
#[derive(Debug)]
pub(crate) enum Checked {
    /// The node violates nothing.
    Fine,
    /// The node does not count any more: nothing gets there.
    Gone,
    /// Something is wrong.
    Wrong(Counterexample),
}
