//! Metadata nodes.

use super::Parser;
use super::cursor::Parsed;
use crate::lexer::Token;
use crate::metadata::{Field, Node};

impl Parser {
    /// A node after its number: `= distinct !DILocation(…)` or `= !{…}`.
    pub(super) fn numbered_metadata(&mut self, number: u32) -> Parsed<()> {
        self.cursor.expect(b'=')?;
        self.cursor.take_words(&["distinct"]);
        if let Some(node) = self.node()? {
            self.module.metadata.insert(number, node);
        }
        Ok(())
    }

    /// A node that is written out; nothing if it is something without interest.
    fn node(&mut self) -> Parsed<Option<Node>> {
        match self.cursor.next()? {
            Token::MetadataName(kind) => {
                let mut fields = Vec::new();
                self.cursor.expect(b'(')?;
                while !self.cursor.take(b')') {
                    match self.cursor.peek().cloned() {
                        Some(Token::Label(name)) => {
                            self.cursor.next()?;
                            fields.push((name, self.field()?));
                        }
                        Some(Token::Sign(b'(' | b'[' | b'{')) => self.cursor.skip_group()?,
                        _ => {
                            self.cursor.next()?;
                        }
                    }
                }
                Ok(Some(Node { kind, fields }))
            }
            Token::Bang if self.cursor.take(b'{') => {
                let mut fields = Vec::new();
                while !self.cursor.take(b'}') {
                    let field = self.field()?;
                    fields.push((String::new(), field));
                    self.cursor.take(b',');
                }
                Ok(Some(Node { kind: String::new(), fields }))
            }
            _ => Ok(None),
        }
    }

    fn field(&mut self) -> Parsed<Field> {
        let field = match self.cursor.peek() {
            Some(Token::MetadataNumber(number)) => Field::Node(*number),
            Some(Token::Int(number)) => Field::Number(*number as i64),
            Some(Token::Text(text)) => Field::Text(String::from_utf8_lossy(text).into_owned()),
            Some(Token::Word(word)) => Field::Text(word.clone()),
            Some(Token::MetadataName(_)) => match self.node()? {
                Some(node) => return Ok(Field::Node(self.module.metadata.insert_inner(node))),
                None => return Ok(Field::Other),
            },
            _ => Field::Other,
        };
        let start = self.cursor.place();
        // Up to the comma or the end of the node: flags joined by `|`, constants with their type.
        loop {
            match self.cursor.peek() {
                Some(Token::Sign(b',' | b')' | b'}')) | None => break,
                Some(Token::Sign(b'(' | b'[' | b'{')) => self.cursor.skip_group()?,
                _ => {
                    self.cursor.next()?;
                }
            }
        }
        let is_single = self.cursor.place() == start + 1;
        Ok(if is_single { field } else { Field::Other })
    }

    /// Metadata as an operand of an intrinsic, or attached to something.
    pub(super) fn metadata_number(&mut self) -> Parsed<Option<u32>> {
        match self.cursor.peek() {
            Some(Token::MetadataNumber(number)) => {
                let number = *number;
                self.cursor.next()?;
                Ok(Some(number))
            }
            _ => Ok(self.node()?.map(|node| self.module.metadata.insert_inner(node))),
        }
    }
}
