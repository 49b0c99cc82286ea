//! What is known of a value while a program is translated.
//!
//! Addresses, functions and threads must be known; integers may be, or they are expressions over registers. An integer of
//! `n` bits is the number from `-2^(n-1)` to `2^(n-1) - 1` with the same bits, whatever sign C gives it; one of a single bit is a
//! boolean.

use crate::facts::ObjectKey;
use crate::residual::mentions;
use selvedge_ir::{Expr, RegisterId};

/// What is known of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// Nobody gave it a value.
    Undefined,
    /// It has one, but only the thread that made it knows.
    Foreign,
    /// An integer.
    Int {
        /// Its width.
        bits: u32,
        /// The number.
        value: i64,
    },
    /// An integer that is computed when the program runs.
    Number(Number),
    /// An address.
    Pointer(Pointer),
    /// A function, by its place in the module.
    Function(usize),
    /// A thread, by its number.
    Thread(u32),
    /// The parts of a structure.
    Parts(Vec<Value>),
}

/// An integer that is computed when the program runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number {
    /// Its width.
    pub bits: u32,
    /// How it is computed: a boolean if it has one bit.
    pub expr: Expr,
    /// The least value it can have.
    pub low: i64,
    /// The greatest value it can have.
    pub high: i64,
}

/// An address: an object, and a sum of multiples of numbers in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pointer {
    /// The object; none if the sum is all there is.
    pub object: Option<ObjectKey>,
    /// The part of the sum that is known.
    pub constant: i64,
    /// What is computed, with the factors.
    pub terms: Vec<(Expr, i64)>,
}

/// The least and the greatest number of a width.
pub fn range(bits: u32) -> (i64, i64) {
    match bits {
        1 => (0, 1),
        64.. => (i64::MIN, i64::MAX),
        bits => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
    }
}

/// The number of a width that has the same bits.
pub fn canonical(bits: u32, value: i128) -> i64 {
    match bits {
        1 => (value & 1) as i64,
        64.. => value as i64,
        bits => ((value as i64) << (64 - bits)) >> (64 - bits),
    }
}

impl Value {
    /// An integer.
    pub fn int(bits: u32, value: i128) -> Value {
        Value::Int { bits, value: canonical(bits, value) }
    }

    /// A number, known if it is a constant.
    pub fn of(number: Number) -> Value {
        match number.expr {
            Expr::Int(value) => Value::Int { bits: number.bits, value },
            Expr::Bool(value) => Value::Int { bits: 1, value: value.into() },
            _ => Value::Number(number),
        }
    }

    /// The null pointer.
    pub fn null() -> Value {
        Value::Pointer(Pointer { object: None, constant: 0, terms: Vec::new() })
    }

    /// A computed integer of which only the width is known.
    pub fn computed(bits: u32, expr: Expr) -> Value {
        let (low, high) = range(bits);
        Value::Number(Number { bits, expr, low, high })
    }

    /// A computed integer with bounds. Those that do not fit its width say nothing: it wraps around.
    pub fn bounded(bits: u32, expr: Expr, low: i128, high: i128) -> Value {
        let (least, most) = range(bits);
        match low >= least.into() && high <= most.into() {
            true => Value::Number(Number { bits, expr, low: low as i64, high: high as i64 }),
            false => Value::computed(bits, expr),
        }
    }

    /// The address of an object.
    pub fn address(object: ObjectKey) -> Value {
        Value::Pointer(Pointer { object: Some(object), constant: 0, terms: Vec::new() })
    }

    /// The integer, as an expression with its bounds.
    pub fn number(&self) -> Option<Number> {
        match self {
            Value::Int { bits: 1, value } => {
                Some(Number { bits: 1, expr: Expr::Bool(*value != 0), low: *value, high: *value })
            }
            Value::Int { bits, value } => {
                Some(Number { bits: *bits, expr: Expr::Int(*value), low: *value, high: *value })
            }
            Value::Number(number) => Some(number.clone()),
            Value::Pointer(Pointer { object: None, constant, terms }) => match terms.as_slice() {
                [] => Some(Number { bits: 64, expr: Expr::Int(*constant), low: *constant, high: *constant }),
                [(expr, 1)] if *constant == 0 => {
                    let (low, high) = range(64);
                    Some(Number { bits: 64, expr: expr.clone(), low, high })
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The integer, if it is known.
    pub fn known(&self) -> Option<i64> {
        match self {
            Value::Int { value, .. } => Some(*value),
            Value::Pointer(Pointer { object: None, constant, terms }) if terms.is_empty() => Some(*constant),
            _ => None,
        }
    }

    /// Whether it reads a register.
    pub fn mentions(&self, register: RegisterId) -> bool {
        match self {
            Value::Number(number) => mentions(&number.expr, register),
            Value::Pointer(pointer) => pointer.terms.iter().any(|(expr, _)| mentions(expr, register)),
            Value::Parts(parts) => parts.iter().any(|part| part.mentions(register)),
            _ => false,
        }
    }

    /// Whether it means the same in every thread.
    pub fn is_static(&self) -> bool {
        match self {
            Value::Number(_) => false,
            Value::Pointer(pointer) => pointer.terms.is_empty(),
            Value::Parts(parts) => parts.iter().all(Value::is_static),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_keep_their_bits() {
        assert_eq!(canonical(32, 0xffff_ffff), -1);
        assert_eq!(canonical(8, 128), -128);
        assert_eq!(canonical(1, 3), 1);
        assert_eq!(canonical(64, 1 << 63), i64::MIN);
        assert_eq!((range(8), range(1)), ((-128, 127), (0, 1)));
    }

    #[test]
    fn bounds_that_do_not_fit_say_nothing() {
        let bounds =
            |low, high| Value::bounded(64, Expr::Bool(true), low, high).number().map(|n| (n.low, n.high));
        assert_eq!(bounds(0, i128::from(i64::MAX)), Some((0, i64::MAX)));
        assert_eq!(bounds(0, i128::from(i64::MAX) + 1), Some((i64::MIN, i64::MAX)));
        assert_eq!(bounds(i128::from(i64::MIN) - 1, 0), Some((i64::MIN, i64::MAX)));
    }
}
