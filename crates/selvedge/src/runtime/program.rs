//! A closure as a program to explore.
//!
//! The explorer goes back and forth between states. The model memory and the [history](super::history) of the threads follow
//! by undoing and redoing, so that every question about a state is answered from them. The fibers cannot be undone.
//! They stay where the last performed operation left them; when the explorer performs a new operation in a state
//! that is not theirs, the closure is run again from its beginning along the decisions that lead there, and
//! every operation is compared with the script: a closure that does something else is not deterministic.

use super::assumptions::Assumptions;
use super::execution::{Execution, Mode, Refused, with};
use super::failure::{Failure, FailureKind, Site};
use super::fiber::{Body, Exit, Fiber, Published, Wake};
use super::giving_up;
use super::history::{Compare, Divergence};
use super::operation::{Alternatives, Operation, Outcome};
use super::panics;
use super::script::Standing;
use super::stacks;
use super::trap::Trap;
use crate::spin;
use corosensei::CoroutineResult;
use selvedge_explore::{
    Algorithm, Attempt, Excursions, Explorable, LooksAhead, Mark, Observations, Program, Readiness, Search,
    States, ThreadStatus,
};
use selvedge_trace::{Decision, Footprint, ThreadId};
use std::panic::resume_unwind;
use std::rc::Rc;

/// Why a search cannot go on; the payload with which it is left.
#[derive(Debug)]
pub enum Halt {
    /// An execution has refuted a speculation: begin again.
    Refuted,
    /// The closure did something else under the same decisions.
    Diverged(Box<Divergence>),
    /// Something cannot tell what it observes, and the algorithm asks.
    Refused(Refused),
    /// The system has no memory for the stack of a thread: what to say.
    Exhausted(String),
}

impl Halt {
    /// The outcome of a search under speculations, of which the execution at hand knows the refuted one.
    pub fn as_attempt<T>(outcome: Result<T, Halt>) -> Result<Attempt<T, Assumptions>, Halt> {
        match outcome {
            Err(Halt::Refuted) => Ok(Attempt::Refuted(with(|x| x.assumptions))),
            other => other.map(Attempt::Stands),
        }
    }
}

/// How many threads an execution may have: every event has a clock with an entry for each.
const MOST_THREADS: usize = 10_000;

/// A closure, running.
pub struct Closure {
    body: Rc<dyn Fn()>,
    /// The number of threads met so far.
    thread_count: usize,
    /// Threads that are about to be started, the next one last.
    starting: Vec<(ThreadId, Body)>,
    failures: Vec<Failure>,
    accomplices: Vec<ThreadId>,
    scratch: Footprint,
    /// How often the closure was run again along decisions of before.
    reruns: u64,
}

impl Closure {
    /// A closure that has not been run.
    pub fn new(body: Rc<dyn Fn()>) -> Closure {
        Closure {
            body,
            thread_count: 0,
            starting: Vec::new(),
            failures: Vec::new(),
            accomplices: Vec::new(),
            scratch: Footprint::default(),
            reruns: 0,
        }
    }

    /// Ends the execution in progress: finishes what has not ended.
    pub fn abandon(&mut self) {
        giving_up::give_up(&mut self.starting);
    }

    /// Runs the closure from its beginning up to the first operations.
    fn run_again(&mut self, compare: Compare) {
        self.abandon();
        panics::forget();
        with(|x| {
            x.begin();
            x.history.compare = compare;
        });
        let body = Rc::clone(&self.body);
        let others = self.starting.len();
        self.start(ThreadId(0), Box::new(move || body()));
        self.start_children(others);
        with(Execution::enter_first);
    }

    /// Starts a thread and runs it up to its first operation. The threads that it starts are about to be started.
    fn start(&mut self, thread: ThreadId, body: Body) {
        if thread.index() >= MOST_THREADS {
            self.halt(Halt::Exhausted(format!(
                "the closure starts more than {MOST_THREADS} threads; two or three show most bugs"
            )));
        }
        let fiber = with(|x| {
            x.current = thread.0;
            x.goes_on(None);
            let size = x.stack_size(thread);
            Fiber::new(thread, body, &mut x.stacks, size)
        });
        match fiber {
            Ok(fiber) => {
                self.run(thread, fiber, 0, |_| {});
            }
            Err(error) => self.exhausted(thread, &error),
        }
    }

    /// There is no memory for the stack of a thread.
    #[cold]
    fn exhausted(&mut self, thread: ThreadId, error: &std::io::Error) -> ! {
        let (threads, size) = with(|x| {
            x.has_come_back();
            (x.fiber_count(), stacks::bytes(x.stack_size(thread)))
        });
        self.halt(Halt::Exhausted(format!(
            "the system has no memory for another stack of {size}, after those of {threads} threads: {error}"
        )))
    }

    /// Runs a thread up to its next operation, and those that it starts up to theirs.
    #[inline]
    fn resume(&mut self, thread: ThreadId, fiber: Fiber, result: u64, reach: impl FnOnce(&mut Execution)) {
        let others = self.starting.len();
        if let Some(reach) = self.run(thread, fiber, result, reach) {
            self.start_children(others);
            with(reach);
        }
    }

    /// Runs a thread up to its next operation. Returns what is to be done when those that it starts are at theirs, if there are any.
    #[inline]
    fn run<F: FnOnce(&mut Execution)>(
        &mut self,
        thread: ThreadId,
        mut fiber: Fiber,
        result: u64,
        reach: F,
    ) -> Option<F> {
        let outcome = fiber.resume(Wake::Go(result));
        let must_go_on = with(|x| {
            x.has_come_back();
            match outcome {
                CoroutineResult::Yield(Published::Arrived) => x.put_fiber(thread, fiber),
                CoroutineResult::Yield(Published::Stuck) => {
                    x.leave_fiber(fiber);
                    x.settle(thread, Standing::Failed);
                }
                CoroutineResult::Return(Exit::Trapped(trap)) => {
                    match trap {
                        Trap::Silence => x.keep_fiber(fiber),
                        Trap::Overflow | Trap::Abort | Trap::Crash(_) => x.leave_fiber(fiber),
                    }
                    x.note_trapped(thread, trap);
                    x.settle(thread, Standing::Failed);
                }
                CoroutineResult::Yield(stopped) => {
                    x.put_fiber(thread, fiber);
                    x.settle(thread, stopped.standing());
                }
                CoroutineResult::Return(exit) => {
                    x.release_at_end(thread);
                    x.stacks.put(fiber.into_stack());
                    x.thread(thread).unwinding = false;
                    let failed = exit == Exit::Panicked;
                    x.settle(thread, if failed { Standing::Failed } else { Standing::Ended });
                }
            }
            if x.must_halt() {
                return Err(x.halt());
            }
            self.thread_count = x.history.scripts.len();
            if x.spawned.is_empty() {
                reach(x);
                return Ok(None);
            }
            // In the order of their numbers; each may start others before the next.
            x.history.follows = false;
            self.starting.extend(x.spawned.drain(..).rev());
            Ok(Some(reach))
        });
        match must_go_on {
            Ok(reach) => reach,
            Err(halt) => self.halt(halt),
        }
    }

    /// Starts the threads that are about to be started, but for some that others are responsible for.
    fn start_children(&mut self, others: usize) {
        while self.starting.len() > others
            && let Some((child, body)) = self.starting.pop()
        {
            self.start(child, body);
        }
    }

    /// Leaves the search.
    fn halt(&mut self, halt: Halt) -> ! {
        self.abandon();
        resume_unwind(Box::new(HaltPayload(halt)))
    }

    /// Lets the thread on trial go on alone, and runs the closure again up to here.
    #[cold]
    fn try_alone(&mut self) {
        giving_up::try_alone(&mut self.starting);
        if with(|x| x.must_halt()) {
            let halt = with(Execution::halt);
            self.halt(halt);
        }
        with(|x| x.history.go_back());
        self.follow();
        with(|x| {
            x.history.compare = Compare::New;
            x.failures.clear();
            x.accomplices.clear();
        });
    }

    /// Brings the fibers to the present state.
    #[cold]
    fn catch_up(&mut self) {
        self.reruns += 1;
        // Several times in the beginning and now and then later, the execution before is done again to its end.
        if matches!(self.reruns, 1 | 2)
            || self.reruns.is_power_of_two() && self.reruns.ilog2().is_multiple_of(4)
        {
            let wanted = with(|x| x.history.go_back_to_fibers());
            self.follow();
            with(|x| x.history.go_back_for(wanted));
        } else {
            with(|x| x.history.go_back());
        }
        self.follow();
        with(|x| {
            x.history.compare = Compare::New;
            // They were noted the first time.
            x.failures.clear();
            x.accomplices.clear();
        });
    }

    /// Runs the closure again along the decisions ahead.
    fn follow(&mut self) {
        self.run_again(Compare::Known);
        let mut footprint = std::mem::take(&mut self.scratch);
        while let Some(decision) = with(|x| {
            x.history.follows = true;
            x.history.next_ahead()
        }) {
            with(|x| x.history.retake());
            footprint.clear();
            self.advance(decision, &mut footprint);
        }
        self.scratch = footprint;
        with(|x| x.history.follows = false);
    }

    /// Performs the next operation of a thread in earnest and runs the thread up to the one after.
    #[inline]
    fn advance(&mut self, decision: Decision, footprint: &mut Footprint) {
        let turn = with(|x| x.begin_turn(decision, footprint));
        self.end_turn(decision.thread, turn, footprint);
    }

    /// Runs a thread, whose operation was performed, up to the one after.
    #[inline]
    fn end_turn(
        &mut self,
        thread: ThreadId,
        (result, fiber): (u64, Option<Fiber>),
        footprint: &mut Footprint,
    ) {
        match fiber {
            Some(fiber) => self.resume(thread, fiber, result, |x| {
                let before = footprint.accesses().len();
                x.reach(thread, footprint);
                x.history.done.extend_last(&footprint.accesses()[before..]);
                x.note_leaks(thread);
            }),
            None => unreachable!("a thread that is not at its end is suspended"),
        }
    }

    /// Leaves a search that has ended if what was looked at last, without a step afterwards, shows that it cannot stand.
    pub fn conclude(&mut self) {
        if let Some(halt) = with(|x| x.must_halt().then(|| x.halt())) {
            self.halt(halt);
        }
    }

    /// Runs the execution that was performed last once more, to see whether the closure does the same.
    pub fn run_twice(&mut self) {
        self.rollback(Mark(0));
        with(|x| x.history.go_to_fibers());
        self.catch_up();
    }

    /// The operations that threads wait for, in the present state.
    pub fn waiting(&self) -> Vec<(ThreadId, Operation)> {
        let threads = (0..self.thread_count).map(ThreadId::at);
        with(|x| threads.filter_map(|t| Some((t, *x.operation(t)?))).collect())
    }

    /// The next operation of a thread in the present state.
    pub fn next_operation(&self, thread: ThreadId) -> Option<Operation> {
        with(|x| x.operation(thread).copied())
    }

    /// The children that a thread started since its latest operation.
    pub fn latest_children(&self, thread: ThreadId) -> Vec<ThreadId> {
        with(|x| {
            let script = &x.history.scripts[thread.index()];
            let children = script.entries.get(script.position).map_or(0..0, |entry| entry.children.clone());
            children.map(|number| x.names.child(thread, number)).collect()
        })
    }

    #[inline]
    fn take_failures(&mut self) {
        with(|x| {
            if !x.failures.is_empty() {
                self.failures.append(&mut x.failures);
                self.accomplices.append(&mut x.accomplices);
            }
        });
    }
}

/// A halt on its way out of the search.
pub struct HaltPayload(pub Halt);

// The payload never leaves the thread: it is caught by whoever called `explore`.
#[allow(unsafe_code, reason = "payloads of panics must be Send")]
// SAFETY: operations hold only words and references to statics; nothing in them is tied to a thread.
unsafe impl Send for HaltPayload {}

impl Program for Closure {
    type Failure = Failure;

    fn thread_count(&self) -> usize {
        self.thread_count
    }

    fn restart(&mut self) {
        self.abandon();
        with(|x| x.history.forget());
        self.failures.clear();
        self.accomplices.clear();
        self.run_again(Compare::New);
        with(|x| x.note_leaks(ThreadId(0)));
        self.take_failures();
    }

    fn status(&self, thread: ThreadId) -> ThreadStatus {
        with(|x| match x.standing(thread) {
            None | Some(Standing::Ended) => ThreadStatus::Ended,
            Some(Standing::At(_)) => ThreadStatus::Running,
            Some(Standing::Failed) => ThreadStatus::Failed,
            Some(Standing::Dropped) => ThreadStatus::Dropped,
            Some(Standing::Diverged) => ThreadStatus::Diverged,
        })
    }

    #[inline]
    fn is_enabled(&mut self, thread: ThreadId) -> bool {
        with(|x| x.can_go_on(thread, &mut self.scratch))
    }

    #[inline]
    fn choices(&mut self, thread: ThreadId) -> u32 {
        with(|x| match x.operation(thread) {
            None => 1,
            Some(operation) if operation.kind.alternatives == Alternatives::One => 1,
            Some(_) => x.look(Decision { thread, choice: 0 }, &mut self.scratch).1.max(1),
        })
    }

    fn pending(&mut self, decision: Decision, footprint: &mut Footprint) -> Readiness {
        with(|x| {
            let (outcome, _) = x.look(decision, footprint);
            match outcome {
                Outcome::Done(_) => Readiness::Enabled,
                Outcome::Wait if x.spins_alone(decision.thread) => {
                    x.record_progress(decision.thread, outcome, footprint);
                    Readiness::Enabled
                }
                Outcome::Wait => Readiness::Disabled,
            }
        })
    }

    fn step(&mut self, decision: Decision, footprint: &mut Footprint) {
        self.failures.clear();
        self.accomplices.clear();
        footprint.clear();
        let turn = with(|x| {
            let is_here = x.history.fibers_are_here() && x.mode != Mode::Idle;
            is_here.then(|| x.begin_turn(decision, footprint))
        });
        match turn {
            Some(turn) => self.end_turn(decision.thread, turn, footprint),
            None => {
                self.catch_up();
                self.advance(decision, footprint);
            }
        }
        self.take_failures();
        if with(|x| x.attempts.has_trial()) {
            match self.failures.is_empty() {
                true => self.try_alone(),
                false => with(|x| x.attempts.dismiss()),
            }
        }
    }

    fn failures(&self) -> &[Failure] {
        &self.failures
    }

    fn accomplices(&self) -> &[ThreadId] {
        &self.accomplices
    }

    fn deadlock(&self) -> Failure {
        let waiting = self.waiting();
        let spins = waiting.iter().any(|(_, operation)| spin::is_yield(operation));
        let (kind, verb) = match spins {
            true => (FailureKind::Livelock, "spin or wait for ever"),
            false => (FailureKind::Deadlock, "wait for ever"),
        };
        let message = match waiting.len() {
            1 if spins => "livelock: a thread spins for ever".to_owned(),
            1 => "deadlock: a thread waits for ever".to_owned(),
            n => format!("{}: {n} threads {verb}", kind.name()),
        };
        Failure {
            kind,
            threads: waiting.iter().map(|(thread, _)| *thread).collect(),
            sites: waiting.iter().map(|(_, operation)| Site::from(operation.place)).collect(),
            object: None,
            message,
        }
    }

    fn mark(&self) -> Mark {
        Mark(with(|x| x.history.decisions.len()))
    }

    fn rollback(&mut self, Mark(length): Mark) {
        with(|x| {
            x.note_fibers();
            if let Some(mark) = x.history.rollback(length) {
                x.memory.rollback(mark);
            }
        });
    }
}

impl Explorable for Closure {
    fn run(algorithm: Algorithm, search: &mut Search<Self>) {
        algorithm.run(search);
    }
}

impl Excursions for Closure {
    fn repeat(&mut self, decision: Decision, footprint: &mut Footprint) {
        footprint.clear();
        with(|x| x.repeat_turn(decision, footprint));
    }

    fn leave(&mut self, Mark(length): Mark) {
        with(|x| {
            let mark = x.history.leave(length).unwrap_or_else(|| x.memory.mark());
            x.memory.leave(mark, &mut x.saved);
        });
    }

    fn restore(&mut self) -> bool {
        with(|x| {
            x.history.restore();
            x.memory.restore(&x.saved);
        });
        true
    }
}

impl LooksAhead for Closure {}

impl Observations for Closure {
    /// What users keep under locks stays where Rust puts it.
    fn contents_tell_all(&self) -> bool {
        false
    }

    fn first_spawned(&self) -> Option<ThreadId> {
        Some(ThreadId(1))
    }
}

impl States for Closure {}

impl Drop for Closure {
    fn drop(&mut self) {
        self.abandon();
    }
}
