//! Operators of the interpreter as terms: wrapping at 64 bits, division towards zero.

use selvedge_ir::{BinaryOp, UnaryOp};
use selvedge_smt::{BitOp, Term, Terms};

const LEAST: i128 = i64::MIN as i128;
const MOST: i128 = i64::MAX as i128;
const SIZE: i128 = 1 << 64;

/// 1 if the condition holds, 0 otherwise.
pub fn truth(terms: &mut Terms, condition: Term) -> Term {
    let (one, zero) = (terms.int(1), terms.int(0));
    terms.ite(condition, one, zero)
}

/// Whether a number stands for true.
pub fn is_true(terms: &mut Terms, number: Term) -> Term {
    let zero = terms.int(0);
    terms.ne(number, zero)
}

/// The value of an operator with one operand.
pub fn unary(terms: &mut Terms, op: UnaryOp, a: Term) -> Term {
    let zero = terms.int(0);
    match op {
        UnaryOp::Neg => {
            let negated = terms.minus(zero, a);
            wrap_once(terms, negated)
        }
        UnaryOp::BitNot => {
            let minus_one = terms.int(-1);
            terms.minus(minus_one, a)
        }
        UnaryOp::Not => {
            let is_zero = terms.eq(a, zero);
            truth(terms, is_zero)
        }
        UnaryOp::ToBool => {
            let is_true = is_true(terms, a);
            truth(terms, is_true)
        }
        UnaryOp::ToInt => a,
    }
}

/// When an operator fails on its operands.
pub fn failure(terms: &mut Terms, op: BinaryOp, b: Term) -> Term {
    match op {
        BinaryOp::Div | BinaryOp::Rem => {
            let zero = terms.int(0);
            terms.eq(b, zero)
        }
        BinaryOp::Shl | BinaryOp::Shr => {
            let (zero, most) = (terms.int(0), terms.int(63));
            let (below, above) = (terms.lt(b, zero), terms.lt(most, b));
            terms.or([below, above])
        }
        _ => terms.no(),
    }
}

/// The value of an operator with two operands, on which it does not fail.
pub fn binary(terms: &mut Terms, op: BinaryOp, a: Term, b: Term) -> Term {
    match op {
        BinaryOp::Add => {
            let sum = terms.plus(a, b);
            wrap_sum(terms, sum, b)
        }
        BinaryOp::Sub => {
            let zero = terms.int(0);
            let (difference, added) = (terms.minus(a, b), terms.minus(zero, b));
            wrap_sum(terms, difference, added)
        }
        BinaryOp::Mul => {
            let product = terms.times(a, b);
            wrap(terms, product)
        }
        BinaryOp::Div => quotient(terms, a, b),
        BinaryOp::Rem => remainder(terms, a, b),
        BinaryOp::BitAnd => terms.bits(BitOp::And, a, b),
        BinaryOp::BitOr => terms.bits(BitOp::Or, a, b),
        BinaryOp::BitXor => terms.bits(BitOp::Xor, a, b),
        BinaryOp::Shl => by_amount(terms, b, |terms, power| {
            let product = terms.times(power, a);
            wrap(terms, product)
        }),
        BinaryOp::Shr => by_amount(terms, b, |terms, power| terms.div(a, power)),
        _ => {
            let condition = comparison(terms, op, a, b);
            truth(terms, condition)
        }
    }
}

fn comparison(terms: &mut Terms, op: BinaryOp, a: Term, b: Term) -> Term {
    match op {
        BinaryOp::Eq => terms.eq(a, b),
        BinaryOp::Ne => terms.ne(a, b),
        BinaryOp::Lt => terms.lt(a, b),
        BinaryOp::Le => terms.le(a, b),
        BinaryOp::Gt => terms.lt(b, a),
        BinaryOp::Ge => terms.le(b, a),
        BinaryOp::And => {
            let (a, b) = (is_true(terms, a), is_true(terms, b));
            terms.and([a, b])
        }
        _ => {
            let (a, b) = (is_true(terms, a), is_true(terms, b));
            terms.or([a, b])
        }
    }
}

/// A sum of two numbers of 64 bits, of which one is known to have this sign if it is a constant.
fn wrap_sum(terms: &mut Terms, sum: Term, added: Term) -> Term {
    let (least, most, size) = (terms.int(LEAST), terms.int(MOST), terms.int(SIZE));
    match terms.as_int(added) {
        Some(0) => sum,
        Some(1..) => {
            let (over, wrapped) = (terms.lt(most, sum), terms.minus(sum, size));
            terms.ite(over, wrapped, sum)
        }
        Some(_) => {
            let (under, wrapped) = (terms.lt(sum, least), terms.plus(sum, size));
            terms.ite(under, wrapped, sum)
        }
        None => wrap_once(terms, sum),
    }
}

/// A number that is out of range at most once.
fn wrap_once(terms: &mut Terms, number: Term) -> Term {
    let (least, most, size) = (terms.int(LEAST), terms.int(MOST), terms.int(SIZE));
    let (over, lower) = (terms.lt(most, number), terms.minus(number, size));
    let (under, higher) = (terms.lt(number, least), terms.plus(number, size));
    let otherwise = terms.ite(under, higher, number);
    terms.ite(over, lower, otherwise)
}

/// Any number, brought to 64 bits.
fn wrap(terms: &mut Terms, number: Term) -> Term {
    let (least, most, size) = (terms.int(LEAST), terms.int(MOST), terms.int(SIZE));
    let shifted = terms.minus(number, least);
    let remainder = terms.modulo(shifted, size);
    let wrapped = terms.plus(remainder, least);
    let (over, under) = (terms.lt(most, number), terms.lt(number, least));
    let is_out = terms.or([over, under]);
    terms.ite(is_out, wrapped, number)
}

fn absolute(terms: &mut Terms, a: Term) -> Term {
    let zero = terms.int(0);
    let (negative, negated) = (terms.lt(a, zero), terms.minus(zero, a));
    terms.ite(negative, negated, a)
}

/// The quotient rounded towards zero; of the least number and -1, which does not fit, the least number.
fn quotient(terms: &mut Terms, a: Term, b: Term) -> Term {
    let zero = terms.int(0);
    let (dividend, divisor) = (absolute(terms, a), absolute(terms, b));
    let quotient = terms.div(dividend, divisor);
    let negated = terms.minus(zero, quotient);
    let (a_negative, b_negative) = (terms.lt(a, zero), terms.lt(b, zero));
    let (a_positive, b_positive) = (terms.not(a_negative), terms.not(b_negative));
    let (one, other) = (terms.and([a_negative, b_positive]), terms.and([a_positive, b_negative]));
    let differ = terms.or([one, other]);
    let signed = terms.ite(differ, negated, quotient);
    wrap_once(terms, signed)
}

/// The remainder with the sign of the dividend.
fn remainder(terms: &mut Terms, a: Term, b: Term) -> Term {
    let zero = terms.int(0);
    let (dividend, divisor) = (absolute(terms, a), absolute(terms, b));
    let remainder = terms.modulo(dividend, divisor);
    let (negative, negated) = (terms.lt(a, zero), terms.minus(zero, remainder));
    terms.ite(negative, negated, remainder)
}

/// What a shift makes, for each amount it can have.
fn by_amount(terms: &mut Terms, amount: Term, make: impl Fn(&mut Terms, Term) -> Term) -> Term {
    let power = |amount: i128| 1i128 << amount;
    if let Some(amount) = terms.as_int(amount) {
        let power = terms.int(power(amount.clamp(0, 63)));
        return make(terms, power);
    }
    let first = terms.int(1);
    let mut value = make(terms, first);
    for i in 1..64 {
        let (number, power) = (terms.int(i), terms.int(power(i)));
        let (is_it, shifted) = (terms.eq(amount, number), make(terms, power));
        value = terms.ite(is_it, shifted, value);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_smt::Sort;
    use selvedge_smt::evaluate::Value;

    /// Every operator, on every pair of these, as a term of variables and as a constant.
    #[test]
    fn operators_on_terms_are_those_of_the_interpreter() {
        let numbers = [i64::MIN, i64::MIN + 1, -17, -2, -1, 0, 1, 2, 3, 63, 64, i64::MAX - 1, i64::MAX];
        let mut terms = Terms::new();
        let (x, y) = (terms.variable("x", Sort::Word), terms.variable("y", Sort::Word));
        let (tx, ty) = (terms.var(x), terms.var(y));
        use BinaryOp::*;
        for op in [Add, Sub, Mul, Div, Rem, BitAnd, BitOr, BitXor, Shl, Shr, Eq, Ne, Lt, Le, Gt, Ge, And, Or]
        {
            let (fails, value) = (failure(&mut terms, op, ty), binary(&mut terms, op, tx, ty));
            for (a, b) in numbers.iter().flat_map(|&a| numbers.map(|b| (a, b))) {
                let values = |v| Some(Value::Int(if v == x { a } else { b }.into()));
                let expected = op.apply(a, b);
                let failed = terms.evaluate(fails, &values) == Some(Value::Int(1));
                assert_eq!(failed, expected.is_none(), "{a} {op:?} {b}");
                if let Some(expected) = expected {
                    let expected = Some(Value::Int(expected.into()));
                    assert_eq!(terms.evaluate(value, &values), expected, "{a} {op:?} {b}");
                    let (ta, tb) = (terms.int(a), terms.int(b));
                    for (left, right) in [(ta, tb), (tx, tb), (ta, ty)] {
                        let value = binary(&mut terms, op, left, right);
                        assert_eq!(terms.evaluate(value, &values), expected, "{a} {op:?} {b}");
                    }
                }
            }
        }
    }

    #[test]
    fn operators_with_one_operand_too() {
        let mut terms = Terms::new();
        let x = terms.variable("x", Sort::Word);
        let tx = terms.var(x);
        for op in [UnaryOp::Neg, UnaryOp::BitNot, UnaryOp::Not, UnaryOp::ToBool] {
            let value = unary(&mut terms, op, tx);
            for a in [i64::MIN, -1, 0, 1, i64::MAX] {
                let expected = Some(Value::Int(op.apply(a).into()));
                assert_eq!(terms.evaluate(value, &|_| Some(Value::Int(a.into()))), expected, "{op:?} {a}");
            }
        }
    }
}
