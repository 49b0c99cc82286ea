//! What can be wrong with the checked program.

use selvedge_ir::Span;
use selvedge_trace::ThreadId;

/// Something wrong with the checked program: a kind of failure at a place in the source text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Failure {
    /// What is wrong.
    pub kind: FailureKind,
    /// The statement that failed; for a deadlock, that of the first blocked thread.
    pub span: Span,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureKind {
    /// An assertion is false.
    Assertion,
    /// A division or remainder by zero.
    DivisionByZero,
    /// A shift by less than 0 or more than 63 bits.
    ShiftOutOfRange,
    /// An array, mutex, condition variable or thread with an index that does not exist.
    IndexOutOfRange,
    /// Unlocking a mutex that the thread does not hold.
    UnlockNotHeld,
    /// Waiting with a mutex that the thread does not hold.
    WaitNotHeld,
    /// Spawning a thread a second time.
    SpawnedTwice,
    /// Choosing from an empty range.
    EmptyChoice,
    /// No thread can go on, though these have not ended, each at its statement.
    Deadlock(Vec<(ThreadId, Span)>),
}

/// The numbers that belong to a failure, a choice or a join that has to wait, for its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detail {
    /// No numbers.
    None,
    /// The element that does not exist, and how many there are.
    Element(String, u32),
    /// The amount of a shift.
    Amount(i64),
    /// The bounds of a choice.
    Range(i64, i64),
    /// The mutex, and its holder.
    Mutex(String, Option<ThreadId>),
    /// The thread.
    Thread(String),
    /// The thread whose end is waited for.
    Awaited(ThreadId),
}

impl FailureKind {
    /// A short name for machines.
    pub fn name(&self) -> &'static str {
        match self {
            FailureKind::Assertion => "assertion",
            FailureKind::DivisionByZero => "division-by-zero",
            FailureKind::ShiftOutOfRange => "shift-out-of-range",
            FailureKind::IndexOutOfRange => "index-out-of-range",
            FailureKind::UnlockNotHeld => "unlock-not-held",
            FailureKind::WaitNotHeld => "wait-not-held",
            FailureKind::SpawnedTwice => "spawned-twice",
            FailureKind::EmptyChoice => "empty-choice",
            FailureKind::Deadlock(_) => "deadlock",
        }
    }
}
