//! Blocks of memory: allocating, freeing, copying and setting them.

use super::locks::EINVAL;
use super::{Run, Step};
use crate::builtin::Builtin;
use crate::code::Call;
use crate::failure::{CutReason, FailureKind};
use crate::memory::{ALIGNMENT, Kind, Life, ObjectId};
use selvedge_trace::AccessKind;

impl Run<'_> {
    /// Functions on blocks of memory.
    pub fn memory_function(&mut self, builtin: Builtin, call: &Call, words: &[u64]) -> Step<u64> {
        let a = |i: usize| words.get(i).copied().unwrap_or(0);
        match builtin {
            Builtin::Malloc => self.allocate(a(0)),
            Builtin::Calloc => self.allocate_zeros(a(0).saturating_mul(a(1))),
            Builtin::AlignedAlloc => self.allocate_aligned(a(0), a(1)),
            Builtin::NewAligned => self.allocate_aligned(a(1), a(0)),
            Builtin::PosixMemalign => {
                if !a(1).is_power_of_two() || a(1) < self.pointer_bytes() {
                    return Ok(EINVAL);
                }
                self.together(&[a(0)])?;
                let address = self.allocate_aligned(a(1), a(2))?;
                let goes_on = self.permits == 0 && !self.committed;
                self.atomic += u32::from(goes_on);
                let bits = self.pointer_bits();
                let stored = self.store(a(0), bits, address, crate::code::AccessMode::Plain);
                self.atomic -= u32::from(goes_on);
                stored.map(|()| 0)
            }
            Builtin::Realloc => self.reallocate(a(0), a(1)),
            Builtin::Free => self.free(a(0)),
            Builtin::Memcpy => self.memcpy(a(0), a(1), a(2)),
            Builtin::Memset => self.memset(a(0), a(1), a(2)),
            Builtin::Bzero => self.memset(a(0), 0, a(1)),
            Builtin::AtomicLoad
            | Builtin::AtomicStore
            | Builtin::AtomicExchange
            | Builtin::AtomicCompareExchange => self.atomic_bytes(builtin, words),
            _ => Err(self.give_up(CutReason::Unsupported(format!("`{}`", call.name)))),
        }
    }

    pub fn allocate(&mut self, size: u64) -> Step<u64> {
        self.note_effect();
        let block = self.choose_block(size, None)?;
        self.allocate_at(block, size)
    }

    /// A block, at the address of a freed one if there is one.
    fn allocate_at(&mut self, freed: Option<ObjectId>, size: u64) -> Step<u64> {
        let id = match freed {
            Some(old) => self.create_again(old, size),
            None => self.create(size, Kind::Heap)?,
        };
        Ok(self.state.memory.object(id).base)
    }

    /// A block whose address is a multiple of a number; null if that is no power of two.
    fn allocate_aligned(&mut self, alignment: u64, size: u64) -> Step<u64> {
        match alignment {
            _ if !alignment.is_power_of_two() => Ok(0),
            _ if alignment > ALIGNMENT => {
                let what = format!("memory at a multiple of {alignment}");
                Err(self.give_up(CutReason::Unsupported(what)))
            }
            _ => {
                let address = self.allocate(size)?;
                if let Some(id) = self.state.memory.find(address) {
                    let object = self.state.object_mut(id);
                    object.alignment = object.alignment.max(alignment as u32);
                }
                Ok(address)
            }
        }
    }

    fn allocate_zeros(&mut self, size: u64) -> Step<u64> {
        let address = self.allocate(size)?;
        if let Some(id) = self.state.memory.find(address) {
            self.state.memory.set_written(id);
        }
        Ok(address)
    }

    fn reallocate(&mut self, address: u64, size: u64) -> Step<u64> {
        if address == 0 {
            return self.allocate(size);
        }
        self.together(&[address])?;
        let (id, old) = match self.state.memory.find(address) {
            Some(id) if self.state.memory.object(id).base == address => (id, *self.state.memory.object(id)),
            _ => return self.free(address),
        };
        self.note_effect();
        self.locations.resizes = true;
        let can_stay = old.life == Life::Live && size <= self.state.memory.room_at(id);
        let block = self.choose_block(size, can_stay.then_some(id))?;
        let copied = old.size.min(size);
        if block == Some(id) && can_stay {
            self.free(address)?;
            let new = self.allocate_at(block, size)?;
            let to = self.find_again(new, 0).map_or(0, |found| found.at);
            self.copy_bytes(old.start, to, copied as usize);
            return Ok(new);
        }
        let new = self.allocate_at(block, size)?;
        if copied > 0 && old.life == Life::Live {
            self.memcpy(new, address, copied)?;
        }
        let made = self.state.memory.objects.len() as u32;
        self.free(address)?;
        // The new block might have had the address of the old one.
        self.state.object_mut(id).end.1 = made - 1;
        Ok(new)
    }

    pub fn free(&mut self, address: u64) -> Step<u64> {
        if address == 0 {
            return Ok(0);
        }
        self.note_effect();
        let describe = |run: &Self, id| crate::names::describe_object(run.code, &run.state.memory, id);
        let Some(id) = self.state.memory.find(address) else {
            return Err(self.fail(FailureKind::InvalidFree("an address where there is nothing".to_owned())));
        };
        let object = *self.state.memory.object(id);
        if object.kind != Kind::Heap || object.base != address {
            let what = describe(self, id);
            return Err(self.fail(FailureKind::InvalidFree(what)));
        }
        self.together(&[address])?;
        let visible = object.sharing == crate::memory::Sharing::Shared && self.is_concurrent();
        if visible && self.permits > 0 {
            self.gate()?;
        }
        self.gate_free()?;
        let found = super::access::Found { id, at: object.start, address, size: object.size, visible };
        if object.life == Life::Dead {
            self.note_end(&found, AccessKind::Read);
            let what = describe(self, id);
            return Err(self.fail(FailureKind::DoubleFree(what)));
        }
        self.note_end(&found, AccessKind::Write);
        if object.size > 0 {
            self.touch(&found, true, crate::code::AccessMode::Plain)?;
        }
        self.state.end_life(id, self.thread);
        self.note_free(id);
        Ok(0)
    }
}
