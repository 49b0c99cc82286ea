//! Giving up an execution: its threads are finished without the explorer.
//!
//! An execution that the explorer does not want to complete (everything that follows is asleep, a thread has failed, a bound or limit is
//! reached) has threads with destructors to run. Unwinding them would leave destructors half-way, and those of fields would see what
//! never is otherwise. So the threads go on, one after the other, on a copy of the model memory: to the closure, this is one of
//! its executions. Only threads that wait for ever, and loops without end, are unwound. Nothing that happens here is reported.

use super::attempts::Alone;
use super::execution::{ENDED, Execution, Mode, with};
use super::fiber::{Body, Exit, Fiber, Published, Wake};
use super::names::ThreadCell;
use super::operation::Operation;
use super::panics::{self, Noise};
use super::performing;
use super::trap::Trap;
use crate::spin;
use corosensei::CoroutineResult;
use selvedge_trace::ThreadId;

/// How many operations the threads of an execution that is given up perform at least, if they do not end before.
const PATIENCE: usize = 1000;

/// Ends the execution in progress, if there is one. Threads that are about to be started are in the list.
pub fn give_up(starting: &mut Vec<(ThreadId, Body)>) {
    give_up_after(starting, || {});
}

/// Ends the execution in progress. Before, the thread on trial goes on alone.
pub fn try_alone(starting: &mut Vec<(ThreadId, Body)>) {
    give_up_after(starting, || {
        if let Some(thread) = with(|x| x.on_trial()) {
            run_on(thread, Wake::Finish);
            with(Execution::judge);
        }
    });
}

fn give_up_after(starting: &mut Vec<(ThreadId, Body)>, first: impl FnOnce()) {
    if with(|x| x.has_nothing_to_finish()) && starting.is_empty() {
        with(|x| {
            x.mode = Mode::Idle;
            x.history.begin();
        });
        return;
    }
    let noise = panics::set_noise(Noise::Quiet);
    let others_unwind = panics::set_others_unwind(panics::others_unwind() || std::thread::panicking());
    let (mark, words) = with(Execution::begin_finishing);
    first();
    finish(starting);
    with(|x| x.mode = Mode::Abandoning);
    unwind(starting);
    with(|x| x.end_finishing(mark, words));
    let is_still = panics::others_unwind() && !others_unwind && std::thread::panicking();
    panics::set_others_unwind(others_unwind || is_still);
    panics::set_noise(noise);
}

/// Runs all threads as long as one of them can go on.
fn finish(starting: &mut Vec<(ThreadId, Body)>) {
    loop {
        let before = with(|x| x.patience);
        while let Some((thread, body)) = with(|x| x.next_to_start(starting)) {
            start(thread, body);
        }
        for thread in (0..with(|x| x.fiber_count())).map(ThreadId::at) {
            run_on(thread, Wake::Finish);
        }
        let after = with(|x| x.patience);
        if after == before || after == 0 {
            return;
        }
    }
}

/// Unwinds the threads that are left.
fn unwind(starting: &mut Vec<(ThreadId, Body)>) {
    for thread in (0..with(|x| x.fiber_count())).rev().map(ThreadId::at) {
        unwind_fiber(thread);
    }
    while let Some((thread, body)) = with(|x| x.next_to_start(starting)) {
        drop_unstarted(thread, body);
    }
}

/// Starts a thread of an execution that is given up.
fn start(thread: ThreadId, body: Body) {
    let fiber = with(|x| {
        x.patience = x.patience.saturating_sub(1);
        let size = x.stack_size(thread);
        Fiber::new(thread, body, &mut x.stacks, size)
    });
    match fiber {
        Ok(fiber) => run(thread, fiber, Wake::Go(0)),
        // Without memory for its stack, the thread stays where it is: before its beginning.
        Err(_) => with(|x| x.set_life(thread, ENDED)),
    }
}

/// Drops the closure of a thread that is never started, on a stack of its own, because its destructors may perform operations.
pub fn drop_unstarted(thread: ThreadId, body: Body) {
    with(|x| x.thread(thread).only_drops = true);
    start(thread, Box::new(move || drop(body)));
}

/// Lets a fiber go on, if it is suspended.
fn run_on(thread: ThreadId, wake: Wake) {
    if let Some(fiber) = with(|x| x.take_fiber(thread)) {
        run(thread, fiber, wake);
    }
}

fn run(thread: ThreadId, mut fiber: Fiber, wake: Wake) {
    let before = with(|x| {
        x.goes_on(None);
        std::mem::replace(&mut x.current, thread.0)
    });
    let outcome = fiber.resume(wake);
    let left_half_way = with(|x| {
        x.has_come_back();
        x.current = before;
        match outcome {
            CoroutineResult::Return(Exit::Trapped(Trap::Silence)) => {
                x.keep_fiber(fiber);
                x.set_life(thread, ENDED);
                true
            }
            CoroutineResult::Return(Exit::Trapped(_)) | CoroutineResult::Yield(Published::Stuck) => {
                x.leave_fiber(fiber);
                x.set_life(thread, ENDED);
                true
            }
            CoroutineResult::Return(_) => {
                x.stacks.put(fiber.into_stack());
                x.thread(thread).unwinding = false;
                x.set_life(thread, ENDED);
                false
            }
            CoroutineResult::Yield(_) => {
                x.put_fiber(thread, fiber);
                false
            }
        }
    });
    if left_half_way && std::thread::panicking() {
        panics::note_left_half_way();
    }
}

/// Unwinds a fiber that has not ended.
pub fn unwind_fiber(thread: ThreadId) {
    with(|x| x.being_unwound.push(thread));
    run_on(thread, Wake::Abandon);
    with(|x| {
        x.being_unwound.pop();
    });
}

impl Execution {
    /// Whether no thread of the execution has anything left to do.
    fn has_nothing_to_finish(&self) -> bool {
        self.mode == Mode::Idle || self.fiber_count() == 0 && self.spawned.is_empty()
    }

    /// Goes to where the fibers are. Returns how to come back.
    fn begin_finishing(&mut self) -> (usize, Vec<u64>) {
        self.mode = Mode::Finishing;
        self.patience = PATIENCE + 4 * self.history.live_length();
        let words = match self.history.fibers_are_here() {
            true => {
                let mut words = Vec::new();
                self.memory.save(&mut words);
                words
            }
            false => std::mem::take(&mut self.at_fibers),
        };
        let mark = self.memory.mark();
        (mark, self.memory.exchange(words, self.names.location_count()))
    }

    /// Comes back from there, and the execution is over.
    fn end_finishing(&mut self, mark: usize, words: Vec<u64>) {
        self.memory.forget(mark);
        self.memory.exchange(words, self.names.location_count());
        self.mode = Mode::Idle;
        self.history.begin();
    }

    /// The explorer goes back, and the fibers stay: keeps the contents of the memory that belong to them.
    #[inline]
    pub fn note_fibers(&mut self) {
        if self.history.fibers_are_here() && self.mode == Mode::Running && self.fiber_count() > 0 {
            self.memory.save(&mut self.at_fibers);
        }
    }

    fn next_to_start(&mut self, starting: &mut Vec<(ThreadId, Body)>) -> Option<(ThreadId, Body)> {
        starting.pop().or_else(|| self.spawned.pop())
    }

    fn set_life(&mut self, thread: ThreadId, life: u64) {
        self.memory.set(self.names.cell(thread, ThreadCell::Life), life);
    }

    /// Performs an operation of an execution that is given up, if it need not wait and there is patience left. A thread that
    /// yields has already let others go on.
    pub(super) fn finish_one(&mut self, operation: &Operation) -> Option<u64> {
        self.note_unwinding();
        if self.patience == 0 {
            return None;
        }
        let result = self.run_at_once(operation)?;
        self.patience -= 1;
        Some(result)
    }
}

/// Performs an operation of an execution that is given up: waits until others have made it possible. Returns its result, or nothing if
/// the thread is to unwind.
#[cold]
pub fn finish_operation(operation: &Operation) -> Option<u64> {
    match with(|x| x.go_on_alone(operation)) {
        Alone::NotOnTrial => {}
        Alone::Done(result) => return Some(result),
        Alone::Over if performing::pause() == Pause::Unwind => return None,
        Alone::Over => {}
    }
    if spin::is_yield(operation) && performing::pause() == Pause::Unwind {
        return None;
    }
    loop {
        if let Some(result) = with(|x| x.finish_one(operation)) {
            return Some(result);
        }
        if performing::pause() == Pause::Unwind {
            return None;
        }
    }
}

/// What to do after others have gone on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// Try again.
    Over,
    /// The execution is over.
    Unwind,
}
