//! Marks of words: which bits of a word are in doubt, for every kind of mark.
//!
//! [`spread`](super::spread) says how marks spread by instructions.

use super::access::Found;
use crate::address_numbers::Derived;
use crate::code::Slot;

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
