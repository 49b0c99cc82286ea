//! Freed memory that comes back: a block of the heap may have the address of one that was freed before.
//!
//! The machine speculates that none does. That makes a difference only where addresses of different blocks are compared and one
//! of them may have been freed before the other was made: so comparisons and frees watch for that, and refute the speculation.
//! From then on every allocation decides between an address of its own and those of freed blocks that are large enough. Which
//! these are depends on what other threads have freed, so an allocation reads the *pools* of all threads, a `free` writes the
//! pool of its thread, and an allocation that may take a block writes the pool that it would take it from.

use super::access::Found;
use super::{Run, Step};
use crate::memory::{Birth, Kind, Life, Object, ObjectId, Sharing};
use crate::options::Reuse;
use selvedge_trace::{AccessKind, LocationId};

/// Stands for the pools among addresses.
const POOL: u64 = 1;

/// Turns the address of a block into that of what orders its end before the life of the next one.
const ORDER: u64 = 1 << 63;

impl Run<'_> {
    /// Whether allocations may get freed memory.
    #[inline(always)]
    pub fn reuses(&self) -> bool {
        self.options.reuse == Reuse::Explored
    }

    /// The freed block whose address a new one of so many bytes gets, if the search decides so. The block that is being
    /// resized counts as freed.
    pub fn choose_block(&mut self, size: u64, resized: Option<ObjectId>) -> Step<Option<ObjectId>> {
        if !self.reuses() {
            return Ok(None);
        }
        let mut blocks = self.state.memory.freed_blocks(size);
        blocks.extend(resized);
        let is_concurrent = self.is_concurrent();
        if !is_concurrent && blocks.is_empty() {
            return Ok(None);
        }
        self.gate_once()?;
        if is_concurrent {
            self.note_pools(&blocks);
        }
        let choice = match blocks.len() as u32 {
            0 => 0,
            count => self.decide(count + 1)?,
        };
        Ok(choice.checked_sub(1).and_then(|place| blocks.get(place as usize)).copied())
    }

    /// Notes what an allocation depends on that may get one of some blocks. It is the same whichever it gets: the order of
    /// operations must not depend on decisions.
    fn note_pools(&mut self, blocks: &[ObjectId]) {
        self.note_effect();
        self.vary();
        for thread in 0..self.state.threads.len() {
            self.note_pool(thread, AccessKind::Read);
        }
        for &id in blocks {
            let Object { base: address, start: at, size, sharing, end, .. } = *self.state.memory.object(id);
            self.note_pool(end.0 as usize, AccessKind::Write);
            let visible = sharing != Sharing::Private(self.thread as u32);
            let found = Found { id, at, address, size, visible };
            self.note(&found, AccessKind::Write);
            self.note_end(&found, AccessKind::Write);
        }
    }

    /// Makes a block at the address of a freed one.
    pub fn create_again(&mut self, old: ObjectId, size: u64) -> ObjectId {
        let Object { base, sharing, .. } = *self.state.memory.object(old);
        // Whoever knows the address of the old one knows that of the new one.
        let is_own = sharing == Sharing::Private(self.thread as u32);
        let sharing = if is_own { sharing } else { Sharing::Shared };
        let place = self.code.place(self.present);
        let id = self.state.create_again(old, size, sharing, place);
        if self.is_concurrent() {
            self.state.object_mut(id).born = Birth::Concurrent;
        }
        let thread = self.thread;
        self.state.race(|races, _| races.acquire(thread, base | ORDER));
        id
    }

    /// Stops before a `free` that others may see.
    pub fn gate_free(&mut self) -> Step {
        match self.reuses() && self.is_concurrent() {
            true => self.gate_once(),
            false => Ok(()),
        }
    }

    /// Notes that a block was freed, for those who may get its memory.
    pub fn note_free(&mut self, id: ObjectId) {
        let base = self.state.memory.object(id).base;
        if self.reuses() {
            if self.is_concurrent() {
                self.note_pool(self.thread, AccessKind::Write);
            }
            let thread = self.thread;
            self.state.race(|races, _| races.release(thread, base | ORDER));
        }
        if self.options.reuse == Reuse::Explored || self.locations.compares_freed {
            return;
        }
        let freer = self.thread as u32;
        let compared = self.locations.compared_with(base).filter(|(_, thread)| *thread != freer);
        let others: Vec<u64> = compared.map(|(other, _)| other).collect();
        let mut others = others.into_iter().filter_map(|other| self.state.memory.find(other));
        self.locations.compares_freed = others.any(|other| self.may_replace(id, other));
    }

    /// Notes that two pairs of words are compared.
    pub fn note_wide_comparison(&mut self, a: u128, b: u128) {
        for shift in [0, 64] {
            let (a, b) = ((a >> shift) as u64, (b >> shift) as u64);
            if self.may_be_address(a.min(b)) {
                self.note_comparison(a, b);
            }
        }
    }

    fn note_pool(&mut self, thread: usize, kind: AccessKind) {
        let pool = self.locations.share(POOL, thread);
        self.footprint.record(LocationId(pool), kind);
    }

    /// Notes that two words are compared, for those who may get freed memory.
    #[cold]
    pub fn note_comparison(&mut self, a: u64, b: u64) {
        let memory = &self.state.memory;
        let (Some(x), Some(y)) = (memory.find(a), memory.find(b)) else { return };
        let is_heap = |id| memory.object(id).kind == Kind::Heap;
        if x == y || !is_heap(x) || !is_heap(y) || self.reuses() || self.locations.compares_freed {
            return;
        }
        let is_dead = |id| memory.object(id).life == Life::Dead;
        let is_refuted = is_dead(x) && self.may_replace(x, y) || is_dead(y) && self.may_replace(y, x);
        self.locations.compares_freed |= is_refuted;
        if self.is_concurrent() && !is_refuted {
            let (x, y) = (self.state.memory.object(x).base, self.state.memory.object(y).base);
            self.locations.note_compared(x, y, self.thread as u32);
        }
    }

    /// The same for words of some bytes.
    pub fn note_compared_bytes(&mut self, a: usize, b: usize, size: usize) {
        let width = self.state.memory.model().pointer_bytes();
        for at in (0..size.saturating_sub(width - 1)).step_by(width) {
            let (x, y) = (self.state.memory.load(a + at, width), self.state.memory.load(b + at, width));
            if self.may_be_address(x.min(y)) {
                self.note_comparison(x, y);
            }
        }
    }

    /// Whether a block might have had the address of one that is dead, in this execution or another order of its operations.
    fn may_replace(&self, old: ObjectId, new: ObjectId) -> bool {
        let (dead, block) = (self.state.memory.object(old), self.state.memory.object(new));
        let (freer, objects) = dead.end;
        let is_in_order = block.born == Birth::Alone || block.maker == Some(freer);
        // It may have been resized to the other one, by and by.
        let may_grow = self.locations.resizes && block.size <= self.state.memory.room_at(old);
        (dead.has_room_for(block.size) || may_grow) && (!is_in_order || new.0 >= objects)
    }
}
