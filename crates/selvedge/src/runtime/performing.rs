//! Performing operations, as the look-alikes of std ask for it.
//!
//! As a rule that means to suspend the present fiber until the explorer lets the operation happen. A destructor that runs while its
//! execution is given up cannot wait for the explorer: its operations happen at once.

use super::execution::{ENDED, Execution, Mode, with};
use super::fiber::{self, Published, Wake, Yielder};
use super::names::ThreadCell;
use super::operation::{Drops, Operation, Outcome, View};
use super::panics;
use selvedge_trace::ThreadId;

/// The epoch of operations on no object in particular.
pub const ANY_EPOCH: u32 = u32::MAX;

/// What to do about an operation.
enum Next {
    /// It was performed, with this result.
    Go(u64),
    Suspend(*const Yielder<Wake, Published>),
    Complain(String),
    AtOnce,
    Unwind,
}

/// Performs an operation: suspends until the explorer lets it happen, and returns its result.
///
/// # Panics
/// With a message for the user when no execution is in progress, or when the object belongs to none.
#[track_caller]
#[inline]
pub fn perform(operation: Operation) -> u64 {
    match with(|x| x.next(&operation)) {
        Next::Go(result) => result,
        Next::Suspend(yielder) => suspend_at(yielder, &operation),
        Next::Complain(message) => panic!("{message}"),
        Next::AtOnce => at_once(&operation),
        Next::Unwind => fiber::abandon(),
    }
}

/// Performs an operation of a destructor: outside of its execution it does nothing.
#[inline]
pub fn perform_at_drop(operation: Operation) -> u64 {
    match with(|x| x.next(&operation)) {
        Next::Go(result) => result,
        Next::Suspend(yielder) => suspend_at(yielder, &operation),
        Next::Complain(_) => 0,
        Next::AtOnce => at_once(&operation),
        Next::Unwind => 0,
    }
}

/// Stops the present thread for good, though it has not ended.
pub fn stop(how: Published) {
    let yielder = with(|x| match x.mode {
        Mode::Running => x.threads[x.current as usize].yielder,
        Mode::Idle | Mode::Abandoning => None,
    });
    if let Some(yielder) = yielder {
        match suspend(yielder, how) {
            // Destructors must not unwind: they go on at once.
            Wake::Abandon if !panics::is_panicking(with(|x| x.current)) => fiber::abandon(),
            Wake::Abandon | Wake::Go(_) => {}
        }
    }
}

/// Suspends the present thread until its operation is performed. Returns the result.
#[inline]
fn suspend_at(yielder: *const Yielder<Wake, Published>, operation: &Operation) -> u64 {
    match suspend(yielder, Published::Arrived) {
        Wake::Go(result) => result,
        Wake::Abandon if panics::is_panicking(with(|x| x.current)) => at_once(operation),
        Wake::Abandon => fiber::abandon(),
    }
}

#[inline]
#[allow(unsafe_code, reason = "the way back to the explorer is a pointer into the stack of the fiber")]
fn suspend(yielder: *const Yielder<Wake, Published>, what: Published) -> Wake {
    // SAFETY: the pointer was taken by the first frame of the fiber that runs now, which is still below us on
    // its stack: `current` is set by whoever resumes a fiber, and `enter` sets the pointer anew for each fiber.
    unsafe { &*yielder }.suspend(what)
}

/// Performs an operation of a destructor in an execution that is over. If it must wait, whoever it may wait for is
/// unwound first.
#[cold]
fn at_once(operation: &Operation) -> u64 {
    if let Some(result) = with(|x| x.run_at_once(operation)) {
        return result;
    }
    let fibers = with(|x| x.fibers.len());
    for thread in (0..fibers).rev().map(ThreadId::at) {
        if with(|x| x.is_borrowed_from(thread)) {
            continue;
        }
        unwind_fiber(thread);
        if let Some(result) = with(|x| x.run_at_once(operation)) {
            return result;
        }
    }
    if ["lock", "write", "read", "scope"].contains(&operation.kind.name) {
        // Going on would break what the lock promises, and a destructor that unwinding runs cannot be left by unwinding. So this
        // is as far as the thread gets. Nothing on its stack is dropped or used any more.
        let yielder = with(|x| x.threads[x.current as usize].yielder);
        while let Some(yielder) = yielder {
            suspend(yielder, Published::Stuck);
        }
    }
    0
}

/// Unwinds a fiber that has not ended.
pub fn unwind_fiber(thread: ThreadId) {
    let Some(mut fiber) = with(|x| x.take_fiber(thread)) else { return };
    let before = with(|x| {
        x.being_unwound.push(thread);
        std::mem::replace(&mut x.current, thread.0)
    });
    if !fiber.is_done() {
        fiber.resume(Wake::Abandon);
    }
    with(|x| {
        x.being_unwound.pop();
        x.current = before;
        x.memory.set(x.names.cell(thread, ThreadCell::Life), ENDED);
        match fiber.is_done() {
            true => x.stacks.push(fiber.into_stack()),
            false => {
                panics::note_stuck();
                std::mem::forget(fiber);
            }
        }
    });
}

impl Execution {
    /// Whether a thread that is being unwound may borrow from the frames of this one.
    fn is_borrowed_from(&self, thread: ThreadId) -> bool {
        self.being_unwound.iter().any(|&inner| {
            let owner = |t: ThreadId| self.threads[t.index()].scope_owner;
            std::iter::successors(owner(inner), |&t| owner(t)).any(|t| t == thread)
        })
    }

    #[inline]
    fn next(&mut self, operation: &Operation) -> Next {
        if operation.epoch != self.epoch && operation.epoch != ANY_EPOCH {
            return Next::Complain(self.complaint(operation));
        }
        match self.mode {
            Mode::Running => {
                let unwinding = self.is_unwinding();
                let state = &mut self.threads[self.current as usize];
                state.unwinding = unwinding;
                let Some(yielder) = state.yielder else { return Next::Complain(self.complaint(operation)) };
                match self.arrive(operation) {
                    Some(result) => Next::Go(result),
                    None => Next::Suspend(yielder),
                }
            }
            Mode::Idle => Next::Complain(self.complaint(operation)),
            Mode::Abandoning if panics::is_panicking(self.current) => Next::AtOnce,
            Mode::Abandoning => Next::Unwind,
        }
    }

    #[cold]
    fn complaint(&self, operation: &Operation) -> String {
        let what = operation.kind.name;
        match (self.mode, operation.epoch) {
            (Mode::Idle, 0 | ANY_EPOCH) => format!(
                "selvedge: `{what}` was called outside of `selvedge::check`: the types of this library work \
                 only inside the closure that is checked, and in the threads it starts"
            ),
            (Mode::Idle, _) => format!(
                "selvedge: `{what}` was called outside of the check that made the object: in a thread of std, perhaps; threads \
                 must be started by `selvedge::thread`"
            ),
            (_, 0) => format!(
                "selvedge: `{what}` was called on an object that was made outside of the checked closure: \
                 make it inside, so that every execution begins anew"
            ),
            _ => format!(
                "selvedge: `{what}` was called on an object that was left over from another execution: keep \
                 nothing of the checked closure in statics or outside variables"
            ),
        }
    }

    fn run_at_once(&mut self, operation: &Operation) -> Option<u64> {
        let mut footprint = std::mem::take(&mut self.scratch);
        footprint.clear();
        let mut view = View {
            memory: &mut self.memory,
            names: &mut self.names,
            footprint: &mut footprint,
            thread: ThreadId(self.current),
            choice: 0,
            alternatives: 1,
            clocks: None,
            spins: &self.spins,
            reads: None,
            position: 0,
            // What happens when an execution is given up says nothing about the program.
            drops: &mut Drops::default(),
            semantics: self.semantics,
            assumptions: self.assumptions,
        };
        let outcome = (operation.kind.run)(&mut view, operation);
        self.scratch = footprint;
        match outcome {
            Outcome::Done(result) => Some(result),
            Outcome::Wait => None,
        }
    }
}
