//! Constants: their arithmetic, and the evaluation of constant expressions.
//!
//! The arithmetic is that of the running program: 64 bits, wrapping. What would be a violation at run time,
//! such as a division by zero, is a diagnostic here.

use selvedge_ir::{BinaryOp, Span, Type, UnaryOp};

use crate::ast::{Expr, ExprKind};
use crate::diagnostic::Diagnostic;

/// A value known at compile time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant {
    /// The type.
    pub ty: Type,
    /// The value, 0 or 1 for a boolean.
    pub value: i64,
}

impl Constant {
    /// An integer.
    pub fn int(value: i64) -> Self {
        Constant { ty: Type::Int, value }
    }

    /// A boolean.
    pub fn bool(value: bool) -> Self {
        Constant { ty: Type::Bool, value: i64::from(value) }
    }

    /// This value as a value of another type.
    pub fn convert(self, ty: Type) -> Self {
        match ty {
            Type::Int => Constant::int(self.value),
            Type::Bool => Constant::bool(self.value != 0),
        }
    }
}

/// What an operator does with its operands' types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signature {
    /// From two integers to one.
    Arithmetic,
    /// From two integers to a boolean.
    Order,
    /// From two values of the same type to a boolean.
    Equality,
    /// From two booleans to one, lazily.
    Logic,
}

/// The signature of an operator.
pub fn signature(op: BinaryOp) -> Signature {
    match op {
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => Signature::Order,
        BinaryOp::Eq | BinaryOp::Ne => Signature::Equality,
        BinaryOp::And | BinaryOp::Or => Signature::Logic,
        _ => Signature::Arithmetic,
    }
}

/// The complaint that an operator needs integers and `operand` is none.
pub fn needs_integers(op: &str, operand: Span, other: Option<Type>) -> Diagnostic {
    let message = format!("`{op}` needs integers, this is a boolean");
    let diagnostic = Diagnostic::new(operand, message, "a boolean");
    match (op, other) {
        ("&", Some(Type::Bool)) => diagnostic.help("use `&&` for booleans"),
        ("|", Some(Type::Bool)) => diagnostic.help("use `||` for booleans"),
        ("^", Some(Type::Bool)) => diagnostic.help("use `!=` for booleans, or `&&` and `||`"),
        ("&" | "|" | "^", _) => {
            diagnostic.help("comparisons bind more strongly than `&`, `^` and `|`: use parentheses")
        }
        ("<" | "<=" | ">" | ">=", _) => diagnostic.help("join two comparisons with `&&`"),
        ("~", _) => diagnostic.help("use `!` for booleans"),
        _ => diagnostic.help("write `c ? 1 : 0` to make a number of a boolean"),
    }
}

/// The complaint that `left op right` always fails.
pub fn always_fails(op: BinaryOp, right: Span, value: i64) -> Diagnostic {
    match op {
        BinaryOp::Shl | BinaryOp::Shr => {
            let message = format!("a shift by {value} is not possible");
            Diagnostic::new(right, message, format!("this is {value}"))
                .help("shift amounts range from 0 to 63")
        }
        _ => Diagnostic::new(right, "division by zero", "this is zero"),
    }
}

/// Looks up the value of a name in a constant expression, or says what is wrong with it.
pub type Lookup<'l> = dyn Fn(&str, Span) -> Result<Constant, Option<Diagnostic>> + 'l;

/// The value of a constant expression, or why it has none; nothing when that has been reported already.
pub fn evaluate(expr: &Expr, lookup: &Lookup) -> Result<Constant, Option<Diagnostic>> {
    match &expr.kind {
        ExprKind::Int(value) => Ok(Constant::int(*value)),
        ExprKind::Bool(value) => Ok(Constant::bool(*value)),
        ExprKind::Name(name) => lookup(name, expr.span),
        ExprKind::Unary { op, operand } => evaluate_unary(*op, operand, lookup),
        ExprKind::Binary { op, left, right } => evaluate_binary(*op, left, right, lookup),
        ExprKind::Conditional { condition, then, otherwise } => {
            let chosen = if evaluate(condition, lookup)?.value != 0 { then } else { otherwise };
            evaluate(chosen, lookup)
        }
        ExprKind::SelfIndex => {
            let message = "`self` is not known at compile time";
            Err(Some(Diagnostic::new(expr.span, message, "not a constant")))
        }
        ExprKind::Index { .. } | ExprKind::Call { .. } | ExprKind::Range { .. } => {
            let message = "this is not known at compile time";
            let help = "only numbers, constants and operators are allowed here";
            Err(Some(Diagnostic::new(expr.span, message, "not a constant").help(help)))
        }
    }
}

fn evaluate_unary(op: UnaryOp, operand: &Expr, lookup: &Lookup) -> Result<Constant, Option<Diagnostic>> {
    let value = evaluate(operand, lookup)?;
    match op {
        UnaryOp::Not => Ok(Constant::bool(value.value == 0)),
        _ if value.ty == Type::Bool => {
            let symbol = if op == UnaryOp::Neg { "-" } else { "~" };
            Err(Some(needs_integers(symbol, operand.span, None)))
        }
        _ => Ok(Constant::int(op.apply(value.value))),
    }
}

fn evaluate_binary(
    op: BinaryOp,
    left: &Expr,
    right: &Expr,
    lookup: &Lookup,
) -> Result<Constant, Option<Diagnostic>> {
    let first = evaluate(left, lookup)?;
    match op {
        BinaryOp::And if first.value == 0 => return Ok(Constant::bool(false)),
        BinaryOp::Or if first.value != 0 => return Ok(Constant::bool(true)),
        _ => {}
    }
    let second = evaluate(right, lookup)?;
    let signature = signature(op);
    if matches!(signature, Signature::Arithmetic | Signature::Order) {
        let operands = [(left, first, second), (right, second, first)];
        if let Some((operand, _, other)) = operands.iter().find(|(_, value, _)| value.ty == Type::Bool) {
            return Err(Some(needs_integers(op.symbol(), operand.span, Some(other.ty))));
        }
    }
    match op.apply(first.value, second.value) {
        Some(value) if signature == Signature::Arithmetic => Ok(Constant::int(value)),
        Some(value) => Ok(Constant::bool(value != 0)),
        None => Err(Some(always_fails(op, right.span, second.value))),
    }
}
