//! Performing operations, as the look-alikes of std ask for it.
//!
//! As a rule that means to suspend the present fiber until the explorer lets the operation happen. When an execution is given up, its threads
//! go on without the explorer; when they are unwound, the operations of destructors happen at once.

use super::execution::{Execution, Mode, with};
use super::failure::FailureKind;
use super::fiber::{self, Published, Wake, Yielder};
use super::giving_up::{Pause, drop_unstarted, finish_operation, unwind_fiber};
use super::object::Object;
use super::operation::{Drops, Operation, Outcome, View};
use super::retry::Retried;
use super::strays;
use crate::spin;
use selvedge_trace::{LocationId, ThreadId};

/// The epoch of operations on no object in particular.
pub const ANY_EPOCH: u32 = u32::MAX;

/// What to do about an operation.
enum Next {
    /// It was performed, with this result.
    Go(u64),
    Suspend(*const Yielder<Wake, Published>),
    Complain(String),
    Finish,
    AtOnce,
    Unwind,
    /// The thread does the same again and again, and yields first.
    Retry,
    /// There is no room on the stack.
    Overflow,
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
        Next::Suspend(yielder) => suspend_at(yielder, &operation).unwrap_or_else(|| fiber::abandon()),
        Next::Complain(message) => complain(&message),
        Next::Retry => retry(operation),
        next => perform_alone(next, &operation).unwrap_or_else(|| fiber::abandon()),
    }
}

/// Performs an operation of a destructor: outside of its execution it does nothing.
#[inline]
pub fn perform_at_drop(operation: Operation) -> u64 {
    match with(|x| x.next(&operation)) {
        Next::Go(result) => result,
        Next::Suspend(yielder) => suspend_at(yielder, &operation).unwrap_or_else(|| at_once(&operation)),
        Next::Complain(_) => 0,
        Next::Retry => retry(operation),
        next => perform_alone(next, &operation).unwrap_or_else(|| at_once(&operation)),
    }
}

/// Yields before an operation that is repeated without success.
#[cold]
#[track_caller]
fn retry(operation: Operation) -> u64 {
    let place = operation.place;
    perform(Operation { epoch: ANY_EPOCH, place, ..Operation::on(&spin::RETRY, LocationId(0)) });
    perform(operation)
}

/// Says what is wrong by a panic. Where a panic would end the process without a word, because the destructor of a thread's local runs, the
/// operation comes to nothing.
#[cold]
#[track_caller]
fn complain(message: &str) -> u64 {
    let ends = with(|x| x.mode == Mode::Idle) && is_thread_ending();
    if std::thread::panicking() || ends {
        // Rust is about to abort, and says nothing of this.
        eprintln!("{message}");
    }
    assert!(ends, "{message}");
    0
}

/// Whether the thread of the operating system ends: std stands between the destructors of its locals and whoever runs them.
fn is_thread_ending() -> bool {
    std::backtrace::Backtrace::force_capture().to_string().contains("abort_on_dtor_unwind")
}

/// Performs an operation of an execution that is given up. Returns nothing if the thread is to unwind.
#[cold]
fn perform_alone(next: Next, operation: &Operation) -> Option<u64> {
    match next {
        Next::Finish => match finish_operation(operation) {
            None if with(|x| x.is_unwinding()) => Some(at_once(operation)),
            result => result,
        },
        Next::AtOnce => Some(at_once(operation)),
        Next::Overflow => stay(),
        Next::Go(_) | Next::Suspend(_) | Next::Complain(_) | Next::Retry | Next::Unwind => None,
    }
}

/// How `{:?}` shows an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Showing {
    /// By an operation, as in std.
    ByOperation,
    /// By this content of its first location: in the message of a panic, nothing can be waited for.
    Content(u64),
    /// Not at all: it belongs to no execution in progress.
    Outside,
}

/// How `{:?}` shows an object.
pub fn showing(object: Object) -> Showing {
    let is_panicking = std::thread::panicking();
    with(|x| match x.mode != Mode::Idle && object.is_present(x) {
        false => Showing::Outside,
        true if is_panicking => Showing::Content(x.memory.get(object.location)),
        true => Showing::ByOperation,
    })
}

/// Stops the present thread for good, though it has not ended.
pub fn stop(how: Published) {
    let (mode, yielder) = with(|x| (x.mode, x.threads.get(x.current as usize).and_then(|t| t.yielder)));
    let Some(yielder) = yielder.filter(|_| mode != Mode::Idle) else { return };
    let wake = match mode {
        Mode::Running => suspend(yielder, how),
        _ => Wake::Finish,
    };
    match (wake, how) {
        (Wake::Go(_), _) | (Wake::Finish, Published::Failed) => {}
        // Destructors must not unwind: they go on.
        _ if with(|x| x.is_unwinding()) => {}
        (Wake::Abandon, _) => fiber::abandon(),
        (Wake::Finish, _) => {
            if mode == Mode::Abandoning || pause_until_unwound() {
                fiber::abandon();
            }
        }
    }
}

/// Lets others go on until the present thread is to unwind.
fn pause_until_unwound() -> bool {
    while pause() == Pause::Over {}
    true
}

/// Lets others go on, in an execution that is given up.
pub fn pause() -> Pause {
    let yielder = with(|x| {
        x.note_unwinding();
        x.threads[x.current as usize].yielder
    });
    match yielder.map(|yielder| suspend(yielder, Published::Waits)) {
        Some(Wake::Finish | Wake::Go(_)) => Pause::Over,
        Some(Wake::Abandon) | None => Pause::Unwind,
    }
}

/// Suspends the present thread until its operation is performed. Returns the result, or nothing if the thread is to unwind.
#[inline]
fn suspend_at(yielder: *const Yielder<Wake, Published>, operation: &Operation) -> Option<u64> {
    match suspend(yielder, Published::Arrived) {
        Wake::Go(result) => Some(result),
        Wake::Finish => perform_alone(Next::Finish, operation),
        Wake::Abandon if with(|x| x.is_unwinding()) => Some(at_once(operation)),
        Wake::Abandon => None,
    }
}

#[inline]
#[allow(unsafe_code, reason = "the way back to the explorer is a pointer into the stack of the fiber")]
fn suspend(yielder: *const Yielder<Wake, Published>, what: Published) -> Wake {
    // SAFETY: the pointer was taken by the first frame of the fiber that runs now, which is still below us on
    // its stack: `current` is set by whoever resumes a fiber, and `enter` sets the pointer anew for each fiber.
    unsafe { &*yielder }.suspend(what)
}

/// The present thread can neither go on nor be unwound: nothing on its stack is dropped or used any more.
fn stay() -> ! {
    let yielder = with(|x| x.threads[x.current as usize].yielder);
    loop {
        match yielder {
            Some(yielder) => suspend(yielder, Published::Stuck),
            None => unreachable!("operations are performed by fibers"),
        };
    }
}

/// Performs an operation of a destructor in an execution that is over. If it must wait, whoever it may wait for is
/// unwound first.
#[cold]
fn at_once(operation: &Operation) -> u64 {
    if with(|x| x.loses_patience()) {
        stay();
    }
    if let Some(result) = with(|x| x.run_at_once(operation)) {
        return result;
    }
    while let Some((thread, body)) = with(|x| x.spawned.pop()) {
        drop_unstarted(thread, body);
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
        // Going on would break what the lock promises, and a destructor that unwinding runs cannot be left by unwinding.
        stay();
    }
    0
}

impl Execution {
    /// Whether a thread that is being unwound may borrow from the frames of this one.
    fn is_borrowed_from(&self, thread: ThreadId) -> bool {
        self.being_unwound.iter().any(|&inner| {
            let owner = |t: ThreadId| self.threads[t.index()].scope_owner;
            std::iter::successors(owner(inner), |&t| owner(t)).any(|t| t == thread)
        })
    }

    /// Whether a thread that is unwound has performed so many operations that it does not seem to end.
    fn loses_patience(&mut self) -> bool {
        const MOST: u32 = 100_000;
        let state = self.this_thread();
        state.performed_at_once += 1;
        state.performed_at_once > MOST
    }

    /// Notes whether the present thread, which may be suspended next, is unwinding.
    pub(super) fn note_unwinding(&mut self) {
        let unwinding = self.is_unwinding();
        self.this_thread().unwinding = unwinding;
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
                if std::ptr::from_ref(&unwinding).addr() < state.floor {
                    return self.overflow(operation);
                }
                if let Some(retried) = self.retried(operation) {
                    if let Retried::First(length) = retried {
                        self.ask_for_trial(length);
                    }
                    return Next::Retry;
                }
                match self.arrive(operation) {
                    Some(result) => Next::Go(result),
                    None => Next::Suspend(yielder),
                }
            }
            Mode::Idle => Next::Complain(self.complaint(operation)),
            Mode::Finishing => Next::Finish,
            Mode::Abandoning if self.threads[self.current as usize].only_drops || self.is_unwinding() => {
                Next::AtOnce
            }
            Mode::Abandoning => Next::Unwind,
        }
    }

    /// The present thread has no room on its stack for an operation.
    #[cold]
    fn overflow(&mut self, operation: &Operation) -> Next {
        let thread = ThreadId(self.current);
        self.note_trap(thread, FailureKind::StackOverflow, Some(operation.place));
        Next::Overflow
    }

    #[cold]
    fn complaint(&self, operation: &Operation) -> String {
        let what = operation.kind.name;
        match (self.mode, operation.epoch) {
            (Mode::Idle, 0 | ANY_EPOCH) => format!(
                "selvedge: `{what}` was called outside of `selvedge::check`: the types of this library work \
                 only inside the closure that is checked, and in the threads it starts"
            ),
            (Mode::Idle, _) => {
                strays::note(operation);
                format!(
                    "selvedge: `{what}` was called outside of the check that made the object: in a thread of std, perhaps; threads \
                     must be started by `selvedge::thread`"
                )
            }
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

    /// Performs an operation without the explorer, unless it must wait.
    pub(super) fn run_at_once(&mut self, operation: &Operation) -> Option<u64> {
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
