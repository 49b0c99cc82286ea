//! What is known of a set of numbers: the bounds between which they lie, and the remainder that they have in common; and what operators make of that.
//!
//! Every operation gives a set that holds all results for numbers of the given sets; results that wrap around may be anything.

use selvedge_ir::{BinaryOp, Expr, UnaryOp};

/// Which operators fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Failed {
    /// Division and remainder.
    Division,
    /// Shifts.
    Shift,
}

/// Numbers between two bounds, all with the same remainder; a single one has the modulus 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Values {
    /// The least.
    pub low: i128,
    /// The greatest.
    pub high: i128,
    modulus: i128,
    remainder: i128,
}

/// What is known of the value of an expression.
pub type Known = Result<Values, Unknown>;

/// Why nothing is known of the value of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// It has none: an operator fails, for all values.
    Failure(Failed),
    /// That depends on the value.
    Depends,
}

/// What is known of the value of an expression whose only register has one of these values.
pub fn evaluate(expr: &Expr, register: Values) -> Known {
    match expr {
        Expr::Int(number) => Ok(Values::only((*number).into())),
        Expr::Bool(value) => Ok(Values::only((*value).into())),
        Expr::Register(_) => Ok(register),
        Expr::Unary { op, operand } => Ok(unary(*op, evaluate(operand, register)?)),
        Expr::Binary { op: BinaryOp::And, left, right } => match evaluate(left, register)?.single() {
            Some(0) => Ok(Values::only(0)),
            Some(_) => evaluate(right, register),
            None => Err(Unknown::Depends),
        },
        Expr::Binary { op: BinaryOp::Or, left, right } => match evaluate(left, register)?.single() {
            Some(0) => evaluate(right, register),
            Some(_) => Ok(Values::only(1)),
            None => Err(Unknown::Depends),
        },
        Expr::Binary { op, left, right } => {
            binary(*op, evaluate(left, register)?, evaluate(right, register)?)
        }
        Expr::Select { condition, then, otherwise } => match evaluate(condition, register)?.single() {
            Some(0) => evaluate(otherwise, register),
            Some(_) => evaluate(then, register),
            None => Err(Unknown::Depends),
        },
        // Tests read nothing else.
        Expr::SelfIndex | Expr::Element { .. } | Expr::Load { .. } => Err(Unknown::Depends),
    }
}

impl Values {
    /// A single number.
    pub fn only(number: i128) -> Values {
        Values { low: number, high: number, modulus: 0, remainder: number }
    }

    fn between(low: i128, high: i128) -> Values {
        if low == high { Values::only(low) } else { Values { low, high, modulus: 1, remainder: 0 } }
    }

    fn anything() -> Values {
        Values::between(i64::MIN.into(), i64::MAX.into())
    }

    /// The numbers between two bounds with a remainder, if there are any.
    pub fn within(low: i128, high: i128, modulus: i128, remainder: i128) -> Option<Values> {
        let low = low + (remainder - low).rem_euclid(modulus);
        let high = high - (high - remainder).rem_euclid(modulus);
        match low == high {
            true => Some(Values::only(low)),
            false => (low < high).then_some(Values { low, high, modulus, remainder }),
        }
    }

    /// The only number, if there is one.
    pub fn single(self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    /// These numbers, if none is out of range: operators wrap around.
    fn in_range(self) -> Values {
        let fits = |number| i64::try_from(number).is_ok();
        if fits(self.low) && fits(self.high) { self } else { Values::anything() }
    }

    /// The remainder of all numbers, if it is known.
    fn remainder_by(self, divisor: i128) -> Option<i128> {
        match self.single() {
            Some(number) => Some(number.rem_euclid(divisor)),
            None => (self.modulus % divisor == 0).then_some(self.remainder.rem_euclid(divisor)),
        }
    }

    /// With the remainder by a modulus; 0 stands for a single number.
    fn with(low: i128, high: i128, modulus: i128, remainder: i128) -> Values {
        match low == high || modulus == 0 {
            true => Values::between(low, high).in_range(),
            false => Values { low, high, modulus, remainder: remainder.rem_euclid(modulus) }.in_range(),
        }
    }
}

fn unary(op: UnaryOp, values: Values) -> Values {
    if let Some(number) = values.single() {
        return Values::only(op.apply(number as i64).into());
    }
    let Values { low, high, modulus, remainder } = values;
    match op {
        UnaryOp::Neg => Values::with(-high, -low, modulus, -remainder),
        UnaryOp::BitNot => Values::with(-1 - high, -1 - low, modulus, -1 - remainder),
        UnaryOp::ToBool if low > 0 || high < 0 => Values::only(1),
        UnaryOp::Not if low > 0 || high < 0 => Values::only(0),
        UnaryOp::ToBool | UnaryOp::Not => Values::between(0, 1),
        UnaryOp::ToInt => values,
    }
}

fn failure(op: BinaryOp) -> Failed {
    match op {
        BinaryOp::Shl | BinaryOp::Shr => Failed::Shift,
        _ => Failed::Division,
    }
}

fn binary(op: BinaryOp, left: Values, right: Values) -> Known {
    if let (Some(a), Some(b)) = (left.single(), right.single()) {
        let value = op.apply(a as i64, b as i64).ok_or(Unknown::Failure(failure(op)))?;
        return Ok(Values::only(value.into()));
    }
    let modulus = greatest_common_divisor(left.modulus, right.modulus);
    match (op, right.single()) {
        (BinaryOp::Add, _) => Ok(Values::with(
            left.low + right.low,
            left.high + right.high,
            modulus,
            left.remainder + right.remainder,
        )),
        (BinaryOp::Sub, _) => Ok(Values::with(
            left.low - right.high,
            left.high - right.low,
            modulus,
            left.remainder - right.remainder,
        )),
        (BinaryOp::Mul, Some(by)) => Ok(product(left, by)),
        (BinaryOp::Mul, None) => Ok(left.single().map_or(Values::anything(), |by| product(right, by))),
        (BinaryOp::Div | BinaryOp::Rem, Some(0)) => Err(Unknown::Failure(Failed::Division)),
        (BinaryOp::Div, Some(by)) if by > 0 => Ok(Values::between(left.low / by, left.high / by)),
        (BinaryOp::Rem, Some(by)) if by > 0 => Ok(remainder(left, by)),
        (BinaryOp::Shl | BinaryOp::Shr, Some(by)) if !(0..64).contains(&by) => {
            Err(Unknown::Failure(Failed::Shift))
        }
        (BinaryOp::Shl, Some(by)) => Ok(product(left, 1 << by)),
        (BinaryOp::Shr, Some(by)) => Ok(Values::between(left.low >> by, left.high >> by)),
        (BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr, _) => Err(Unknown::Depends),
        (BinaryOp::BitAnd, Some(mask)) if mask >= 0 => Ok(masked(left, mask)),
        (BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor, _) => Ok(Values::anything()),
        (BinaryOp::And | BinaryOp::Or, _) => Err(Unknown::Depends),
        (BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge, _) => {
            let known = comparison(op, left, right);
            Ok(known.map_or(Values::between(0, 1), |is_true| Values::only(is_true.into())))
        }
    }
}

fn product(values: Values, by: i128) -> Values {
    let (a, b) = (values.low * by, values.high * by);
    if Values::between(a.min(b), a.max(b)).in_range() == Values::anything() {
        return Values::anything();
    }
    Values::with(a.min(b), a.max(b), values.modulus * by.abs(), values.remainder * by)
}

/// The remainder with the sign of the dividend.
fn remainder(values: Values, by: i128) -> Values {
    let known = values.remainder_by(by);
    match (values.low >= 0, values.high <= 0) {
        (true, _) if values.high < by => values,
        (true, _) => known.map_or(Values::between(0, by - 1), Values::only),
        (_, true) if values.low > -by => values,
        (_, true) => {
            known.map_or(Values::between(1 - by, 0), |r| Values::only(if r == 0 { 0 } else { r - by }))
        }
        _ => Values::between(1 - by, by - 1),
    }
}

/// The bits of a mask that is not negative.
fn masked(values: Values, mask: i128) -> Values {
    match values.remainder_by(covering_power(mask)) {
        Some(bits) => Values::only(bits & mask),
        None if values.low >= 0 && values.high <= mask && mask == covering_power(mask) - 1 => values,
        None => Values::between(0, mask),
    }
}

/// Whether a comparison is true, if that is the same for all values.
fn comparison(op: BinaryOp, left: Values, right: Values) -> Option<bool> {
    let is_less = if left.high < right.low { Some(true) } else { (left.low >= right.high).then_some(false) };
    let is_greater =
        if left.low > right.high { Some(true) } else { (left.high <= right.low).then_some(false) };
    let modulus = greatest_common_divisor(left.modulus, right.modulus);
    let differs = is_less == Some(true)
        || is_greater == Some(true)
        || (modulus > 1 && (left.remainder - right.remainder) % modulus != 0);
    let is_equal = differs.then_some(false);
    match op {
        BinaryOp::Lt => is_less,
        BinaryOp::Ge => is_less.map(|is_less| !is_less),
        BinaryOp::Gt => is_greater,
        BinaryOp::Le => is_greater.map(|is_greater| !is_greater),
        BinaryOp::Eq => is_equal,
        _ => is_equal.map(|is_equal| !is_equal),
    }
}

/// The greatest number that divides both.
pub fn greatest_common_divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// The least power of two above a number that is not negative.
pub fn covering_power(number: i128) -> i128 {
    (number + 1).unsigned_abs().next_power_of_two() as i128
}
