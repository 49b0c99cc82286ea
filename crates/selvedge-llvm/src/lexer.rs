//! From text to tokens.

use crate::ReadError;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// `%name`
    Local(String),
    /// `@name`
    Global(String),
    /// `#12`, or a debug record `#dbg_declare`.
    Hash(String),
    /// `!12`
    MetadataNumber(u32),
    /// `!name`
    MetadataName(String),
    /// A lone `!`, before a list or a text.
    Bang,
    /// `$name`
    Comdat,
    /// A word: `define`, `i32`, `nsw`.
    Word(String),
    /// A word or number with a colon right after it: a label, or the name of a field.
    Label(String),
    /// A whole number.
    Int(i128),
    /// A number with more digits than fit, or with a fraction or exponent, or in hexadecimal, as written.
    Number(String),
    /// `"text"`
    Text(Vec<u8>),
    /// `c"text"`
    Bytes(Vec<u8>),
    /// A sign.
    Sign(u8),
    /// `...`
    Dots,
}

/// A token and the line on which it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// The token.
    pub token: Token,
    /// The line, counted from 1.
    pub line: u32,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'-')
}

/// The tokens of a text.
pub fn tokens(text: &str) -> Result<Vec<Placed>, ReadError> {
    let mut lexer = Lexer { bytes: text.as_bytes(), at: 0, line: 1 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_space();
        let line = lexer.line;
        match lexer.token()? {
            Some(token) => tokens.push(Placed { token, line }),
            None => return Ok(tokens),
        }
    }
}

struct Lexer<'t> {
    bytes: &'t [u8],
    at: usize,
    line: u32,
}

impl Lexer<'_> {
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn error(&self, message: &str) -> ReadError {
        ReadError { line: self.line as usize, message: message.to_owned() }
    }

    fn skip_space(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => self.line += 1,
                b';' => {
                    while self.at < self.bytes.len() && self.peek() != b'\n' {
                        self.at += 1;
                    }
                    continue;
                }
                b' ' | b'\t' | b'\r' => {}
                _ => return,
            }
            self.at += 1;
        }
    }

    fn word(&mut self) -> String {
        let start = self.at;
        while self.at < self.bytes.len() && is_word(self.peek()) {
            self.at += 1;
        }
        String::from_utf8_lossy(&self.bytes[start..self.at]).into_owned()
    }

    /// A quoted text, with `\xx` for bytes that cannot be written.
    fn quoted(&mut self) -> Result<Vec<u8>, ReadError> {
        self.at += 1;
        let mut out = Vec::new();
        loop {
            match self.peek() {
                b'"' => {
                    self.at += 1;
                    return Ok(out);
                }
                b'\\' => {
                    let digits = self.bytes.get(self.at + 1..self.at + 3).unwrap_or_default();
                    let text = std::str::from_utf8(digits).unwrap_or_default();
                    match u8::from_str_radix(text, 16) {
                        Ok(byte) => {
                            out.push(byte);
                            self.at += 3;
                        }
                        Err(_) => {
                            out.push(b'\\');
                            self.at += if digits.first() == Some(&b'\\') { 2 } else { 1 };
                        }
                    }
                }
                0 if self.at >= self.bytes.len() => return Err(self.error("a text has no end")),
                byte => {
                    if byte == b'\n' {
                        self.line += 1;
                    }
                    out.push(byte);
                    self.at += 1;
                }
            }
        }
    }

    fn name(&mut self) -> Result<String, ReadError> {
        self.at += 1;
        match self.peek() {
            b'"' => Ok(String::from_utf8_lossy(&self.quoted()?).into_owned()),
            _ => Ok(self.word()),
        }
    }

    fn token(&mut self) -> Result<Option<Token>, ReadError> {
        if self.at >= self.bytes.len() {
            return Ok(None);
        }
        let token = match self.peek() {
            b'%' => Token::Local(self.name()?),
            b'@' => Token::Global(self.name()?),
            b'#' => Token::Hash(self.name()?),
            b'$' => {
                self.name()?;
                Token::Comdat
            }
            b'!' => self.metadata(),
            b'"' => {
                let text = self.quoted()?;
                if self.peek() == b':' {
                    self.at += 1;
                    Token::Label(String::from_utf8_lossy(&text).into_owned())
                } else {
                    Token::Text(text)
                }
            }
            b'c' if self.bytes.get(self.at + 1) == Some(&b'"') => {
                self.at += 1;
                Token::Bytes(self.quoted()?)
            }
            b'.' if self.bytes[self.at..].starts_with(b"...") => {
                self.at += 3;
                Token::Dots
            }
            byte if byte.is_ascii_digit() || byte == b'-' => self.number(),
            byte if is_word(byte) => {
                let word = self.word();
                match self.peek() {
                    b':' => {
                        self.at += 1;
                        Token::Label(word)
                    }
                    _ => Token::Word(word),
                }
            }
            byte => {
                self.at += 1;
                Token::Sign(byte)
            }
        };
        Ok(Some(token))
    }

    fn metadata(&mut self) -> Token {
        self.at += 1;
        let word = self.word();
        match (word.is_empty(), word.parse()) {
            (true, _) => Token::Bang,
            (_, Ok(number)) => Token::MetadataNumber(number),
            _ => Token::MetadataName(word),
        }
    }

    fn number(&mut self) -> Token {
        let start = self.at;
        self.at += 1;
        while is_word(self.peek()) || (self.peek() == b'+' && matches!(self.bytes[self.at - 1], b'e' | b'E'))
        {
            self.at += 1;
        }
        let text = String::from_utf8_lossy(&self.bytes[start..self.at]).into_owned();
        if self.peek() == b':' {
            self.at += 1;
            return Token::Label(text);
        }
        match text.parse() {
            Ok(number) => Token::Int(number),
            Err(_) => Token::Number(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexed(text: &str) -> Vec<Token> {
        tokens(text).unwrap_or_default().into_iter().map(|placed| placed.token).collect()
    }

    #[test]
    fn names_numbers_and_comments() {
        let word = |text: &str| Token::Word(text.to_owned());
        assert_eq!(
            lexed("%a.1 = add nsw i32 -3, 0x4 ; sum"),
            [
                Token::Local("a.1".to_owned()),
                Token::Sign(b'='),
                word("add"),
                word("nsw"),
                word("i32"),
                Token::Int(-3),
                Token::Sign(b','),
                Token::Number("0x4".to_owned()),
            ]
        );
    }

    #[test]
    fn labels_and_fields_end_in_a_colon() {
        let label = |text: &str| Token::Label(text.to_owned());
        assert_eq!(
            lexed("12:\nfor.end: line: 3"),
            [label("12"), label("for.end"), label("line"), Token::Int(3)]
        );
    }

    #[test]
    fn bytes_are_escaped_in_hexadecimal() {
        assert_eq!(lexed(r#"c"a\00\5C""#), [Token::Bytes(vec![b'a', 0, b'\\'])]);
        assert_eq!(lexed("!12 !{} !DILocation")[..2], [Token::MetadataNumber(12), Token::Bang]);
    }
}
