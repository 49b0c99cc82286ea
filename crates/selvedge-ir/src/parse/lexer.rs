//! Tokens of the text form. Names keep their sigil apart, and a span annotation is one token.

use std::borrow::Cow;
use std::fmt;

use super::Fault;
use crate::print::is_plain;
use crate::{FileId, Span};

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// A keyword or label.
    Word(&'t str),
    /// A number without sign.
    Number(u64),
    /// A quoted text without sigil.
    Text(Cow<'t, str>),
    /// `@name`
    Global(Cow<'t, str>),
    /// `%name`
    Register(Cow<'t, str>),
    /// `$name`
    Array(Cow<'t, str>),
    /// An operator or bracket.
    Symbol(&'static str),
    /// `; @file:start..end`
    Span(Span),
    /// The end of a line that is not empty.
    Newline,
    /// The end of the text.
    End,
}

/// A token and the byte it begins at.
#[derive(Clone, Debug)]
pub(super) struct Located<'t> {
    pub(super) token: Token<'t>,
    pub(super) offset: usize,
}

/// Longer ones first, so that the first match is the longest.
const SYMBOLS: [&str; 30] = [
    "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "->", "..", "+", "-", "*", "/", "%", "&", "|", "^", "<",
    ">", "=", "(", ")", "[", "]", "{", "}", ",", ":", "!",
];

/// The tokens of `text`; the last one is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Located<'_>>, Fault> {
    let mut lexer = Lexer { text, offset: 0 };
    let mut tokens: Vec<Located<'_>> = Vec::new();
    loop {
        lexer.skip_blanks();
        let offset = lexer.offset;
        let token = lexer.token()?;
        let is_empty_line =
            token == Token::Newline && tokens.last().is_none_or(|previous| previous.token == Token::Newline);
        let is_end = token == Token::End;
        if !is_empty_line {
            tokens.push(Located { token, offset });
        }
        if is_end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'t> {
    text: &'t str,
    offset: usize,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.offset..]
    }

    fn fault<T>(&self, message: impl Into<String>) -> Result<T, Fault> {
        Err(Fault { offset: self.offset, message: message.into() })
    }

    /// Takes the bytes, all of them ASCII, that satisfy the predicate.
    fn take_while(&mut self, belongs: fn(u8) -> bool) -> &'t str {
        let rest = self.rest();
        let length = rest.bytes().take_while(|&byte| byte.is_ascii() && belongs(byte)).count();
        self.offset += length;
        &rest[..length]
    }

    fn take(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        if found {
            self.offset += prefix.len();
        }
        found
    }

    fn skip_blanks(&mut self) {
        self.take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        if self.rest().starts_with('#') {
            let rest = self.rest();
            self.offset += rest.find('\n').unwrap_or(rest.len());
        }
    }

    fn token(&mut self) -> Result<Token<'t>, Fault> {
        let mut bytes = self.rest().bytes();
        let Some(first) = bytes.next() else { return Ok(Token::End) };
        let begins_name = bytes.next().is_some_and(|byte| is_plain(byte) || byte == b'"');
        match first {
            b'\n' => {
                self.offset += 1;
                Ok(Token::Newline)
            }
            b'@' if begins_name => self.name().map(Token::Global),
            b'%' if begins_name => self.name().map(Token::Register),
            b'$' if begins_name => self.name().map(Token::Array),
            b'"' => self.quoted().map(Token::Text),
            b';' => self.span().map(Token::Span),
            b'0'..=b'9' => self.number().map(Token::Number),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                Ok(Token::Word(self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_')))
            }
            _ => self.symbol(),
        }
    }

    fn symbol(&mut self) -> Result<Token<'t>, Fault> {
        match SYMBOLS.into_iter().find(|symbol| self.take(symbol)) {
            Some(symbol) => Ok(Token::Symbol(symbol)),
            None => {
                self.fault(format!("unexpected character {:?}", self.rest().chars().next().unwrap_or(' ')))
            }
        }
    }

    /// A name after its sigil.
    fn name(&mut self) -> Result<Cow<'t, str>, Fault> {
        self.offset += 1;
        match self.rest().starts_with('"') {
            true => self.quoted(),
            false => Ok(Cow::Borrowed(self.take_while(is_plain))),
        }
    }

    fn number(&mut self) -> Result<u64, Fault> {
        let start = self.offset;
        let digits = self.take_while(|byte| byte.is_ascii_digit());
        let message = || match digits {
            "" => "expected a number".to_owned(),
            _ => format!("the number {digits} is too large"),
        };
        digits.parse().map_err(|_| Fault { offset: start, message: message() })
    }

    fn span(&mut self) -> Result<Span, Fault> {
        self.offset += 1;
        self.skip_blanks();
        self.expect("@")?;
        let file = self.number_of_32_bits()?;
        self.expect(":")?;
        let start = self.number_of_32_bits()?;
        self.expect("..")?;
        let end = self.number_of_32_bits()?;
        Ok(Span { file: FileId(file), start, end })
    }

    fn expect(&mut self, symbol: &str) -> Result<(), Fault> {
        match self.take(symbol) {
            true => Ok(()),
            false => self.fault(format!("expected {symbol}, as in `; @0:12..34`")),
        }
    }

    fn number_of_32_bits(&mut self) -> Result<u32, Fault> {
        let start = self.offset;
        let number = self.number()?;
        u32::try_from(number).map_err(|_| Fault { offset: start, message: "the number is too large".into() })
    }

    /// A quoted text, from quote to quote.
    fn quoted(&mut self) -> Result<Cow<'t, str>, Fault> {
        let start = self.offset;
        let endless = Fault { offset: start, message: "the quote does not end on this line".into() };
        self.offset += 1;
        let mut text = Cow::Borrowed("");
        loop {
            let rest = self.rest();
            let Some(length) = rest.find(['"', '\\', '\n']) else { return Err(endless) };
            match (text.is_empty(), &rest[..length]) {
                (true, piece) => text = Cow::Borrowed(piece),
                (false, piece) => text.to_mut().push_str(piece),
            }
            self.offset += length;
            match rest.as_bytes()[length] {
                b'"' => {
                    self.offset += 1;
                    return Ok(text);
                }
                b'\\' => text.to_mut().push(self.escaped()?),
                _ => return Err(endless),
            }
        }
    }

    /// The character that an escape sequence stands for.
    fn escaped(&mut self) -> Result<char, Fault> {
        if self.take("\\\"") {
            return Ok('"');
        }
        if self.take("\\\\") {
            return Ok('\\');
        }
        let code = |rest: &str| {
            let digits = rest.strip_prefix("\\u{")?.split_once('}')?.0;
            let is_code = digits.len() <= 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let number = is_code.then(|| u32::from_str_radix(digits, 16).ok()).flatten()?;
            Some((char::from_u32(number)?, digits.len() + 4))
        };
        match code(self.rest()) {
            Some((c, length)) => {
                self.offset += length;
                Ok(c)
            }
            None => self.fault("expected \\\", \\\\ or \\u{…}"),
        }
    }
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(word) => f.write_str(word),
            Token::Number(number) => write!(f, "{number}"),
            Token::Text(text) => write!(f, "{text:?}"),
            Token::Global(name) => write!(f, "@{name}"),
            Token::Register(name) => write!(f, "%{name}"),
            Token::Array(name) => write!(f, "${name}"),
            Token::Symbol(symbol) => f.write_str(symbol),
            Token::Span(_) => f.write_str("a span"),
            Token::Newline => f.write_str("the end of the line"),
            Token::End => f.write_str("the end of the text"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<Token<'_>> {
        tokens(text).ok().expect("the text has tokens").into_iter().map(|located| located.token).collect()
    }

    #[test]
    fn percent_before_a_name_is_a_register_and_alone_an_operator() {
        let register = |name| Token::Register(Cow::Borrowed(name));
        assert_eq!(all("%t % %%1"), [register("t"), Token::Symbol("%"), register("%1"), Token::End]);
    }

    #[test]
    fn quoted_names_undo_their_escapes() {
        assert_eq!(all(r#"@"a\"\\\u{a}b""#)[0], Token::Global(Cow::Borrowed("a\"\\\nb")));
        assert!(tokens(r#"@"\u{d800}""#).is_err());
        assert!(tokens(r#"@"\"#).is_err());
    }

    #[test]
    fn a_span_is_one_token() {
        assert_eq!(all("; @1:2..3")[0], Token::Span(Span { file: FileId(1), start: 2, end: 3 }));
        assert!(tokens("; @1:2..4294967296").is_err());
        assert!(tokens("; 1:2..3").is_err());
    }
}
