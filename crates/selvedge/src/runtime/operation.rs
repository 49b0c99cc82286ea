//! Operations: what a thread does next, known before it is done.
//!
//! An operation is a few words of data and a [`Kind`], whose function performs it on the model memory. The same
//! function serves to look at an operation, to perform it, and to repeat it elsewhere: looking is performing
//! and undoing. It records in the footprint everything that decides with which others it commutes.

use super::assumptions::{Assumptions, Semantics};
use super::clocks::Clocks;
use super::memory::Memory;
use super::names::{Names, ThreadCell};
use selvedge_trace::{AccessKind, Blocking, Finding, Footprint, LocationId, ThreadId, Variation};
use std::collections::HashMap;
use std::fmt;
use std::panic::Location;

/// Where in the source an operation is.
pub type Place = &'static Location<'static>;

/// The next operation of a thread.
#[derive(Clone, Copy)]
pub struct Operation {
    /// What it does.
    pub kind: &'static Kind,
    /// The object.
    pub at: LocationId,
    /// A second object, or whatever small number the kind needs.
    pub also: u32,
    /// The first operand.
    pub a: u64,
    /// The second operand.
    pub b: u64,
    /// The execution that the object belongs to; 0 for one that belongs to none.
    pub epoch: u32,
    /// Where the user called it.
    pub place: Place,
}

/// A kind of operations.
pub struct Kind {
    /// How it is called in the user's code.
    pub name: &'static str,
    /// Whether it may have to wait.
    pub waits: Waits,
    /// Whether there may be several ways to perform it.
    pub alternatives: Alternatives,
    /// Performs it.
    pub run: fn(&mut View, &Operation) -> Outcome,
    /// Its operands for people, as they would stand between the parentheses of the call.
    pub operands: fn(&Operation, &dyn Fn(u64) -> String) -> String,
    /// Whether it tells all that it observes.
    pub tells: Tells,
}

/// Whether operations of a kind tell all that they observe, if they are [asked to](Semantics::observations).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tells {
    /// What they do depends on what they read and on nothing else, and every change that others may read is a write.
    All,
    /// The same, unless [waits may end spuriously](Semantics::spurious_wakeups).
    AllUnlessSpurious,
    /// Their accesses only say with which others they commute.
    Order,
}

impl Tells {
    /// Whether operations tell less than all that they observe.
    #[inline]
    pub fn hides_something(self, semantics: Semantics) -> bool {
        self == Tells::Order || self == Tells::AllUnlessSpurious && semantics.spurious_wakeups
    }
}

/// Whether operations of a kind may have to wait.
#[derive(Clone, Copy, Debug)]
pub enum Waits {
    /// They can always be performed.
    Never,
    /// It depends on the state; performing them tells.
    Sometimes,
    /// Until this holds.
    Until(fn(&Memory, &Operation) -> bool),
}

/// Whether operations of a kind leave a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alternatives {
    /// There is one way to perform them.
    One,
    /// There may be several.
    Several,
}

/// What came of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was performed, with this result.
    Done(u64),
    /// It must wait.
    Wait,
}

impl Kind {
    /// A kind that never waits, has no alternatives and shows no operands.
    pub const fn plain(name: &'static str, run: fn(&mut View, &Operation) -> Outcome) -> Kind {
        let (waits, alternatives, tells) = (Waits::Never, Alternatives::One, Tells::Order);
        Kind { name, waits, alternatives, run, operands: no_operands, tells }
    }

    /// The same kind, which tells all that it observes.
    pub const fn telling(self) -> Kind {
        Kind { tells: Tells::All, ..self }
    }

    /// A kind that may have to wait.
    pub const fn waiting(name: &'static str, run: fn(&mut View, &Operation) -> Outcome) -> Kind {
        Kind { waits: Waits::Sometimes, ..Kind::plain(name, run) }
    }

    /// A kind that waits just until a condition holds.
    pub const fn until(
        name: &'static str,
        condition: fn(&Memory, &Operation) -> bool,
        run: fn(&mut View, &Operation) -> Outcome,
    ) -> Kind {
        Kind { waits: Waits::Until(condition), ..Kind::plain(name, run) }
    }
}

/// The operands of an operation that shows none.
pub fn no_operands(_: &Operation, _: &dyn Fn(u64) -> String) -> String {
    String::new()
}

impl Operation {
    /// An operation on an object without operands.
    #[track_caller]
    #[inline]
    pub fn on(kind: &'static Kind, at: LocationId) -> Operation {
        Operation { kind, at, also: 0, a: 0, b: 0, epoch: 0, place: Location::caller() }
    }

    /// Whether two operations look the same in two executions of the same decisions. Addresses may differ.
    #[inline]
    pub fn matches(&self, other: &Operation) -> bool {
        std::ptr::eq(self.kind, other.kind)
            && self.at == other.at
            && self.also == other.also
            && alike(self.a, other.a)
            && alike(self.b, other.b)
            && (std::ptr::eq(self.place, other.place) || self.place == other.place)
    }
}

/// Whether two words are equal or may both be addresses.
fn alike(left: u64, right: u64) -> bool {
    const LEAST_ADDRESS: u64 = 1 << 20;
    left == right || left >= LEAST_ADDRESS && right >= LEAST_ADDRESS
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}({:?}, {:x}, {:x}) at {}", self.kind.name, self.at, self.a, self.b, self.place)
    }
}

/// Something that a thread read, to which it may come back in a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpinRead {
    /// What others access to change it.
    pub location: LocationId,
    /// The cell that shows whether it changed.
    pub cell: LocationId,
    /// What that cell held.
    pub value: u64,
}

/// Drops of handles that the search has looked at: whether each was the last one of its content.
#[derive(Debug, Default)]
pub struct Drops {
    known: HashMap<(ThreadId, usize, LocationId), bool>,
    /// Whether some drop was the last one in one place and not in another.
    pub vary: bool,
}

impl Drops {
    /// Forgets all drops.
    pub fn clear(&mut self) {
        self.known.clear();
        self.vary = false;
    }
}

/// What an operation sees of the world.
pub struct View<'a> {
    /// The model memory.
    pub memory: &'a mut Memory,
    /// The names of threads and parts of objects.
    pub names: &'a mut Names,
    /// What has been accessed so far.
    pub footprint: &'a mut Footprint,
    /// Who performs the operation.
    pub thread: ThreadId,
    /// Which alternative is taken.
    pub choice: u32,
    /// How many there are.
    pub alternatives: u32,
    /// The clocks of the race detector, when the operation is performed in earnest.
    pub clocks: Option<&'a mut Clocks>,
    /// What threads read before they found that they must spin.
    pub spins: &'a [Box<[SpinRead]>],
    /// Receives what is read, when the operation is performed in earnest.
    pub reads: Option<&'a mut Vec<SpinRead>>,
    /// How many operations the thread has performed.
    pub position: usize,
    /// Which drops of handles were the last ones.
    pub drops: &'a mut Drops,
    /// Options.
    pub semantics: Semantics,
    /// What is taken for granted.
    pub assumptions: Assumptions,
}

impl View<'_> {
    /// The thread as the holder of something: never 0.
    #[inline]
    pub fn own(&self) -> u64 {
        u64::from(self.thread.0) + 1
    }

    /// A cell of a thread.
    #[inline]
    pub fn cell(&self, thread: ThreadId, cell: ThreadCell) -> LocationId {
        self.names.cell(thread, cell)
    }

    /// Reads a location.
    #[inline]
    pub fn read(&mut self, location: LocationId) -> u64 {
        self.footprint.record(location, AccessKind::Read);
        self.note_read(location, location);
        self.memory.get(location)
    }

    /// Notes that the thread has seen the content of a cell, which others change by accessing a location.
    #[inline]
    pub fn note_read(&mut self, location: LocationId, cell: LocationId) {
        if let Some(reads) = &mut self.reads {
            reads.push(SpinRead { location, cell, value: self.memory.get(cell) });
        }
    }

    /// Writes a location.
    #[inline]
    pub fn write(&mut self, location: LocationId, value: u64) {
        self.footprint.record(location, AccessKind::Write);
        self.memory.set(location, value);
    }

    /// Records an access that the memory does not show.
    #[inline]
    pub fn touch(&mut self, location: LocationId, kind: AccessKind) {
        self.footprint.record(location, kind);
    }

    /// Records a change that commutes with others of its like. Whoever asks what is observed is told of a write.
    #[inline]
    pub fn touch_adding(&mut self, location: LocationId) {
        let kind = if self.semantics.observations { AccessKind::Write } else { AccessKind::Post };
        self.footprint.record(location, kind);
    }

    /// Says what an operation on one number finds, and which number a compare-exchange replaces, if they are all that it depends on. Where every
    /// operation also [posts its progress](super::execution::Execution::record_progress), a compare-exchange accesses more than its number.
    #[inline]
    pub fn finds(&mut self, location: LocationId, expected: Option<u64>) {
        let expected = expected.filter(|_| !self.assumptions.spins_are_lonely);
        let (place, number) = (u64::from(location.0), self.memory.get(location));
        self.footprint.finding = Some(Finding { place, number, expected });
    }

    /// Says that what the operation accesses depends on the state.
    #[inline]
    pub fn varies(&mut self) {
        self.footprint.variation = Variation::Varying;
    }

    /// Says that the operation waits for a condition on what it accesses.
    #[inline]
    pub fn guarded(&mut self) {
        self.footprint.blocking = Blocking::Guard;
    }

    /// Notes whether a drop of a handle is the last one.
    pub fn last_drop(&mut self, location: LocationId, is_last: bool) {
        if !self.assumptions.drops_are_ordered {
            let known = self.drops.known.entry((self.thread, self.position, location)).or_insert(is_last);
            self.drops.vary |= *known != is_last;
        }
    }

    /// What was released at a location happens before what follows here.
    #[inline]
    pub fn acquire_clock(&mut self, location: LocationId) {
        if let Some(clocks) = &mut self.clocks {
            clocks.acquire(self.thread, location);
        }
    }

    /// What happened here so far happens before what follows an acquisition at the location.
    #[inline]
    pub fn release_clock(&mut self, location: LocationId) {
        if let Some(clocks) = &mut self.clocks {
            clocks.release(self.thread, location);
        }
    }
}
