//! The data of a certificate and its text.

use std::fmt::{self, Write};

/// What a tree is claimed to prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Nothing goes wrong, whatever the schedule.
    AllSchedules,
    /// Nothing goes wrong under the schedules of the tree, which are fair and exist for every input.
    SomeSchedules,
}

/// A proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// Which program it is about: the [`fingerprint`] of its text form.
    pub program: u64,
    /// What it proves.
    pub claim: Claim,
    /// Places, each of a thread, at which nobody else is let in.
    pub interior: Vec<(usize, usize)>,
    /// The nodes; the first is the root.
    pub nodes: Vec<Node>,
}

/// A node of the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Where each thread stands.
    pub places: Vec<u32>,
    /// What holds there: conjuncts in SMT-LIB, with the names of the variables.
    pub label: Vec<String>,
    /// The threads that are expanded.
    pub expanded: Vec<usize>,
    /// The threads that need not be.
    pub skipped: Vec<usize>,
    /// For a thread and one of its transitions, the node after.
    pub edges: Vec<(usize, usize, usize)>,
    /// The node that covers it.
    pub covered_by: Option<usize>,
}

/// A number for a program, by which a certificate for another program is recognised (FNV-1a).
pub fn fingerprint(program: &selvedge_ir::Program) -> u64 {
    let text = selvedge_ir::print::print(program);
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A text that is no certificate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the certificate: {what}")]
pub struct FormatError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub what: &'static str,
}

const HEAD: &str = "selvedge certificate 1";

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let claim = match self.claim {
            Claim::AllSchedules => "all schedules",
            Claim::SomeSchedules => "some schedules",
        };
        writeln!(f, "{HEAD}\nprogram {:016x}\nclaim {claim}", self.program)?;
        let mut interior = String::new();
        for (thread, place) in &self.interior {
            write!(interior, " {thread}:{place}")?;
        }
        writeln!(f, "interior{interior}")?;
        let list = |name: &str, numbers: &mut dyn Iterator<Item = usize>| {
            let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
            format!("  {name} {}", numbers.join(" "))
        };
        for (number, node) in self.nodes.iter().enumerate() {
            writeln!(f, "node {number}")?;
            writeln!(f, "{}", list("at", &mut node.places.iter().map(|&place| place as usize)))?;
            for conjunct in &node.label {
                writeln!(f, "  label {conjunct}")?;
            }
            if !node.expanded.is_empty() {
                writeln!(f, "{}", list("expanded", &mut node.expanded.iter().copied()))?;
            }
            if !node.skipped.is_empty() {
                writeln!(f, "{}", list("skipped", &mut node.skipped.iter().copied()))?;
            }
            for (thread, transition, child) in &node.edges {
                writeln!(f, "  edge {thread} {transition} {child}")?;
            }
            if let Some(by) = node.covered_by {
                writeln!(f, "  covered {by}")?;
            }
        }
        writeln!(f, "end")
    }
}

impl Certificate {
    /// Reads the text of a certificate.
    ///
    /// # Errors
    /// When the text is none.
    pub fn parse(text: &str) -> Result<Certificate, FormatError> {
        let mut certificate =
            Certificate { program: 0, claim: Claim::SomeSchedules, interior: Vec::new(), nodes: Vec::new() };
        let mut is_ended = false;
        for (number, line) in (1..).zip(text.lines()) {
            let fail = |what| FormatError { line: number, what };
            if number == 1 {
                if line != HEAD {
                    return Err(fail("this is no certificate of version 1"));
                }
                continue;
            }
            if is_ended {
                return Err(fail("something comes after the end"));
            }
            is_ended = line == "end";
            certificate.line(line).map_err(fail)?;
        }
        match is_ended {
            true => Ok(certificate),
            false => Err(FormatError { line: text.lines().count(), what: "the end is missing" }),
        }
    }

    fn line(&mut self, line: &str) -> Result<(), &'static str> {
        let (word, rest) = line.trim_start().split_once(' ').unwrap_or((line.trim_start(), ""));
        let numbers = || -> Result<Vec<usize>, &'static str> {
            rest.split_whitespace().map(|n| n.parse().map_err(|_| "a number is expected")).collect()
        };
        if let ("at" | "label" | "expanded" | "skipped" | "edge" | "covered", None) =
            (word, self.nodes.last())
        {
            return Err("this belongs to a node, but there is none yet");
        }
        let node = self.nodes.last_mut();
        match (word, node) {
            ("program", _) => {
                self.program = u64::from_str_radix(rest, 16).map_err(|_| "a fingerprint is expected")?
            }
            ("claim", _) => {
                self.claim = match rest {
                    "all schedules" => Claim::AllSchedules,
                    "some schedules" => Claim::SomeSchedules,
                    _ => return Err("this claim is not known"),
                }
            }
            ("interior", _) => {
                for pair in rest.split_whitespace() {
                    let pair =
                        pair.split_once(':').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
                    self.interior.push(pair.ok_or("a thread and a place are expected")?);
                }
            }
            ("node", _) => {
                if numbers()? != [self.nodes.len()] {
                    return Err("the nodes are not in order");
                }
                self.nodes.push(Node::default());
            }
            ("at", Some(node)) => node.places = numbers()?.into_iter().map(|place| place as u32).collect(),
            ("label", Some(node)) => node.label.push(rest.to_owned()),
            ("expanded", Some(node)) => node.expanded = numbers()?,
            ("skipped", Some(node)) => node.skipped = numbers()?,
            ("edge", Some(node)) => match numbers()?[..] {
                [thread, transition, child] => node.edges.push((thread, transition, child)),
                _ => return Err("a thread, a transition and a node are expected"),
            },
            ("covered", Some(node)) => match numbers()?[..] {
                [by] => node.covered_by = Some(by),
                _ => return Err("a node is expected"),
            },
            ("end", _) => {}
            _ => return Err("this is not understood"),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_reads_back() {
        let node = Node {
            places: vec![3, 4],
            label: vec!["(<= |a b| 5)".to_owned()],
            expanded: vec![0],
            skipped: vec![1],
            edges: vec![(0, 2, 1)],
            covered_by: None,
        };
        let other = Node { places: vec![3, 4], covered_by: Some(0), ..Node::default() };
        let certificate = Certificate {
            program: 77,
            claim: Claim::AllSchedules,
            interior: vec![(0, 5)],
            nodes: vec![node, other],
        };
        assert_eq!(Certificate::parse(&certificate.to_string()), Ok(certificate));
    }

    #[test]
    fn other_texts_are_refused_with_their_line() {
        for (text, line) in [
            ("", 0),
            ("hello", 1),
            ("selvedge certificate 1\nat 3\nend", 2),
            ("selvedge certificate 1\nnode 0\n", 2),
            ("selvedge certificate 1\nnode 1\nend\n", 2),
        ] {
            assert_eq!(Certificate::parse(text).map_err(|error| error.line), Err(line), "{text:?}");
        }
    }
}
