//! What operators do and how they are written: the one definition for constants, folding and running.

use crate::{BinaryOp, UnaryOp};

impl BinaryOp {
    /// All operators.
    pub const ALL: [BinaryOp; 18] = [
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
}

impl UnaryOp {
    /// The value of the operator.
    #[inline(always)]
    pub fn apply(self, a: i64) -> i64 {
        match self {
            UnaryOp::Neg => a.wrapping_neg(),
            UnaryOp::BitNot => !a,
            UnaryOp::Not => i64::from(a == 0),
            UnaryOp::ToBool => i64::from(a != 0),
            UnaryOp::ToInt => a,
        }
    }
}

impl BinaryOp {
    /// The value of the operator, unless it is a division by zero or a shift out of range.
    #[inline(always)]
    pub fn apply(self, a: i64, b: i64) -> Option<i64> {
        Some(match self {
            BinaryOp::Add => a.wrapping_add(b),
            BinaryOp::Sub => a.wrapping_sub(b),
            BinaryOp::Mul => a.wrapping_mul(b),
            BinaryOp::Div if b == 0 => return None,
            BinaryOp::Div => a.wrapping_div(b),
            BinaryOp::Rem if b == 0 => return None,
            BinaryOp::Rem => a.wrapping_rem(b),
            BinaryOp::BitAnd => a & b,
            BinaryOp::BitOr => a | b,
            BinaryOp::BitXor => a ^ b,
            BinaryOp::Shl | BinaryOp::Shr if !(0..64).contains(&b) => return None,
            BinaryOp::Shl => a << b,
            BinaryOp::Shr => a >> b,
            BinaryOp::Eq => i64::from(a == b),
            BinaryOp::Ne => i64::from(a != b),
            BinaryOp::Lt => i64::from(a < b),
            BinaryOp::Le => i64::from(a <= b),
            BinaryOp::Gt => i64::from(a > b),
            BinaryOp::Ge => i64::from(a >= b),
            BinaryOp::And => i64::from(a != 0 && b != 0),
            BinaryOp::Or => i64::from(a != 0 || b != 0),
        })
    }

    /// The value of the operator on operands that may be unknown: nothing if it may fail, and an unknown value if it depends on what is not known.
    pub fn apply_known(self, a: Option<i64>, b: Option<i64>) -> Option<Option<i64>> {
        match (a, b) {
            (Some(a), Some(b)) => self.apply(a, b).map(Some),
            (_, Some(b)) => self.apply(1, b).map(|_| None),
            (_, None) => match self {
                BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr => None,
                _ => Some(None),
            },
        }
    }

    /// How the operator is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_around() {
        assert_eq!(BinaryOp::Add.apply(i64::MAX, 1), Some(i64::MIN));
        assert_eq!(BinaryOp::Div.apply(i64::MIN, -1), Some(i64::MIN));
        assert_eq!(BinaryOp::Rem.apply(i64::MIN, -1), Some(0));
        assert_eq!(UnaryOp::Neg.apply(i64::MIN), i64::MIN);
    }

    #[test]
    fn what_is_known_of_a_result_is_so_whatever_the_unknown_operands_are() {
        let edges = [i64::MIN, -65, -64, -1, 0, 1, 2, 63, 64, i64::MAX];
        let operands = edges.iter().flat_map(|&a| edges.iter().map(move |&b| (a, b)));
        for (op, (a, b)) in BinaryOp::ALL.into_iter().flat_map(|op| operands.clone().map(move |o| (op, o))) {
            let exact = op.apply(a, b);
            for (x, y) in [(Some(a), Some(b)), (Some(a), None), (None, Some(b)), (None, None)] {
                match op.apply_known(x, y) {
                    // It may fail, or not.
                    None => assert!(x.is_none() || y.is_none() || exact.is_none(), "{op:?} {x:?} {y:?}"),
                    Some(Some(value)) => assert_eq!(Some(value), exact, "{op:?} {x:?} {y:?}"),
                    Some(None) => assert!(exact.is_some(), "{op:?} {x:?} {y:?} fails for {a} {b}"),
                }
            }
        }
    }

    #[test]
    fn what_would_fail_has_no_value() {
        assert_eq!(BinaryOp::Div.apply(1, 0), None);
        assert_eq!(BinaryOp::Rem.apply(1, 0), None);
        assert_eq!(BinaryOp::Shl.apply(1, 64), None);
        assert_eq!(BinaryOp::Shr.apply(1, -1), None);
        assert_eq!(BinaryOp::Shl.apply(1, 63), Some(i64::MIN));
    }
}
