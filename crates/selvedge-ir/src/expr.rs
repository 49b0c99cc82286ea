//! Expressions: values computed from constants, registers and memory, without side effects.
//!
//! Integers have 64 bits and wrap around; booleans are 0 or 1. `And`, `Or` and `Select` evaluate only the
//! operands they need, so an expression reads only what it used: `i < N && a[i] == 0` is safe.

use crate::{ArrayId, ObjectId, RegisterId};

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// A 64-bit integer in two's complement.
    Int,
    /// 0 or 1.
    Bool,
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// An integer constant.
    Int(i64),
    /// A boolean constant.
    Bool(bool),
    /// The index of the running thread in its family.
    SelfIndex,
    /// The value of a register.
    Register(RegisterId),
    /// An element of a thread-local array.
    Element {
        /// The array.
        array: ArrayId,
        /// Which element; out of range is a violation.
        index: Box<Expr>,
    },
    /// A read of shared memory.
    Load {
        /// The object.
        object: ObjectId,
        /// Which element, 0 for a scalar; out of range is a violation.
        index: Box<Expr>,
    },
    /// An operator with one operand.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Its operand.
        operand: Box<Expr>,
    },
    /// An operator with two operands.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// The left operand, evaluated first.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
    /// `condition ? then : otherwise`, which evaluates only one of the two.
    Select {
        /// A boolean.
        condition: Box<Expr>,
        /// The value when it is true.
        then: Box<Expr>,
        /// The value when it is false.
        otherwise: Box<Expr>,
    },
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Integer negation, wrapping.
    Neg,
    /// Bitwise complement of an integer.
    BitNot,
    /// Boolean negation.
    Not,
    /// From integer to boolean: not zero.
    ToBool,
    /// From boolean to integer.
    ToInt,
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// Wrapping sum.
    Add,
    /// Wrapping difference.
    Sub,
    /// Wrapping product.
    Mul,
    /// Quotient rounded towards zero; division by zero is a violation.
    Div,
    /// Remainder with the sign of the dividend; division by zero is a violation.
    Rem,
    /// Bitwise and of integers.
    BitAnd,
    /// Bitwise or of integers.
    BitOr,
    /// Bitwise exclusive or of integers.
    BitXor,
    /// Left shift; an amount outside 0..64 is a violation.
    Shl,
    /// Arithmetic right shift; an amount outside 0..64 is a violation.
    Shr,
    /// Equality, of two integers or two booleans.
    Eq,
    /// Inequality, of two integers or two booleans.
    Ne,
    /// Less, of integers.
    Lt,
    /// Less or equal, of integers.
    Le,
    /// Greater, of integers.
    Gt,
    /// Greater or equal, of integers.
    Ge,
    /// Boolean and; the right operand is evaluated only when the left one is true.
    And,
    /// Boolean or; the right operand is evaluated only when the left one is false.
    Or,
}

impl Expr {
    /// Calls `visit` on this expression and on all its parts, outermost first.
    pub fn walk<'e>(&'e self, visit: &mut dyn FnMut(&'e Expr)) {
        visit(self);
        match self {
            Expr::Int(_) | Expr::Bool(_) | Expr::SelfIndex | Expr::Register(_) => {}
            Expr::Element { index, .. } | Expr::Load { index, .. } => index.walk(visit),
            Expr::Unary { operand, .. } => operand.walk(visit),
            Expr::Binary { left, right, .. } => {
                left.walk(visit);
                right.walk(visit);
            }
            Expr::Select { condition, then, otherwise } => {
                condition.walk(visit);
                then.walk(visit);
                otherwise.walk(visit);
            }
        }
    }

    /// Whether evaluating this expression may read shared memory.
    pub fn reads_shared(&self) -> bool {
        let mut found = false;
        self.walk(&mut |part| found |= matches!(part, Expr::Load { .. }));
        found
    }
}
