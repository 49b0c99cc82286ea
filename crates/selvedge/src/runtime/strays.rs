//! Strays: threads of std that use objects of a closure that is being checked on another thread of the operating system.
//!
//! Such a thread gets a panic, which its closure may never look at; and what it would have done was not explored. So the check is told.

use super::execution::Execution;
use super::operation::Operation;
use std::sync::{Mutex, PoisonError};

/// An operation that was refused.
#[derive(Clone, Copy)]
struct Stray {
    epoch: u32,
    operation: Operation,
}

/// What no check has looked at yet.
static STRAYS: Mutex<Vec<Stray>> = Mutex::new(Vec::new());

/// The most that are kept.
const MOST: usize = 1000;

/// An operation was refused because nothing is being checked on its thread of the operating system.
pub fn note(operation: &Operation) {
    let mut strays = STRAYS.lock().unwrap_or_else(PoisonError::into_inner);
    if strays.len() < MOST {
        strays.push(Stray { epoch: operation.epoch, operation: *operation });
    }
}

impl Execution {
    /// What other threads have done to the objects of the present search, in words.
    pub fn take_stray(&self) -> Option<String> {
        let mut strays = STRAYS.lock().unwrap_or_else(PoisonError::into_inner);
        let is_own = |stray: &Stray| {
            self.own_epochs.iter().any(|&(before, last)| (before + 1..=last).contains(&stray.epoch))
        };
        let first = strays.iter().find(|&stray| is_own(stray)).copied();
        strays.retain(|stray| !is_own(stray));
        let Operation { kind, place, .. } = first?.operation;
        Some(format!(
            "a thread that was not started by `selvedge::thread` called `{}` at {place} on an object of the closure: that was refused, and what such \
             threads do is not explored",
            kind.name
        ))
    }
}
