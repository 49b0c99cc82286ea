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
    /// Which program it is about: its [`fingerprint`].
    pub program: String,
    /// What it proves.
    pub claim: Claim,
    /// Places, each of a thread, at which no other thread is let in.
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

/// A program's fingerprint, by which a certificate or a schedule for another program is recognised: BLAKE3 of its text form without
/// paths and spans, in hexadecimal digits. It depends on the content of the program alone: not on where its file is, nor on comments.
pub fn fingerprint(program: &selvedge_ir::Program) -> String {
    let text = selvedge_ir::print::print_without_places(program);
    blake3::hash(text.as_bytes()).to_hex().to_string()
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

/// The first line of every certificate.
pub(crate) const HEAD: &str = "selvedge certificate 2";
const OTHER_VERSION: &str = "this is a certificate of another version of the format; this program reads version 2: write it again with \
                             `selvedge prove --certificate`";

/// Whether this is the first line of a certificate that can be read.
pub(crate) fn is_head(line: &str) -> Result<(), &'static str> {
    match line {
        HEAD => Ok(()),
        _ if line.starts_with("selvedge certificate ") => Err(OTHER_VERSION),
        _ => Err("this is no certificate"),
    }
}

/// The fingerprint that a word is.
pub(crate) fn fingerprint_of(word: &str) -> Result<String, &'static str> {
    let is_fingerprint = word.len() == 64 && word.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_fingerprint.then(|| word.to_owned()).ok_or("a fingerprint is expected")
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let claim = match self.claim {
            Claim::AllSchedules => "all schedules",
            Claim::SomeSchedules => "some schedules",
        };
        writeln!(f, "{HEAD}\nprogram {}\nclaim {claim}", self.program)?;
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
        let mut reader = Reader::default();
        let mut is_ended = false;
        for (number, line) in (1..).zip(text.lines()) {
            let fail = |what| FormatError { line: number, what };
            match number {
                1 => is_head(line).map_err(fail)?,
                _ if is_ended => return Err(fail("something comes after the end")),
                _ => {
                    is_ended = line == "end";
                    reader.line(line).map_err(fail)?;
                }
            }
        }
        let last = text.lines().count();
        match is_ended {
            true => reader.end().map_err(|what| FormatError { line: last, what }),
            false => Err(FormatError { line: last, what: "the end is missing" }),
        }
    }
}

/// What has been read of a certificate. Every line counts: none may be missing or come twice.
#[derive(Default)]
struct Reader {
    program: Option<String>,
    claim: Option<Claim>,
    interior: Option<Vec<(usize, usize)>>,
    nodes: Vec<Node>,
}

/// Sets what may be set once.
fn once<T>(slot: &mut Option<T>, value: T) -> Result<(), &'static str> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err("this was said before"),
    }
}

impl Reader {
    fn end(self) -> Result<Certificate, &'static str> {
        Ok(Certificate {
            program: self.program.ok_or("the program is missing")?,
            claim: self.claim.ok_or("the claim is missing")?,
            interior: self.interior.ok_or("the interior places are missing")?,
            nodes: self.nodes,
        })
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
        match (word, self.nodes.last_mut()) {
            ("program", None) => once(&mut self.program, fingerprint_of(rest)?)?,
            ("claim", None) => {
                let claim = match rest {
                    "all schedules" => Claim::AllSchedules,
                    "some schedules" => Claim::SomeSchedules,
                    _ => return Err("this claim is not known"),
                };
                once(&mut self.claim, claim)?;
            }
            ("interior", None) => {
                let place = |pair: &str| {
                    let pair =
                        pair.split_once(':').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
                    pair.ok_or("a thread and a place are expected")
                };
                once(&mut self.interior, rest.split_whitespace().map(place).collect::<Result<_, _>>()?)?;
            }
            ("node", _) => {
                if numbers()? != [self.nodes.len()] {
                    return Err("the nodes are not in order");
                }
                self.nodes.push(Node::default());
            }
            ("at", Some(node)) if node.places.is_empty() => {
                let place = |place| u32::try_from(place).map_err(|_| "a place is expected");
                node.places = numbers()?.into_iter().map(place).collect::<Result<_, _>>()?;
            }
            ("label", Some(node)) => node.label.push(rest.to_owned()),
            ("expanded", Some(node)) if node.expanded.is_empty() => node.expanded = numbers()?,
            ("skipped", Some(node)) if node.skipped.is_empty() => node.skipped = numbers()?,
            ("edge", Some(node)) => match numbers()?[..] {
                [thread, transition, child] => node.edges.push((thread, transition, child)),
                _ => return Err("a thread, a transition and a node are expected"),
            },
            ("covered", Some(node)) => match numbers()?[..] {
                [by] => once(&mut node.covered_by, by)?,
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
            program: "77".repeat(32),
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
            ("selvedge certificate 1\nclaim all schedules\nend\n", 1),
            ("selvedge certificate 2\nclaim all schedules\nclaim all schedules\nend\n", 3),
            ("selvedge certificate 2\nclaim all schedules\nend\n", 3),
            ("selvedge certificate 2\nat 3\nend", 2),
            ("selvedge certificate 2\nnode 0\n", 2),
            ("selvedge certificate 2\nnode 1\nend\n", 2),
        ] {
            assert_eq!(Certificate::parse(text).map_err(|error| error.line), Err(line), "{text:?}");
        }
    }
}
