//! Names of threads, events and locations, and the decisions a scheduler makes.

/// A thread of the checked program, numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId(pub u32);

impl ThreadId {
    /// The position of the thread in tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The thread at a position; thread counts fit into 32 bits.
    pub fn at(position: usize) -> Self {
        ThreadId(position as u32)
    }
}

/// An event of the current execution, numbered from 0 in the order of execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(pub u32);

impl EventId {
    /// The position of the event in the execution.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The event at a position; executions have fewer than 2^32 - 1 events.
    pub fn at(position: usize) -> Self {
        EventId(position as u32)
    }
}

/// Something that operations access: a variable, an array element, a mutex, …; numbered densely from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocationId(pub u32);

/// What a scheduler decides: which thread performs its next operation, and, where that operation leaves a
/// choice (an input, a waiter to wake), which of the alternatives it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decision {
    /// The thread.
    pub thread: ThreadId,
    /// The alternative, from 0; always 0 for operations without a choice.
    pub choice: u32,
}
