//! Declarations: the top level of the grammar.

use selvedge_ir::Span;

use super::{Parsed, Parser, Reported};
use crate::ast::{Declaration, DeclarationKind, Expr, Initial, Name};
use crate::diagnostic::Diagnostic;
use crate::token::TokenKind;

impl Parser<'_> {
    pub(super) fn program(&mut self) -> Vec<Declaration> {
        let mut declarations = Vec::new();
        while !self.at_end() {
            let before = self.position;
            if let Err(Reported) = self.declaration(&mut declarations) {
                if self.position == before {
                    self.advance();
                }
                self.skip_declaration();
            }
        }
        declarations
    }

    fn declaration(&mut self, declarations: &mut Vec<Declaration>) -> Parsed<()> {
        let token = self.token();
        let TokenKind::Fixed(keyword) = token.kind else { return self.fail_no_declaration() };
        match keyword {
            "const" | "shared" | "mutex" | "condvar" | "barrier" => {
                self.declarators(keyword, declarations)?
            }
            "fn" => declarations.push(self.function()?),
            "thread" => declarations.push(self.thread()?),
            "finally" => declarations.push(self.finally()?),
            ";" => self.advance(),
            _ => return self.fail_no_declaration(),
        }
        Ok(())
    }

    fn fail_no_declaration<T>(&mut self) -> Parsed<T> {
        let token = self.token();
        let message = format!("expected a declaration, found `{}`", token.span.text(self.text));
        let help = "a program consists of `const`, `shared`, `mutex`, `condvar`, `barrier`, `fn`, `thread` and \
                    `finally`; statements belong into a `thread`";
        self.fail(Diagnostic::new(token.span, message, "not a declaration").help(help))
    }

    /// `keyword declarator, declarator, … ;`
    fn declarators(&mut self, keyword: &str, declarations: &mut Vec<Declaration>) -> Parsed<()> {
        self.advance();
        loop {
            let name = self.new_name("what is declared")?;
            let kind = self.declarator(keyword)?;
            let span = name.span.to(self.previous_span());
            declarations.push(Declaration { name, kind, span });
            if !self.eat(",") {
                break;
            }
        }
        match self.at("}") {
            true => self.fail_expected("`;` after the declaration"),
            false => self.end_of_statement(),
        }
    }

    fn declarator(&mut self, keyword: &str) -> Parsed<DeclarationKind> {
        match keyword {
            "const" => {
                self.expect("=", "and the value of the constant")?;
                Ok(DeclarationKind::Const(self.expression()?))
            }
            "mutex" => Ok(DeclarationKind::Mutex(self.length()?)),
            "condvar" => Ok(DeclarationKind::Condvar(self.length()?)),
            "barrier" => {
                self.expect("(", "and the number of threads that the barrier waits for")?;
                let width = self.expression()?;
                self.expect(")", "after the number of threads")?;
                Ok(DeclarationKind::Barrier(width))
            }
            _ => {
                let length = self.length()?;
                Ok(DeclarationKind::Shared { length, initial: self.initial()? })
            }
        }
    }

    /// `[length]`, or nothing.
    pub(super) fn length(&mut self) -> Parsed<Option<Expr>> {
        if !self.eat("[") {
            return Ok(None);
        }
        let length = self.expression()?;
        self.expect("]", "after the length")?;
        if self.at("[") {
            return self.fail_nested_array();
        }
        Ok(Some(length))
    }

    pub(super) fn fail_nested_array<T>(&mut self) -> Parsed<T> {
        let message = "there are no arrays of arrays";
        let help = "use one array and compute the index, as in `a[row * WIDTH + column]`";
        self.fail(Diagnostic::new(self.token().span, message, "a second index").help(help))
    }

    /// `= value`, `= [value, …]`, `= {value, …}`, or nothing.
    pub(super) fn initial(&mut self) -> Parsed<Option<Initial>> {
        if !self.eat("=") {
            return Ok(None);
        }
        let open = self.token().span;
        if self.eat("[") {
            return self.initial_list(open, "]").map(Some);
        }
        if self.eat("{") {
            return self.initial_list(open, "}").map(Some);
        }
        Ok(Some(Initial::One(self.expression()?)))
    }

    fn initial_list(&mut self, open: Span, close: &str) -> Parsed<Initial> {
        let mut values = Vec::new();
        while !self.at(close) {
            values.push(self.expression()?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(close, "at the end of the list")?;
        Ok(Initial::List(values, open.to(self.previous_span())))
    }

    fn function(&mut self) -> Parsed<Declaration> {
        let start = self.token().span;
        self.advance();
        let name = self.new_name("the function")?;
        self.expect("(", "and the parameters")?;
        let mut parameters = Vec::new();
        while !self.at(")") {
            parameters.push(self.new_name("a parameter")?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")", "after the parameters")?;
        let span = start.to(self.previous_span());
        let body = self.braced_block()?;
        Ok(Declaration { name, kind: DeclarationKind::Function { parameters, body }, span })
    }

    fn thread(&mut self) -> Parsed<Declaration> {
        let start = self.token().span;
        self.advance();
        let name = self.new_name("the thread")?;
        let count = self.length()?;
        let span = start.to(self.previous_span());
        let body = self.braced_block()?;
        Ok(Declaration { name, kind: DeclarationKind::Thread { count, body }, span })
    }

    fn finally(&mut self) -> Parsed<Declaration> {
        let span = self.token().span;
        self.advance();
        let body = self.braced_block()?;
        let name = Name { text: "finally".to_string(), span };
        Ok(Declaration { name, kind: DeclarationKind::Finally(body), span })
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnostic::Diagnostics;
    use crate::{lexer, parser};

    /// Names and covered texts of the declarations.
    fn declared(text: &str) -> Vec<(String, String)> {
        let mut diagnostics = Diagnostics::default();
        let tokens = lexer::tokens(text, &mut diagnostics);
        let declarations = parser::parse(text, &tokens, &mut diagnostics);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        declarations.into_iter().map(|d| (d.name.text, d.span.text(text).to_string())).collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(name, text)| ((*name).to_string(), (*text).to_string())).collect()
    }

    #[test]
    fn one_keyword_declares_several_names() {
        let declarations = declared("shared x = 0, a[2] = [1, 2], f[2] = {true, false,}; mutex m, n[3];");
        let texts = [
            ("x", "x = 0"),
            ("a", "a[2] = [1, 2]"),
            ("f", "f[2] = {true, false,}"),
            ("m", "m"),
            ("n", "n[3]"),
        ];
        assert_eq!(declarations, pairs(&texts));
    }

    #[test]
    fn a_declaration_with_a_body_covers_its_head() {
        let declarations = declared("fn f(a, b) { return a; } thread t[N - 1] { skip } finally { }");
        assert_eq!(
            declarations,
            pairs(&[("f", "fn f(a, b)"), ("t", "thread t[N - 1]"), ("finally", "finally")])
        );
    }
}
