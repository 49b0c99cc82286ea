//! The operations on an atomic word.

use super::weaker;
use crate::runtime::{Alternatives, Kind, Operation, Outcome, View};
use selvedge_trace::AccessKind;
use std::sync::atomic::Ordering;

pub static LOAD: Kind = Kind { operands: ordering_only, ..Kind::plain("load", load).telling() };
pub static UNSYNC_LOAD: Kind = Kind::plain("unsync_load", load).telling();
pub static STORE: Kind = Kind { operands: value_and_ordering, ..Kind::plain("store", store).telling() };
pub static SWAP: Kind = Kind { operands: value_and_ordering, ..Kind::plain("swap", swap).telling() };
pub static COMPARE_EXCHANGE: Kind =
    Kind { operands: exchange_operands, ..Kind::plain("compare_exchange", compare_exchange).telling() };
pub static COMPARE_EXCHANGE_WEAK: Kind = Kind {
    alternatives: Alternatives::Several,
    operands: exchange_operands,
    ..Kind::plain("compare_exchange_weak", compare_exchange_weak).telling()
};
pub static FETCH_ADD: Kind =
    Kind { operands: value_and_ordering, ..Kind::plain("fetch_add", fetch).telling() };
pub static FETCH_SUB: Kind =
    Kind { operands: value_and_ordering, ..Kind::plain("fetch_sub", fetch).telling() };
pub static FETCH_AND: Kind =
    Kind { operands: value_and_ordering, ..Kind::plain("fetch_and", fetch).telling() };
pub static FETCH_NAND: Kind =
    Kind { operands: value_and_ordering, ..Kind::plain("fetch_nand", fetch).telling() };
pub static FETCH_OR: Kind = Kind { operands: value_and_ordering, ..Kind::plain("fetch_or", fetch).telling() };
pub static FETCH_XOR: Kind =
    Kind { operands: value_and_ordering, ..Kind::plain("fetch_xor", fetch).telling() };
pub static FETCH_MAX: Kind =
    Kind { operands: value_and_ordering, ..Kind::plain("fetch_max", fetch).telling() };
pub static FETCH_MIN: Kind =
    Kind { operands: value_and_ordering, ..Kind::plain("fetch_min", fetch).telling() };

/// What a read-modify-write computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    MaxSigned,
    MinSigned,
}

const ARITHMETIC: [Arithmetic; 10] = [
    Arithmetic::Add,
    Arithmetic::Sub,
    Arithmetic::And,
    Arithmetic::Nand,
    Arithmetic::Or,
    Arithmetic::Xor,
    Arithmetic::Max,
    Arithmetic::Min,
    Arithmetic::MaxSigned,
    Arithmetic::MinSigned,
];

const ORDERINGS: [Ordering; 5] =
    [Ordering::Relaxed, Ordering::Release, Ordering::Acquire, Ordering::AcqRel, Ordering::SeqCst];

/// Orderings, arithmetic and width in one word.
fn encode(success: Ordering, failure: Ordering, arithmetic: Arithmetic, bits: u32) -> u32 {
    let number = |ordering| ORDERINGS.iter().position(|&known| known == ordering).unwrap_or(4) as u32;
    number(success) | number(failure) << 8 | (arithmetic as u32) << 16 | bits << 24
}

/// The ordering of a compare-exchange, in one word.
#[inline]
pub fn encode_exchange(success: Ordering, failure: Ordering) -> u32 {
    weaker::note(success);
    weaker::note(failure);
    encode(success, failure, Arithmetic::Add, 64)
}

/// The ordering, arithmetic and width of another read-modify-write, in one word.
#[inline]
pub fn encode_fetch(ordering: Ordering, arithmetic: Arithmetic, bits: u32) -> u32 {
    weaker::note(ordering);
    encode(ordering, Ordering::Relaxed, arithmetic, bits)
}

/// No ordering at all, in one word: for accesses that are not the user's.
#[inline]
pub fn encode_none() -> u32 {
    encode(Ordering::Relaxed, Ordering::Relaxed, Arithmetic::Add, 64)
}

/// An ordering in one word.
#[inline]
pub fn encode_ordering(ordering: Ordering) -> u32 {
    weaker::note(ordering);
    encode(ordering, Ordering::Relaxed, Arithmetic::Add, 64)
}

fn success(operation: &Operation) -> Ordering {
    ORDERINGS[(operation.also & 0xff) as usize % 5]
}

fn failure(operation: &Operation) -> Ordering {
    ORDERINGS[(operation.also >> 8 & 0xff) as usize % 5]
}

fn load(view: &mut View, operation: &Operation) -> Outcome {
    view.finds(operation.at, None);
    let value = view.read(operation.at);
    if let Some(clocks) = &mut view.clocks {
        clocks.load(view.thread, operation.at, success(operation));
    }
    Outcome::Done(value)
}

fn store(view: &mut View, operation: &Operation) -> Outcome {
    view.finds(operation.at, None);
    view.touch(operation.at, AccessKind::Overwrite);
    view.memory.set(operation.at, operation.a);
    // A thread that stores this in every round of a loop has to come round again when others replace it.
    view.note_read(operation.at, operation.at);
    if let Some(clocks) = &mut view.clocks {
        clocks.note_write(view.thread, operation.at, operation.place);
        clocks.store(view.thread, operation.at, success(operation));
    }
    Outcome::Done(0)
}

fn swap(view: &mut View, operation: &Operation) -> Outcome {
    view.finds(operation.at, None);
    Outcome::Done(replace(view, operation, operation.a))
}

fn replace(view: &mut View, operation: &Operation, value: u64) -> u64 {
    let old = view.memory.get(operation.at);
    view.touch(operation.at, AccessKind::Write);
    view.memory.set(operation.at, value);
    view.note_read(operation.at, operation.at);
    if let Some(clocks) = &mut view.clocks {
        clocks.note_write(view.thread, operation.at, operation.place);
        clocks.load(view.thread, operation.at, success(operation));
        clocks.read_modify_write(view.thread, operation.at, success(operation));
    }
    old
}

fn compare_exchange(view: &mut View, operation: &Operation) -> Outcome {
    view.varies();
    view.finds(operation.at, Some(operation.a));
    match view.memory.get(operation.at) == operation.a {
        true => Outcome::Done(replace(view, operation, operation.b)),
        false => Outcome::Done(fail(view, operation)),
    }
}

fn fail(view: &mut View, operation: &Operation) -> u64 {
    if let Some(clocks) = &mut view.clocks {
        clocks.load(view.thread, operation.at, failure(operation));
    }
    view.read(operation.at)
}

/// The second alternative of one that would succeed is to fail.
fn compare_exchange_weak(view: &mut View, operation: &Operation) -> Outcome {
    if !view.semantics.spurious_failures {
        return compare_exchange(view, operation);
    }
    view.varies();
    view.finds(operation.at, None);
    if view.memory.get(operation.at) != operation.a {
        return Outcome::Done(fail(view, operation));
    }
    view.alternatives = 2;
    match view.choice {
        0 => Outcome::Done(replace(view, operation, operation.b)),
        _ => {
            fail(view, operation);
            Outcome::Done(SPURIOUS)
        }
    }
}

/// The result of a weak compare-exchange that fails though the value is right. No value looks like that when
/// it succeeds: then it equals the expected one.
pub const SPURIOUS: u64 = 0x5e1f_ed9e_0bad_cafe;

fn fetch(view: &mut View, operation: &Operation) -> Outcome {
    let old = view.memory.get(operation.at);
    view.finds(operation.at, None);
    let arithmetic = ARITHMETIC[(operation.also >> 16 & 0xff) as usize % ARITHMETIC.len()];
    let new = compute(arithmetic, operation.also >> 24, old, operation.a);
    replace(view, operation, new);
    Outcome::Done(old)
}

fn compute(arithmetic: Arithmetic, bits: u32, old: u64, operand: u64) -> u64 {
    let signed = |value: u64| (value << (64 - bits)) as i64;
    let result = match arithmetic {
        Arithmetic::Add => old.wrapping_add(operand),
        Arithmetic::Sub => old.wrapping_sub(operand),
        Arithmetic::And => old & operand,
        Arithmetic::Nand => !(old & operand),
        Arithmetic::Or => old | operand,
        Arithmetic::Xor => old ^ operand,
        Arithmetic::Max => old.max(operand),
        Arithmetic::Min => old.min(operand),
        Arithmetic::MaxSigned if signed(old) >= signed(operand) => old,
        Arithmetic::MinSigned if signed(old) <= signed(operand) => old,
        Arithmetic::MaxSigned | Arithmetic::MinSigned => operand,
    };
    result & (u64::MAX >> (64 - bits))
}

fn ordering_only(operation: &Operation, _: &dyn Fn(u64) -> String) -> String {
    format!("{:?}", success(operation))
}

fn value_and_ordering(operation: &Operation, show: &dyn Fn(u64) -> String) -> String {
    format!("{}, {:?}", show(operation.a), success(operation))
}

fn exchange_operands(operation: &Operation, show: &dyn Fn(u64) -> String) -> String {
    let (expected, new) = (show(operation.a), show(operation.b));
    format!("{expected}, {new}, {:?}, {:?}", success(operation), failure(operation))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_wraps_and_compares_at_the_width_of_the_type() {
        assert_eq!(compute(Arithmetic::Add, 8, 250, 10), 4);
        assert_eq!(compute(Arithmetic::Sub, 8, 0, 1), 255);
        assert_eq!(compute(Arithmetic::Nand, 8, 0b1100, 0b1010), 0b1111_0111);
        assert_eq!(compute(Arithmetic::MaxSigned, 8, 0xff, 1), 1);
        assert_eq!(compute(Arithmetic::MinSigned, 8, 0xff, 1), 0xff);
        assert_eq!(compute(Arithmetic::Max, 8, 0xff, 1), 0xff);
        assert_eq!(compute(Arithmetic::Min, 64, 7, 3), 3);
    }

    #[test]
    fn orderings_survive_the_encoding() {
        for ordering in ORDERINGS {
            let also = encode(ordering, Ordering::Relaxed, Arithmetic::Min, 32);
            assert_eq!(ORDERINGS[(also & 0xff) as usize], ordering);
            assert_eq!(ARITHMETIC[(also >> 16 & 0xff) as usize], Arithmetic::Min);
        }
    }
}
