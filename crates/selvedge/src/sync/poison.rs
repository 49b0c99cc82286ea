//! Poisoning: what mutexes and reader-writer locks do about panics.

use crate::runtime::{Kind, Object, Operation, Outcome, Place, View};
use selvedge_trace::AccessKind;
use std::cell::Cell;
use std::panic::Location;
use std::sync::{LockResult, PoisonError};

/// Asks whether a lock is poisoned.
pub(super) static IS_POISONED: Kind = Kind::plain("is_poisoned", ask);
/// Forgets that a lock is poisoned: who asks before and after sees different things.
pub(super) static CLEAR_POISON: Kind = Kind::plain("clear_poison", clear);

fn ask(view: &mut View, operation: &Operation) -> Outcome {
    view.read(operation.at);
    Outcome::Done(0)
}

fn clear(view: &mut View, operation: &Operation) -> Outcome {
    view.touch(operation.at, AccessKind::Write);
    Outcome::Done(0)
}

/// Whether a thread panicked while it could change the content of a lock.
#[derive(Debug, Default)]
pub(super) struct Poison(Cell<bool>);

impl Poison {
    /// Whether one did.
    pub fn is_set(&self) -> bool {
        self.0.get()
    }

    /// Forgets it.
    pub fn clear(&self) {
        self.0.set(false);
    }

    /// What somebody receives who takes the lock, or its content.
    #[inline]
    pub fn result<T>(&self, taken: T) -> LockResult<T> {
        if self.0.get() { Err(PoisonError::new(taken)) } else { Ok(taken) }
    }
}

/// The time during which a guard lets its thread change the content of a lock.
pub(super) struct Tenure {
    was_unwinding: bool,
    changed: bool,
    /// Where the lock was taken.
    taken: Place,
}

impl Tenure {
    /// Begins now.
    #[track_caller]
    #[inline]
    pub fn begin() -> Tenure {
        Tenure { was_unwinding: crate::thread::panicking(), changed: false, taken: Location::caller() }
    }

    /// The content may change from now on.
    #[inline]
    pub fn note_change(&mut self) {
        self.changed = true;
    }

    /// Whether the content may have changed, as an operand.
    pub fn changed(&self) -> u64 {
        u64::from(self.changed)
    }

    /// Where the lock was taken.
    pub fn taken(&self) -> Place {
        self.taken
    }

    /// Ends: a panic since the beginning poisons the lock.
    #[inline]
    pub fn end(&self, poison: &Poison) {
        if !self.was_unwinding && crate::runtime::with(|x| x.poisons()) {
            poison.0.set(true);
        }
    }

    /// The operation that gives the lock back, shown where it was taken.
    #[inline]
    pub fn give_back(&self, lock: Object, kind: &'static Kind) -> Operation {
        Operation { a: self.changed(), place: self.taken, ..lock.operation(kind) }
    }
}
