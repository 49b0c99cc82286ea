//! Arithmetic on words.

use super::{Outcome, Run, Step};
use crate::failure::{CutReason, FailureKind};
use selvedge_code::domain::{self, Undefined};
use selvedge_code::intrinsics::Intrinsic;
use selvedge_code::words::{self, Words};
use selvedge_llvm::instruction::{BinaryOperator, CastOperator, FloatPredicate};
use std::cmp::Ordering;
use std::num::FpCategory;

pub use selvedge_code::words::{compare, compare_wide, masked, signed};

impl Run<'_> {
    #[inline(always)]
    pub fn binary(&mut self, op: BinaryOperator, bits: u8, a: u64, b: u64) -> Step<u64> {
        words::binary(op, bits, a, b).map_err(|undefined| self.undefined(undefined))
    }

    /// Arithmetic where signed overflow is a failure.
    pub fn checked(&mut self, op: BinaryOperator, bits: u8, a: u64, b: u64) -> Step<u64> {
        domain::checked(&mut Words, op, bits, a, b).map_err(|undefined| self.undefined(undefined))
    }

    /// Arithmetic on 128 bits.
    pub fn wide(&mut self, op: BinaryOperator, a: u128, b: u128) -> Step<u128> {
        words::binary_wide(op, a, b).map_err(|undefined| self.undefined(undefined))
    }

    /// What an operation without result does to the thread.
    #[cold]
    fn undefined(&mut self, undefined: Undefined) -> Outcome {
        match undefined {
            Undefined::Shift => self.fail(FailureKind::Shift),
            Undefined::Quotient if self.options.checks.overflow => self.fail(FailureKind::Overflow),
            Undefined::Division | Undefined::Quotient => self.fail(FailureKind::Division),
            Undefined::Overflow => self.fail(FailureKind::Overflow),
            Undefined::ShiftOverflow => {
                let what = "to tell whether a left shift that overflows is one of signed numbers".to_owned();
                self.give_up(CutReason::Unsupported(what))
            }
        }
    }
}

fn number(single: bool, word: u64) -> f64 {
    match single {
        true => f64::from(f32::from_bits(word as u32)),
        false => f64::from_bits(word),
    }
}

fn word(single: bool, number: f64) -> u64 {
    match single {
        true => u64::from((number as f32).to_bits()),
        false => number.to_bits(),
    }
}

pub fn compare_float(predicate: FloatPredicate, single: bool, a: u64, b: u64) -> bool {
    match number(single, a).partial_cmp(&number(single, b)) {
        Some(Ordering::Less) => predicate.less,
        Some(Ordering::Equal) => predicate.equal,
        Some(Ordering::Greater) => predicate.greater,
        None => predicate.unordered,
    }
}

pub fn float(op: BinaryOperator, single: bool, a: u64, b: u64) -> u64 {
    // Computing in double and rounding once is exact for single operations on floats.
    let (a, b) = (number(single, a), number(single, b));
    let result = match op {
        BinaryOperator::FAdd => a + b,
        BinaryOperator::FSub => a - b,
        BinaryOperator::FMul => a * b,
        BinaryOperator::FDiv => a / b,
        _ => a % b,
    };
    word(single, result)
}

pub fn convert(op: CastOperator, single: bool, bits: u8, a: u64) -> u64 {
    match op {
        CastOperator::FpTrunc => u64::from((f64::from_bits(a) as f32).to_bits()),
        CastOperator::FpExt => f64::from(f32::from_bits(a as u32)).to_bits(),
        CastOperator::FpToSi => masked(number(single, a) as i64 as u64, bits),
        CastOperator::FpToUi => masked(number(single, a) as u64, bits),
        CastOperator::SiToFp => match single {
            true => u64::from((signed(a, bits) as f32).to_bits()),
            false => (signed(a, bits) as f64).to_bits(),
        },
        _ => match single {
            true => u64::from((a as f32).to_bits()),
            false => (a as f64).to_bits(),
        },
    }
}

/// The result of an intrinsic, and a flag for those that have one.
pub fn intrinsic(which: Intrinsic, bits: u8, a: u64, b: u64, c: u64) -> (u64, Option<bool>) {
    let (x, y) = (i128::from(signed(a, bits)), i128::from(signed(b, bits)));
    let (u, v) = (i128::from(a), i128::from(b));
    let (low, high) = (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
    let top = (1i128 << bits) - 1;
    let clamped = |exact: i128, low: i128, high: i128| (masked(exact.clamp(low, high) as u64, bits), None);
    let signed_overflow = |exact: i128| (masked(exact as u64, bits), Some(exact < low || exact > high));
    let unsigned_overflow = |exact: i128| (masked(exact as u64, bits), Some(exact < 0 || exact > top));
    let funnel = |left: bool| {
        let by = c % u64::from(bits);
        let both = u128::from(a) << bits | u128::from(b);
        let shifted = if left { both << by >> bits } else { both >> by };
        (masked(shifted as u64, bits), None)
    };
    match which {
        Intrinsic::UMax => (a.max(b), None),
        Intrinsic::UMin => (a.min(b), None),
        Intrinsic::SMax => (masked(x.max(y) as u64, bits), None),
        Intrinsic::SMin => (masked(x.min(y) as u64, bits), None),
        Intrinsic::Abs => (masked(x.unsigned_abs() as u64, bits), None),
        Intrinsic::ByteSwap => (a.swap_bytes() >> (64 - bits), None),
        Intrinsic::BitReverse => (a.reverse_bits() >> (64 - bits), None),
        Intrinsic::CountOnes => (u64::from(a.count_ones()), None),
        Intrinsic::LeadingZeros => (u64::from(a.leading_zeros()) - (64 - u64::from(bits)), None),
        Intrinsic::TrailingZeros => (u64::from(a.trailing_zeros().min(u32::from(bits))), None),
        Intrinsic::ShiftLeftFunnel => funnel(true),
        Intrinsic::ShiftRightFunnel => funnel(false),
        Intrinsic::SAddOverflow => signed_overflow(x + y),
        Intrinsic::SSubOverflow => signed_overflow(x - y),
        Intrinsic::SMulOverflow => signed_overflow(x * y),
        Intrinsic::UAddOverflow => unsigned_overflow(u + v),
        Intrinsic::USubOverflow => unsigned_overflow(u - v),
        Intrinsic::UMulOverflow => unsigned_overflow(u.wrapping_mul(v)),
        Intrinsic::SAddSaturating => clamped(x + y, low, high),
        Intrinsic::SSubSaturating => clamped(x - y, low, high),
        Intrinsic::UAddSaturating => clamped(u + v, 0, top),
        Intrinsic::USubSaturating => clamped(u - v, 0, top),
        Intrinsic::FusedMultiplyAdd => {
            // clang allows itself to fuse or not; at -O0 the native code does not.
            let result = f64::from_bits(a) * f64::from_bits(b) + f64::from_bits(c);
            (result.to_bits(), None)
        }
        Intrinsic::FusedMultiplyAddSingle => {
            let (a, b, c) = (f32::from_bits(a as u32), f32::from_bits(b as u32), f32::from_bits(c as u32));
            (u64::from((a * b + c).to_bits()), None)
        }
        Intrinsic::ExactMultiplyAdd => {
            (f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)).to_bits(), None)
        }
        Intrinsic::ExactMultiplyAddSingle => {
            let (a, b, c) = (f32::from_bits(a as u32), f32::from_bits(b as u32), f32::from_bits(c as u32));
            (u64::from(a.mul_add(b, c).to_bits()), None)
        }
        Intrinsic::IsFloatClass => (b >> float_class(bits, a) & 1, None),
    }
}

/// The class of a floating-point number, by the numbers that LLVM gives them: those that are no numbers first, then from the least.
fn float_class(bits: u8, word: u64) -> u32 {
    let (category, is_negative, is_quiet) = match bits {
        32 => {
            let number = f32::from_bits(word as u32);
            (number.classify(), number.is_sign_negative(), word >> 22 & 1 == 1)
        }
        _ => {
            let number = f64::from_bits(word);
            (number.classify(), number.is_sign_negative(), word >> 51 & 1 == 1)
        }
    };
    let (negative, positive) = match category {
        FpCategory::Nan => return u32::from(is_quiet),
        FpCategory::Infinite => (2, 9),
        FpCategory::Normal => (3, 8),
        FpCategory::Subnormal => (4, 7),
        FpCategory::Zero => (5, 6),
    };
    if is_negative { negative } else { positive }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_to_their_bits() {
        assert_eq!(masked(u64::MAX, 32), 0xffff_ffff);
        assert_eq!(signed(0xff, 8), -1);
        assert_eq!(signed(1 << 63, 64), i64::MIN);
    }

    #[test]
    fn overflow_is_told_by_sign() {
        let max = 0x7fff_ffff;
        assert_eq!(intrinsic(Intrinsic::SAddOverflow, 32, max, 1, 0), (0x8000_0000, Some(true)));
        assert_eq!(intrinsic(Intrinsic::UAddOverflow, 32, max, 1, 0), (0x8000_0000, Some(false)));
        assert_eq!(intrinsic(Intrinsic::USubOverflow, 8, 1, 2, 0), (255, Some(true)));
    }

    #[test]
    fn bits_are_counted_within_the_width() {
        assert_eq!(intrinsic(Intrinsic::LeadingZeros, 8, 1, 0, 0).0, 7);
        assert_eq!(intrinsic(Intrinsic::TrailingZeros, 16, 0, 0, 0).0, 16);
        assert_eq!(intrinsic(Intrinsic::ByteSwap, 16, 0x1234, 0, 0).0, 0x3412);
        assert_eq!(intrinsic(Intrinsic::ShiftLeftFunnel, 8, 0x81, 0xff, 1).0, 0x03);
    }

    #[test]
    fn unordered_numbers_are_not_equal() {
        let nan = f64::NAN.to_bits();
        let equal = FloatPredicate { equal: true, ..FloatPredicate::default() };
        assert!(!compare_float(equal, false, nan, nan));
    }
}
