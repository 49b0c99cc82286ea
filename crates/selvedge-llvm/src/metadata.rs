//! Metadata: the nodes of the debug information, as they are written.

use std::collections::HashMap;

/// All nodes of a module, by their numbers.
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    nodes: HashMap<u32, Node>,
    next: u32,
}

/// A node: a name with fields, or a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its kind, as `DILocation`; empty for a list.
    pub kind: String,
    /// Its fields; those of a list have no name.
    pub fields: Vec<(String, Field)>,
}

/// What a field holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Field {
    /// Another node.
    Node(u32),
    /// A number.
    Number(i64),
    /// A text, or a word.
    Text(String),
    /// Nothing of interest.
    Other,
}

/// Numbers above all that a text uses, for nodes that are written inside others.
const INNER: u32 = 1 << 31;

impl Metadata {
    /// Adds a node.
    pub fn insert(&mut self, number: u32, node: Node) {
        self.nodes.insert(number, node);
    }

    /// Adds a node that has no number of its own.
    pub fn insert_inner(&mut self, node: Node) -> u32 {
        let number = INNER + self.next;
        self.next += 1;
        self.nodes.insert(number, node);
        number
    }

    /// A node.
    pub fn node(&self, number: u32) -> Option<&Node> {
        self.nodes.get(&number)
    }

    /// The file that a scope belongs to: its name, and the directory it is relative to.
    pub fn file_of(&self, scope: u32) -> Option<(&str, &str)> {
        let mut at = scope;
        for _ in 0..100 {
            let node = self.node(at)?;
            if node.kind == "DIFile" {
                return Some((node.text("filename")?, node.text("directory").unwrap_or("")));
            }
            at = node.reference("file").or_else(|| node.reference("scope"))?;
        }
        None
    }

    /// The name of a described variable or function.
    pub fn name_of(&self, number: u32) -> Option<&str> {
        let node = self.node(number)?;
        match node.kind.as_str() {
            "DIGlobalVariableExpression" => self.name_of(node.reference("var")?),
            _ => node.text("name"),
        }
    }

    /// The described type of a variable.
    pub fn type_of(&self, number: u32) -> Option<u32> {
        let node = self.node(number)?;
        match node.kind.as_str() {
            "DIGlobalVariableExpression" => self.type_of(node.reference("var")?),
            _ => node.reference("type"),
        }
    }
}

impl Node {
    /// A field.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|f| f.0 == name).map(|f| &f.1)
    }

    /// A field that is a node.
    pub fn reference(&self, name: &str) -> Option<u32> {
        match self.field(name)? {
            Field::Node(number) => Some(*number),
            _ => None,
        }
    }

    /// A field that is a number.
    pub fn number(&self, name: &str) -> Option<i64> {
        match self.field(name)? {
            Field::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// A field that is a text.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.field(name)? {
            Field::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The elements of a list.
    pub fn elements(&self) -> impl Iterator<Item = u32> {
        self.fields.iter().filter_map(|(_, field)| match field {
            Field::Node(number) => Some(*number),
            _ => None,
        })
    }
}
