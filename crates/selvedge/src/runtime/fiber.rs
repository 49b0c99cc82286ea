//! Fibers: threads of the checked program as coroutines with recycled stacks.

use super::execution;
use super::panics;
use super::script::Standing;
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult};
use selvedge_trace::ThreadId;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// How a fiber is woken.
#[derive(Clone, Copy, Debug)]
pub enum Wake {
    /// Its operation was performed, with this result.
    Go(u64),
    /// The execution is over: unwind.
    Abandon,
}

/// What a fiber says when it suspends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    /// It wants to perform the operation at which it has [arrived](super::Execution::arrive).
    Arrived,
    /// It found an assumption false, and never goes on.
    Dropped,
    /// It failed, as noted in the execution, and never goes on.
    Failed,
    /// It reached a limit, and never goes on.
    Diverged,
    /// It was told to unwind, and a destructor waits for ever.
    Stuck,
}

impl Published {
    /// Where a fiber that never goes on stands.
    pub fn standing(self) -> Standing {
        match self {
            Published::Arrived | Published::Stuck => unreachable!("it goes on, or the execution is over"),
            Published::Dropped => Standing::Dropped,
            Published::Failed => Standing::Failed,
            Published::Diverged => Standing::Diverged,
        }
    }
}

/// How a fiber ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Its closure returned.
    Ended,
    /// Its closure panicked, as noted in the execution.
    Panicked,
    /// It was told to unwind.
    Abandoned,
}

/// The payload of the unwinding of an abandoned fiber.
pub struct Abandoned;

pub use corosensei::Yielder;

/// What a fiber runs.
pub type Body = Box<dyn FnOnce()>;

/// A thread of the checked program.
pub struct Fiber {
    coroutine: Coroutine<Wake, Published, Exit>,
}

/// The room on the stack of each thread of the checked program.
const STACK_SIZE: usize = 1 << 19;

impl Fiber {
    /// A thread that has not begun, on a stack that was used before if there is one.
    ///
    /// # Panics
    /// When the system has no memory for another stack.
    pub fn new(thread: ThreadId, body: Body, stack: Option<DefaultStack>) -> Fiber {
        let stack = stack.unwrap_or_else(|| DefaultStack::new(STACK_SIZE).expect("memory for a stack"));
        let coroutine = Coroutine::with_stack(stack, move |yielder, wake| {
            if let Wake::Abandon = wake {
                return Exit::Abandoned;
            }
            execution::with(|x| x.enter(thread, yielder));
            let mut outcome = catch_unwind(AssertUnwindSafe(body));
            let (has_locals, end_is_observed) = execution::with(|x| x.leave(thread));
            if has_locals {
                outcome = outcome.and(catch_unwind(crate::thread::local::destroy));
            }
            if end_is_observed {
                // Nothing of the user's is left on this stack: when the execution is given up, so is the operation.
                let _ = catch_unwind(crate::thread::spawn::end);
            }
            match outcome {
                Ok(()) => Exit::Ended,
                Err(payload) if payload.is::<Abandoned>() => Exit::Abandoned,
                Err(payload) => {
                    let noted = noted(thread, &*payload);
                    execution::with(|x| x.note_panic(thread, noted));
                    Exit::Panicked
                }
            }
        });
        Fiber { coroutine }
    }

    /// Runs the fiber up to where it suspends or ends.
    #[inline]
    pub fn resume(&mut self, wake: Wake) -> CoroutineResult<Published, Exit> {
        self.coroutine.resume(wake)
    }

    /// Whether the fiber has ended.
    pub fn is_done(&self) -> bool {
        self.coroutine.done()
    }

    /// The stack of a fiber that has ended, to be used again.
    pub fn into_stack(self) -> DefaultStack {
        self.coroutine.into_stack()
    }
}

fn noted(thread: ThreadId, payload: &(dyn std::any::Any + Send)) -> panics::Noted {
    let message = panics::message_of(payload);
    match panics::take_latest(thread.0) {
        Some(noted) if noted.message == message => noted,
        _ => panics::Noted { message, site: None },
    }
}

/// Unwinds the present fiber because its execution is over.
pub fn abandon() -> ! {
    panics::note_raised(execution::with(|x| x.current));
    resume_unwind(Box::new(Abandoned))
}
