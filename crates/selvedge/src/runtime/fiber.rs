//! Fibers: threads of the checked program as coroutines with recycled stacks.

use super::execution;
use super::panics;
use super::script::Standing;
use super::stacks::{SizedStack, Stacks};
use super::trap::{self, Running, Trap};
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult};
use selvedge_trace::ThreadId;
use std::any::Any;
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// How a fiber is woken.
#[derive(Clone, Copy, Debug)]
pub enum Wake {
    /// Its operation was performed, with this result.
    Go(u64),
    /// The execution is given up: go on without the explorer.
    Finish,
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
    /// Its execution is given up, and it waits for others.
    Waits,
    /// It can neither go on nor be unwound: a destructor waits for ever, or there is no room on its stack.
    Stuck,
}

impl Published {
    /// Where a fiber that never goes on stands.
    pub fn standing(self) -> Standing {
        match self {
            Published::Arrived | Published::Waits => unreachable!("it goes on, or the execution is over"),
            Published::Dropped => Standing::Dropped,
            Published::Failed | Published::Stuck => Standing::Failed,
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
    /// It was taken off the processor. Its frames are as they were, and its stack must not be used again.
    Trapped(Trap),
}

/// The payload of the unwinding of an abandoned fiber.
pub struct Abandoned;

pub use corosensei::Yielder;

/// What a fiber runs.
pub type Body = Box<dyn FnOnce()>;

/// A thread of the checked program.
pub struct Fiber {
    coroutine: Coroutine<Wake, Published, Exit>,
    running: Running,
    /// The size of the stack that was asked for.
    pub stack_size: usize,
    /// The address below which an operation finds no room on the stack.
    pub floor: usize,
}

/// The room at the bottom of a stack for what runs there when the fiber is taken off the processor: frames above may hold
/// what others borrow.
const ROOM_FOR_TRAPS: usize = 3 << 10;

impl Fiber {
    /// A thread that has not begun.
    ///
    /// # Errors
    /// When the system has no memory for another stack.
    pub fn new(
        thread: ThreadId,
        body: Body,
        stacks: &mut Stacks,
        stack_size: usize,
    ) -> std::io::Result<Fiber> {
        let SizedStack { stack, size: stack_size } = stacks.take(stack_size)?;
        let range = SizedStack::range_of(&stack);
        let floor = SizedStack::floor(&range);
        let coroutine = Coroutine::with_stack(stack, move |yielder, _| {
            let room = MaybeUninit::<[u8; ROOM_FOR_TRAPS]>::uninit();
            black_box(&room);
            execution::with(|x| x.enter(thread, yielder, floor));
            let mut outcome = catch_unwind(AssertUnwindSafe(body));
            let (has_locals, end_is_observed) = execution::with(|x| x.leave(thread));
            if has_locals {
                outcome = outcome.and(catch_unwind(crate::thread::local::destroy));
            }
            if end_is_observed {
                // Nothing of the user's is left on this stack: when the execution is given up, so is the operation.
                let _ = catch_unwind(crate::thread::spawn::end);
            }
            let exit = exit(thread, outcome);
            black_box(&room);
            exit
        });
        let running = Running::new(coroutine.trap_handler(), range);
        Ok(Fiber { coroutine, running, stack_size, floor })
    }

    /// Runs the fiber up to where it suspends or ends.
    #[inline]
    pub fn resume(&mut self, wake: Wake) -> CoroutineResult<Published, Exit> {
        let before = trap::enter(self.running);
        let outcome = self.coroutine.resume(wake);
        trap::leave(before);
        outcome
    }

    /// The stack of a fiber that has ended, to be used again.
    pub fn into_stack(self) -> SizedStack {
        SizedStack { stack: self.coroutine.into_stack(), size: self.stack_size }
    }

    /// Frees the stack without unwinding: destructors do not run.
    ///
    /// # Safety
    /// Nothing refers to the frames of the fiber any more.
    #[allow(unsafe_code, reason = "frames are forgotten")]
    pub unsafe fn forget_frames(mut self) {
        if !self.coroutine.done() {
            // SAFETY: the caller promises it.
            unsafe { self.coroutine.force_reset() };
        }
        drop::<DefaultStack>(self.coroutine.into_stack());
    }
}

fn exit(thread: ThreadId, outcome: std::thread::Result<()>) -> Exit {
    match outcome {
        Ok(()) => Exit::Ended,
        Err(payload) if payload.is::<Abandoned>() => Exit::Abandoned,
        Err(payload) => {
            let noted = panics::take(thread.0, &panics::message_of(&*payload));
            execution::with(|x| x.note_panic(thread, noted));
            // A payload is the user's, and its destructor may panic as well.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(payload)));
            Exit::Panicked
        }
    }
}

/// Unwinds the present fiber because its execution is over.
pub fn abandon() -> ! {
    rethrow(Box::new(Abandoned))
}

/// Unwinds the present fiber, without the hook of panics.
pub fn rethrow(payload: Box<dyn Any + Send>) -> ! {
    panics::note_raised(execution::with(|x| x.current));
    resume_unwind(payload)
}
