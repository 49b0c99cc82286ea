//! The history of an execution: its events by the instructions of the LLVM IR that perform them, and how often these were executed.
//!
//! Whatever runs the same LLVM IR can find the events again: it counts how often each thread executes an instruction, whether or not that is an
//! event each time. To get the history, an execution is repeated from the beginning with a record of all instructions.
//!
//! *Loops that wait.* A thread waits at the head of such a loop, or at the only read of it, until there is something else to read, so futile rounds are
//! not in the history, but for a first one. Whoever lets threads wait for the events that come before theirs sees no others either: a thread that
//! reads once more does so after the write that it has waited for. So counts agree. The end of a wait at the head of a loop belongs to no
//! instruction; that event has no [site](Event::site). It only reads, and the thread's next event comes after what it comes after.
//!
//! *Functions that the module lacks.* Where the machine puts a function of its own around one of the library, and at the beginning of
//! `__VERIFIER_atomic_…`, an event belongs to the call.

use super::Machine;
use super::cells;
use super::locations::ThreadLocation;
use crate::builtin::Builtin;
use crate::code::{Callee, Op, OriginStep, Pc};
use crate::run::LINK;
use crate::state::Status;
use selvedge_explore::Program;
use selvedge_llvm::Site;
use selvedge_trace::{Access, AccessKind, Decision, Footprint, ThreadId};
use std::collections::BTreeMap;

/// An event of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The thread, with its choice.
    pub decision: Decision,
    /// The instruction; none where a thread has waited at the head of a loop.
    pub site: Option<Site>,
    /// Which of the events of one execution of the instruction.
    pub part: u32,
    /// The how-manieth execution of the instruction by the thread, counted from 1.
    pub time: u64,
    /// Who makes the choice, if there is one.
    pub chooser: Chooser,
    /// How it has ended, if it is the end of a wait.
    pub wait: Wait,
    /// The threads that it makes.
    pub creates: Vec<ThreadId>,
    /// The threads for whose ends it has waited.
    pub joins: Vec<ThreadId>,
}

/// Who makes a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chooser {
    /// There is none to be made.
    Nobody,
    /// The scheduler: which thread is woken, or whether a wait takes too long.
    Scheduler,
    /// The environment: an input.
    Environment,
}

/// How a wait has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// By a signal, or there was none.
    Signalled,
    /// Without a signal: by its time limit, or spuriously.
    Unsignalled,
}

/// What a thread did, besides what nobody counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    /// It began to execute an instruction.
    Executed(Site),
    /// It performed the event with this number.
    Event(usize),
}

/// How often a thread has executed an instruction.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    times: u64,
    /// The events of the latest time.
    events: u32,
    /// Whether only a decision that comes before the instruction has been taken.
    is_open: bool,
}

impl Count {
    fn begin(&mut self) {
        *self = Count { times: self.times + 1, events: 0, is_open: false };
    }
}

/// The history of an execution.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The events, in the order of the execution.
    pub events: Vec<Event>,
    /// The threads that there are before the first event.
    pub initial: Vec<ThreadId>,
    entries: BTreeMap<ThreadId, Vec<Entry>>,
    counts: BTreeMap<(ThreadId, Site), Count>,
}

impl History {
    /// The history of a schedule.
    pub fn of(machine: &Machine, schedule: &[Decision]) -> History {
        let mut machine = machine.again_recording();
        let mut history = History { initial: machine.started(), ..History::default() };
        history.follow(&mut machine);
        for &decision in schedule {
            history.step(&mut machine, decision);
        }
        history
    }

    /// How often the threads of the first so many events have executed each instruction, each up to its last event among these.
    pub fn times(&self, events: usize) -> Vec<(ThreadId, Site, u64)> {
        let is_kept = |entry: &Entry| matches!(entry, Entry::Event(e) if *e < events);
        let mut times = Vec::new();
        for (&thread, entries) in &self.entries {
            let mut counts: BTreeMap<Site, u64> = BTreeMap::new();
            let end = entries.iter().rposition(is_kept).map_or(0, |last| last + 1);
            for entry in &entries[..end] {
                if let Entry::Executed(site) = entry {
                    *counts.entry(*site).or_default() += 1;
                }
            }
            times.extend(counts.into_iter().map(|(site, count)| (thread, site, count)));
        }
        times
    }

    fn step(&mut self, machine: &mut Machine, decision: Decision) {
        let thread = decision.thread;
        let stand = machine.stand(thread);
        let (chooser, wait) = (machine.chooser(thread), machine.wait(decision));
        let (mut time, mut part) = (0, 0);
        if let Some(Stand { site, begins }) = stand {
            let count = self.counts.entry((thread, site)).or_default();
            if begins && !count.is_open {
                count.begin();
                count.is_open = true;
                self.entries.entry(thread).or_default().push(Entry::Executed(site));
            }
            (time, part) = (count.times, count.events);
            count.events += 1;
        }
        let waited = machine.started();
        let mut footprint = Footprint::default();
        machine.step(decision, &mut footprint);
        let creates = machine.started().into_iter().filter(|started| !waited.contains(started)).collect();
        let joins = footprint.accesses().iter().filter_map(|access| machine.joined(*access)).collect();
        self.entries.entry(thread).or_default().push(Entry::Event(self.events.len()));
        let site = stand.map(|stand| stand.site);
        self.events.push(Event { decision, site, part, time, chooser, wait, creates, joins });
        self.follow(machine);
    }

    /// Counts what was executed.
    fn follow(&mut self, machine: &mut Machine) {
        for (thread, pc) in machine.state.take_recorded() {
            let Some(origin) = machine.code.origins[pc as usize] else { continue };
            if origin.step == OriginStep::Later {
                continue;
            }
            let count = self.counts.entry((thread, origin.site)).or_default();
            match count.is_open {
                true => count.is_open = false,
                false => {
                    count.begin();
                    self.entries.entry(thread).or_default().push(Entry::Executed(origin.site));
                }
            }
        }
    }
}

/// The instruction of the LLVM IR before which a thread stands.
#[derive(Clone, Copy, Debug)]
struct Stand {
    site: Site,
    /// Whether the thread is about to execute it, and not in the middle of it.
    begins: bool,
}

impl Machine {
    /// The place in the code to which the next event of a thread belongs, which is that of the call if the module lacks the function; none if the
    /// thread waits at the head of a loop.
    pub fn next_site_pc(&self, thread: ThreadId) -> Option<Pc> {
        let state = &self.state.threads[thread.index()];
        let control = state.control;
        let has_site = |pc: Pc| self.code.origins[pc as usize].is_some();
        match self.code.ops[control.pc as usize] {
            Op::LoopHead { .. } => None,
            _ if has_site(control.pc) => Some(control.pc),
            _ if control.depth > 0 => {
                let link = state.slots[(control.base - LINK) as usize] as Pc;
                link.checked_sub(1).filter(|call| has_site(*call))
            }
            _ => None,
        }
    }

    fn stand(&self, thread: ThreadId) -> Option<Stand> {
        let pc = self.next_site_pc(thread)?;
        let origin = self.code.origins[pc as usize]?;
        let is_there = self.state.threads[thread.index()].control.pc == pc;
        Some(Stand { site: origin.site, begins: is_there && origin.step == OriginStep::First })
    }

    /// Who chooses between the alternatives of the next operation of a thread.
    pub fn chooser(&mut self, thread: ThreadId) -> Chooser {
        if self.choices(thread) <= 1 {
            return Chooser::Nobody;
        }
        let is_scheduling = match self.next_op(thread) {
            Op::Builtin { call } => matches!(
                self.code.calls[call as usize].callee,
                Callee::Builtin(
                    Builtin::CondSignal
                        | Builtin::CondTimedWakeUp
                        | Builtin::FutexBegin
                        | Builtin::AddressNotify
                )
            ),
            _ => false,
        };
        match is_scheduling && self.state.symbols().is_empty() {
            true => Chooser::Scheduler,
            false => Chooser::Environment,
        }
    }

    /// How the wait ends that the next operation of a thread ends, if it does.
    fn wait(&self, decision: Decision) -> Wait {
        let Op::Builtin { call } = self.next_op(decision.thread) else { return Wait::Signalled };
        let is_woken = self.waiting_for(decision.thread) == 0;
        let is_signalled = match self.code.calls[call as usize].callee {
            Callee::Builtin(Builtin::CondTimedWakeUp) => is_woken && decision.choice == 0,
            Callee::Builtin(Builtin::CondWakeUp | Builtin::FutexEnd) => is_woken,
            _ => true,
        };
        if is_signalled { Wait::Signalled } else { Wait::Unsignalled }
    }

    fn started(&self) -> Vec<ThreadId> {
        let threads = (0..self.state.threads.len()).map(ThreadId::at);
        threads.filter(|t| self.state.threads[t.index()].control.status != Status::NotStarted).collect()
    }

    /// The thread for whose end an access waits.
    fn joined(&self, access: Access) -> Option<ThreadId> {
        match self.locations.thread_of(access.location.0) {
            Some((thread, ThreadLocation::Life)) if access.kind == AccessKind::Observe => {
                Some(ThreadId::at(thread))
            }
            _ => None,
        }
    }

    /// The thread that has made a thread, and as which of its own, counted from 1.
    pub fn creator(&self, thread: ThreadId) -> Option<(ThreadId, u32)> {
        let (parent, number) = self.locations.parent(thread.index())?;
        Some((ThreadId::at(parent), number as u32 + 1))
    }

    /// Whether the program has ended.
    pub fn has_exited(&self) -> bool {
        self.state.cell(cells::EXITED) != 0
    }
}
