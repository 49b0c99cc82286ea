//! What operations tell of themselves to algorithms that ask which write, or which value, a read observes.
//!
//! Such an algorithm must know of everything that an operation depends on. So with [`Telling::Observations`]
//!
//! - memory that other threads know is visible from the making of the first thread on, even when all others have ended;
//! - whether an object is still there has a location of its own: what accesses an object that can end reads it, what ends the
//!   object writes it;
//! - a store that replaces all bytes of a location does not look at it, any other write does;
//! - those who add to a semaphore, or to the readers of a lock, each write a location of their own, which those read who look at
//!   the sum: so they are still not ordered among themselves;
//! - memory that holds numbers, and nothing that is kept elsewhere, tells them.

use super::{Machine, cells};
use crate::failure::CutReason;
use crate::memory::{Kind, Life, Sharing};
use crate::options::Telling;
use crate::run::access::Found;
use crate::run::{Outcome, Run};
use selvedge_trace::{AccessKind, LocationId, Variation};

/// The granule, as a power of two, of the words of locks.
const WORD: u8 = 2;

/// What an operation has told of itself.
#[derive(Clone, Debug, Default)]
pub struct Told {
    pieces: Vec<Piece>,
    /// Whether it has changed something that is not in the bytes it wrote, like who waits for a condition variable.
    pub is_opaque: bool,
}

/// Neighbouring locations that were written.
#[derive(Clone, Copy, Debug)]
struct Piece {
    first: u32,
    last: u32,
    /// The address of the first.
    address: u64,
    granule: u8,
}

impl Told {
    /// Forgets what was told.
    pub fn clear(&mut self) {
        self.pieces.clear();
        self.is_opaque = false;
    }
}

impl Run<'_> {
    /// Whether operations tell what they observe.
    #[inline(always)]
    pub fn tells(&self) -> bool {
        self.options.telling == Telling::Observations
    }

    /// Notes an access to locations of an object, for those who ask what it observes.
    #[cold]
    pub fn tell(&mut self, found: &Found, kind: AccessKind, first: u32, granule: u8) {
        self.note_life(found);
        let object = *self.state.memory.object(found.id);
        let kind = match kind {
            // Whoever frees a lock tells that it is free, and nothing of its neighbours.
            AccessKind::Release if granule > WORD => AccessKind::Write,
            kind => kind,
        };
        let offset = found.address - object.base;
        let end = offset + found.size.max(1);
        let (from, to) = ((offset >> granule) as u32, ((end - 1) >> granule) as u32);
        for part in from..=to {
            let start = u64::from(part) << granule;
            let is_whole = offset <= start && (start + (1 << granule)).min(object.size) <= end;
            let kind = match kind {
                AccessKind::Overwrite if !is_whole => AccessKind::Write,
                kind => kind,
            };
            self.footprint.record(LocationId(first + part), kind);
        }
        if kind.is_write() {
            let address = object.base + (u64::from(from) << granule);
            let piece = Piece { first: first + from, last: first + to, address, granule };
            self.locations.told.pieces.push(piece);
        }
    }

    /// Notes that the thread adds to something, whatever others have added.
    pub fn note_adding(&mut self, found: &Found) {
        if !found.visible || !self.tells() {
            return self.note(found, AccessKind::Post);
        }
        self.note_life(found);
        let share = self.locations.share(found.address, self.thread);
        self.footprint.record(LocationId(share), AccessKind::Overwrite);
    }

    /// Notes that the thread adds to the readers of a lock, which nobody holds to write.
    pub fn note_reader(&mut self, found: &Found) {
        if self.tells() {
            self.note(found, AccessKind::Read);
        }
        self.note_adding(found);
    }

    /// Notes that the thread looks at something to which others add.
    pub fn note_looking(&mut self, found: &Found, kind: AccessKind) {
        self.note(found, kind);
        if found.visible && self.tells() {
            for thread in 0..self.state.threads.len() {
                let share = self.locations.share(found.address, thread);
                self.footprint.record(LocationId(share), AccessKind::Read);
            }
        }
    }

    /// Notes that an object has to be there, if it can end.
    fn note_life(&mut self, found: &Found) {
        if !matches!(self.state.memory.object(found.id).kind, Kind::Global(_) | Kind::Constant(_)) {
            self.vary();
            let first = self.first_location(found.id);
            self.footprint.record(LocationId(first - 1), AccessKind::Read);
        }
    }

    /// Notes the end of an object, or that it was there no more.
    pub fn note_end(&mut self, found: &Found, kind: AccessKind) {
        if !found.visible || !self.tells() {
            if found.visible && !kind.is_read() && self.footprint.variation == Variation::Fixed {
                self.footprint.variation = Variation::Freeing;
            }
            return self.note(found, kind);
        }
        let first = self.first_location(found.id);
        self.vary();
        self.footprint.record(LocationId(first - 1), kind);
    }

    /// Notes that bytes were looked for that are there no more.
    pub fn note_gone(&mut self, address: u64, size: u64) {
        if let Ok(id) = self.state.memory.access(address, size) {
            let object = self.state.memory.object(id);
            let at = object.start + (address - object.base) as usize;
            self.note_end(&Found { id, at, address, size, visible: true }, AccessKind::Read);
        }
    }

    /// Notes that the operation changes something that its bytes do not tell.
    #[inline(always)]
    pub fn note_hidden(&mut self) {
        self.locations.told.is_opaque = true;
    }

    /// Gives up what cannot be told, if it has to be.
    pub fn check_told(&mut self, what: &str) -> Result<(), Outcome> {
        match self.tells() {
            true => Err(self.give_up(CutReason::Untold(what.to_owned()))),
            false => Ok(()),
        }
    }
}

impl Machine {
    /// What a location holds after the operation that wrote it, or at the beginning, if it is a number and all of it is told.
    pub(super) fn told(&self, location: LocationId) -> Option<i64> {
        let told = &self.locations.told;
        let written = told.pieces.iter().find(|piece| (piece.first..=piece.last).contains(&location.0));
        let address = match written {
            Some(_) if told.is_opaque => return None,
            Some(piece) => piece.address + (u64::from(location.0 - piece.first) << piece.granule),
            None => self.initial_address(location)?,
        };
        let granule = match written {
            Some(piece) => 1 << piece.granule,
            None => self.locations.find(location.0)?.2,
        };
        self.number_at(address, granule)
    }

    /// The address of a location in the first state, if all that changes it from then on is visible.
    fn initial_address(&self, location: LocationId) -> Option<u64> {
        let is_first = self.state.mark() == self.start && self.state.cell(cells::UNJOINED) > 0;
        let (base, offset, _) = self.locations.find(location.0).filter(|_| is_first)?;
        let object = self.state.memory.object(self.state.memory.find(base)?);
        (object.base == base && object.sharing == Sharing::Shared).then_some(base + offset)
    }

    fn number_at(&self, address: u64, granule: u64) -> Option<i64> {
        let memory = &self.state.memory;
        let object = memory.object(memory.find(address)?);
        let offset = address - object.base;
        let size = granule.min(object.size.checked_sub(offset)?) as usize;
        let at = object.start + offset as usize;
        let is_told = object.life == Life::Live
            && !memory.is_unwritten(at, size)
            && self.state.symbols().overlapping(address, size as u64).is_empty();
        is_told.then(|| memory.load(at, size) as i64)
    }
}
