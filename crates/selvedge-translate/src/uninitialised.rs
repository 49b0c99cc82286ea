//! Values that are uninitialised for certain, by the way on which the translation is.
//!
//! To copy them is nothing; a branch or an address that depends on one is undefined behaviour, as in `check`. Values that are uninitialised on some
//! ways only, or in variables that are kept when the program runs, are any values: there it is not looked for. If only calls of error functions
//! count, an uninitialised value is any value everywhere.

use crate::arithmetic::compare;
use crate::thread::Thread;
use crate::value::{Value, range};
use selvedge_llvm::instruction::Predicate;

impl Thread<'_, '_> {
    /// Whether all bits of a value are uninitialised, and that matters.
    pub fn is_uninitialised(&self, value: &Value) -> bool {
        *value == Value::Undefined && !self.run.options.only_errors
    }

    /// Whether the outcome of a comparison depends on a value that is uninitialised, whatever the other is.
    pub fn compares_uninitialised(&self, predicate: Predicate, bits: u32, a: &Value, b: &Value) -> bool {
        let is_equality = matches!(predicate, Predicate::Eq | Predicate::Ne);
        match (self.is_uninitialised(a), self.is_uninitialised(b)) {
            (false, false) => false,
            (true, true) => true,
            _ if is_equality => true,
            (true, false) => is_open(bits, b, |any, known| compare(predicate, bits, any, known)),
            (false, true) => is_open(bits, a, |any, known| compare(predicate, bits, known, any)),
        }
    }
}

/// Whether a comparison with a known number has different outcomes for different uninitialised ones: at the ends of the two orders of numbers, with
/// and without sign, there is each outcome that there is anywhere.
fn is_open(bits: u32, other: &Value, compare: impl Fn(i64, i64) -> bool) -> bool {
    let Some(known) = other.known() else { return false };
    let (least, most) = range(bits);
    let any = if bits == 1 { [0, 1, 0, 1] } else { [least, -1, 0, most] };
    let outcomes = any.map(|any| compare(any, known));
    outcomes.iter().any(|outcome| *outcome != outcomes[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_with_the_ends_of_a_range_may_be_decided() {
        for predicate in
            [Predicate::Ult, Predicate::Ule, Predicate::Slt, Predicate::Sle, Predicate::Uge, Predicate::Sgt]
        {
            for known in -8..8 {
                let outcomes: Vec<bool> = (-8..8).map(|any| compare(predicate, 4, any, known)).collect();
                let differ = outcomes.iter().any(|outcome| *outcome != outcomes[0]);
                let found =
                    is_open(4, &Value::int(4, known.into()), |any, known| compare(predicate, 4, any, known));
                assert_eq!(found, differ, "{predicate:?} {known}");
            }
        }
    }
}
