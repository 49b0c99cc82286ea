//! The top level of a module: types, global variables, aliases, attributes.

use super::Parser;
use super::cursor::Parsed;
use crate::lexer::Token;
use crate::module::{Definition, Global};
use crate::types::Type;

/// Words before the type of a global variable.
const LINKAGE: [&str; 23] = [
    "private",
    "internal",
    "available_externally",
    "linkonce",
    "weak",
    "common",
    "appending",
    "extern_weak",
    "linkonce_odr",
    "weak_odr",
    "external",
    "dso_local",
    "dso_preemptable",
    "default",
    "hidden",
    "protected",
    "dllimport",
    "dllexport",
    "local_unnamed_addr",
    "unnamed_addr",
    "externally_initialized",
    "thread_local",
    "code_model",
];

impl Parser {
    pub(super) fn module(&mut self) -> Parsed<()> {
        while let Some(token) = self.cursor.peek().cloned() {
            match token {
                Token::Word(word) if word == "define" => self.function_definition()?,
                Token::Word(word) if word == "declare" => self.function_declaration()?,
                Token::Word(word) if word == "target" => self.target()?,
                Token::Local(name) => self.type_definition(&name)?,
                Token::Global(name) => self.global(&name)?,
                Token::MetadataNumber(number) => {
                    self.cursor.next()?;
                    self.numbered_metadata(number)?;
                }
                _ => self.cursor.skip_line(),
            }
        }
        Ok(())
    }

    fn target(&mut self) -> Parsed<()> {
        self.cursor.next()?;
        let what = self.cursor.word()?;
        self.cursor.expect(b'=')?;
        if let Token::Text(text) = self.cursor.next()?
            && what == "datalayout"
        {
            let text = String::from_utf8_lossy(&text).into_owned();
            self.module.types.wide_alignment = text.split('-').any(|part| part == "i128:128");
            if text.split('-').any(|part| part.starts_with("p:32")) {
                self.module.types.narrow = true;
            }
            if text.starts_with('E') {
                return Err(self.cursor.error("big-endian targets are not supported"));
            }
        }
        Ok(())
    }

    fn type_definition(&mut self, name: &str) -> Parsed<()> {
        self.cursor.next()?;
        self.cursor.expect(b'=')?;
        self.cursor.expect_word("type")?;
        let body = self.ty()?;
        if self.module.types.get(body) != &Type::Opaque {
            self.module.types.define(name, body);
        }
        Ok(())
    }

    fn global(&mut self, name: &str) -> Parsed<()> {
        self.cursor.next()?;
        self.cursor.expect(b'=')?;
        let symbol = self.module.symbol(name);
        let (mut is_external, mut is_thread_local) = (false, false);
        loop {
            match self.cursor.peek() {
                Some(Token::Word(word)) if LINKAGE.contains(&word.as_str()) => {
                    is_external |= matches!(word.as_str(), "external" | "extern_weak");
                    is_thread_local |= word == "thread_local";
                    self.cursor.next()?;
                    if self.cursor.is_sign(b'(') {
                        self.cursor.skip_group()?;
                    }
                }
                Some(Token::Word(word)) if word == "addrspace" => {
                    self.cursor.next()?;
                    self.cursor.skip_group()?;
                }
                _ => break,
            }
        }
        let kind = self.cursor.word()?;
        if kind == "alias" || kind == "ifunc" {
            let line = self.cursor.line();
            let ty = self.ty()?;
            self.cursor.expect(b',')?;
            // A target that is an expression has no type before it.
            let target = match self.cursor.peek() {
                Some(Token::Word(word))
                    if matches!(word.as_str(), "bitcast" | "getelementptr" | "inttoptr") =>
                {
                    crate::constant::TypedConstant { ty, value: self.constant(ty)? }
                }
                _ => self.typed_constant()?,
            };
            self.module.define(symbol, Definition::Alias(target));
            if self.cursor.is_on(line) {
                self.cursor.skip_line();
            }
            return Ok(());
        }
        let line = self.cursor.line();
        let ty = self.ty()?;
        let is_defined = !is_external && self.cursor.is_on(line) && !self.cursor.is_sign(b',');
        let initial = match is_defined {
            true => {
                let value = self.constant(ty)?;
                Some(crate::constant::TypedConstant { ty, value })
            }
            false => None,
        };
        let alignment = self.alignment_on(line);
        let debug = self.attachments(line)?;
        let is_constant = kind == "constant";
        self.module.define(symbol, Definition::Global(self.module.globals.len()));
        let global = Global { symbol, ty, initial, is_constant, is_thread_local, debug, alignment };
        self.module.globals.push(global);
        Ok(())
    }

    /// Passes what follows a global variable or the head of a function; the number of its `!dbg`.
    /// The alignment that the rest of a line states. The cursor stays where it is.
    pub(super) fn alignment_on(&mut self, line: usize) -> Option<u32> {
        let start = self.cursor.place();
        let mut alignment = None;
        while alignment.is_none() && self.cursor.is_on(line) {
            if self.cursor.is_word("align")
                && let Some(Token::Int(number)) = self.cursor.peek_second()
            {
                alignment = u32::try_from(*number).ok().filter(|number| number.is_power_of_two());
            }
            self.cursor.next().ok()?;
        }
        self.cursor.go_to(start);
        alignment
    }

    pub(super) fn attachments(&mut self, line: usize) -> Parsed<Option<u32>> {
        let mut debug = None;
        while self.cursor.is_on(line) && !self.cursor.is_sign(b'{') {
            match self.cursor.next()? {
                Token::MetadataName(name) => {
                    let number = self.metadata_number()?;
                    if name == "dbg" {
                        debug = number;
                    }
                }
                Token::Sign(b'(') => {
                    self.cursor.go_to(self.cursor.place() - 1);
                    self.cursor.skip_group()?;
                }
                _ => {}
            }
        }
        Ok(debug)
    }
}
