//! The machine: a module as something to explore.

pub mod cells;
mod fingerprint;
mod leaks;
pub mod locations;
mod look;
mod telling;

use crate::builtin::Builtin;
use crate::code::{Callee, Code, Op, Place};
use crate::failure::{Class, Cut, CutReason, Failure, FailureKind};
use crate::memory::{Kind, Memory, Sharing};
use crate::options::{Arrivals, Claims, Inputs, Options};
use crate::races::Races;
use crate::run::{Awaited, Decisions, Extent, LINK, Outcome, Run};
use crate::state::{Control, State, Status};
use locations::{Locations, ThreadLocation};
use selvedge_explore::turning::Log;
use selvedge_explore::{Mark, Program, Readiness, ThreadStatus};
use selvedge_llvm::Module;
use selvedge_trace::{Access, AccessKind, Decision, Footprint, LocationId, ThreadId};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// Steps of a rehearsal.
const REHEARSAL: usize = 5_000;

/// The most threads.
const MAX_THREADS: usize = 500;

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
    /// A machine at the beginning of `main`, or at its first visible operation. A rehearsal finds out how
    /// many threads there are and how finely memory is accessed.
    pub fn new(module: Arc<Module>, code: Arc<Code>, mut options: Options) -> Machine {
        let mut threads = options.threads.clamp(1, MAX_THREADS);
        loop {
            let mut machine = Machine::with_threads(&module, &code, options, threads);
            machine.rehearse();
            let needed = machine.locations.thread_count();
            if machine.locations.overflow && threads < MAX_THREADS {
                threads = (threads * 2).min(MAX_THREADS);
                continue;
            }
            if let Some(corrected) = machine.with_orders() {
                options = corrected;
                continue;
            }
            let mut rehearsed = machine.locations;
            let threads = needed.max(options.room).clamp(1, MAX_THREADS);
            rehearsed.begin(threads);
            let mut machine = Machine::with_threads(&module, &code, options, threads);
            machine.locations = rehearsed;
            machine.start();
            return machine;
        }
    }

    /// A machine for the same program that knows the same threads.
    pub fn again(&self) -> Machine {
        let threads = self.state.threads.len();
        let mut machine = Machine::with_threads(&self.module, &self.code, self.options, threads);
        machine.locations = self.locations.clone();
        machine.start();
        machine
    }

    fn with_threads(module: &Arc<Module>, code: &Arc<Code>, options: Options, threads: usize) -> Machine {
        let mut memory = Memory::new(threads);
        for (number, global) in code.globals.iter().enumerate() {
            if global.is_thread_local {
                continue;
            }
            let number = number as u32;
            let kind = if global.is_constant { Kind::Constant(number) } else { Kind::Global(number) };
            let size = global.bytes.len() as u64;
            let id = memory.create(0, size, kind, Sharing::Shared, Place::default());
            let start = memory.object(id).start;
            memory.bytes[start..start + global.bytes.len()].copy_from_slice(&global.bytes);
        }
        memory.end_globals();
        let cells = cells::count(threads, code.globals.len());
        let races = Races::new(if options.checks.races { threads } else { 0 });
        let mut locations = Locations::new(threads);
        locations.arrivals_are_ordered = options.arrivals == Arrivals::Ordered || code.looks_at_arrivals;
        locations.claims_are_ordered = options.claims == Claims::Ordered;
        Machine {
            module: module.clone(),
            code: code.clone(),
            options,
            state: State::new(threads, cells, &code.constants, memory, races),
            locations,
            start: Mark(0),
            start_failures: Vec::new(),
            failures: Vec::new(),
            fault: None,
            cut: None,
            cuts: BTreeSet::new(),
            at_once: BTreeSet::new(),
            longest_loop: (0, Place::default()),
            spawned: Vec::new(),
            scratch: Footprint::default(),
            instructions: 0,
            awaited: vec![Awaited::default(); threads],
            looked_awaited: Awaited::default(),
        }
    }

    /// Runs one execution, all threads in turn.
    fn rehearse(&mut self) {
        self.start();
        let mut footprint = Footprint::default();
        let mut thread = 0;
        for _ in 0..REHEARSAL {
            let count = self.state.threads.len();
            let next = (0..count).map(|i| (thread + i) % count).find(|&t| self.is_enabled(ThreadId::at(t)));
            let Some(next) = next else { return };
            let id = ThreadId::at(next);
            let choice = self.choices(id) - 1;
            self.step(Decision { thread: id, choice }, &mut footprint);
            thread = next + 1;
        }
    }

    /// Runs the constructors and `main` up to the first visible operation.
    fn start(&mut self) {
        let Some(main) = self.code.main else { return };
        let mut footprint = Footprint::default();
        for constructor in self.code.constructors.clone() {
            self.prepare(0, constructor);
            let (outcome, _) =
                self.run(0, Extent::Perform, &mut Decisions::default(), &mut footprint, Begun::Committed);
            self.state.set_cell(cells::of(0, cells::ENDING), 0);
            self.state.set_cell(cells::EXITED, 0);
            if outcome != Outcome::Ended {
                self.settle(0, outcome, &mut footprint);
                self.finish_start();
                return;
            }
        }
        self.state.set_cell(cells::STARTED, 1);
        self.prepare(0, main);
        self.pass_arguments(main);
        self.start_thread(0, &mut footprint);
        self.start_spawned(&mut footprint);
        self.finish_start();
    }

    /// Gives `main` its arguments: the name of the program.
    fn pass_arguments(&mut self, main: u32) {
        let parameters = &self.code.functions[main as usize].parameters;
        let (Some(&(count, _)), Some(&(list, _))) = (parameters.first(), parameters.get(1)) else { return };
        let sharing = Sharing::Private(0);
        let mut object = |bytes: &[u8]| {
            let id = self.state.create(1, bytes.len() as u64, Kind::Library, sharing, Place::default());
            let object = *self.state.memory.object(id);
            bytes.iter().enumerate().for_each(|(i, b)| self.state.store(object.start + i, 1, u64::from(*b)));
            object.base
        };
        let name = object(b"program\0");
        let mut words = name.to_le_bytes().to_vec();
        words.extend([0; 8]);
        let arguments = object(&words);
        let base = self.code.constants.len() as u32 + LINK;
        let slots = &mut self.state.threads[0].slots;
        slots[(base + count) as usize] = 1;
        slots[(base + list) as usize] = arguments;
    }

    fn finish_start(&mut self) {
        self.locations.told.clear();
        self.start = self.state.mark();
        self.start_failures = self.failures.clone();
    }

    fn prepare(&mut self, thread: usize, function: u32) {
        let (outcome_footprint, spawned) = (&mut Footprint::default(), &mut Vec::new());
        let mut run = Run {
            code: &self.code,
            module: &self.module,
            options: &self.options,
            state: &mut self.state,
            locations: &mut self.locations,
            thread,
            extent: Extent::Perform,
            decisions: &mut Decisions::default(),
            footprint: outcome_footprint,
            spawned,
            permits: 0,
            atomic: 0,
            committed: true,
            awaiting: false,
            joins: false,
            awaited: &mut self.looked_awaited,
            fault: &mut self.fault,
            cut: &mut self.cut,
            cuts: &mut self.cuts,
            at_once: &mut self.at_once,
            longest_loop: &mut self.longest_loop,
            saved_from: 0,
            unwritten: 0,
            has_decided: false,
            instructions: 0,
            present: 0,
        };
        run.prepare(thread, function, &[]);
    }

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

    /// If something did not hold that this machine takes for granted, so that nothing it found is complete: the options of one
    /// that does not.
    pub fn corrected(&self) -> Option<Options> {
        if self.locations.overflow && self.thread_room() < MAX_THREADS {
            return Some(Options { room: self.thread_room() * 2, ..self.options });
        }
        self.with_orders()
    }

    /// If operations do not commute that this machine takes to: the options of one that does not.
    fn with_orders(&self) -> Option<Options> {
        let is_crowded = self.cuts.iter().any(|cut| cut.reason == CutReason::CrowdedBarrier);
        let is_contested = self.locations.has_contested_claim && !self.locations.claims_are_ordered;
        let arrivals = if is_crowded { Arrivals::Ordered } else { self.options.arrivals };
        let claims = if is_contested { Claims::Ordered } else { self.options.claims };
        (is_crowded || is_contested).then_some(Options { arrivals, claims, ..self.options })
    }

    /// The number of threads that there is room for.
    pub fn thread_room(&self) -> usize {
        self.state.threads.len()
    }

    /// Instructions performed so far, those that were taken back included.
    pub fn instructions(&self) -> u64 {
        self.instructions
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

    /// Where a thread stands in the source: at a place that is known, that of a caller if need be.
    pub fn place(&self, thread: ThreadId) -> Place {
        let pc = self.state.threads[thread.index()].control.pc;
        self.code.place(pc)
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
        let control = self.state.threads[thread].control;
        let mut run = Run {
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
            joins: false,
            awaited: &mut self.looked_awaited,
            fault: &mut self.fault,
            cut: &mut self.cut,
            cuts: &mut self.cuts,
            at_once: &mut self.at_once,
            longest_loop: &mut self.longest_loop,
            saved_from: control.base,
            unwritten: 0,
            has_decided: false,
            instructions: 0,
            present: control.pc,
        };
        let outcome = run.run();
        let begun = if run.committed { Begun::Committed } else { Begun::Visible };
        self.instructions += run.instructions;
        (outcome, begun)
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
            Outcome::Ended => self.end(thread, footprint),
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
                self.state.set_control(thread, Control { status: Status::Ended, ..control });
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
        let Control { pc, status, .. } = self.state.threads[thread].control;
        self.state.rollback(mark);
        let control = self.state.threads[thread].control;
        self.state.set_control(thread, Control { pc, status, ..control });
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
    may_join(builtin) || builtin == Builtin::BarrierPass
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
            Status::NotStarted | Status::Ended => ThreadStatus::Ended,
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
            Op::Builtin { call } => matches!(
                self.code.calls[call as usize].callee,
                Callee::Builtin(
                    Builtin::NondetBool
                        | Builtin::NondetSigned
                        | Builtin::NondetUnsigned
                        | Builtin::CondSignal
                        | Builtin::CondTimedWakeUp
                        | Builtin::FutexWake
                        | Builtin::AddressNotify
                        | Builtin::Clock
                )
            ),
            Op::CallIndirect { .. } => true,
            Op::AtomicBegin => self.code.sections[pc].may_decide,
            _ => false,
        };
        if may_choose { self.try_it(thread).alternatives } else { 1 }
    }

    fn pending(&mut self, decision: Decision, footprint: &mut Footprint) -> Readiness {
        self.look(decision, footprint).readiness
    }

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

    fn leaves_out(&self) -> bool {
        true
    }

    fn leave_out(&mut self, operations: &[Range<Mark>]) -> bool {
        let can_leave_out = self.state.can_leave_out(operations);
        if can_leave_out {
            self.state.leave_out(operations);
        }
        can_leave_out
    }

    fn come_back(&mut self) -> bool {
        self.state.come_back()
    }

    fn failures(&self) -> &[Failure] {
        &self.failures
    }

    fn counts_as_deadlock(&self) -> bool {
        self.options.checks.deadlocks && self.state.cell(cells::EXITED) == 0
    }

    fn deadlock(&self) -> Failure {
        let threads = (0..self.thread_count()).map(ThreadId::at);
        let blocked = threads.filter(|&t| self.status(t) == ThreadStatus::Running);
        let place = |t| self.missing_end(t).map_or(self.place(t), |pc| self.code.place(pc));
        let blocked: Vec<_> = blocked.map(|t| (t, place(t))).collect();
        let place = blocked.first().map_or(Place::default(), |first| first.1);
        Failure { kind: FailureKind::Deadlock(blocked), place }
    }

    fn fingerprint(&self) -> Option<u128> {
        (!self.options.checks.races).then(|| fingerprint::of(&self.code, &self.state))
    }

    fn content(&self, location: LocationId) -> Option<i64> {
        self.told(location)
    }

    fn first_spawned(&self) -> Option<ThreadId> {
        Some(ThreadId(1))
    }

    fn mark(&self) -> Mark {
        self.state.mark()
    }

    fn rollback(&mut self, mark: Mark) {
        self.locations.told.clear();
        self.state.rollback(mark);
    }
}
