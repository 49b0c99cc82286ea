//! The interpreter: an IR program as something to explore.

use crate::assumptions::{self, Assumptions};
use crate::code::{Alternatives, Code, Op, Role, ThreadCode, WaitsForAssumptions, WhenReady};
use crate::compile;
use crate::failure::{Detail, Failure, FailureKind};
use crate::layout::Layout;
use crate::lookahead;
use crate::run::{Extent, Outcome, Run};
use crate::state::{Control, State, Status, Thread};
use selvedge_explore::seam::lookahead::Lookahead;
use selvedge_explore::seam::undo_log::Log;
use selvedge_explore::{
    Algorithm, Excursions, Explorable, LooksAhead, Mark, Observations, Program, Readiness, Search, States,
    ThreadStatus, WaitingForEver,
};
use selvedge_ir::Span;
use selvedge_trace::{AccessKind, Blocking, Decision, Footprint, LocationId, ThreadId, Variation};
use std::ops::Range;

/// An IR program, running.
#[derive(Debug)]
pub struct Interpreter {
    code: Code,
    state: State,
    start: Mark,
    start_failures: Vec<Failure>,
    failures: Vec<Failure>,
    fault: Option<FailureKind>,
    detail: Detail,
    spawned: Vec<usize>,
    scratch: Footprint,
    known: Vec<Option<i64>>,
    deadlocks: Deadlocks,
}

/// Whether threads that wait for ever are a failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deadlocks {
    /// They are: an execution that ends with them is a deadlock.
    #[default]
    Failures,
    /// They are not: it is an execution like any other.
    Ignored,
}

/// Where a thread stands, with its local variables.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadState {
    /// Whether it runs.
    pub status: ThreadStatus,
    /// Its next instruction in the compact form.
    pub pc: u32,
    /// The number of calls it is in.
    pub depth: u32,
    /// The variables and arrays of its own function, calls not included.
    pub locals: Vec<i64>,
}

/// What looking at a transition shows.
struct Look {
    readiness: Readiness,
    alternatives: u32,
}

impl Interpreter {
    /// Compiles a program, which must be [well formed](selvedge_ir::check::check), and goes to its beginning. A false assumption drops
    /// the execution, as it is written.
    pub fn new(program: &selvedge_ir::Program) -> Interpreter {
        Interpreter::with(program, Assumptions::Drop)
    }

    /// [`Interpreter::new`] with threads that may wait for assumptions.
    pub fn with(program: &selvedge_ir::Program, assumptions: Assumptions) -> Interpreter {
        let mut code = compile::compile(program);
        assumptions::mark(&mut code, assumptions);
        let state = State::new(code.layout.initial.clone(), code.threads.len());
        let mut interpreter = Interpreter {
            code,
            state,
            start: Mark(0),
            start_failures: Vec::new(),
            failures: Vec::new(),
            fault: None,
            detail: Detail::None,
            spawned: Vec::new(),
            scratch: Footprint::default(),
            known: Vec::new(),
            deadlocks: Deadlocks::Failures,
        };
        interpreter.start();
        interpreter
    }

    /// The interpreter that takes deadlocks for failures, or does not.
    #[must_use]
    pub fn counting(self, deadlocks: Deadlocks) -> Interpreter {
        Interpreter { deadlocks, ..self }
    }

    fn start(&mut self) {
        for thread in 0..self.code.threads.len() {
            if self.code.threads[thread].role != Role::Spawned {
                self.start_thread(thread, &mut Footprint::default());
            }
        }
        self.start = self.state.mark();
        self.start_failures = self.failures.clone();
    }

    /// Where everything is in memory, with names.
    pub fn layout(&self) -> &Layout {
        &self.code.layout
    }

    /// The content of a location.
    pub fn value(&self, location: LocationId) -> i64 {
        self.state.cell(location.0)
    }

    /// The statement that a thread performs next, or at which it stopped.
    pub fn next_statement(&self, thread: ThreadId) -> Span {
        let pc = self.state.threads[thread.index()].control.pc as usize;
        self.code.spans[pc.min(self.code.spans.len() - 1)]
    }

    /// The numbers that belong to the latest failure, choice or join that had to wait.
    pub fn detail(&self) -> &Detail {
        &self.detail
    }

    /// Looks at the next operation of a thread to tell people about it: what it accesses on the way, even if it
    /// fails before its end, and what these locations hold then.
    pub fn survey(&mut self, decision: Decision, footprint: &mut Footprint) -> (Readiness, Vec<i64>) {
        let thread = decision.thread.index();
        let extent = match self.code.threads[thread].role {
            Role::Finally => Extent::Perform,
            Role::AtOnce | Role::Spawned => Extent::Look,
        };
        self.detail = Detail::None;
        footprint.clear();
        let mark = self.state.mark();
        let (outcome, ..) = self.run(thread, extent, decision.choice, footprint, Begun::Shared);
        let after = footprint.accesses().iter().map(|access| self.value(access.location)).collect();
        self.fault = None;
        self.spawned.clear();
        self.state.rollback(mark);
        (readiness(outcome), after)
    }

    /// Where a thread stands, with its local variables.
    pub fn thread_state(&self, thread: ThreadId) -> ThreadState {
        let Thread { control, slots } = &self.state.threads[thread.index()];
        let function = &self.code.functions[self.code.threads[thread.index()].function as usize];
        let frame = self.code.temporaries as usize..(self.code.temporaries + function.frame) as usize;
        let locals = match control.status {
            Status::NotStarted => Vec::new(),
            _ => slots.get(frame).unwrap_or_default().to_vec(),
        };
        ThreadState { status: self.status(thread), pc: control.pc, depth: control.depth, locals }
    }

    /// The threads whose end another thread may have to wait for, `finally` not among them.
    fn ordinary_threads(&self) -> usize {
        self.code.threads.iter().filter(|t| t.role != Role::Finally).count()
    }

    /// Puts a thread at its first transition. If it has none, the footprint receives that it ended.
    fn start_thread(&mut self, thread: usize, footprint: &mut Footprint) {
        let ThreadCode { function, role, .. } = self.code.threads[thread];
        let function = &self.code.functions[function as usize];
        let status = if role == Role::Spawned { Status::Fresh } else { Status::Running };
        let top = (self.code.temporaries + function.frame) as usize;
        let slots = &mut self.state.threads[thread].slots;
        if slots.len() < top {
            slots.resize(top, 0);
        }
        for (slot, &value) in (self.code.temporaries..).zip(&function.initial) {
            self.state.set_slot(thread, slot, value);
        }
        self.state.set_control(thread, Control { pc: function.entry, base: 0, depth: 0, status });
        if role == Role::Finally {
            return;
        }
        self.state.set_live(self.state.live() + 1);
        if !matches!(self.code.ops[self.state.threads[thread].control.pc as usize], Op::Visible(_)) {
            let outcome = self.run(thread, Extent::Perform, 0, footprint, Begun::Committed).0;
            self.settle(thread, outcome, footprint);
            let control = self.state.threads[thread].control;
            if control.status == Status::Running {
                self.state.set_control(thread, Control { status, ..control });
            }
        }
    }

    fn run(
        &mut self,
        thread: usize,
        extent: Extent,
        choice: u32,
        footprint: &mut Footprint,
        begun: Begun,
    ) -> (Outcome, u32, Begun) {
        let mut run = Run {
            code: &self.code,
            state: &mut self.state,
            thread,
            extent,
            choice,
            footprint,
            spawned: &mut self.spawned,
            alternatives: 1,
            committed: begun == Begun::Committed,
            assumptions: WaitsForAssumptions::Never,
            fault: &mut self.fault,
            detail: &mut self.detail,
        };
        let outcome = run.run();
        let begun = if run.committed { Begun::Committed } else { Begun::Shared };
        (outcome, run.alternatives, begun)
    }

    /// Draws the consequences of how a run ended.
    fn settle(&mut self, thread: usize, outcome: Outcome, footprint: &mut Footprint) {
        match outcome {
            Outcome::Ended => {
                if self.code.threads[thread].role != Role::Finally {
                    self.state.set_live(self.state.live() - 1);
                }
                if self.code.ends_are_observed {
                    footprint.record(self.life(thread), AccessKind::Post);
                }
            }
            Outcome::Failed => {
                let Some(kind) = self.fault.take() else { return };
                let span = self.next_statement(ThreadId::at(thread));
                self.failures.push(Failure { kind, span });
            }
            Outcome::Arrived | Outcome::Blocked | Outcome::Dropped | Outcome::Diverged => {}
        }
    }

    fn life(&self, thread: usize) -> LocationId {
        LocationId(self.code.layout.life + thread as u32)
    }

    /// The first transition of a spawned thread comes after the spawn.
    fn record_start(&self, thread: usize, footprint: &mut Footprint) {
        if self.state.threads[thread].control.status == Status::Fresh {
            let spawn = LocationId(self.code.layout.spawned + thread as u32);
            footprint.record(spawn, AccessKind::Observe);
        }
    }

    /// A transition that does not get to the end of its shared part has no effect but to stop its thread there.
    fn give_up(&mut self, thread: usize, mark: Mark, footprint: &mut Footprint) {
        let Control { pc, status, .. } = self.state.threads[thread].control;
        self.state.rollback(mark);
        let control = self.state.threads[thread].control;
        self.state.set_control(thread, Control { pc, status, ..control });
        footprint.make_read_only();
        self.spawned.clear();
    }

    fn look(&mut self, decision: Decision, footprint: &mut Footprint) -> Look {
        let thread = decision.thread.index();
        footprint.clear();
        if !matches!(self.state.threads[thread].control.status, Status::Running | Status::Fresh) {
            return Look { readiness: Readiness::Disabled, alternatives: 0 };
        }
        let mark = self.state.mark();
        self.record_start(thread, footprint);
        let (outcome, alternatives, begun) =
            self.run(thread, Extent::Look, decision.choice, footprint, Begun::Shared);
        if begun == Begun::Shared && outcome.gives_up() {
            footprint.make_read_only();
        }
        self.spawned.clear();
        self.state.rollback(mark);
        if self.code.threads[thread].role == Role::Finally {
            footprint.clear();
        }
        Look { readiness: readiness(outcome), alternatives: alternatives.max(1) }
    }
}

fn readiness(outcome: Outcome) -> Readiness {
    match outcome {
        Outcome::Blocked => Readiness::Disabled,
        _ => Readiness::Enabled,
    }
}

/// How far a transition has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begun {
    /// Its shared part is not over.
    Shared,
    /// Only local code follows.
    Committed,
}

impl Program for Interpreter {
    type Failure = Failure;

    fn thread_count(&self) -> usize {
        self.code.threads.len()
    }

    fn restart(&mut self) {
        self.state.rollback(self.start);
        self.failures.clone_from(&self.start_failures);
    }

    fn status(&self, thread: ThreadId) -> ThreadStatus {
        match self.state.threads[thread.index()].control.status {
            Status::Running | Status::Fresh => ThreadStatus::Running,
            Status::NotStarted | Status::Ended => ThreadStatus::Ended,
            Status::Dropped => ThreadStatus::Dropped,
            Status::Failed => ThreadStatus::Failed,
            Status::Diverged => ThreadStatus::Diverged,
        }
    }

    #[inline]
    fn is_enabled(&mut self, thread: ThreadId) -> bool {
        let control = &self.state.threads[thread.index()].control;
        if !matches!(control.status, Status::Running | Status::Fresh) {
            return false;
        }
        let Op::Visible(kind) = self.code.ops[control.pc as usize] else { return false };
        match self.code.visible[kind as usize].readiness {
            WhenReady::Always => true,
            WhenReady::MutexFree(cell) => self.state.cell(cell) == 0,
            WhenReady::Try => {
                let mut footprint = std::mem::take(&mut self.scratch);
                let look = self.look(Decision { thread, choice: 0 }, &mut footprint);
                self.scratch = footprint;
                look.readiness == Readiness::Enabled
            }
        }
    }

    #[inline]
    fn choices(&mut self, thread: ThreadId) -> u32 {
        let pc = self.state.threads[thread.index()].control.pc;
        let Op::Visible(kind) = self.code.ops[pc as usize] else { return 1 };
        if self.code.visible[kind as usize].alternatives == Alternatives::One {
            return 1;
        }
        let mut footprint = std::mem::take(&mut self.scratch);
        let look = self.look(Decision { thread, choice: 0 }, &mut footprint);
        self.scratch = footprint;
        look.alternatives
    }

    fn pending(&mut self, decision: Decision, footprint: &mut Footprint) -> Readiness {
        self.look(decision, footprint).readiness
    }

    fn step(&mut self, decision: Decision, footprint: &mut Footprint) {
        let thread = decision.thread.index();
        footprint.clear();
        self.failures.clear();
        let mark = self.state.mark();
        self.record_start(thread, footprint);
        let (outcome, _, begun) =
            self.run(thread, Extent::Perform, decision.choice, footprint, Begun::Shared);
        debug_assert_ne!(outcome, Outcome::Blocked, "only enabled threads are stepped");
        if begun == Begun::Shared && outcome.gives_up() {
            self.give_up(thread, mark, footprint);
        }
        if self.code.threads[thread].role == Role::Finally {
            // What it looks at matters to algorithms that ask who observes a write; all it does comes after all threads.
            footprint.blocking = Blocking::Never;
            footprint.variation = Variation::Fixed;
            for other in 0..self.ordinary_threads() {
                footprint.record(self.life(other), AccessKind::Observe);
            }
        }
        self.settle(thread, outcome, footprint);
        while let Some(spawned) = self.spawned.pop() {
            self.start_thread(spawned, footprint);
        }
    }

    fn failures(&self) -> &[Failure] {
        &self.failures
    }

    fn counts_as_deadlock(&self) -> bool {
        self.deadlocks == Deadlocks::Failures
    }

    fn waiting_for_ever(&self, thread: ThreadId) -> WaitingForEver {
        let pc = self.state.threads[thread.index()].control.pc;
        let Op::Visible(kind) = self.code.ops[pc as usize] else { return WaitingForEver::Deadlock };
        match self.code.visible[kind as usize].assumptions {
            WaitsForAssumptions::Never => WaitingForEver::Deadlock,
            WaitsForAssumptions::Within | WaitsForAssumptions::Throughout => WaitingForEver::FalseAssumption,
        }
    }

    fn deadlock(&self) -> Failure {
        let threads = (0..self.ordinary_threads()).map(ThreadId::at);
        let blocked = threads.filter(|&t| self.status(t) == ThreadStatus::Running);
        let blocked: Vec<_> = blocked.map(|t| (t, self.next_statement(t))).collect();
        let span = blocked.first().map_or(Span::new(0, 0), |first| first.1);
        Failure { kind: FailureKind::Deadlock(blocked), span }
    }

    fn mark(&self) -> Mark {
        self.state.mark()
    }

    fn rollback(&mut self, mark: Mark) {
        self.state.rollback(mark);
    }
}

impl Explorable for Interpreter {
    fn run(algorithm: Algorithm, search: &mut Search<Self>) {
        algorithm.run(search);
    }
}

impl Excursions for Interpreter {
    fn can_suppress(&self) -> bool {
        true
    }

    fn suppress(&mut self, operations: &[Range<Mark>]) -> bool {
        self.state.suppress(operations);
        true
    }

    fn restore(&mut self) -> bool {
        self.state.restore()
    }
}

impl LooksAhead for Interpreter {
    fn lookahead(&mut self, thread: ThreadId, ahead: &mut Lookahead) {
        lookahead::lookahead(&self.code, &self.state, thread.index(), &mut self.known, ahead);
    }
}

impl Observations for Interpreter {
    fn inspect(&mut self, decision: Decision, footprint: &mut Footprint) -> Readiness {
        let thread = decision.thread.index();
        if self.code.threads[thread].role != Role::Finally {
            return self.look(decision, footprint).readiness;
        }
        let (readiness, _) = self.survey(decision, footprint);
        footprint.make_read_only();
        footprint.blocking = Blocking::Never;
        footprint.variation = Variation::Varying;
        if readiness == Readiness::Enabled {
            (0..self.ordinary_threads())
                .for_each(|other| footprint.record(self.life(other), AccessKind::Observe));
        }
        readiness
    }

    fn footprint_if(
        &mut self,
        (location, number): (LocationId, i64),
        thread: ThreadId,
        footprint: &mut Footprint,
    ) -> bool {
        let mark = self.state.mark();
        self.state.set_cell(location.0, number);
        let look = self.look(Decision { thread, choice: 0 }, footprint);
        self.state.rollback(mark);
        look.alternatives <= 1
    }

    fn content(&self, location: LocationId) -> Option<i64> {
        (location.0 < self.code.layout.value_cells).then(|| self.value(location))
    }

    fn floats(&self, location: LocationId) -> bool {
        self.code.floating_cells.get(location.0 as usize).copied().unwrap_or(false)
    }

    fn has_floating_locations(&self) -> bool {
        self.code.floating_cells.contains(&true)
    }

    fn footprints_depend_on_data_only(&self) -> bool {
        true
    }

    fn has_fixed_locations(&self, thread: ThreadId) -> bool {
        let pc = self.state.threads[thread.index()].control.pc;
        let Op::Visible(kind) = self.code.ops[pc as usize] else { return false };
        let is_ordinary = self.code.threads[thread.index()].role != Role::Finally;
        is_ordinary && self.code.visible[kind as usize].locations == Variation::Fixed
    }
}

impl States for Interpreter {
    fn may_skip_known_states(&self) -> bool {
        !self.code.memory_chooses_mutexes
    }

    fn snapshot(&self, description: &mut Vec<i64>) -> bool {
        self.state.describe(self.code.temporaries as usize, description);
        true
    }
}
