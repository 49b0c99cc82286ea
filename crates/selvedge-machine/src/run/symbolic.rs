//! Instructions on values that are not decided yet.

use super::{Run, Step, arithmetic};
use crate::builtin::Builtin;
use crate::code::{CONSTANT, Callee, Op, Pc, Slot};
use crate::failure::{CutReason, FailureKind};
use crate::memory::{Kind, Sharing};
use crate::options::Inputs;
use crate::state::Control;
use crate::symbols::{Sum, Symbol, Tag, Values, Widening};
use selvedge_llvm::instruction::{BinaryOperator, Predicate};
use selvedge_trace::AccessKind;
use std::collections::BTreeMap;

/// The most values that are tried one by one.
const MOST_VALUES: u64 = 1024;

/// What to do with an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// It was done.
    Done,
    /// It can be done as usual.
    Usual,
}

/// Which arguments a function needs to take on all values of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Enough {
    /// All that there are.
    All,
    /// Any in a row with so much between the first and the last: the function is periodic.
    Run(u64),
    /// It is not known to take on all of them.
    Never,
}

impl Run<'_> {
    /// A new value of so many bits.
    pub fn new_symbol(&mut self, bits: u8) -> Step<u64> {
        self.new_symbol_within(arithmetic::masked(u64::MAX, bits), bits)
    }

    /// A new value of so many bits, from 0 to a limit.
    pub fn new_symbol_within(&mut self, top: u64, bits: u8) -> Step<u64> {
        Ok(self.add_symbol(Values::range(0, top), bits)?.word())
    }

    fn add_symbol(&mut self, values: Values, bits: u8) -> Step<Tag> {
        let id = self.create(8, Kind::Library)?;
        let address = self.state.memory.object(id).base;
        let symbol = Symbol { values, bits, used_up: false, address, sum: None };
        Ok(self.state.with_symbols(|symbols| symbols.add(symbol)))
    }

    /// Looks at a symbol, or changes what it may be. Others that know it may see that.
    fn use_symbol(&mut self, symbol: u32, kind: AccessKind) -> Step {
        let found = self.find(self.state.symbols().get(symbol).address, 8)?;
        if found.visible {
            self.vary();
            self.note_hidden();
            self.note(&found, kind);
        }
        Ok(())
    }

    /// Treats an instruction if one of its operands is not decided.
    pub fn symbolic(&mut self, op: Op, control: &mut Control, slots: &mut [u64]) -> Step<Treatment> {
        let base = control.base;
        let at = |slot: Slot| if slot >= CONSTANT { slot - CONSTANT } else { base + slot } as usize;
        match op.generic() {
            // Copies copy tags, too.
            Op::Move { .. } | Op::Jump { .. } | Op::Return { .. } | Op::Call { .. } | Op::LoopHead { .. } => {
                Ok(Treatment::Usual)
            }
            Op::Store { src, address, bits, .. } => {
                self.decide_word(slots, at(address))?;
                match self.tag_at(slots, at(src)) {
                    // A value that was widened is kept as it is; it can be read again as a whole.
                    Some(tag) if self.state.symbols().get(tag.symbol).bits > bits => {
                        self.decide_word(slots, at(src))?;
                    }
                    _ => {}
                }
                Ok(Treatment::Usual)
            }
            Op::Load { address, .. } => {
                self.decide_word(slots, at(address))?;
                Ok(Treatment::Usual)
            }
            Op::Compare { predicate, bits, dst, a, b } => {
                match self.compare_tags(predicate, bits, slots[at(a)], slots[at(b)])? {
                    Some(outcome) => {
                        slots[at(dst)] = u64::from(outcome);
                        Ok(Treatment::Done)
                    }
                    None => self.decided(slots, &[at(a), at(b)]),
                }
            }
            Op::CompareBranch { predicate, bits, a, b, then, otherwise } => {
                match self.compare_tags(predicate, bits, slots[at(a)], slots[at(b)])? {
                    Some(outcome) => {
                        control.pc = if outcome { then } else { otherwise };
                        Ok(Treatment::Done)
                    }
                    None => self.decided(slots, &[at(a), at(b)]),
                }
            }
            Op::SignExtend { dst, a, from, to } => {
                let Some(tag) = self.tag_at(slots, at(a)) else { return Ok(Treatment::Usual) };
                if self.state.symbols().get(tag.symbol).bits != from {
                    return self.decided(slots, &[at(a)]);
                }
                slots[at(dst)] = Tag { widening: Widening::Sign(to), ..tag }.word();
                Ok(Treatment::Done)
            }
            Op::Truncate { dst, a, bits } => {
                let Some(tag) = self.tag_at(slots, at(a)) else { return Ok(Treatment::Usual) };
                let symbol = self.state.symbols().state(tag.symbol);
                if symbol.bits <= bits && tag.widening == Widening::Zeros || symbol.bits == bits {
                    slots[at(dst)] = Tag { widening: Widening::Zeros, ..tag }.word();
                    return Ok(Treatment::Done);
                }
                let top = arithmetic::masked(u64::MAX, bits);
                let enough = if symbol.bits > bits { Enough::Run(top) } else { Enough::Never };
                self.compute(slots, at(dst), at(a), enough, Values::range(0, top), bits)
            }
            Op::Binary { op, bits, dst, a, b } => {
                self.symbolic_binary(op, bits, slots, at(dst), at(a), at(b))
            }
            Op::AddImmediate { a, .. } | Op::FloatNegate { a, .. } | Op::Convert { a, .. } => {
                self.decided(slots, &[at(a)])
            }
            Op::Wide { a, b, .. } | Op::CompareWide { a, b, .. } => {
                self.decided(slots, &[at(a), at(a) + 1, at(b), at(b) + 1])
            }
            Op::Checked { op, bits, dst, a, b } => {
                self.symbolic_checked(op, bits, slots, at(dst), at(a), at(b))
            }
            Op::FloatBinary { a, b, .. } | Op::CompareFloat { a, b, .. } => {
                self.decided(slots, &[at(a), at(b)])
            }
            Op::Element { base, index, .. } => self.decided(slots, &[at(base), at(index)]),
            Op::Select { condition, .. } | Op::Branch { condition, .. } => {
                self.decided(slots, &[at(condition)])
            }
            Op::Switch { value, table } => match self.tag_at(slots, at(value)) {
                Some(tag) => match self.switch_on(tag, table)? {
                    Some(to) => {
                        control.pc = to;
                        Ok(Treatment::Done)
                    }
                    None => self.decided(slots, &[at(value)]),
                },
                None => Ok(Treatment::Usual),
            },
            Op::Intrinsic { a, b, c, .. } => {
                let used = [a, b, c].into_iter().filter(|s| *s != crate::code::NO_SLOT).map(at);
                let used: Vec<usize> = used.collect();
                self.decided(slots, &used)
            }
            Op::LoadWords { address, .. } => self.decided(slots, &[at(address)]),
            Op::StoreWords { src, address, shape, .. } => {
                let words = self.code.shapes[shape as usize].len();
                let used: Vec<usize> = (at(src)..at(src) + words).chain([at(address)]).collect();
                self.decided(slots, &used)
            }
            Op::CompareExchange { address, expected, new, .. } => {
                self.decided(slots, &[at(address), at(expected), at(new)])
            }
            Op::Modify { address, value, .. } => self.decided(slots, &[at(address), at(value)]),
            Op::CompareExchangeWide { address, expected, new, .. } => {
                let (expected, new) = (at(expected), at(new));
                self.decided(slots, &[at(address), expected, expected + 1, new, new + 1])
            }
            Op::ModifyWide { address, value, .. } => {
                self.decided(slots, &[at(address), at(value), at(value) + 1])
            }
            Op::Alloca { count, .. } => self.decided(slots, &[at(count)]),
            Op::Builtin { call }
                if matches!(
                    self.code.calls[call as usize].callee,
                    Callee::Builtin(
                        Builtin::Nothing | Builtin::NondetSigned | Builtin::NondetUnsigned | Builtin::Random
                    )
                ) =>
            {
                Ok(Treatment::Usual)
            }
            // Nobody looks at what is printed.
            Op::Builtin { call } if self.code.calls[call as usize].is_only_output() => {
                let call = &self.code.calls[call as usize];
                let used = call.arguments.iter().take(call.format_argument() + 1);
                let used: Vec<usize> = used.map(|a| at(a.slot)).collect();
                self.decided(slots, &used)
            }
            Op::CallIndirect { call } | Op::Builtin { call } => {
                let used: Vec<usize> =
                    self.code.calls[call as usize].arguments.iter().map(|a| at(a.slot)).collect();
                self.decided(slots, &used)
            }
            _ => Ok(Treatment::Usual),
        }
    }

    fn tag_at(&self, slots: &[u64], at: usize) -> Option<Tag> {
        self.state.symbols().tag(slots[at])
    }

    /// Decides all of some words.
    fn decided(&mut self, slots: &mut [u64], words: &[usize]) -> Step<Treatment> {
        let had_decided = self.has_decided;
        for &at in words {
            self.decide_word(slots, at)?;
            if self.has_decided && !had_decided && self.atomic == 0 {
                // One decision at a time: the instruction comes back for the next.
                break;
            }
        }
        Ok(Treatment::Usual)
    }

    /// Replaces a tag by a number that the search decides on.
    fn decide_word(&mut self, slots: &mut [u64], at: usize) -> Step {
        if let Some(tag) = self.tag_at(slots, at) {
            slots[at] = self.decide_tag(tag)?;
        }
        Ok(())
    }

    /// The number that a tag stands for, decided now if it is not yet.
    pub fn decide_tag(&mut self, tag: Tag) -> Step<u64> {
        let symbol = self.state.symbols().state(tag.symbol);
        let number = match symbol.values.single() {
            Some(number) => {
                self.use_symbol(tag.symbol, AccessKind::Read)?;
                number
            }
            None => {
                self.use_symbol(tag.symbol, AccessKind::Write)?;
                let samples_suffice = self.options.inputs != Inputs::All;
                let values = match symbol.values.count() > MOST_VALUES {
                    true if samples_suffice => symbol.values.samples(symbol.bits),
                    _ => symbol.values,
                };
                let count = values.count();
                if count > MOST_VALUES || symbol.used_up {
                    self.gate_once()?;
                    return Err(self.give_up(CutReason::ManyValues));
                }
                let choice = self.decide(count as u32)?;
                let number = values.nth(u64::from(choice)).unwrap_or(0);
                let values = Values::range(number, number);
                self.state.with_symbols(|symbols| symbols.narrow(tag.symbol, values));
                number
            }
        };
        Ok(widened(tag.widening, number, symbol.bits))
    }

    /// The outcome of a comparison, decided by the search if both are possible. Nothing if no operand is open.
    fn compare_tags(&mut self, predicate: Predicate, bits: u8, a: u64, b: u64) -> Step<Option<bool>> {
        let (x, y) = (self.state.symbols().tag(a), self.state.symbols().tag(b));
        match (x, y) {
            (None, None) => Ok(None),
            (Some(x), Some(y)) if x == y => Ok(Some(matches!(
                predicate,
                Predicate::Eq | Predicate::Uge | Predicate::Ule | Predicate::Sge | Predicate::Sle
            ))),
            (Some(x), None) => self.compare_with(predicate, bits, x, b),
            (None, Some(y)) => self.compare_with(turned(predicate), bits, y, a),
            // One of two open values is decided first.
            (Some(_), Some(_)) => Ok(None),
        }
    }

    fn compare_with(&mut self, predicate: Predicate, bits: u8, tag: Tag, number: u64) -> Step<Option<bool>> {
        let symbol = self.state.symbols().state(tag.symbol);
        if symbol.used_up && symbol.values.single().is_none() {
            self.use_symbol(tag.symbol, AccessKind::Read)?;
            self.gate_once()?;
            return Err(self.give_up(CutReason::ManyValues));
        }
        let is_signed =
            matches!(predicate, Predicate::Sgt | Predicate::Sge | Predicate::Slt | Predicate::Sle);
        let fits = match tag.widening {
            _ if symbol.bits == bits => true,
            Widening::Sign(to) if to != bits => false,
            Widening::Sign(_) => {
                let signed = arithmetic::signed(number, bits);
                let narrow = arithmetic::signed(number, symbol.bits);
                signed == narrow && (is_signed || matches!(predicate, Predicate::Eq | Predicate::Ne))
            }
            Widening::Zeros => {
                number <= arithmetic::masked(u64::MAX, symbol.bits)
                    && (!is_signed || arithmetic::signed(number, bits) >= 0)
            }
        };
        if !fits {
            return Ok(None);
        }
        // A value that was widened with zeros is compared as an unsigned one.
        let is_signed = is_signed && (symbol.bits == bits || tag.widening != Widening::Zeros);
        let limit = arithmetic::masked(number, symbol.bits);
        let values = &symbol.values;
        let below = |limit: u64| values.split_below(limit, symbol.bits, is_signed);
        let (yes, no) = match predicate {
            Predicate::Eq => values.split_equal(limit),
            Predicate::Ne => swapped(values.split_equal(limit)),
            Predicate::Ult | Predicate::Slt => below(limit),
            Predicate::Uge | Predicate::Sge => swapped(below(limit)),
            Predicate::Ule | Predicate::Sle => not_above(values, limit, symbol.bits, is_signed),
            Predicate::Ugt | Predicate::Sgt => swapped(not_above(values, limit, symbol.bits, is_signed)),
        };
        if yes.is_empty() || no.is_empty() {
            self.use_symbol(tag.symbol, AccessKind::Read)?;
            return Ok(Some(no.is_empty()));
        }
        self.use_symbol(tag.symbol, AccessKind::Write)?;
        let outcome = self.decide(2)? == 1;
        let narrowed = if outcome { yes } else { no };
        self.state.with_symbols(|symbols| symbols.narrow(tag.symbol, narrowed));
        Ok(Some(outcome))
    }

    /// Where a `switch` leads, decided by the search if several places are possible. Nothing if the value is known, or must not be looked at.
    fn switch_on(&mut self, tag: Tag, table: u32) -> Step<Option<Pc>> {
        let symbol = self.state.symbols().state(tag.symbol);
        if symbol.used_up || symbol.values.single().is_some() {
            return Ok(None);
        }
        let (cases, default) = &self.code.switches[table as usize];
        let mut others = symbol.values.clone();
        let mut ways: BTreeMap<Pc, Values> = BTreeMap::new();
        for (&case, &to) in cases.iter().filter(|(_, to)| *to != default) {
            let number = arithmetic::masked(case, symbol.bits);
            if widened(tag.widening, number, symbol.bits) != case {
                continue;
            }
            let (this, rest) = others.split_equal(number);
            others = rest;
            if !this.is_empty() {
                let way = ways.remove(&to);
                ways.insert(to, way.map_or_else(|| this.clone(), |way| way.and(this.clone())));
            }
        }
        if !others.is_empty() {
            ways.insert(*default, others);
        }
        let kind = if ways.len() > 1 { AccessKind::Write } else { AccessKind::Read };
        self.use_symbol(tag.symbol, kind)?;
        let choice = if ways.len() > 1 { self.decide(ways.len() as u32)? } else { 0 };
        let way = ways.into_iter().nth(choice as usize);
        Ok(way.map(|(to, values)| {
            if kind == AccessKind::Write {
                self.state.with_symbols(|symbols| symbols.narrow(tag.symbol, values));
            }
            to
        }))
    }

    /// A value computed from another one, which is used up if there are too many values to try.
    fn compute(
        &mut self,
        slots: &mut [u64],
        dst: usize,
        from: usize,
        enough: Enough,
        values: Values,
        bits: u8,
    ) -> Step<Treatment> {
        let Some(tag) = self.tag_at(slots, from) else { return Ok(Treatment::Usual) };
        let symbol = self.state.symbols().state(tag.symbol);
        let needed = match enough {
            Enough::All => arithmetic::masked(u64::MAX, symbol.bits),
            Enough::Run(last) => last,
            Enough::Never => return self.decided(slots, &[from]),
        };
        let is_onto = symbol.values.ranges.iter().any(|(low, high)| high - low >= needed);
        let has_number = self.options.inputs == Inputs::Numbers;
        if symbol.values.count() <= 64 || !is_onto || symbol.used_up || has_number {
            return self.decided(slots, &[from]);
        }
        self.use_symbol(tag.symbol, AccessKind::Write)?;
        self.state.with_symbols(|symbols| symbols.use_up(tag.symbol));
        slots[dst] = self.add_symbol(values, bits)?.word();
        Ok(Treatment::Done)
    }

    fn symbolic_binary(
        &mut self,
        op: BinaryOperator,
        bits: u8,
        slots: &mut [u64],
        dst: usize,
        a: usize,
        b: usize,
    ) -> Step<Treatment> {
        let (x, y) = (self.tag_at(slots, a), self.tag_at(slots, b));
        let (from, other) = match (x, y) {
            (None, None) => return Ok(Treatment::Usual),
            (Some(_), None) => (a, slots[b]),
            (None, Some(_)) => (b, slots[a]),
            (Some(_), Some(_)) => return self.decided(slots, &[a, b]),
        };
        let top = arithmetic::masked(u64::MAX, bits);
        let is_first = from == a;
        match op {
            BinaryOperator::Add => return self.add_amount(bits, slots, dst, from, other),
            BinaryOperator::Sub if is_first => {
                return self.add_amount(bits, slots, dst, from, other.wrapping_neg());
            }
            _ => {}
        }
        let Some(tag) = self.tag_at(slots, from) else { return Ok(Treatment::Usual) };
        let is_negative = |number: u64| arithmetic::signed(number, bits) < 0;
        let may_be_negative =
            self.state.symbols().state(tag.symbol).values.ranges.iter().any(|r| is_negative(r.1));
        // Functions that map all values, or so many in a row, onto a range.
        let (enough, values) = match op {
            BinaryOperator::Sub | BinaryOperator::Xor => (Enough::All, Values::range(0, top)),
            BinaryOperator::URem if is_first && other > 0 => {
                (Enough::Run(other - 1), Values::range(0, other - 1))
            }
            BinaryOperator::SRem if is_first && other > 0 && !is_negative(other) => {
                let most = other - 1;
                match may_be_negative && most > 0 {
                    false => (Enough::Run(most), Values::range(0, most)),
                    true => {
                        let least = arithmetic::masked(most.wrapping_neg(), bits);
                        (Enough::All, Values { ranges: vec![(0, most), (least, top)] })
                    }
                }
            }
            BinaryOperator::And if (other & other.wrapping_add(1)) == 0 => {
                (Enough::Run(other), Values::range(0, other))
            }
            _ => return self.decided(slots, &[from]),
        };
        // Of a value that was widened there are not so many.
        let enough = if self.bits_of(tag) == bits { enough } else { Enough::Never };
        self.compute(slots, dst, from, enough, values, bits)
    }

    /// Whether other threads may know a value: what they find out about it would have to be followed in sums.
    fn is_shared(&self, tag: Tag) -> bool {
        let object = self.state.memory.find(self.state.symbols().get(tag.symbol).address);
        object.is_some_and(|id| self.state.memory.object(id).sharing == Sharing::Shared)
    }

    fn bits_of(&self, tag: Tag) -> u8 {
        self.state.symbols().get(tag.symbol).bits
    }

    /// The sum of a value and a constant. A sum of a sum is the sum of what that is the sum of, if it was not widened in between.
    fn add_amount(
        &mut self,
        bits: u8,
        slots: &mut [u64],
        dst: usize,
        from: usize,
        amount: u64,
    ) -> Step<Treatment> {
        let Some(tag) = self.tag_at(slots, from) else { return Ok(Treatment::Usual) };
        let symbol = self.state.symbols().state(tag.symbol);
        let is_wide_enough = symbol.bits <= bits && tag.widening.fits(bits);
        let sum = match symbol.sum {
            None => Sum { of: tag, amount },
            Some(sum) => Sum { of: sum.of, amount: sum.amount.wrapping_add(amount) },
        };
        let is_simple = symbol.sum.is_none() || symbol.bits == bits;
        if self.is_shared(tag) || symbol.values.count() <= 64 || !is_wide_enough || !is_simple {
            return self.decided(slots, &[from]);
        }
        let sum = Symbol { bits, sum: Some(sum), ..symbol };
        slots[dst] = self.state.with_symbols(|symbols| symbols.add(sum)).word();
        Ok(Treatment::Done)
    }

    /// A sum that must not overflow: the search decides whether it does.
    fn symbolic_checked(
        &mut self,
        op: BinaryOperator,
        bits: u8,
        slots: &mut [u64],
        dst: usize,
        a: usize,
        b: usize,
    ) -> Step<Treatment> {
        let (tag, from, other) = match (self.tag_at(slots, a), self.tag_at(slots, b), op) {
            (Some(tag), None, BinaryOperator::Add | BinaryOperator::Sub) => (tag, a, slots[b]),
            (None, Some(tag), BinaryOperator::Add) => (tag, b, slots[a]),
            _ => return self.decided(slots, &[a, b]),
        };
        let other = i128::from(arithmetic::signed(other, bits));
        let amount = if op == BinaryOperator::Sub { -other } else { other };
        let half = 1i128 << (bits - 1);
        let (predicate, limit) = match amount >= 0 {
            true => (Predicate::Sgt, half - 1 - amount),
            false => (Predicate::Slt, -half - amount),
        };
        if self.is_shared(tag) || self.state.symbols().state(tag.symbol).values.count() <= 64 {
            return self.decided(slots, &[from]);
        }
        match self.compare_with(predicate, bits, tag, arithmetic::masked(limit as u64, bits))? {
            Some(true) => Err(self.fail(FailureKind::Overflow)),
            Some(false) => self.add_amount(bits, slots, dst, from, amount as u64),
            None => self.decided(slots, &[from]),
        }
    }
}

/// A number of so many bits, widened.
fn widened(widening: Widening, number: u64, bits: u8) -> u64 {
    match widening {
        Widening::Zeros => number,
        Widening::Sign(to) => arithmetic::masked(arithmetic::signed(number, bits) as u64, to),
    }
}

fn swapped((a, b): (Values, Values)) -> (Values, Values) {
    (b, a)
}

/// The values up to a limit, and those above it.
fn not_above(values: &Values, limit: u64, bits: u8, is_signed: bool) -> (Values, Values) {
    let top = arithmetic::masked(u64::MAX, bits);
    let last = if is_signed { top >> 1 } else { top };
    match limit == last {
        true => (values.clone(), Values { ranges: Vec::new() }),
        false => values.split_below(arithmetic::masked(limit.wrapping_add(1), bits), bits, is_signed),
    }
}

/// The comparison with its operands exchanged.
fn turned(predicate: Predicate) -> Predicate {
    match predicate {
        Predicate::Eq => Predicate::Eq,
        Predicate::Ne => Predicate::Ne,
        Predicate::Ugt => Predicate::Ult,
        Predicate::Uge => Predicate::Ule,
        Predicate::Ult => Predicate::Ugt,
        Predicate::Ule => Predicate::Uge,
        Predicate::Sgt => Predicate::Slt,
        Predicate::Sge => Predicate::Sle,
        Predicate::Slt => Predicate::Sgt,
        Predicate::Sle => Predicate::Sge,
    }
}
