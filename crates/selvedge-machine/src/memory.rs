//! Memory: objects with bytes, found by their addresses.
//!
//! Every thread allocates in an arena of its own, page after page, and a page is not used again unless the search decides that
//! an object [replaces](Memory::create_again) a freed one. So the address of an object depends only on what its thread did
//! before and on decisions, not on the interleaving; an access beyond an object falls into a gap; and a freed object can be
//! told from its successor, if that has another address.

use crate::code::Place;
use crate::landmarks::Landmarks;

/// The bits of an address within a page.
const PAGE_BITS: u32 = 12;
/// Bytes that are kept free after an object.
const GAP: u64 = 16;
/// No object.
const NONE: u32 = u32::MAX;

/// The most bytes of an object.
pub const MAX_SIZE: u64 = 1 << 30;

/// The addresses of objects are multiples of this.
pub const ALIGNMENT: u64 = 1 << PAGE_BITS;

/// How wide addresses are, and what is the same of them on every machine of that kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DataModel {
    /// Pointers and `long` have 64 bits.
    #[default]
    Lp64,
    /// Pointers and `long` have 32 bits.
    Ilp32,
}

impl DataModel {
    /// The bytes of a pointer.
    #[inline(always)]
    pub fn pointer_bytes(self) -> usize {
        match self {
            DataModel::Lp64 => 8,
            DataModel::Ilp32 => 4,
        }
    }

    /// The bits that may be set in an address of the program. A processor with pointers of 64 bits has addresses of 47.
    pub fn address_bits(self) -> u64 {
        match self {
            DataModel::Lp64 => (1 << 47) - 1,
            DataModel::Ilp32 => (1 << 32) - 1,
        }
    }

    /// No object has a greater address: the last page of 32 bits is for numbers of errors, which systems return in place of addresses.
    pub fn greatest_address(self) -> u64 {
        match self {
            DataModel::Lp64 => self.address_bits(),
            DataModel::Ilp32 => self.address_bits() - NULL_END,
        }
    }

    /// What the addresses of allocated blocks are multiples of.
    fn block_alignment(self) -> u64 {
        match self {
            DataModel::Lp64 => 16,
            DataModel::Ilp32 => 8,
        }
    }

    /// The bits of an address within an arena.
    fn arena_bits(self) -> u32 {
        match self {
            DataModel::Lp64 => 37,
            DataModel::Ilp32 => 24,
        }
    }

    /// Where functions have their addresses: below those of objects, and so that ordinary numbers are none.
    pub fn first_function(self) -> u64 {
        match self {
            DataModel::Lp64 => 0x0555_0000_0000,
            DataModel::Ilp32 => 0x0100_0000,
        }
    }

    /// The number of the first arena, such that ordinary numbers are no addresses of objects.
    fn first_arena(self) -> u64 {
        match self {
            DataModel::Lp64 => 150,
            DataModel::Ilp32 => 9,
        }
    }
}

/// A freed block may come back to any block that needs as many units of so many bytes, or fewer.
const UNIT: u64 = 16;

/// A block can grow in its place up to so many bytes at least.
const LEAST_ROOM: u64 = 64;

/// Addresses below this are null with an offset.
pub const NULL_END: u64 = 1 << PAGE_BITS;

/// An object, by its place in the order of allocation in the present execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectId(pub u32);

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A global variable.
    Global(u32),
    /// A global variable that never changes.
    Constant(u32),
    /// A thread's own copy of a global variable.
    ThreadLocal(u32),
    /// A variable in a frame.
    Stack(u32),
    /// Allocated.
    Heap,
    /// Arguments without parameters, or a copy of a structure for a callee.
    Arguments,
    /// Something of the library.
    Library,
}

/// Whether an object is still there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// It is.
    Live,
    /// It was freed, or its function has returned.
    Dead,
}

/// Who may access an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Only the thread that made it.
    Private(u32),
    /// Every thread.
    Shared,
}

/// An object.
#[derive(Clone, Copy, Debug)]
pub struct Object {
    /// Its address.
    pub base: u64,
    /// Its bytes.
    pub size: u64,
    /// Where its bytes are.
    pub start: usize,
    /// What it is.
    pub kind: Kind,
    /// Whether it is there.
    pub life: Life,
    /// Who may access it.
    pub sharing: Sharing,
    /// Where it was made.
    pub place: Place,
    /// The first of its locations, if it has any.
    pub location: u32,
    /// The bytes of a location, as a power of two.
    pub granule: u8,
    /// The number of the freed object whose address it has, if it replaces one.
    pub replaces: Option<ObjectId>,
    /// Whether there were other threads when it was made.
    pub born: Birth,
    /// If it is dead: the thread that ended it, and how many objects there were at that time.
    pub end: (u32, u32),
    /// What its address is a multiple of on every machine.
    pub alignment: u32,
    /// Whether an address may have been stored in it.
    pub holds_addresses: bool,
    /// The thread that made it, if it is not a global variable.
    pub maker: Option<u32>,
}

/// Whether an object was made while other threads were running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Birth {
    /// No other thread was running.
    Alone,
    /// Other threads may have been running.
    Concurrent,
}

impl Object {
    /// Whether an object of so many bytes may get its address after its end.
    pub fn has_room_for(&self, size: u64) -> bool {
        size.div_ceil(UNIT).max(1) <= self.size.div_ceil(UNIT).max(1)
    }
}

/// Objects and their bytes.
#[derive(Debug, Default)]
pub struct Memory {
    arenas: Vec<Vec<u32>>,
    /// All objects, those that are not there any more included.
    pub objects: Vec<Object>,
    /// The bytes of all objects.
    pub bytes: Vec<u8>,
    /// The bits of each byte that nobody wrote.
    unwritten: Vec<u8>,
    /// All bytes before this one were written.
    written_to: usize,
    model: DataModel,
    arena_bits: u32,
    page_mask: usize,
    least_address: u64,
    least_number: u64,
    /// What has an address and no bytes.
    pub landmarks: Landmarks,
}

/// The pages of an object.
fn pages(size: u64) -> usize {
    (size + GAP).div_ceil(1 << PAGE_BITS).max(1) as usize
}

/// Why an address cannot be accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is null, or nearly so.
    Null,
    /// There is nothing.
    Wild,
    /// It is beyond the end or before the beginning of an object.
    Outside(ObjectId),
}

impl Memory {
    /// Memory for so many threads.
    pub fn new(threads: usize, model: DataModel) -> Memory {
        Memory {
            arenas: vec![Vec::new(); threads + 1],
            model,
            arena_bits: model.arena_bits(),
            page_mask: (1 << (model.arena_bits() - PAGE_BITS)) - 1,
            least_address: model.first_arena() << model.arena_bits(),
            least_number: model.first_function(),
            ..Memory::default()
        }
    }

    /// How wide addresses are.
    #[inline(always)]
    pub fn model(&self) -> DataModel {
        self.model
    }

    /// No object has an address below this.
    #[inline(always)]
    pub fn least_address(&self) -> u64 {
        self.least_address
    }

    /// Nothing has an address below this.
    #[inline(always)]
    pub fn least_number(&self) -> u64 {
        self.least_number
    }

    /// Where the thing begins that has an address: an object, a function, or a thread with its handle.
    pub fn base_of(&self, address: u64) -> Option<u64> {
        match self.find(address) {
            Some(id) => Some(self.object(id).base),
            None => self.landmarks.contains(address).then_some(address),
        }
    }

    /// Whether an object of so many bytes fits into an arena.
    pub fn has_room(&self, arena: usize, size: u64) -> bool {
        let most = 1usize << (self.arena_bits - PAGE_BITS);
        self.arenas[arena].len() + pages(size) + 1 < most
    }

    /// Whether an address is in the same arena as another and not before it.
    pub fn is_later(&self, address: u64, than: u64) -> bool {
        address >> self.arena_bits == than >> self.arena_bits && address >= than
    }

    /// The bits of an address that differ from machine to machine: not those that the alignment of its object decides.
    pub fn unknown_bits(&self, address: u64) -> u64 {
        self.model.address_bits() & !(self.alignment_at(address) - 1)
    }

    /// What the address of the thing at an address is a multiple of on every machine.
    pub fn alignment_at(&self, address: u64) -> u64 {
        match self.find(address) {
            Some(id) => u64::from(self.object(id).alignment),
            None => self.landmarks.alignment_of(address),
        }
    }

    /// The arena and the page of an address.
    #[inline(always)]
    fn arena_and_page(&self, address: u64) -> (usize, usize) {
        let arena = (address.wrapping_sub(self.least_address) >> self.arena_bits) as usize;
        let page = (address >> PAGE_BITS) as usize & self.page_mask;
        (arena, page.wrapping_sub(1))
    }

    /// Notes that there will be no more global variables: all that comes now may be read before it is written.
    pub fn end_globals(&mut self) {
        self.written_to = self.bytes.len();
    }

    /// The bits that nobody wrote among so many bytes, at most 8.
    #[inline(always)]
    pub fn unwritten(&self, at: usize, size: usize) -> u64 {
        if at < self.written_to { 0 } else { word(&self.unwritten, at, size) }
    }

    /// Whether nobody wrote some of the bytes.
    #[inline(always)]
    pub fn is_unwritten(&self, at: usize, size: usize) -> bool {
        at >= self.written_to && self.unwritten[at..at + size].iter().any(|bits| *bits != 0)
    }

    /// Changes which bits are those that nobody wrote. The caller logs that.
    pub fn set_unwritten(&mut self, at: usize, size: usize, bits: u64) {
        if bits != 0 && at < self.written_to {
            self.written_to = 0;
        }
        self.unwritten[at..at + size].copy_from_slice(&bits.to_le_bytes()[..size]);
    }

    /// Takes an object that was just made for written.
    pub fn set_written(&mut self, id: ObjectId) {
        let start = self.object(id).start;
        self.unwritten[start..].fill(0);
    }

    /// The address that the next object of an arena will have.
    pub fn next_address(&self, arena: usize) -> u64 {
        let page = self.arenas[arena].len() as u64 + 1;
        self.least_address + ((arena as u64) << self.arena_bits | page << PAGE_BITS)
    }

    /// Makes an object of zeros in an arena. The caller logs that.
    pub fn create(
        &mut self,
        arena: usize,
        size: u64,
        kind: Kind,
        sharing: Sharing,
        place: Place,
    ) -> ObjectId {
        let base = self.next_address(arena);
        let id = self.objects.len() as u32;
        let table = &mut self.arenas[arena];
        table.resize(table.len() + pages(size), id);
        self.add_object(base, size, kind, sharing, place)
    }

    /// Makes an object at the address of one that is dead. The caller logs that.
    pub fn create_again(&mut self, old: ObjectId, size: u64, sharing: Sharing, place: Place) -> ObjectId {
        let Object { base, kind, .. } = *self.object(old);
        let id = self.add_object(base, size, kind, sharing, place);
        self.objects[id.0 as usize].replaces = Some(old);
        self.set_pages(old, id);
        id
    }

    /// Lets the pages of an object belong to another one.
    fn set_pages(&mut self, of: ObjectId, to: ObjectId) {
        let Object { base, size, .. } = *self.object(of);
        let (arena, page) = self.arena_and_page(base);
        self.arenas[arena][page..page + pages(size)].fill(to.0);
    }

    /// The bytes that objects at the address of an object may have, however often the address is used again.
    pub fn room_at(&self, id: ObjectId) -> u64 {
        let mut first = self.object(id);
        while let Some(old) = first.replaces {
            first = self.object(old);
        }
        let most = ((pages(first.size) as u64) << PAGE_BITS) - GAP;
        (2 * first.size).next_multiple_of(UNIT).max(LEAST_ROOM).min(most)
    }

    /// The dead blocks of the heap at whose addresses a block of so many bytes may be made, in the order of their addresses.
    pub fn freed_blocks(&self, size: u64) -> Vec<ObjectId> {
        let is_free = |id: &ObjectId| {
            let object = self.object(*id);
            object.kind == Kind::Heap
                && object.life == Life::Dead
                && object.has_room_for(size)
                && self.find(object.base) == Some(*id)
        };
        let mut blocks: Vec<ObjectId> =
            (0..self.objects.len() as u32).map(ObjectId).filter(is_free).collect();
        blocks.sort_by_key(|id| self.object(*id).base);
        blocks
    }

    fn add_object(&mut self, base: u64, size: u64, kind: Kind, sharing: Sharing, place: Place) -> ObjectId {
        let id = self.objects.len() as u32;
        let start = self.bytes.len();
        self.bytes.resize(start + size as usize, 0);
        let bits = match kind {
            Kind::Stack(_) | Kind::Heap | Kind::Arguments => 0xff,
            Kind::Global(_) | Kind::Constant(_) | Kind::ThreadLocal(_) | Kind::Library => 0,
        };
        self.unwritten.resize(start + size as usize, bits);
        let alignment = match kind {
            Kind::Heap | Kind::Library | Kind::Arguments => self.model.block_alignment() as u32,
            Kind::Global(_) | Kind::Constant(_) | Kind::ThreadLocal(_) | Kind::Stack(_) => 1,
        };
        let maker = (self.arena_and_page(base).0 as u32).checked_sub(1);
        self.objects.push(Object {
            base,
            size,
            start,
            kind,
            life: Life::Live,
            sharing,
            place,
            location: NONE,
            granule: 3,
            replaces: None,
            born: Birth::Alone,
            end: (0, 0),
            alignment,
            holds_addresses: false,
            maker,
        });
        ObjectId(id)
    }

    /// Takes the address of the latest object of an arena away.
    pub fn hide(&mut self, id: ObjectId) {
        let Object { base, replaces, .. } = *self.object(id);
        if let Some(old) = replaces {
            return self.set_pages(old, old);
        }
        let (arena, page) = self.arena_and_page(base);
        self.arenas[arena].truncate(page);
    }

    /// Gives an object that was hidden its address again.
    pub fn show(&mut self, id: ObjectId) {
        let Object { base, size, replaces, .. } = *self.object(id);
        if let Some(old) = replaces {
            return self.set_pages(old, id);
        }
        let (arena, _) = self.arena_and_page(base);
        let table = &mut self.arenas[arena];
        table.resize(table.len() + pages(size), id.0);
    }

    /// Takes the making of the latest object back.
    pub fn uncreate(&mut self) {
        if let Some(last) = self.objects.len().checked_sub(1) {
            self.hide(ObjectId(last as u32));
        }
        if let Some(object) = self.objects.pop() {
            self.bytes.truncate(object.start);
            self.unwritten.truncate(object.start);
        }
    }

    /// Whether an object was made in the same arena, when an address was the next one there or later.
    pub fn is_younger(&self, id: ObjectId, address: u64) -> bool {
        self.is_later(self.object(id).base, address)
    }

    /// The object at an address or shortly before it.
    #[inline]
    pub fn find(&self, address: u64) -> Option<ObjectId> {
        let (arena, page) = self.arena_and_page(address);
        let id = *self.arenas.get(arena)?.get(page)?;
        Some(ObjectId(id))
    }

    /// The object that an access to so many bytes belongs to.
    #[inline(always)]
    pub fn access(&self, address: u64, size: u64) -> Result<ObjectId, Fault> {
        let Some(id) = self.find(address) else {
            return Err(if address < NULL_END { Fault::Null } else { Fault::Wild });
        };
        let object = &self.objects[id.0 as usize];
        let offset = address - object.base;
        if offset > object.size || object.size - offset < size {
            return Err(Fault::Outside(id));
        }
        Ok(id)
    }

    /// An object.
    #[inline]
    pub fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.0 as usize]
    }

    /// The content of so many bits, at most 64, at a place among all bytes.
    #[inline]
    pub fn load(&self, at: usize, size: usize) -> u64 {
        word(&self.bytes, at, size)
    }

    /// Changes so many bytes at a place among all bytes. The caller logs that.
    #[inline]
    pub fn store(&mut self, at: usize, size: usize, value: u64) {
        match self.bytes[at..].first_chunk_mut::<8>() {
            Some(chunk) => {
                let others = u64::from_le_bytes(*chunk) & !lowest(size);
                *chunk = (others | value & lowest(size)).to_le_bytes();
            }
            None => self.bytes[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]),
        }
    }
}

/// A word with all bits set in its lowest bytes.
#[inline(always)]
fn lowest(bytes: usize) -> u64 {
    u64::MAX.checked_shr(64 - 8 * bytes as u32).unwrap_or(0)
}

/// Some bytes, at most 8, as a word.
#[inline(always)]
fn word(bytes: &[u8], at: usize, size: usize) -> u64 {
    match bytes[at..].first_chunk() {
        Some(chunk) => u64::from_le_bytes(*chunk) & lowest(size),
        None => bytes[at..at + size].iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heap(memory: &mut Memory, arena: usize, size: u64) -> u64 {
        let id = memory.create(arena, size, Kind::Heap, Sharing::Private(0), Place::default());
        memory.object(id).base
    }

    #[test]
    fn addresses_do_not_depend_on_what_other_threads_do() {
        let (mut one, mut two) = (Memory::new(2, DataModel::Lp64), Memory::new(2, DataModel::Lp64));
        heap(&mut one, 1, 8);
        heap(&mut two, 2, 100_000);
        assert_eq!(heap(&mut one, 2, 100_000), heap(&mut two, 1, 8) + (1 << 37));
    }

    #[test]
    fn an_access_beyond_an_object_belongs_to_none() {
        let mut memory = Memory::new(1, DataModel::Lp64);
        let base = heap(&mut memory, 1, 8);
        let next = heap(&mut memory, 1, 8);
        assert_eq!(memory.access(base, 8), Ok(ObjectId(0)));
        assert_eq!(memory.access(base + 4, 8), Err(Fault::Outside(ObjectId(0))));
        assert_eq!(memory.access(next - 1, 1), Err(Fault::Outside(ObjectId(0))));
        assert_eq!(memory.access(8, 1), Err(Fault::Null));
        assert_eq!(memory.access(1 << 20, 1), Err(Fault::Wild));
    }

    #[test]
    fn an_object_that_replaces_a_freed_one_has_its_address_until_it_is_taken_back() {
        let mut memory = Memory::new(1, DataModel::Lp64);
        let base = heap(&mut memory, 1, 8);
        memory.objects[0].life = Life::Dead;
        assert_eq!(memory.freed_blocks(16), [ObjectId(0)]);
        assert_eq!(memory.freed_blocks(17), []);
        let new = memory.create_again(ObjectId(0), 16, Sharing::Shared, Place::default());
        assert_eq!((memory.object(new).base, memory.find(base)), (base, Some(new)));
        assert_eq!(memory.freed_blocks(8), []);
        memory.uncreate();
        assert_eq!(memory.find(base), Some(ObjectId(0)));
    }

    #[test]
    fn taking_back_gives_the_same_address_again() {
        let mut memory = Memory::new(1, DataModel::Lp64);
        heap(&mut memory, 1, 8);
        let first = heap(&mut memory, 1, 5000);
        memory.uncreate();
        assert_eq!(heap(&mut memory, 1, 1), first);
    }
}
