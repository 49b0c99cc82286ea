//! Operators and conversions.

use selvedge_ir::{BinaryOp, Type, UnaryOp};

use super::names::Use;
use super::{Checker, Code};
use crate::ast;
use crate::constants::{self, Signature};
use crate::diagnostic::Diagnostic;
use crate::typed::{Expr, ExprKind};

impl Checker<'_, '_> {
    /// An expression of either type.
    pub fn expression(&mut self, expr: &ast::Expr) -> Option<Expr> {
        match &expr.kind {
            ast::ExprKind::Int(value) => Some(Expr::int(*value)),
            ast::ExprKind::Bool(value) => Some(Expr::new(ExprKind::Constant(i64::from(*value)), Type::Bool)),
            ast::ExprKind::SelfIndex => self.self_index(expr),
            ast::ExprKind::Name(_) | ast::ExprKind::Index { .. } => self.named_value(Use::of(expr)?),
            ast::ExprKind::Unary { op, operand } => self.unary(*op, operand),
            ast::ExprKind::Binary { op, left, right } => self.binary(*op, left, right),
            ast::ExprKind::Conditional { condition, then, otherwise } => {
                self.conditional(condition, then, otherwise)
            }
            ast::ExprKind::Call { callee, arguments } => self.call_in_expression(expr, callee, arguments),
            ast::ExprKind::Range { .. } => {
                let message = "a range is not a value";
                let help = "ranges stand in `nondet(low..high)` and in `for i in low..high`";
                self.fail(Diagnostic::new(expr.span, message, "not a value").help(help))
            }
        }
    }

    /// An expression that must be an integer because of `user`, an operator or something like it.
    pub fn integer(&mut self, expr: &ast::Expr, user: &str) -> Option<Expr> {
        let value = self.expression(expr)?;
        match value.ty {
            Type::Int => Some(value),
            Type::Bool => self.fail(constants::needs_integers(user, expr.span, None)),
        }
    }

    /// An expression as a truth value.
    pub fn condition(&mut self, expr: &ast::Expr) -> Option<Expr> {
        Some(self.expression(expr)?.convert(Type::Bool))
    }

    fn self_index(&mut self, expr: &ast::Expr) -> Option<Expr> {
        if self.code != Code::Finally {
            return Some(Expr::new(ExprKind::SelfIndex, Type::Int));
        }
        let message = "there is no `self` in `finally`";
        let help = "`finally` runs once, after all threads have ended; loop over the indices instead";
        self.fail(Diagnostic::new(expr.span, message, "no thread here").help(help))
    }

    fn unary(&mut self, op: UnaryOp, operand: &ast::Expr) -> Option<Expr> {
        let (value, ty) = match op {
            UnaryOp::Neg => (self.integer(operand, "-")?, Type::Int),
            UnaryOp::BitNot => (self.integer(operand, "~")?, Type::Int),
            _ => (self.condition(operand)?, Type::Bool),
        };
        Some(Expr::new(ExprKind::Unary { op, operand: Box::new(value) }, ty))
    }

    fn binary(&mut self, op: BinaryOp, left: &ast::Expr, right: &ast::Expr) -> Option<Expr> {
        // Both sides are checked before giving up, so that mistakes in both are found.
        let (first, second) = (self.expression(left), self.expression(right));
        let (first, second) = (first?, second?);
        let (first, second, ty) = match constants::signature(op) {
            Signature::Arithmetic | Signature::Order => {
                self.both_integers(op, (left, &first), (right, &second))?;
                let order = constants::signature(op) == Signature::Order;
                (first, second, if order { Type::Bool } else { Type::Int })
            }
            Signature::Equality => {
                let common = if first.ty == second.ty { first.ty } else { Type::Int };
                (first.convert(common), second.convert(common), Type::Bool)
            }
            Signature::Logic => (first.convert(Type::Bool), second.convert(Type::Bool), Type::Bool),
        };
        self.check_divisor(op, right, &second)?;
        Some(Expr::new(ExprKind::Binary { op, left: Box::new(first), right: Box::new(second) }, ty))
    }

    fn both_integers(
        &mut self,
        op: BinaryOp,
        left: (&ast::Expr, &Expr),
        right: (&ast::Expr, &Expr),
    ) -> Option<()> {
        for (operand, other) in [(left, right), (right, left)] {
            if operand.1.ty == Type::Bool {
                let symbol = op.symbol();
                return self.fail(constants::needs_integers(symbol, operand.0.span, Some(other.1.ty)));
            }
        }
        Some(())
    }

    /// Complains about divisors and shift amounts that are known to fail.
    pub fn check_divisor(&mut self, op: BinaryOp, right: &ast::Expr, value: &Expr) -> Option<()> {
        match value.constant {
            Some(constant) if op.apply(1, constant).is_none() => {
                self.fail(constants::always_fails(op, right.span, constant))
            }
            _ => Some(()),
        }
    }

    fn conditional(
        &mut self,
        condition: &ast::Expr,
        then: &ast::Expr,
        otherwise: &ast::Expr,
    ) -> Option<Expr> {
        let condition = self.condition(condition);
        let (then, otherwise) = (self.expression(then), self.expression(otherwise));
        let (condition, then, otherwise) = (condition?, then?, otherwise?);
        let ty = if then.ty == otherwise.ty { then.ty } else { Type::Int };
        let (then, otherwise) = (Box::new(then.convert(ty)), Box::new(otherwise.convert(ty)));
        Some(Expr::new(ExprKind::Conditional { condition: Box::new(condition), then, otherwise }, ty))
    }
}
