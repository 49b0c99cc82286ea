//! The words and symbols of the operators in the text form, in both directions.

use crate::{BinaryOp, UnaryOp};

const UNARY: [UnaryOp; 5] = [UnaryOp::Neg, UnaryOp::BitNot, UnaryOp::Not, UnaryOp::ToBool, UnaryOp::ToInt];

const BINARY: [BinaryOp; 18] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::BitAnd,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
    BinaryOp::Shl,
    BinaryOp::Shr,
    BinaryOp::Eq,
    BinaryOp::Ne,
    BinaryOp::Lt,
    BinaryOp::Le,
    BinaryOp::Gt,
    BinaryOp::Ge,
    BinaryOp::And,
    BinaryOp::Or,
];

/// The operator with one operand that is written as this word.
pub(crate) fn unary_op(word: &str) -> Option<UnaryOp> {
    UNARY.into_iter().find(|&op| unary_word(op) == word)
}

/// The operator with two operands that is written as this symbol.
pub(crate) fn binary_op(symbol: &str) -> Option<BinaryOp> {
    BINARY.into_iter().find(|&op| BinaryOp::symbol(op) == symbol)
}

/// The word for an operator with one operand.
pub(crate) fn unary_word(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Neg => "neg",
        UnaryOp::BitNot => "bitnot",
        UnaryOp::Not => "not",
        UnaryOp::ToBool => "bool",
        UnaryOp::ToInt => "int",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_is_found_by_its_symbol() {
        assert!(UNARY.iter().all(|&op| unary_op(unary_word(op)) == Some(op)));
        assert!(BINARY.iter().all(|&op| binary_op(BinaryOp::symbol(op)) == Some(op)));
        assert_eq!(unary_op("lock"), None);
        assert_eq!(binary_op("="), None);
    }
}
