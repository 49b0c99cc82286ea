//! Values that nobody wrote: where they go, and where something depends on them.
//!
//! Memory that nobody wrote holds nobody knows what. The machine reads it as 0 and goes on, with a mark for every bit of the
//! value. To copy such a value is nothing. A branch or an address that depends on it is undefined behaviour, and a failure where that is looked
//! for. Elsewhere, and when the library depends on it, the answer is in doubt: a violation that is found is one for that content, but nothing is
//! verified. Marks spread by bits, so that fields of a few bits and the padding of structures raise no doubts.

use super::access::Found;
use super::{Run, Step, arithmetic};
use crate::builtin::Builtin;
use crate::code::{CONSTANT, Call, Callee, NO_SLOT, Op, Slot};
use crate::failure::{Cut, CutReason, FailureKind};
use crate::names;
use crate::state::Control;
use selvedge_llvm::instruction::{BinaryOperator, Predicate};

/// Which bits are marked after an instruction.
#[derive(Debug, Default)]
pub struct Marks {
    /// Of slots, by their places among all.
    slots: Vec<(usize, u64)>,
    /// Of memory: where, how many bytes, and which bits.
    bytes: Vec<(usize, usize, u64)>,
    /// Of the parameters of a function that is entered, by their slots in its frame.
    parameters: Vec<(Slot, u64)>,
    /// The first slot that is gone, if a function is left.
    gone: Option<u32>,
}

/// All bits of a word if there is one.
fn all(bits: u64) -> u64 {
    if bits == 0 { 0 } else { u64::MAX }
}

/// The bits of a sum that depend on the given bits of its operands: those from the lowest on.
fn upward(bits: u64) -> u64 {
    bits | bits.wrapping_neg()
}

impl Run<'_> {
    /// Notes that something depends on a value that nobody wrote.
    #[cold]
    fn doubt(&mut self, pc: u32) {
        let place = self.code.users_place(pc, self.called_from);
        self.cuts.insert(Cut { reason: CutReason::Unwritten, place });
    }

    /// A branch or an address depends on an uninitialised value: a failure where undefined behaviour is looked for, unless it may be the compiler
    /// that has moved a branch to where the program has none (it freezes what that depends on).
    #[cold]
    fn depends(&mut self, what: &str, pc: u32) -> Step {
        if self.options.checks.undefined && !self.code.freezes {
            return Err(self.fail(FailureKind::UninitialisedUse(what.to_owned())));
        }
        self.doubt(pc);
        Ok(())
    }

    /// Notes that the value of the last load, in a slot, is in part one that nobody wrote.
    #[cold]
    pub fn mark_loaded(&mut self, slot: usize) {
        let bits = std::mem::take(&mut self.unwritten);
        self.state.set_mark(self.thread, slot, bits);
    }

    /// Bytes on which the library depends must have been written.
    pub fn check_written(&mut self, found: &Found) -> Step {
        if !self.state.memory.is_unwritten(found.at, found.size as usize) {
            return Ok(());
        }
        if self.options.checks.uninitialised {
            let name =
                names::describe(self.code, self.module, &self.state.memory, found.address, found.size).0;
            return Err(self.fail(FailureKind::Uninitialised(name)));
        }
        self.doubt(self.present);
        Ok(())
    }

    /// What will be marked after an instruction. What depends on marked bits now is noted.
    pub fn foresee(&mut self, op: Op, control: &Control, slots: &[u64]) -> Step<Marks> {
        let base = control.base;
        let at = |slot: Slot| if slot >= CONSTANT { slot - CONSTANT } else { base + slot } as usize;
        let op = op.generic();
        let mark = |slot: Slot| if slot == NO_SLOT { 0 } else { self.state.mark_of(self.thread, at(slot)) };
        // Whether a word is the number itself, and not the tag of an input that is not decided yet.
        let is_decided = |slot: Slot| self.state.symbols().tag(slots[at(slot)]).is_none();
        let with_marks = |slot: Slot| (slots[at(slot)], mark(slot));
        let is_open = |predicate: Predicate, bits: u8, a: Slot, b: Slot| match is_decided(a) && is_decided(b)
        {
            true => is_open(predicate, bits, with_marks(a), with_marks(b)),
            false => mark(a) | mark(b) != 0,
        };
        let mut marks = Marks::default();
        let mut used = 0;
        // What a branch and an address depend on.
        let (mut branch, mut place) = (0, 0);
        let mut set = |slot: Slot, bits: u64| marks.slots.push((at(slot), bits));
        match op {
            Op::Move { dst, src } => set(dst, mark(src)),
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
                set(dst, arithmetic::masked(marked, bits));
            }
            Op::Wide { dst, a, b, .. } => {
                let bits = all(mark(a) | mark(a + 1) | mark(b) | mark(b + 1));
                set(dst, bits);
                set(dst + 1, bits);
            }
            Op::AddImmediate { dst, a, .. } => set(dst, upward(mark(a))),
            Op::Element { dst, base, index, .. } => set(dst, all(mark(base) | mark(index))),
            Op::FloatBinary { dst, a, b, .. } => set(dst, all(mark(a) | mark(b))),
            Op::FloatNegate { dst, a, .. } | Op::Convert { dst, a, .. } => set(dst, all(mark(a))),
            Op::Compare { predicate, bits, dst, a, b } => {
                set(dst, is_open(predicate, bits, a, b).into());
            }
            Op::CompareFloat { dst, a, b, .. } => set(dst, all(mark(a) | mark(b)) & 1),
            Op::CompareWide { dst, a, b, .. } => {
                set(dst, all(mark(a) | mark(a + 1) | mark(b) | mark(b + 1)) & 1);
            }
            Op::Truncate { dst, a, bits } => set(dst, arithmetic::masked(mark(a), bits)),
            Op::SignExtend { dst, a, from, to } => {
                let extended = arithmetic::signed(mark(a), from) as u64;
                set(dst, arithmetic::masked(extended, to));
            }
            Op::Select { dst, condition, a, b, words } => {
                // It may stand for a branch of the program, or for one that the compiler has removed.
                used |= mark(condition);
                let (from, other) = if slots[at(condition)] != 0 { (a, b) } else { (b, a) };
                for w in 0..Slot::from(words) {
                    let others = if is_decided(condition) { 0 } else { mark(other + w) };
                    set(dst + w, mark(from + w) | others);
                }
            }
            Op::Branch { condition, .. } => branch |= mark(condition),
            Op::CompareBranch { predicate, bits, a, b, .. } => {
                branch |= u64::from(is_open(predicate, bits, a, b));
            }
            Op::Switch { value, .. } => branch |= mark(value),
            Op::Load { dst, address, bits, .. } => {
                place |= mark(address);
                let size = (bits as usize).div_ceil(8);
                let found = self.find_again(slots[at(address)], size as u64);
                set(dst, found.map_or(0, |found| self.state.memory.unwritten(found.at, size)));
            }
            Op::Store { src, address, bits, .. } => {
                place |= mark(address);
                let size = (bits as usize).div_ceil(8);
                if let (marked @ 1.., Some(found)) =
                    (mark(src), self.find_again(slots[at(address)], size as u64))
                {
                    marks.bytes.push((found.at, size, marked));
                }
            }
            Op::LoadWords { dst, address, shape, .. } => {
                place |= mark(address);
                for (w, &(offset, bits)) in self.code.shapes[shape as usize].iter().enumerate() {
                    let size = (bits as usize).div_ceil(8);
                    let found = self.find_again(slots[at(address)].wrapping_add(offset), size as u64);
                    let unwritten = found.map_or(0, |found| self.state.memory.unwritten(found.at, size));
                    set(dst + w as Slot, unwritten);
                }
            }
            Op::StoreWords { src, address, shape, .. } => {
                place |= mark(address);
                for (w, &(offset, bits)) in self.code.shapes[shape as usize].iter().enumerate() {
                    let size = (bits as usize).div_ceil(8);
                    let found = self.find_again(slots[at(address)].wrapping_add(offset), size as u64);
                    if let (marked @ 1.., Some(found)) = (mark(src + w as Slot), found) {
                        marks.bytes.push((found.at, size, marked));
                    }
                }
            }
            Op::CompareExchange { dst, address, expected, new, .. } => {
                place |= mark(address);
                used |= mark(expected) | mark(new);
                set(dst, 0);
                set(dst + 1, 0);
            }
            Op::Modify { dst, address, value, .. } => {
                place |= mark(address);
                used |= mark(value);
                set(dst, 0);
            }
            Op::CompareExchangeWide { dst, address, expected, new, .. } => {
                place |= mark(address);
                let words = [expected, expected + 1, new, new + 1];
                used |= words.into_iter().fold(0, |used, word| used | mark(word));
                (0..3).for_each(|w| set(dst + w, 0));
            }
            Op::ModifyWide { dst, address, value, .. } => {
                place |= mark(address);
                used |= mark(value) | mark(value + 1);
                (0..2).for_each(|w| set(dst + w, 0));
            }
            Op::Intrinsic { which, dst, a, b, c, .. } => {
                let marked = all(mark(a) | mark(b) | mark(c));
                set(dst, marked);
                if which.has_flag() {
                    set(dst + 1, marked);
                }
            }
            Op::Alloca { dst, count, .. } => {
                used |= mark(count);
                set(dst, 0);
            }
            Op::ThreadLocal { dst, .. } => set(dst, 0),
            Op::Call { call } | Op::CallIndirect { call } | Op::Builtin { call } => {
                let call = &self.code.calls[call as usize];
                used |= self.foresee_call(call, control, slots, &mut marks);
            }
            Op::Return { value, words } => {
                marks.gone = Some(base);
                let link = |i: u32| slots[(base - super::LINK + i) as usize] as u32;
                if control.depth > 0 && link(3) != NO_SLOT && value != NO_SLOT {
                    let to = link(1) + link(3);
                    for w in 0..Slot::from(words) {
                        marks.slots.push(((to + w) as usize, mark(value + w)));
                    }
                }
            }
            Op::CompareWords { .. }
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
        if branch != 0 {
            self.depends("a branch", control.pc - 1)?;
        }
        if place != 0 {
            self.depends("an address", control.pc - 1)?;
        }
        if used != 0 {
            self.doubt(control.pc - 1);
        }
        Ok(marks)
    }

    /// Arguments of functions with bodies are copies; those of the library are used, as are those without parameters.
    fn foresee_call(&self, call: &Call, control: &Control, slots: &[u64], marks: &mut Marks) -> u64 {
        let at = |slot: Slot| if slot >= CONSTANT { slot - CONSTANT } else { control.base + slot } as usize;
        let mark = |slot: Slot| self.state.mark_of(self.thread, at(slot));
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
                            .for_each(|w| marks.parameters.push((slot + w, mark(argument.slot + w)))),
                        _ => used |= mark(argument.slot),
                    }
                }
                for argument in call.arguments.iter().skip(callee.parameters.len()) {
                    used = every(used, argument.slot, argument.words);
                }
            }
            Some(Callee::Builtin(Builtin::Nothing)) => {}
            _ => {
                for argument in &call.arguments {
                    used = every(used, argument.slot, argument.words);
                }
                if call.result != NO_SLOT {
                    marks.slots.push((at(call.result), 0));
                }
            }
        }
        used
    }

    /// Sets the marks after an instruction that was performed.
    pub fn apply(&mut self, marks: Marks, control: &Control) {
        let thread = self.thread;
        self.unwritten = 0;
        if let Some(gone) = marks.gone {
            self.state.clear_marks(thread, gone);
        }
        for (at, size, bits) in marks.bytes {
            self.state.set_unwritten(at, size, bits);
        }
        for (slot, bits) in marks.slots {
            self.state.set_mark(thread, slot, bits);
        }
        for (slot, bits) in marks.parameters {
            self.state.set_mark(thread, (control.base + slot) as usize, bits);
        }
    }
}

/// The bits of a result that depend on marked bits of the operands, each a number with its marks.
fn binary(op: BinaryOperator, bits: u8, (a, of_a): (u64, u64), (b, of_b): (u64, u64)) -> u64 {
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
