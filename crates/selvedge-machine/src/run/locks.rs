//! Mutexes, spinlocks, reader-writer locks, semaphores and things that happen once.
//!
//! Their state lies in their own bytes, so that copies, static initialisers and `memset` mean what they mean natively. A
//! mutex or spinlock holds its owner (0 for nobody) in its first word, the depth of a recursive one in its second,
//! its kind in its fifth (in its fourth with pointers of 32 bits); a reader-writer lock its readers and its writer; a semaphore its value.

use super::access::Found;
use super::destroyed::Lock;
use super::spin::{MOST_WRITES, TAKEN};
use super::{Outcome, Run, Step};
use crate::failure::FailureKind;
use crate::state::SpinList;
use selvedge_trace::{AccessKind, Blocking};

pub const EPERM: u64 = 1;
pub const EAGAIN: u64 = 11;
pub const EBUSY: u64 = 16;
pub const EINVAL: u64 = 22;
pub const ERANGE: u64 = 34;
pub const EDEADLK: u64 = 35;
pub const ETIMEDOUT: u64 = 110;

const RECURSIVE: u64 = 1;
const ERROR_CHECKING: u64 = 2;
/// The kind of a mutex that was destroyed.
const DESTROYED: u64 = 0xffff_ffff;

/// Whether to wait for a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// As long as it takes.
    Wait,
    /// Not at all; the answer when it is taken.
    Try(u64),
}

impl Run<'_> {
    fn own(&self) -> u64 {
        self.thread as u64 + 1
    }

    /// A word of something that synchronises.
    pub fn sync_word(&mut self, address: u64) -> Step<Found> {
        self.sync_bytes(address, 4)
    }

    /// The same, of another size.
    pub fn sync_bytes(&mut self, address: u64, size: u64) -> Step<Found> {
        self.note_effect();
        self.note_hidden();
        self.find(address, size)
    }

    /// A word of something that synchronises and that somebody must have initialised.
    pub fn sync_word_in_use(&mut self, address: u64) -> Step<Found> {
        let found = self.sync_word(address)?;
        self.check_written(&found)?;
        Ok(found)
    }

    pub fn word_at(&self, found: &Found) -> u64 {
        self.state.memory.load(found.at, 4)
    }

    pub fn set_word(&mut self, found: &Found, value: u64) {
        self.state.store(found.at, 4, value);
    }

    /// Another word of the same object.
    pub fn word_after(&mut self, found: &Found, offset: u64) -> Option<Found> {
        self.find_again(found.address + offset, 4)
    }

    /// Where a mutex has its kind, which a static initialiser may set.
    fn kind_offset(&self) -> u64 {
        if self.pointer_bytes() == 4 { 12 } else { 16 }
    }

    fn kind(&mut self, mutex: &Found) -> u64 {
        self.word_after(mutex, self.kind_offset()).map_or(0, |kind| self.word_at(&kind))
    }

    pub fn mutex_init(&mut self, address: u64, kind: u64) -> Step<u64> {
        let mutex = self.sync_word(address)?;
        self.note(&mutex, AccessKind::Write);
        self.set_word(&mutex, 0);
        for (offset, value) in [(4, 0), (self.kind_offset(), kind)] {
            if let Some(word) = self.word_after(&mutex, offset) {
                self.set_word(&word, value);
            }
        }
        Ok(0)
    }

    pub fn mutex_destroy(&mut self, address: u64) -> Step<u64> {
        let mutex = self.sync_word_in_use(address)?;
        let wrong = match (self.kind(&mutex), self.word_at(&mutex)) {
            (DESTROYED, _) => Some("a mutex is destroyed twice".to_owned()),
            (_, 0) => None,
            (_, owner) => Some(format!("a mutex is destroyed that thread {} holds", owner - 1)),
        };
        if let Some(what) = wrong {
            self.note(&mutex, AccessKind::Read);
            return Err(self.fail(FailureKind::Misuse(what)));
        }
        self.note(&mutex, AccessKind::Write);
        if let Some(kind) = self.word_after(&mutex, self.kind_offset()) {
            self.set_word(&kind, DESTROYED);
        }
        Ok(0)
    }

    pub fn mutex_lock(&mut self, address: u64, patience: Patience) -> Step<u64> {
        let answer = self.mutex_lock_quietly(address, patience)?;
        match patience {
            // A mutex that is held is left as it was.
            Patience::Try(busy) if answer == busy => {
                if let Some(mutex) = self.find_again(address, 4) {
                    let owner = self.word_at(&mutex);
                    self.note_read(&mutex, owner);
                }
            }
            Patience::Wait if answer == 0 => self.note_taken(address),
            _ => self.note_effect(),
        }
        Ok(answer)
    }

    /// Notes that a round of a loop has taken a mutex. That is no effect if the mutex is given back before the round ends, and nobody
    /// can tell whether a mutex is held: who waits for it would only wait longer.
    fn note_taken(&mut self, address: u64) {
        if self.state.threads[self.thread].spin.head.is_none() {
            return;
        }
        let is_normal = self.find_again(address, 4).is_some_and(|mutex| self.kind(&mutex) == 0);
        let has_room = self.state.threads[self.thread].spin.writes.len() < MOST_WRITES;
        if self.code.tries_mutexes || !is_normal || !has_room {
            return self.note_effect();
        }
        self.state.add_to_spin(self.thread, SpinList::Writes, (address, TAKEN, 0));
    }

    /// Whether the present round of a loop has taken a mutex.
    pub fn has_taken(&self, address: u64) -> bool {
        let spin = &self.state.threads[self.thread].spin;
        spin.head.is_some() && spin.writes.iter().any(|write| (write.0, write.1) == (address, TAKEN))
    }

    /// Notes that a mutex is given back.
    fn note_given_back(&mut self, address: u64) {
        if !self.has_taken(address) {
            return self.note_effect();
        }
        let mut spin = self.state.threads[self.thread].spin.clone();
        spin.writes.retain(|write| (write.0, write.1) != (address, TAKEN));
        self.state.set_spin(self.thread, spin);
    }

    /// Takes a mutex, without that being an effect of a round of a loop.
    pub fn mutex_lock_quietly(&mut self, address: u64, patience: Patience) -> Step<u64> {
        self.note_hidden();
        let mutex = self.find(address, 4)?;
        self.check_written(&mutex)?;
        let owner = self.word_at(&mutex);
        let kind = self.kind(&mutex);
        match patience {
            Patience::Wait => self.may_wait(Blocking::Acquire),
            Patience::Try(_) => self.vary(),
        }
        if kind == DESTROYED {
            self.note(&mutex, AccessKind::Read);
            self.check_told("a mutex that was destroyed")?;
            self.footprint.blocking = Blocking::Never;
            return Err(self.fail(FailureKind::Misuse("use of a mutex that was destroyed".to_owned())));
        }
        if owner == 0 {
            self.note(&mutex, AccessKind::Acquire);
            self.set_word(&mutex, self.own());
            let thread = self.thread;
            self.state.race(|races, _| races.acquire(thread, address));
            return Ok(0);
        }
        if owner == self.own() {
            match kind {
                RECURSIVE => {
                    self.footprint.blocking = Blocking::Never;
                    self.note(&mutex, AccessKind::Read);
                    if let Some(depth) = self.word_after(&mutex, 4) {
                        self.set_word(&depth, self.word_at(&depth) + 1);
                    }
                    return Ok(0);
                }
                ERROR_CHECKING if patience == Patience::Wait => {
                    self.footprint.blocking = Blocking::Never;
                    self.note(&mutex, AccessKind::Read);
                    return Ok(EDEADLK);
                }
                _ => {}
            }
        }
        match patience {
            Patience::Try(answer) => {
                self.note(&mutex, AccessKind::Read);
                Ok(answer)
            }
            Patience::Wait => {
                self.note(&mutex, AccessKind::Acquire);
                Err(self.wait())
            }
        }
    }

    /// Takes several mutexes at once, when all are free, as `std::lock` does in the end.
    pub fn lock_all(&mut self, mutexes: &[u64]) -> Step<u64> {
        if self.is_concurrent() {
            self.gate()?;
        }
        self.note_effect();
        self.atomic += 1;
        let taken = self.take_all(mutexes);
        self.atomic -= 1;
        match taken {
            // Nothing was taken.
            Err(Outcome::Blocked) => Err(self.wait()),
            taken => taken,
        }
    }

    fn take_all(&mut self, mutexes: &[u64]) -> Step<u64> {
        let mut is_free = true;
        for (i, &address) in mutexes.iter().enumerate() {
            let mutex = self.find(address, 4)?;
            self.check_written(&mutex)?;
            self.note(&mutex, AccessKind::Read);
            let owner = self.word_at(&mutex);
            let is_own = owner == self.own() && self.kind(&mutex) == RECURSIVE;
            is_free &= (owner == 0 || is_own) && !mutexes[..i].contains(&address);
        }
        self.may_wait(Blocking::Guard);
        if !is_free {
            return Err(Outcome::Blocked);
        }
        for &address in mutexes {
            self.mutex_lock_quietly(address, Patience::Wait)?;
        }
        self.footprint.blocking = Blocking::Guard;
        Ok(0)
    }

    pub fn mutex_unlock(&mut self, address: u64) -> Step<u64> {
        self.note_hidden();
        let mutex = self.find(address, 4)?;
        self.check_written(&mutex)?;
        self.note_given_back(address);
        let owner = self.word_at(&mutex);
        let kind = self.kind(&mutex);
        if owner != self.own() {
            self.note(&mutex, AccessKind::Read);
            if kind == ERROR_CHECKING || kind == RECURSIVE {
                return Ok(EPERM);
            }
            let what = match owner {
                _ if kind == DESTROYED => "use of a mutex that was destroyed".to_owned(),
                0 => "unlock of a mutex that is free".to_owned(),
                other => format!("unlock of a mutex that thread {} holds", other - 1),
            };
            return Err(self.fail(FailureKind::Misuse(what)));
        }
        if kind == RECURSIVE
            && let Some(depth) = self.word_after(&mutex, 4)
            && self.word_at(&depth) > 0
        {
            self.note(&mutex, AccessKind::Read);
            self.set_word(&depth, self.word_at(&depth) - 1);
            return Ok(0);
        }
        self.note(&mutex, AccessKind::Release);
        self.set_word(&mutex, 0);
        let thread = self.thread;
        self.state.race(|races, _| races.release(thread, address));
        Ok(0)
    }

    pub fn spin_init(&mut self, address: u64) -> Step<u64> {
        let lock = self.sync_word(address)?;
        self.note(&lock, AccessKind::Write);
        self.set_word(&lock, 0);
        Ok(0)
    }

    /// A word that is looked at, and left as it is if it does not hold what is asked for.
    fn tried_word(&mut self, address: u64, patience: Patience) -> Step<Found> {
        if patience == Patience::Wait || self.tells() {
            return self.sync_word_in_use(address);
        }
        self.note_hidden();
        let found = self.find(address, 4)?;
        self.check_written(&found)?;
        Ok(found)
    }

    pub fn spin_lock(&mut self, address: u64, patience: Patience) -> Step<u64> {
        let lock = self.tried_word(address, patience)?;
        match patience {
            Patience::Wait => self.may_wait(Blocking::Acquire),
            Patience::Try(_) => self.vary(),
        }
        self.check_not_destroyed(Lock::Spin, &lock)?;
        let owner = self.word_at(&lock);
        if owner == 0 {
            self.note_effect();
            self.note(&lock, AccessKind::Acquire);
            self.set_word(&lock, self.own());
            let thread = self.thread;
            self.state.race(|races, _| races.acquire(thread, address));
            return Ok(0);
        }
        match patience {
            Patience::Try(answer) => {
                self.note(&lock, AccessKind::Read);
                self.note_read(&lock, owner);
                Ok(answer)
            }
            Patience::Wait => {
                self.note(&lock, AccessKind::Acquire);
                Err(self.wait())
            }
        }
    }

    pub fn spin_unlock(&mut self, address: u64) -> Step<u64> {
        let lock = self.sync_word_in_use(address)?;
        self.check_not_destroyed(Lock::Spin, &lock)?;
        if self.word_at(&lock) != self.own() {
            self.note(&lock, AccessKind::Read);
            return Err(self
                .fail(FailureKind::Misuse("unlock of a spinlock that the thread does not hold".to_owned())));
        }
        self.note(&lock, AccessKind::Release);
        self.set_word(&lock, 0);
        let thread = self.thread;
        self.state.race(|races, _| races.release(thread, address));
        Ok(0)
    }

    pub fn rw_init(&mut self, address: u64) -> Step<u64> {
        let lock = self.sync_word(address)?;
        self.note(&lock, AccessKind::Write);
        self.set_word(&lock, 0);
        if let Some(writer) = self.word_after(&lock, 4) {
            self.set_word(&writer, 0);
        }
        Ok(0)
    }

    /// Takes a reader-writer lock, to read or to write.
    pub fn rw_lock(&mut self, address: u64, writes: bool, patience: Patience) -> Step<u64> {
        let lock = self.sync_word_in_use(address)?;
        match patience {
            Patience::Wait => self.may_wait(Blocking::Guard),
            Patience::Try(_) => self.vary(),
        }
        self.check_not_destroyed(Lock::ReadersWriter, &lock)?;
        let readers = self.word_at(&lock);
        let Some(writer) = self.word_after(&lock, 4) else { return Ok(EINVAL) };
        let is_free = self.word_at(&writer) == 0 && (!writes || readers == 0);
        if !is_free {
            self.note_looking(&lock, AccessKind::Read);
            return match patience {
                Patience::Try(answer) => Ok(answer),
                Patience::Wait => Err(self.wait()),
            };
        }
        // Readers come and go in any order.
        match writes {
            true => self.note_looking(&lock, AccessKind::Write),
            false => self.note_reader(&lock),
        }
        match writes {
            true => self.set_word(&writer, self.own()),
            false => self.set_word(&lock, readers + 1),
        }
        let thread = self.thread;
        self.state.race(|races, _| {
            races.acquire(thread, address);
            if writes {
                races.acquire(thread, address + 1);
            }
        });
        Ok(0)
    }

    pub fn rw_unlock(&mut self, address: u64) -> Step<u64> {
        let lock = self.sync_word_in_use(address)?;
        self.check_not_destroyed(Lock::ReadersWriter, &lock)?;
        let Some(writer) = self.word_after(&lock, 4) else { return Ok(EINVAL) };
        let (readers, owner) = (self.word_at(&lock), self.word_at(&writer));
        let thread = self.thread;
        if owner == self.own() {
            self.note(&lock, AccessKind::Write);
            self.set_word(&writer, 0);
            self.state.race(|races, _| races.release(thread, address));
        } else if readers > 0 {
            self.note_adding(&lock);
            self.set_word(&lock, readers - 1);
            self.state.race(|races, _| races.release(thread, address + 1));
        } else {
            self.note(&lock, AccessKind::Read);
            let what = "unlock of a reader-writer lock that the thread does not hold".to_owned();
            return Err(self.fail(FailureKind::Misuse(what)));
        }
        Ok(0)
    }

    pub fn sem_init(&mut self, address: u64, value: u64) -> Step<u64> {
        let semaphore = self.sync_word(address)?;
        self.note_looking(&semaphore, AccessKind::Write);
        self.set_word(&semaphore, value);
        Ok(0)
    }

    /// Takes one from a semaphore; whether there was one.
    pub fn sem_wait(&mut self, address: u64, patience: Patience) -> Step<u64> {
        let semaphore = self.tried_word(address, patience)?;
        match patience {
            Patience::Wait => self.may_wait(Blocking::Guard),
            Patience::Try(_) => self.vary(),
        }
        self.check_not_destroyed(Lock::Semaphore, &semaphore)?;
        let value = self.word_at(&semaphore);
        if value == 0 {
            self.note_looking(&semaphore, AccessKind::Read);
            self.note_read(&semaphore, value);
            return match patience {
                Patience::Try(answer) => Ok(answer),
                Patience::Wait => Err(self.wait()),
            };
        }
        self.note_effect();
        self.note_looking(&semaphore, AccessKind::Write);
        self.set_word(&semaphore, value - 1);
        let thread = self.thread;
        self.state.race(|races, _| races.acquire(thread, address));
        Ok(0)
    }

    pub fn sem_post(&mut self, address: u64) -> Step<u64> {
        let semaphore = self.sync_word_in_use(address)?;
        self.check_not_destroyed(Lock::Semaphore, &semaphore)?;
        self.note_adding(&semaphore);
        self.set_word(&semaphore, self.word_at(&semaphore) + 1);
        let thread = self.thread;
        self.state.race(|races, _| races.release(thread, address));
        Ok(0)
    }

    pub fn sem_get_value(&mut self, address: u64, to: u64) -> Step<u64> {
        let semaphore = self.sync_word_in_use(address)?;
        self.check_not_destroyed(Lock::Semaphore, &semaphore)?;
        self.note_looking(&semaphore, AccessKind::Read);
        let value = self.word_at(&semaphore);
        let target = self.find(to, 4)?;
        self.note(&target, AccessKind::Write);
        self.set_word(&target, value);
        Ok(0)
    }

    /// The beginning of something that happens once: 1 if it is up to this thread.
    pub fn once_begin(&mut self, address: u64, size: u64, done: u64) -> Step<u64> {
        self.note_effect();
        let once = self.find(address, size)?;
        self.may_wait(Blocking::Guard);
        self.vary();
        let state = self.state.memory.load(once.at, size as usize);
        let thread = self.thread;
        if state == done {
            self.note(&once, AccessKind::Read);
            self.state.race(|races, _| races.acquire(thread, address));
            return Ok(0);
        }
        if state != 0 {
            self.note(&once, AccessKind::Read);
            return Err(self.wait());
        }
        self.note(&once, AccessKind::Write);
        // The first byte of a guard is for those that look without asking: it says that all is done.
        let begun = if done == 1 { 0x100 } else { 1 };
        self.state.store(once.at, size as usize, begun);
        Ok(1)
    }

    /// The end of something that happens once.
    pub fn once_end(&mut self, address: u64, size: u64, done: u64) -> Step<u64> {
        let once = self.find(address, size)?;
        self.note(&once, AccessKind::Write);
        self.state.store(once.at, size as usize, done);
        let thread = self.thread;
        self.state.race(|races, _| races.release(thread, address));
        Ok(0)
    }
}
