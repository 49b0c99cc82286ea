//! The classes of the values of an input: values for which all tests come out the same.
//!
//! Few values are tried one by one. Many are divided: by their remainders modulo the numbers that the tests divide by, and each of these by halves, until
//! every test has one outcome for all values of a part, which [`Values`] say. Where that takes too many parts, the input is left as it is.

use super::tested::{Noticed, Test};
use super::values::{Failed, Unknown, Values, covering_power, evaluate, greatest_common_divisor};
use selvedge_ir::{BinaryOp, Expr};
use std::collections::BTreeMap;

/// Evaluations of tests up to which values are tried one by one, and the most when they are divided.
const MOST_EVALUATIONS: i128 = 1 << 19;
/// The most classes.
const MOST_CLASSES: usize = 256;
/// The largest number by whose remainders values are divided.
const MOST_REMAINDERS: i128 = 512;

/// The values of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The least.
    pub low: i64,
    /// The greatest.
    pub high: i64,
}

/// How a test comes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// With this value; 0 if the value cannot be noticed.
    Value(i64),
    /// An operator fails: dividing by zero, or shifting too far.
    Failure(Failed),
}

/// A value of each class, in ascending order, if there are fewer classes than values and they can be found.
pub fn partition(range: Range, tests: &[Test]) -> Option<Vec<i64>> {
    let count = i128::from(range.high) - i128::from(range.low) + 1;
    let classes = match count * (tests.len() as i128).max(1) <= MOST_EVALUATIONS {
        true => one_by_one(range, tests)?,
        false => divided(range, tests)?,
    };
    let mut representatives: Vec<i64> = classes.into_values().collect();
    representatives.sort_unstable();
    (representatives.len() <= MOST_CLASSES && (representatives.len() as i128) < count)
        .then_some(representatives)
}

/// The least value of each class, by the outcomes of the tests.
type Classes = BTreeMap<Vec<Outcome>, i64>;

fn one_by_one(range: Range, tests: &[Test]) -> Option<Classes> {
    let mut classes = Classes::new();
    for value in range.low..=range.high {
        let outcomes = outcomes(Values::only(value.into()), tests)?;
        classes.entry(outcomes).or_insert(value);
    }
    Some(classes)
}

fn divided(range: Range, tests: &[Test]) -> Option<Classes> {
    let modulus = modulus(tests);
    let mut left = MOST_EVALUATIONS;
    let mut classes = Classes::new();
    for remainder in 0..modulus {
        let mut todo: Vec<_> =
            Values::within(range.low.into(), range.high.into(), modulus, remainder).into_iter().collect();
        while let Some(values) = todo.pop() {
            left -= (tests.len() as i128).max(1);
            if left < 0 {
                return None;
            }
            match outcomes(values, tests) {
                Some(outcomes) => {
                    let value = values.low as i64;
                    let least = classes.entry(outcomes).or_insert(value);
                    *least = value.min(*least);
                }
                None if values.low == values.high => return None,
                None => {
                    let middle = (values.low + values.high).div_euclid(2);
                    todo.extend(Values::within(middle + 1, values.high, modulus, remainder));
                    todo.extend(Values::within(values.low, middle, modulus, remainder));
                }
            }
        }
    }
    Some(classes)
}

/// The least common multiple of the numbers by which tests divide, or 1 if it is large.
fn modulus(tests: &[Test]) -> i128 {
    let mut modulus = 1;
    for expr in tests.iter().flat_map(|test| &test.chain) {
        expr.walk(&mut |part| {
            let Expr::Binary { op, right, .. } = part else { return };
            let Expr::Int(number) = **right else { return };
            let divisor = match op {
                BinaryOp::Rem => i128::from(number).abs(),
                BinaryOp::BitAnd if number >= 0 => covering_power(number.into()),
                _ => return,
            };
            if divisor > 0 {
                let common = modulus / greatest_common_divisor(modulus, divisor) * divisor;
                modulus = if common <= MOST_REMAINDERS { common } else { modulus };
            }
        });
    }
    modulus
}

/// How the tests come out, if each does in one way for all values.
pub fn outcomes(values: Values, tests: &[Test]) -> Option<Vec<Outcome>> {
    tests.iter().map(|test| outcome(values, test)).collect()
}

fn outcome(values: Values, test: &Test) -> Option<Outcome> {
    let end = test.chain.iter().try_fold(values, |values, expr| evaluate(expr, values));
    match (end, test.noticed) {
        (Ok(_), Noticed::Failure) => Some(Outcome::Value(0)),
        (Ok(values), Noticed::Value) => values.single().map(|value| Outcome::Value(value as i64)),
        (Err(Unknown::Failure(failed)), _) => Some(Outcome::Failure(failed)),
        (Err(Unknown::Depends), _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ir::{RegisterId, UnaryOp};

    /// Pseudo-random numbers.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % bound
        }

        fn constant(&mut self) -> i64 {
            let small = self.below(24) as i64 - 6;
            let wide = [i64::MAX, i64::MIN, 255, 256, 1 << 31, -(1 << 31), (1 << 32) - 1, 1 << 62];
            if self.below(8) == 0 { wide[self.below(8) as usize] } else { small }
        }

        fn integer(&mut self, depth: u32) -> Expr {
            use BinaryOp::{Add, BitAnd, BitOr, BitXor, Div, Mul, Rem, Shl, Shr, Sub};
            let ops = [Add, Sub, Mul, Rem, Rem, Div, BitAnd, BitAnd, Shl, Shr, BitOr, BitXor];
            match self.below(if depth == 0 { 3 } else { 9 }) {
                0 => Expr::Int(self.constant()),
                1 | 2 => Expr::Register(RegisterId(0)),
                3 => Expr::Unary {
                    op: [UnaryOp::Neg, UnaryOp::BitNot][self.below(2) as usize],
                    operand: Box::new(self.integer(depth - 1)),
                },
                4 => Expr::Select {
                    condition: Box::new(self.boolean(depth - 1)),
                    then: Box::new(self.integer(depth - 1)),
                    otherwise: Box::new(self.integer(depth - 1)),
                },
                _ => Expr::Binary {
                    op: ops[self.below(12) as usize],
                    left: Box::new(self.integer(depth - 1)),
                    right: match self.below(3) {
                        0 => Box::new(self.integer(depth - 1)),
                        _ => Box::new(Expr::Int(self.constant())),
                    },
                },
            }
        }

        fn boolean(&mut self, depth: u32) -> Expr {
            use BinaryOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
            match self.below(if depth == 0 { 6 } else { 10 }) {
                kind @ 0..6 => Expr::Binary {
                    op: [Eq, Ne, Lt, Le, Gt, Ge][kind as usize],
                    left: Box::new(self.integer(depth)),
                    right: Box::new(self.integer(0)),
                },
                6 => Expr::Unary { op: UnaryOp::Not, operand: Box::new(self.boolean(depth - 1)) },
                7 => Expr::Unary { op: UnaryOp::ToBool, operand: Box::new(self.integer(depth - 1)) },
                kind => Expr::Binary {
                    op: [And, Or][kind as usize - 8],
                    left: Box::new(self.boolean(depth - 1)),
                    right: Box::new(self.boolean(depth - 1)),
                },
            }
        }
    }

    /// What a test says of each value of a random range, and how often values are divided at all.
    fn check(seed: u64) -> bool {
        let mut numbers = Numbers(seed);
        let copy = numbers.integer(2);
        let exprs: Vec<Expr> = (0..1 + numbers.below(3)).map(|_| numbers.boolean(2)).collect();
        let test = |expr| Test { chain: vec![expr], noticed: Noticed::Value };
        let mut tests: Vec<Test> = exprs.iter().map(test).collect();
        tests.push(Test { chain: vec![&copy], noticed: Noticed::Failure });
        tests.push(Test { chain: vec![&copy, &exprs[0]], noticed: Noticed::Value });
        let base = [-20, 0, i64::MAX - 300, i64::MIN, (1 << 31) - 40][numbers.below(5) as usize];
        let range = Range { low: base, high: base + numbers.below(300) as i64 };
        let expected = one_by_one(range, &tests).expect("single values have outcomes");
        if let Some(found) = divided(range, &tests) {
            assert_eq!(found, expected, "seed {seed}: {range:?} {exprs:?} {copy:?}");
        }
        let wide = Range { low: i64::from(i32::MIN), high: i64::from(i32::MAX) };
        let Some(classes) = divided(wide, &tests) else { return false };
        for _ in 0..200 {
            let value = i128::from(numbers.below(1 << 31) as i64 - (1 << 30))
                * [2, 1, 0][numbers.below(3) as usize]
                + i128::from(numbers.constant()).clamp(-100, 300);
            let outcomes = outcomes(Values::only(value), &tests).expect("single values have outcomes");
            assert!(classes.contains_key(&outcomes), "seed {seed}: {value} {exprs:?} {copy:?}");
        }
        for (outcomes, &value) in &classes {
            assert_eq!(
                super::outcomes(Values::only(value.into()), &tests).as_ref(),
                Some(outcomes),
                "seed {seed}"
            );
        }
        true
    }

    #[test]
    fn divided_values_have_the_classes_of_values_tried_one_by_one() {
        let count = if std::env::var_os("SELVEDGE_LONG").is_some() { 4000 } else { 300 };
        let divided = (0..count).filter(|&seed| check(seed)).count();
        assert!(divided as u64 > count / 20, "only {divided} of {count} ranges were divided");
    }

    #[test]
    fn a_comparison_and_a_remainder_have_four_classes_at_most() {
        let register = || Box::new(Expr::Register(RegisterId(0)));
        let number = |number| Box::new(Expr::Int(number));
        let greater = Expr::Binary { op: BinaryOp::Gt, left: register(), right: number(5) };
        let remainder = Expr::Binary { op: BinaryOp::Rem, left: register(), right: number(3) };
        let divides = Expr::Binary { op: BinaryOp::Eq, left: Box::new(remainder), right: number(0) };
        let test = |expr| Test { chain: vec![expr], noticed: Noticed::Value };
        let range = Range { low: i64::from(i32::MIN), high: i64::from(i32::MAX) };
        let classes = partition(range, &[test(&greater), test(&divides)]).expect("few classes");
        assert_eq!(classes.len(), 4);
    }
}
