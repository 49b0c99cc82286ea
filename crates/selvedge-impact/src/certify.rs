//! A tree as a certificate, for an independent checker.

use crate::context::Prover;
use crate::tree::{NodeId, Tree};
use selvedge_certificate::{Certificate, Claim, Node, certificate::fingerprint};
use selvedge_smt::text::named_term;
use selvedge_smt::{Term, Variable};
use std::collections::BTreeMap;

impl Prover {
    /// The nodes of a tree that count, with everything that is claimed of them.
    pub fn certificate(&self, program: &selvedge_ir::Program, tree: &Tree, claim: Claim) -> Certificate {
        let numbers: BTreeMap<NodeId, usize> = tree.living().zip(0..).collect();
        let all = self.movers.interior.iter().enumerate();
        let all = all.flat_map(|(thread, places)| (0..places.len()).map(move |place| (thread, place)));
        let is_interior = |at: &(usize, usize)| {
            (self.movers.interior[at.0][at.1] || self.movers.opened().contains(at))
                && !tree.opened.contains(at)
        };
        let interior = all.filter(is_interior);
        let nodes = tree.living().map(|id| self.node(tree, id, &numbers, claim)).collect();
        Certificate { program: fingerprint(program), claim, interior: interior.collect(), nodes }
    }

    fn node(&self, tree: &Tree, id: NodeId, numbers: &BTreeMap<NodeId, usize>, claim: Claim) -> Node {
        let node = tree.node(id);
        let edges = node.children.iter().filter_map(|(edge, child)| {
            numbers.get(child).map(|&child| (edge.thread, edge.transition, child))
        });
        let is_covered = node.covered_by.is_some();
        Node {
            places: node.places.to_vec(),
            label: tree.premises(id).into_iter().map(|term| self.text(term)).collect(),
            expanded: node.expanded.iter().copied().filter(|_| !is_covered).collect(),
            skipped: match claim {
                Claim::AllSchedules if !is_covered => node.skipped.iter().copied().collect(),
                _ => Vec::new(),
            },
            edges: edges.filter(|_| !is_covered).collect(),
            covered_by: node.covered_by.and_then(|by| numbers.get(&by).copied()),
        }
    }

    /// A formula in SMT-LIB, with the names of the variables in bars.
    pub(crate) fn text(&self, term: Term) -> String {
        let name = |variable: Variable| format!("|{}|", self.terms.name(variable));
        named_term(&self.terms, term, &name)
    }
}
