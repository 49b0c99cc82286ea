//! Numbers of addresses: where they go, and where something depends on them.
//!
//! The machine computes with the addresses of its own layout and follows what is computed from them by [marks](crate::address_numbers). To
//! store such a number, to print it or to find the way back to the address is nothing; when a branch, an access or the library
//! depends on it, the answer is in doubt: a violation that is found is one of this layout, but nothing is verified.

use super::access::Found;
use super::marks::{Marks, Source, Uses};
use super::spread::is_division;
use super::{Run, Step, arithmetic};
use crate::address_numbers::{Derived, Form, Word, shifted};
use crate::code::{CONSTANT, NO_SLOT, Op, Slot};
use crate::failure::CutReason;
use crate::memory::NULL_END;
use crate::options::Addresses;
use crate::state::{Control, State};
use selvedge_code::in_doubt;
use selvedge_llvm::instruction::{BinaryOperator, Predicate, RmwOperator};

/// The marks of numbers of addresses.
struct Numbers<'a> {
    state: &'a State,
    thread: usize,
}

impl Source<Derived> for Numbers<'_> {
    fn of_slot(&self, slot: usize) -> Derived {
        self.state.numbers().of_slot(self.thread, slot)
    }

    fn of_bytes(&self, found: &Found) -> Derived {
        self.state.number_in(found.address, found.at, found.size as usize)
    }
}

/// The outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// It is the same on every machine.
    Known(bool),
    /// It depends on the number of an address; this is the outcome in the machine's layout.
    Open(bool),
}

impl Comparison {
    /// The outcome in the machine's layout.
    pub fn holds(self) -> bool {
        let (Comparison::Known(holds) | Comparison::Open(holds)) = self;
        holds
    }
}

/// What is left to do of an instruction.
pub enum Followed {
    /// Nothing.
    Done,
    /// All of it; after that these words are marked.
    Usual(Marks<Derived>),
}

impl Run<'_> {
    /// Whether a word may be the address of an object or a function, or the handle of a thread.
    #[inline(always)]
    pub fn may_be_address(&self, word: u64) -> bool {
        word >= self.state.memory.least_number()
    }

    /// Whether the outcome of a comparison may depend on where objects lie. That of an address and null does not.
    #[inline(always)]
    pub fn may_be_addresses(&self, a: u64, b: u64) -> bool {
        a.min(b) >= NULL_END && a.max(b) >= self.state.memory.least_number()
    }

    /// Notes what is computed from an address, before an instruction that does, if no such words are followed yet.
    #[cold]
    pub fn derive(&mut self, op: Op, control: &mut Control, slots: &mut [u64]) -> Step {
        if self.options.addresses == Addresses::Fixed || self.state.has_numbers() {
            return Ok(());
        }
        if let Followed::Usual(marks) = self.follow(op, control, slots)? {
            self.apply_numbers(marks, control);
        }
        Ok(())
    }

    /// Notes that something depends on the number of an address.
    pub fn depend_on_number(&mut self, pc: u32) {
        if self.options.addresses != Addresses::Fixed {
            self.doubt(CutReason::AddressNumber, pc);
        }
    }

    /// Sets the marks after an instruction that was performed.
    pub fn apply_numbers(&mut self, marks: Marks<Derived>, control: &Control) {
        let thread = self.thread;
        self.state.with_numbers(|numbers| {
            if let Some(gone) = marks.gone {
                numbers.clear_slots(thread, gone);
            }
            for (found, mark) in marks.bytes {
                numbers.set_bytes(found.address, found.size as u8, mark);
            }
            for (slot, mark) in marks.slots {
                numbers.set_slot(thread, slot, mark);
            }
            for (slot, mark) in marks.parameters {
                numbers.set_slot(thread, (control.base + slot) as usize, mark);
            }
        });
    }

    /// A word in a slot.
    fn followed_word(&self, slots: &[u64], at: usize) -> Word {
        let mark = self.state.numbers().of_slot(self.thread, at);
        match mark.bits {
            0 => Word::plain(slots[at], &self.state.memory),
            _ => Word { number: slots[at], mark },
        }
    }

    /// A word in memory.
    fn followed_bytes(&self, found: &Found) -> Word {
        let number = self.state.memory.load(found.at, found.size as usize);
        let mark = self.state.number_in(found.address, found.at, found.size as usize);
        match mark.bits {
            0 => Word::plain(number, &self.state.memory),
            _ => Word { number, mark },
        }
    }

    /// What will be marked after an instruction on numbers of addresses. What depends on one now is noted.
    pub fn follow(&mut self, op: Op, control: &mut Control, slots: &mut [u64]) -> Step<Followed> {
        let base = control.base;
        let at = |slot: Slot| if slot >= CONSTANT { slot - CONSTANT } else { base + slot } as usize;
        let is_marked = |run: &Self, slot: Slot| run.state.numbers().of_slot(run.thread, at(slot)).bits != 0;
        let mut marks = Marks::default();
        match op.generic() {
            Op::Binary { op, bits, dst, a, b } | Op::Checked { op, bits, dst, a, b } => {
                let (a, b) = (self.followed_word(slots, at(a)), self.followed_word(slots, at(b)));
                marks.uses.other = is_division(op) && !b.is_known();
                marks.slots.push((at(dst), self.computed(op, bits, &a, &b)));
            }
            Op::Truncate { dst, a, bits } => {
                let word = self.followed_word(slots, at(a));
                marks.slots.push((at(dst), self.truncated(&word, bits)));
            }
            Op::AddImmediate { dst, a, amount } if is_marked(self, a) => {
                let (word, amount) = (self.followed_word(slots, at(a)), Word::known(amount as u64));
                marks.slots.push((at(dst), self.sum(&word, &amount, 1)));
            }
            Op::Element { dst, base, index, scale, bits }
                if is_marked(self, base) || is_marked(self, index) =>
            {
                let (base, mut index) =
                    (self.followed_word(slots, at(base)), self.followed_word(slots, at(index)));
                if index.is_known() {
                    index.number = arithmetic::signed(index.number, bits) as u64;
                }
                marks.slots.push((at(dst), self.sum(&base, &index, u64::from(scale))));
            }
            Op::Compare { predicate, bits, dst, a, b } if is_marked(self, a) || is_marked(self, b) => {
                let (a, b) = (self.followed_word(slots, at(a)), self.followed_word(slots, at(b)));
                let outcome = self.compare_followed(predicate, bits, &a, &b);
                slots[at(dst)] = u64::from(outcome.holds());
                self.mark_comparison(outcome, at(dst));
                return Ok(Followed::Done);
            }
            Op::CompareBranch { predicate, bits, a, b, then, otherwise }
                if is_marked(self, a) || is_marked(self, b) =>
            {
                let (a, b) = (self.followed_word(slots, at(a)), self.followed_word(slots, at(b)));
                let outcome = self.compare_followed(predicate, bits, &a, &b);
                if let Comparison::Open(_) = outcome {
                    self.depend_on_number(control.pc - 1);
                }
                control.pc = if outcome.holds() { then } else { otherwise };
                return Ok(Followed::Done);
            }
            // The marks of a comparison of whole addresses are set by the comparison itself.
            Op::Compare { .. } | Op::CompareBranch { .. } => {
                if let Op::Compare { dst, .. } = op.generic() {
                    self.mark_comparison(Comparison::Known(true), at(dst));
                }
            }
            Op::Switch { value, .. } => marks.uses.branch = !self.followed_word(slots, at(value)).is_known(),
            Op::Convert { dst, a, .. } => {
                let bits = self.followed_word(slots, at(a)).mark.bits;
                marks.slots.push((at(dst), Derived::opaque(in_doubt::all(bits))));
            }
            Op::Intrinsic { which, bits, dst, a, b, c } => {
                let used = [a, b, c].into_iter().filter(|slot| *slot != NO_SLOT);
                let unknown =
                    used.fold(0, |unknown, slot| unknown | self.followed_word(slots, at(slot)).mark.bits);
                let mark = Derived::opaque(arithmetic::masked(in_doubt::all(unknown), bits));
                if which.has_flag() {
                    marks.slots.push((at(dst) + 1, mark.clone()));
                }
                marks.slots.push((at(dst), mark));
            }
            Op::Wide { dst, a, b, .. } => {
                let words = [at(a), at(a) + 1, at(b), at(b) + 1];
                let unknown =
                    words.iter().fold(0, |unknown, at| unknown | self.followed_word(slots, *at).mark.bits);
                let mark = Derived::opaque(in_doubt::all(unknown));
                marks.slots.extend([(at(dst), mark.clone()), (at(dst) + 1, mark)]);
            }
            Op::CompareWide { predicate, dst, a, b } => {
                let is_known = self.compare_pair(predicate, slots, at(a), at(b));
                marks.slots.push((at(dst), Derived::opaque(u64::from(!is_known))));
            }
            Op::CompareExchange { dst, address, expected, new, bits, .. } => {
                marks.uses.address |= is_marked(self, address);
                let (expected, new) =
                    (self.followed_word(slots, at(expected)), self.followed_word(slots, at(new)));
                let address = slots[at(address)];
                self.exchanged(&mut marks, at(dst), address, &expected, &new, bits);
            }
            Op::Modify { op, dst, address, value, bits, .. } => {
                marks.uses.address |= is_marked(self, address);
                let value = self.followed_word(slots, at(value));
                self.modified(&mut marks, op, at(dst), slots[at(address)], &value, bits);
            }
            op => {
                let source = Numbers { state: self.state, thread: self.thread };
                marks = self.spread(op, control, slots, &source);
                // Nobody looks at what is printed.
                if let Op::Builtin { call } = op
                    && self.code.calls[call as usize].is_only_output()
                {
                    marks.uses = Uses::default();
                }
            }
        }
        if marks.uses.any() {
            self.depend_on_number(control.pc - 1);
        }
        Ok(Followed::Usual(marks))
    }

    /// Notes whether the outcome of a comparison, which is in a slot, depends on the number of an address.
    pub fn mark_comparison(&mut self, outcome: Comparison, slot: usize) {
        let bits =
            u64::from(matches!(outcome, Comparison::Open(_)) && self.options.addresses != Addresses::Fixed);
        if bits != 0 || self.state.has_numbers() {
            let thread = self.thread;
            self.state.with_numbers(|numbers| numbers.set_slot(thread, slot, Derived::opaque(bits)));
        }
    }

    fn sum(&self, a: &Word, b: &Word, factor: u64) -> Derived {
        let memory = &self.state.memory;
        match a.plus(b, factor, memory) {
            Some(sum) => sum.remembered(memory),
            None => Derived::opaque(in_doubt::upward(
                a.mark.bits | in_doubt::upward(b.mark.bits).wrapping_mul(factor),
            )),
        }
    }

    /// The mark of a result.
    fn computed(&self, op: BinaryOperator, bits: u8, a: &Word, b: &Word) -> Derived {
        let memory = &self.state.memory;
        if a.is_known() && b.is_known() {
            return Derived::KNOWN;
        }
        if b.is_known() && b.number.is_power_of_two() {
            // Division by a power of two moves bits, and the rest of it keeps some.
            let with = |op, number| self.computed(op, bits, a, &Word::known(number));
            match op {
                BinaryOperator::URem => return with(BinaryOperator::And, b.number - 1),
                BinaryOperator::UDiv => {
                    return with(BinaryOperator::LShr, u64::from(b.number.trailing_zeros()));
                }
                _ => {}
            }
        }
        let is_whole = usize::from(bits) == 8 * memory.model().pointer_bytes();
        let exact = match op {
            _ if !is_whole => None,
            BinaryOperator::Add => a.plus(b, 1, memory),
            BinaryOperator::Sub => a.plus(b, u64::MAX, memory),
            BinaryOperator::Xor => a.xor(b, memory),
            _ => None,
        };
        if let Some(mut exact) = exact {
            exact.mark.bits = arithmetic::masked(exact.mark.bits, bits);
            exact.number = arithmetic::masked(exact.number, bits);
            return exact.remembered(memory);
        }
        let result = in_doubt::binary(op, bits, a.doubtful(), b.doubtful());
        let limit = match op {
            BinaryOperator::URem if b.is_known() => {
                b.number.checked_next_power_of_two().unwrap_or(0).wrapping_sub(1)
            }
            _ => u64::MAX,
        };
        let mark = Derived { bits: result.mark & limit, form: field_of(op, a, b) };
        Word { number: result.number, mark }.remembered(memory)
    }

    fn truncated(&self, word: &Word, bits: u8) -> Derived {
        let unknown = arithmetic::masked(word.mark.bits, bits);
        let form = match &word.mark.form {
            form @ Form::Field(..) => form.clone(),
            form if unknown == word.mark.bits => form.clone(),
            _ => Form::Opaque,
        };
        let number = arithmetic::masked(word.number, bits);
        Word { number, mark: Derived { bits: unknown, form } }.remembered(&self.state.memory)
    }

    fn exchanged(
        &mut self,
        marks: &mut Marks<Derived>,
        dst: usize,
        address: u64,
        expected: &Word,
        new: &Word,
        bits: u8,
    ) {
        let size = usize::from(bits).div_ceil(8);
        let Some(found) = self.find_again(address, size as u64) else { return };
        let old = self.followed_bytes(&found);
        let is_plain = |run: &Self, word: &Word| word.remembered(&run.state.memory).bits == 0;
        // Two whole addresses are compared as usual.
        let are_addresses = !old.is_known() && !expected.is_known();
        let outcome = match are_addresses && is_plain(self, &old) && is_plain(self, expected) {
            true => Comparison::Known(old.number == expected.number),
            false => self.compare_followed(Predicate::Eq, bits, &old, expected),
        };
        marks.uses.other |= matches!(outcome, Comparison::Open(_));
        marks.slots.push((dst, old.remembered(&self.state.memory)));
        marks.slots.push((dst + 1, Derived::KNOWN));
        let mark = new.remembered(&self.state.memory);
        if outcome.holds() && mark.bits != 0 {
            marks.bytes.push((found, mark));
        }
    }

    fn modified(
        &mut self,
        marks: &mut Marks<Derived>,
        op: RmwOperator,
        dst: usize,
        address: u64,
        value: &Word,
        bits: u8,
    ) {
        let size = usize::from(bits).div_ceil(8);
        let Some(found) = self.find_again(address, size as u64) else { return };
        let old = self.followed_bytes(&found);
        let operator = match op {
            RmwOperator::Add => Some(BinaryOperator::Add),
            RmwOperator::Sub => Some(BinaryOperator::Sub),
            RmwOperator::And => Some(BinaryOperator::And),
            RmwOperator::Or => Some(BinaryOperator::Or),
            RmwOperator::Xor => Some(BinaryOperator::Xor),
            _ => None,
        };
        let mark = match (op, operator) {
            (RmwOperator::Xchg, _) => value.remembered(&self.state.memory),
            (_, Some(operator)) => self.computed(operator, bits, &old, value),
            _ => {
                marks.uses.other |= !old.is_known() || !value.is_known();
                Derived::KNOWN
            }
        };
        marks.slots.push((dst, old.remembered(&self.state.memory)));
        if mark.bits != 0 {
            marks.bytes.push((found, mark));
        }
    }

    /// Whether the outcome of a comparison of words of 128 bits is the same on every machine.
    fn compare_pair(&mut self, predicate: Predicate, slots: &[u64], a: usize, b: usize) -> bool {
        let is_equality = matches!(predicate, Predicate::Eq | Predicate::Ne);
        let mut is_known = true;
        for i in 0..2 {
            let (a, b) = (self.followed_word(slots, a + i), self.followed_word(slots, b + i));
            let outcome = self.compare_followed(Predicate::Eq, 64, &a, &b);
            // One half that differs for certain decides.
            if is_equality && outcome == Comparison::Known(false) {
                return true;
            }
            let is_same = a == b || a.is_known() && b.is_known();
            is_known &= if is_equality { matches!(outcome, Comparison::Known(_)) } else { is_same };
        }
        is_known
    }

    /// The outcome of a comparison of words of which one is no whole address.
    fn compare_followed(&mut self, predicate: Predicate, bits: u8, a: &Word, b: &Word) -> Comparison {
        let in_layout = arithmetic::compare(predicate, bits, a.number, b.number);
        if a.is_known() && b.is_known() || a == b {
            return Comparison::Known(in_layout);
        }
        let is_equality = matches!(predicate, Predicate::Eq | Predicate::Ne);
        match is_equality {
            true => match self.are_equal(a, b) {
                Some(equal) => Comparison::Known(equal == (predicate == Predicate::Eq)),
                None => Comparison::Open(in_layout),
            },
            false => match decided_by_range(predicate, bits, a, b) {
                true => Comparison::Known(in_layout),
                false => Comparison::Open(in_layout),
            },
        }
    }

    /// Whether two words are equal, if that is the same on every machine.
    fn are_equal(&mut self, a: &Word, b: &Word) -> Option<bool> {
        let memory = &self.state.memory;
        let is_null = |word: &Word| word.is_known() && word.number < NULL_END;
        if is_null(a) && b.whole(memory).is_some() || is_null(b) && a.whole(memory).is_some() {
            return Some(false);
        }
        if (a.number ^ b.number) & !(a.mark.bits | b.mark.bits) != 0 {
            return Some(false);
        }
        if let Some(difference) = a.plus(b, u64::MAX, memory).filter(Word::is_known) {
            return Some(difference.number == 0);
        }
        if let (Some(x), Some(y)) = (a.factors(memory), b.factors(memory))
            && let Some(difference) = a.xor(b, memory)
        {
            return match (difference.is_known(), &x[..], &y[..]) {
                (true, ..) => Some(difference.number == 0),
                (false, &[x], &[y]) => self.are_equal_addresses(x, y),
                _ => None,
            };
        }
        let (Form::Field(x, shift), Form::Field(y, other)) = (&a.mark.form, &b.mark.form) else {
            return None;
        };
        let (x, y) = (*x, *y);
        let places = |address: u64| {
            let bits = memory.unknown_bits(address);
            if *shift >= 0 {
                bits.checked_shl(*shift as u32)
            } else {
                bits.checked_shr(u32::from(shift.unsigned_abs()))
            }
        };
        if shift != other || a.mark.bits != b.mark.bits {
            return None;
        }
        if x == y {
            return Some(true);
        }
        match places(x) == Some(a.mark.bits) && places(y) == Some(b.mark.bits) {
            true => self.are_equal_addresses(x, y),
            false => None,
        }
    }

    /// Whether two addresses are equal in the bits that differ from machine to machine, if that is the same on all of them.
    fn are_equal_addresses(&mut self, x: u64, y: u64) -> Option<bool> {
        self.note_comparison(x, y);
        let memory = &self.state.memory;
        let unknown = memory.unknown_bits(x) | memory.unknown_bits(y);
        match self.is_at_end_of_another(x, y) {
            true => None,
            false => Some((x ^ y) & unknown == 0),
        }
    }
}

/// The form of the result of an operator that moves bits of one address, or puts them together.
fn field_of(op: BinaryOperator, a: &Word, b: &Word) -> Form {
    let places = |shift: u64| i32::try_from(shift).unwrap_or(i32::MAX / 2);
    let may_be_set = |word: &Word| word.number | word.mark.bits;
    match op {
        BinaryOperator::Shl if b.is_known() => shifted(a.mark.form.clone(), places(b.number)),
        BinaryOperator::LShr if b.is_known() => shifted(a.mark.form.clone(), -places(b.number)),
        BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Xor => same_field(a, b),
        BinaryOperator::Add if may_be_set(a) & may_be_set(b) == 0 => same_field(a, b),
        // What is taken off are bits that are known to be set.
        BinaryOperator::Sub if b.is_known() && b.number & (a.mark.bits | !a.number) == 0 => same_field(a, b),
        _ => Form::Opaque,
    }
}

/// The field of which two words have bits; a number has none.
fn same_field(a: &Word, b: &Word) -> Form {
    match (&a.mark.form, &b.mark.form) {
        (form @ Form::Field(..), _) if b.is_known() => form.clone(),
        (_, form @ Form::Field(..)) if a.is_known() => form.clone(),
        (form @ Form::Field(..), other) if form == other => form.clone(),
        _ => Form::Opaque,
    }
}

/// Whether the bits that are known decide which of two words is less.
fn decided_by_range(predicate: Predicate, bits: u8, a: &Word, b: &Word) -> bool {
    let sign = 1u64 << (bits - 1);
    let is_signed = matches!(predicate, Predicate::Sgt | Predicate::Sge | Predicate::Slt | Predicate::Sle);
    if is_signed && (a.mark.bits | b.mark.bits) & sign != 0 {
        return false;
    }
    let flip = |number: u64| if is_signed { number ^ sign } else { number };
    let least = |word: &Word| flip(word.number & !word.mark.bits);
    let most = |word: &Word| flip(word.number | word.mark.bits);
    match predicate {
        Predicate::Ult | Predicate::Slt | Predicate::Uge | Predicate::Sge => {
            most(a) < least(b) || least(a) >= most(b)
        }
        _ => most(a) <= least(b) || least(a) > most(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(number: u64, bits: u64) -> Word {
        Word { number, mark: Derived::opaque(bits) }
    }

    #[test]
    fn a_number_below_a_limit_whatever_its_unknown_bits_is_decided() {
        assert!(decided_by_range(Predicate::Ult, 64, &word(3, 7), &Word::known(8)));
        assert!(!decided_by_range(Predicate::Ult, 64, &word(3, 7), &Word::known(7)));
        assert!(decided_by_range(Predicate::Ule, 64, &word(3, 7), &Word::known(7)));
        assert!(decided_by_range(Predicate::Sgt, 32, &word(3, 7), &Word::known(0xffff_ffff)));
    }
}
