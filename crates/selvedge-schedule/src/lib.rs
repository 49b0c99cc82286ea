//! Program schedules: which steps of which threads are permitted when, as data and as a versioned text.
//!
//! A [`Schedule`] is the graph of [Metzler2020, definition 38]. Its nodes are states between sections; a [`Section`] is a set of
//! events with a partial order that begins with one transition of one thread, and leads to the next node. All events of a section
//! happen, in any order that respects the partial order, before the next section begins. A section may be taken where its condition
//! holds. A [`Node`] claims where the threads stand and which formulas hold there, so that the schedule can be checked by induction.
//!
//! A [`prefix::Prefix`] orders the first events of a C program that ends [Metzler2020, section 5.1].
//!
//! Where the program comes from C, events say at which instruction of the LLVM IR they begin and which one the thread comes to next, so that
//! a compiled program can recognise them; threads are known by who created them.
//!
//! This crate is the formats and nothing else: it knows no programs and no formulas.

pub mod prefix;
mod text;

pub use text::FormatError;

/// An instruction of the LLVM IR.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instruction {
    /// The function, as the IR names it, without `@`.
    pub function: String,
    /// The position in the function, counted from 0 over all instructions of its blocks.
    pub ordinal: u32,
    /// What it does, in a word: `load`, `store`, `cmpxchg`, or the name of the function that it calls.
    pub kind: String,
    /// Where it is in the source, for people: `file:line:column`.
    pub place: String,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its name.
    pub name: String,
    /// The thread that creates it, and as which of its own, counted from 1. Nothing for the initial thread, and for threads of models.
    pub creator: Option<(usize, u32)>,
}

/// Where a thread is after an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Next {
    /// In local code, or at a place that has no instruction.
    #[default]
    Unnamed,
    /// Before an instruction, by its number.
    Instruction(usize),
    /// At its end.
    End,
}

/// A step of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The thread.
    pub thread: usize,
    /// Where it stands before.
    pub place: u32,
    /// Which of the transitions of the place it takes.
    pub transition: usize,
    /// The instruction at which it begins, by its number, where the program has instructions and the step is more than local code.
    pub at: Option<usize>,
    /// Where the thread is afterwards. Of the ways on from a place, this is what decides which one was taken.
    pub next: Next,
    /// The line of the statement, for people.
    pub line: usize,
}

/// A state between sections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Where each thread stands.
    pub places: Vec<u32>,
    /// Formulas that hold there, in SMT-LIB with the names of the variables in bars.
    pub holds: Vec<String>,
}

/// Events with a partial order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// The node where it begins.
    pub from: usize,
    /// The node where it ends.
    pub to: usize,
    /// The condition under which it may be taken, a formula of SMT-LIB over the variables and the input of the first event.
    pub condition: String,
    /// The events, in one of the permitted orders, at least one. Local code is an event, too.
    pub events: Vec<Event>,
    /// Pairs of events, by number, of which the first comes first; events of one thread are ordered anyway.
    pub order: Vec<(usize, usize)>,
}

/// A program schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Which program it is for: its fingerprint, in hexadecimal digits.
    pub program: String,
    /// The threads.
    pub threads: Vec<Thread>,
    /// The instructions that events begin at or lead to; none for models.
    pub instructions: Vec<Instruction>,
    /// The nodes; the first is the beginning.
    pub nodes: Vec<Node>,
    /// The sections.
    pub sections: Vec<Section>,
}
