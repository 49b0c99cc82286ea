//! The program schedule of a tree: sections between branchings, with the order of dependent steps [Metzler2020, section 5.2].
//!
//! A section begins at the root, at a node with several edges and at a node that covers others, and goes on while there is one
//! edge. Of two of its steps that do not depend on each other, the schedule does not say which comes first.

use crate::context::Prover;
use crate::tree::{Edge, NodeId, Tree};
use selvedge_schedule::{Event, Instruction, Next, Node, Schedule, Section, Thread};
use selvedge_smt::Variable;
use selvedge_symbolic::movers::reads;
use selvedge_symbolic::{LocationKind, System, Transition};
use selvedge_trace::ThreadId;
use std::collections::{BTreeMap, BTreeSet};

/// What is told of the steps of a schedule.
#[derive(Clone, Copy)]
pub struct Naming<'n> {
    /// The line of a statement.
    pub line: &'n dyn Fn(selvedge_ir::Span) -> usize,
    /// The instruction of the LLVM IR that a visible step begins at, by the step's place in the compact code.
    pub instruction: &'n dyn Fn(u32) -> Option<Instruction>,
    /// For each thread, the thread that creates it, and as which of its own.
    pub creators: &'n [Option<(usize, u32)>],
}

impl Naming<'_> {
    /// The naming of a program that has no text, no instructions and no threads that others create.
    pub const NONE: Naming<'static> = Naming { line: &|_| 0, instruction: &|_| None, creators: &[] };
}

impl Prover {
    /// The schedule of a tree; `program` is the fingerprint of the program.
    pub fn schedule(&self, tree: &Tree, program: String, naming: Naming) -> Schedule {
        let is_node = |id: NodeId| {
            let node = tree.node(id);
            id == Tree::ROOT || node.children.len() != 1 || !node.covers.is_empty()
        };
        let starts: BTreeMap<NodeId, usize> =
            tree.living().filter(|&id| tree.node(id).covered_by.is_none() && is_node(id)).zip(0..).collect();
        let mut sections = Vec::new();
        let mut instructions = Instructions { system: &self.system, naming, known: BTreeMap::new() };
        for (&start, &from) in &starts {
            for &(edge, child) in &tree.node(start).children {
                let (path, end) = self.section_path(tree, start, edge, child, &starts);
                sections.push(self.section(tree, &path, from, starts[&end], &mut instructions));
            }
        }
        let nodes = starts.keys().map(|&id| self.schedule_node(tree, id)).collect();
        let thread = |(number, name): (usize, &String)| Thread {
            name: name.clone(),
            creator: naming.creators.get(number).copied().flatten(),
        };
        let threads = self.system.names.iter().enumerate().map(thread).collect();
        Schedule { program, threads, instructions: instructions.all(), nodes, sections }
    }

    fn schedule_node(&self, tree: &Tree, id: NodeId) -> Node {
        let holds = tree.premises(id).into_iter().map(|term| self.text(term)).collect();
        Node { places: tree.node(id).places.to_vec(), holds }
    }

    /// The steps from a node to the next one where a section begins.
    fn section_path(
        &self,
        tree: &Tree,
        start: NodeId,
        edge: Edge,
        child: NodeId,
        starts: &BTreeMap<NodeId, usize>,
    ) -> (Vec<(NodeId, Edge)>, NodeId) {
        let mut path = vec![(start, edge)];
        let mut id = child;
        loop {
            id = tree.node(id).covered_by.unwrap_or(id);
            if starts.contains_key(&id) {
                return (path, id);
            }
            let (edge, child) = tree.node(id).children[0];
            path.push((id, edge));
            id = child;
        }
    }

    fn transition(&self, tree: &Tree, id: NodeId, edge: Edge) -> &Transition {
        &self.system.location(&tree.node(id).places, edge.thread).transitions[edge.transition]
    }

    fn section(
        &self,
        tree: &Tree,
        path: &[(NodeId, Edge)],
        from: usize,
        to: usize,
        instructions: &mut Instructions,
    ) -> Section {
        let condition = self.text(self.transition(tree, path[0].0, path[0].1).guard);
        let mut section = Section { from, to, condition, ..Section::default() };
        let mut accesses: Vec<(usize, BTreeSet<Variable>, BTreeSet<Variable>, bool)> = Vec::new();
        for &(id, edge) in path {
            let places = &tree.node(id).places;
            let transition = self.transition(tree, id, edge);
            let read = reads(&self.terms, transition);
            let written: BTreeSet<Variable> = transition.updates.keys().copied().collect();
            let waits = !transition.conditions.is_empty() || !transition.spawns.is_empty();
            let place = places[edge.thread];
            section.events.push(Event {
                thread: edge.thread,
                place,
                transition: edge.transition,
                at: instructions.at(ThreadId::at(edge.thread), place as usize),
                next: instructions.next(ThreadId::at(edge.thread), transition),
                line: (instructions.naming.line)(transition.span),
            });
            accesses.push((edge.thread, read, written, waits));
        }
        for (then, b) in accesses.iter().enumerate() {
            for (first, a) in accesses[..then].iter().enumerate() {
                let depends =
                    !a.2.is_disjoint(&b.1) || !a.2.is_disjoint(&b.2) || !a.1.is_disjoint(&b.2) || a.3 || b.3;
                if a.0 != b.0 && depends {
                    section.order.push((first, then));
                }
            }
        }
        section
    }
}

/// The instructions of a schedule, numbered as they are met.
struct Instructions<'i> {
    system: &'i System,
    naming: Naming<'i>,
    known: BTreeMap<Instruction, usize>,
}

impl Instructions<'_> {
    /// The instruction that comes next where a thread stands, if that is a visible step.
    fn at(&mut self, thread: ThreadId, place: usize) -> Option<usize> {
        let location = &self.system.threads[thread.index()].locations[place];
        if location.kind != LocationKind::Visible {
            return None;
        }
        let instruction = (self.naming.instruction)(location.pc)?;
        let next = self.known.len();
        Some(*self.known.entry(instruction).or_insert(next))
    }

    fn next(&mut self, thread: ThreadId, transition: &Transition) -> Next {
        match transition.place() {
            Some(System::ENDED) => Next::End,
            Some(place) => self.at(thread, place).map_or(Next::Unnamed, Next::Instruction),
            None => Next::Unnamed,
        }
    }

    /// All of them, by their numbers.
    fn all(self) -> Vec<Instruction> {
        let mut all: Vec<(usize, Instruction)> =
            self.known.into_iter().map(|(i, number)| (number, i)).collect();
        all.sort_by_key(|(number, _)| *number);
        all.into_iter().map(|(_, instruction)| instruction).collect()
    }
}
