//! Drawings of trees: DOT for Graphviz, and SVG.

use super::line;
use selvedge_impact::{NodeId, Prover, Tree};
use selvedge_report::Source;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// A tree to be drawn.
pub struct Drawing {
    nodes: Vec<Drawn>,
    /// From, to, what is written beside it.
    edges: Vec<(usize, usize, String)>,
    coverings: Vec<(usize, usize)>,
}

struct Drawn {
    lines: Vec<String>,
    depth: usize,
    /// The column, in halves.
    column: usize,
}

/// Conjuncts of a label that are written.
const MOST_LINES: usize = 8;

/// What is drawn of a tree.
pub fn drawing(prover: &Prover, tree: &Tree, source: Source) -> Drawing {
    let numbers: BTreeMap<NodeId, usize> = tree.living().zip(0..).collect();
    let mut drawing = Drawing { nodes: Vec::new(), edges: Vec::new(), coverings: Vec::new() };
    let mut next_column = 0;
    let mut depths: BTreeMap<NodeId, usize> = BTreeMap::new();
    for (&id, &number) in &numbers {
        let node = tree.node(id);
        let depth = node.parent.map_or(0, |(parent, _)| depths.get(&parent).map_or(0, |depth| depth + 1));
        depths.insert(id, depth);
        let places = node.places.iter().enumerate();
        let places: Vec<String> = places
            .map(|(t, &place)| prover.system.place_name(t, place, &|span| line(source, span)))
            .collect();
        let mut lines = vec![places.join(", ")];
        lines.extend(node.label.iter().take(MOST_LINES).map(|&term| prover.terms.display(term)));
        if node.label.len() > MOST_LINES {
            lines.push(format!("and {} more", node.label.len() - MOST_LINES));
        }
        drawing.nodes.push(Drawn { lines, depth, column: 0 });
        for (edge, child) in &node.children {
            if let Some(&child) = numbers.get(child) {
                let transition =
                    &prover.system.location(&node.places, edge.thread).transitions[edge.transition];
                let statement = source.statement(transition.span);
                let label = format!(
                    "{}: {}",
                    prover.system.names[edge.thread],
                    selvedge_report::source::shortened(&statement, 40)
                );
                drawing.edges.push((number, child, label));
            }
        }
        drawing.coverings.extend(node.covered_by.and_then(|by| numbers.get(&by)).map(|&by| (number, by)));
    }
    drawing.columns(0, &mut next_column);
    drawing
}

impl Drawing {
    /// Places a node above the middle of its children, leaves side by side.
    fn columns(&mut self, root: usize, next: &mut usize) {
        let mut children = vec![Vec::new(); self.nodes.len()];
        self.edges.iter().for_each(|&(from, to, _)| children[from].push(to));
        let mut todo = vec![(root, false)];
        while let Some((node, done)) = todo.pop() {
            let below = &children[node];
            match (below.first(), below.last()) {
                (Some(&first), Some(&last)) if done => {
                    self.nodes[node].column = (self.nodes[first].column + self.nodes[last].column) / 2;
                }
                (Some(_), _) => {
                    todo.push((node, true));
                    todo.extend(below.iter().rev().map(|&child| (child, false)));
                }
                _ => {
                    self.nodes[node].column = *next;
                    *next += 2;
                }
            }
        }
    }

    /// In the form that the name of the file asks for.
    pub fn of_kind(&self, path: &Path) -> String {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("svg") => self.svg(),
            _ => self.dot(),
        }
    }

    fn dot(&self) -> String {
        let escaped = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
        let mut out = "digraph schedule {\n  node [shape=box, fontname=\"sans-serif\"];\n".to_owned();
        for (number, node) in self.nodes.iter().enumerate() {
            let lines: Vec<String> = node.lines.iter().map(|line| escaped(line)).collect();
            let _ = writeln!(out, "  n{number} [label=\"{}\"];", lines.join("\\n"));
        }
        for (from, to, label) in &self.edges {
            let _ = writeln!(out, "  n{from} -> n{to} [label=\"{}\"];", escaped(label));
        }
        for (from, to) in &self.coverings {
            let _ = writeln!(out, "  n{from} -> n{to} [style=dashed, constraint=false];");
        }
        out + "}\n"
    }

    fn svg(&self) -> String {
        let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let at = |node: usize| {
            let Drawn { depth, column, .. } = self.nodes[node];
            (MARGIN + column * HALF, MARGIN + depth * ROW)
        };
        let height_of = |node: usize| LINE * self.nodes[node].lines.len() + 8;
        let columns = self.nodes.iter().map(|node| node.column).max().unwrap_or(0);
        let depth = self.nodes.iter().map(|node| node.depth).max().unwrap_or(0);
        let (width, height) = (columns * HALF + BOX + 2 * MARGIN, (depth + 1) * ROW + MARGIN);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"11\">\n"
        );
        for (from, to, label) in &self.edges {
            let ((x1, y1), (x2, y2)) = (at(*from), at(*to));
            let (x1, x2, y1) = (x1 + BOX / 2, x2 + BOX / 2, y1 + height_of(*from));
            let _ = writeln!(out, "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"black\"/>");
            let (x, y) = ((x1 + x2) / 2 + 3, y2 - 6);
            let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\" fill=\"#444\">{}</text>", escaped(label));
        }
        for (from, to) in &self.coverings {
            let ((x1, y1), (x2, y2)) = (at(*from), at(*to));
            let (x1, y1, x2) = (x1 + BOX, y1 + 8, x2 + BOX);
            let bend = x1.max(x2) + HALF / 2;
            let _ = writeln!(
                out,
                "<path d=\"M {x1} {y1} C {bend} {y1}, {bend} {y2}, {x2} {y2}\" fill=\"none\" stroke=\"#06c\" stroke-dasharray=\"4 3\"/>"
            );
        }
        for (number, node) in self.nodes.iter().enumerate() {
            let ((x, y), height) = (at(number), height_of(number));
            let _ = writeln!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{BOX}\" height=\"{height}\" fill=\"#f6f6f6\" stroke=\"black\"/>"
            );
            for (number, line) in (1..).zip(&node.lines) {
                let (x, y) = (x + 4, y + number * LINE);
                let line = escaped(&selvedge_report::source::shortened(line, 60));
                let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\">{line}</text>");
            }
        }
        out + "</svg>\n"
    }
}

/// Measures of the drawing, in pixels: the edge of the page, half a column, a row, a box, a line of text.
const MARGIN: usize = 12;
const HALF: usize = 180;
const ROW: usize = 190;
const BOX: usize = 320;
const LINE: usize = 14;
