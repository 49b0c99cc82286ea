//! The machine: a module as something to explore.

pub mod cells;
pub mod events;
mod fingerprint;
mod leaks;
pub mod locations;
mod look;
mod making;
mod telling;

use crate::builtin::Builtin;
use crate::code::{AssumptionKind, Callee, Code, Op, Place};
use crate::failure::{Class, Cut, CutReason, Failure, FailureKind};
use crate::memory::Memory;
use crate::options::{Addresses, Inputs, Options, Reuse};
use crate::run::{Awaited, Decisions, Extent, LINK, Outcome, Run};
use crate::state::{Control, State, Status};
use locations::{Locations, ThreadLocation};
use selvedge_explore::seam::undo_log::Log;
use selvedge_explore::{
    Algorithm, Excursions, Explorable, LooksAhead, Mark, Observations, Program, Readiness, Search, States,
    ThreadStatus, WaitingForEver,
};
use selvedge_llvm::Module;
use selvedge_trace::{Access, AccessKind, Decision, Footprint, LocationId, ThreadId};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// A module, running.
#[derive(Debug)]
pub struct Machine {
    module: Arc<Module>,
    code: Arc<Code>,
    options: Options,
    state: State,
    locations: Locations,
    start: Mark,
    start_failures: Vec<Failure>,
    failures: Vec<Failure>,
    fault: Option<FailureKind>,
    cut: Option<CutReason>,
    cuts: BTreeSet<Cut>,
    at_once: BTreeSet<Place>,
    longest_loop: (u32, Place),
    spawned: Vec<usize>,
    scratch: Footprint,
    instructions: u64,
    /// What is known of threads that wait for the ends of others.
    awaited: Vec<Awaited>,
    looked_awaited: Awaited,
}

/// How far a visible operation has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begun {
    /// It is not over.
    Visible,
    /// Only local code follows.
    Committed,
}

impl Machine {
    /// The lowered module.
    pub fn code(&self) -> &Code {
        &self.code
    }

    /// The module.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// What to look for.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Changes how often a loop that only waits and counts may go round.
    pub fn set_patience(&mut self, patience: Option<u32>) {
        self.options.patience = patience;
    }

    /// Changes what to do with inputs of very many values.
    pub fn set_inputs(&mut self, inputs: Inputs) {
        self.options.inputs = inputs;
    }

    /// The memory in its present state.
    pub fn memory(&self) -> &Memory {
        &self.state.memory
    }

    /// What the locations of events stand for.
    pub fn locations(&self) -> &Locations {
        &self.locations
    }

    /// Why executions were cut, each reason with its place once.
    pub fn cuts(&self) -> &BTreeSet<Cut> {
        &self.cuts
    }

    /// How often a loop in which threads may stand went round in one go, and where it is: the longest of all that were watched.
    pub fn longest_loop(&self) -> (u32, Place) {
        self.longest_loop
    }

    /// Where much that all threads can access was read or written in one step, though a real machine takes several.
    pub fn at_once(&self) -> &BTreeSet<Place> {
        &self.at_once
    }

    /// Instructions performed so far, those that were taken back included.
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// What was decided about the order of objects in memory: pairs in their order, by addresses.
    pub fn orders(&self) -> &[(u64, u64)] {
        self.state.orders()
    }

    /// What the program has written so far.
    pub fn output(&self) -> &[u8] {
        &self.state.output
    }

    /// The name of a thread: its function, and which child of which thread it is.
    pub fn thread_name(&self, thread: ThreadId) -> String {
        if thread.index() == 0 {
            return "main".to_owned();
        }
        let mut path = Vec::new();
        let mut at = thread.index();
        while let Some((parent, number)) = self.locations.parent(at) {
            path.push((number + 1).to_string());
            at = parent;
        }
        path.reverse();
        let body = self.state.cell(cells::of(thread.index(), cells::BODY));
        let name = match body {
            0 => "thread",
            body => self.code.functions.get(body as usize - 1).map_or("thread", |f| f.name.as_str()),
        };
        format!("{name}#{}", path.join("."))
    }

    /// The thread with a name, whether it exists yet or not.
    pub fn thread_named(&mut self, name: &str) -> Option<ThreadId> {
        if name == "main" {
            return Some(ThreadId(0));
        }
        let mut thread = 0;
        for number in name.rsplit_once('#')?.1.split('.') {
            let number: u64 = number.parse().ok()?;
            thread = self.locations.child(thread, number.checked_sub(1)?)?;
        }
        Some(ThreadId::at(thread))
    }

    /// Where a thread stands in the user's source: within a library, at the call of it.
    pub fn place(&self, thread: ThreadId) -> Place {
        let Control { pc, called_from, .. } = self.state.threads[thread.index()].control;
        self.code.users_place(pc, called_from)
    }

    /// The instruction that a thread performs next.
    pub fn next_op(&self, thread: ThreadId) -> Op {
        self.code.ops[self.state.threads[thread.index()].control.pc as usize]
    }

    /// The function of the library that a thread calls next.
    pub fn next_call(&self, thread: ThreadId) -> Option<&str> {
        match self.next_op(thread) {
            Op::Builtin { call } => Some(&self.code.calls[call as usize].name),
            _ => None,
        }
    }

    /// What a thread waits for: the address of a condition variable or barrier, or 0.
    pub fn waiting_for(&self, thread: ThreadId) -> u64 {
        self.state.cell(cells::of(thread.index(), cells::WAITING))
    }

    fn start_spawned(&mut self, footprint: &mut Footprint) {
        while let Some(spawned) = self.spawned.pop() {
            self.start_thread(spawned, footprint);
        }
    }

    /// Runs a thread up to its first visible operation. If it has none, the footprint receives that it ended.
    fn start_thread(&mut self, thread: usize, footprint: &mut Footprint) {
        let function = self.state.threads[thread].control.function;
        self.state.set_cell(cells::of(thread, cells::BODY), u64::from(function) + 1);
        let decisions = &mut Decisions::default();
        let outcome = self.run(thread, Extent::Perform, decisions, footprint, Begun::Committed).0;
        self.settle(thread, outcome, footprint);
        let control = self.state.threads[thread].control;
        if control.status == Status::Running && thread > 0 {
            self.state.set_control(thread, Control { status: Status::Fresh, ..control });
        }
    }

    fn run(
        &mut self,
        thread: usize,
        extent: Extent,
        decisions: &mut Decisions,
        footprint: &mut Footprint,
        begun: Begun,
    ) -> (Outcome, Begun) {
        let mut run = self.run_of(thread, extent, decisions, footprint, begun);
        let outcome = run.run();
        let begun = if run.committed { Begun::Committed } else { Begun::Visible };
        let instructions = run.instructions;
        self.instructions += instructions;
        (outcome, begun)
    }

    /// A run of a thread that has not begun.
    #[inline(always)]
    fn run_of<'r>(
        &'r mut self,
        thread: usize,
        extent: Extent,
        decisions: &'r mut Decisions,
        footprint: &'r mut Footprint,
        begun: Begun,
    ) -> Run<'r> {
        let control = self.state.threads[thread].control;
        Run {
            code: &self.code,
            module: &self.module,
            options: &self.options,
            state: &mut self.state,
            locations: &mut self.locations,
            thread,
            extent,
            decisions,
            footprint,
            spawned: &mut self.spawned,
            permits: u32::from(begun == Begun::Visible),
            atomic: 0,
            committed: begun == Begun::Committed,
            awaiting: false,
            assuming: false,
            section_assumes: false,
            joins: false,
            awaited: &mut self.looked_awaited,
            fault: &mut self.fault,
            cut: &mut self.cut,
            cuts: &mut self.cuts,
            at_once: &mut self.at_once,
            longest_loop: &mut self.longest_loop,
            saved_from: control.base,
            unwritten: 0,
            is_partial: false,
            has_decided: false,
            instructions: 0,
            present: control.pc,
            called_from: control.called_from,
        }
    }

    /// Saves the frame that a thread is in.
    fn save(&mut self, thread: usize) {
        let control = self.state.threads[thread].control;
        let start = control.base - LINK;
        let length = match self.state.is_away() {
            // What lies above is needed again.
            true => self.state.threads[thread].slots.len() as u32 - start,
            false => LINK + self.code.functions[control.function as usize].saved,
        };
        self.state.save_frame(thread, start, length);
    }

    /// Draws the consequences of how a run ended.
    fn settle(&mut self, thread: usize, outcome: Outcome, footprint: &mut Footprint) {
        match outcome {
            Outcome::Ended | Outcome::Exited => self.end(thread, footprint),
            Outcome::Failed => self.fail(thread, footprint),
            Outcome::Cut => {
                let place = self.place(ThreadId::at(thread));
                if let Some(reason) = self.cut.take() {
                    self.cuts.insert(Cut { reason, place });
                }
            }
            Outcome::Arrived | Outcome::Blocked | Outcome::Dropped => {}
        }
    }

    fn end(&mut self, thread: usize, footprint: &mut Footprint) {
        let life = self.locations.life(thread);
        footprint.record(LocationId(life), AccessKind::Post);
        if self.options.checks.leaks
            && let Some(reason) = self.leaks_at_the_end()
        {
            let control = self.state.threads[thread].control;
            self.state.set_control(thread, Control { status: Status::Cut, ..control });
            self.cuts.insert(Cut { reason, place: self.place(ThreadId::at(thread)) });
        }
    }

    fn fail(&mut self, thread: usize, footprint: &mut Footprint) {
        let Some(kind) = self.fault.take() else { return };
        let checks = &self.options.checks;
        let place = self.place(ThreadId::at(thread));
        let is_checked = match kind.class() {
            Class::Assertion => checks.assertions,
            Class::Abort => checks.aborts,
            Class::Memory => checks.memory,
            Class::Undefined => checks.undefined,
            Class::Lock => checks.locks,
            Class::Deadlock => checks.deadlocks,
            Class::Race => checks.races,
            Class::Leak => checks.leaks,
            Class::Uninitialised => checks.uninitialised,
            Class::Overflow => checks.overflow,
        };
        if is_checked {
            self.failures.push(Failure { kind, place });
            return;
        }
        let control = self.state.threads[thread].control;
        match kind.class() {
            // The program ends there, and that is all.
            Class::Assertion | Class::Abort => {
                self.state.set_cell(cells::EXITED, 1);
                self.state.set_control(thread, Control { status: Status::Exited, ..control });
                self.end(thread, footprint);
            }
            _ => {
                self.state.set_control(thread, Control { status: Status::Cut, ..control });
                self.cuts.insert(Cut { reason: CutReason::Undefined(kind.message()), place });
            }
        }
    }

    /// The first visible operation of a thread comes after its making.
    fn record_start(&self, thread: usize, footprint: &mut Footprint) {
        if self.state.threads[thread].control.status == Status::Fresh {
            let spawned = self.locations.spawned(thread);
            footprint.record(LocationId(spawned), AccessKind::Observe);
        }
    }

    /// An operation that does not get to its end has no effect but to stop its thread there.
    fn give_up(&mut self, thread: usize, mark: Mark, footprint: &mut Footprint) {
        let Control { pc, status, called_from, .. } = self.state.threads[thread].control;
        self.state.rollback(mark);
        let control = self.state.threads[thread].control;
        self.state.set_control(thread, Control { pc, status, called_from, ..control });
        self.make_read_only(footprint);
        self.spawned.clear();
    }

    /// Whether a thread can go on with an instruction that may have to wait.
    fn need_not_wait(&mut self, thread: ThreadId, pc: usize) -> bool {
        if let Op::Builtin { call } | Op::CallIndirect { call } = self.code.ops[pc] {
            match self.code.calls[call as usize].callee {
                Callee::Builtin(builtin) if may_join(builtin) => return self.can_join(thread, builtin, call),
                Callee::Builtin(builtin) => match self.certainly(builtin, thread.index(), call) {
                    Some(readiness) => return readiness == Readiness::Enabled,
                    None if !may_wait(builtin) => return true,
                    None => {}
                },
                Callee::Address(_) => {}
                _ => return true,
            }
        }
        self.try_it(thread).readiness == Readiness::Enabled
    }

    /// What gave up changes nothing. But a write that races with a read would not fail before it, so it still comes after it.
    fn make_read_only(&self, footprint: &mut Footprint) {
        if !matches!(self.fault, Some(FailureKind::DataRace(..))) {
            footprint.make_read_only();
        }
    }

    fn is_running(&self, thread: usize) -> bool {
        matches!(self.state.threads[thread].control.status, Status::Running | Status::Fresh)
    }
}

/// Whether one of the machine's own functions may have to wait.
fn may_wait(builtin: Builtin) -> bool {
    matches!(
        builtin,
        Builtin::MutexLock
            | Builtin::MutexLockAll
            | Builtin::SpinLock
            | Builtin::RwReadLock
            | Builtin::RwWriteLock
            | Builtin::SemWait
            | Builtin::CondWakeUp
            | Builtin::CondTimedWakeUp
            | Builtin::BarrierPass
            | Builtin::FutexEnd
            | Builtin::OnceBegin
            | Builtin::GuardAcquire
    )
}

/// Whether one of the machine's own functions waits for the end of a thread.
fn may_join(builtin: Builtin) -> bool {
    matches!(builtin, Builtin::ThreadJoin | Builtin::ThreadJoinC11 | Builtin::ThreadJoinCpp)
}

/// Whether one of the machine's own functions may do nothing but observe what others have done.
fn may_observe(builtin: Builtin) -> bool {
    may_join(builtin) || matches!(builtin, Builtin::BarrierPass | Builtin::FutexEnd)
}

impl Program for Machine {
    type Failure = Failure;

    fn thread_count(&self) -> usize {
        self.state.threads.len()
    }

    fn restart(&mut self) {
        self.locations.told.clear();
        self.state.rollback(self.start);
        self.failures.clone_from(&self.start_failures);
    }

    fn status(&self, thread: ThreadId) -> ThreadStatus {
        match self.state.threads[thread.index()].control.status {
            Status::Running | Status::Fresh => ThreadStatus::Running,
            Status::NotStarted | Status::Ended | Status::Exited => ThreadStatus::Ended,
            Status::Dropped => ThreadStatus::Dropped,
            Status::Failed => ThreadStatus::Failed,
            Status::Cut => ThreadStatus::Diverged,
        }
    }

    fn is_enabled(&mut self, thread: ThreadId) -> bool {
        if !self.is_running(thread.index()) {
            return false;
        }
        let pc = self.state.threads[thread.index()].control.pc as usize;
        !self.code.may_wait[pc] || self.need_not_wait(thread, pc)
    }

    fn choices(&mut self, thread: ThreadId) -> u32 {
        let pc = self.state.threads[thread.index()].control.pc as usize;
        let may_choose = match self.code.ops[pc] {
            _ if !self.state.symbols().is_empty() => true,
            Op::Builtin { call } => {
                matches!(
                    self.code.calls[call as usize].callee,
                    Callee::Builtin(
                        Builtin::NondetBool
                            | Builtin::NondetSigned
                            | Builtin::NondetUnsigned
                            | Builtin::CondSignal
                            | Builtin::CondTimedWakeUp
                            | Builtin::FutexBegin
                            | Builtin::AddressNotify
                            | Builtin::Clock
                    )
                ) || self.options.reuse == Reuse::Explored && self.code.calls[call as usize].allocates()
            }
            Op::CallIndirect { .. } => true,
            Op::CompareWords { .. } | Op::CompareWordsBranch { .. } => {
                self.options.addresses == Addresses::Ordered
            }
            Op::AtomicBegin => {
                let section = self.code.sections[pc];
                section.may_decide || section.may_compare && self.options.addresses == Addresses::Ordered
            }
            _ => false,
        };
        if may_choose { self.try_it(thread).alternatives } else { 1 }
    }

    fn pending(&mut self, decision: Decision, footprint: &mut Footprint) -> Readiness {
        self.look(decision, footprint).readiness
    }

    fn step(&mut self, decision: Decision, footprint: &mut Footprint) {
        let thread = decision.thread.index();
        footprint.clear();
        self.failures.clear();
        self.locations.told.clear();
        let mark = self.state.mark();
        let mut decisions = self.decisions(decision, footprint);
        self.save(thread);
        self.record_start(thread, footprint);
        let (outcome, begun) = self.run(thread, Extent::Perform, &mut decisions, footprint, Begun::Visible);
        debug_assert_ne!(outcome, Outcome::Blocked, "only enabled threads are stepped");
        if begun == Begun::Visible && outcome.gives_up() {
            self.give_up(thread, mark, footprint);
        }
        self.settle(thread, outcome, footprint);
        self.start_spawned(footprint);
    }

    fn failures(&self) -> &[Failure] {
        &self.failures
    }

    fn counts_as_deadlock(&self) -> bool {
        self.options.checks.deadlocks && self.state.cell(cells::EXITED) == 0
    }

    fn waiting_for_ever(&self, thread: ThreadId) -> WaitingForEver {
        match self.code.assumes[self.state.threads[thread.index()].control.pc as usize].kind {
            AssumptionKind::None => WaitingForEver::Deadlock,
            AssumptionKind::Assumption => WaitingForEver::FalseAssumption,
            AssumptionKind::EndOfProgram => WaitingForEver::EndOfProgram,
        }
    }

    fn deadlock(&self) -> Failure {
        let threads = (0..self.thread_count()).map(ThreadId::at);
        let blocked = threads.filter(|&t| self.status(t) == ThreadStatus::Running);
        let place = |t| self.missing_end(t).map_or(self.place(t), |pc| self.code.place(pc));
        let blocked: Vec<_> = blocked.map(|t| (t, place(t))).collect();
        let place = blocked.first().map_or(Place::default(), |first| first.1);
        Failure { kind: FailureKind::Deadlock(blocked), place }
    }

    fn site(&self, thread: ThreadId) -> u32 {
        self.next_site_pc(thread).unwrap_or(u32::MAX)
    }

    fn mark(&self) -> Mark {
        self.state.mark()
    }

    fn rollback(&mut self, mark: Mark) {
        self.locations.told.clear();
        self.state.rollback(mark);
    }
}

impl Explorable for Machine {
    fn run(algorithm: Algorithm, search: &mut Search<Self>) {
        algorithm.run(search);
    }
}

impl Excursions for Machine {
    fn can_suppress(&self) -> bool {
        true
    }

    fn suppress(&mut self, operations: &[Range<Mark>]) -> bool {
        let can_suppress = self.state.can_suppress(operations);
        if can_suppress {
            self.state.suppress(operations);
        }
        can_suppress
    }

    fn restore(&mut self) -> bool {
        self.state.restore()
    }
}

impl LooksAhead for Machine {}

impl Observations for Machine {
    fn content(&self, location: LocationId) -> Option<i64> {
        self.told(location)
    }

    fn first_spawned(&self) -> Option<ThreadId> {
        Some(ThreadId(1))
    }
}

impl States for Machine {
    fn only_observes(&mut self, thread: ThreadId) -> bool {
        let pc = self.state.threads[thread.index()].control.pc as usize;
        let Op::Builtin { call } = self.code.ops[pc] else { return false };
        let Callee::Builtin(builtin) = self.code.calls[call as usize].callee else { return false };
        if !may_observe(builtin) {
            return false;
        }
        let mut footprint = std::mem::take(&mut self.scratch);
        self.look(Decision { thread, choice: 0 }, &mut footprint);
        let accesses = footprint.accesses();
        // Whoever joins or detaches the same thread does wrong, sooner or later.
        let is_claim = |location: LocationId| {
            matches!(self.locations.thread_of(location.0), Some((_, ThreadLocation::Claim)))
        };
        let observes = |a: &Access| a.kind == AccessKind::Observe || is_claim(a.location);
        let only = !accesses.is_empty() && accesses.iter().all(observes);
        self.scratch = footprint;
        only
    }

    fn fingerprint(&self) -> Option<u128> {
        (!self.options.checks.races).then(|| fingerprint::of(&self.code, &self.state))
    }
}
