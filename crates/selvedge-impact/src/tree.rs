//! Abstract reachability trees [Metzler2020, definition 25].

use crate::context::{Prover, Stop};
use selvedge_smt::{Answer, Term};
use selvedge_symbolic::Target;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A node, as a number in a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The number.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A transition of a thread from where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The thread.
    pub thread: usize,
    /// The number of the transition among those of its place.
    pub transition: usize,
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where all threads stand.
    pub places: Rc<[u32]>,
    /// The bounds that are known there.
    pub seeds: Rc<[Term]>,
    /// What else the label says.
    pub label: BTreeSet<Term>,
    /// The node before and the transition from there.
    pub parent: Option<(NodeId, Edge)>,
    /// The nodes after.
    pub children: Vec<(Edge, NodeId)>,
    /// The threads that are expanded.
    pub expanded: BTreeSet<usize>,
    /// The threads that need not be: what they do first can as well be done before.
    pub skipped: BTreeSet<usize>,
    /// The threads that must be, because a node that it covers needs them: the set I.
    pub needed: BTreeSet<usize>,
    /// The threads that must not be.
    pub banned: BTreeSet<usize>,
    /// The node that covers it.
    pub covered_by: Option<NodeId>,
    /// The nodes that it covers.
    pub covers: BTreeSet<NodeId>,
    /// Whether it does not count: it is below a covered node, or nothing satisfies its label.
    pub dead: bool,
}

/// A tree.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The nodes, in the order in which they were made.
    pub nodes: Vec<Node>,
    at: BTreeMap<Rc<[u32]>, Vec<NodeId>>,
    /// Nodes to be looked at.
    pub todo: Vec<NodeId>,
    /// The places, by thread, that would be interior and have been opened for this tree.
    pub opened: Vec<(usize, usize)>,
}

impl Tree {
    /// The root.
    pub const ROOT: NodeId = NodeId(0);

    /// A tree with nothing but the root, which is labelled with what was useful before and holds at the beginning.
    pub fn new(prover: &mut Prover) -> Tree {
        let mut tree = Tree {
            nodes: Vec::new(),
            at: BTreeMap::new(),
            todo: Vec::new(),
            opened: prover.movers.opened().to_vec(),
        };
        let places = prover.system.start();
        let state = prover.system.variables.iter().map(|v| (v.variable, v.initial)).collect();
        let mut label = BTreeSet::new();
        for predicate in prover.pool(&places) {
            let first = prover.terms.substitute(predicate, &state);
            if first == prover.terms.yes() {
                label.insert(predicate);
            }
        }
        tree.add(prover, places, label, None);
        tree
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.index()]
    }

    /// The label, bounds included.
    pub fn premises(&self, id: NodeId) -> Vec<Term> {
        let node = self.node(id);
        node.seeds.iter().chain(&node.label).copied().collect()
    }

    fn add(
        &mut self,
        prover: &mut Prover,
        places: Vec<u32>,
        label: BTreeSet<Term>,
        parent: Option<(NodeId, Edge)>,
    ) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        let seeds = prover.seeds(&places);
        let places: Rc<[u32]> = places.into();
        self.at.entry(places.clone()).or_default().push(id);
        prover.effort.nodes += 1;
        self.nodes.push(Node {
            places,
            seeds,
            label,
            parent,
            children: Vec::new(),
            expanded: BTreeSet::new(),
            skipped: BTreeSet::new(),
            needed: BTreeSet::new(),
            banned: BTreeSet::new(),
            covered_by: None,
            covers: BTreeSet::new(),
            dead: false,
        });
        self.todo.push(id);
        id
    }

    /// Adds the nodes after the transitions of a thread that its label does not exclude. Labels of new nodes are those
    /// predicates that were useful at their places before and that follow.
    pub fn expand_thread(&mut self, prover: &mut Prover, id: NodeId, thread: usize) -> Result<(), Stop> {
        if self.nodes.len() > prover.limits.nodes {
            return Err(Stop::Nodes(prover.limits.nodes));
        }
        let places = self.node(id).places.clone();
        let ways: Vec<usize> = prover
            .system
            .transitions(&places, thread)
            .filter(|(_, transition)| matches!(transition.target, Target::Location(_)))
            .map(|(number, _)| number)
            .collect();
        self.node_mut(id).expanded.insert(thread);
        for number in ways {
            let transition = prover.system.location(&places, thread).transitions[number].clone();
            let mut premises = self.premises(id);
            premises.push(transition.guard);
            if prover.check(premises.clone())? == Answer::Unsat {
                continue;
            }
            let Some(after) = prover.system.after(&places, thread, &transition) else { continue };
            let mut label = BTreeSet::new();
            for predicate in prover.pool(&after) {
                let before = prover.terms.substitute(predicate, &transition.updates);
                if prover.implies(&premises, before)? {
                    label.insert(predicate);
                }
            }
            let edge = Edge { thread, transition: number };
            let child = self.add(prover, after, label, Some((id, edge)));
            self.node_mut(id).children.push((edge, child));
        }
        Ok(())
    }

    /// The nodes from the root to a node, each with the transition that leaves it.
    pub fn path(&self, id: NodeId) -> Vec<(NodeId, Edge)> {
        let mut path = Vec::new();
        let mut present = id;
        while let Some((parent, edge)) = self.node(present).parent {
            path.push((parent, edge));
            present = parent;
        }
        path.reverse();
        path
    }

    /// Older nodes with the same places that could cover a node.
    pub fn candidates(&self, id: NodeId) -> Vec<NodeId> {
        let others = self.at.get(&self.node(id).places).into_iter().flatten();
        let fits = |other: &&NodeId| {
            let node = self.node(**other);
            **other < id && !node.dead && node.covered_by.is_none()
        };
        others.filter(fits).copied().collect()
    }

    /// Whether the label of a node implies that of another with the same places.
    pub fn entails(&self, prover: &mut Prover, id: NodeId, other: NodeId) -> Result<bool, Stop> {
        let premises = self.premises(id);
        for &conjunct in &self.node(other).label {
            if !self.node(id).label.contains(&conjunct) && !prover.implies(&premises, conjunct)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Lets a node be covered; what is below it does not count any more.
    pub fn cover(&mut self, id: NodeId, by: NodeId) {
        self.node_mut(id).covered_by = Some(by);
        self.node_mut(by).covers.insert(id);
        self.uncover_all(id);
        self.prune_below(id);
    }

    /// Forgets the nodes that a node covers, and looks at them again.
    fn uncover_all(&mut self, id: NodeId) {
        for covered in std::mem::take(&mut self.node_mut(id).covers) {
            self.node_mut(covered).covered_by = None;
            if !self.node(covered).dead {
                self.todo.push(covered);
            }
        }
    }

    /// Everything below a node does not count any more.
    pub fn prune_below(&mut self, id: NodeId) {
        let node = self.node_mut(id);
        let children = std::mem::take(&mut node.children);
        node.expanded.clear();
        node.skipped.clear();
        for (_, child) in children {
            self.bury(child);
        }
    }

    /// A node and everything below it does not count any more.
    pub fn bury(&mut self, id: NodeId) {
        let mut todo = vec![id];
        while let Some(id) = todo.pop() {
            self.node_mut(id).dead = true;
            if let Some(by) = self.node_mut(id).covered_by.take() {
                self.node_mut(by).covers.remove(&id);
            }
            self.uncover_all(id);
            todo.extend(self.node(id).children.iter().map(|child| child.1));
        }
    }

    /// Removes a node from its parent.
    pub fn cut(&mut self, id: NodeId) {
        if let Some((parent, _)) = self.node(id).parent {
            self.node_mut(parent).children.retain(|child| child.1 != id);
        }
        self.bury(id);
    }

    /// Strengthens a label. Nodes that it covered and that do not imply it any more are looked at again.
    pub fn strengthen(&mut self, prover: &mut Prover, id: NodeId, conjuncts: &[Term]) -> Result<(), Stop> {
        let places = self.node(id).places.clone();
        let mut changed = false;
        for &conjunct in conjuncts {
            prover.remember(&places, conjunct);
            changed |= self.node_mut(id).label.insert(conjunct);
        }
        if !changed {
            return Ok(());
        }
        for covered in self.node(id).covers.clone() {
            if !self.entails(prover, covered, id)? {
                self.node_mut(id).covers.remove(&covered);
                self.node_mut(covered).covered_by = None;
                self.todo.push(covered);
            }
        }
        Ok(())
    }

    /// The nodes that count.
    pub fn living(&self) -> impl Iterator<Item = NodeId> {
        (0..self.nodes.len() as u32).map(NodeId).filter(|&id| !self.node(id).dead)
    }
}
