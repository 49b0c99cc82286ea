//! Program schedules for compiled programs.
//!
//! A program schedule [Metzler2020, section 5.2] speaks of the places of a verified program; a compiled program knows instructions. [`Table`] is
//! a schedule in terms of what a compiled program can see: which instruction a thread comes to, and how many events other threads have
//! behind them. [`compile()`] makes one: [`steps`] says which steps have instructions and what they access, [`chunks`] follows the
//! schedule as far as instructions tell its ways apart, [`waits`] finds what each event has to wait for. [`Walker`] is
//! what each thread does with a table.
//!
//! [`mod@reference`] and [`audit`] judge executions by the definitions, without tables. [`Sources`] say which instruction of the LLVM IR each step
//! of a translated program is.
//!
//! # Why a section needs no barrier at its end
//!
//! Definition 39 has all events of a section before all of the next. A table orders less: an event waits for the earlier events of other
//! threads that it depends on, in whichever section they are, and for nothing else. Let `p` be the path through the schedule that the
//! decisions of an execution choose. Every two events of `p` that depend on each other happen in the order of `p`: in one thread by program
//! order, in two because the later one waits. So what has happened at any time is closed under predecessors in the Mazurkiewicz trace of `p`, and is a prefix
//! of an execution that is equivalent to one along `p` (theorem 6 for `p`). It reaches only local states that this one reaches, and
//! fails only if that one does. The path is never guessed: where it divides, a thread goes on only after the thread that decides has arrived at the
//! instruction that tells, and that is no later than the event after which the ways differ.
//!
//! Nobody waits for ever: of all threads, the one whose next event is the earliest on `p` waits for events before it, which have happened, and for
//! decisions before it, whose thread has nothing left to wait for but its own local code.

pub mod audit;
pub mod chunks;
pub mod compile;
pub mod native;
pub mod reference;
pub mod restrict;
pub mod sources;
pub mod steps;
pub mod table;
pub mod waits;
pub mod walker;

pub use chunks::Refused;
pub use compile::{Level, compile};
pub use sources::Sources;
pub use steps::Steps;
pub use table::Table;
pub use walker::Walker;
