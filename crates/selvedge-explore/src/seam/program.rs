//! The seam between algorithms and whatever they explore.

use selvedge_trace::{Decision, Footprint, ThreadId};
use std::fmt::Debug;

/// One controlled, deterministic execution of something concurrent.
///
/// Each thread has a *next operation*, known before it is performed. A step performs the next operation of one
/// thread and then runs that thread's local code up to its next one. The same decisions always lead to the
/// same state.
pub trait Program {
    /// What can be wrong with the checked program.
    type Failure: Clone + Ord + Debug;

    /// The number of threads, including those that have not started yet. It may grow with each step, but a
    /// thread keeps its number for the whole search.
    fn thread_count(&self) -> usize;

    /// Goes back to the beginning.
    fn restart(&mut self);

    /// Where a thread stands.
    fn status(&self, thread: ThreadId) -> ThreadStatus;

    /// Whether a thread can perform its next operation now.
    fn is_enabled(&mut self, thread: ThreadId) -> bool;

    /// The number of alternatives of the next operation of an enabled thread, at least 1. An operation with
    /// more than one that also accesses something must have a
    /// [varying](selvedge_trace::Variation::Varying) footprint.
    fn choices(&mut self, thread: ThreadId) -> u32;

    /// Looks at the next operation of a thread without performing it. The footprint receives what the operation
    /// would access, or what it looked at before it found that it must wait.
    fn pending(&mut self, decision: Decision, footprint: &mut Footprint) -> Readiness;

    /// Performs the next operation of an enabled thread. The footprint receives what it accessed.
    fn step(&mut self, decision: Decision, footprint: &mut Footprint);

    /// What went wrong in the latest step, or in `restart` if there was none.
    fn failures(&self) -> &[Self::Failure];

    /// Threads other than the one that took the latest step whose steps so far have a part in its failures.
    fn accomplices(&self) -> &[ThreadId] {
        &[]
    }

    /// Whether it is a failure that threads wait for ever in the present state, in which none can go on. It is not
    /// when the end of one thread ends the whole program.
    fn counts_as_deadlock(&self) -> bool {
        true
    }

    /// What it means if a thread that has to wait does so for ever.
    fn waiting_for_ever(&self, _thread: ThreadId) -> WaitingForEver {
        WaitingForEver::Deadlock
    }

    /// The failure of being in the present state, in which no thread can go on though not all have ended.
    fn deadlock(&self) -> Self::Failure;

    /// The instruction of the program that a thread performs next, as a number, for those who ask where events come from.
    fn site(&self, _thread: ThreadId) -> u32 {
        0
    }

    /// Remembers the present state, to go back to it as long as it is on the way here.
    fn mark(&self) -> Mark;

    /// Goes back to a marked state.
    fn rollback(&mut self, mark: Mark);
}

/// A state on the way to the present one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(pub usize);

/// Whether the next operation of a thread can be performed now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// The operation can be performed.
    Enabled,
    /// It must wait, or there is none.
    Disabled,
}

/// What it means that a thread waits for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaitingForEver {
    /// A deadlock, unless another thread says otherwise.
    Deadlock,
    /// It waits for an assumption, which is false: the execution is dropped.
    FalseAssumption,
    /// It waits for a condition without which it would end the program: the execution is over, whatever other threads wait for.
    EndOfProgram,
}

/// Where a thread stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThreadStatus {
    /// It has a next operation, which may have to wait.
    Running,
    /// It has ended, or it has not started and no thread has to wait for that.
    Ended,
    /// It found an assumption false: the execution does not count.
    Dropped,
    /// It failed.
    Failed,
    /// It reached a limit of whatever runs it, such as one on local code: what it would have done is unknown.
    Diverged,
}
