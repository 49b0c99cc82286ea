//! Who accessed a cell when, and whether that is a race.

use crate::runtime::execution::{Execution, Mode};
use crate::runtime::failure::{Failure, FailureKind, Site};
use crate::runtime::fiber::Published;
use crate::runtime::object::show_number;
use crate::runtime::performing;
use crate::runtime::{Object, Place, with};
use selvedge_trace::ThreadId;
use std::panic::Location;

/// How a cell is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
    /// A pointer was taken, and nobody sees what is done with it: for safety's sake a write.
    Pointer,
    /// An atomic was read without synchronisation.
    Unsynchronised,
}

impl Access {
    fn verb(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "write",
            Access::Pointer => "get",
            Access::Unsynchronised => "unsync_load",
        }
    }
}

/// An access that happened.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    access: Access,
    thread: ThreadId,
    /// The own time of the thread.
    time: u32,
    place: Place,
}

/// The identity of a cell. The accesses to it that later ones may race with, the last write and the reads since, are
/// kept in the execution: a cell needs no destructor.
#[derive(Clone, Copy, Debug)]
pub struct Tracker {
    object: Object,
}

/// An access in progress; its end counts as well.
pub struct InProgress {
    tracker: Tracker,
    access: Access,
    place: Place,
}

impl Tracker {
    /// The tracker of a new cell.
    #[track_caller]
    pub fn new(type_name: &'static str) -> Tracker {
        let object = Object::new(type_name, 0, show_number);
        with(|x| x.refute(|assumptions| assumptions.cells_are_tracked = true));
        Tracker { object }
    }

    /// The identity of the cell.
    pub fn object(&self) -> Object {
        self.object
    }

    /// Begins an access.
    #[track_caller]
    pub fn access(&self, access: Access) -> InProgress {
        let place = Location::caller();
        self.note(access, place);
        InProgress { tracker: *self, access, place }
    }

    fn note(&self, access: Access, place: Place) {
        let raced = with(|x| match x.mode {
            Mode::Running if self.object.is_present(x) && x.assumptions.cells_are_tracked => {
                self.record(x, access, place)
            }
            _ => Raced::No,
        });
        if raced == Raced::Yes && !crate::thread::panicking() {
            performing::stop(Published::Failed);
        }
    }

    fn record(&self, x: &mut Execution, access: Access, place: Place) -> Raced {
        let thread = ThreadId(x.current);
        if matches!(access, Access::Write | Access::Pointer) {
            x.history.done.note_hidden_write(thread);
        }
        let time = x.clocks.time(thread);
        let event = Event { access, thread, time, place };
        let index = self.object.location.0 as usize;
        if x.accesses.len() <= index {
            x.accesses.resize_with(index + 1, Vec::new);
        }
        let events = &mut x.accesses[index];
        let clocks = &mut x.clocks;
        let other = events.iter().copied().find(|event| {
            (event.access != Access::Read || access != Access::Read)
                && !clocks.has_seen(thread, event.thread, event.time)
        });
        match access {
            Access::Write | Access::Pointer => events.clear(),
            Access::Read | Access::Unsynchronised => {
                events.retain(|known| known.access != Access::Read || known.thread != thread)
            }
        }
        events.push(event);
        match other {
            None => Raced::No,
            Some(other) => {
                x.failures.push(Failure { object: Some(self.object.location), ..failure(other, event) });
                x.accomplices.push(other.thread);
                Raced::Yes
            }
        }
    }
}

/// An atomic is about to be read without synchronisation: clocks must be kept.
pub fn expect_unsynchronised_load() {
    with(|x| x.refute(|assumptions| assumptions.cells_are_tracked = true));
}

/// An atomic was read without synchronisation: a write that nothing orders before is a data race.
#[track_caller]
pub fn check_unsynchronised_load(object: Object) {
    let place = Location::caller();
    let raced = with(|x| {
        if x.mode != Mode::Running || !object.is_present(x) || !x.assumptions.cells_are_tracked {
            return Raced::No;
        }
        let thread = ThreadId(x.current);
        let Some(write) = x.clocks.unseen_write(thread, object.location) else { return Raced::No };
        let first =
            Event { access: Access::Write, thread: write.thread, time: write.time, place: write.place };
        let time = x.clocks.time(thread);
        let second = Event { access: Access::Unsynchronised, thread, time, place };
        x.failures.push(Failure { object: Some(object.location), ..failure(first, second) });
        x.accomplices.push(write.thread);
        Raced::Yes
    });
    if raced == Raced::Yes && !crate::thread::panicking() {
        performing::stop(Published::Failed);
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        self.tracker.note(self.access, self.place);
    }
}

/// Whether an access races with another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Raced {
    Yes,
    No,
}

fn failure(first: Event, second: Event) -> Failure {
    Failure {
        kind: FailureKind::DataRace,
        threads: vec![first.thread, second.thread],
        sites: vec![Site::from(first.place), Site::from(second.place)],
        object: None,
        message: format!("{} {}", first.access.verb(), second.access.verb()),
    }
}
