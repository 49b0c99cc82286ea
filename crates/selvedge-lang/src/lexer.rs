//! From text to tokens.
//!
//! Spaces and comments (`// …` to the end of the line, `/* … */`) separate tokens and are dropped. Whatever is
//! no token is reported and becomes [`TokenKind::Unknown`], about which the parser keeps silent. The last token
//! is always [`TokenKind::End`].

use selvedge_ir::Span;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::token::{KEYWORDS, SYMBOLS, Token, TokenKind};

/// The tokens of a text, which must be shorter than 4 GiB.
pub fn tokens(text: &str, diagnostics: &mut Diagnostics) -> Vec<Token> {
    let mut lexer = Lexer { text, position: 0, diagnostics };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next();
        tokens.push(token);
        if token.kind == TokenKind::End {
            return tokens;
        }
    }
}

struct Lexer<'t> {
    text: &'t str,
    position: usize,
    diagnostics: &'t mut Diagnostics,
}

impl Lexer<'_> {
    fn next(&mut self) -> Token {
        self.skip_space();
        let start = self.position;
        let kind = match self.rest().chars().next() {
            None => TokenKind::End,
            Some('0'..='9') => self.integer(),
            Some('a'..='z' | 'A'..='Z' | '_') => self.word(),
            Some(_) => self.symbol().unwrap_or_else(|| self.unknown()),
        };
        Token { kind, span: self.span_from(start) }
    }

    fn rest(&self) -> &str {
        self.text.get(self.position..).unwrap_or("")
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(start as u32, self.position as u32)
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> usize {
        let length = self.rest().find(|c| !wanted(c)).unwrap_or(self.rest().len());
        self.position += length;
        length
    }

    fn skip_space(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if self.rest().starts_with("//") {
                self.take_while(|c| c != '\n');
            } else if self.rest().starts_with("/*") {
                self.skip_comment();
            } else {
                return;
            }
        }
    }

    fn skip_comment(&mut self) {
        let start = self.position;
        match self.rest().find("*/") {
            Some(length) => self.position += length + 2,
            None => {
                self.position = self.text.len();
                let span = Span::new(start as u32, start as u32 + 2);
                let message = "this comment does not end";
                self.diagnostics
                    .report(Diagnostic::new(span, message, "begins here").help("end it with `*/`"));
            }
        }
    }

    fn word(&mut self) -> TokenKind {
        let start = self.position;
        self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
        let word = &self.text[start..self.position];
        let keyword = KEYWORDS.iter().find(|keyword| **keyword == word);
        keyword.map_or(TokenKind::Name, |keyword| TokenKind::Fixed(keyword))
    }

    fn symbol(&mut self) -> Option<TokenKind> {
        let symbol = SYMBOLS.iter().find(|symbol| self.rest().starts_with(**symbol))?;
        self.position += symbol.len();
        Some(TokenKind::Fixed(symbol))
    }

    fn integer(&mut self) -> TokenKind {
        let start = self.position;
        self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
        let digits: String = self.text[start..self.position].chars().filter(|c| *c != '_').collect();
        let (radix, digits) = match digits.get(..2) {
            Some("0x" | "0X") => (16, &digits[2..]),
            Some("0b" | "0B") => (2, &digits[2..]),
            _ => (10, digits.as_str()),
        };
        let value = u64::from_str_radix(digits, radix);
        let largest = if radix == 10 { 1 << 63 } else { u64::MAX };
        match value {
            Ok(value) if value <= largest => TokenKind::Integer(value),
            _ => {
                self.report_integer(self.span_from(start), digits, radix);
                TokenKind::Integer(0)
            }
        }
    }

    fn report_integer(&mut self, span: Span, digits: &str, radix: u32) {
        let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
        self.diagnostics.report(if is_number {
            Diagnostic::new(span, "this number does not fit into 64 bits", "too large")
                .help("integers range from -9223372036854775808 to 9223372036854775807")
        } else {
            Diagnostic::new(span, "this is not a number", "not a number")
                .help("numbers are decimal (`42`, `1_000`), hexadecimal (`0x2a`) or binary (`0b1010`)")
        });
    }

    /// Skips a run of characters that begin no token, with one diagnostic for all of them.
    fn unknown(&mut self) -> TokenKind {
        let start = self.position;
        let known = |c: char| {
            c.is_whitespace()
                || c.is_ascii_alphanumeric()
                || c == '_'
                || SYMBOLS.iter().any(|s| s.starts_with(c))
        };
        // The first one may begin a symbol that did not come to be, such as a single dot.
        self.position += self.rest().chars().next().map_or(0, char::len_utf8);
        self.take_while(|c| !known(c));
        let span = self.span_from(start);
        let message = format!("`{}` has no meaning here", span.text(self.text).escape_debug());
        self.diagnostics.report(Diagnostic::new(span, message, "unknown character"));
        TokenKind::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        let mut diagnostics = Diagnostics::default();
        let kinds = tokens(text, &mut diagnostics).into_iter().map(|token| token.kind).collect();
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        kinds
    }

    fn messages(text: &str) -> Vec<String> {
        let mut diagnostics = Diagnostics::default();
        tokens(text, &mut diagnostics);
        diagnostics.into_sorted().into_iter().map(|d| d.message).collect()
    }

    #[test]
    fn integers_have_three_notations() {
        use TokenKind::{End, Integer};
        assert_eq!(kinds("1_000 0x2A 0b1_01"), [Integer(1000), Integer(42), Integer(5), End]);
    }

    #[test]
    fn the_longest_symbol_wins() {
        use TokenKind::{End, Fixed, Name};
        assert_eq!(kinds("a<<=b"), [Name, Fixed("<<="), Name, End]);
        assert_eq!(kinds("0..2").len(), 4);
    }

    #[test]
    fn comments_are_dropped() {
        assert_eq!(kinds("// one\n/* two\n */ x // three"), [TokenKind::Name, TokenKind::End]);
    }

    #[test]
    fn what_is_no_token_is_reported_once() {
        assert_eq!(messages("§§§ x"), ["`§§§` has no meaning here"]);
        assert_eq!(messages("."), ["`.` has no meaning here"]);
        assert_eq!(messages("12ab"), ["this is not a number"]);
        assert_eq!(messages("0x"), ["this is not a number"]);
        assert_eq!(messages("99999999999999999999"), ["this number does not fit into 64 bits"]);
        assert_eq!(messages("/* x"), ["this comment does not end"]);
    }
}
