//! The seam between algorithms and whatever they explore.

use crate::fingerprint::Mixer;
use crate::lookahead::{Lookahead, is_certain};
use selvedge_trace::{AccessKind, Decision, Footprint, LocationId, ThreadId};
use std::fmt::Debug;
use std::ops::Range;

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

    /// The same, and the footprint receives all that the operation looks at, even where it comes after everything else for
    /// certain.
    fn inspect(&mut self, decision: Decision, footprint: &mut Footprint) -> Readiness {
        self.pending(decision, footprint)
    }

    /// The next operations of an enabled thread that are certain: it will perform them, without having to wait,
    /// and each will access just that, whatever the other threads do in the meantime. The list may be shorter than
    /// it could be; by default it is the next operation, or nothing.
    fn lookahead(&mut self, thread: ThreadId, ahead: &mut Lookahead) {
        ahead.clear();
        let decision = Decision { thread, choice: 0 };
        let footprint = ahead.add();
        let readiness = self.pending(decision, footprint);
        if readiness == Readiness::Disabled || !is_certain(footprint) || self.choices(thread) != 1 {
            ahead.remove_last();
        }
    }

    /// Whether the next operation of an enabled thread does nothing but observe. It may say no though it does.
    fn only_observes(&mut self, thread: ThreadId) -> bool {
        let mut footprint = Footprint::default();
        self.pending(Decision { thread, choice: 0 }, &mut footprint);
        let accesses = footprint.accesses();
        !accesses.is_empty() && accesses.iter().all(|access| access.kind == AccessKind::Observe)
    }

    /// Whether the next operation of a thread accesses the same locations in every state, though perhaps in other ways, as a
    /// compare-exchange does. `false` is always right.
    fn has_fixed_locations(&self, _thread: ThreadId) -> bool {
        false
    }

    /// Fills in what the next operation of a thread that never waits would access if a location held another number. Returns `false` if that
    /// cannot be told, or if the operation then has a choice.
    fn inspect_with(
        &mut self,
        _content: (LocationId, i64),
        _thread: ThreadId,
        _footprint: &mut Footprint,
    ) -> bool {
        false
    }

    /// Whether operations depend on nothing but the contents of the locations that they access, what waits included. Then it can be told from what
    /// threads did in one order what they may do in another. `false` is always right: a thread that spins until nobody else can move, say, depends
    /// on more.
    fn can_be_foreseen(&self) -> bool {
        false
    }

    /// Performs the next operation of an enabled thread. The footprint receives what it accessed.
    fn step(&mut self, decision: Decision, footprint: &mut Footprint);

    /// Whether it can be worth trying to [leave operations out](Program::leave_out).
    fn leaves_out(&self) -> bool {
        false
    }

    /// Takes operations back for a moment, each given by the marks before and after it, in the order of the path, on which no
    /// other operations depend. Returns `false`, and does nothing, if it cannot.
    fn leave_out(&mut self, _operations: &[Range<Mark>]) -> bool {
        false
    }

    /// Performs again an operation of the path that was left, at a place where nothing it depends on is missing: after that,
    /// too, the thread goes on as it did before. The default performs it like any other.
    fn repeat(&mut self, decision: Decision, footprint: &mut Footprint) {
        self.step(decision, footprint);
    }

    /// Goes back to a marked state for a moment, from where operations of the present path may be repeated.
    fn leave(&mut self, mark: Mark) {
        self.rollback(mark);
    }

    /// Comes back from either to the state that was left. Returns `false` if that has to be done by going back to the mark and
    /// repeating the path, as by default.
    fn come_back(&mut self) -> bool {
        false
    }

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

    /// What a location holds in the present state. After a step, for the locations that it accessed: the values that it
    /// read, or wrote where it wrote. Nothing if the location holds no value, like a mutex, or values cannot be told.
    fn content(&self, _location: LocationId) -> Option<i64> {
        None
    }

    /// Whether what operations do depends on nothing but the contents that are told. Where they depend on more, like what
    /// lies under a lock, it is decided by which writes they observe.
    fn contents_tell_all(&self) -> bool {
        true
    }

    /// Whether a location *floats*: it holds a value that several threads may replace without looking at it, and all operations
    /// of the program that may access it are plain, that is, they wait for no condition, access the same in
    /// every state, and replace no other location that floats. `false` is always right.
    fn floats(&self, _location: LocationId) -> bool {
        false
    }

    /// Whether a search that reverses races may leave out what follows a state that it knows, going by what was accessed after
    /// it. `false` is always right.
    fn may_skip_known_states(&self) -> bool {
        true
    }

    /// Whether any location floats.
    fn has_floating_locations(&self) -> bool {
        false
    }

    /// The first thread that another one makes, where one thread makes all others.
    fn first_spawned(&self) -> Option<ThreadId> {
        None
    }

    /// Appends everything that decides how the program goes on to a description of the present state: equal descriptions,
    /// equal states. Returns `false` if it cannot.
    fn snapshot(&self, _description: &mut Vec<i64>) -> bool {
        false
    }

    /// A number that equal states share and others, but for chance, do not; nothing if states cannot be told apart. By default
    /// it is made from the [`snapshot`](Program::snapshot).
    fn fingerprint(&self) -> Option<u128> {
        let mut description = Vec::new();
        self.snapshot(&mut description).then(|| {
            let mut mixer = Mixer::new(0);
            description.iter().for_each(|word| mixer.add(*word as u64));
            mixer.end()
        })
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
    /// It can.
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
    /// It waits for a condition without which it would end the program: the execution is over, whoever waits besides.
    EndOfProgram,
}

/// Where a thread stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThreadStatus {
    /// It has a next operation, which may have to wait.
    Running,
    /// It has ended, or it has not started and nobody has to wait for that.
    Ended,
    /// It found an assumption false: the execution does not count.
    Dropped,
    /// It failed.
    Failed,
    /// It reached a limit of whatever runs it, such as one on local code: nobody knows what it would have done.
    Diverged,
}
