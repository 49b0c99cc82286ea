//! From expanded text to tokens, by the lexer rules of [Metzler2014, Fig. A.2].
//!
//! Names may contain `-`, so `x-1` is a name and `x - 1` a difference. Numbers are decimal. The tokens carry places in
//! the original text; what a name is after expansion is kept beside them.

use selvedge_ir::Span;

use super::expansion::Expansion;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::token::{Token, TokenKind};

/// Words that are no names. The figure names the rule of compare-and-swap but omits it; the thesis writes `cas`.
const KEYWORDS: [&str; 9] = ["local", "const", "if", "then", "else", "while", "indexer", "comp-swap", "cas"];

/// Symbols, longer ones before their prefixes.
const SYMBOLS: [&str; 17] =
    [":=", "==", "<", ">", "[", "]", "{", "}", "(", ")", ",", "+", "-", "*", "/", "%", "="];

/// The tokens of a text.
#[derive(Debug)]
pub struct Lexed<'t> {
    /// The tokens with their places in the original text; the last is the end.
    pub tokens: Vec<Token>,
    /// The places of the same tokens in the expanded text.
    parts: Vec<Span>,
    text: &'t str,
}

impl Lexed<'_> {
    /// What the token of this number is after expansion.
    pub fn word(&self, number: usize) -> &str {
        self.parts.get(number).map_or("", |part| part.text(self.text))
    }
}

/// The tokens of an expanded text.
pub fn tokens<'t>(expansion: &'t Expansion, diagnostics: &mut Diagnostics) -> Lexed<'t> {
    let text = &expansion.text;
    let mut lexer = Lexer { text, position: 0, expansion, diagnostics };
    let mut lexed = Lexed { tokens: Vec::new(), parts: Vec::new(), text };
    loop {
        let (kind, part) = lexer.next();
        lexed.tokens.push(Token { kind, span: expansion.original(part) });
        lexed.parts.push(part);
        if kind == TokenKind::End {
            return lexed;
        }
    }
}

struct Lexer<'t> {
    text: &'t str,
    position: usize,
    expansion: &'t Expansion,
    diagnostics: &'t mut Diagnostics,
}

impl<'t> Lexer<'t> {
    fn next(&mut self) -> (TokenKind, Span) {
        self.skip_space();
        let start = self.position;
        let kind = match self.rest().chars().next() {
            None => TokenKind::End,
            Some('0'..='9') => self.integer(),
            Some('a'..='z' | 'A'..='Z') => self.word(),
            Some('"') => self.string(),
            Some(_) => self.symbol().unwrap_or_else(|| self.unknown()),
        };
        (kind, self.part_from(start))
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.position..).unwrap_or("")
    }

    fn part_from(&self, start: usize) -> Span {
        Span::new(start as u32, self.position as u32)
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.position += length;
        &rest[..length]
    }

    fn skip_space(&mut self) {
        self.take_while(is_space);
        while self.rest().starts_with("//") {
            self.take_while(|c| !matches!(c, '\n' | '\r'));
            self.take_while(is_space);
        }
    }

    fn integer(&mut self) -> TokenKind {
        let start = self.position;
        let digits = self.take_while(|c| c.is_ascii_digit());
        match digits.parse::<i64>() {
            Ok(value) => TokenKind::Integer(value.unsigned_abs()),
            Err(_) => {
                self.report(
                    start,
                    "this number does not fit into 64 bits",
                    "the largest is 9223372036854775807",
                );
                TokenKind::Integer(0)
            }
        }
    }

    fn word(&mut self) -> TokenKind {
        let word = self.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        let keyword = KEYWORDS.iter().find(|keyword| **keyword == word);
        keyword.map_or(TokenKind::Name, |keyword| TokenKind::Fixed(keyword))
    }

    /// The name of the system: the only use of a string, and of no consequence.
    fn string(&mut self) -> TokenKind {
        let start = self.position;
        match self.rest()[1..].find('"') {
            Some(length) => {
                self.position += length + 2;
                TokenKind::Text
            }
            None => {
                self.position += 1;
                self.report(start, "this name does not end", "no second `\"` behind it");
                self.position = self.text.len();
                TokenKind::Unknown
            }
        }
    }

    fn symbol(&mut self) -> Option<TokenKind> {
        let symbol = SYMBOLS.iter().find(|symbol| self.rest().starts_with(**symbol))?;
        self.position += symbol.len();
        Some(TokenKind::Fixed(symbol))
    }

    /// Skips a run of characters that begin no token, with one diagnostic for all of them.
    fn unknown(&mut self) -> TokenKind {
        let start = self.position;
        let known = |c: char| {
            is_space(c) || c.is_ascii_alphanumeric() || c == '"' || SYMBOLS.iter().any(|s| s.starts_with(c))
        };
        // The first one may begin a symbol that did not come to be, such as a single colon.
        self.position += self.rest().chars().next().map_or(0, char::len_utf8);
        self.take_while(|c| !known(c));
        let run = &self.text[start..self.position];
        self.report(start, &format!("`{}` has no meaning here", run.escape_debug()), "unknown character");
        TokenKind::Unknown
    }

    fn report(&mut self, start: usize, message: &str, label: &str) {
        let span = self.expansion.original(self.part_from(start));
        self.diagnostics.report(Diagnostic::new(span, message, label));
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

#[cfg(test)]
mod tests {
    use super::super::expansion::expand;
    use super::*;

    fn words(source: &str) -> Vec<String> {
        let mut diagnostics = Diagnostics::default();
        let expansion = expand(source, &mut diagnostics);
        let lexed = tokens(&expansion, &mut diagnostics);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        (0..lexed.tokens.len() - 1).map(|number| lexed.word(number).to_string()).collect()
    }

    fn messages(source: &str) -> Vec<String> {
        let mut diagnostics = Diagnostics::default();
        let expansion = expand(source, &mut diagnostics);
        tokens(&expansion, &mut diagnostics);
        diagnostics.into_sorted().into_iter().map(|d| d.message).collect()
    }

    #[test]
    fn names_may_contain_a_minus() {
        assert_eq!(words("x-1 x - 1 1-x"), ["x-1", "x", "-", "1", "1", "-", "x"]);
    }

    #[test]
    fn a_number_ends_where_its_digits_end() {
        assert_eq!(words("12ab x:=3"), ["12", "ab", "x", ":=", "3"]);
    }

    #[test]
    fn repetitions_make_names() {
        assert_eq!(words("<{2 x$, }>"), ["x0", ",", "x1", ","]);
    }

    #[test]
    fn comments_end_with_the_line_or_the_text() {
        assert_eq!(words("a // b\nc // d\r// e\n// f"), ["a", "c"]);
    }

    #[test]
    fn what_is_no_token_is_reported() {
        assert_eq!(messages("§§ x"), ["`§§` has no meaning here"]);
        assert_eq!(messages("x : 1"), ["`:` has no meaning here"]);
        assert_eq!(messages("<\"open"), ["this name does not end"]);
        assert_eq!(messages("9223372036854775808"), ["this number does not fit into 64 bits"]);
    }

    #[test]
    fn a_mistake_in_a_repetition_is_reported_once() {
        assert_eq!(messages("<{50 [x := ?] }>").len(), 1);
    }
}
