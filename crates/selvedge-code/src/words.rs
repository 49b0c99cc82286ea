//! Words that are known: numbers of at most 64 bits, and of 128.

use crate::domain::{self, Domain, Undefined};
use selvedge_llvm::instruction::{BinaryOperator, Predicate};

/// The lowest bits of a word.
#[inline(always)]
pub fn masked(word: u64, bits: u8) -> u64 {
    match bits {
        64.. => word,
        _ => word & ((1 << bits) - 1),
    }
}

/// A word of so many bits as a signed number.
#[inline(always)]
pub fn signed(word: u64, bits: u8) -> i64 {
    let unused = 64 - bits.min(64);
    ((word << unused) as i64) >> unused
}

/// The domain of numbers of at most 64 bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Words;

/// The domain of numbers of 128 bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct WideWords;

macro_rules! numbers {
    ($domain:ty, $word:ty, $signed:ty, $low:expr, $signed_of:expr, $overflows:expr) => {
        impl Domain for $domain {
            type Value = $word;
            type Truth = bool;
            type Stop = Undefined;

            #[inline(always)]
            fn number(&mut self, number: u64) -> $word {
                number.into()
            }

            #[inline(always)]
            fn add(&mut self, a: $word, b: $word) -> $word {
                a.wrapping_add(b)
            }

            #[inline(always)]
            fn sub(&mut self, a: $word, b: $word) -> $word {
                a.wrapping_sub(b)
            }

            #[inline(always)]
            fn mul(&mut self, a: $word, b: $word) -> $word {
                a.wrapping_mul(b)
            }

            #[inline(always)]
            fn and(&mut self, a: $word, b: $word) -> $word {
                a & b
            }

            #[inline(always)]
            fn or(&mut self, a: $word, b: $word) -> $word {
                a | b
            }

            #[inline(always)]
            fn xor(&mut self, a: $word, b: $word) -> $word {
                a ^ b
            }

            #[inline(always)]
            fn shift_left(&mut self, a: $word, by: $word) -> $word {
                a.wrapping_shl(by as u32)
            }

            #[inline(always)]
            fn shift_right(&mut self, a: $word, by: $word) -> $word {
                a.wrapping_shr(by as u32)
            }

            #[inline(always)]
            fn shift_right_signed(&mut self, a: $word, by: $word) -> $word {
                (a as $signed).wrapping_shr(by as u32) as $word
            }

            #[inline(always)]
            fn quotient(&mut self, a: $word, b: $word) -> $word {
                a / b
            }

            #[inline(always)]
            fn remainder(&mut self, a: $word, b: $word) -> $word {
                a % b
            }

            #[inline(always)]
            fn signed_quotient(&mut self, a: $word, b: $word) -> $word {
                (a as $signed / b as $signed) as $word
            }

            #[inline(always)]
            fn signed_remainder(&mut self, a: $word, b: $word) -> $word {
                (a as $signed % b as $signed) as $word
            }

            #[inline(always)]
            fn low(&mut self, a: $word, bits: u8) -> $word {
                $low(a, bits)
            }

            #[inline(always)]
            fn signed(&mut self, a: $word, bits: u8) -> $word {
                $signed_of(a, bits)
            }

            #[inline(always)]
            fn equal(&mut self, a: $word, b: $word) -> bool {
                a == b
            }

            #[inline(always)]
            fn less(&mut self, a: $word, b: $word) -> bool {
                a < b
            }

            #[inline(always)]
            fn signed_less(&mut self, bits: u8, a: $word, b: $word) -> bool {
                ($signed_of(a, bits) as $signed) < ($signed_of(b, bits) as $signed)
            }

            #[inline(always)]
            fn overflows(&mut self, op: BinaryOperator, bits: u8, a: $word, b: $word) -> bool {
                $overflows(op, bits, a, b)
            }

            #[inline(always)]
            fn not(&mut self, a: bool) -> bool {
                !a
            }

            #[inline(always)]
            fn both(&mut self, a: bool, b: bool) -> bool {
                a & b
            }

            #[inline(always)]
            fn demand(&mut self, condition: bool, otherwise: Undefined) -> Result<(), Undefined> {
                if condition { Ok(()) } else { Err(otherwise) }
            }
        }
    };
}

numbers!(Words, u64, i64, masked, |word, bits| signed(word, bits) as u64, overflows);
numbers!(WideWords, u128, i128, |word, _| word, |word, _| word, |_, _, _, _| false);

/// Whether the result of an operation on signed numbers does not fit their bits.
#[inline(always)]
fn overflows(op: BinaryOperator, bits: u8, a: u64, b: u64) -> bool {
    let (x, y) = (i128::from(signed(a, bits)), i128::from(signed(b, bits)));
    let exact = match op {
        BinaryOperator::Add => x + y,
        BinaryOperator::Sub => x - y,
        BinaryOperator::Mul => x * y,
        BinaryOperator::Shl => x << (b & 63),
        _ => return false,
    };
    let limit = 1i128 << (bits - 1);
    exact < -limit || exact >= limit
}

/// The result of an operator on known words.
///
/// # Errors
/// When there is none.
#[inline(always)]
pub fn binary(op: BinaryOperator, bits: u8, a: u64, b: u64) -> Result<u64, Undefined> {
    domain::binary(&mut Words, op, bits, a, b)
}

/// The result of an operator on known words of 128 bits.
///
/// # Errors
/// When there is none.
pub fn binary_wide(op: BinaryOperator, a: u128, b: u128) -> Result<u128, Undefined> {
    domain::binary(&mut WideWords, op, 128, a, b)
}

/// The outcome of a comparison of known words.
#[inline(always)]
pub fn compare(predicate: Predicate, bits: u8, a: u64, b: u64) -> bool {
    domain::compare(&mut Words, predicate, bits, a, b)
}

/// The outcome of a comparison of known words of 128 bits.
pub fn compare_wide(predicate: Predicate, a: u128, b: u128) -> bool {
    domain::compare(&mut WideWords, predicate, 128, a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers around which operations change: the ends of the ranges with and without sign, and small ones.
    fn edges(bits: u8) -> Vec<u64> {
        let top = masked(u64::MAX, bits);
        let half = 1u64 << (bits - 1);
        let mut edges = vec![0, 1, 2, 3, 7, half - 1, half, half.wrapping_add(1), top - 1, top, top / 3];
        edges.iter_mut().for_each(|edge| *edge = masked(*edge, bits));
        edges
    }

    /// The result by the integers of mathematics.
    fn exact(op: BinaryOperator, bits: u8, a: u64, b: u64) -> Option<i128> {
        use BinaryOperator as B;
        let (u, v) = (i128::from(a), i128::from(b));
        let (x, y) = (i128::from(signed(a, bits)), i128::from(signed(b, bits)));
        let quotient = |q: Option<i128>| q.filter(|q| *q < 1 << (bits - 1));
        Some(match op {
            B::Add => u + v,
            B::Sub => u - v,
            B::Mul => x.wrapping_mul(y),
            B::And => u & v,
            B::Or => u | v,
            B::Xor => u ^ v,
            B::Shl => ((a as u128) << (v < i128::from(bits)).then_some(b)?) as i128,
            B::LShr => u >> (v < i128::from(bits)).then_some(b)?,
            B::AShr => x >> (v < i128::from(bits)).then_some(b)?,
            B::UDiv => u.checked_div(v)?,
            B::URem => u.checked_rem(v)?,
            B::SDiv => quotient(x.checked_div(y))?,
            B::SRem => quotient(x.checked_div(y)).and_then(|_| x.checked_rem(y))?,
            _ => return None,
        })
    }

    const OPERATORS: [BinaryOperator; 13] = [
        BinaryOperator::Add,
        BinaryOperator::Sub,
        BinaryOperator::Mul,
        BinaryOperator::And,
        BinaryOperator::Or,
        BinaryOperator::Xor,
        BinaryOperator::Shl,
        BinaryOperator::LShr,
        BinaryOperator::AShr,
        BinaryOperator::UDiv,
        BinaryOperator::URem,
        BinaryOperator::SDiv,
        BinaryOperator::SRem,
    ];

    fn pairs(bits: u8) -> impl Iterator<Item = (u64, u64)> {
        edges(bits).into_iter().flat_map(move |a| edges(bits).into_iter().map(move |b| (a, b)))
    }

    #[test]
    fn operators_are_those_of_the_integers_modulo_the_size_of_a_word() {
        for op in OPERATORS {
            for bits in [1, 2, 8, 16, 24, 32, 63, 64] {
                for (a, b) in pairs(bits) {
                    let expected = exact(op, bits, a, b).map(|exact| masked(exact as u64, bits));
                    assert_eq!(binary(op, bits, a, b).ok(), expected, "{op:?} i{bits} {a} {b}");
                }
            }
        }
    }

    #[test]
    fn overflow_is_that_of_the_integers() {
        use BinaryOperator::{Add, Mul, Shl, Sub};
        for op in [Add, Sub, Mul, Shl] {
            for bits in [8, 16, 32, 64] {
                for (a, b) in pairs(bits).filter(|(_, b)| op != Shl || *b < u64::from(bits)) {
                    let (x, y) = (i128::from(signed(a, bits)), i128::from(signed(b, bits)));
                    let exact = match op {
                        Add => x + y,
                        Sub => x - y,
                        Mul => x * y,
                        _ => x << y,
                    };
                    let fits = exact >= -(1 << (bits - 1)) && exact < 1 << (bits - 1);
                    let result = domain::checked(&mut Words, op, bits, a, b);
                    assert_eq!(result.is_ok(), fits, "{op:?} i{bits} {a} {b}");
                }
            }
        }
    }

    #[test]
    fn wide_words_do_the_same_as_words() {
        for op in OPERATORS {
            for (a, b) in pairs(64) {
                // Words of 64 bits in the upper half: what is shifted out below is zero.
                let (narrow, signs) = (binary(op, 64, a, b), [signed(a, 64), signed(b, 64)]);
                let [x, y] = signs.map(|word| i128::from(word) as u128);
                let wide = binary_wide(op, x, y);
                if let (Ok(narrow), Ok(wide), Some(_)) = (narrow, wide, same_in_both(op, a, b)) {
                    assert_eq!(wide as u64, narrow, "{op:?} {a} {b}");
                }
            }
        }
        assert_eq!(binary_wide(BinaryOperator::SDiv, 1 << 127, u128::MAX), Err(Undefined::Quotient));
        assert_eq!(binary_wide(BinaryOperator::UDiv, u128::MAX, 0), Err(Undefined::Division));
        assert_eq!(binary_wide(BinaryOperator::LShr, u128::MAX, 127), Ok(1));
    }

    /// Whether the lower half of the result of sign-extended words is the result of the words.
    fn same_in_both(op: BinaryOperator, a: u64, b: u64) -> Option<()> {
        use BinaryOperator::{LShr, UDiv, URem};
        let is_unsigned = matches!(op, UDiv | URem | LShr);
        (!is_unsigned || signed(a, 64) >= 0 && signed(b, 64) >= 0).then_some(())
    }
}
