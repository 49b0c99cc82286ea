//! A closure as a program to explore.
//!
//! The explorer goes back and forth between states. The model memory and the [scripts](super::script) of the threads follow
//! by undoing and redoing, so that every question about a state is answered from them. The fibers cannot be undone.
//! They stay where the last performed operation left them; when the explorer performs a new operation in a state
//! that is not theirs, the closure is run again from its beginning along the decisions that lead there, and
//! every operation is compared with the script: a closure that does something else is not deterministic.

use super::execution::{self, ENDED, Execution, Mode, RUNS, with};
use super::failure::{Failure, FailureKind, Site};
use super::fiber::{Body, Exit, Fiber, Published, Wake};
use super::names::ThreadCell;
use super::operation::{Alternatives, Operation, Outcome, SpinRead, View, Waits};
use super::panics::{self, Noted};
use super::script::{Entry, Script, Standing};
use crate::spin;
use corosensei::CoroutineResult;
use selvedge_explore::{Mark, Program, Readiness, ThreadStatus};
use selvedge_trace::{AccessKind, Decision, Footprint, ThreadId};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

/// Why a search cannot go on; the payload with which it is left.
#[derive(Debug)]
pub enum Halt {
    /// Something that was taken for granted is wrong: begin again.
    Refuted,
    /// The closure did something else under the same decisions.
    Diverged(Box<Divergence>),
}

/// Two histories that should be one.
#[derive(Debug)]
pub struct Divergence {
    /// The operations that were the same, as (thread, operation).
    pub common: Vec<(ThreadId, Operation)>,
    /// Who did something else.
    pub thread: ThreadId,
    /// Where it stood before.
    pub before: Option<Standing>,
    /// Where it stands now.
    pub now: Standing,
}

/// A closure, running.
pub struct Closure {
    body: Rc<dyn Fn()>,
    scripts: Vec<Script>,
    /// The decisions that lead to the present state.
    decisions: Vec<Decision>,
    /// The length of the memory's log before each of them.
    marks: Vec<usize>,
    /// The length of the memory's log in the first state.
    base: usize,
    /// The decisions that lead to where the fibers are.
    live: Vec<Decision>,
    /// How many decisions the two have in common.
    common: usize,
    /// What each thread has read since it last yielded.
    reads: Vec<Vec<SpinRead>>,
    /// For each thread: the latest yield's place and reads, and how often it was the same.
    rounds: Vec<spin::Round>,
    /// Threads that are about to be started, the next one last.
    starting: Vec<(ThreadId, Body)>,
    failures: Vec<Failure>,
    accomplices: Vec<ThreadId>,
    scratch: Footprint,
    /// How often the closure was run.
    pub runs: u64,
}

impl Closure {
    /// A closure that has not been run.
    pub fn new(body: Rc<dyn Fn()>) -> Closure {
        Closure {
            body,
            scripts: Vec::new(),
            decisions: Vec::new(),
            marks: Vec::new(),
            base: 0,
            live: Vec::new(),
            common: 0,
            reads: Vec::new(),
            rounds: Vec::new(),
            starting: Vec::new(),
            failures: Vec::new(),
            accomplices: Vec::new(),
            scratch: Footprint::default(),
            runs: 0,
        }
    }

    /// Where a thread stands in the present state; nothing if it does not exist there.
    pub fn standing(&self, thread: ThreadId) -> Option<&Standing> {
        let script = self.scripts.get(thread.index())?;
        match with(|x| x.memory.get(x.names.cell(thread, ThreadCell::Life))) {
            0 => None,
            _ => script.standing(),
        }
    }

    /// The next operation of a thread in the present state.
    #[inline]
    fn operation(&self, x: &Execution, thread: ThreadId) -> Option<Operation> {
        let script = self.scripts.get(thread.index())?;
        match x.memory.get(x.names.cell(thread, ThreadCell::Life)) {
            RUNS => script.operation().copied(),
            _ => None,
        }
    }

    /// Ends the execution in progress: unwinds what has not ended.
    pub fn abandon(&mut self) {
        self.common = 0;
        if self.live_is_over() {
            return;
        }
        with(|x| x.mode = Mode::Abandoning);
        for thread in (0..self.scripts.len()).rev().map(ThreadId::at) {
            execution::unwind_fiber(thread);
        }
        // Closures of threads that were never started have destructors, too.
        let never_started = (with(|x| std::mem::take(&mut x.spawned)), std::mem::take(&mut self.starting));
        let _ = catch_unwind(AssertUnwindSafe(|| drop(never_started)));
        with(|x| x.mode = Mode::Idle);
        self.live.clear();
    }

    /// Whether no fiber is left.
    fn live_is_over(&self) -> bool {
        with(|x| x.mode == Mode::Idle)
    }

    /// Runs the closure from its beginning up to the first operations.
    fn run_again(&mut self, compare: Compare) {
        self.abandon();
        self.runs += 1;
        panics::forget();
        with(Execution::begin);
        self.live.clear();
        self.reads.iter_mut().for_each(Vec::clear);
        self.rounds.iter_mut().for_each(spin::Round::clear);
        let body = Rc::clone(&self.body);
        self.start(ThreadId(0), Box::new(move || body()), compare);
    }

    /// Starts a thread and runs it up to its first operation.
    fn start(&mut self, thread: ThreadId, body: Body, compare: Compare) {
        let fiber = Fiber::new(thread, body);
        if self.scripts.len() <= thread.index() {
            self.scripts.resize_with(thread.index() + 1, Script::default);
            self.reads.resize_with(thread.index() + 1, Vec::new);
            self.rounds.resize_with(thread.index() + 1, spin::Round::default);
        }
        self.resume(thread, fiber, 0, 0, compare);
    }

    /// Runs a thread up to its next operation, which becomes the entry of its script at `position`.
    fn resume(&mut self, thread: ThreadId, mut fiber: Fiber, result: u64, position: usize, compare: Compare) {
        let before = with(|x| {
            x.current = thread.0;
            x.children(thread)
        });
        let standing = match fiber.resume(Wake::Go(result)) {
            CoroutineResult::Yield(Published::Operation(operation)) => {
                Standing::At(self.prepare(thread, operation))
            }
            CoroutineResult::Yield(Published::Dropped) => Standing::Dropped,
            CoroutineResult::Yield(Published::Failed) => Standing::Failed,
            CoroutineResult::Yield(Published::Diverged) => Standing::Diverged,
            CoroutineResult::Return(Exit::Panicked(noted)) => {
                self.note_panic(thread, noted);
                Standing::Failed
            }
            CoroutineResult::Return(Exit::Ended | Exit::Abandoned) => Standing::Ended,
        };
        let done = fiber.is_done();
        let (after, refuted, has_spawned, ended) = with(|x| {
            let ended = match done {
                false => {
                    x.put_fiber(thread, fiber);
                    None
                }
                true => {
                    x.release_at_end(thread);
                    Some(fiber)
                }
            };
            if x.drops.vary {
                x.refute(|assumptions| assumptions.drops_are_ordered = true);
            }
            (x.children(thread), x.refuted, !x.spawned.is_empty(), ended)
        });
        if let Some(fiber) = ended {
            fiber.recycle();
        }
        if refuted {
            self.halt(Halt::Refuted);
        }
        self.write(thread, position, Entry { standing, children: before..after }, compare);
        if has_spawned {
            // In the order of their numbers; each may start others before the next.
            let others = self.starting.len();
            with(|x| self.starting.extend(x.spawned.drain(..).rev()));
            while self.starting.len() > others
                && let Some((child, body)) = self.starting.pop()
            {
                self.start(child, body, compare);
            }
        }
    }

    /// Completes an operation with what only the runtime knows.
    #[inline]
    fn prepare(&mut self, thread: ThreadId, operation: Operation) -> Operation {
        match spin::is_yield(&operation) {
            false => operation,
            true => {
                let reads = &mut self.reads[thread.index()];
                with(|x| spin::prepare(operation, &mut self.rounds[thread.index()], reads, &mut x.spins))
            }
        }
    }

    fn note_panic(&mut self, thread: ThreadId, noted: Noted) {
        let failure = Failure {
            kind: FailureKind::Panic,
            threads: vec![thread],
            sites: noted.site.into_iter().collect(),
            object: None,
            message: noted.message,
        };
        with(|x| x.failures.push(failure));
    }

    /// Writes an entry of a script, or compares it with what is there.
    fn write(&mut self, thread: ThreadId, position: usize, entry: Entry, compare: Compare) {
        let entries = &mut self.scripts[thread.index()].entries;
        if compare == Compare::New {
            entries.truncate(position);
            entries.push(entry);
            return;
        }
        let is_same = entries.get(position).is_some_and(|known| {
            known.children == entry.children
                && match (&known.standing, &entry.standing) {
                    (Standing::At(before), Standing::At(now)) => before.matches(now),
                    (Standing::Ended, Standing::Ended)
                    | (Standing::Failed, Standing::Failed)
                    | (Standing::Diverged, Standing::Diverged)
                    | (Standing::Dropped, Standing::Dropped) => true,
                    _ => false,
                }
        });
        if is_same {
            entries[position] = entry;
            return;
        }
        let divergence = Divergence {
            common: self.history(),
            thread,
            before: self.scripts[thread.index()].entries.get(position).map(|known| known.standing),
            now: entry.standing,
        };
        self.halt(Halt::Diverged(Box::new(divergence)));
    }

    /// What was done so far along the live decisions.
    fn history(&self) -> Vec<(ThreadId, Operation)> {
        let mut positions = vec![0; self.scripts.len()];
        let mut history = Vec::new();
        for decision in &self.live {
            let position = &mut positions[decision.thread.index()];
            if let Some(Entry { standing: Standing::At(operation), .. }) =
                self.scripts[decision.thread.index()].entries.get(*position)
            {
                history.push((decision.thread, *operation));
            }
            *position += 1;
        }
        history
    }

    /// Leaves the search.
    fn halt(&mut self, halt: Halt) -> ! {
        self.abandon();
        resume_unwind(Box::new(HaltPayload(halt)))
    }

    /// Brings the fibers to the present state.
    #[cold]
    fn catch_up(&mut self) {
        let decisions = std::mem::take(&mut self.decisions);
        for script in &mut self.scripts {
            script.position = 0;
        }
        self.marks.clear();
        self.run_again(Compare::Known);
        with(|x| self.enter_first(x));
        let mut footprint = std::mem::take(&mut self.scratch);
        for &decision in &decisions {
            footprint.clear();
            self.advance(decision, &mut footprint, Compare::Known);
        }
        self.scratch = footprint;
    }

    /// Enters the first state in the model.
    fn enter_first(&mut self, x: &mut Execution) {
        x.memory.set(x.names.cell(ThreadId(0), ThreadCell::Life), RUNS);
        self.scripts[0].position = 0;
        self.reach(x, ThreadId(0), &mut Footprint::default());
        self.base = x.memory.mark();
    }

    /// Performs the next operation of a thread in earnest and runs the thread up to the one after.
    fn advance(&mut self, decision: Decision, footprint: &mut Footprint, compare: Compare) {
        let thread = decision.thread;
        let (result, fiber) = with(|x| {
            self.marks.push(x.memory.mark());
            (self.perform(x, decision, footprint, Earnest::Live), x.take_fiber(thread))
        });
        self.decisions.push(decision);
        self.live.push(decision);
        self.common = self.live.len();
        let position = self.scripts[thread.index()].position + 1;
        match fiber {
            Some(fiber) => self.resume(thread, fiber, result, position, compare),
            None => unreachable!("a thread that is not at its end is suspended"),
        }
        self.scripts[thread.index()].position = position;
        with(|x| {
            self.reach(x, thread, footprint);
            if !x.live_arcs.is_empty() {
                self.note_leaks(x);
            }
        });
    }

    /// Performs the next operation of a thread on the model memory.
    #[inline]
    fn perform(
        &mut self,
        x: &mut Execution,
        decision: Decision,
        footprint: &mut Footprint,
        earnest: Earnest,
    ) -> u64 {
        let thread = decision.thread;
        let script = &self.scripts[thread.index()];
        let Some(&operation) = script.operation() else { return 0 };
        let position = script.position;
        if position == 0 && thread.index() > 0 {
            footprint.record(x.names.cell(thread, ThreadCell::Spawned), AccessKind::Observe);
        }
        let is_live = earnest == Earnest::Live;
        let clocks = (is_live && x.assumptions.cells_are_tracked).then_some(&mut x.clocks);
        let mut view = View {
            memory: &mut x.memory,
            names: &mut x.names,
            footprint,
            thread,
            choice: decision.choice,
            alternatives: 1,
            clocks,
            spins: &x.spins,
            reads: is_live.then_some(&mut self.reads[thread.index()]),
            position,
            drops: &mut x.drops,
            semantics: x.semantics,
            assumptions: x.assumptions,
        };
        let outcome = (operation.kind.run)(&mut view, &operation);
        record_progress(x, thread, outcome, footprint);
        match outcome {
            Outcome::Done(result) => result,
            // A thread that spins alone goes on though nothing has changed.
            Outcome::Wait => 0,
        }
    }

    /// Draws the consequences of a thread having come to where it stands: children exist, the end is known.
    fn reach(&mut self, x: &mut Execution, thread: ThreadId, footprint: &mut Footprint) {
        let script = &self.scripts[thread.index()];
        let entry = &script.entries[script.position];
        let (children, standing) = (entry.children.clone(), entry.standing);
        for number in children {
            let child = x.names.child(thread, number);
            footprint.record(x.names.cell(child, ThreadCell::Spawned), AccessKind::Post);
            x.memory.set(x.names.cell(child, ThreadCell::Life), RUNS);
            self.scripts[child.index()].position = 0;
            self.reach(x, child, footprint);
        }
        if let Standing::Ended | Standing::Failed = standing {
            let life = x.names.cell(thread, ThreadCell::Life);
            footprint.record(life, AccessKind::Post);
            x.memory.set(life, ENDED);
        }
    }

    /// Reports `Arc`s that are alive though all threads have ended.
    fn note_leaks(&mut self, x: &mut Execution) {
        let all_ended = (0..self.scripts.len()).map(ThreadId::at).all(|t| {
            let life = x.memory.get(x.names.cell(t, ThreadCell::Life));
            life == 0 || life == ENDED && matches!(self.scripts[t.index()].standing(), Some(Standing::Ended))
        });
        if !all_ended {
            return;
        }
        for (location, made) in &x.live_arcs {
            x.failures.push(Failure {
                kind: FailureKind::Leak,
                threads: Vec::new(),
                sites: vec![Site::from(*made)],
                object: Some(*location),
                message: "leak: an `Arc` is alive though all threads have ended".to_owned(),
            });
        }
        x.accomplices = (0..self.scripts.len()).map(ThreadId::at).collect();
    }

    /// Looks at the next operation of a thread in the present state.
    fn look(&mut self, x: &mut Execution, decision: Decision, footprint: &mut Footprint) -> (Outcome, u32) {
        footprint.clear();
        let thread = decision.thread;
        let Some(operation) = self.operation(x, thread) else { return (Outcome::Wait, 0) };
        let position = self.scripts[thread.index()].position;
        if position == 0 && thread.index() > 0 {
            footprint.record(x.names.cell(thread, ThreadCell::Spawned), AccessKind::Observe);
        }
        let mark = x.memory.mark();
        let mut view = View {
            memory: &mut x.memory,
            names: &mut x.names,
            footprint,
            thread,
            choice: decision.choice,
            alternatives: 1,
            clocks: None,
            spins: &x.spins,
            reads: None,
            position,
            drops: &mut x.drops,
            semantics: x.semantics,
            assumptions: x.assumptions,
        };
        let outcome = (operation.kind.run)(&mut view, &operation);
        let alternatives = view.alternatives;
        x.memory.rollback(mark);
        if outcome != Outcome::Wait {
            record_progress(x, thread, outcome, footprint);
        }
        (outcome, alternatives)
    }

    /// Whether a thread may go on because it spins, and nobody else can move.
    fn spins_alone(&mut self, x: &mut Execution, thread: ThreadId) -> bool {
        let Some(operation) = self.operation(x, thread) else { return false };
        if !spin::is_yield(&operation) || !spin::may_go_on_alone(&operation, x.semantics) {
            return false;
        }
        let mut footprint = Footprint::default();
        let is_alone = (0..self.scripts.len()).map(ThreadId::at).all(|other| {
            let decision = Decision { thread: other, choice: 0 };
            let is_free = self.look(x, decision, &mut footprint).0 == Outcome::Wait;
            // Of several that spin, the first goes on.
            let spins = self.operation(x, other).is_some_and(|operation| {
                spin::is_yield(&operation) && spin::may_go_on_alone(&operation, x.semantics)
            });
            is_free && !(spins && other < thread)
        });
        if is_alone {
            x.refute(|assumptions| assumptions.spins_are_lonely = true);
        }
        is_alone
    }

    /// Runs one execution twice, to see whether the closure does the same.
    pub fn run_twice(&mut self) {
        self.restart();
        let mut footprint = Footprint::default();
        let mut decisions = Vec::new();
        while let Some(thread) = (0..self.scripts.len()).map(ThreadId::at).find(|&t| self.is_enabled(t)) {
            let decision = Decision { thread, choice: 0 };
            self.step(decision, &mut footprint);
            decisions.push(decision);
            if decisions.len() >= ENOUGH {
                break;
            }
        }
        let Some((last, first)) = decisions.split_last() else {
            self.run_again(Compare::Known);
            return;
        };
        self.rollback(Mark(0));
        first.iter().for_each(|&decision| self.repeat(decision, &mut footprint));
        self.step(*last, &mut footprint);
    }

    /// The operations that threads wait for, in the present state.
    pub fn waiting(&self) -> Vec<(ThreadId, Operation)> {
        let threads = (0..self.scripts.len()).map(ThreadId::at);
        with(|x| threads.filter_map(|t| Some((t, self.operation(x, t)?))).collect())
    }

    /// The next operation of a thread in the present state.
    pub fn next_operation(&self, thread: ThreadId) -> Option<Operation> {
        with(|x| self.operation(x, thread))
    }

    /// The children that a thread started since its latest operation.
    pub fn latest_children(&self, thread: ThreadId) -> Vec<ThreadId> {
        let script = &self.scripts[thread.index()];
        let children = script.entries.get(script.position).map_or(0..0, |entry| entry.children.clone());
        with(|x| children.map(|number| x.names.child(thread, number)).collect())
    }
}

/// In programs in which a thread may go on because nobody else can move: that comes after everything that the others
/// did, so every operation says that its thread did something.
#[inline]
fn record_progress(x: &mut Execution, thread: ThreadId, outcome: Outcome, footprint: &mut Footprint) {
    if !x.assumptions.spins_are_lonely {
        return;
    }
    footprint.record(x.names.cell(thread, ThreadCell::Progress), AccessKind::Post);
    if outcome == Outcome::Wait {
        for other in (0..x.names.thread_count()).map(ThreadId::at).filter(|&other| other != thread) {
            footprint.record(x.names.cell(other, ThreadCell::Progress), AccessKind::Observe);
        }
    }
}

/// Operations after which a closure that is run twice has shown enough.
const ENOUGH: usize = 10_000;

/// Whether what a thread does is compared with its script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compare {
    /// It is new.
    New,
    /// It has been done before.
    Known,
}

/// Whether an operation is performed by a fiber that goes on after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Earnest {
    Live,
    ModelOnly,
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
        self.scripts.len()
    }

    fn restart(&mut self) {
        self.scripts.iter_mut().for_each(|script| script.entries.clear());
        self.decisions.clear();
        self.marks.clear();
        self.run_again(Compare::New);
        with(|x| {
            self.enter_first(x);
            if !x.live_arcs.is_empty() {
                self.note_leaks(x);
            }
        });
        self.common = 0;
        self.take_failures();
    }

    fn status(&self, thread: ThreadId) -> ThreadStatus {
        match self.standing(thread) {
            None | Some(Standing::Ended) => ThreadStatus::Ended,
            Some(Standing::At(_)) => ThreadStatus::Running,
            Some(Standing::Failed) => ThreadStatus::Failed,
            Some(Standing::Dropped) => ThreadStatus::Dropped,
            Some(Standing::Diverged) => ThreadStatus::Diverged,
        }
    }

    #[inline]
    fn is_enabled(&mut self, thread: ThreadId) -> bool {
        with(|x| {
            let Some(operation) = self.operation(x, thread) else { return false };
            if operation.kind.waits == Waits::Never {
                return true;
            }
            let mut footprint = std::mem::take(&mut self.scratch);
            let (outcome, _) = self.look(x, Decision { thread, choice: 0 }, &mut footprint);
            self.scratch = footprint;
            outcome != Outcome::Wait || self.spins_alone(x, thread)
        })
    }

    #[inline]
    fn choices(&mut self, thread: ThreadId) -> u32 {
        with(|x| {
            let Some(operation) = self.operation(x, thread) else { return 1 };
            if operation.kind.alternatives == Alternatives::One {
                return 1;
            }
            let mut footprint = std::mem::take(&mut self.scratch);
            let (_, alternatives) = self.look(x, Decision { thread, choice: 0 }, &mut footprint);
            self.scratch = footprint;
            alternatives.max(1)
        })
    }

    fn pending(&mut self, decision: Decision, footprint: &mut Footprint) -> Readiness {
        with(|x| {
            let (outcome, _) = self.look(x, decision, footprint);
            match outcome {
                Outcome::Done(_) => Readiness::Enabled,
                Outcome::Wait if self.spins_alone(x, decision.thread) => {
                    record_progress(x, decision.thread, outcome, footprint);
                    Readiness::Enabled
                }
                Outcome::Wait => Readiness::Disabled,
            }
        })
    }

    fn step(&mut self, decision: Decision, footprint: &mut Footprint) {
        if self.common != self.decisions.len()
            || self.live.len() != self.decisions.len()
            || self.live_is_over()
        {
            self.catch_up();
        }
        with(|x| {
            x.failures.clear();
            x.accomplices.clear();
        });
        footprint.clear();
        self.advance(decision, footprint, Compare::New);
        self.take_failures();
    }

    fn repeat(&mut self, decision: Decision, footprint: &mut Footprint) {
        footprint.clear();
        with(|x| {
            self.marks.push(x.memory.mark());
            self.perform(x, decision, footprint, Earnest::ModelOnly);
            self.scripts[decision.thread.index()].position += 1;
            self.reach(x, decision.thread, footprint);
        });
        if self.common == self.decisions.len() && self.live.get(self.common) == Some(&decision) {
            self.common += 1;
        }
        self.decisions.push(decision);
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
        Mark(self.decisions.len())
    }

    fn rollback(&mut self, Mark(length): Mark) {
        if length >= self.decisions.len() {
            return;
        }
        for decision in &self.decisions[length..] {
            self.scripts[decision.thread.index()].position -= 1;
        }
        let mark = self.marks[length];
        with(|x| x.memory.rollback(mark));
        self.decisions.truncate(length);
        self.marks.truncate(length);
        self.common = self.common.min(length);
    }
}

impl Closure {
    fn take_failures(&mut self) {
        self.failures.clear();
        self.accomplices.clear();
        with(|x| {
            self.failures.append(&mut x.failures);
            self.accomplices.append(&mut x.accomplices);
        });
    }
}

impl Drop for Closure {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.abandon();
        }
    }
}
