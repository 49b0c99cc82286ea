//! The compact form in which programs are run.
//!
//! A function is a range of [`Op`]s over a frame of slots: first its registers, then its arrays. Temporaries
//! are not in the frame: they live within one transition, so all frames of a thread share them and writing
//! them is not logged for going back. A transition begins at an [`Op::Visible`] and ends before the next one; after [`Op::Commit`] only local
//! code follows.

use crate::Layout;
use selvedge_ir::{BinaryOp, Span, UnaryOp};
use selvedge_trace::{Blocking, Variation};

/// A slot of the frame of the running function, or, from [`TEMPORARY`] on, a temporary.
pub type Slot = u32;

/// The first of the slots that are temporaries.
pub const TEMPORARY: Slot = 1 << 31;

/// An instruction of the compact form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are operands: dst, a, b are slots, cells are places in memory")]
pub enum Op {
    /// A transition begins; the operand says which kind, in [`Code::visible`].
    Visible(u32),
    /// The shared part of the transition is over.
    Commit,
    Const {
        dst: Slot,
        value: i64,
    },
    Copy {
        dst: Slot,
        src: Slot,
    },
    SelfIndex {
        dst: Slot,
    },
    Unary {
        op: UnaryOp,
        dst: Slot,
        a: Slot,
    },
    Binary {
        op: BinaryOp,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Load {
        dst: Slot,
        cell: u32,
    },
    /// Reads the element of a shared array whose index is in `index`.
    LoadAt {
        dst: Slot,
        array: u32,
        index: Slot,
    },
    Store {
        cell: u32,
        src: Slot,
    },
    StoreAt {
        array: u32,
        index: Slot,
        src: Slot,
    },
    /// Notes that what was loaded last is compared with a number, and that this is all that the transition depends on.
    Expect {
        found: Slot,
        expected: Slot,
    },
    /// Reads the element of a frame array whose index is in `index`.
    Element {
        dst: Slot,
        array: u32,
        index: Slot,
    },
    SetElement {
        array: u32,
        index: Slot,
        src: Slot,
    },
    /// Writes a register.
    Set {
        dst: Slot,
        src: Slot,
    },
    /// The cell of an element of a shared array, range checked, as a number.
    CellAt {
        dst: Slot,
        array: u32,
        index: Slot,
    },
    /// The number of a thread of a family, range checked.
    ThreadAt {
        dst: Slot,
        family: u32,
        index: Slot,
    },
    Jump(u32),
    JumpIfFalse {
        condition: Slot,
        to: u32,
    },
    JumpIfTrue {
        condition: Slot,
        to: u32,
    },
    Lock {
        cell: Slot,
    },
    Unlock {
        cell: Slot,
    },
    TryLock {
        dst: Slot,
        cell: Slot,
    },
    /// Frees the mutex and waits for the condition variable.
    BeginWait {
        condvar: Slot,
        mutex: Slot,
    },
    /// Takes the mutex again after having been woken; `mutex` is a register that holds its cell.
    EndWait {
        mutex: Slot,
    },
    Signal {
        condvar: Slot,
    },
    Broadcast {
        condvar: Slot,
    },
    /// Arrives at a barrier; the register `round` receives the parity of its round.
    Arrive {
        barrier: u32,
        round: Slot,
    },
    Pass {
        barrier: u32,
        round: Slot,
    },
    Spawn {
        thread: Slot,
    },
    Join {
        thread: Slot,
    },
    Assert {
        condition: Slot,
    },
    Assume {
        condition: Slot,
    },
    Await {
        condition: Slot,
    },
    Choose {
        dst: Slot,
        low: Slot,
        high: Slot,
    },
    /// Makes the call with this number in [`Code::calls`].
    Call(u32),
    /// Returns the value of a slot.
    Return {
        value: Slot,
    },
    /// Waits for the end of all threads: the beginning of `finally`.
    AwaitAll,
}

/// No slot: a call whose result is not used, a return without a value.
pub const NO_SLOT: Slot = u32::MAX;

/// What is known of a transition before it is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visible {
    /// When it can be performed.
    pub readiness: WhenReady,
    /// How its races are reversed.
    pub blocking: Blocking,
    /// Whether its footprint depends on shared memory.
    pub variation: Variation,
    /// Whether the locations in it do.
    pub locations: Variation,
    /// Whether it may have several alternatives.
    pub alternatives: Alternatives,
    /// Whether it waits for the assumptions that it finds false.
    pub assumptions: WaitsForAssumptions,
}

/// Whether a transition waits for the assumptions that it finds false, instead of dropping the execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitsForAssumptions {
    /// It drops the execution.
    Never,
    /// For those in its shared part.
    Within,
    /// For those in the local code after it, too: its shared part only reads.
    Throughout,
}

/// When a transition can be performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenReady {
    /// Always.
    Always,
    /// When the mutex in this cell is free.
    MutexFree(u32),
    /// Found out by trying it.
    Try,
}

/// Whether a transition may have several alternatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alternatives {
    /// Just one.
    One,
    /// As many as trying it shows.
    Several,
}

/// A thread-local array within a frame.
#[derive(Clone, Copy, Debug)]
pub struct FrameArray {
    /// Its first slot.
    pub start: Slot,
    /// Its length.
    pub length: u32,
}

/// A call.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The function.
    pub function: u32,
    /// The first of the temporaries that hold the arguments.
    pub arguments: Slot,
    /// The register that receives the result.
    pub result: Slot,
    /// The size of the frame of the caller.
    pub frame: u32,
}

/// A compiled function.
#[derive(Clone, Debug)]
pub struct CompiledFunction {
    /// Its first instruction.
    pub entry: u32,
    /// The number of slots of its frame.
    pub frame: u32,
    /// The number of parameters, which are its first slots.
    pub parameters: u32,
    /// The initial values of the slots after the parameters.
    pub initial: Box<[i64]>,
}

/// A compiled program.
#[derive(Debug)]
pub struct Code {
    /// The instructions.
    pub ops: Vec<Op>,
    /// The statement each instruction came from.
    pub spans: Vec<Span>,
    /// The kinds of transitions.
    pub visible: Vec<Visible>,
    /// The functions: those of the program, then one for each thread.
    pub functions: Vec<CompiledFunction>,
    /// The function of each thread; the last is `finally`, if there is one.
    pub threads: Vec<ThreadCode>,
    /// The thread-local arrays.
    pub arrays: Vec<FrameArray>,
    /// The calls.
    pub calls: Vec<Call>,
    /// The number of temporaries that suffice for every transition.
    pub temporaries: u32,
    /// The first thread and the number of threads of each family, with its name.
    pub families: Vec<(u32, u32, String)>,
    /// Where everything is in memory.
    pub layout: Layout,
    /// For each cell that holds a value, whether it floats: see `Program::floats`.
    pub floating_cells: Vec<bool>,
    /// Whether some operation takes a mutex that shared memory chooses.
    pub memory_chooses_mutexes: bool,
    /// Whether anybody waits for the end of a thread.
    pub ends_are_observed: bool,
}

/// What a thread runs.
#[derive(Clone, Copy, Debug)]
pub struct ThreadCode {
    /// Its function.
    pub function: u32,
    /// Its index in its family.
    pub index: i64,
    /// What starts it.
    pub role: Role,
}

/// What starts a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It runs from the beginning.
    AtOnce,
    /// Another thread spawns it.
    Spawned,
    /// It runs when all others have ended.
    Finally,
}
