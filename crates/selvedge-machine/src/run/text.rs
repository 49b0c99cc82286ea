//! Bytes and texts: the functions of `string.h`.

use super::access::Found;
use super::{Outcome, Run, Step};
use crate::code::AccessMode;
use crate::failure::FailureKind;
use crate::memory::{Kind, Object, ObjectId, Sharing};
use crate::options::Addresses;
use selvedge_trace::AccessKind;

impl Run<'_> {
    /// Finds bytes to read; together with what came before in the same operation.
    pub fn readable(&mut self, address: u64, size: u64) -> Step<Found> {
        let found = self.copyable(address, size)?;
        self.note_at_once(&found, 1);
        self.check_written(&found)?;
        Ok(found)
    }

    /// Finds bytes to copy: it does not matter whether somebody wrote them.
    fn copyable(&mut self, address: u64, size: u64) -> Step<Found> {
        let found = self.joint(address, size)?;
        self.note(&found, AccessKind::Read);
        self.note_at_once(&found, 8);
        if found.visible {
            // Loops that read so much at once are not followed.
            self.note_effect();
        }
        self.touch(&found, false, AccessMode::Plain)?;
        self.check_open(&found)?;
        Ok(found)
    }

    /// Finds bytes to write.
    pub fn writable(&mut self, address: u64, size: u64) -> Step<Found> {
        let found = self.joint(address, size)?;
        if let Kind::Constant(_) = self.state.memory.object(found.id).kind {
            let what = crate::names::describe_object(self.code, &self.state.memory, found.id);
            return Err(self.fail(FailureKind::WriteToConstant(what)));
        }
        self.note(&found, AccessKind::Overwrite);
        self.note_at_once(&found, 8);
        self.touch(&found, true, AccessMode::Plain)?;
        self.note_effect();
        Ok(found)
    }

    /// Notes that others could tell this access, which is one step here, from one that takes so many bytes at a time.
    fn note_at_once(&mut self, found: &Found, word: u64) {
        if found.visible && found.size > word && self.atomic == 0 {
            self.at_once.insert(self.place());
        }
    }

    /// Finds bytes for an operation that may have had its permit already.
    fn joint(&mut self, address: u64, size: u64) -> Step<Found> {
        let goes_on = self.permits == 0 && !self.committed;
        self.atomic += u32::from(goes_on);
        let found = self.find(address, size);
        self.atomic -= u32::from(goes_on);
        found
    }

    /// Whether an access of the present operation would need a permit that is not there.
    fn must_stop(&self, addresses: &[u64]) -> bool {
        let is_visible = |address: &u64| {
            self.state.memory.find(*address).is_some_and(|id| {
                let object = self.state.memory.object(id);
                object.sharing == Sharing::Shared && !matches!(object.kind, Kind::Constant(_))
            })
        };
        self.atomic == 0
            && self.permits == 0
            && self.committed
            && self.is_concurrent()
            && addresses.iter().any(is_visible)
    }

    /// Stops before an operation on several pieces of memory, so that all of it happens at once.
    pub fn together(&mut self, addresses: &[u64]) -> Step {
        match self.must_stop(addresses) {
            true => Err(Outcome::Arrived),
            false => Ok(()),
        }
    }

    /// Copies bytes among all bytes. Those that nobody wrote stay so.
    pub fn copy_bytes(&mut self, from: usize, to: usize, size: usize) {
        let memory = &self.state.memory;
        let chunks = (0..size).step_by(8).map(|i| (i, (size - i).min(8)));
        let words: Vec<_> =
            chunks.map(|(i, n)| (i, n, memory.load(from + i, n), memory.unwritten(from + i, n))).collect();
        for (i, n, word, unwritten) in words {
            self.state.store(to + i, n, word);
            if unwritten != 0 {
                self.state.set_unwritten(to + i, n, unwritten);
            }
        }
        self.copy_addresses(from, to, size);
    }

    /// Notes that bytes are copied that may be addresses, or computed from some.
    fn copy_addresses(&mut self, from: usize, to: usize, size: usize) {
        let memory = &self.state.memory;
        let holder = |at: usize| memory.objects.partition_point(|object| object.start <= at).checked_sub(1);
        let (Some(source), Some(target)) = (holder(from), holder(to)) else { return };
        if !memory.objects[source].holds_addresses && !self.state.has_numbers() {
            return;
        }
        let address = |object: &Object, at: usize| object.base + (at - object.start) as u64;
        let (first, second) = (address(&memory.objects[source], from), address(&memory.objects[target], to));
        self.state.object_mut(ObjectId(target as u32)).holds_addresses = true;
        if self.options.addresses == Addresses::Fixed {
            return;
        }
        for at in (0..size).step_by(8) {
            let length = (size - at).min(8);
            let mark = self.state.number_in(first + at as u64, from + at, length);
            if mark.bits != 0 {
                let place = second + at as u64;
                self.state.with_numbers(|numbers| numbers.set_bytes(place, length as u8, mark));
            }
        }
    }

    fn publish_bytes(&mut self, found: &Found) {
        if self.state.memory.object(found.id).sharing != Sharing::Shared {
            return;
        }
        let width = self.state.memory.model().pointer_bytes();
        let mut at = found.at + (found.address.wrapping_neg() % width as u64) as usize;
        while at + width <= found.at + found.size as usize {
            let word = self.state.memory.load(at, width);
            self.publish(word);
            at += width;
        }
    }

    pub fn memcpy(&mut self, to: u64, from: u64, size: u64) -> Step<u64> {
        if size == 0 {
            return Ok(to);
        }
        self.together(&[to, from])?;
        let source = self.copyable(from, size)?;
        let target = self.writable(to, size)?;
        self.copy_bytes(source.at, target.at, size as usize);
        self.publish_bytes(&target);
        Ok(to)
    }

    pub fn memset(&mut self, to: u64, byte: u64, size: u64) -> Step<u64> {
        if size == 0 {
            return Ok(to);
        }
        let target = self.writable(to, size)?;
        let word = (byte & 0xff) * 0x0101_0101_0101_0101;
        for at in (0..size as usize).step_by(8) {
            self.state.store(target.at + at, (size as usize - at).min(8), word);
        }
        Ok(to)
    }

    /// The bytes at an address, up to a zero or so many.
    pub fn text(&mut self, address: u64, most: u64) -> Step<Vec<u8>> {
        let Some(id) = self.state.memory.find(address) else {
            self.find(address, 1)?;
            return Ok(Vec::new());
        };
        let object = *self.state.memory.object(id);
        let offset = address.wrapping_sub(object.base);
        if offset >= object.size && most > 0 {
            self.find(address, 1)?;
        }
        let start = object.start + offset as usize;
        let end = object.start + object.size as usize;
        let bytes: Vec<u8> =
            self.state.memory.bytes[start.min(end)..end].iter().copied().take(most as usize).collect();
        let length = bytes.iter().position(|b| *b == 0);
        let read = match length {
            Some(length) => length as u64 + 1,
            None if (bytes.len() as u64) < most => bytes.len() as u64 + 1,
            None => bytes.len() as u64,
        };
        if read > 0 {
            self.readable(address, read)?;
        }
        Ok(bytes[..length.unwrap_or(bytes.len())].to_vec())
    }

    /// Writes bytes.
    pub fn put(&mut self, to: u64, bytes: &[u8]) -> Step {
        if bytes.is_empty() {
            return Ok(());
        }
        let target = self.writable(to, bytes.len() as u64)?;
        for (i, chunk) in bytes.chunks(8).enumerate() {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.state.store(target.at + i * 8, chunk.len(), u64::from_le_bytes(word));
        }
        self.publish_bytes(&target);
        Ok(())
    }

    /// Puts a text with its zero.
    pub fn put_text(&mut self, to: u64, text: &[u8]) -> Step {
        let mut bytes = text.to_vec();
        bytes.push(0);
        self.put(to, &bytes)
    }

    pub fn memcmp(&mut self, a: u64, b: u64, size: u64) -> Step<u64> {
        if size == 0 {
            return Ok(0);
        }
        self.together(&[a, b])?;
        let (a, b) = (self.readable(a, size)?, self.readable(b, size)?);
        self.note_compared_bytes(a.at, b.at, size as usize);
        let bytes = &self.state.memory.bytes;
        let order = bytes[a.at..a.at + size as usize].cmp(&bytes[b.at..b.at + size as usize]);
        self.note_compared_numbers(&a, &b);
        Ok(order as i8 as i64 as u64)
    }

    /// Notes that the outcome of a comparison of bytes depends on the number of an address, if the first that differ do.
    fn note_compared_numbers(&mut self, a: &Found, b: &Found) {
        let may_hold = self.holds_addresses(a) || self.holds_addresses(b);
        let bytes = &self.state.memory.bytes;
        let differs = |i: &usize| bytes[a.at + i] != bytes[b.at + i];
        if let Some(i) = (0..a.size as usize).find(differs).filter(|_| may_hold) {
            let bits = |found: &Found| self.state.number_in(found.address + i as u64, found.at + i, 1).bits;
            if bits(a) | bits(b) != 0 {
                self.depend_on_number(self.present);
            }
        }
    }

    pub fn compare_texts(&mut self, a: u64, b: u64, most: u64) -> Step<u64> {
        self.together(&[a, b])?;
        let (a, b) = (self.text(a, most)?, self.text(b, most)?);
        Ok(a.cmp(&b) as i8 as i64 as u64)
    }

    /// The address of a text that is a copy.
    pub fn duplicate(&mut self, text: &[u8]) -> Step<u64> {
        let base = self.allocate(text.len() as u64 + 1)?;
        self.put_text(base, text)?;
        Ok(base)
    }
}
