//! Excursions: taking operations back for a moment, to see what others would do without them.
//!
//! The log is [turned around](selvedge_explore::seam::undo_log) in place. Operations on which nothing else depends can be left out though
//! others came after them: a thread's registers change with its own operations only, and nobody else wrote what they wrote.
//!
//! Of words in memory and cells it is the *difference* that is taken back, because operations that commute, like two posts to a
//! semaphore, may both have changed a word. Registers of frames that an operation made are not in the log: they stay where
//! they are, so nobody may overwrite them on an excursion.

use super::{State, Undo};
use crate::memory::ObjectId;
use selvedge_explore::Mark;
use selvedge_explore::seam::undo_log::{Direction, Log};
use std::ops::Range;

impl State {
    /// Whether operations are left out at present.
    #[inline]
    pub fn is_away(&self) -> bool {
        !self.left_out.is_empty()
    }

    /// Whether what happened between marks can be left out.
    pub fn can_suppress(&self, operations: &[Range<Mark>]) -> bool {
        let cannot_turn = |undo: &Undo| {
            matches!(undo, Undo::Race { .. } | Undo::Symbols { .. } | Undo::Numbers { .. } | Undo::Order)
        };
        !operations.iter().any(|marks| self.log[marks.start.0..marks.end.0].iter().any(cannot_turn))
    }
}

impl Log for State {
    fn left_out(&mut self) -> &mut Vec<Range<usize>> {
        &mut self.left_out
    }

    fn turn(&mut self, i: usize, direction: Direction) {
        match &mut self.log[i] {
            Undo::Bytes { at, size, old, new } => {
                let present = self.memory.load(*at as usize, *size as usize);
                let next = direction.turned(present, *old, *new);
                self.memory.store(*at as usize, *size as usize, next);
            }
            Undo::Cell { cell, old, new } => {
                let present = &mut self.cells[*cell as usize];
                *present = direction.turned(*present, *old, *new);
            }
            Undo::Unwritten { at, size, bits } => {
                let present = self.memory.unwritten(*at, *size as usize);
                self.memory.set_unwritten(*at, *size as usize, *bits);
                *bits = present;
            }
            Undo::Mark { thread, slot, bits } => {
                let (thread, slot, next) = (*thread, *slot, *bits);
                *bits = self.marks.get(&(thread, slot)).copied().unwrap_or(0);
                self.put_mark(thread, slot, next);
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
            Undo::SpinHead { thread, old } => {
                std::mem::swap(&mut self.threads[*thread as usize].spin.head, old);
            }
            undo @ (Undo::LocalAdded { .. }
            | Undo::LocalRemoved { .. }
            | Undo::SpinAdded { .. }
            | Undo::SpinRemoved { .. }) => {
                if let Some(turned) = turned_list(undo, &mut self.threads) {
                    *undo = turned;
                }
            }
            // Nobody reads the output on an excursion, and the others are never turned.
            Undo::Output { .. }
            | Undo::Race { .. }
            | Undo::Symbols { .. }
            | Undo::Numbers { .. }
            | Undo::Order => {}
        }
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
        Undo::SpinAdded { thread, list } => {
            let (address, size, value) = threads[thread as usize].spin.list(list).pop()?;
            Undo::SpinRemoved { thread, list, size, address, value }
        }
        Undo::SpinRemoved { thread, list, size, address, value } => {
            threads[thread as usize].spin.list(list).push((address, size, value));
            Undo::SpinAdded { thread, list }
        }
        _ => return None,
    })
}
