//! The reader of expressions: an operand, or two with an operator between them. There is no precedence;
//! an operator inside another expression stands in parentheses.

use super::Fault;
use super::cursor::Cursor;
use super::function::Scope;
use super::lexer::Token;
use crate::limits::MAX_DEPTH;
use crate::symbols::{binary_op, unary_op};
use crate::{Expr, UnaryOp};

/// Reads an expression.
pub(super) fn expr<'t>(cursor: &mut Cursor<'t>, scope: &Scope<'_, 't>) -> Result<Expr, Fault> {
    Reader { cursor, scope }.expr(MAX_DEPTH)
}

/// Reads an index in brackets if there is one; without one it is 0.
pub(super) fn optional_index<'t>(cursor: &mut Cursor<'t>, scope: &Scope<'_, 't>) -> Result<Expr, Fault> {
    match *cursor.peek() {
        Token::Symbol("[") => index(cursor, scope),
        _ => Ok(Expr::Int(0)),
    }
}

/// Reads an index in brackets.
pub(super) fn index<'t>(cursor: &mut Cursor<'t>, scope: &Scope<'_, 't>) -> Result<Expr, Fault> {
    Reader { cursor, scope }.index(MAX_DEPTH + 1)
}

struct Reader<'r, 's, 't> {
    cursor: &'r mut Cursor<'t>,
    scope: &'r Scope<'s, 't>,
}

impl Reader<'_, '_, '_> {
    /// An expression. Each bracket around a part of it uses up one of `depth`, so that recursion is bounded and
    /// every expression within [`MAX_DEPTH`] can be read.
    fn expr(&mut self, depth: usize) -> Result<Expr, Fault> {
        if depth == 0 {
            return self.cursor.fault(format!("expressions nest more than {MAX_DEPTH} deep"));
        }
        let left = self.operand(depth)?;
        let Token::Symbol(symbol) = *self.cursor.peek() else { return Ok(left) };
        let Some(op) = binary_op(symbol) else { return Ok(left) };
        self.cursor.advance();
        let right = self.operand(depth)?;
        Ok(Expr::Binary { op, left: Box::new(left), right: Box::new(right) })
    }

    fn operand(&mut self, depth: usize) -> Result<Expr, Fault> {
        match self.cursor.peek() {
            Token::Number(_) | Token::Symbol("-") => self.cursor.integer().map(Expr::Int),
            Token::Register(_) => self.scope.register(self.cursor).map(Expr::Register),
            Token::Array(_) => self.element(depth),
            Token::Global(_) => self.load(depth),
            Token::Word(word) => self.word(word, depth),
            Token::Symbol("(") => {
                self.cursor.advance();
                let inner = self.expr(depth - 1)?;
                self.cursor.symbol(")")?;
                Ok(inner)
            }
            _ => self.cursor.expected("an expression"),
        }
    }

    fn element(&mut self, depth: usize) -> Result<Expr, Fault> {
        let array = self.scope.array(self.cursor)?;
        let index = Box::new(self.index(depth)?);
        Ok(Expr::Element { array, index })
    }

    fn load(&mut self, depth: usize) -> Result<Expr, Fault> {
        let object = self.scope.program.object(self.cursor)?;
        let index = match *self.cursor.peek() {
            Token::Symbol("[") => self.index(depth)?,
            _ => Expr::Int(0),
        };
        Ok(Expr::Load { object, index: Box::new(index) })
    }

    fn index(&mut self, depth: usize) -> Result<Expr, Fault> {
        self.cursor.symbol("[")?;
        let index = self.expr(depth - 1)?;
        self.cursor.symbol("]")?;
        Ok(index)
    }

    fn word(&mut self, word: &str, depth: usize) -> Result<Expr, Fault> {
        let constant = match word {
            "true" => Some(Expr::Bool(true)),
            "false" => Some(Expr::Bool(false)),
            "self" => Some(Expr::SelfIndex),
            _ => None,
        };
        if let Some(constant) = constant {
            self.cursor.advance();
            return Ok(constant);
        }
        match unary_op(word) {
            Some(op) => self.unary(op, depth),
            None if word == "select" => self.select(depth),
            None => self.cursor.expected("an expression"),
        }
    }

    fn unary(&mut self, op: UnaryOp, depth: usize) -> Result<Expr, Fault> {
        self.cursor.advance();
        self.cursor.symbol("(")?;
        let operand = Box::new(self.expr(depth - 1)?);
        self.cursor.symbol(")")?;
        Ok(Expr::Unary { op, operand })
    }

    fn select(&mut self, depth: usize) -> Result<Expr, Fault> {
        self.cursor.advance();
        self.cursor.symbol("(")?;
        let condition = Box::new(self.expr(depth - 1)?);
        self.cursor.symbol(",")?;
        let then = Box::new(self.expr(depth - 1)?);
        self.cursor.symbol(",")?;
        let otherwise = Box::new(self.expr(depth - 1)?);
        self.cursor.symbol(")")?;
        Ok(Expr::Select { condition, then, otherwise })
    }
}
