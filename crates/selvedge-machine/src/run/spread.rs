//! How marks of words spread by instructions.
//!
//! Copies copy marks as they are; what is computed has a mark by its bits alone, as the domain of words with bits
//! [in doubt](selvedge_code::in_doubt) says, so that fields of a few bits and the padding of structures raise no doubts.

use super::Run;
use super::marks::{Mark, Marks, Source, Uses};
use crate::code::{CONSTANT, Call, Callee, NO_SLOT, Op, Slot};
use crate::state::Control;
use selvedge_code::domain::{self, Domain};
use selvedge_code::in_doubt::{self, Doubtful, InDoubt, all};
use selvedge_llvm::instruction::{BinaryOperator, Predicate};

impl Run<'_> {
    /// What will be marked after an instruction.
    pub fn spread<M: Mark>(
        &self,
        op: Op,
        control: &Control,
        slots: &[u64],
        source: &impl Source<M>,
    ) -> Marks<M> {
        let marks = Marks::default();
        let mut spread =
            Spread { run: self, base: control.base, slots, source, marks, branch: 0, place: 0, other: 0 };
        spread.instruction(op.generic(), control.depth);
        let Spread { mut marks, branch, place, other, .. } = spread;
        marks.uses = Uses { branch: branch != 0, address: place != 0, other: other != 0 };
        marks
    }
}

/// The marks after an instruction, in the making.
struct Spread<'a, 'r, M, S> {
    run: &'a Run<'r>,
    base: u32,
    slots: &'a [u64],
    source: &'a S,
    marks: Marks<M>,
    /// Marked bits on which a branch depends.
    branch: u64,
    /// Marked bits on which an address depends.
    place: u64,
    /// Marked bits on which something else depends.
    other: u64,
}

impl<M: Mark, S: Source<M>> Spread<'_, '_, M, S> {
    fn at(&self, slot: Slot) -> usize {
        (if slot >= CONSTANT { slot - CONSTANT } else { self.base + slot }) as usize
    }

    fn copy(&self, slot: Slot) -> M {
        self.source.of_slot(self.at(slot))
    }

    fn mark(&self, slot: Slot) -> u64 {
        if slot == NO_SLOT { 0 } else { self.copy(slot).bits() }
    }

    /// The marks of some words in a row.
    fn marks_from(&self, slot: Slot, words: u16) -> u64 {
        (0..Slot::from(words)).fold(0, |marks, word| marks | self.mark(slot + word))
    }

    fn give(&mut self, slot: Slot, mark: M) {
        let at = self.at(slot);
        self.marks.slots.push((at, mark));
    }

    fn give_bits(&mut self, slot: Slot, bits: u64) {
        self.give(slot, M::of_bits(bits));
    }

    fn word(&self, slot: Slot) -> Doubtful {
        Doubtful { number: self.slots[self.at(slot)], mark: self.mark(slot) }
    }

    /// Whether a word is the number itself, and not the tag of an input that is not decided yet.
    fn is_decided(&self, slot: Slot) -> bool {
        self.run.state.symbols().tag(self.slots[self.at(slot)]).is_none()
    }

    /// Whether a comparison depends on marked bits.
    fn is_open(&self, predicate: Predicate, bits: u8, a: Slot, b: Slot) -> bool {
        match self.is_decided(a) && self.is_decided(b) {
            true => in_doubt::compare(predicate, bits, self.word(a), self.word(b)).is_open,
            false => self.mark(a) | self.mark(b) != 0,
        }
    }

    fn instruction(&mut self, op: Op, depth: u32) {
        match op {
            Op::Binary { .. }
            | Op::Checked { .. }
            | Op::Wide { .. }
            | Op::AddImmediate { .. }
            | Op::Element { .. }
            | Op::Compare { .. }
            | Op::CompareWide { .. }
            | Op::Truncate { .. }
            | Op::SignExtend { .. }
            | Op::Intrinsic { .. } => self.integers(op),
            Op::FloatBinary { .. }
            | Op::FloatNegate { .. }
            | Op::Convert { .. }
            | Op::CompareFloat { .. } => self.floats(op),
            Op::Load { .. } | Op::Store { .. } | Op::LoadWords { .. } | Op::StoreWords { .. } => {
                self.accesses(op);
            }
            Op::CompareExchange { .. }
            | Op::Modify { .. }
            | Op::CompareExchangeWide { .. }
            | Op::ModifyWide { .. } => self.atomics(op),
            op => self.others(op, depth),
        }
    }

    /// Operations on words.
    fn integers(&mut self, op: Op) {
        match op {
            Op::Binary { op, bits, dst, a, b } | Op::Checked { op, bits, dst, a, b } => {
                if is_division(op) {
                    self.other |= self.mark(b);
                }
                let marked = match self.is_decided(a) && self.is_decided(b) {
                    true => in_doubt::binary(op, bits, self.word(a), self.word(b)).mark,
                    false => InDoubt.low(Doubtful::unknown(all(self.mark(a) | self.mark(b))), bits).mark,
                };
                self.give_bits(dst, marked);
            }
            Op::Wide { dst, a, b, .. } => {
                let bits = all(self.marks_from(a, 2) | self.marks_from(b, 2));
                self.give_bits(dst, bits);
                self.give_bits(dst + 1, bits);
            }
            Op::AddImmediate { dst, a, amount } => {
                let amount = InDoubt.number(amount as u64);
                let sum = InDoubt.add(self.word(a), amount);
                self.give_bits(dst, sum.mark);
            }
            Op::Element { dst, base, index, scale, bits } => {
                let address = domain::element(&mut InDoubt, self.word(base), self.word(index), scale, bits);
                self.give_bits(dst, address.mark);
            }
            Op::Compare { predicate, bits, dst, a, b } => {
                let is_open = self.is_open(predicate, bits, a, b);
                self.give_bits(dst, is_open.into());
            }
            Op::CompareWide { dst, a, b, .. } => {
                self.give_bits(dst, all(self.marks_from(a, 2) | self.marks_from(b, 2)) & 1);
            }
            Op::Truncate { dst, a, bits } => {
                let low = InDoubt.low(self.word(a), bits);
                self.give_bits(dst, low.mark);
            }
            Op::SignExtend { dst, a, from, to } => {
                let extended = domain::sign_extend(&mut InDoubt, self.word(a), from, to);
                self.give_bits(dst, extended.mark);
            }
            Op::Intrinsic { which, dst, a, b, c, .. } => {
                let marked = all(self.mark(a) | self.mark(b) | self.mark(c));
                self.give_bits(dst, marked);
                if which.has_flag() {
                    self.give_bits(dst + 1, marked);
                }
            }
            _ => {}
        }
    }

    /// Operations on floating-point numbers: all of the result depends on every bit.
    fn floats(&mut self, op: Op) {
        match op {
            Op::FloatBinary { dst, a, b, .. } => self.give_bits(dst, all(self.mark(a) | self.mark(b))),
            Op::FloatNegate { dst, a, .. } | Op::Convert { dst, a, .. } => {
                self.give_bits(dst, all(self.mark(a)));
            }
            Op::CompareFloat { dst, a, b, .. } => {
                self.give_bits(dst, all(self.mark(a) | self.mark(b)) & 1);
            }
            _ => {}
        }
    }

    /// The mark of at most 8 bytes in memory.
    fn held(&self, address: u64, size: usize) -> M {
        let found = self.run.find_again(address, size as u64);
        found.map_or(M::of_bits(0), |found| self.source.of_bytes(&found))
    }

    fn store(&mut self, src: Slot, address: u64, bits: u8) {
        let size = u64::from(bits).div_ceil(8);
        if let (1.., Some(found)) = (self.mark(src), self.run.find_again(address, size)) {
            self.marks.bytes.push((found, self.copy(src)));
        }
    }

    fn accesses(&mut self, op: Op) {
        match op {
            Op::Load { dst, address, bits, .. } => {
                self.place |= self.mark(address);
                let held = self.held(self.slots[self.at(address)], (bits as usize).div_ceil(8));
                self.give(dst, held);
            }
            Op::Store { src, address, bits, .. } => {
                self.place |= self.mark(address);
                self.store(src, self.slots[self.at(address)], bits);
            }
            Op::LoadWords { dst, address, shape, .. } => {
                self.place |= self.mark(address);
                let place = self.slots[self.at(address)];
                for (w, &(offset, bits)) in self.run.code.shapes[shape as usize].iter().enumerate() {
                    let held = self.held(place.wrapping_add(offset), (bits as usize).div_ceil(8));
                    self.give(dst + w as Slot, held);
                }
            }
            Op::StoreWords { src, address, shape, .. } => {
                self.place |= self.mark(address);
                let place = self.slots[self.at(address)];
                for (w, &(offset, bits)) in self.run.code.shapes[shape as usize].iter().enumerate() {
                    self.store(src + w as Slot, place.wrapping_add(offset), bits);
                }
            }
            _ => {}
        }
    }

    /// Atomic operations depend on all of their operands, and their results are decided by that.
    fn atomics(&mut self, op: Op) {
        let (dst, results, address, operands) = match op {
            Op::CompareExchange { dst, address, expected, new, .. } => {
                (dst, 2, address, self.mark(expected) | self.mark(new))
            }
            Op::Modify { dst, address, value, .. } => (dst, 1, address, self.mark(value)),
            Op::CompareExchangeWide { dst, address, expected, new, .. } => {
                (dst, 3, address, self.marks_from(expected, 2) | self.marks_from(new, 2))
            }
            Op::ModifyWide { dst, address, value, .. } => (dst, 2, address, self.marks_from(value, 2)),
            _ => return,
        };
        self.place |= self.mark(address);
        self.other |= operands;
        (0..results).for_each(|word| self.give_bits(dst + word, 0));
    }

    /// Copies, branches, calls.
    fn others(&mut self, op: Op, depth: u32) {
        match op {
            Op::Move { dst, src } => self.give(dst, self.copy(src)),
            Op::Select { dst, condition, a, b, words } => self.select(dst, condition, a, b, words),
            Op::Branch { condition, .. } => self.branch |= self.mark(condition),
            Op::CompareBranch { predicate, bits, a, b, .. } => {
                self.branch |= u64::from(self.is_open(predicate, bits, a, b));
            }
            Op::Switch { value, .. } => self.branch |= self.mark(value),
            Op::Alloca { dst, count, .. } => {
                self.other |= self.mark(count);
                self.give_bits(dst, 0);
            }
            Op::ThreadLocal { dst, .. } => self.give_bits(dst, 0),
            Op::Call { call } | Op::CallIndirect { call } | Op::Builtin { call } => {
                self.call(&self.run.code.calls[call as usize]);
            }
            Op::Return { value, words } => self.leave(value, words, depth),
            _ => {}
        }
    }

    fn select(&mut self, dst: Slot, condition: Slot, a: Slot, b: Slot, words: u16) {
        // It may stand for a branch of the program, or for one that the compiler has removed.
        self.other |= self.mark(condition);
        let (from, other) = if self.slots[self.at(condition)] != 0 { (a, b) } else { (b, a) };
        for w in 0..Slot::from(words) {
            let others = if self.is_decided(condition) { 0 } else { self.mark(other + w) };
            let taken = self.copy(from + w);
            let mark = if others == 0 { taken } else { M::of_bits(taken.bits() | others) };
            self.give(dst + w, mark);
        }
    }

    fn leave(&mut self, value: Slot, words: u16, depth: u32) {
        self.marks.gone = Some(self.base);
        let link = |i: u32| self.slots[(self.base - super::LINK + i) as usize] as u32;
        if depth > 0 && link(3) != NO_SLOT && value != NO_SLOT {
            let to = link(1) + link(3);
            for w in 0..Slot::from(words) {
                self.marks.slots.push(((to + w) as usize, self.copy(value + w)));
            }
        }
    }

    /// Arguments of functions with bodies are copies; those of the library are used, as are those without parameters.
    fn call(&mut self, call: &Call) {
        let code = self.run.code;
        let callee = match call.callee {
            Callee::Address(slot) => {
                self.other |= self.mark(slot);
                code.function_addresses.get(&self.slots[self.at(slot)]).copied()
            }
            callee => Some(callee),
        };
        let mut used = call.arguments.iter();
        match callee {
            Some(Callee::Function(function)) => {
                let callee = &code.functions[function as usize];
                for (argument, &(slot, words)) in used.by_ref().zip(&callee.parameters) {
                    match argument.copied {
                        0 => (0..Slot::from(words.min(argument.words))).for_each(|w| {
                            let mark = self.copy(argument.slot + w);
                            self.marks.parameters.push((slot + w, mark));
                        }),
                        _ => self.other |= self.mark(argument.slot),
                    }
                }
                used = call.arguments.get(callee.parameters.len()..).unwrap_or_default().iter();
            }
            Some(Callee::Builtin(builtin)) if builtin.is_nothing() => return,
            _ if call.result != NO_SLOT => self.give_bits(call.result, 0),
            _ => {}
        }
        used.for_each(|argument| self.other |= self.marks_from(argument.slot, argument.words));
    }
}

/// Whether an operator has no result for some divisors.
pub fn is_division(op: BinaryOperator) -> bool {
    use BinaryOperator::{SDiv, SRem, UDiv, URem};
    matches!(op, UDiv | SDiv | URem | SRem)
}
