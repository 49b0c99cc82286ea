//! Nondeterministic values that are not decided yet.
//!
//! A value with too many possibilities to try them all stands for itself as long as it is only copied. A register
//! that holds it has a *tag* instead of a number; memory that holds it is noted in a table. When a comparison depends on it,
//! the search decides the outcome, and the set of values that are still possible shrinks. When its number is needed,
//! the search decides among those that are left, if they are few. A value from which another was computed that may be
//! anything in its range is *used up*: to need it once more is too much for us. The sum of a value and a constant is no value of its own: what it may be
//! follows from what the other may be, and the other way round.

use std::collections::BTreeMap;

/// The highest bits of a tag.
const MAGIC: u64 = 0xe5a1;

/// Of how many ranges the ends are among the samples of an input.
const MOST_ENDS: usize = 8;

/// How a tagged value was widened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Widening {
    /// Not, or with zeros.
    Zeros,
    /// With copies of its sign, up to so many bits, and with zeros after that.
    Sign(u8),
}

impl Widening {
    /// Whether numbers that were widened like that have no more than so many bits.
    pub fn fits(self, bits: u8) -> bool {
        !matches!(self, Widening::Sign(to) if to > bits)
    }
}

/// A tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Which symbol.
    pub symbol: u32,
    /// How it was widened.
    pub widening: Widening,
}

impl Tag {
    /// The word in a register.
    pub fn word(self) -> u64 {
        let signed = match self.widening {
            Widening::Zeros => 0,
            Widening::Sign(bits) => u64::from(bits),
        };
        MAGIC << 48 | signed << 32 | u64::from(self.symbol)
    }
}

/// A set of values of so many bits: ranges in order, without overlaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    /// The ranges, both ends included.
    pub ranges: Vec<(u64, u64)>,
}

impl Values {
    /// All values from one to another.
    pub fn range(low: u64, high: u64) -> Values {
        Values { ranges: vec![(low, high)] }
    }

    /// How many there are, at most 2^64 - 1.
    pub fn count(&self) -> u64 {
        self.ranges.iter().fold(0, |sum: u64, (low, high)| sum.saturating_add((high - low).saturating_add(1)))
    }

    /// The value with a number.
    pub fn nth(&self, number: u64) -> Option<u64> {
        let mut left = number;
        for &(low, high) in &self.ranges {
            if left <= high - low {
                return Some(low + left);
            }
            left -= high - low + 1;
        }
        None
    }

    /// A few of them: small numbers of both signs, and the ends of the ranges and of the type.
    pub fn samples(&self, bits: u8) -> Values {
        let (top, half) = (top(bits), 1 << (bits - 1));
        let small = [0, 1, 2, 3, 4, 5, 6, 7, 10, 100];
        let negative = [1, 2, 3, 10].map(|n| top - n + 1);
        let ends = self.ranges.iter().take(MOST_ENDS).flat_map(|&(low, high)| [low, high]);
        let mut numbers: Vec<u64> =
            small.into_iter().chain(negative).chain([half - 1, half]).chain(ends).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let is_one = |&number: &u64| !self.within(number, number).ranges.is_empty();
        Values { ranges: numbers.into_iter().filter(is_one).map(|number| (number, number)).collect() }
    }

    /// The only value.
    pub fn single(&self) -> Option<u64> {
        match self.ranges[..] {
            [(low, high)] if low == high => Some(low),
            _ => None,
        }
    }

    /// The values that are also in a range.
    pub fn within(&self, low: u64, high: u64) -> Values {
        let cut = |&(a, b): &(u64, u64)| (a.max(low) <= b.min(high)).then(|| (a.max(low), b.min(high)));
        Values { ranges: self.ranges.iter().filter_map(cut).collect() }
    }

    /// The values of both, in order.
    pub fn and(mut self, other: Values) -> Values {
        self.ranges.extend(other.ranges);
        self.ranges.sort_unstable();
        self
    }

    /// The values of so many bits less than a limit, and the others, as signed or unsigned numbers.
    pub fn split_below(&self, limit: u64, bits: u8, is_signed: bool) -> (Values, Values) {
        let top = top(bits);
        let below = |low: u64, limit: u64| match limit.checked_sub(1) {
            Some(last) if last >= low => self.within(low, last),
            _ => Values { ranges: Vec::new() },
        };
        let limit = limit & top;
        if !is_signed {
            return (below(0, limit), self.within(limit, top));
        }
        let half = 1u64 << (bits - 1);
        if limit >= half {
            // A negative limit: only negative numbers further down are less.
            return (below(half, limit), self.within(limit, top).and(self.within(0, half - 1)));
        }
        (self.within(half, top).and(below(0, limit)), self.within(limit, half - 1))
    }

    /// The sums of the values and a number, of so many bits.
    pub fn plus(&self, amount: u64, bits: u8) -> Values {
        let top = top(bits);
        let mut ranges = Vec::new();
        for &(low, high) in &self.ranges {
            match (low.wrapping_add(amount) & top, high.wrapping_add(amount) & top) {
                (low, high) if low <= high => ranges.push((low, high)),
                (low, high) => ranges.extend([(low, top), (0, high)]),
            }
        }
        ranges.sort_unstable();
        // Ranges that touch are one.
        ranges.dedup_by(|next, last| {
            let touch = last.1.checked_add(1) == Some(next.0);
            if touch {
                last.1 = next.1;
            }
            touch
        });
        Values { ranges }
    }

    /// The values of so many bits, widened.
    pub fn widened(&self, widening: Widening, bits: u8) -> Values {
        let Widening::Sign(to) = widening else { return self.clone() };
        let half = 1u64 << (bits - 1);
        let sign = top(to) & !top(bits);
        let negative = self.within(half, u64::MAX);
        let negative = negative.ranges.iter().map(|(low, high)| (low | sign, high | sign)).collect();
        self.within(0, half - 1).and(Values { ranges: negative })
    }

    /// The values that were widened, with so many bits again.
    pub fn narrowed(&self, bits: u8) -> Values {
        let low = |number: &u64| number & top(bits);
        let narrow = Values { ranges: self.ranges.iter().map(|(a, b)| (low(a), low(b))).collect() };
        narrow.plus(0, bits)
    }

    /// The values that are a number, and the others.
    pub fn split_equal(&self, number: u64) -> (Values, Values) {
        let before = number.checked_sub(1).map(|last| self.within(0, last));
        let after = number.checked_add(1).map(|first| self.within(first, u64::MAX));
        let empty = || Values { ranges: Vec::new() };
        let others = before.unwrap_or_else(empty).and(after.unwrap_or_else(empty));
        (self.within(number, number), others)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }
}

/// The greatest number of so many bits.
fn top(bits: u8) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// The sum of a value that is not decided yet and a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    /// The value, as it was widened.
    pub of: Tag,
    /// The constant.
    pub amount: u64,
}

/// A value that is not decided yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// What it may be.
    pub values: Values,
    /// Its bits.
    pub bits: u8,
    /// Whether another value was computed from it.
    pub used_up: bool,
    /// The object that stands for it: threads that know the value depend on each other there.
    pub address: u64,
    /// What it is the sum of, if it is one: then its own `values` and `used_up` mean nothing.
    pub sum: Option<Sum>,
}

#[derive(Clone, Debug)]
enum Old {
    Added,
    Changed(u32, Symbol),
    Memory(u64, Option<(u8, u64)>),
}

/// All values that are not decided yet, and the memory that holds them.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    symbols: Vec<Symbol>,
    memory: BTreeMap<u64, (u8, u64)>,
    log: Vec<Old>,
}

impl Symbols {
    /// Whether there are any.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// The tag in a word, if there is one.
    #[inline(always)]
    pub fn tag(&self, word: u64) -> Option<Tag> {
        if word >> 48 != MAGIC || word as u32 as usize >= self.symbols.len() || word & (0xff << 40) != 0 {
            return None;
        }
        let widening = match (word >> 32) as u8 {
            0 => Widening::Zeros,
            bits => Widening::Sign(bits),
        };
        Some(Tag { symbol: word as u32, widening })
    }

    /// Whether what a tag stands for is not decided yet.
    pub fn is_open(&self, tag: Tag) -> bool {
        self.state(tag.symbol).values.single().is_none()
    }

    /// What a symbol may be.
    pub fn state(&self, symbol: u32) -> Symbol {
        let own = self.get(symbol);
        let Some(Sum { of, amount }) = own.sum else { return own.clone() };
        let whole = self.get(of.symbol);
        let values = whole.values.widened(of.widening, whole.bits).plus(amount, own.bits);
        Symbol { values, used_up: whole.used_up, ..own.clone() }
    }

    /// Changes what a symbol may be.
    pub fn narrow(&mut self, symbol: u32, values: Values) {
        let own = self.get(symbol).clone();
        let Some(Sum { of, amount }) = own.sum else { return self.set(symbol, Symbol { values, ..own }) };
        let whole = self.get(of.symbol).clone();
        let values = values.plus(amount.wrapping_neg(), own.bits).narrowed(whole.bits);
        self.set(of.symbol, Symbol { values, ..whole });
    }

    /// Another value was computed from a symbol.
    pub fn use_up(&mut self, symbol: u32) {
        let symbol = self.get(symbol).sum.map_or(symbol, |sum| sum.of.symbol);
        let used_up = Symbol { used_up: true, ..self.get(symbol).clone() };
        self.set(symbol, used_up);
    }

    /// A symbol.
    pub fn get(&self, symbol: u32) -> &Symbol {
        &self.symbols[symbol as usize]
    }

    /// Adds a symbol; its tag.
    pub fn add(&mut self, symbol: Symbol) -> Tag {
        self.symbols.push(symbol);
        self.log.push(Old::Added);
        Tag { symbol: self.symbols.len() as u32 - 1, widening: Widening::Zeros }
    }

    /// Changes a symbol.
    fn set(&mut self, number: u32, symbol: Symbol) {
        let old = std::mem::replace(&mut self.symbols[number as usize], symbol);
        self.log.push(Old::Changed(number, old));
    }

    /// Notes that memory holds a tag.
    pub fn store(&mut self, address: u64, size: u8, word: u64) {
        let old = self.memory.insert(address, (size, word));
        self.log.push(Old::Memory(address, old));
    }

    /// Forgets what bytes hold.
    pub fn forget(&mut self, address: u64, size: u64) {
        let known = self.overlapping(address, size);
        for (at, entry) in known {
            self.memory.remove(&at);
            self.log.push(Old::Memory(at, Some(entry)));
        }
    }

    /// The tags that bytes hold some part of: where each begins, how many bytes it has, and the word.
    pub fn overlapping(&self, address: u64, size: u64) -> Vec<(u64, (u8, u64))> {
        if self.memory.is_empty() {
            return Vec::new();
        }
        let entries = self.memory.range(address.saturating_sub(7)..address.saturating_add(size));
        entries.filter(|(at, entry)| **at + u64::from(entry.0) > address).map(|(a, e)| (*a, *e)).collect()
    }

    /// All that is known, as words.
    pub fn words(&self) -> impl Iterator<Item = u64> {
        let symbols = self.symbols.iter().flat_map(|symbol| {
            let ranges = symbol.values.ranges.iter().flat_map(|range| [range.0, range.1]);
            let sum = symbol.sum.map_or([0, 0], |sum| [sum.of.word(), sum.amount]);
            [symbol.address, u64::from(symbol.bits) << 1 | u64::from(symbol.used_up)]
                .into_iter()
                .chain(sum)
                .chain(ranges)
        });
        symbols.chain(self.memory.iter().flat_map(|(at, (size, word))| [*at, u64::from(*size), *word]))
    }

    /// The length of the log.
    pub fn length(&self) -> usize {
        self.log.len()
    }

    /// Goes back to when the log had that length.
    pub fn rollback(&mut self, length: usize) {
        while self.log.len() > length {
            match self.log.pop() {
                Some(Old::Added) => drop(self.symbols.pop()),
                Some(Old::Changed(number, old)) => self.symbols[number as usize] = old,
                Some(Old::Memory(address, Some(entry))) => drop(self.memory.insert(address, entry)),
                Some(Old::Memory(address, None)) => drop(self.memory.remove(&address)),
                None => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_widened_values_lead_back_to_them() {
        let values = Values { ranges: vec![(0, 3), (100, 140), (250, 255)] };
        for widening in [Widening::Zeros, Widening::Sign(32)] {
            for amount in [0, 1, 7, 0x8000_0000, 0xffff_ffff] {
                let sums = values.widened(widening, 8).plus(amount, 32);
                let number = |n: u64| match widening {
                    Widening::Zeros => n,
                    Widening::Sign(_) => n as u8 as i8 as i32 as u32 as u64,
                };
                let mut expected: Vec<u64> = (0..256)
                    .filter(|n| values.ranges.iter().any(|range| range.0 <= *n && *n <= range.1))
                    .map(|n| (number(n) + amount) & 0xffff_ffff)
                    .collect();
                expected.sort_unstable();
                let all: Vec<u64> = (0..sums.count()).filter_map(|i| sums.nth(i)).collect();
                assert_eq!(all, expected, "{widening:?} + {amount}");
                let back = sums.plus(u64::wrapping_neg(amount), 32).narrowed(8);
                assert_eq!(back.count(), values.count());
                assert!((0..256).all(|n| back.within(n, n).count() == values.within(n, n).count()));
            }
        }
    }

    #[test]
    fn signed_and_unsigned_limits_split_differently() {
        let all = Values::range(0, 255);
        let (below, others) = all.split_below(5, 8, false);
        assert_eq!((below.ranges, others.ranges), (vec![(0, 4)], vec![(5, 255)]));
        let (below, others) = all.split_below(5, 8, true);
        assert_eq!((below.ranges, others.ranges), (vec![(0, 4), (128, 255)], vec![(5, 127)]));
        let (below, others) = all.split_below(0xfe, 8, true);
        assert_eq!((below.ranges, others.ranges), (vec![(128, 253)], vec![(0, 127), (254, 255)]));
    }

    #[test]
    fn values_are_counted_and_found_across_ranges() {
        let values = Values { ranges: vec![(1, 2), (10, 12)] };
        assert_eq!((values.count(), values.nth(3), values.nth(5)), (5, Some(11), None));
        let (equal, others) = values.split_equal(2);
        assert_eq!((equal.single(), others.ranges), (Some(2), vec![(1, 1), (10, 12)]));
    }

    #[test]
    fn memory_forgets_tags_that_are_overwritten_in_part() {
        let mut symbols = Symbols::default();
        let tag = symbols.add(Symbol {
            values: Values::range(0, 9),
            bits: 32,
            used_up: false,
            address: 0,
            sum: None,
        });
        symbols.store(100, 4, tag.word());
        assert_eq!(symbols.tag(tag.word()), Some(tag));
        let length = symbols.length();
        symbols.forget(102, 1);
        assert!(symbols.overlapping(100, 4).is_empty());
        symbols.rollback(length);
        assert_eq!(symbols.overlapping(103, 8).len(), 1);
    }
}
