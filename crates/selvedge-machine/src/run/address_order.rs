//! The order of objects in memory: which of two that are compared comes first. Functions have a place among them, and so have the handles of
//! threads, which are addresses on many machines.
//!
//! The machine speculates that nobody compares addresses of different objects by their order. When somebody does, the speculation is refuted, and from then
//! on the search decides: of two objects whose order does not follow from what was decided before, either may come first. All that is
//! decided is one order of all objects, so decisions of different threads depend on each other.
//!
//! Some functions of libraries compare addresses only to find out whether two ranges overlap. Ranges in different objects never do, whatever the order of
//! these: nothing is decided there.

use super::address_numbers::Comparison;
use super::{LINK, Run, Step, arithmetic};
use crate::options::Addresses;
use crate::state::Control;
use selvedge_llvm::instruction::Predicate;
use selvedge_trace::{AccessKind, LocationId};

/// Stands for the order of objects among addresses.
const ORDER: u64 = 2;

/// How many calls a test whether ranges overlap is away from the comparison.
const MOST_CALLS: u32 = 3;

impl Run<'_> {
    /// Compares two words of which at least one may be an address.
    #[cold]
    pub fn compare_addresses(
        &mut self,
        predicate: Predicate,
        bits: u8,
        (a, b): (u64, u64),
        control: &Control,
        slots: &[u64],
    ) -> Step<Comparison> {
        let in_layout = arithmetic::compare(predicate, bits, a, b);
        let is_equality = matches!(predicate, Predicate::Eq | Predicate::Ne);
        let memory = &self.state.memory;
        let outcome = match (memory.base_of(a), memory.base_of(b)) {
            (None, None) => Comparison::Known(in_layout),
            (Some(_), None) => self.compare_with_number(in_layout, is_equality, a, b),
            (None, Some(_)) => self.compare_with_number(in_layout, is_equality, b, a),
            (Some(x), Some(y)) if x == y => Comparison::Known(in_layout),
            (Some(x), Some(y)) => {
                self.note_comparison(a, b);
                match is_equality {
                    true if self.is_at_end_of_another(a, b) => Comparison::Open(in_layout),
                    true => Comparison::Known(in_layout),
                    false => {
                        let is_before = self.is_before(x, y, control, slots)?;
                        let goes_up = matches!(
                            predicate,
                            Predicate::Ult | Predicate::Ule | Predicate::Slt | Predicate::Sle
                        );
                        Comparison::Known(is_before == goes_up)
                    }
                }
            }
        };
        Ok(outcome)
    }

    /// Of an address and a number.
    fn compare_with_number(
        &self,
        in_layout: bool,
        is_equality: bool,
        address: u64,
        number: u64,
    ) -> Comparison {
        let memory = &self.state.memory;
        let differs = (address ^ number) & !memory.unknown_bits(address) != 0;
        let is_beyond = number >= memory.model().greatest_address();
        match is_beyond || is_equality && differs {
            true => Comparison::Known(in_layout),
            false => Comparison::Open(in_layout),
        }
    }

    /// Whether one of two addresses is where an object ends and the other where another one begins: they may be equal or not.
    pub fn is_at_end_of_another(&self, a: u64, b: u64) -> bool {
        let memory = &self.state.memory;
        let (Some(x), Some(y)) = (memory.find(a), memory.find(b)) else { return false };
        let (x, y) = (memory.object(x), memory.object(y));
        let meets = |end: u64, first: &crate::memory::Object, begin: u64, second: &crate::memory::Object| {
            first.size > 0 && end == first.base + first.size && begin == second.base
        };
        x.base != y.base && (meets(a, x, b, y) || meets(b, y, a, x))
    }

    /// Whether one thing comes before another one in memory, by their bases.
    fn is_before(&mut self, x: u64, y: u64, control: &Control, slots: &[u64]) -> Step<bool> {
        let in_layout = x < y;
        if self.options.addresses == Addresses::Fixed || self.is_overlap_test(control, slots) {
            return Ok(in_layout);
        }
        if self.options.addresses == Addresses::Speculated {
            self.locations.compares_order = true;
            return Ok(in_layout);
        }
        let known = self.state.order_of(x, y);
        if self.is_concurrent() {
            self.note_effect();
            self.gate_once()?;
            self.vary();
            let kind = if known.is_some() { AccessKind::Read } else { AccessKind::Write };
            let order = self.locations.share(ORDER, 0);
            self.footprint.record(LocationId(order), kind);
        }
        if let Some(is_before) = known {
            return Ok(is_before);
        }
        let is_before = (self.decide(2)? == 0) == in_layout;
        let (first, second) = if is_before { (x, y) } else { (y, x) };
        self.state.put_before(first, second);
        Ok(is_before)
    }

    /// Whether the present function, or one that called it, only wants to know whether ranges overlap.
    fn is_overlap_test(&self, control: &Control, slots: &[u64]) -> bool {
        let (mut base, mut function) = (control.base, control.function);
        for depth in 0..=MOST_CALLS.min(control.depth) {
            if self.code.functions[function as usize].tests_overlap {
                return true;
            }
            if depth < control.depth {
                let link = |i: u32| slots[(base - LINK + i) as usize] as u32;
                (base, function) = (link(1), link(2));
            }
        }
        false
    }
}
