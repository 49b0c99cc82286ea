//! From tokens to the tree, by the parser rules of [Metzler2014, Fig. A.1].
//!
//! The cursor is that of the other language. This file holds declarations, process blocks and recovery: after a
//! mistake the parser goes on at what can only be the beginning of a statement or the end of a block.

mod expressions;
mod statements;

use std::collections::BTreeSet;

use super::ast::{Declaration, Number, Process, Sort, System};
use super::lexer::Lexed;
use crate::ast::Name;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::parser::{Parsed, Parser, Reported};
use crate::token::TokenKind;

/// The tree of a program; nothing, after a report, if there is hardly any.
pub fn parse(source: &str, lexed: &Lexed, diagnostics: &mut Diagnostics) -> Option<System> {
    let cursor = Parser::new(source, &lexed.tokens, diagnostics);
    Grammar { cursor, lexed, indexed: BTreeSet::new() }.system().ok()
}

struct Grammar<'t> {
    cursor: Parser<'t>,
    lexed: &'t Lexed<'t>,
    indexed: BTreeSet<String>,
}

impl Grammar<'_> {
    /// `declaration_list process_block+`
    fn system(mut self) -> Parsed<System> {
        let (proc_count, declarations) = self.declaration_list()?;
        let mut processes = Vec::new();
        if self.cursor.at_end() {
            return self.cursor.fail_expected("`[` and the first process");
        }
        while !self.cursor.at_end() {
            let start = self.cursor.position;
            match self.process_block() {
                Ok(process) => processes.push(process),
                Err(Reported) => self.skip_process(),
            }
            if self.cursor.position == start {
                self.cursor.advance();
            }
        }
        Ok(System { proc_count, declarations, processes, indexed: self.indexed })
    }

    /// `< "name"? proc_count (, declaration)* ,? >`
    fn declaration_list(&mut self) -> Parsed<(Number, Vec<Declaration>)> {
        self.cursor.expect("<", "and the declarations")?;
        if self.cursor.token().kind == TokenKind::Text {
            self.cursor.advance();
        }
        let proc_count = self.number("the number of processes")?;
        let mut declarations = Vec::new();
        while self.cursor.eat(",") && !self.cursor.at(">") {
            match self.declaration() {
                Ok(declaration) => declarations.push(declaration),
                Err(Reported) => self.skip_declaration(),
            }
        }
        self.cursor.expect(">", "at the end of the declarations")?;
        Ok((proc_count, declarations))
    }

    /// `(local | const)? ID length init_values`
    fn declaration(&mut self) -> Parsed<Declaration> {
        let sort = match self.cursor.token().kind {
            TokenKind::Fixed("local") => Sort::Local,
            TokenKind::Fixed("const") => Sort::Const,
            _ => Sort::Shared,
        };
        if sort != Sort::Shared {
            self.cursor.advance();
        }
        let name = self.name("the name of a variable")?;
        let length = self.number("the length of the variable, 1 for a single value")?;
        let mut init_values = Vec::new();
        while ![",", ">"].iter().any(|end| self.cursor.at(end)) {
            init_values.push(self.number("an initial value, `,` or `>`")?);
        }
        Ok(Declaration { sort, name, length, init_values })
    }

    /// `[ block ]`
    fn process_block(&mut self) -> Parsed<Process> {
        let start = self.cursor.token().span;
        self.cursor.expect("[", "and a process")?;
        let block = self.block("]")?;
        self.cursor.expect("]", "at the end of the process")?;
        Ok(Process { block, span: start.to(self.cursor.previous_span()) })
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.cursor.token();
        if token.kind != TokenKind::Name {
            return self.cursor.fail_expected(what);
        }
        let text = self.lexed.word(self.cursor.position).to_string();
        self.cursor.advance();
        Ok(Name { text, span: token.span })
    }

    fn number(&mut self, what: &str) -> Parsed<Number> {
        let token = self.cursor.token();
        if self.cursor.at("-") {
            let message = "numbers have no sign here";
            let help = "write `0 - 1` in an expression; initial values are not negative";
            return self.cursor.fail(Diagnostic::new(token.span, message, "a sign").help(help));
        }
        let TokenKind::Integer(value) = token.kind else { return self.cursor.fail_expected(what) };
        self.cursor.advance();
        Ok(Number { value: i64::try_from(value).unwrap_or(i64::MAX), span: token.span })
    }

    /// Runs `parse` one level deeper, unless that is too deep.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.cursor.descend()?;
        let result = parse(self);
        self.cursor.ascend();
        result
    }

    /// Whether the token that comes so many tokens after the next one is this one.
    fn ahead(&self, distance: usize, text: &str) -> bool {
        let token = self.lexed.tokens.get(self.cursor.position + distance);
        token.is_some_and(|token| matches!(token.kind, TokenKind::Fixed(fixed) if fixed == text))
    }

    fn skip_declaration(&mut self) {
        while !self.cursor.at_end() && ![",", ">", "["].iter().any(|end| self.cursor.at(end)) {
            self.cursor.advance();
        }
    }

    /// Skips to behind the end of a process.
    fn skip_process(&mut self) {
        while !self.cursor.at_end() {
            let ends = self.at_process_end();
            self.cursor.advance();
            if ends {
                return;
            }
        }
    }

    /// Whether the next token ends a process and not an index.
    fn at_process_end(&self) -> bool {
        let last = self.lexed.tokens.len().saturating_sub(1);
        self.cursor.at("]") && (self.ahead(1, "[") || self.cursor.position + 1 == last)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{expansion, lexer};
    use super::*;

    fn parsed(source: &str) -> (Option<System>, Vec<String>) {
        let mut diagnostics = Diagnostics::default();
        let expansion = expansion::expand(source, &mut diagnostics);
        let lexed = lexer::tokens(&expansion, &mut diagnostics);
        let system = parse(source, &lexed, &mut diagnostics);
        (system, diagnostics.into_sorted().into_iter().map(|d| d.message).collect())
    }

    fn system(source: &str) -> System {
        match parsed(source) {
            (Some(system), messages) if messages.is_empty() => system,
            (_, messages) => panic!("{source}: {messages:?}"),
        }
    }

    #[test]
    fn declarations_may_be_repeated_and_end_with_a_comma() {
        let system = system("<\"a name\" 1, const c 1 4, <{3 local x$ 2 $ 1, }>>[x0 := 1]");
        assert_eq!(system.declarations.len(), 4);
        assert_eq!(system.declarations[3].name.text, "x2");
        assert_eq!(system.declarations[3].sort, Sort::Local);
        let values: Vec<i64> = system.declarations[3].init_values.iter().map(|number| number.value).collect();
        assert_eq!(values, [2, 1]);
    }

    #[test]
    fn the_name_and_the_declarations_may_be_missing() {
        assert_eq!(system("<2> [x := 1] [x := 2]").processes.len(), 2);
    }

    #[test]
    fn one_run_finds_several_mistakes() {
        let source = "<2, x, y 1 -1, z 1> [x := ; y := 1 if x then { y + 2 }] [x[+] := 2 y :=] [z := 1]";
        let (_, messages) = parsed(source);
        assert_eq!(messages.len(), 7, "{messages:#?}");
    }

    #[test]
    fn a_mistake_in_a_repetition_is_reported_once() {
        let (_, messages) = parsed("<200, x 1> <{200 [x := $ + ] }> [x := ]");
        assert_eq!(messages.len(), 2, "{messages:#?}");
    }

    #[test]
    fn a_program_has_declarations_and_a_process() {
        assert_eq!(parsed("").1, ["expected `<` and the declarations, found the end of the program"]);
        assert_eq!(parsed("<0>").1, ["expected `[` and the first process, found the end of the program"]);
    }
}
