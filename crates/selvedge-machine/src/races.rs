//! Data races: plain accesses that synchronisation does not order [FlanaganF2009, section 3].
//!
//! Every thread has a vector clock, and so has everything that synchronises: locks, atomic variables, ended threads. Each
//! byte remembers who wrote it last and who read it since, with their clocks. Two accesses of which one writes and
//! one is not atomic race when neither happens before the other by synchronisation alone. That is the same in all
//! executions of one trace, so looking at one execution of each is enough.

use crate::code::{AccessMode, Place};
use std::collections::HashMap;

type Clock = Vec<u32>;

/// An access to a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    thread: u32,
    time: u32,
    place: Place,
    atomic: bool,
}

/// Who accessed a byte.
#[derive(Clone, Debug, Default)]
struct Shadow {
    write: Option<Stamp>,
    reads: Vec<Stamp>,
}

/// What synchronises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// A lock, an atomic variable or the like at an address.
    Address(u64),
    /// A thread.
    Thread(usize),
    /// What a thread has read by relaxed loads.
    Seen(usize),
    /// What a thread had done at its last release fence.
    Fenced(usize),
    /// What the end of a thread shows.
    End(usize),
    /// All atomic sections.
    Section,
}

#[derive(Clone, Debug)]
enum Old {
    Clock(Key, Option<Clock>),
    Shadow(u64, Option<Shadow>),
}

/// A detector of data races.
#[derive(Debug, Default)]
pub struct Races {
    threads: usize,
    clocks: HashMap<Key, Clock>,
    shadows: HashMap<u64, Shadow>,
    log: Vec<Old>,
}

/// An access to look at.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Who.
    pub thread: usize,
    /// Where.
    pub address: u64,
    /// How many bytes.
    pub size: u64,
    /// Whether it writes.
    pub writes: bool,
    /// Whether it is atomic, or in an atomic section.
    pub atomic: bool,
    /// Where in the source.
    pub place: Place,
}

impl Races {
    /// A detector for so many threads; for none it is switched off.
    pub fn new(threads: usize) -> Races {
        Races { threads, ..Races::default() }
    }

    /// Whether it looks.
    #[inline(always)]
    pub fn is_on(&self) -> bool {
        self.threads > 0
    }

    /// The length of its log.
    pub fn length(&self) -> usize {
        self.log.len()
    }

    /// Takes back what was told since the log had that length.
    pub fn rollback(&mut self, length: usize) {
        while self.log.len() > length {
            match self.log.pop() {
                Some(Old::Clock(key, Some(clock))) => drop(self.clocks.insert(key, clock)),
                Some(Old::Clock(key, None)) => drop(self.clocks.remove(&key)),
                Some(Old::Shadow(address, Some(shadow))) => drop(self.shadows.insert(address, shadow)),
                Some(Old::Shadow(address, None)) => drop(self.shadows.remove(&address)),
                None => return,
            }
        }
    }

    fn clock(&self, key: Key) -> Clock {
        match self.clocks.get(&key) {
            Some(clock) => clock.clone(),
            None => {
                let mut clock = vec![0; self.threads];
                if let Key::Thread(thread) = key {
                    clock[thread] = 1;
                }
                clock
            }
        }
    }

    fn set(&mut self, key: Key, clock: Clock) {
        let old = self.clocks.insert(key, clock);
        self.log.push(Old::Clock(key, old));
    }

    fn join(&mut self, into: Key, from: Key) {
        if !self.clocks.contains_key(&from) && !matches!(from, Key::Thread(_)) {
            return;
        }
        let other = self.clock(from);
        let mut mine = self.clock(into);
        for (mine, other) in mine.iter_mut().zip(other) {
            *mine = (*mine).max(other);
        }
        self.set(into, mine);
    }

    fn tick(&mut self, thread: usize) {
        let mut clock = self.clock(Key::Thread(thread));
        clock[thread] += 1;
        self.set(Key::Thread(thread), clock);
    }

    /// A thread sees what was shown at an address.
    pub fn acquire(&mut self, thread: usize, address: u64) {
        self.join(Key::Thread(thread), Key::Address(address));
    }

    /// A thread shows at an address what it did.
    pub fn release(&mut self, thread: usize, address: u64) {
        self.join(Key::Address(address), Key::Thread(thread));
        self.tick(thread);
    }

    /// An atomic section begins.
    pub fn acquire_section(&mut self, thread: usize) {
        self.join(Key::Thread(thread), Key::Section);
    }

    /// An atomic section ends.
    pub fn release_section(&mut self, thread: usize) {
        self.join(Key::Section, Key::Thread(thread));
        self.tick(thread);
    }

    /// A thread makes another.
    pub fn fork(&mut self, parent: usize, child: usize) {
        self.join(Key::Thread(child), Key::Thread(parent));
        self.tick(parent);
    }

    /// A thread ends.
    pub fn end(&mut self, thread: usize) {
        self.join(Key::End(thread), Key::Thread(thread));
    }

    /// A thread has waited for the end of another.
    pub fn joined(&mut self, thread: usize, ended: usize) {
        self.join(Key::Thread(thread), Key::End(ended));
    }

    /// A fence.
    pub fn fence(&mut self, thread: usize, access: AccessMode) {
        if access.acquires() {
            self.join(Key::Thread(thread), Key::Seen(thread));
        }
        if access.releases() {
            let clock = self.clock(Key::Thread(thread));
            self.set(Key::Fenced(thread), clock);
            self.tick(thread);
        }
    }

    /// An atomic load synchronises with the store that it reads from.
    pub fn atomic_load(&mut self, thread: usize, address: u64, access: AccessMode) {
        match access.acquires() {
            true => self.acquire(thread, address),
            false => self.join(Key::Seen(thread), Key::Address(address)),
        }
    }

    /// An atomic store ends what was shown at its address before.
    pub fn atomic_store(&mut self, thread: usize, address: u64, access: AccessMode) {
        if access.releases() {
            let clock = self.clock(Key::Thread(thread));
            self.set(Key::Address(address), clock);
            self.tick(thread);
        } else {
            let clock = self.clock(Key::Fenced(thread));
            self.set(Key::Address(address), clock);
        }
    }

    /// A read-modify-write goes on with what was shown at its address before.
    pub fn atomic_modify(&mut self, thread: usize, address: u64, access: AccessMode) {
        self.atomic_load(thread, address, access);
        match access.releases() {
            true => self.release(thread, address),
            false => self.join(Key::Address(address), Key::Fenced(thread)),
        }
    }

    /// Notes an access; the place of an earlier one that it races with.
    pub fn touch(&mut self, touch: Touch) -> Option<Place> {
        let clock = self.clock(Key::Thread(touch.thread));
        let mut race = None;
        for address in touch.address..touch.address + touch.size {
            race = race.or(self.touch_byte(address, touch, &clock));
        }
        race
    }

    fn touch_byte(&mut self, address: u64, touch: Touch, clock: &Clock) -> Option<Place> {
        let mut shadow = self.shadows.get(&address).cloned().unwrap_or_default();
        let races = |stamp: &Stamp| {
            stamp.thread as usize != touch.thread
                && !(stamp.atomic && touch.atomic)
                && clock[stamp.thread as usize] < stamp.time
        };
        let mut race = shadow.write.filter(races).map(|stamp| stamp.place);
        if touch.writes {
            // Reads come in any order: which of them is named must not depend on it.
            let others = shadow.reads.iter().filter(|stamp| races(stamp));
            let first = others.min_by_key(|stamp| (stamp.thread, stamp.atomic));
            race = race.or(first.map(|stamp| stamp.place));
        }
        let stamp = Stamp {
            thread: touch.thread as u32,
            time: clock[touch.thread],
            place: touch.place,
            atomic: touch.atomic,
        };
        if touch.writes {
            shadow.write = Some(stamp);
            // Reads that are not ordered before stay: a later write may race with them though not with this one.
            shadow.reads.retain(|read| clock[read.thread as usize] < read.time);
        } else {
            shadow.reads.retain(|read| read.thread != stamp.thread || read.atomic != stamp.atomic);
            shadow.reads.push(stamp);
        }
        let old = self.shadows.insert(address, shadow);
        self.log.push(Old::Shadow(address, old));
        race
    }

    /// Forgets who accessed bytes: a new object is there.
    pub fn forget(&mut self, address: u64, size: u64) {
        if size > 4096 || self.shadows.is_empty() {
            return;
        }
        for at in address..address + size {
            if let Some(old) = self.shadows.remove(&at) {
                self.log.push(Old::Shadow(at, Some(old)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(thread: usize, writes: bool, atomic: bool) -> Touch {
        Touch { thread, address: 64, size: 4, writes, atomic, place: Place { line: 7, ..Place::default() } }
    }

    #[test]
    fn a_lock_orders_what_it_protects() {
        let mut races = Races::new(2);
        races.acquire(0, 8);
        assert_eq!(races.touch(touch(0, true, false)), None);
        races.release(0, 8);
        races.acquire(1, 8);
        assert_eq!(races.touch(touch(1, true, false)), None);
    }

    #[test]
    fn a_relaxed_flag_orders_nothing_but_a_released_one_does() {
        for (access, racy) in [(AccessMode::Relaxed, true), (AccessMode::AcquireRelease, false)] {
            let mut races = Races::new(2);
            assert_eq!(races.touch(touch(0, true, false)), None);
            races.atomic_store(0, 8, access);
            races.atomic_load(1, 8, access);
            assert_eq!(races.touch(touch(1, false, false)).is_some(), racy);
        }
    }

    #[test]
    fn atomic_accesses_race_only_with_plain_ones() {
        let mut races = Races::new(2);
        assert_eq!(races.touch(touch(0, true, true)), None);
        assert_eq!(races.touch(touch(1, true, true)), None);
        let length = races.length();
        assert!(races.touch(touch(0, false, false)).is_some());
        races.rollback(length);
        assert_eq!(races.touch(touch(0, false, true)), None);
    }
}
