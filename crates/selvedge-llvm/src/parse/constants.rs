//! Constants and constant expressions.

use super::Parser;
use super::cursor::Parsed;
use super::instructions::{binary_operator, cast_operator, predicate};
use crate::constant::{Constant, TypedConstant};
use crate::lexer::Token;
use crate::types::{Type, TypeId};

impl Parser {
    pub(super) fn typed_constant(&mut self) -> Parsed<TypedConstant> {
        let ty = self.ty()?;
        Ok(TypedConstant { ty, value: self.constant(ty)? })
    }

    pub(super) fn constant(&mut self, ty: TypeId) -> Parsed<Constant> {
        match self.cursor.next()? {
            Token::Int(number) => Ok(Constant::Int(number as u128)),
            Token::Number(text) => self.number(&text),
            Token::Global(name) => Ok(Constant::Symbol(self.module.symbol(&name))),
            Token::Bytes(bytes) => Ok(Constant::Bytes(bytes)),
            Token::Sign(b'[') => self.parts(b']'),
            Token::Sign(b'{') => self.parts(b'}'),
            Token::Sign(b'<') if self.cursor.take(b'{') => {
                let parts = self.parts(b'}')?;
                self.cursor.expect(b'>')?;
                Ok(parts)
            }
            Token::Sign(b'<') => self.parts(b'>'),
            Token::Word(word) => self.constant_word(&word, ty),
            other => Err(self.cursor.error(&format!("expected a constant, found {other:?}"))),
        }
    }

    fn parts(&mut self, end: u8) -> Parsed<Constant> {
        let mut parts = Vec::new();
        while !self.cursor.take(end) {
            parts.push(self.typed_constant()?);
            self.cursor.take(b',');
        }
        Ok(Constant::Parts(parts))
    }

    fn number(&mut self, text: &str) -> Parsed<Constant> {
        if let Some(digits) = text.strip_prefix("0x") {
            return match u64::from_str_radix(digits, 16) {
                Ok(bits) => Ok(Constant::Float(bits)),
                Err(_) => Ok(Constant::Unsupported("long double".to_owned())),
            };
        }
        match text.parse::<f64>() {
            Ok(number) => Ok(Constant::Float(number.to_bits())),
            Err(_) => Err(self.cursor.error(&format!("`{text}` is no number"))),
        }
    }

    fn constant_word(&mut self, word: &str, ty: TypeId) -> Parsed<Constant> {
        match word {
            "true" => return Ok(Constant::Int(1)),
            "false" => return Ok(Constant::Int(0)),
            "null" | "none" => return Ok(Constant::Null),
            "undef" | "poison" => return Ok(Constant::Undef),
            "zeroinitializer" => return Ok(Constant::Zero),
            "getelementptr" => return self.constant_element(),
            "splat" => return self.splat(ty),
            "blockaddress" => return self.block_address(),
            "dso_local_equivalent" | "no_cfi" => return self.constant(ty),
            _ => {}
        }
        if let Some(operator) = cast_operator(word) {
            self.cursor.expect(b'(')?;
            let value = self.typed_constant()?;
            self.cursor.expect_word("to")?;
            self.ty()?;
            self.cursor.expect(b')')?;
            return Ok(Constant::Cast(operator, Box::new(value)));
        }
        if let Some(operator) = binary_operator(word) {
            self.cursor.take_words(&["nsw", "nuw", "exact"]);
            let (left, right) = self.constant_pair()?;
            return Ok(Constant::Binary(operator, left, right));
        }
        if word == "icmp" {
            let name = self.cursor.word()?;
            let predicate = predicate(&name).ok_or_else(|| self.cursor.error("unknown comparison"))?;
            let (left, right) = self.constant_pair()?;
            return Ok(Constant::Compare(predicate, left, right));
        }
        if word == "select" {
            self.cursor.expect(b'(')?;
            let condition = self.typed_constant()?;
            self.cursor.expect(b',')?;
            let yes = self.typed_constant()?;
            self.cursor.expect(b',')?;
            let no = self.typed_constant()?;
            self.cursor.expect(b')')?;
            return Ok(Constant::Select(Box::new([condition, yes, no])));
        }
        if self.cursor.is_sign(b'(') {
            self.cursor.skip_group()?;
        }
        Ok(Constant::Unsupported(word.to_owned()))
    }

    fn block_address(&mut self) -> Parsed<Constant> {
        self.cursor.expect(b'(')?;
        let function = self.cursor.next()?;
        self.cursor.expect(b',')?;
        let label = self.cursor.next()?;
        self.cursor.expect(b')')?;
        let (Token::Global(function), Token::Local(label)) = (function, label) else {
            return Err(self.cursor.error("expected a function and a label"));
        };
        let function = self.module.symbol(&function);
        Ok(self.label_address(function, label))
    }

    fn constant_pair(&mut self) -> Parsed<(Box<TypedConstant>, Box<TypedConstant>)> {
        self.cursor.expect(b'(')?;
        let left = self.typed_constant()?;
        self.cursor.expect(b',')?;
        let right = self.typed_constant()?;
        self.cursor.expect(b')')?;
        Ok((Box::new(left), Box::new(right)))
    }

    fn constant_element(&mut self) -> Parsed<Constant> {
        while !self.cursor.is_sign(b'(') {
            self.cursor.next()?;
            if self.cursor.is_sign(b'(') && !self.is_element_start() {
                self.cursor.skip_group()?;
            }
        }
        self.cursor.expect(b'(')?;
        let source = self.ty()?;
        self.cursor.expect(b',')?;
        let base = Box::new(self.typed_constant()?);
        let mut indices = Vec::new();
        while self.cursor.take(b',') {
            self.cursor.take_words(&["inrange"]);
            indices.push(self.typed_constant()?);
        }
        self.cursor.expect(b')')?;
        Ok(Constant::Element { source, base, indices })
    }

    /// Whether the bracket that comes next begins the operands, not the argument of `inrange(…)`.
    fn is_element_start(&mut self) -> bool {
        !matches!(self.cursor.peek_second(), Some(Token::Int(_)))
    }

    fn splat(&mut self, ty: TypeId) -> Parsed<Constant> {
        self.cursor.expect(b'(')?;
        let element = self.typed_constant()?;
        self.cursor.expect(b')')?;
        match self.module.types.get(ty) {
            Type::Vector(count, _) => Ok(Constant::Parts(vec![element; *count as usize])),
            _ => Err(self.cursor.error("`splat` outside of a vector")),
        }
    }
}
