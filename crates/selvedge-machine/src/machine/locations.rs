//! Locations: the parts of objects that events access, numbered for the whole search.
//!
//! An object is divided into granules of 1, 2, 4 or 8 bytes; two accesses conflict when they share one. What the granule of
//! an object is depends on where the object is made: a rehearsal notes the smallest accesses. Coarser granules than
//! needed cost executions but are sound.

use super::telling::Told;
use crate::memory::{Kind, Object};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

/// A hasher for addresses, which are well spread after one multiplication.
#[derive(Clone, Debug, Default)]
pub struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 29;
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }
}

type Map<K, V> = HashMap<K, V, BuildHasherDefault<AddressHasher>>;

/// Where an object is made: what objects have in common that are used alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Site(u32, u32, u32);

fn site(object: &Object) -> Site {
    match object.kind {
        Kind::Global(number) | Kind::Constant(number) => Site(0, number, 0),
        Kind::ThreadLocal(number) => Site(1, number, 0),
        Kind::Stack(number) if number != 0 => Site(2, number, 0),
        _ => Site(3 + object.place.file, object.place.line, object.place.column),
    }
}

/// The granule, as a power of two, of objects that the rehearsal has not seen.
const UNKNOWN: u8 = 2;

/// The locations of a thread, before those of objects.
const PER_THREAD: u32 = 4;

/// The locations of what there is once, after those of threads.
const COMMON: u32 = 2;

/// The numbers of all locations.
#[derive(Clone, Debug)]
pub struct Locations {
    threads: u32,
    next: u32,
    known: Map<u64, (u32, u64, u8)>,
    granules: Map<Site, u8>,
    /// Whether the granules are still being learned.
    pub rehearsing: bool,
    children: HashMap<(usize, u64), usize>,
    /// Whether there were more threads than expected.
    pub overflow: bool,
    /// Whether the order in which threads arrive at a barrier matters.
    pub arrivals_are_ordered: bool,
    /// Whether the order of those who join or detach one thread matters.
    pub claims_are_ordered: bool,
    /// Whether two joined or detached one thread.
    pub has_contested_claim: bool,
    /// What the present operation has told of itself.
    pub told: Told,
    shares: HashMap<(u64, usize), u32>,
    /// Whether addresses were compared of blocks one of which might have been that of the other, freed before.
    pub compares_freed: bool,
    /// Whether addresses of different objects were compared by their order.
    pub compares_order: bool,
    /// Whether a block was resized.
    pub resizes: bool,
    /// The addresses of blocks that were compared, each with those that it was compared with, and by which threads.
    compared: BTreeMap<u64, BTreeSet<(u64, u32)>>,
}

impl Locations {
    /// Locations for so many threads.
    pub fn new(threads: usize) -> Locations {
        let threads = threads as u32;
        Locations {
            threads,
            next: threads * PER_THREAD + COMMON,
            known: Map::default(),
            granules: Map::default(),
            rehearsing: true,
            children: HashMap::new(),
            overflow: false,
            arrivals_are_ordered: false,
            claims_are_ordered: false,
            has_contested_claim: false,
            told: Told::default(),
            shares: HashMap::new(),
            compares_freed: false,
            compares_order: false,
            resizes: false,
            compared: BTreeMap::new(),
        }
    }

    /// Ends the rehearsal: from now on the same access always has the same locations.
    pub fn begin(&mut self, threads: usize) {
        self.rehearsing = false;
        self.known.clear();
        self.shares.clear();
        self.threads = threads as u32;
        self.next = self.threads * PER_THREAD + COMMON;
        self.overflow = false;
        self.has_contested_claim = false;
        self.compares_freed = false;
        self.compares_order = false;
        self.compared.clear();
    }

    /// Notes the size of an access.
    pub fn learn(&mut self, object: &Object, offset: u64, size: u64) {
        let finest = (offset | size | 8).trailing_zeros() as u8;
        let granule = self.granules.entry(site(object)).or_insert(3);
        *granule = (*granule).min(finest);
    }

    /// The first location of an object and its granule, with room for so many bytes at its address. The location before is
    /// that of its life.
    pub fn of(&mut self, object: &Object, room: u64) -> (u32, u8) {
        if let Some(&(first, size, granule)) = self.known.get(&object.base)
            && size >= room
        {
            return (first, granule);
        }
        let granule = self.granules.get(&site(object)).copied().unwrap_or(UNKNOWN);
        let first = self.next + 1;
        let count = (room >> granule) as u32 + 1;
        self.next = first + count;
        self.known.insert(object.base, (first, room, granule));
        (first, granule)
    }

    /// Notes that a thread compares the addresses of two blocks.
    pub fn note_compared(&mut self, a: u64, b: u64, thread: u32) {
        self.compared.entry(a).or_default().insert((b, thread));
        self.compared.entry(b).or_default().insert((a, thread));
    }

    /// The addresses that were compared with that of a block, and by which threads.
    pub fn compared_with(&self, block: u64) -> impl Iterator<Item = (u64, u32)> {
        self.compared.get(&block).into_iter().flatten().copied()
    }

    /// The location of what a thread adds to what is at an address.
    pub fn share(&mut self, address: u64, thread: usize) -> u32 {
        let next = self.next;
        let share = *self.shares.entry((address, thread)).or_insert(next);
        self.next += u32::from(share == next);
        share
    }

    /// Where arrivals in a round of the barrier at an address are posted. One of two will do: who arrives in the next but one has
    /// seen all go on from this one.
    pub fn round(&mut self, address: u64, round: u64) -> u32 {
        self.share(address, usize::MAX - (round & 1) as usize)
    }

    /// Where it is noted who waits at an address. What the memory there holds is another matter: others overwrite it without looking at the queue.
    pub fn queue(&mut self, queue: u64) -> u32 {
        self.share(queue, usize::MAX - 2)
    }

    /// The thread that a thread makes as its `number`-th, the same in all executions; none if there are too many.
    pub fn child(&mut self, parent: usize, number: u64) -> Option<usize> {
        let next = self.children.len() + 1;
        let child = *self.children.entry((parent, number)).or_insert(next);
        self.overflow |= child >= self.threads as usize;
        (child < self.threads as usize).then_some(child)
    }

    /// The number of threads seen so far.
    pub fn thread_count(&self) -> usize {
        self.children.len() + 1
    }

    /// Who made a thread, and as which of its own.
    pub fn parent(&self, thread: usize) -> Option<(usize, u64)> {
        self.children.iter().find(|(_, child)| **child == thread).map(|(key, _)| *key)
    }

    /// Where the end of a thread is posted.
    pub fn life(&self, thread: usize) -> u32 {
        thread as u32 * PER_THREAD
    }

    /// Where the making of a thread is posted.
    pub fn spawned(&self, thread: usize) -> u32 {
        thread as u32 * PER_THREAD + 1
    }

    /// Where the waking of a thread is posted.
    pub fn waking(&self, thread: usize) -> u32 {
        thread as u32 * PER_THREAD + 2
    }

    /// Where it is noted who waits for the end of a thread, or that nobody will.
    pub fn claim(&self, thread: usize) -> u32 {
        thread as u32 * PER_THREAD + 3
    }

    /// The location of everything about keys.
    pub fn keys(&self) -> u32 {
        self.threads * PER_THREAD
    }

    /// The location of the order of atomic sections.
    pub fn sections(&self) -> u32 {
        self.threads * PER_THREAD + 1
    }

    /// The object whose location it is, by its address, and the offset in it with the bytes of a granule.
    pub fn find(&self, location: u32) -> Option<(u64, u64, u64)> {
        let inside = |first: u32, size: u64, granule: u8| {
            (first..=first + (size >> granule) as u32).contains(&location)
        };
        let (base, (first, _, granule)) = self.known.iter().find(|(_, (f, s, g))| inside(*f, *s, *g))?;
        Some((*base, u64::from(location - first) << granule, 1 << granule))
    }

    /// What a location of a thread is about.
    pub fn thread_of(&self, location: u32) -> Option<(usize, ThreadLocation)> {
        if location >= self.threads * PER_THREAD {
            return None;
        }
        let about = match location % PER_THREAD {
            0 => ThreadLocation::Life,
            1 => ThreadLocation::Spawned,
            2 => ThreadLocation::Waking,
            _ => ThreadLocation::Claim,
        };
        Some(((location / PER_THREAD) as usize, about))
    }
}

/// What a location of a thread is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadLocation {
    /// Its end.
    Life,
    /// Its making.
    Spawned,
    /// Its waking.
    Waking,
    /// Who waits for its end.
    Claim,
}
