//! From tokens to the syntax tree, by recursive descent.
//!
//! This file holds the cursor and error recovery; the grammar is in the files below it, one for each level.
//! After a mistake the parser goes on behind the next `;` or before the next `}`, so that one run finds several
//! mistakes. Recursion is bounded by [`limits::NESTING`].

mod declarations;
mod expressions;
mod statements;

use selvedge_ir::Span;

use crate::ast::{Declaration, Name};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::limits;
use crate::token::{BUILTINS, DECLARATIONS, KEYWORDS, Token, TokenKind};

/// The declarations of a program; as many as could be understood when there are mistakes.
pub fn parse(text: &str, tokens: &[Token], diagnostics: &mut Diagnostics) -> Vec<Declaration> {
    Parser::new(text, tokens, diagnostics).program()
}

/// A mistake that has been reported already.
#[derive(Debug)]
pub struct Reported;

/// Something that was understood, or a mistake that has been reported.
pub type Parsed<T> = Result<T, Reported>;

/// A cursor in a list of tokens. The other input language uses it as well.
pub struct Parser<'t> {
    text: &'t str,
    tokens: &'t [Token],
    /// How many tokens have been read.
    pub position: usize,
    depth: u32,
    diagnostics: &'t mut Diagnostics,
    /// The token of the latest mistake: no second report at the same place.
    reported_at: Option<usize>,
}

impl<'t> Parser<'t> {
    /// A cursor at the first token.
    pub fn new(text: &'t str, tokens: &'t [Token], diagnostics: &'t mut Diagnostics) -> Self {
        Parser { text, tokens, position: 0, depth: 0, diagnostics, reported_at: None }
    }

    /// The next token, at last the end again and again.
    pub fn token(&self) -> Token {
        let end = Token { kind: TokenKind::End, span: Span::new(0, 0) };
        self.tokens.get(self.position).or(self.tokens.last()).copied().unwrap_or(end)
    }

    /// The place of the token before.
    pub fn previous_span(&self) -> Span {
        let before = self.position.checked_sub(1).and_then(|position| self.tokens.get(position));
        before.map_or(Span::new(0, 0), |token| token.span)
    }

    /// Whether the next token is this keyword or symbol.
    pub fn at(&self, text: &str) -> bool {
        matches!(self.token().kind, TokenKind::Fixed(fixed) if fixed == text)
    }

    /// Whether all tokens have been read.
    pub fn at_end(&self) -> bool {
        self.token().kind == TokenKind::End
    }

    fn at_declaration(&self) -> bool {
        matches!(self.token().kind, TokenKind::Fixed(fixed) if DECLARATIONS.contains(&fixed))
    }

    /// Goes on behind the next token.
    pub fn advance(&mut self) {
        if !self.at_end() {
            self.position += 1;
        }
    }

    /// Goes on behind the next token if it is this one; whether it is.
    pub fn eat(&mut self, text: &str) -> bool {
        let found = self.at(text);
        if found {
            self.advance();
        }
        found
    }

    /// Goes on behind the next token, which must be this one.
    pub fn expect(&mut self, text: &str, purpose: &str) -> Parsed<()> {
        match self.eat(text) {
            true => Ok(()),
            false => self.fail_expected(&format!("`{text}` {purpose}")),
        }
    }

    /// A name that is being declared.
    fn new_name(&mut self, of_what: &str) -> Parsed<Name> {
        let token = self.token();
        let text = token.span.text(self.text);
        if BUILTINS.contains(&text) || KEYWORDS.contains(&text) {
            let message = format!("`{text}` is a word of the language");
            let help = "choose another name";
            return self.fail(Diagnostic::new(token.span, message, "cannot be declared").help(help));
        }
        if token.kind != TokenKind::Name {
            return self.fail_expected(&format!("the name of {of_what}"));
        }
        self.advance();
        Ok(Name { text: text.to_string(), span: token.span })
    }

    /// Reports a mistake, unless one has been reported at this token.
    pub fn fail<T>(&mut self, diagnostic: Diagnostic) -> Parsed<T> {
        if self.reported_at != Some(self.position) && self.token().kind != TokenKind::Unknown {
            self.diagnostics.report(diagnostic);
            self.reported_at = Some(self.position);
        }
        Err(Reported)
    }

    /// Reports that something else should stand here.
    pub fn fail_expected<T>(&mut self, what: &str) -> Parsed<T> {
        let token = self.token();
        let found = match token.kind {
            TokenKind::End => "the end of the program".to_string(),
            _ => format!("`{}`", token.span.text(self.text)),
        };
        let message = format!("expected {what}, found {found}");
        self.fail(Diagnostic::new(token.span, message, format!("expected {what}")))
    }

    /// Runs `parse` one level deeper, unless that is too deep.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.descend()?;
        let result = parse(self);
        self.ascend();
        result
    }

    /// Goes one level deeper, unless that is too deep.
    pub fn descend(&mut self) -> Parsed<()> {
        if self.depth >= limits::NESTING {
            let message = format!("more than {} levels of nesting", limits::NESTING);
            return self.fail(Diagnostic::new(self.token().span, message, "nested too deeply"));
        }
        self.depth += 1;
        Ok(())
    }

    /// Comes back from one level deeper.
    pub fn ascend(&mut self) {
        self.depth -= 1;
    }

    /// The end of a statement or declaration. A missing `;` before a new line is reported and made up.
    fn end_of_statement(&mut self) -> Parsed<()> {
        if self.eat(";") || self.at("}") {
            return Ok(());
        }
        if let TokenKind::Fixed(symbol @ ("++" | "--")) = self.token().kind {
            return self.fail_step(symbol);
        }
        let last = self.previous_span();
        let between = Span::new(last.end, self.token().span.start).text(self.text);
        let end = Span::new(last.start, last.end);
        let diagnostic = Diagnostic::new(end, "a `;` is missing here", "expected `;` after this");
        match self.fail(diagnostic) {
            Err(Reported) if between.contains('\n') => Ok(()),
            result => result,
        }
    }

    fn fail_step<T>(&mut self, symbol: &str) -> Parsed<T> {
        let message = format!("`{symbol}` is a statement of its own");
        let help = format!("write `x{symbol};` in a line of its own");
        self.fail(Diagnostic::new(self.token().span, message, "not part of an expression").help(help))
    }

    /// Skips to behind the next `;` or to the next `}` of the block at hand.
    fn skip_statement(&mut self) {
        let mut open = 0_u32;
        while !self.at_end() && !self.at_declaration() {
            match open {
                0 if self.at("}") => return,
                0 if self.eat(";") => return,
                _ => {}
            }
            let closes = self.at("}");
            if self.at("{") {
                open += 1;
            } else if closes {
                open -= 1;
            }
            self.advance();
            if closes && open == 0 && !self.at("else") {
                return;
            }
        }
    }

    /// Skips to the next declaration.
    fn skip_declaration(&mut self) {
        while !self.at_end() && !self.at_declaration() {
            self.advance();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexer;

    fn messages(text: &str) -> Vec<String> {
        let mut diagnostics = Diagnostics::default();
        let tokens = lexer::tokens(text, &mut diagnostics);
        parse(text, &tokens, &mut diagnostics);
        diagnostics.into_sorted().into_iter().map(|d| d.message).collect()
    }

    #[test]
    fn one_run_finds_several_mistakes() {
        let text = "thread t { let = 1; let b = 2; let c = ; } shared 7; thread u { x = 1; }";
        assert_eq!(messages(text).len(), 3, "{:?}", messages(text));
    }

    #[test]
    fn a_missing_semicolon_is_one_mistake() {
        let text = "thread t { let a = 1\n let b = 2; }";
        assert_eq!(messages(text), ["a `;` is missing here"]);
    }

    #[test]
    fn a_missing_brace_is_one_mistake() {
        let text = "thread t { if x { y = 1; \nthread u { y = 2; }";
        assert_eq!(messages(text).len(), 1, "{:?}", messages(text));
    }

    #[test]
    fn deep_nesting_is_a_mistake_and_no_overflow() {
        for (open, close) in [("{", "}"), ("if x ", ""), ("x = (", ")"), ("x = -", ""), ("x = a[", "]")] {
            let text = format!("thread t {{ {} 1 {} }}", open.repeat(100_000), close.repeat(100_000));
            assert!(!messages(&text).is_empty());
        }
        let chain = format!("thread t {{ x = 1{}; }}", " + 1".repeat(100_000));
        assert_eq!(messages(&chain).len(), 1);
    }
}
