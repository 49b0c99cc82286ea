//! A place in the sequence of tokens.

use crate::ReadError;
use crate::lexer::{Placed, Token};

/// A result, or what is wrong with the text.
pub type Parsed<T> = Result<T, ReadError>;

/// A place in the sequence of tokens.
pub struct Cursor {
    tokens: Vec<Placed>,
    at: usize,
}

impl Cursor {
    pub fn new(tokens: Vec<Placed>) -> Cursor {
        Cursor { tokens, at: 0 }
    }

    pub fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|placed| &placed.token)
    }

    pub fn peek_second(&self) -> Option<&Token> {
        self.tokens.get(self.at + 1).map(|placed| &placed.token)
    }

    pub fn next(&mut self) -> Parsed<Token> {
        let token = self.peek().cloned().ok_or_else(|| self.error("the text ends too early"))?;
        self.at += 1;
        Ok(token)
    }

    pub fn place(&self) -> usize {
        self.at
    }

    pub fn go_to(&mut self, place: usize) {
        self.at = place;
    }

    /// The line of the next token, or of the last.
    pub fn line(&self) -> usize {
        let placed = self.tokens.get(self.at).or(self.tokens.last());
        placed.map_or(0, |placed| placed.line as usize)
    }

    /// Whether the next token is on the line of the one before it.
    pub fn is_on_same_line(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        before.zip(self.tokens.get(self.at)).is_some_and(|(before, next)| before.line == next.line)
    }

    pub fn error(&self, message: &str) -> ReadError {
        ReadError { line: self.line(), message: message.to_owned() }
    }

    pub fn is_sign(&self, sign: u8) -> bool {
        self.peek() == Some(&Token::Sign(sign))
    }

    pub fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token::Word(found)) if found == word)
    }

    /// Passes a sign if it comes next.
    pub fn take(&mut self, sign: u8) -> bool {
        let found = self.is_sign(sign);
        self.at += usize::from(found);
        found
    }

    /// Passes a word if it comes next.
    pub fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    /// Passes any of some words, as often as one comes; whether there was one.
    pub fn take_words(&mut self, words: &[&str]) -> bool {
        let start = self.at;
        while matches!(self.peek(), Some(Token::Word(found)) if words.contains(&found.as_str())) {
            self.at += 1;
        }
        self.at > start
    }

    pub fn expect(&mut self, sign: u8) -> Parsed<()> {
        match self.take(sign) {
            true => Ok(()),
            false => Err(self.error(&format!("expected `{}`, found {:?}", sign as char, self.peek()))),
        }
    }

    pub fn expect_word(&mut self, word: &str) -> Parsed<()> {
        match self.take_word(word) {
            true => Ok(()),
            false => Err(self.error(&format!("expected `{word}`, found {:?}", self.peek()))),
        }
    }

    pub fn word(&mut self) -> Parsed<String> {
        match self.next()? {
            Token::Word(word) => Ok(word),
            other => Err(self.error(&format!("expected a word, found {other:?}"))),
        }
    }

    pub fn integer(&mut self) -> Parsed<i128> {
        match self.next()? {
            Token::Int(number) => Ok(number),
            other => Err(self.error(&format!("expected a number, found {other:?}"))),
        }
    }

    /// Passes a bracket and all up to the one that closes it.
    pub fn skip_group(&mut self) -> Parsed<()> {
        let mut depth = 0;
        loop {
            match self.next()? {
                Token::Sign(b'(' | b'[' | b'{') => depth += 1,
                Token::Sign(b')' | b']' | b'}') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Passes all tokens up to the end of the line on which the next one is, brackets that are open then included.
    pub fn skip_line(&mut self) {
        let line = self.line();
        let mut depth = 0;
        while let Some(placed) = self.tokens.get(self.at) {
            if placed.line as usize != line && depth <= 0 {
                return;
            }
            match placed.token {
                Token::Sign(b'(' | b'[' | b'{') => depth += 1,
                Token::Sign(b')' | b']' | b'}') => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Whether the next token is on that line.
    pub fn is_on(&self, line: usize) -> bool {
        self.tokens.get(self.at).is_some_and(|placed| placed.line as usize == line)
    }
}
