//! A position in the tokens, and the small steps that all readers take.

use super::Fault;
use super::lexer::{Located, Token};
use crate::{Span, Type};

/// A position in the tokens of a text. The last token is [`Token::End`], and the cursor stays there.
pub(super) struct Cursor<'t> {
    tokens: &'t [Located<'t>],
    position: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(tokens: &'t [Located<'t>]) -> Self {
        Cursor { tokens, position: 0 }
    }

    pub(super) fn peek(&self) -> &'t Token<'t> {
        self.tokens.get(self.position).map_or(&Token::End, |located| &located.token)
    }

    pub(super) fn advance(&mut self) -> &'t Token<'t> {
        let token = self.peek();
        if *token != Token::End {
            self.position += 1;
        }
        token
    }

    /// A fault at the next token.
    pub(super) fn fault<T>(&self, message: impl Into<String>) -> Result<T, Fault> {
        let offset = self.tokens.get(self.position).map_or(0, |located| located.offset);
        Err(Fault { offset, message: message.into() })
    }

    /// A fault at the token before the next one.
    pub(super) fn fault_before<T>(&self, message: impl Into<String>) -> Result<T, Fault> {
        let position = self.position.saturating_sub(1);
        let offset = self.tokens.get(position).map_or(0, |located| located.offset);
        Err(Fault { offset, message: message.into() })
    }

    pub(super) fn expected<T>(&self, what: &str) -> Result<T, Fault> {
        self.fault(format!("expected {what}, found {}", self.peek()))
    }

    /// Takes the next token if it is this one.
    pub(super) fn take(&mut self, token: &Token<'_>) -> bool {
        let found = self.peek() == token;
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn take_symbol(&mut self, symbol: &'static str) -> bool {
        self.take(&Token::Symbol(symbol))
    }

    pub(super) fn symbol(&mut self, symbol: &'static str) -> Result<(), Fault> {
        match self.take_symbol(symbol) {
            true => Ok(()),
            false => self.expected(symbol),
        }
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        self.take(&Token::Word(word))
    }

    pub(super) fn keyword(&mut self, word: &str) -> Result<(), Fault> {
        match self.take_word(word) {
            true => Ok(()),
            false => self.expected(word),
        }
    }

    /// `@name`
    pub(super) fn global(&mut self) -> Result<&'t str, Fault> {
        match self.peek() {
            Token::Global(name) => {
                self.advance();
                Ok(name)
            }
            _ => self.expected("a name with @"),
        }
    }

    /// An integer with or without a minus sign.
    pub(super) fn integer(&mut self) -> Result<i64, Fault> {
        let is_negative = self.take_symbol("-");
        let Token::Number(magnitude) = *self.peek() else { return self.expected("a number") };
        let value = match is_negative {
            true => 0_i64.checked_sub_unsigned(magnitude),
            false => 0_i64.checked_add_unsigned(magnitude),
        };
        match value {
            Some(value) => {
                self.advance();
                Ok(value)
            }
            None => self.fault("the number does not fit into 64 bits"),
        }
    }

    pub(super) fn count(&mut self) -> Result<u32, Fault> {
        match *self.peek() {
            Token::Number(number) => match u32::try_from(number) {
                Ok(count) => {
                    self.advance();
                    Ok(count)
                }
                Err(_) => self.fault("the number is too large"),
            },
            _ => self.expected("a number"),
        }
    }

    /// `int` or `bool`
    pub(super) fn ty(&mut self) -> Result<Type, Fault> {
        match self.peek() {
            Token::Word("int") => {
                self.advance();
                Ok(Type::Int)
            }
            Token::Word("bool") => {
                self.advance();
                Ok(Type::Bool)
            }
            _ => self.expected("int or bool"),
        }
    }

    /// The end of a line and, before it, the span the line came from.
    pub(super) fn end_of_line(&mut self) -> Result<Span, Fault> {
        let span = match *self.peek() {
            Token::Span(span) => {
                self.advance();
                span
            }
            _ => Span::new(0, 0),
        };
        match self.take(&Token::Newline) || *self.peek() == Token::End {
            true => Ok(span),
            false => self.expected("the end of the line"),
        }
    }
}
