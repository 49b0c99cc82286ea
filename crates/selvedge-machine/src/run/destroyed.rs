//! Spinlocks, reader-writer locks, semaphores and condition variables that were destroyed: their first word says so.
//!
//! To destroy one is to write that word, so it races with every use. It must not be in use then, and not be used afterwards, unless it is initialised again; a
//! mutex has a kind besides, and a barrier its width: see `locks.rs` and `condition.rs`.

use super::access::Found;
use super::{Run, Step};
use crate::failure::FailureKind;
use selvedge_trace::{AccessKind, Blocking};

/// What the first word of something that was destroyed holds.
const DESTROYED: u64 = 0xffff_ffff;

/// Something that can be destroyed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// A spinlock.
    Spin,
    /// A reader-writer lock.
    ReadersWriter,
    /// A semaphore.
    Semaphore,
    /// A condition variable.
    Condition,
}

impl Lock {
    fn noun(self) -> &'static str {
        match self {
            Lock::Spin => "spinlock",
            Lock::ReadersWriter => "reader-writer lock",
            Lock::Semaphore => "semaphore",
            Lock::Condition => "condition variable",
        }
    }
}

impl Run<'_> {
    /// Destroys a lock that is not in use.
    pub fn destroy(&mut self, lock: Lock, address: u64) -> Step<u64> {
        let found = self.sync_word_in_use(address)?;
        if found.visible {
            self.check_told("something that is destroyed while threads may use it")?;
        }
        self.vary();
        let noun = lock.noun();
        let wrong = match self.word_at(&found) {
            DESTROYED => Some(format!("a {noun} is destroyed twice")),
            _ if self.is_in_use(lock, &found) => Some(format!("a {noun} is destroyed that is in use")),
            _ => None,
        };
        if let Some(what) = wrong {
            self.note(&found, AccessKind::Read);
            return Err(self.fail(FailureKind::Misuse(what)));
        }
        self.note_looking(&found, AccessKind::Write);
        self.set_word(&found, DESTROYED);
        Ok(0)
    }

    /// Whether a lock is held, or waited for. Of a thread that waits for a semaphore it is not known: it fails when it goes on.
    fn is_in_use(&mut self, lock: Lock, found: &Found) -> bool {
        match lock {
            Lock::Spin => self.word_at(found) != 0,
            Lock::ReadersWriter => {
                let writer = self.word_after(found, 4).map_or(0, |writer| self.word_at(&writer));
                self.word_at(found) != 0 || writer != 0
            }
            Lock::Semaphore => false,
            Lock::Condition => self.waiter(found.address).is_some(),
        }
    }

    /// Fails if a lock was destroyed, which is found before the operation does anything.
    #[inline(always)]
    pub fn check_not_destroyed(&mut self, lock: Lock, found: &Found) -> Step {
        if !self.code.destroys {
            return Ok(());
        }
        self.vary();
        match self.word_at(found) {
            DESTROYED => self.use_destroyed(lock, found),
            _ => Ok(()),
        }
    }

    #[cold]
    fn use_destroyed(&mut self, lock: Lock, found: &Found) -> Step {
        self.note(found, AccessKind::Read);
        self.check_told("something that was destroyed")?;
        if lock == Lock::Spin {
            self.footprint.blocking = Blocking::Never;
        }
        Err(self.fail(FailureKind::Misuse(format!("use of a {} that was destroyed", lock.noun()))))
    }
}
