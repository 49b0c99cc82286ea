//! What can be wrong with a checked closure.

use super::operation::Place;
use selvedge_trace::{LocationId, ThreadId};
use std::cmp::Ordering;
use std::fmt;

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// The file, as the compiler was given it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl From<Place> for Site {
    fn from(place: Place) -> Site {
        Site { file: place.file().to_owned(), line: place.line(), column: place.column() }
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// What kind of thing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureKind {
    /// A thread panicked.
    Panic,
    /// Threads wait for ever.
    Deadlock,
    /// Threads spin for ever, and nobody else can move.
    Livelock,
    /// Two accesses to a cell that no synchronisation orders, one of them a write.
    DataRace,
    /// An `Arc` whose last handle was never dropped, or a tracked allocation that was never freed.
    Leak,
    /// A point of [`reachable!`](crate::reachable) that no execution reaches.
    Unreached,
    /// A thread has used up its stack.
    StackOverflow,
    /// A thread came to no operation of this library for too long.
    Hang,
    /// A thread aborted, or the system stopped it.
    Crash,
}

impl FailureKind {
    /// The name for machines and headings.
    pub fn name(self) -> &'static str {
        match self {
            FailureKind::Panic => "panic",
            FailureKind::Deadlock => "deadlock",
            FailureKind::Livelock => "livelock",
            FailureKind::DataRace => "data-race",
            FailureKind::Leak => "leak",
            FailureKind::Unreached => "unreached",
            FailureKind::StackOverflow => "stack-overflow",
            FailureKind::Hang => "hang",
            FailureKind::Crash => "crash",
        }
    }
}

/// Something wrong with the checked closure. Two failures are the same when kind, threads and places are: a message may hold
/// addresses, which differ from one execution to the next.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What kind of thing.
    pub kind: FailureKind,
    /// The thread that failed, or those that wait.
    pub threads: Vec<ThreadId>,
    /// Where.
    pub sites: Vec<Site>,
    /// The object it is about.
    pub object: Option<LocationId>,
    /// What is wrong, in words.
    pub message: String,
}

impl Failure {
    fn key(&self) -> (FailureKind, &[ThreadId], &[Site]) {
        (self.kind, &self.threads, &self.sites)
    }
}

impl PartialEq for Failure {
    fn eq(&self, other: &Failure) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Failure {}

impl PartialOrd for Failure {
    fn partial_cmp(&self, other: &Failure) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Failure {
    fn cmp(&self, other: &Failure) -> Ordering {
        self.key().cmp(&other.key())
    }
}
