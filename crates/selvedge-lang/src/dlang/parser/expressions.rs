//! Conditions and expressions.
//!
//! The grammar has one alternative for all five operators, so they bind equally and group to the left:
//! `a + b % c` is `(a + b) % c`.

use selvedge_ir::{BinaryOp, Span};

use super::Grammar;
use crate::diagnostic::Diagnostic;
use crate::dlang::ast::{Access, Condition, Expr, ExprKind};
use crate::limits;
use crate::parser::Parsed;
use crate::token::TokenKind;

impl Grammar<'_> {
    /// `int_expr (< | > | ==) int_expr`
    pub fn bool_expr(&mut self) -> Parsed<Condition> {
        let left = self.int_expr()?;
        let op = match self.cursor.token().kind {
            TokenKind::Fixed("<") => BinaryOp::Lt,
            TokenKind::Fixed(">") => BinaryOp::Gt,
            TokenKind::Fixed("==") => BinaryOp::Eq,
            _ => return self.cursor.fail_expected("`<`, `>` or `==`"),
        };
        self.cursor.advance();
        Ok(Condition { op, left, right: self.int_expr()? })
    }

    /// `primary (operator primary)*`
    pub fn int_expr(&mut self) -> Parsed<Expr> {
        let mut left = self.primary()?;
        while let Some(op) = self.operator() {
            self.cursor.advance();
            let right = self.primary()?;
            let span = left.span.to(right.span);
            let height = left.height.max(right.height);
            let kind = ExprKind::Binary { op, left: Box::new(left), right: Box::new(right) };
            left = self.node(kind, span, height + levels(op))?;
        }
        Ok(left)
    }

    fn operator(&self) -> Option<BinaryOp> {
        match self.cursor.token().kind {
            TokenKind::Fixed("+") => Some(BinaryOp::Add),
            TokenKind::Fixed("-") => Some(BinaryOp::Sub),
            TokenKind::Fixed("*") => Some(BinaryOp::Mul),
            TokenKind::Fixed("/") => Some(BinaryOp::Div),
            TokenKind::Fixed("%") => Some(BinaryOp::Rem),
            _ => None,
        }
    }

    /// `( int_expr )`, a number, a variable or an element of one
    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.cursor.token();
        match start.kind {
            TokenKind::Fixed("(") => {
                self.cursor.advance();
                let mut inner = self.nested(Self::int_expr)?;
                self.cursor.expect(")", "to match the `(`")?;
                inner.span = start.span.to(self.cursor.previous_span());
                Ok(inner)
            }
            TokenKind::Integer(_) => {
                let number = self.number("a number")?;
                self.node(ExprKind::Int(number.value), number.span, 1)
            }
            TokenKind::Name => {
                let access = self.access()?;
                let height = access.index.as_ref().map_or(1, |index| index.height) + 1;
                let span = start.span.to(self.cursor.previous_span());
                self.node(ExprKind::Access(access), span, height)
            }
            TokenKind::Fixed("-") => {
                let message = "there are no negative numbers";
                let help = "write `0 - …` in parentheses";
                self.cursor.fail(Diagnostic::new(start.span, message, "a sign").help(help))
            }
            _ => self.cursor.fail_expected("an expression"),
        }
    }

    /// `ID` or `ID [ int_expr ]`
    pub fn access(&mut self) -> Parsed<Access> {
        let name = self.name("a variable")?;
        if !self.cursor.eat("[") {
            return Ok(Access { name, index: None });
        }
        let index = self.nested(Self::int_expr)?;
        self.cursor.expect("]", "after the index")?;
        self.indexed.insert(name.text.clone());
        Ok(Access { name, index: Some(Box::new(index)) })
    }

    fn node(&mut self, kind: ExprKind, span: Span, height: u32) -> Parsed<Expr> {
        if height > limits::EXPRESSION_HEIGHT {
            let message = "this expression is too large";
            let help = "compute parts of it in assignments to `local` variables";
            return self.cursor.fail(Diagnostic::new(span, message, "too many operators").help(help));
        }
        Ok(Expr { kind, span, height })
    }
}

/// How many levels an operator adds to the tree in the IR: `a % b` becomes `((a % b) + b) % b`.
fn levels(op: BinaryOp) -> u32 {
    if op == BinaryOp::Rem { 3 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Diagnostics;
    use crate::dlang::{expansion, lexer};
    use crate::parser::Parser;
    use std::collections::BTreeSet;

    /// The expression with all its parentheses.
    fn grouped(expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Int(value) => value.to_string(),
            ExprKind::Access(Access { name, index: None }) => name.text.clone(),
            ExprKind::Access(Access { name, index: Some(index) }) => {
                format!("{}[{}]", name.text, grouped(index))
            }
            ExprKind::Binary { op, left, right } => {
                format!("({} {} {})", grouped(left), op.symbol(), grouped(right))
            }
        }
    }

    fn parsed(source: &str) -> Result<String, Vec<String>> {
        let mut diagnostics = Diagnostics::default();
        let expansion = expansion::expand(source, &mut diagnostics);
        let lexed = lexer::tokens(&expansion, &mut diagnostics);
        let cursor = Parser::new(source, &lexed.tokens, &mut diagnostics);
        let expr = Grammar { cursor, lexed: &lexed, indexed: BTreeSet::new() }.int_expr();
        let messages = diagnostics.into_sorted().into_iter().map(|d| d.message).collect();
        expr.map(|expr| grouped(&expr)).map_err(|_| messages)
    }

    #[test]
    fn all_operators_bind_equally_and_group_to_the_left() {
        assert_eq!(parsed("a + 1 % n"), Ok("((a + 1) % n)".to_string()));
        assert_eq!(parsed("a - b * (c + d / e)"), Ok("((a - b) * ((c + d) / e))".to_string()));
    }

    #[test]
    fn indices_are_expressions() {
        assert_eq!(parsed("a[b[1] + 2] - 1"), Ok("(a[(b[1] + 2)] - 1)".to_string()));
    }

    #[test]
    fn a_sign_is_explained() {
        assert_eq!(parsed("a + -1"), Err(vec!["there are no negative numbers".to_string()]));
    }

    #[test]
    fn deep_and_long_expressions_are_mistakes_and_no_overflow() {
        for text in ["(".repeat(100_000), "a[".repeat(100_000), format!("1{}", " % a".repeat(100_000))] {
            assert_eq!(parsed(&text).map_err(|messages| messages.len()), Err(1));
        }
    }
}
