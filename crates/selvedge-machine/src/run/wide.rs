//! Atomic accesses to more than a word: instructions on 128 bits, and what compilers call for structures.

use super::access::Found;
use super::{Run, Step};
use crate::builtin::Builtin;
use crate::code::{AccessMode, Exchange};
use crate::failure::CutReason;
use selvedge_llvm::instruction::RmwOperator;
use selvedge_trace::AccessKind;

/// Bytes of a number of two words.
const WIDE: u64 = 16;

impl Run<'_> {
    fn find_wide(&mut self, address: u64) -> Step<Found> {
        let found = self.find(address, WIDE)?;
        self.check_constant(&found)?;
        self.check_open(&found)?;
        self.check_written(&found)?;
        Ok(found)
    }

    /// The two words of what was found.
    fn halves(found: &Found) -> [Found; 2] {
        let half = |offset: u64| Found {
            at: found.at + offset as usize,
            address: found.address + offset,
            size: 8,
            ..*found
        };
        [half(0), half(8)]
    }

    fn read_wide(&self, found: &Found) -> u128 {
        let [low, high] = Self::halves(found).map(|half| u128::from(self.state.memory.load(half.at, 8)));
        low | high << 64
    }

    fn write_wide(&mut self, found: &Found, value: u128) {
        let [low, high] = Self::halves(found);
        self.write(&low, value as u64);
        self.write(&high, (value >> 64) as u64);
    }

    /// Compares and exchanges two words; what they were, and whether they were as expected.
    pub fn compare_exchange_wide(
        &mut self,
        address: u64,
        expected: u128,
        new: u128,
        access: Exchange,
    ) -> Step<(u128, bool)> {
        let found = self.find_wide(address)?;
        self.vary();
        let old = self.read_wide(&found);
        self.note_wide_comparison(old, expected);
        let success = old == expected;
        self.note(&found, if success { AccessKind::Write } else { AccessKind::Read });
        self.touch(&found, success, access.success)?;
        let thread = self.thread;
        if success {
            self.state.race(|races, _| races.atomic_modify(thread, address, access.success));
            self.write_wide(&found, new);
        } else {
            self.state.race(|races, _| races.atomic_load(thread, address, access.failure));
            for (half, word) in Self::halves(&found).iter().zip([old as u64, (old >> 64) as u64]) {
                self.note_read(half, word);
            }
        }
        Ok((old, success))
    }

    /// Reads, modifies and writes two words; what they were.
    pub fn modify_wide(
        &mut self,
        op: RmwOperator,
        address: u64,
        value: u128,
        access: AccessMode,
    ) -> Step<u128> {
        let found = self.find_wide(address)?;
        let old = self.read_wide(&found);
        let new = match op {
            RmwOperator::Xchg => value,
            RmwOperator::Add => old.wrapping_add(value),
            RmwOperator::Sub => old.wrapping_sub(value),
            RmwOperator::And => old & value,
            RmwOperator::Nand => !(old & value),
            RmwOperator::Or => old | value,
            RmwOperator::Xor => old ^ value,
            RmwOperator::Max => (old as i128).max(value as i128) as u128,
            RmwOperator::Min => (old as i128).min(value as i128) as u128,
            RmwOperator::UMax => old.max(value),
            RmwOperator::UMin => old.min(value),
            RmwOperator::FAdd | RmwOperator::FSub => {
                let what = "atomic arithmetic on floating-point numbers of 128 bits".to_owned();
                return Err(self.give_up(CutReason::Unsupported(what)));
            }
        };
        self.note(&found, AccessKind::Write);
        self.touch(&found, true, access)?;
        let thread = self.thread;
        self.state.race(|races, _| races.atomic_modify(thread, address, access));
        self.write_wide(&found, new);
        Ok(old)
    }

    /// `__atomic_load` and its relatives for any number of bytes: the number, the atomic object, and where to read what is written and
    /// to write what was read.
    pub fn atomic_bytes(&mut self, which: Builtin, words: &[u64]) -> Step<u64> {
        let a = |i: usize| words.get(i).copied().unwrap_or(0);
        if self.is_concurrent() {
            self.gate()?;
        }
        self.note_effect();
        self.atomic += 1;
        let order = match which {
            Builtin::AtomicLoad | Builtin::AtomicStore => a(3),
            _ => a(4),
        };
        let result = self.atomic_bytes_together(which, a(0), a(1), [a(2), a(3)], numbered(order));
        self.atomic -= 1;
        result
    }

    fn atomic_bytes_together(
        &mut self,
        which: Builtin,
        size: u64,
        object: u64,
        [b, c]: [u64; 2],
        access: AccessMode,
    ) -> Step<u64> {
        let thread = self.thread;
        match which {
            Builtin::AtomicLoad => {
                self.memcpy(b, object, size)?;
                self.state.race(|races, _| races.atomic_load(thread, object, access));
                Ok(0)
            }
            Builtin::AtomicStore => {
                self.memcpy(object, b, size)?;
                self.state.race(|races, _| races.atomic_store(thread, object, access));
                Ok(0)
            }
            Builtin::AtomicExchange if b == c => {
                let what = "an atomic exchange of a place with itself".to_owned();
                Err(self.give_up(CutReason::Unsupported(what)))
            }
            Builtin::AtomicExchange => {
                self.memcpy(c, object, size)?;
                self.memcpy(object, b, size)?;
                self.state.race(|races, _| races.atomic_modify(thread, object, access));
                Ok(0)
            }
            _ => {
                self.vary();
                if self.memcmp(object, b, size)? == 0 {
                    self.memcpy(object, c, size)?;
                    self.state.race(|races, _| races.atomic_modify(thread, object, access));
                    return Ok(1);
                }
                self.memcpy(b, object, size)?;
                self.state.race(|races, _| races.atomic_load(thread, object, access));
                Ok(0)
            }
        }
    }
}

/// The order that compilers give that number.
fn numbered(order: u64) -> AccessMode {
    match order {
        0 => AccessMode::Relaxed,
        1 | 2 => AccessMode::Acquire,
        3 => AccessMode::Release,
        _ => AccessMode::AcquireRelease,
    }
}
