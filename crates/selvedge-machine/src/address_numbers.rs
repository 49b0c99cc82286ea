//! Numbers that are computed from addresses.
//!
//! Where an object lies differs from machine to machine, so nothing may depend on the number of its address. A word that holds
//! the address of an object, whole, is known by what it points to. A word computed otherwise from addresses has a *mark*: the bits that
//! differ from machine to machine, and, if it is known, the [form](Form) that leads back to the addresses, as when a tag in the
//! upper bits is taken off again or a list is linked by the exclusive or of two neighbours. In the machine's own layout a marked word has a number, too.

use crate::memory::Memory;
use selvedge_code::in_doubt::Doubtful;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// How a word is computed from addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// Somehow.
    Opaque,
    /// Each unknown bit is the bit of an address that lies so many places lower; all others are known.
    Field(u64, i8),
    /// A sum of multiples of the addresses of objects, and of a constant.
    Sum(SmallVec<[(u64, u64); 2]>, u64),
    /// The exclusive or of addresses, which are in order, and of a constant.
    Xor(SmallVec<[u64; 2]>),
}

/// A word of which some bits may differ from machine to machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived {
    /// The bits that may differ.
    pub bits: u64,
    /// How it is computed.
    pub form: Form,
}

impl Derived {
    /// The mark of a word that is known.
    pub const KNOWN: Derived = Derived { bits: 0, form: Form::Opaque };

    /// The mark of a word of which nothing is known but which bits may differ.
    pub fn opaque(bits: u64) -> Derived {
        Derived { bits, form: Form::Opaque }
    }
}

/// An operand: its number in the machine's layout, with its mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The number.
    pub number: u64,
    /// The mark, which is that of a whole address if it is one.
    pub mark: Derived,
}

/// A sum of multiples of addresses and a constant.
type Terms = (SmallVec<[(u64, u64); 2]>, u64);

impl Word {
    /// A word that is the same on every machine.
    pub fn known(number: u64) -> Word {
        Word { number, mark: Derived::KNOWN }
    }

    /// A word without a mark of its own: an address, if there is an object, or a number.
    pub fn plain(number: u64, memory: &Memory) -> Word {
        match memory.base_of(number) {
            Some(_) => Word::address(number, memory.unknown_bits(number), number),
            None => Word::known(number),
        }
    }

    fn address(address: u64, bits: u64, number: u64) -> Word {
        Word { number, mark: Derived { bits, form: Form::Field(address, 0) } }
    }

    /// The number with the bits that may differ.
    pub fn doubtful(&self) -> Doubtful {
        Doubtful { number: self.number, mark: self.mark.bits }
    }

    /// Whether it is the same on every machine.
    pub fn is_known(&self) -> bool {
        self.mark.bits == 0
    }

    /// The mark to remember: a whole address needs none.
    pub fn remembered(&self, memory: &Memory) -> Derived {
        match self.mark.form {
            _ if self.is_known() => Derived::KNOWN,
            Form::Field(address, 0)
                if self.mark.bits == memory.unknown_bits(address)
                    && self.number & !memory.model().address_bits() == 0
                    && memory.base_of(self.number) == memory.base_of(address) =>
            {
                Derived::KNOWN
            }
            _ => self.mark.clone(),
        }
    }

    /// The address whose unknown bits it has in their places.
    pub fn whole(&self, memory: &Memory) -> Option<u64> {
        match self.mark.form {
            Form::Field(address, 0) if self.mark.bits == memory.unknown_bits(address) => Some(address),
            _ => None,
        }
    }

    /// The word as a sum.
    pub fn terms(&self, memory: &Memory) -> Option<Terms> {
        match &self.mark.form {
            _ if self.is_known() => Some((SmallVec::new(), self.number)),
            Form::Sum(terms, constant) => Some((terms.clone(), *constant)),
            _ => {
                let base = memory.base_of(self.whole(memory)?)?;
                Some((SmallVec::from_slice(&[(base, 1)]), self.number.wrapping_sub(base)))
            }
        }
    }

    /// The addresses whose exclusive or it is, but for a constant.
    pub fn factors(&self, memory: &Memory) -> Option<SmallVec<[u64; 2]>> {
        match &self.mark.form {
            _ if self.is_known() => Some(SmallVec::new()),
            Form::Xor(addresses) => Some(addresses.clone()),
            _ => self.whole(memory).map(|address| SmallVec::from_slice(&[address])),
        }
    }

    /// The sum of two words, the second multiplied by a number.
    pub fn plus(&self, other: &Word, factor: u64, memory: &Memory) -> Option<Word> {
        let (mut terms, constant) = self.terms(memory)?;
        let (others, more) = other.terms(memory)?;
        for (base, count) in others {
            let count = count.wrapping_mul(factor);
            match terms.iter_mut().find(|term| term.0 == base) {
                Some(term) => term.1 = term.1.wrapping_add(count),
                None => terms.push((base, count)),
            }
        }
        terms.retain(|term| term.1 != 0);
        terms.sort_unstable();
        Some(of_terms(terms, constant.wrapping_add(more.wrapping_mul(factor)), memory))
    }

    /// The exclusive or of two words.
    pub fn xor(&self, other: &Word, memory: &Memory) -> Option<Word> {
        let mut addresses = self.factors(memory)?;
        for address in other.factors(memory)? {
            match addresses.iter().position(|known| *known == address) {
                Some(place) => drop(addresses.remove(place)),
                None => addresses.push(address),
            }
        }
        addresses.sort_unstable();
        Some(of_factors(addresses, self.number ^ other.number, memory))
    }
}

fn of_terms(terms: SmallVec<[(u64, u64); 2]>, constant: u64, memory: &Memory) -> Word {
    let number =
        terms.iter().fold(constant, |sum, (base, count)| sum.wrapping_add(base.wrapping_mul(*count)));
    if let [(base, 1)] = terms[..] {
        let address = number & memory.model().address_bits();
        if memory.base_of(address) == memory.base_of(base) {
            return Word::address(address, memory.unknown_bits(address), number);
        }
    }
    let zeros =
        |&(base, count): &(u64, u64)| memory.alignment_at(base).trailing_zeros() + count.trailing_zeros();
    let bits = match terms.iter().map(zeros).min() {
        Some(known) => u64::MAX.checked_shl(known).unwrap_or(0),
        None => 0,
    };
    Word { number, mark: Derived { bits, form: Form::Sum(terms, constant) } }
}

fn of_factors(addresses: SmallVec<[u64; 2]>, number: u64, memory: &Memory) -> Word {
    let bits = addresses.iter().fold(0, |bits, address| bits | memory.unknown_bits(*address));
    if let [address] = addresses[..]
        && (number ^ address) & bits == 0
    {
        return Word::address(address, bits, number);
    }
    Word { number, mark: Derived { bits, form: Form::Xor(addresses) } }
}

#[derive(Clone, Debug)]
enum Old {
    Slot(u32, u32, Option<Derived>),
    Memory(u64, Option<(u8, Derived)>),
}

/// The marks of all words computed from addresses, and the log that leads back.
#[derive(Clone, Debug, Default)]
pub struct AddressNumbers {
    slots: BTreeMap<(u32, u32), Derived>,
    memory: BTreeMap<u64, (u8, Derived)>,
    log: Vec<Old>,
}

impl AddressNumbers {
    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty() && self.memory.is_empty()
    }

    /// The mark of a slot.
    pub fn of_slot(&self, thread: usize, slot: usize) -> Derived {
        self.slots.get(&(thread as u32, slot as u32)).cloned().unwrap_or(Derived::KNOWN)
    }

    /// Changes the mark of a slot.
    pub fn set_slot(&mut self, thread: usize, slot: usize, mark: Derived) {
        let key = (thread as u32, slot as u32);
        let old = match mark.bits {
            0 => self.slots.remove(&key),
            _ => self.slots.insert(key, mark.clone()),
        };
        if old.as_ref().unwrap_or(&Derived::KNOWN) != &mark {
            self.log.push(Old::Slot(key.0, key.1, old));
        }
    }

    /// Forgets the marks of slots from the given one on.
    pub fn clear_slots(&mut self, thread: usize, from: u32) {
        let slots = (thread as u32, from)..=(thread as u32, u32::MAX);
        let gone: Vec<u32> = self.slots.range(slots).map(|(place, _)| place.1).collect();
        gone.into_iter().for_each(|slot| self.set_slot(thread, slot as usize, Derived::KNOWN));
    }

    /// The marks that bytes have some part of: where each begins, how many bytes it has, and the mark.
    pub fn overlapping(&self, address: u64, size: u64) -> Vec<(u64, (u8, Derived))> {
        if self.memory.is_empty() {
            return Vec::new();
        }
        let entries = self.memory.range(address.saturating_sub(7)..address.saturating_add(size));
        let overlaps = |(at, entry): &(&u64, &(u8, Derived))| **at + u64::from(entry.0) > address;
        entries.filter(overlaps).map(|(at, entry)| (*at, entry.clone())).collect()
    }

    /// Gives bytes a mark. Those that they had are forgotten before, when the bytes are written.
    pub fn set_bytes(&mut self, address: u64, size: u8, mark: Derived) {
        let old = self.memory.insert(address, (size, mark));
        self.log.push(Old::Memory(address, old));
    }

    /// Forgets the marks of bytes. Of one that goes beyond them it stays what is outside.
    pub fn forget(&mut self, address: u64, size: u64) {
        for (at, (length, mark)) in self.overlapping(address, size) {
            let old = self.memory.remove(&at);
            self.log.push(Old::Memory(at, old));
            let end = at + u64::from(length);
            for byte in (at..end).filter(|byte| !(address..address + size).contains(byte)) {
                let part = part(&mark, (byte - at) as u32, 1);
                if part.bits != 0 {
                    self.set_bytes(byte, 1, part);
                }
            }
        }
    }

    /// All that is known, as words.
    pub fn words(&self) -> Vec<u64> {
        let mut words = Vec::new();
        for ((thread, slot), mark) in &self.slots {
            words.push(u64::from(*thread) << 32 | u64::from(*slot));
            add_words(&mut words, mark);
        }
        for (address, (size, mark)) in &self.memory {
            words.extend([*address, u64::from(*size)]);
            add_words(&mut words, mark);
        }
        words
    }

    /// The length of the log.
    pub fn length(&self) -> usize {
        self.log.len()
    }

    /// Goes back to when the log had that length.
    pub fn rollback(&mut self, length: usize) {
        while self.log.len() > length {
            match self.log.pop() {
                Some(Old::Slot(thread, slot, Some(mark))) => drop(self.slots.insert((thread, slot), mark)),
                Some(Old::Slot(thread, slot, None)) => drop(self.slots.remove(&(thread, slot))),
                Some(Old::Memory(address, Some(entry))) => drop(self.memory.insert(address, entry)),
                Some(Old::Memory(address, None)) => drop(self.memory.remove(&address)),
                None => return,
            }
        }
    }
}

fn add_words(words: &mut Vec<u64>, mark: &Derived) {
    words.push(mark.bits);
    match &mark.form {
        Form::Opaque => words.push(0),
        Form::Field(address, shift) => words.extend([1, *address, *shift as u64]),
        Form::Sum(terms, constant) => {
            words.extend([2, *constant, terms.len() as u64]);
            words.extend(terms.iter().flat_map(|term| [term.0, term.1]));
        }
        Form::Xor(addresses) => {
            words.extend([3, addresses.len() as u64]);
            words.extend(addresses);
        }
    }
}

/// The mark of some bytes of a word, from the given one on.
pub fn part(mark: &Derived, from: u32, bytes: u32) -> Derived {
    let lowest = u64::MAX.checked_shr(64 - 8 * bytes).unwrap_or(0);
    let bits = (mark.bits >> (8 * from)) & lowest;
    let form = match &mark.form {
        _ if from == 0 && bits == mark.bits => mark.form.clone(),
        Form::Field(address, shift) => Form::Field(*address, *shift - 8 * from as i8),
        _ => Form::Opaque,
    };
    Derived { bits, form }
}

/// The mark of a word that some bytes are put together to: each with the byte at which it begins.
pub fn joined(parts: impl IntoIterator<Item = (i32, Derived)>) -> Derived {
    let mut whole = Derived::KNOWN;
    for (from, mark) in parts.into_iter().filter(|(_, mark)| mark.bits != 0) {
        let (bits, form) = match from {
            0.. => (mark.bits.checked_shl(8 * from as u32).unwrap_or(0), shifted(mark.form, 8 * from)),
            _ => (mark.bits.checked_shr(8 * from.unsigned_abs()).unwrap_or(0), shifted(mark.form, 8 * from)),
        };
        whole = Derived {
            form: if whole.bits == 0 || whole.form == form { form } else { Form::Opaque },
            bits: whole.bits | bits,
        };
    }
    whole
}

/// The form of a word whose bits are moved so many places up.
pub fn shifted(form: Form, places: i32) -> Form {
    match form {
        _ if places == 0 => form,
        Form::Field(address, shift) => match i8::try_from(i32::from(shift) + places) {
            Ok(shift) => Form::Field(address, shift),
            Err(_) => Form::Opaque,
        },
        _ => Form::Opaque,
    }
}
