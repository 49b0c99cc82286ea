//! How marks of words spread: the instructions, for every kind of mark.
//!
//! A mark says of each bit of a word whether it is in doubt. Copies copy marks as they are; what is computed has a mark by its
//! bits alone, so that fields of a few bits and the padding of structures raise no doubts.

use super::access::Found;
use super::{Run, arithmetic};
use crate::address_numbers::Derived;
use crate::code::{CONSTANT, Call, Callee, NO_SLOT, Op, Slot};
use crate::state::Control;
use selvedge_llvm::instruction::{BinaryOperator, Predicate};

/// A mark of a word.
pub trait Mark: Clone {
    /// The bits that are in doubt.
    fn bits(&self) -> u64;

    /// The mark of a word of which just that is known.
    fn of_bits(bits: u64) -> Self;
}

impl Mark for u64 {
    fn bits(&self) -> u64 {
        *self
    }

    fn of_bits(bits: u64) -> u64 {
        bits
    }
}

impl Mark for Derived {
    fn bits(&self) -> u64 {
        self.bits
    }

    fn of_bits(bits: u64) -> Derived {
        Derived::opaque(bits)
    }
}

/// The marks of one kind.
pub trait Source<M> {
    /// That of a slot, by its place among all.
    fn of_slot(&self, slot: usize) -> M;

    /// That of at most 8 bytes of an object.
    fn of_bytes(&self, found: &Found) -> M;
}

/// Which words are marked after an instruction.
#[derive(Debug)]
pub struct Marks<M> {
    /// Slots, by their places among all.
    pub slots: Vec<(usize, M)>,
    /// Bytes, at most 8 each.
    pub bytes: Vec<(Found, M)>,
    /// The parameters of a function that is entered, by their slots in its frame.
    pub parameters: Vec<(Slot, M)>,
    /// The first slot that is gone, if a function is left.
    pub gone: Option<u32>,
    /// What depends on marked bits now.
    pub uses: Uses,
}

/// What depends on marked bits when an instruction is performed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// Which way the program goes.
    pub branch: bool,
    /// Where it reads or writes.
    pub address: bool,
    /// Something else: a call of the library, a divisor, a size.
    pub other: bool,
}

impl Uses {
    /// Whether anything does.
    pub fn any(self) -> bool {
        self.branch || self.address || self.other
    }
}

impl<M> Default for Marks<M> {
    fn default() -> Marks<M> {
        Marks {
            slots: Vec::new(),
            bytes: Vec::new(),
            parameters: Vec::new(),
            gone: None,
            uses: Uses::default(),
        }
    }
}

/// All bits of a word if there is one.
pub fn all(bits: u64) -> u64 {
    if bits == 0 { 0 } else { u64::MAX }
}

/// The bits of a sum that depend on the given bits of its operands: those from the lowest on.
pub fn upward(bits: u64) -> u64 {
    bits | bits.wrapping_neg()
}

impl Run<'_> {
    /// What will be marked after an instruction.
    pub fn spread<M: Mark>(
        &self,
        op: Op,
        control: &Control,
        slots: &[u64],
        source: &impl Source<M>,
    ) -> Marks<M> {
        let base = control.base;
        let at = |slot: Slot| if slot >= CONSTANT { slot - CONSTANT } else { base + slot } as usize;
        let op = op.generic();
        let copy = |slot: Slot| source.of_slot(at(slot));
        let mark = |slot: Slot| if slot == NO_SLOT { 0 } else { copy(slot).bits() };
        let held = |address: u64, size: usize| {
            let found = self.find_again(address, size as u64);
            found.map_or(M::of_bits(0), |found| source.of_bytes(&found))
        };
        // Whether a word is the number itself, and not the tag of an input that is not decided yet.
        let is_decided = |slot: Slot| self.state.symbols().tag(slots[at(slot)]).is_none();
        let with_marks = |slot: Slot| (slots[at(slot)], mark(slot));
        let is_open = |predicate: Predicate, bits: u8, a: Slot, b: Slot| match is_decided(a) && is_decided(b)
        {
            true => is_open(predicate, bits, with_marks(a), with_marks(b)),
            false => mark(a) | mark(b) != 0,
        };
        let mut marks = Marks::default();
        let (mut used, mut branch, mut place) = (0, 0, 0);
        let mut give = |slot: Slot, mark: M| marks.slots.push((at(slot), mark));
        let bits_of = M::of_bits;
        match op {
            Op::Move { dst, src } => give(dst, copy(src)),
            Op::Binary { op, bits, dst, a, b } | Op::Checked { op, bits, dst, a, b } => {
                if matches!(
                    op,
                    BinaryOperator::UDiv | BinaryOperator::SDiv | BinaryOperator::URem | BinaryOperator::SRem
                ) {
                    used |= mark(b);
                }
                let marked = match is_decided(a) && is_decided(b) {
                    true => binary(op, bits, with_marks(a), with_marks(b)),
                    false => all(mark(a) | mark(b)),
                };
                give(dst, bits_of(arithmetic::masked(marked, bits)));
            }
            Op::Wide { dst, a, b, .. } => {
                let bits = all(mark(a) | mark(a + 1) | mark(b) | mark(b + 1));
                give(dst, bits_of(bits));
                give(dst + 1, bits_of(bits));
            }
            Op::AddImmediate { dst, a, .. } => give(dst, bits_of(upward(mark(a)))),
            Op::Element { dst, base, index, .. } => give(dst, bits_of(all(mark(base) | mark(index)))),
            Op::FloatBinary { dst, a, b, .. } => give(dst, bits_of(all(mark(a) | mark(b)))),
            Op::FloatNegate { dst, a, .. } | Op::Convert { dst, a, .. } => give(dst, bits_of(all(mark(a)))),
            Op::Compare { predicate, bits, dst, a, b } => {
                give(dst, bits_of(is_open(predicate, bits, a, b).into()));
            }
            Op::CompareFloat { dst, a, b, .. } => give(dst, bits_of(all(mark(a) | mark(b)) & 1)),
            Op::CompareWide { dst, a, b, .. } => {
                give(dst, bits_of(all(mark(a) | mark(a + 1) | mark(b) | mark(b + 1)) & 1));
            }
            Op::Truncate { dst, a, bits } => give(dst, bits_of(arithmetic::masked(mark(a), bits))),
            Op::SignExtend { dst, a, from, to } => {
                let extended = arithmetic::signed(mark(a), from) as u64;
                give(dst, bits_of(arithmetic::masked(extended, to)));
            }
            Op::Select { dst, condition, a, b, words } => {
                // It may stand for a branch of the program, or for one that the compiler has removed.
                used |= mark(condition);
                let (from, other) = if slots[at(condition)] != 0 { (a, b) } else { (b, a) };
                for w in 0..Slot::from(words) {
                    let others = if is_decided(condition) { 0 } else { mark(other + w) };
                    let taken = copy(from + w);
                    give(dst + w, if others == 0 { taken } else { bits_of(taken.bits() | others) });
                }
            }
            Op::Branch { condition, .. } => branch |= mark(condition),
            Op::CompareBranch { predicate, bits, a, b, .. } => {
                branch |= u64::from(is_open(predicate, bits, a, b));
            }
            Op::Switch { value, .. } => branch |= mark(value),
            Op::Load { dst, address, bits, .. } => {
                place |= mark(address);
                give(dst, held(slots[at(address)], (bits as usize).div_ceil(8)));
            }
            Op::Store { src, address, bits, .. } => {
                place |= mark(address);
                let size = (bits as usize).div_ceil(8);
                if let (1.., Some(found)) = (mark(src), self.find_again(slots[at(address)], size as u64)) {
                    marks.bytes.push((found, copy(src)));
                }
            }
            Op::LoadWords { dst, address, shape, .. } => {
                place |= mark(address);
                for (w, &(offset, bits)) in self.code.shapes[shape as usize].iter().enumerate() {
                    let size = (bits as usize).div_ceil(8);
                    give(dst + w as Slot, held(slots[at(address)].wrapping_add(offset), size));
                }
            }
            Op::StoreWords { src, address, shape, .. } => {
                place |= mark(address);
                for (w, &(offset, bits)) in self.code.shapes[shape as usize].iter().enumerate() {
                    let size = (bits as usize).div_ceil(8);
                    let found = self.find_again(slots[at(address)].wrapping_add(offset), size as u64);
                    if let (1.., Some(found)) = (mark(src + w as Slot), found) {
                        marks.bytes.push((found, copy(src + w as Slot)));
                    }
                }
            }
            Op::CompareExchange { dst, address, expected, new, .. } => {
                place |= mark(address);
                used |= mark(expected) | mark(new);
                give(dst, bits_of(0));
                give(dst + 1, bits_of(0));
            }
            Op::Modify { dst, address, value, .. } => {
                place |= mark(address);
                used |= mark(value);
                give(dst, bits_of(0));
            }
            Op::CompareExchangeWide { dst, address, expected, new, .. } => {
                place |= mark(address);
                let words = [expected, expected + 1, new, new + 1];
                used |= words.into_iter().fold(0, |used, word| used | mark(word));
                (0..3).for_each(|w| give(dst + w, bits_of(0)));
            }
            Op::ModifyWide { dst, address, value, .. } => {
                place |= mark(address);
                used |= mark(value) | mark(value + 1);
                (0..2).for_each(|w| give(dst + w, bits_of(0)));
            }
            Op::Intrinsic { which, dst, a, b, c, .. } => {
                let marked = all(mark(a) | mark(b) | mark(c));
                give(dst, bits_of(marked));
                if which.has_flag() {
                    give(dst + 1, bits_of(marked));
                }
            }
            Op::Alloca { dst, count, .. } => {
                used |= mark(count);
                give(dst, bits_of(0));
            }
            Op::ThreadLocal { dst, .. } => give(dst, bits_of(0)),
            Op::Call { call } | Op::CallIndirect { call } | Op::Builtin { call } => {
                let call = &self.code.calls[call as usize];
                used |= self.spread_call(call, control, slots, source, &mut marks);
            }
            Op::Return { value, words } => {
                marks.gone = Some(base);
                let link = |i: u32| slots[(base - super::LINK + i) as usize] as u32;
                if control.depth > 0 && link(3) != NO_SLOT && value != NO_SLOT {
                    let to = link(1) + link(3);
                    for w in 0..Slot::from(words) {
                        marks.slots.push(((to + w) as usize, copy(value + w)));
                    }
                }
            }
            Op::Undefined { .. }
            | Op::CompareWords { .. }
            | Op::CompareWordsBranch { .. }
            | Op::RestoreStack { .. }
            | Op::Jump { .. }
            | Op::AtomicBegin
            | Op::AtomicEnd
            | Op::LoopHead { .. }
            | Op::LoopBegin { .. }
            | Op::LoopEnter { .. }
            | Op::LoopRound { .. }
            | Op::Fence { .. }
            | Op::Trap { .. } => {}
        }
        marks.uses = Uses { branch: branch != 0, address: place != 0, other: used != 0 };
        marks
    }

    /// Arguments of functions with bodies are copies; those of the library are used, as are those without parameters.
    fn spread_call<M: Mark>(
        &self,
        call: &Call,
        control: &Control,
        slots: &[u64],
        source: &impl Source<M>,
        marks: &mut Marks<M>,
    ) -> u64 {
        let at = |slot: Slot| if slot >= CONSTANT { slot - CONSTANT } else { control.base + slot } as usize;
        let copy = |slot: Slot| source.of_slot(at(slot));
        let mark = |slot: Slot| copy(slot).bits();
        let every =
            |used: u64, slot: Slot, words: u16| (0..Slot::from(words)).fold(used, |u, w| u | mark(slot + w));
        let (callee, mut used) = match call.callee {
            Callee::Address(slot) => {
                (self.code.function_addresses.get(&slots[at(slot)]).copied(), mark(slot))
            }
            callee => (Some(callee), 0),
        };
        match callee {
            Some(Callee::Function(function)) => {
                let callee = &self.code.functions[function as usize];
                for (argument, &(slot, words)) in call.arguments.iter().zip(&callee.parameters) {
                    match argument.copied {
                        0 => (0..Slot::from(words.min(argument.words)))
                            .for_each(|w| marks.parameters.push((slot + w, copy(argument.slot + w)))),
                        _ => used |= mark(argument.slot),
                    }
                }
                for argument in call.arguments.iter().skip(callee.parameters.len()) {
                    used = every(used, argument.slot, argument.words);
                }
            }
            Some(Callee::Builtin(builtin)) if builtin.is_nothing() => {}
            _ => {
                for argument in &call.arguments {
                    used = every(used, argument.slot, argument.words);
                }
                if call.result != NO_SLOT {
                    marks.slots.push((at(call.result), M::of_bits(0)));
                }
            }
        }
        used
    }
}

/// The bits of a result that depend on marked bits of the operands, each a number with its marks.
pub fn binary(op: BinaryOperator, bits: u8, (a, of_a): (u64, u64), (b, of_b): (u64, u64)) -> u64 {
    let both = of_a | of_b;
    match op {
        // A bit of one operand that is known may decide.
        BinaryOperator::And => both & (of_a | a) & (of_b | b),
        BinaryOperator::Or => both & (of_a | !a) & (of_b | !b),
        BinaryOperator::Xor => both,
        BinaryOperator::Add | BinaryOperator::Sub | BinaryOperator::Mul => upward(both),
        BinaryOperator::Shl if of_b == 0 => of_a.checked_shl(b as u32).unwrap_or(0),
        BinaryOperator::LShr if of_b == 0 => of_a.checked_shr(b as u32).unwrap_or(0),
        BinaryOperator::AShr if of_b == 0 => {
            (arithmetic::signed(of_a, bits)).checked_shr(b as u32).unwrap_or(0) as u64
        }
        _ => all(both),
    }
}

/// Whether a comparison depends on marked bits of its operands, each a number with its marks.
fn is_open(predicate: Predicate, bits: u8, (a, of_a): (u64, u64), (b, of_b): (u64, u64)) -> bool {
    if of_a | of_b == 0 {
        return false;
    }
    if matches!(predicate, Predicate::Eq | Predicate::Ne) {
        // A bit in which the operands are known to differ decides.
        return arithmetic::masked((a ^ b) & !(of_a | of_b), bits) == 0;
    }
    let is_signed = matches!(predicate, Predicate::Sgt | Predicate::Sge | Predicate::Slt | Predicate::Sle);
    let sign = if is_signed { 1 << (bits - 1) } else { 0 };
    // The least and the greatest operands: with a sign, its bit counts the other way round.
    let least = |word: u64, marks: u64| (word & !marks) | (marks & sign);
    let most = |word: u64, marks: u64| (word | arithmetic::masked(marks, bits)) & !(marks & sign);
    let one = arithmetic::compare(predicate, bits, least(a, of_a), most(b, of_b));
    let other = arithmetic::compare(predicate, bits, most(a, of_a), least(b, of_b));
    one != other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_bit_may_decide() {
        assert_eq!(binary(BinaryOperator::And, 8, (0, 0xff), (0x0f, 0)), 0x0f);
        assert_eq!(binary(BinaryOperator::Or, 8, (0, 0xff), (0x0f, 0)) & 0xff, 0xf0);
    }

    #[test]
    fn a_sum_depends_on_all_lower_bits() {
        assert_eq!(binary(BinaryOperator::Add, 64, (0, 0x10), (1, 0)), !0xf);
    }

    /// A comparison of bytes is open if, and only if, two ways to fill in the marked bits lead to different results.
    #[test]
    fn a_comparison_is_open_if_marked_bits_can_change_it() {
        use Predicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
        let fillings = |word: u64, marks: u64| {
            (0..16).filter(move |filling| filling & !marks == 0).map(move |filling| (word & !marks) | filling)
        };
        for predicate in [Eq, Ne, Ugt, Uge, Ult, Ule, Sgt, Sge, Slt, Sle] {
            for (a, of_a, b, of_b) in (0..1 << 16).map(|n: u64| (n & 15, n >> 4 & 15, n >> 8 & 15, n >> 12)) {
                let mut results = fillings(a, of_a)
                    .flat_map(|a| fillings(b, of_b).map(move |b| arithmetic::compare(predicate, 4, a, b)));
                let first = results.next();
                let differs = results.any(|result| Some(result) != first);
                assert_eq!(
                    is_open(predicate, 4, (a & !of_a, of_a), (b & !of_b, of_b)),
                    differs,
                    "{predicate:?} {a} {of_a} {b} {of_b}"
                );
            }
        }
    }

    #[test]
    fn shifts_move_marks() {
        assert_eq!(binary(BinaryOperator::LShr, 32, (0, 0xff00), (8, 0)), 0xff);
        assert_eq!(binary(BinaryOperator::AShr, 8, (0, 0x80), (7, 0)) & 0xff, 0xff);
        assert_eq!(binary(BinaryOperator::Shl, 8, (0, 1), (0, 1)), u64::MAX);
    }
}
