//! Accesses to memory.

use super::{Extent, Run, Step, arithmetic};
use crate::code::{AccessMode, AssumptionKind, Exchange};
use crate::failure::{CutReason, FailureKind};
use crate::memory::{Kind, Life, ObjectId, Sharing};
use crate::names;
use crate::races::Touch;
use crate::state::SpinList;
use selvedge_llvm::instruction::{BinaryOperator, RmwOperator};
use selvedge_trace::{AccessKind, Blocking, Finding, LocationId};

/// Bytes of an object that were found.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    pub id: ObjectId,
    /// Where they are among all bytes.
    pub at: usize,
    pub address: u64,
    pub size: u64,
    /// Whether other threads may see the access.
    pub visible: bool,
}

/// The bytes of so many bits.
#[inline(always)]
fn bytes(bits: u8) -> usize {
    (bits as usize).div_ceil(8)
}

impl Run<'_> {
    /// Finds the bytes of an access. One that others may see needs a permit.
    #[inline(always)]
    pub fn find(&mut self, address: u64, size: u64) -> Step<Found> {
        let id = match self.state.memory.access(address, size) {
            Ok(id) => id,
            Err(fault) => return Err(self.memory_fault(fault, address, size)),
        };
        let object = self.state.memory.object(id);
        let at = object.start + (address - object.base) as usize;
        let visible = match object.sharing {
            Sharing::Shared => self.is_concurrent() && !matches!(object.kind, Kind::Constant(_)),
            Sharing::Private(owner) if owner as usize == self.thread => false,
            Sharing::Private(_) => return Err(self.hidden(id)),
        };
        let life = object.life;
        let found = Found { id, at, address, size, visible };
        if visible {
            self.gate()?;
        }
        if life == Life::Dead {
            if visible {
                // Had it come before the end of the object, it might have waited.
                if self.code.awaits[self.present as usize] && self.atomic == 0 && !self.committed {
                    self.may_wait(Blocking::Guard);
                }
                self.note(&found, AccessKind::Read);
            }
            let what = names::describe_object(self.code, &self.state.memory, id);
            return Err(self.fail(FailureKind::UseAfterFree(what)));
        }
        Ok(found)
    }

    /// Finds bytes once more, if they are still there.
    pub fn find_again(&self, address: u64, size: u64) -> Option<Found> {
        let id = self.state.memory.access(address, size).ok()?;
        let object = self.state.memory.object(id);
        let at = object.start + (address - object.base) as usize;
        (object.life == Life::Live).then_some(Found { id, at, address, size, visible: true })
    }

    /// Notes what an access accesses.
    #[inline(always)]
    pub fn note(&mut self, found: &Found, kind: AccessKind) {
        if !found.visible {
            if self.locations.rehearsing {
                self.learn(found);
            }
            return;
        }
        let object = self.state.memory.object(found.id);
        let offset = found.address - object.base;
        let (first, granule) = match object.location {
            u32::MAX => self.place_object(found.id),
            first => (first, object.granule),
        };
        if self.locations.rehearsing {
            self.learn(found);
        }
        if self.tells() {
            return self.tell(found, kind, first, granule);
        }
        let from = first + (offset >> granule) as u32;
        let to = first + ((offset + found.size.max(1) - 1) >> granule) as u32;
        for location in from..=to {
            self.footprint.record(LocationId(location), kind);
        }
    }

    fn learn(&mut self, found: &Found) {
        let object = *self.state.memory.object(found.id);
        self.locations.learn(&object, found.address - object.base, found.size);
    }

    /// The first location of an object.
    pub fn first_location(&mut self, id: ObjectId) -> u32 {
        match self.state.memory.object(id).location {
            u32::MAX => self.place_object(id).0,
            first => first,
        }
    }

    #[cold]
    fn place_object(&mut self, id: ObjectId) -> (u32, u8) {
        let object = self.state.memory.object(id);
        let room = match self.reuses() && object.kind == Kind::Heap {
            true => self.state.memory.room_at(id),
            false => object.size,
        };
        let (first, granule) = self.locations.of(object, room);
        let object = self.state.object_mut(id);
        object.location = first;
        object.granule = granule;
        (first, granule)
    }

    /// Notes the number that the operation finds, and for a compare-exchange the one that it expects, if these are all that it depends on.
    #[inline(always)]
    fn note_finding(&mut self, found: &Found, bits: u8, expected: Option<u64>) {
        if !found.visible || self.atomic > 0 || self.footprint.blocking != Blocking::Never {
            return;
        }
        let is_open = !self.state.is_plain() || self.state.memory.is_unwritten(found.at, found.size as usize);
        if !is_open && !self.state.races.is_on() {
            let number = arithmetic::masked(self.state.memory.load(found.at, found.size as usize), bits);
            let place = found.address << 8 | u64::from(bits);
            self.footprint.finding = Some(Finding { place, number, expected });
        }
    }

    /// Tells the detector of data races; fails if there is one.
    #[inline(always)]
    pub fn touch(&mut self, found: &Found, writes: bool, access: AccessMode) -> Step {
        if !self.state.races.is_on() {
            return Ok(());
        }
        self.touch_slowly(found, writes, access)
    }

    fn touch_slowly(&mut self, found: &Found, writes: bool, access: AccessMode) -> Step {
        let place = self.place();
        let touch = Touch {
            thread: self.thread,
            address: found.address,
            size: found.size,
            writes,
            atomic: access.is_atomic() || self.atomic > 0,
            place,
        };
        let race = self.state.race(|races, _| races.touch(touch));
        let Some(other) = race else { return Ok(()) };
        let name = names::describe(self.code, self.module, &self.state.memory, found.address, found.size).0;
        let what = if writes { "write" } else { "read" };
        Err(self.fail(FailureKind::DataRace(format!("unordered {what} of {name}"), other)))
    }

    /// Notes that something was read, for loops that wait for a change.
    #[inline(always)]
    pub fn note_read(&mut self, found: &Found, value: u64) {
        if self.state.threads[self.thread].spin.head.is_some() && found.visible {
            let read = (found.address, found.size as u8, value);
            self.state.add_to_spin(self.thread, SpinList::Reads, read);
        }
    }

    /// Notes that a round of a loop has an effect.
    #[inline(always)]
    pub fn note_effect(&mut self) {
        if self.state.threads[self.thread].spin.head.is_some() {
            self.state.end_spin(self.thread);
        }
    }

    /// Notes a write, which is an effect of the round of a loop unless the object is younger.
    #[inline(always)]
    fn note_write(&mut self, found: &Found) {
        let spin = &self.state.threads[self.thread].spin;
        if spin.head.is_some() && !self.state.memory.is_younger(found.id, spin.fresh) {
            self.note_write_in_loop(found);
        }
    }

    /// Makes objects accessible to all whose addresses become known to all.
    #[inline(always)]
    pub fn publish(&mut self, value: u64) {
        // An input that is not decided yet has an object that stands for it.
        let symbols = self.state.symbols();
        let value = symbols.tag(value).map_or(value, |tag| symbols.get(tag.symbol).address);
        if let Some(id) = self.state.memory.find(value)
            && self.state.memory.object(id).sharing != Sharing::Shared
        {
            self.publish_object(id);
        }
    }

    fn publish_object(&mut self, id: ObjectId) {
        let mut todo = vec![id];
        while let Some(id) = todo.pop() {
            let object = *self.state.memory.object(id);
            if object.sharing == Sharing::Shared {
                continue;
            }
            self.state.share(id);
            let width = self.state.memory.model().pointer_bytes();
            for word in 0..object.size as usize / width {
                let value = self.state.memory.load(object.start + word * width, width);
                if let Some(inner) = self.state.memory.find(value) {
                    todo.push(inner);
                }
            }
            let symbols = self.state.symbols();
            for (_, (_, word)) in symbols.overlapping(object.base, object.size) {
                let address = symbols.tag(word).map(|tag| symbols.get(tag.symbol).address);
                todo.extend(address.and_then(|address| self.state.memory.find(address)));
            }
        }
    }

    /// Bytes that nobody wrote are a failure, if that is looked for; the value goes on with a mark otherwise.
    #[cold]
    fn read_unwritten(&mut self, found: &Found, bits: u64) -> Step {
        if !self.options.checks.uninitialised {
            self.unwritten = bits;
            return Ok(());
        }
        let name = names::describe(self.code, self.module, &self.state.memory, found.address, found.size).0;
        Err(self.fail(FailureKind::Uninitialised(name)))
    }

    #[inline(always)]
    pub fn load(&mut self, pc: u32, address: u64, bits: u8, access: AccessMode) -> Step<u64> {
        let size = bytes(bits);
        if let Some(value) = self.load_own(address, size) {
            return Ok(arithmetic::masked(value, bits));
        }
        let found = self.find(address, size as u64)?;
        if found.visible && self.code.awaits[pc as usize] && self.atomic == 0 && !self.committed {
            let assumes = self.code.assumes[pc as usize].kind != AssumptionKind::None;
            // A decision about an input belongs to an operation of its own.
            if !assumes || self.state.is_plain() {
                self.awaiting = self.extent == Extent::Look;
                self.assuming = self.awaiting && assumes;
                self.may_wait(Blocking::Guard);
            }
        }
        self.note(&found, AccessKind::Read);
        self.touch(&found, false, access)?;
        if access.is_atomic() {
            let thread = self.thread;
            self.state.race(|races, _| races.atomic_load(thread, address, access));
        }
        let unwritten = self.state.memory.unwritten(found.at, size);
        if unwritten != 0 {
            self.read_unwritten(&found, unwritten)?;
        }
        self.check_known(&found)?;
        let value = self.state.memory.load(found.at, size);
        self.is_partial = size != self.state.memory.model().pointer_bytes() && self.holds_addresses(&found);
        self.note_finding(&found, bits, None);
        if !self.state.symbols().is_empty() {
            let held = self.state.symbols().overlapping(address, size as u64);
            if !held.is_empty() {
                return self.load_open(&found, held);
            }
        }
        self.note_read(&found, value);
        Ok(arithmetic::masked(value, bits))
    }

    /// Whether addresses may have been stored in an object.
    #[inline(always)]
    pub fn holds_addresses(&self, found: &Found) -> bool {
        self.state.memory.object(found.id).holds_addresses
    }

    /// Whether a modification finds an address, or has to do with one.
    pub fn modifies_address(&self, address: u64, value: u64, bits: u8) -> bool {
        let size = bytes(bits);
        let found = self.find_again(address, size as u64).filter(|found| self.holds_addresses(found));
        self.may_be_address(value)
            || found.is_some_and(|found| self.may_be_address(self.state.memory.load(found.at, size)))
    }

    /// The short way to read what only this thread can access, if there is nothing special about it.
    #[inline(always)]
    fn load_own(&self, address: u64, size: usize) -> Option<u64> {
        let memory = &self.state.memory;
        let object = memory.object(memory.find(address)?);
        let offset = address - object.base;
        let is_inside = offset <= object.size && object.size - offset >= size as u64;
        let is_own = object.sharing == Sharing::Private(self.thread as u32) && object.life == Life::Live;
        let is_plain = self.state.is_plain() && !self.state.races.is_on() && !self.locations.rehearsing;
        if !is_inside || !is_own || !is_plain {
            return None;
        }
        if object.holds_addresses && size != memory.model().pointer_bytes() {
            return None;
        }
        let at = object.start + offset as usize;
        (memory.unwritten(at, size) == 0).then(|| memory.load(at, size))
    }

    /// Reads memory that holds a value that is not decided yet.
    #[cold]
    fn load_open(&mut self, found: &Found, held: Vec<(u64, (u8, u64))>) -> Step<u64> {
        self.note_effect();
        match held[..] {
            [(address, (size, word))] if address == found.address && u64::from(size) == found.size => {
                Ok(word)
            }
            _ => Err(self.give_up(CutReason::ManyValues)),
        }
    }

    /// What is defined elsewhere holds nobody knows what.
    #[inline(always)]
    fn check_known(&mut self, found: &Found) -> Step {
        if let Kind::Global(number) | Kind::Constant(number) = self.state.memory.object(found.id).kind
            && self.code.globals[number as usize].is_external
        {
            return self.check_external(number);
        }
        Ok(())
    }

    #[cold]
    fn check_external(&mut self, number: u32) -> Step {
        let name = &self.code.globals[number as usize].variable.name;
        match name.as_str() {
            // The last says by 0 that there may be several threads.
            "stdin" | "stdout" | "stderr" | "__dso_handle" | "__libc_single_threaded" => Ok(()),
            _ => {
                let what = format!("the variable `{name}`, which is defined elsewhere");
                Err(self.give_up(CutReason::Unsupported(what)))
            }
        }
    }

    pub fn check_constant(&mut self, found: &Found) -> Step {
        if let Kind::Constant(_) = self.state.memory.object(found.id).kind {
            let what = names::describe_object(self.code, &self.state.memory, found.id);
            return Err(self.fail(FailureKind::WriteToConstant(what)));
        }
        Ok(())
    }

    #[inline(always)]
    pub fn store(&mut self, address: u64, bits: u8, value: u64, access: AccessMode) -> Step {
        let size = bytes(bits);
        let found = self.find(address, size as u64)?;
        self.check_constant(&found)?;
        self.note(&found, AccessKind::Overwrite);
        self.touch(&found, true, access)?;
        if access.is_atomic() {
            let thread = self.thread;
            self.state.race(|races, _| races.atomic_store(thread, address, access));
        }
        self.note_finding(&found, bits, None);
        self.write(&found, value);
        Ok(())
    }

    /// Writes a word that was found.
    #[inline(always)]
    pub fn write(&mut self, found: &Found, value: u64) {
        self.note_write(found);
        if self.state.symbols().tag(value).is_some() {
            return self.write_open(found, value);
        }
        if found.size == self.state.memory.model().pointer_bytes() as u64 {
            if self.may_be_address(value) {
                self.state.object_mut(found.id).holds_addresses = true;
            }
            if self.state.memory.object(found.id).sharing == Sharing::Shared {
                self.publish(value);
            }
        }
        self.state.store(found.at, found.size as usize, value);
    }

    /// Writes a value that is not decided yet.
    #[cold]
    fn write_open(&mut self, found: &Found, word: u64) {
        self.state.store(found.at, found.size as usize, 0);
        if self.state.memory.object(found.id).sharing == Sharing::Shared {
            self.publish(word);
        }
        let (address, size) = (found.address, found.size as u8);
        self.state.with_symbols(|symbols| symbols.store(address, size, word));
    }

    /// Bytes that are read other than as a whole word must be decided.
    pub fn check_open(&mut self, found: &Found) -> Step {
        if self.state.symbols().overlapping(found.address, found.size).is_empty() {
            return Ok(());
        }
        Err(self.give_up(CutReason::ManyValues))
    }

    pub fn load_words(
        &mut self,
        slots: &mut [u64],
        dst: usize,
        address: u64,
        shape: u32,
        access: AccessMode,
    ) -> Step {
        let words = &self.code.shapes[shape as usize];
        let size = words.iter().map(|w| w.0 + bytes(w.1) as u64).max().unwrap_or(0);
        let found = self.find(address, size)?;
        self.note(&found, AccessKind::Read);
        self.touch(&found, false, access)?;
        if access.is_atomic() {
            let thread = self.thread;
            self.state.race(|races, _| races.atomic_load(thread, address, access));
        }
        self.check_known(&found)?;
        self.check_open(&found)?;
        for (i, &(offset, bits)) in words.iter().enumerate() {
            let value = self.state.memory.load(found.at + offset as usize, bytes(bits));
            slots[dst + i] = arithmetic::masked(value, bits);
            let unwritten = self.state.memory.unwritten(found.at + offset as usize, bytes(bits));
            if unwritten != 0 {
                self.state.set_mark(self.thread, dst + i, unwritten);
            }
        }
        self.note_effect();
        self.done()
    }

    pub fn store_words(
        &mut self,
        slots: &[u64],
        src: usize,
        address: u64,
        shape: u32,
        access: AccessMode,
    ) -> Step {
        let words = &self.code.shapes[shape as usize];
        let size = words.iter().map(|w| w.0 + bytes(w.1) as u64).max().unwrap_or(0);
        let found = self.find(address, size)?;
        self.check_constant(&found)?;
        self.note(&found, AccessKind::Write);
        self.touch(&found, true, access)?;
        if access.is_atomic() {
            let thread = self.thread;
            self.state.race(|races, _| races.atomic_store(thread, address, access));
        }
        for (i, &(offset, bits)) in words.iter().enumerate() {
            let part = Found {
                at: found.at + offset as usize,
                address: address + offset,
                size: bytes(bits) as u64,
                ..found
            };
            self.write(&part, slots[src + i]);
        }
        self.done()
    }

    pub fn compare_exchange(
        &mut self,
        pc: u32,
        address: u64,
        expected: u64,
        new: u64,
        bits: u8,
        access: Exchange,
    ) -> Step<(u64, bool)> {
        let size = bytes(bits);
        let found = self.find(address, size as u64)?;
        self.check_constant(&found)?;
        if found.visible {
            self.vary();
            if self.code.awaits[pc as usize] && self.atomic == 0 && !self.committed {
                self.awaiting = self.extent == Extent::Look;
                self.may_wait(Blocking::Guard);
            }
        }
        self.check_open(&found)?;
        self.check_written(&found)?;
        let old = arithmetic::masked(self.state.memory.load(found.at, size), bits);
        let expected = arithmetic::masked(expected, bits);
        if self.may_be_address(old.min(expected)) {
            self.note_comparison(old, expected);
        }
        let success = old == expected;
        // If it would write what it expects, it leaves memory as it was, as a read does: see `modify`.
        let changes = arithmetic::masked(new, bits) != expected || self.state.symbols().tag(new).is_some();
        let writes = changes || self.state.races.is_on();
        self.note_finding(&found, bits, writes.then_some(expected));
        self.note(&found, if success && writes { AccessKind::Write } else { AccessKind::Read });
        self.touch(&found, success, access.success)?;
        let thread = self.thread;
        match success {
            true => self.state.race(|races, _| races.atomic_modify(thread, address, access.success)),
            false => self.state.race(|races, _| races.atomic_load(thread, address, access.failure)),
        }
        match success && changes {
            true => self.write(&found, new),
            false => self.note_read(&found, old),
        }
        Ok((old, success))
    }

    pub fn modify(
        &mut self,
        op: RmwOperator,
        address: u64,
        value: u64,
        bits: u8,
        access: AccessMode,
    ) -> Step<u64> {
        let size = bytes(bits);
        let found = self.find(address, size as u64)?;
        self.check_constant(&found)?;
        self.check_open(&found)?;
        self.check_written(&found)?;
        let old = arithmetic::masked(self.state.memory.load(found.at, size), bits);
        self.note_finding(&found, bits, None);
        let (a, b) = (arithmetic::signed(old, bits), arithmetic::signed(value, bits));
        let new = match op {
            RmwOperator::Xchg => value,
            RmwOperator::Add => old.wrapping_add(value),
            RmwOperator::Sub => old.wrapping_sub(value),
            RmwOperator::And => old & value,
            RmwOperator::Nand => !(old & value),
            RmwOperator::Or => old | value,
            RmwOperator::Xor => old ^ value,
            RmwOperator::Max => a.max(b) as u64,
            RmwOperator::Min => a.min(b) as u64,
            RmwOperator::UMax => old.max(value),
            RmwOperator::UMin => old.min(value),
            RmwOperator::FAdd => arithmetic::float(BinaryOperator::FAdd, bits == 32, old, value),
            RmwOperator::FSub => arithmetic::float(BinaryOperator::FSub, bits == 32, old, value),
        };
        let new = arithmetic::masked(new, bits);
        if found.visible && !matches!(op, RmwOperator::Add | RmwOperator::Sub) {
            self.vary();
            if self.code.awaits[self.present as usize] && self.atomic == 0 && !self.committed {
                self.awaiting = self.extent == Extent::Look;
                self.may_wait(Blocking::Guard);
            }
        }
        // What leaves memory as it was is a read, as a failed compare-exchange is. But its order among others of its
        // like decides who synchronises with whom.
        let synchronises = self.state.races.is_on() && !self.code.awaits[self.present as usize];
        let changes = new != old || matches!(op, RmwOperator::Add | RmwOperator::Sub);
        self.note(&found, if changes || synchronises { AccessKind::Write } else { AccessKind::Read });
        self.touch(&found, true, access)?;
        let thread = self.thread;
        self.state.race(|races, _| races.atomic_modify(thread, address, access));
        // A loop that goes on after it waits, races or not: that somebody else synchronises with a further round orders more, and shows less.
        match changes {
            true => self.write(&found, new),
            false => self.note_read(&found, old),
        }
        Ok(old)
    }
}
