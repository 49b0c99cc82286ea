//! Logs that can be turned around: how a program leaves operations out in place.
//!
//! An entry of a log holds what it takes to go back. Turning it leads back and leaves an entry that leads forward. Of the
//! operations that are left out all entries are turned, the latest first; coming back turns them again, the earliest first.

use crate::Mark;
use std::ops::Range;

/// Where turning an entry leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the state before the change.
    Back,
    /// To the state after it.
    Forth,
}

impl Direction {
    /// The next value of a word that an operation changed. What counts is the difference that it made, because others that commute
    /// with it may have changed the word too.
    #[inline]
    pub fn turned(self, present: u64, old: u64, new: u64) -> u64 {
        match self {
            Direction::Back => present.wrapping_sub(new).wrapping_add(old),
            Direction::Forth => present.wrapping_sub(old).wrapping_add(new),
        }
    }
}

/// A log whose entries can be turned around. A mark is a place in it.
pub trait Log {
    /// The parts that are turned around at present.
    fn left_out(&mut self) -> &mut Vec<Range<usize>>;

    /// Turns an entry.
    fn turn(&mut self, entry: usize, direction: Direction);

    /// Takes back for a moment what happened between marks, given in the order of the log, on which nothing else depends.
    fn suppress(&mut self, operations: &[Range<Mark>]) {
        let entries = |marks: &Range<Mark>| marks.start.0..marks.end.0;
        for entry in operations.iter().rev().flat_map(|marks| entries(marks).rev()) {
            self.turn(entry, Direction::Back);
        }
        self.left_out().extend(operations.iter().map(entries));
    }

    /// Comes back to the state in which nothing is left out. Returns `false` if this is one.
    fn restore(&mut self) -> bool {
        let mut left_out = std::mem::take(self.left_out());
        let was_away = !left_out.is_empty();
        for entry in left_out.drain(..).flatten() {
            self.turn(entry, Direction::Forth);
        }
        *self.left_out() = left_out;
        was_away
    }
}
