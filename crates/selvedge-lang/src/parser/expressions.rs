//! Expressions, by precedence climbing.

use selvedge_ir::{BinaryOp, Span, UnaryOp};

use super::{Parsed, Parser};
use crate::ast::{Expr, ExprKind, Name};
use crate::diagnostic::Diagnostic;
use crate::limits;
use crate::token::TokenKind;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.nested(Self::conditional_expression)
    }

    /// Makes a node above `children`, unless the tree becomes too high.
    fn node(&mut self, kind: ExprKind, span: Span, children: &[u32]) -> Parsed<Expr> {
        let height = 1 + children.iter().max().unwrap_or(&0);
        if height > limits::EXPRESSION_HEIGHT {
            let message = "this expression is too large";
            let help = "compute parts of it in `let` statements of their own";
            return self.fail(Diagnostic::new(span, message, "too many operators").help(help));
        }
        Ok(Expr { kind, span, height })
    }

    /// `condition ? then : otherwise`
    fn conditional_expression(&mut self) -> Parsed<Expr> {
        let condition = self.binary(1)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let then = self.expression()?;
        self.expect(":", "and the value for when the condition is false")?;
        let otherwise = self.expression()?;
        let span = condition.span.to(otherwise.span);
        let heights = [condition.height, then.height, otherwise.height];
        let (condition, then, otherwise) = (Box::new(condition), Box::new(then), Box::new(otherwise));
        self.node(ExprKind::Conditional { condition, then, otherwise }, span, &heights)
    }

    /// Operators that bind at least as strongly as `weakest`.
    fn binary(&mut self, weakest: u8) -> Parsed<Expr> {
        let mut left = self.unary()?;
        while let Some((op, strength)) = self.operator().filter(|(_, strength)| *strength >= weakest) {
            self.advance();
            let right = self.binary(strength + 1)?;
            let span = left.span.to(right.span);
            let heights = [left.height, right.height];
            let (boxed, right) = (Box::new(left), Box::new(right));
            left = self.node(ExprKind::Binary { op, left: boxed, right }, span, &heights)?;
        }
        Ok(left)
    }

    fn operator(&self) -> Option<(BinaryOp, u8)> {
        let TokenKind::Fixed(symbol) = self.token().kind else { return None };
        Some(match symbol {
            "||" => (BinaryOp::Or, 1),
            "&&" => (BinaryOp::And, 2),
            "|" => (BinaryOp::BitOr, 3),
            "^" => (BinaryOp::BitXor, 4),
            "&" => (BinaryOp::BitAnd, 5),
            "==" => (BinaryOp::Eq, 6),
            "!=" => (BinaryOp::Ne, 6),
            "<" => (BinaryOp::Lt, 7),
            "<=" => (BinaryOp::Le, 7),
            ">" => (BinaryOp::Gt, 7),
            ">=" => (BinaryOp::Ge, 7),
            "<<" => (BinaryOp::Shl, 8),
            ">>" => (BinaryOp::Shr, 8),
            "+" => (BinaryOp::Add, 9),
            "-" => (BinaryOp::Sub, 9),
            "*" => (BinaryOp::Mul, 10),
            "/" => (BinaryOp::Div, 10),
            "%" => (BinaryOp::Rem, 10),
            _ => return None,
        })
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.token().span;
        let TokenKind::Fixed(symbol) = self.token().kind else { return self.primary() };
        let op = match symbol {
            "-" => UnaryOp::Neg,
            "!" => UnaryOp::Not,
            "~" => UnaryOp::BitNot,
            "++" | "--" => return self.fail_step(symbol),
            _ => return self.primary(),
        };
        self.advance();
        if op == UnaryOp::Neg && self.token().kind == TokenKind::Integer(1 << 63) {
            self.advance();
            return self.node(ExprKind::Int(i64::MIN), start.to(self.previous_span()), &[]);
        }
        let operand = self.nested(Self::unary)?;
        let (span, height) = (start.to(operand.span), operand.height);
        self.node(ExprKind::Unary { op, operand: Box::new(operand) }, span, &[height])
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.token();
        match token.kind {
            TokenKind::Integer(value) => self.integer(value, token.span),
            TokenKind::Name => self.name(),
            TokenKind::Fixed("(") => {
                self.advance();
                let mut inner = self.expression()?;
                self.expect(")", "to match the `(`")?;
                inner.span = token.span.to(self.previous_span());
                Ok(inner)
            }
            TokenKind::Fixed(word @ ("true" | "false")) => {
                self.advance();
                self.node(ExprKind::Bool(word == "true"), token.span, &[])
            }
            TokenKind::Fixed("self") => {
                self.advance();
                self.node(ExprKind::SelfIndex, token.span, &[])
            }
            _ => self.fail_expected("an expression"),
        }
    }

    fn integer(&mut self, value: u64, span: Span) -> Parsed<Expr> {
        let decimal = span.text(self.text).bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
        if decimal && value > i64::MAX as u64 {
            let message = "this number does not fit into 64 bits";
            let help = "integers range from -9223372036854775808 to 9223372036854775807";
            return self.fail(Diagnostic::new(span, message, "too large").help(help));
        }
        self.advance();
        // Hexadecimal and binary numbers are bit patterns: `0xffff_ffff_ffff_ffff` is -1.
        self.node(ExprKind::Int(value as i64), span, &[])
    }

    /// A variable, `name[index]` or a call.
    fn name(&mut self) -> Parsed<Expr> {
        let span = self.token().span;
        let name = Name { text: span.text(self.text).to_string(), span };
        self.advance();
        if self.eat("(") {
            return self.call(name);
        }
        if !self.eat("[") {
            return self.node(ExprKind::Name(name.text), span, &[]);
        }
        let index = self.expression()?;
        self.expect("]", "after the index")?;
        if self.at("[") {
            return self.fail_nested_array();
        }
        let (span, height) = (span.to(self.previous_span()), index.height);
        self.node(ExprKind::Index { name, index: Box::new(index) }, span, &[height])
    }

    fn call(&mut self, callee: Name) -> Parsed<Expr> {
        let mut arguments = Vec::new();
        while !self.at(")") {
            arguments.push(self.argument()?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")", "after the arguments")?;
        let span = callee.span.to(self.previous_span());
        let heights: Vec<u32> = arguments.iter().map(|argument| argument.height).collect();
        self.node(ExprKind::Call { callee, arguments }, span, &heights)
    }

    /// An expression, or a range for `nondet`.
    fn argument(&mut self) -> Parsed<Expr> {
        let low = self.expression()?;
        if !self.eat("..") {
            return Ok(low);
        }
        let high = self.expression()?;
        let (span, heights) = (low.span.to(high.span), [low.height, high.height]);
        self.node(ExprKind::Range { low: Box::new(low), high: Box::new(high) }, span, &heights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Diagnostics;
    use crate::lexer;

    /// The expression with all its parentheses.
    fn grouped(expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Int(value) => value.to_string(),
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::SelfIndex => "self".to_string(),
            ExprKind::Name(name) => name.clone(),
            ExprKind::Index { name, index } => format!("{}[{}]", name.text, grouped(index)),
            ExprKind::Unary { op, operand } => format!("({op:?} {})", grouped(operand)),
            ExprKind::Binary { op, left, right } => {
                format!("({} {} {})", grouped(left), op.symbol(), grouped(right))
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                format!("({} ? {} : {})", grouped(condition), grouped(then), grouped(otherwise))
            }
            ExprKind::Call { callee, arguments } => {
                let arguments: Vec<String> = arguments.iter().map(grouped).collect();
                format!("{}({})", callee.text, arguments.join(", "))
            }
            ExprKind::Range { low, high } => format!("{}..{}", grouped(low), grouped(high)),
        }
    }

    fn parsed(text: &str) -> String {
        let mut diagnostics = Diagnostics::default();
        let tokens = lexer::tokens(text, &mut diagnostics);
        let mut parser = Parser::new(text, &tokens, &mut diagnostics);
        let expr = parser.expression().expect("an expression");
        assert!(parser.at_end(), "{text}");
        grouped(&expr)
    }

    #[test]
    fn operators_bind_as_in_c() {
        assert_eq!(parsed("a + b * c - d"), "((a + (b * c)) - d)");
        assert_eq!(parsed("a || b && c | d ^ e & f == g < h << i + j * k"), {
            "(a || (b && (c | (d ^ (e & (f == (g < (h << (i + (j * k))))))))))"
        });
        assert_eq!(parsed("a < b == c"), "((a < b) == c)");
        assert_eq!(parsed("-a * !b[1]"), "((Neg a) * (Not b[1]))");
    }

    #[test]
    fn conditionals_group_to_the_right() {
        assert_eq!(parsed("a ? b : c ? d : e"), "(a ? b : (c ? d : e))");
        assert_eq!(parsed("a || b ? 1 : 2"), "((a || b) ? 1 : 2)");
    }

    #[test]
    fn the_least_integer_can_be_written() {
        assert_eq!(parsed("-9223372036854775808"), "-9223372036854775808");
        assert_eq!(parsed("0xffff_ffff_ffff_ffff"), "-1");
    }

    #[test]
    fn calls_take_expressions_and_ranges() {
        assert_eq!(parsed("f(a, (b), nondet(0..n - 1))"), "f(a, b, nondet(0..(n - 1)))");
    }
}
