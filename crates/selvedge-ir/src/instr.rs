//! Instructions: what threads do, one transition each unless grouped by an atomic region.
//!
//! An instruction that touches shared memory, synchronises or chooses is one visible transition. Between
//! [`InstrKind::AtomicBegin`] and [`InstrKind::AtomicEnd`] everything is a single transition, whatever the
//! control flow in between. All other instructions are local and invisible.

use crate::{ArrayId, BarrierId, CondvarId, Expr, FamilyId, FunctionId, MutexId, ObjectId, RegisterId, Span};

/// An instruction and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instr {
    /// What it does.
    pub kind: InstrKind,
    /// The statement of the source text.
    pub span: Span,
}

/// Somewhere a value can be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A register.
    Register(RegisterId),
    /// An element of a thread-local array.
    Element {
        /// The array.
        array: ArrayId,
        /// Which element; out of range is a violation.
        index: Expr,
    },
    /// An element of a shared object.
    Shared {
        /// The object.
        object: ObjectId,
        /// Which element, 0 for a scalar; out of range is a violation.
        index: Expr,
    },
}

/// A mutex: an element of an array of mutexes, index 0 for a single one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MutexRef {
    /// The array.
    pub mutex: MutexId,
    /// Which element; out of range is a violation.
    pub index: Expr,
}

/// A condition variable: an element of an array of them, index 0 for a single one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CondvarRef {
    /// The array.
    pub condvar: CondvarId,
    /// Which element; out of range is a violation.
    pub index: Expr,
}

/// A thread: a member of a family, index 0 for a single one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadRef {
    /// The family.
    pub family: FamilyId,
    /// Which member; out of range is a violation.
    pub index: Expr,
}

/// What a read-modify-write instruction makes of the old value and its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RmwOp {
    /// The wrapping sum.
    Add,
    /// The operand.
    Swap,
}

/// What an instruction does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstrKind {
    /// Evaluates `value`, then the index of `target`, and stores.
    Assign {
        /// Where the value goes.
        target: Place,
        /// The value.
        value: Expr,
    },
    /// Replaces a shared value and remembers the old one.
    Rmw {
        /// Receives the old value.
        result: Option<RegisterId>,
        /// The shared object.
        object: ObjectId,
        /// Which element.
        index: Expr,
        /// How the new value is made.
        op: RmwOp,
        /// The operand.
        operand: Expr,
    },
    /// Stores `desired` if the shared value equals `expected`; otherwise only reads.
    CompareExchange {
        /// Receives a boolean: whether it was equal.
        result: Option<RegisterId>,
        /// The shared object.
        object: ObjectId,
        /// Which element.
        index: Expr,
        /// The value it must have.
        expected: Expr,
        /// The value it gets.
        desired: Expr,
    },
    /// Waits until the mutex is free and takes it.
    Lock(MutexRef),
    /// Frees a mutex; not holding it is a violation.
    Unlock(MutexRef),
    /// Takes the mutex if it is free, without waiting.
    TryLock {
        /// Receives a boolean: whether it was free.
        result: Option<RegisterId>,
        /// The mutex.
        mutex: MutexRef,
    },
    /// Frees the mutex and waits for a signal, in one step, then takes the mutex again, in another.
    Wait {
        /// The condition variable.
        condvar: CondvarRef,
        /// The mutex; not holding it is a violation.
        mutex: MutexRef,
    },
    /// Wakes one waiting thread, any one of them, if there is one.
    Signal(CondvarRef),
    /// Wakes all waiting threads.
    Broadcast(CondvarRef),
    /// Waits until as many threads as the barrier is wide have arrived: one step to arrive, one to go on.
    BarrierWait(BarrierId),
    /// Starts a thread that is declared [`Start::WhenSpawned`](crate::Start::WhenSpawned); twice is a violation.
    Spawn(ThreadRef),
    /// Waits until a thread has ended.
    Join(ThreadRef),
    /// A violation if the boolean is false.
    Assert(Expr),
    /// Drops the execution if the boolean is false.
    Assume(Expr),
    /// Waits until the boolean is true.
    Await(Expr),
    /// Chooses any integer with `low <= value < high`; an empty range is a violation.
    Choose {
        /// Receives the value.
        target: RegisterId,
        /// The least value.
        low: Expr,
        /// The bound above, itself not chosen.
        high: Expr,
    },
    /// Begins an atomic region. Regions do not nest and end in the function they begin in.
    AtomicBegin,
    /// Ends the atomic region.
    AtomicEnd,
    /// Calls a function; the arguments are evaluated in one transition.
    Call {
        /// Receives what the function returns.
        result: Option<RegisterId>,
        /// The function.
        function: FunctionId,
        /// As many as it has parameters.
        arguments: Vec<Expr>,
    },
}
