//! `syscall` of a futex: waiting at a word and waking those that wait there, with the results of Linux.
//! A wait ends when it is woken, or at any time if it has a limit; the limit itself is not looked at.

use super::locks::{EAGAIN, EINVAL, ETIMEDOUT};
use super::{Outcome, Run, Step};
use crate::failure::CutReason;
use selvedge_trace::{AccessKind, Blocking, LocationId};

/// The result of the first step of a call that goes on to wait.
pub const WAITS: u64 = 1 << 62;

/// Tells the queue of a private futex from that of a shared one at the same word.
const PRIVATE_QUEUE: u64 = 1;

/// Flags of the operation: whether only threads of this process wait there, and which clock counts.
const PRIVATE: u32 = 128;
const CLOCK: u32 = 256;

impl Run<'_> {
    /// The first step of a call: all of it, or the beginning of a wait.
    pub fn begin_futex(&mut self, words: &[u64]) -> Step<u64> {
        let a = |i: usize| words.get(i).copied().unwrap_or(0);
        let (word, operation, number, mask) = (a(1), a(2) as u32, a(3) as u32, a(6) as u32);
        let matches_any = mask == u32::MAX;
        // Who waits at a private futex is not woken at a shared one.
        let queue = if operation & PRIVATE == 0 { word } else { word | PRIVATE_QUEUE };
        match operation & !(PRIVATE | CLOCK) {
            0 | 1 | 9 | 10 if word % 4 != 0 => self.fails_with(EINVAL),
            9 | 10 if mask == 0 => self.fails_with(EINVAL),
            0 => self.begin_futex_wait(word, queue, number),
            9 if matches_any => self.begin_futex_wait(word, queue, number),
            1 => self.futex_wake(word, queue, number),
            10 if matches_any => self.futex_wake(word, queue, number),
            _ => {
                let what = format!("`syscall` for the operation {operation} of a futex");
                Err(self.give_up(CutReason::Unsupported(what)))
            }
        }
    }

    fn begin_futex_wait(&mut self, word: u64, queue: u64, expected: u32) -> Step<u64> {
        match self.wait_at(word, u64::from(expected), 4, queue)? {
            0 => Ok(WAITS),
            _ => self.fails_with(EAGAIN),
        }
    }

    /// Linux wakes at least one thread, whatever number it is given.
    fn futex_wake(&mut self, word: u64, queue: u64, number: u32) -> Step<u64> {
        self.notify(word, 4, queue, number.cast_signed().max(1) as usize)
    }

    /// The end of a wait.
    pub fn end_futex(&mut self, words: &[u64]) -> Step<u64> {
        self.gate()?;
        let is_woken = self.state.cell(self.waiting(self.thread)) == 0;
        let has_limit = words.get(4).is_some_and(|&limit| limit != 0);
        if has_limit {
            self.check_told("a wait with a time limit")?;
        }
        match (is_woken, has_limit) {
            (true, false) => self.note_woken(),
            (true, true) => self.note_woken_in_time(),
            (false, false) => return Err(Outcome::Blocked),
            (false, true) => {
                self.may_wait(Blocking::Guard);
                self.vary();
                self.leave_futex();
                self.advance_clock();
                return self.fails_with(ETIMEDOUT);
            }
        }
        Ok(0)
    }

    /// Stops waiting without having been woken.
    fn leave_futex(&mut self) {
        let waiting = self.waiting(self.thread);
        if self.is_concurrent() {
            self.note_hidden();
            let queue = self.locations.queue(self.state.cell(waiting));
            self.footprint.record(LocationId(queue), AccessKind::Write);
        }
        self.state.set_cell(waiting, 0);
    }

    fn fails_with(&mut self, error: u64) -> Step<u64> {
        self.set_errno(error)?;
        Ok(u64::MAX)
    }
}
