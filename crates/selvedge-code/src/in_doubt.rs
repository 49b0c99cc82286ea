//! Words of which some bits are in doubt: uninitialised, or different on every machine.
//!
//! A word has a number and a mark, the bits of it that are in doubt. Beside the operations on the numbers there is here what
//! becomes of the marks: exact for operators on bits and for comparisons, from the lowest doubtful bit upwards for sums and products,
//! and everything for divisions and for shifts by an amount that is in doubt.

use crate::domain::{self, Domain, Undefined};
use crate::words::{Words, masked};
use selvedge_llvm::instruction::{BinaryOperator, Predicate};
use std::convert::Infallible;

/// A word with the bits of it that are in doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doubtful {
    /// The number that is taken for it.
    pub number: u64,
    /// The bits that may be others.
    pub mark: u64,
}

/// The outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What it is for the numbers.
    pub holds: bool,
    /// Whether it may be otherwise for other bits.
    pub is_open: bool,
}

/// The domain of words with bits in doubt.
#[derive(Clone, Copy, Debug, Default)]
pub struct InDoubt;

/// All bits of a word if there is one.
pub fn all(bits: u64) -> u64 {
    if bits == 0 { 0 } else { u64::MAX }
}

/// The bits of a sum that depend on the given bits of its operands: those from the lowest on.
pub fn upward(bits: u64) -> u64 {
    bits | bits.wrapping_neg()
}

impl Doubtful {
    /// A word of which nothing is known but which bits are in doubt.
    pub fn unknown(mark: u64) -> Doubtful {
        Doubtful { number: 0, mark }
    }

    /// The least number that it may be.
    fn least(self) -> u64 {
        self.number & !self.mark
    }

    /// The greatest number that it may be.
    fn most(self) -> u64 {
        self.number | self.mark
    }

    /// The word of so many bits with the order of signed numbers turned into that of others.
    fn flipped(self, bits: u8) -> Doubtful {
        Doubtful { number: self.number ^ 1 << (bits - 1), mark: self.mark }
    }
}

/// The result of an operator on words of so many bits.
pub fn binary(op: BinaryOperator, bits: u8, a: Doubtful, b: Doubtful) -> Doubtful {
    let Ok(result) = domain::binary(&mut InDoubt, op, bits, a, b);
    result
}

/// The outcome of a comparison of words of so many bits.
pub fn compare(predicate: Predicate, bits: u8, a: Doubtful, b: Doubtful) -> Outcome {
    let (a, b) = (InDoubt.low(a, bits), InDoubt.low(b, bits));
    domain::compare(&mut InDoubt, predicate, bits, a, b)
}

/// A result: the number of the operation on known words, and a mark.
fn with_mark(number: u64, mark: u64) -> Doubtful {
    Doubtful { number, mark }
}

impl Domain for InDoubt {
    type Value = Doubtful;
    type Truth = Outcome;
    type Stop = Infallible;

    fn number(&mut self, number: u64) -> Doubtful {
        with_mark(number, 0)
    }

    fn add(&mut self, a: Doubtful, b: Doubtful) -> Doubtful {
        with_mark(Words.add(a.number, b.number), upward(a.mark | b.mark))
    }

    fn sub(&mut self, a: Doubtful, b: Doubtful) -> Doubtful {
        with_mark(Words.sub(a.number, b.number), upward(a.mark | b.mark))
    }

    fn mul(&mut self, a: Doubtful, b: Doubtful) -> Doubtful {
        with_mark(Words.mul(a.number, b.number), upward(a.mark | b.mark))
    }

    fn and(&mut self, a: Doubtful, b: Doubtful) -> Doubtful {
        // A bit of one operand that is known to be clear decides.
        let open = (a.mark | b.mark) & (a.mark | a.number) & (b.mark | b.number);
        with_mark(Words.and(a.number, b.number), open)
    }

    fn or(&mut self, a: Doubtful, b: Doubtful) -> Doubtful {
        let open = (a.mark | b.mark) & (a.mark | !a.number) & (b.mark | !b.number);
        with_mark(Words.or(a.number, b.number), open)
    }

    fn xor(&mut self, a: Doubtful, b: Doubtful) -> Doubtful {
        with_mark(Words.xor(a.number, b.number), a.mark | b.mark)
    }

    fn shift_left(&mut self, a: Doubtful, by: Doubtful) -> Doubtful {
        let mark = if by.mark == 0 { Words.shift_left(a.mark, by.number) } else { all(a.mark | by.mark) };
        with_mark(Words.shift_left(a.number, by.number), mark)
    }

    fn shift_right(&mut self, a: Doubtful, by: Doubtful) -> Doubtful {
        let mark = if by.mark == 0 { Words.shift_right(a.mark, by.number) } else { all(a.mark | by.mark) };
        with_mark(Words.shift_right(a.number, by.number), mark)
    }

    fn shift_right_signed(&mut self, a: Doubtful, by: Doubtful) -> Doubtful {
        let mark = match by.mark {
            0 => Words.shift_right_signed(a.mark, by.number),
            _ => all(a.mark | by.mark),
        };
        with_mark(Words.shift_right_signed(a.number, by.number), mark)
    }

    fn quotient(&mut self, a: Doubtful, b: Doubtful) -> Doubtful {
        with_mark(a.number.checked_div(b.number).unwrap_or(0), all(a.mark | b.mark))
    }

    fn remainder(&mut self, a: Doubtful, b: Doubtful) -> Doubtful {
        with_mark(a.number.checked_rem(b.number).unwrap_or(0), all(a.mark | b.mark))
    }

    fn signed_quotient(&mut self, a: Doubtful, b: Doubtful) -> Doubtful {
        let quotient = (a.number as i64).checked_div(b.number as i64).unwrap_or(0);
        with_mark(quotient as u64, all(a.mark | b.mark))
    }

    fn signed_remainder(&mut self, a: Doubtful, b: Doubtful) -> Doubtful {
        let remainder = (a.number as i64).checked_rem(b.number as i64).unwrap_or(0);
        with_mark(remainder as u64, all(a.mark | b.mark))
    }

    fn low(&mut self, a: Doubtful, bits: u8) -> Doubtful {
        with_mark(masked(a.number, bits), masked(a.mark, bits))
    }

    fn signed(&mut self, a: Doubtful, bits: u8) -> Doubtful {
        with_mark(Words.signed(a.number, bits), Words.signed(a.mark, bits))
    }

    fn equal(&mut self, a: Doubtful, b: Doubtful) -> Outcome {
        // A bit in which the operands are known to differ decides.
        let open = a.mark | b.mark;
        Outcome { holds: a.number == b.number, is_open: open != 0 && (a.number ^ b.number) & !open == 0 }
    }

    fn less(&mut self, a: Doubtful, b: Doubtful) -> Outcome {
        let (never, always) = (a.least() >= b.most(), a.most() < b.least());
        Outcome { holds: a.number < b.number, is_open: a.mark | b.mark != 0 && !never && !always }
    }

    fn signed_less(&mut self, bits: u8, a: Doubtful, b: Doubtful) -> Outcome {
        self.less(a.flipped(bits), b.flipped(bits))
    }

    fn overflows(&mut self, op: BinaryOperator, bits: u8, a: Doubtful, b: Doubtful) -> Outcome {
        let holds = Words.overflows(op, bits, a.number, b.number);
        Outcome { holds, is_open: a.mark | b.mark != 0 }
    }

    fn not(&mut self, a: Outcome) -> Outcome {
        Outcome { holds: !a.holds, ..a }
    }

    fn both(&mut self, a: Outcome, b: Outcome) -> Outcome {
        let is_false = |outcome: Outcome| !outcome.holds && !outcome.is_open;
        let is_open = (a.is_open || b.is_open) && !is_false(a) && !is_false(b);
        Outcome { holds: a.holds && b.holds, is_open }
    }

    /// Whether there is a result is known when the operation is performed on the number.
    fn demand(&mut self, _: Outcome, _: Undefined) -> Result<(), Infallible> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words;

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

    const PREDICATES: [Predicate; 10] = [
        Predicate::Eq,
        Predicate::Ne,
        Predicate::Ugt,
        Predicate::Uge,
        Predicate::Ult,
        Predicate::Ule,
        Predicate::Sgt,
        Predicate::Sge,
        Predicate::Slt,
        Predicate::Sle,
    ];

    /// All words of 4 bits with all marks.
    fn doubtful() -> impl Iterator<Item = Doubtful> {
        (0..256).map(|n: u64| Doubtful { number: n & 15, mark: n >> 4 })
    }

    /// The numbers that a word may be.
    fn fillings(word: Doubtful) -> impl Iterator<Item = u64> {
        let free = (0..16).filter(move |filling| filling & !word.mark == 0);
        free.map(move |filling| word.number & !word.mark | filling)
    }

    #[test]
    fn a_bit_without_a_mark_is_the_same_for_all_numbers_that_the_operands_may_be() {
        for op in OPERATORS {
            for (a, b) in doubtful().flat_map(|a| doubtful().map(move |b| (a, b))) {
                let result = binary(op, 4, a, b);
                for (x, y) in fillings(a).flat_map(|x| fillings(b).map(move |y| (x, y))) {
                    if let (Ok(one), Ok(other)) =
                        (words::binary(op, 4, x, y), words::binary(op, 4, a.number, b.number))
                    {
                        assert_eq!((one ^ other) & !result.mark, 0, "{op:?} {a:?} {b:?} {x} {y}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_number_of_a_result_is_that_of_known_words() {
        for op in OPERATORS {
            for (a, b) in doubtful().flat_map(|a| doubtful().map(move |b| (a, b))) {
                if let Ok(known) = words::binary(op, 4, a.number, b.number) {
                    assert_eq!(binary(op, 4, a, b).number, known, "{op:?} {a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn comparisons_are_open_if_marked_bits_decide_them() {
        for predicate in PREDICATES {
            for (a, b) in doubtful().flat_map(|a| doubtful().map(move |b| (a, b))) {
                let outcome = compare(predicate, 4, a, b);
                let mut all =
                    fillings(a).flat_map(|x| fillings(b).map(move |y| words::compare(predicate, 4, x, y)));
                let differs = all.any(|holds| holds != outcome.holds);
                assert_eq!(outcome.is_open, differs, "{predicate:?} {a:?} {b:?}");
            }
        }
    }

    #[test]
    fn shifts_move_marks() {
        let marked = |mark| Doubtful { number: 0, mark };
        let known = |number| Doubtful { number, mark: 0 };
        assert_eq!(binary(BinaryOperator::LShr, 32, marked(0xff00), known(8)).mark, 0xff);
        assert_eq!(binary(BinaryOperator::AShr, 8, marked(0x80), known(7)).mark, 0xff);
        assert_eq!(binary(BinaryOperator::Shl, 8, known(1), marked(1)).mark, 0xff);
    }
}
