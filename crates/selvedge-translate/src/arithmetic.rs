//! C's integers of fixed width as expressions: every operation says what its result is when it does not fit.
//!
//! Signed overflow, which C leaves undefined, wraps around like unsigned overflow, as in `selvedge check`.

use crate::refusal::Done;
use crate::thread::{Thread, full};
use crate::value::{Number, Value};
use selvedge_code::words;
use selvedge_ir::{BinaryOp, Expr, Type, UnaryOp};
use selvedge_llvm::instruction::{BinaryOperator, CastOperator, Predicate};

/// An operator with two operands.
pub fn op(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary { op, left: Box::new(left), right: Box::new(right) }
}

/// An operator with one operand.
pub fn unary(op: UnaryOp, operand: Expr) -> Expr {
    Expr::Unary { op, operand: Box::new(operand) }
}

/// One of two values.
pub fn select(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    Expr::Select { condition: Box::new(condition), then: Box::new(then), otherwise: Box::new(otherwise) }
}

/// Both, or one of them if the other says nothing.
pub fn both(a: Expr, b: Expr) -> Expr {
    match (a, b) {
        (Expr::Bool(true), other) | (other, Expr::Bool(true)) => other,
        (a, b) => op(BinaryOp::And, a, b),
    }
}

/// The opposite.
pub fn not(condition: Expr) -> Expr {
    match condition {
        Expr::Bool(value) => Expr::Bool(!value),
        Expr::Unary { op: UnaryOp::Not, operand } => *operand,
        condition => unary(UnaryOp::Not, condition),
    }
}

impl Thread<'_, '_> {
    /// A value as a number; one that nobody gave is any number.
    pub fn number(&mut self, value: &Value, bits: u32) -> Done<Number> {
        match value {
            Value::Undefined => {
                let expr = self.choose_uninitialised(bits)?;
                let (low, high) = crate::value::range(bits);
                Ok(Number { bits, expr, low, high })
            }
            value => match value.number() {
                Some(number) => Ok(number),
                None => self.refuse("arithmetic on something that is no number"),
            },
        }
    }

    /// An expression that is used several times: a register.
    fn once(&mut self, expr: Expr) -> Expr {
        match expr {
            Expr::Register(_) | Expr::Int(_) | Expr::Bool(_) => expr,
            expr => {
                let register = self.step_register(Type::Int);
                self.assign(register, expr);
                Expr::Register(register)
            }
        }
    }

    /// A result that may not fit, brought to its width. `times` says by how many sizes it may be out of range.
    fn wrapped(&mut self, bits: u32, expr: Expr, low: i128, high: i128) -> Value {
        let (least, most) = full(bits);
        if (low >= least && high <= most) || bits >= 64 {
            return Value::bounded(bits, expr, low, high);
        }
        let size = 1i128 << bits;
        let value = self.once(expr);
        let (least_expr, most_expr) = (Expr::Int(least as i64), Expr::Int(most as i64));
        let is_close = low >= least - size && high <= most + size;
        let (near, is_in) = match is_close {
            true => (value, None),
            false => {
                let above = op(BinaryOp::Ge, value.clone(), least_expr.clone());
                let inside = both(above, op(BinaryOp::Le, value.clone(), most_expr.clone()));
                let rest = op(BinaryOp::Rem, value.clone(), Expr::Int(size as i64));
                (self.once(rest), Some((inside, value)))
            }
        };
        let mut result = near.clone();
        if !is_close || low < least {
            let higher = op(BinaryOp::Add, near.clone(), Expr::Int(size as i64));
            result = select(op(BinaryOp::Lt, near.clone(), least_expr), higher, result);
        }
        if !is_close || high > most {
            let lower = op(BinaryOp::Sub, near.clone(), Expr::Int(size as i64));
            result = select(op(BinaryOp::Gt, near, most_expr), lower, result);
        }
        if let Some((inside, value)) = is_in {
            result = select(inside, value, result);
        }
        Value::bounded(bits, result, least, most)
    }

    /// A number as C sees it without sign, with its bounds; nothing if 64 bits do not suffice.
    fn unsigned(&mut self, number: Number) -> Option<(Expr, i128, i128)> {
        let (low, high) = (i128::from(number.low), i128::from(number.high));
        if low >= 0 {
            return Some((number.expr, low, high));
        }
        if number.bits >= 64 {
            return None;
        }
        let size = 1i128 << number.bits;
        let value = self.once(number.expr);
        let moved = op(BinaryOp::Add, value.clone(), Expr::Int(size as i64));
        if high < 0 {
            return Some((moved, low + size, high + size));
        }
        Some((select(op(BinaryOp::Lt, value.clone(), Expr::Int(0)), moved, value), 0, size - 1))
    }

    /// The result of an operator.
    pub fn binary(&mut self, operator: BinaryOperator, bits: u32, a: &Value, b: &Value) -> Done<Value> {
        if let (Some(x), Some(y)) = (a.known(), b.known())
            && let Some(value) = compute(operator, bits, x, y)
        {
            return Ok(value);
        }
        let spreads = matches!(operator, BinaryOperator::Add | BinaryOperator::Sub | BinaryOperator::Xor);
        if spreads && (self.is_uninitialised(a) || self.is_uninitialised(b)) {
            return Ok(Value::Undefined);
        }
        let (a, b) = (self.number(a, bits)?, self.number(b, bits)?);
        if bits == 1 {
            return self.binary_of_truths(operator, a.expr, b.expr);
        }
        let divides = matches!(
            operator,
            BinaryOperator::SDiv | BinaryOperator::SRem | BinaryOperator::UDiv | BinaryOperator::URem
        );
        let is_signed = matches!(operator, BinaryOperator::SDiv | BinaryOperator::SRem);
        let least = crate::value::range(bits).0;
        if is_signed && a.low == least && b.low <= -1 && b.high >= -1 {
            // As in `check`, the one quotient that does not fit is an error.
            let fits = op(BinaryOp::Ne, a.expr.clone(), Expr::Int(least));
            self.demand(op(BinaryOp::Or, fits, op(BinaryOp::Ne, b.expr.clone(), Expr::Int(-1))));
        }
        let value = self.operation(operator, bits, a, b.clone())?;
        Ok(match value {
            // What may fail does so where it stands, whether the result is used or not.
            Value::Number(number) if divides && b.low <= 0 && b.high >= 0 => {
                Value::Number(Number { expr: self.once(number.expr), ..number })
            }
            value => value,
        })
    }

    fn operation(&mut self, operator: BinaryOperator, bits: u32, a: Number, b: Number) -> Done<Value> {
        let (al, ah, bl, bh): (i128, i128, i128, i128) =
            (a.low.into(), a.high.into(), b.low.into(), b.high.into());
        Ok(match operator {
            BinaryOperator::Add => self.wrapped(bits, op(BinaryOp::Add, a.expr, b.expr), al + bl, ah + bh),
            BinaryOperator::Sub => self.wrapped(bits, op(BinaryOp::Sub, a.expr, b.expr), al - bh, ah - bl),
            BinaryOperator::Mul => {
                let corners = [al * bl, al * bh, ah * bl, ah * bh];
                let (low, high) =
                    corners.iter().fold((i128::MAX, i128::MIN), |(l, h), &c| (l.min(c), h.max(c)));
                self.wrapped(bits, op(BinaryOp::Mul, a.expr, b.expr), low, high)
            }
            BinaryOperator::SDiv => {
                let most = al.abs().max(ah.abs());
                self.wrapped(bits, op(BinaryOp::Div, a.expr, b.expr), -most, most)
            }
            BinaryOperator::SRem => {
                let most = (bl.abs().max(bh.abs()) - 1).max(0).min(al.abs().max(ah.abs()));
                let low = if al >= 0 { 0 } else { -most };
                Value::bounded(bits, op(BinaryOp::Rem, a.expr, b.expr), low, if ah <= 0 { 0 } else { most })
            }
            BinaryOperator::UDiv | BinaryOperator::URem => {
                let (Some(a), Some(b)) = (self.unsigned(a), self.unsigned(b)) else {
                    return self.refuse("unsigned division of 64 bits");
                };
                match operator {
                    BinaryOperator::UDiv => self.wrapped(bits, op(BinaryOp::Div, a.0, b.0), 0, a.2),
                    _ => self.wrapped(bits, op(BinaryOp::Rem, a.0, b.0), 0, (b.2 - 1).max(0).min(a.2)),
                }
            }
            BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Xor => {
                self.bitwise(operator, bits, a, b)
            }
            BinaryOperator::Shl | BinaryOperator::LShr | BinaryOperator::AShr => {
                return self.shift(operator, bits, a, b);
            }
            _ => return self.refuse("floating point"),
        })
    }

    fn binary_of_truths(&mut self, operator: BinaryOperator, a: Expr, b: Expr) -> Done<Value> {
        let expr = match operator {
            BinaryOperator::And | BinaryOperator::Mul => op(BinaryOp::And, a, b),
            BinaryOperator::Or => op(BinaryOp::Or, a, b),
            BinaryOperator::Xor | BinaryOperator::Add | BinaryOperator::Sub => match (a, b) {
                (a, Expr::Bool(true)) => not(a),
                (a, b) => op(BinaryOp::Ne, a, b),
            },
            _ => return self.refuse("an operator on single bits"),
        };
        Ok(Value::computed(1, expr))
    }

    fn bitwise(&mut self, operator: BinaryOperator, bits: u32, a: Number, b: Number) -> Value {
        let (least, most) = full(bits);
        let mask = match (&a.expr, &b.expr) {
            (_, Expr::Int(mask)) => Some((a.clone(), *mask)),
            (Expr::Int(mask), _) => Some((b.clone(), *mask)),
            _ => None,
        };
        if let (BinaryOperator::And, Some((value, mask))) = (operator, mask)
            && mask > 0
            && mask < i64::MAX
            && (mask + 1).count_ones() == 1
        {
            // The remainder of a power of two is easier to reason about.
            let rest = op(BinaryOp::Rem, value.expr, Expr::Int(mask + 1));
            if value.low >= 0 {
                return Value::bounded(bits, rest, 0, mask.into());
            }
            let rest = self.once(rest);
            let moved = op(BinaryOp::Add, rest.clone(), Expr::Int(mask + 1));
            let result = select(op(BinaryOp::Lt, rest.clone(), Expr::Int(0)), moved, rest);
            return Value::bounded(bits, result, 0, mask.into());
        }
        let ir_op = match operator {
            BinaryOperator::And => BinaryOp::BitAnd,
            BinaryOperator::Or => BinaryOp::BitOr,
            _ => BinaryOp::BitXor,
        };
        let (low, high) = match (a.low >= 0, b.low >= 0) {
            (true, true) => {
                let highest = i128::from(a.high.max(b.high)) as u128;
                let most = (highest + 1).next_power_of_two() as i128 - 1;
                (0, if operator == BinaryOperator::And { i128::from(a.high.min(b.high)) } else { most })
            }
            (true, false) if operator == BinaryOperator::And => (0, a.high.into()),
            (false, true) if operator == BinaryOperator::And => (0, b.high.into()),
            _ => (least, most),
        };
        Value::bounded(bits, op(ir_op, a.expr, b.expr), low, high)
    }

    fn shift(&mut self, operator: BinaryOperator, bits: u32, a: Number, b: Number) -> Done<Value> {
        if b.low < 0 || b.high >= i64::from(bits) {
            // As in `check`, an amount out of range is an error.
            let least = op(BinaryOp::Ge, b.expr.clone(), Expr::Int(0));
            let most = op(BinaryOp::Lt, b.expr.clone(), Expr::Int(bits.into()));
            self.demand(both(least, most));
        }
        let (least, most) = full(bits);
        Ok(match operator {
            BinaryOperator::Shl => match b.expr {
                Expr::Int(amount) if bits < 64 => {
                    let factor = 1i128 << amount.clamp(0, 62);
                    let product = op(BinaryOp::Mul, a.expr, Expr::Int(factor as i64));
                    self.wrapped(bits, product, i128::from(a.low) * factor, i128::from(a.high) * factor)
                }
                amount => {
                    let (low, high) = (i64::MIN.into(), i64::MAX.into());
                    self.wrapped(bits, op(BinaryOp::Shl, a.expr, amount), low, high)
                }
            },
            BinaryOperator::AShr => Value::bounded(
                bits,
                op(BinaryOp::Shr, a.expr, b.expr),
                a.low.min(0).into(),
                a.high.max(0).into(),
            ),
            _ => match (self.unsigned(a.clone()), b.expr) {
                (Some((value, _, high)), amount) => {
                    self.wrapped(bits, op(BinaryOp::Shr, value, amount), 0, high)
                }
                (None, Expr::Int(amount @ 1..64)) => {
                    let mask = Expr::Int((u64::MAX >> amount) as i64);
                    let shifted = op(BinaryOp::Shr, a.expr, Expr::Int(amount));
                    Value::bounded(bits, op(BinaryOp::BitAnd, shifted, mask), least, most)
                }
                (None, Expr::Int(_)) => Value::Number(a),
                _ => return self.refuse("an unsigned shift of 64 bits by a computed amount"),
            },
        })
    }

    /// The result of a comparison of integers.
    pub fn compare_numbers(&mut self, predicate: Predicate, bits: u32, a: &Value, b: &Value) -> Done<Value> {
        if let (Some(x), Some(y)) = (a.known(), b.known()) {
            return Ok(Value::int(1, compare(predicate, bits, x, y).into()));
        }
        let (a, b) = (self.number(a, bits)?, self.number(b, bits)?);
        let ir_op = match predicate {
            Predicate::Eq => BinaryOp::Eq,
            Predicate::Ne => BinaryOp::Ne,
            Predicate::Ugt | Predicate::Sgt => BinaryOp::Gt,
            Predicate::Uge | Predicate::Sge => BinaryOp::Ge,
            Predicate::Ult | Predicate::Slt => BinaryOp::Lt,
            Predicate::Ule | Predicate::Sle => BinaryOp::Le,
        };
        let is_unsigned =
            matches!(predicate, Predicate::Ugt | Predicate::Uge | Predicate::Ult | Predicate::Ule);
        let expr = match (bits, is_unsigned) {
            (1, _) if matches!(ir_op, BinaryOp::Eq | BinaryOp::Ne) => match (ir_op, a.expr, b.expr) {
                (BinaryOp::Eq, a, Expr::Bool(true)) | (BinaryOp::Ne, a, Expr::Bool(false)) => a,
                (BinaryOp::Eq, a, Expr::Bool(false)) | (BinaryOp::Ne, a, Expr::Bool(true)) => not(a),
                (_, a, b) => op(ir_op, a, b),
            },
            (1, true) => op(ir_op, unary(UnaryOp::ToInt, a.expr), unary(UnaryOp::ToInt, b.expr)),
            (1, false) => op(ir_op, unary(UnaryOp::ToInt, b.expr), unary(UnaryOp::ToInt, a.expr)),
            (_, true) if a.low < 0 || b.low < 0 => self.compare_unsigned(ir_op, a, b),
            _ => return Ok(ordered(ir_op, a, b)),
        };
        Ok(Value::computed(1, expr))
    }

    fn compare_unsigned(&mut self, ir_op: BinaryOp, a: Number, b: Number) -> Expr {
        // Negative numbers are the greatest: above every constant that is not negative.
        let (below, above) =
            (matches!(ir_op, BinaryOp::Lt | BinaryOp::Le), matches!(ir_op, BinaryOp::Gt | BinaryOp::Ge));
        let negative = |expr: &Expr| op(BinaryOp::Lt, expr.clone(), Expr::Int(0));
        if b.low >= 0 {
            let a = self.once(a.expr);
            let compared = op(ir_op, a.clone(), b.expr);
            return match below {
                true => both(not(negative(&a)), compared),
                false => op(BinaryOp::Or, negative(&a), compared),
            };
        }
        if a.low >= 0 {
            let b = self.once(b.expr);
            let compared = op(ir_op, a.expr, b.clone());
            return match above {
                true => both(not(negative(&b)), compared),
                false => op(BinaryOp::Or, negative(&b), compared),
            };
        }
        let (a, b) = (self.once(a.expr), self.once(b.expr));
        let same = op(BinaryOp::Eq, negative(&a), negative(&b));
        let differ = if below { negative(&b) } else { negative(&a) };
        select(same, op(ir_op, a, b), differ)
    }

    /// The result of a conversion of an integer.
    pub fn convert(&mut self, operator: CastOperator, from: u32, value: &Value, to: u32) -> Done<Value> {
        if let Some(known) = value.known() {
            let known = word(from, known);
            return Ok(match operator {
                CastOperator::SExt => Value::int(to, words::signed(known, from as u8).into()),
                _ => Value::int(to, known.into()),
            });
        }
        if matches!(value, Value::Pointer(crate::value::Pointer { object: Some(_), .. })) {
            // Where variables lie is not known: any number.
            return match to {
                64 => Ok(value.clone()),
                _ => Ok(Value::of(self.number(&Value::Undefined, to)?)),
            };
        }
        if self.is_uninitialised(value) && operator != CastOperator::ZExt {
            return Ok(Value::Undefined);
        }
        let number = self.number(value, from)?;
        Ok(match operator {
            CastOperator::Trunc if to == 1 => {
                let rest = match number.low >= 0 && number.high <= 1 {
                    true => number.expr,
                    false => op(BinaryOp::Rem, number.expr, Expr::Int(2)),
                };
                Value::computed(1, op(BinaryOp::Ne, rest, Expr::Int(0)))
            }
            CastOperator::Trunc => self.wrapped(to, number.expr, number.low.into(), number.high.into()),
            CastOperator::ZExt if from == 1 => Value::bounded(to, unary(UnaryOp::ToInt, number.expr), 0, 1),
            CastOperator::ZExt => match self.unsigned(number) {
                Some((expr, low, high)) => Value::bounded(to, expr, low, high),
                None => return self.refuse("an integer of more than 64 bits"),
            },
            CastOperator::SExt if from == 1 => {
                Value::bounded(to, select(number.expr, Expr::Int(-1), Expr::Int(0)), -1, 0)
            }
            CastOperator::SExt => Value::Number(Number { bits: to, ..number }),
            _ => return self.refuse("floating point"),
        })
    }
}

/// A comparison of numbers with sign, decided by their bounds if that is possible.
fn ordered(ir_op: BinaryOp, a: Number, b: Number) -> Value {
    let (less, more) = (a.high < b.low, a.low > b.high);
    let (at_most, at_least) = (a.high <= b.low, a.low >= b.high);
    let known = match ir_op {
        BinaryOp::Eq if less || more => Some(false),
        BinaryOp::Ne if less || more => Some(true),
        BinaryOp::Lt if less => Some(true),
        BinaryOp::Lt if at_least => Some(false),
        BinaryOp::Le if at_most => Some(true),
        BinaryOp::Le if more => Some(false),
        BinaryOp::Gt if more => Some(true),
        BinaryOp::Gt if at_most => Some(false),
        BinaryOp::Ge if at_least => Some(true),
        BinaryOp::Ge if less => Some(false),
        _ => None,
    };
    match known {
        Some(known) => Value::int(1, known.into()),
        None => Value::computed(1, truth_of(ir_op, a.expr, b.expr)),
    }
}

/// A comparison; that of a truth value with a number is the truth value.
fn truth_of(ir_op: BinaryOp, a: Expr, b: Expr) -> Expr {
    match (ir_op, a, b) {
        (BinaryOp::Ne, Expr::Unary { op: UnaryOp::ToInt, operand }, Expr::Int(0))
        | (BinaryOp::Eq, Expr::Unary { op: UnaryOp::ToInt, operand }, Expr::Int(1)) => *operand,
        (BinaryOp::Eq, Expr::Unary { op: UnaryOp::ToInt, operand }, Expr::Int(0))
        | (BinaryOp::Ne, Expr::Unary { op: UnaryOp::ToInt, operand }, Expr::Int(1)) => not(*operand),
        (ir_op, a, b) => op(ir_op, a, b),
    }
}

/// The bits of a number that is known.
fn word(bits: u32, value: i64) -> u64 {
    words::masked(value as u64, bits as u8)
}

/// The result of an operator on known operands; nothing if that is an error.
fn compute(operator: BinaryOperator, bits: u32, a: i64, b: i64) -> Option<Value> {
    use BinaryOperator::{FAdd, FDiv, FMul, FRem, FSub};
    if matches!(operator, FAdd | FSub | FMul | FDiv | FRem) {
        return None;
    }
    let result = words::binary(operator, bits as u8, word(bits, a), word(bits, b)).ok()?;
    Some(Value::int(bits, result.into()))
}

/// The outcome of a comparison of known numbers.
pub fn compare(predicate: Predicate, bits: u32, a: i64, b: i64) -> bool {
    words::compare(predicate, bits as u8, word(bits, a), word(bits, b))
}
