//! Objects: what the look-alikes of std have instead of an address.
//!
//! An object knows the execution it belongs to, so that one that was made outside of `check`, or kept from an
//! execution that has ended, is recognised.

use super::execution::{self, Execution};
use super::operation::{Kind, Operation, Place};
use selvedge_trace::LocationId;
use std::panic::Location;

/// The identity of an object of the checked program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// The execution that made it; 0 for none.
    pub epoch: u32,
    /// Its first location.
    pub location: LocationId,
}

/// What people want to know of an object.
#[derive(Clone, Copy)]
pub struct ObjectInfo {
    /// Its type.
    pub type_name: &'static str,
    /// Where it was made.
    pub made: Place,
    /// How its content is shown.
    pub show: fn(u64) -> String,
    /// Which of the names given by the user, plus one; 0 for none.
    pub name: u32,
}

impl ObjectInfo {
    /// The number of locations of the object.
    pub fn parts(&self) -> u32 {
        match self.type_name {
            "Mutex" | "RwLock" | "Barrier" => 2,
            "Arc" => 3,
            "channel" => 6,
            _ => 1,
        }
    }
}

/// Shows a content as a number.
pub fn show_number(value: u64) -> String {
    value.to_string()
}

impl Object {
    /// A new object with one location.
    #[track_caller]
    #[inline]
    pub fn new(type_name: &'static str, value: u64, show: fn(u64) -> String) -> Object {
        let made = Location::caller();
        execution::with(|x| x.make(ObjectInfo { type_name, made, show, name: 0 }, &[value]))
    }

    /// A new object with several locations in a row.
    #[track_caller]
    pub fn with_locations(type_name: &'static str, values: &[u64]) -> Object {
        let made = Location::caller();
        execution::with(|x| x.make(ObjectInfo { type_name, made, show: show_number, name: 0 }, values))
    }

    /// One of several locations.
    pub fn part(self, number: u32) -> LocationId {
        LocationId(self.location.0 + number)
    }

    /// An operation on the object without operands.
    #[track_caller]
    #[inline]
    pub fn operation(self, kind: &'static Kind) -> Operation {
        Operation { epoch: self.epoch, ..Operation::on(kind, self.location) }
    }

    /// Whether the object belongs to the present execution.
    pub fn is_present(self, x: &Execution) -> bool {
        self.epoch != 0 && self.epoch == x.epoch
    }
}
