//! Excursions: going back for a moment, repeating operations there and coming back, without performing anything again.
//!
//! An entry of the log holds what it takes to go back. Turning it exchanges that with what is there now, so that it holds what
//! it takes to go forward, and turning it once more leads forward. Backwards all entries since a mark are turned, latest
//! first; an operation that is repeated has its own entries turned, in their order; coming back turns first those the other way, and then
//! all, earliest first.
//!
//! Words in memory and cells hold the *difference* that an operation made, because operations that commute, like two
//! posts to a semaphore, may both have changed a word: an operation that is repeated does to the word what it did, whatever is there.
//! A thread's registers change with its own operations only, and those are repeated in their order. Registers of frames that an
//! operation made are not in the log: they stay where they are, so nobody may overwrite them on an excursion.

use super::{State, Undo};
use crate::memory::ObjectId;
use selvedge_explore::Mark;
use std::ops::Range;

/// What is needed to come back.
#[derive(Debug)]
pub struct Excursion {
    /// The entries that were turned.
    left: Range<usize>,
    /// Those that were turned again since, in this order.
    repeated: Vec<Range<usize>>,
}

/// Where turning an entry leads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Back,
    Forth,
}

impl State {
    /// Whether the present state is one to which somebody went back for a moment.
    #[inline]
    pub fn is_away(&self) -> bool {
        self.excursion.is_some()
    }

    /// Goes back to a mark for a moment. Returns `false`, and stays here, if that is not possible.
    pub fn leave(&mut self, mark: Mark) -> bool {
        let left = mark.0..self.log.len();
        let cannot_turn = |undo: &Undo| matches!(undo, Undo::Race { .. } | Undo::Symbols { .. });
        if self.log[left.clone()].iter().any(cannot_turn) {
            return false;
        }
        left.clone().rev().for_each(|i| self.turn(i, Direction::Back));
        self.excursion = Some(Excursion { left, repeated: Vec::new() });
        true
    }

    /// Repeats what happened between two marks.
    pub fn repeat(&mut self, marks: Range<Mark>) {
        let entries = marks.start.0..marks.end.0;
        entries.clone().for_each(|i| self.turn(i, Direction::Forth));
        if let Some(excursion) = &mut self.excursion {
            excursion.repeated.push(entries);
        }
    }

    /// Comes back to the state that was left. Returns `false` if none was.
    pub fn come_back(&mut self) -> bool {
        let Some(Excursion { left, repeated }) = self.excursion.take() else { return false };
        debug_assert_eq!(self.log.len(), left.end, "everything done on an excursion was taken back");
        for entries in repeated.into_iter().rev() {
            entries.rev().for_each(|i| self.turn(i, Direction::Back));
        }
        left.for_each(|i| self.turn(i, Direction::Forth));
        true
    }

    fn turn(&mut self, i: usize, direction: Direction) {
        match &mut self.log[i] {
            Undo::Bytes { at, size, old } => {
                let present = self.memory.load(*at, *size as usize);
                let (next, kept) = turned(present, *old, direction);
                self.memory.store(*at, *size as usize, next);
                *old = kept;
            }
            Undo::Cell { cell, old } => {
                let present = &mut self.cells[*cell as usize];
                (*present, *old) = turned(*present, *old, direction);
            }
            Undo::Written { at } => {
                if let Some(written) = &mut self.memory.written {
                    written[*at] = direction == Direction::Forth;
                }
            }
            Undo::Frame { thread, start, length, at } => {
                let slots = &mut self.threads[*thread as usize].slots;
                let frame = &mut slots[*start as usize..(*start + *length) as usize];
                frame.swap_with_slice(&mut self.saved[*at..*at + *length as usize]);
            }
            Undo::Control { thread, at } => {
                std::mem::swap(&mut self.threads[*thread as usize].control, &mut self.controls[*at as usize]);
            }
            Undo::Created { object } => match direction {
                Direction::Back => self.memory.hide(ObjectId(*object)),
                Direction::Forth => self.memory.show(ObjectId(*object)),
            },
            Undo::Life { object, old } => {
                std::mem::swap(&mut self.memory.objects[*object as usize].life, old);
            }
            Undo::Sharing { object, old } => {
                std::mem::swap(&mut self.memory.objects[*object as usize].sharing, old);
            }
            Undo::Spin { thread, at } => {
                std::mem::swap(&mut self.threads[*thread as usize].spin, &mut self.spins[*at as usize]);
            }
            undo @ (Undo::LocalAdded { .. }
            | Undo::LocalRemoved { .. }
            | Undo::SpinReadAdded { .. }
            | Undo::SpinReadRemoved { .. }) => {
                if let Some(turned) = turned_list(undo, &mut self.threads) {
                    *undo = turned;
                }
            }
            // Nobody reads the output on an excursion, and these two are never turned.
            Undo::Output { .. } | Undo::Race { .. } | Undo::Symbols { .. } => {}
        }
    }
}

/// The next value of a word and what to keep of it: a difference when going back, the value of before when going forth.
fn turned(present: u64, kept: u64, direction: Direction) -> (u64, u64) {
    match direction {
        Direction::Back => (kept, present.wrapping_sub(kept)),
        Direction::Forth => (present.wrapping_add(kept), present),
    }
}

/// Removes the last element of a list of a thread or adds it again; how to take that back.
fn turned_list(undo: &Undo, threads: &mut [super::Thread]) -> Option<Undo> {
    Some(match *undo {
        Undo::LocalAdded { thread } => {
            let ObjectId(object) = threads[thread as usize].locals.pop()?;
            Undo::LocalRemoved { thread, object }
        }
        Undo::LocalRemoved { thread, object } => {
            threads[thread as usize].locals.push(ObjectId(object));
            Undo::LocalAdded { thread }
        }
        Undo::SpinReadAdded { thread } => {
            let (address, size, value) = threads[thread as usize].spin.reads.pop()?;
            Undo::SpinReadRemoved { thread, size, address, value }
        }
        Undo::SpinReadRemoved { thread, size, address, value } => {
            threads[thread as usize].spin.reads.push((address, size, value));
            Undo::SpinReadAdded { thread }
        }
        _ => return None,
    })
}
