//! A program of which only what a schedule permits can happen.
//!
//! The interpreter performs the steps; the [automaton](crate::automaton) says which are permitted. A thread that may go on, but takes a way
//! that the schedule does not foresee, takes it: if it fails, that is a violation, and if it does not, the schedule is
//! [lost](Lost).

use crate::automaton::{At, Automaton, Orders, Position, Step};
use crate::fit::Unfit;
use crate::walk::Walk;
use selvedge_explore::seam::fingerprint::Fingerprinter;
use selvedge_explore::{
    Excursions, LooksAhead, Mark, Observations, Program, Readiness, States, ThreadStatus, WaitingForEver,
};
use selvedge_interp::{Failure, Interpreter};
use selvedge_ir::Span;
use selvedge_schedule::Schedule;
use selvedge_symbolic::BuildError;
use selvedge_trace::{AccessKind, Decision, Footprint, LocationId, ThreadId};

/// Why a program cannot be held to a schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The program cannot be translated.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The schedule is none for it.
    #[error(transparent)]
    Unfit(#[from] Unfit),
}

/// A thread for which a schedule does not say how it goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The thread.
    pub thread: ThreadId,
    /// Its next statement.
    pub statement: Span,
    /// Whether it may go on there, but not in the way that it does; otherwise nobody may go on though this one could.
    pub may_go_on: bool,
}

/// A program under a schedule.
#[derive(Debug)]
pub struct Scheduled {
    inner: Interpreter,
    automaton: Automaton,
    /// What is known after each step, newest last.
    log: Vec<Entry>,
    lost: Option<Lost>,
}

/// What is known after a step.
#[derive(Debug)]
struct Entry {
    /// Where the execution may be.
    positions: Vec<Position>,
    /// Before the step.
    mark: Mark,
    /// Whether nobody may go on though somebody could.
    is_stuck: bool,
}

impl Scheduled {
    /// A well-formed program and a schedule for it.
    ///
    /// # Errors
    /// When the program has something that cannot be translated, or the schedule does not fit it.
    pub fn new(
        program: &selvedge_ir::Program,
        schedule: Schedule,
        orders: Orders,
    ) -> Result<Scheduled, SetupError> {
        let automaton = Automaton::new(Walk::new(program)?, schedule, orders)?;
        let mut scheduled =
            Scheduled { inner: Interpreter::new(program), automaton, log: Vec::new(), lost: None };
        let positions = scheduled.automaton.start();
        scheduled.arrive(positions, Mark(0));
        Ok(scheduled)
    }

    /// The interpreter that performs the steps.
    pub fn interpreter(&self) -> &Interpreter {
        &self.inner
    }

    /// The name of a thread.
    pub fn name(&self, thread: ThreadId) -> &str {
        &self.automaton.walk.system.names[thread.index()]
    }

    /// The first thread that was met for which the schedule does not say how it goes on.
    pub fn lost(&self) -> Option<&Lost> {
        self.lost.as_ref()
    }

    /// Whether some of what is permitted was left out, because threads go on in local code in too many ways.
    pub fn is_overrun(&self) -> bool {
        self.automaton.is_overrun.get()
    }

    /// The first node that was met of which the schedule claims what does not hold.
    pub fn false_claim(&self) -> Option<usize> {
        self.automaton.false_claim.get()
    }

    /// Whether a thread is enabled, permitted or not.
    pub fn could_go_on(&mut self, thread: ThreadId) -> bool {
        self.inner.is_enabled(thread)
    }

    /// Whether the execution is in the midst of events that may happen in other orders, too, which are not explored.
    pub fn leaves_out_orders(&self) -> bool {
        self.automaton.leaves_out_orders(self.positions())
    }

    fn positions(&self) -> &[Position] {
        self.log.last().map_or(&[], |entry| &entry.positions)
    }

    fn permits(&self, thread: ThreadId, choice: u32) -> bool {
        !matches!(self.automaton.step(self.positions(), thread.index(), choice), Step::Forbidden)
    }

    /// Notes where the execution may be after a step. If nobody may go on, finds out whether nobody can: then it is a deadlock or the end.
    fn arrive(&mut self, positions: Vec<Position>, mark: Mark) {
        self.log.push(Entry { positions, mark, is_stuck: false });
        let count = self.inner.thread_count();
        let mut able = None;
        for thread in (0..count).map(ThreadId::at) {
            match (self.inner.is_enabled(thread), self.permits(thread, 0)) {
                (true, true) => return,
                (true, false) => able = able.or(Some(thread)),
                (false, _) => {}
            }
        }
        if let (Some(thread), Some(entry)) = (able, self.log.last_mut()) {
            entry.is_stuck = true;
            if !entry.positions.is_empty() {
                let statement = self.inner.next_statement(thread);
                self.lost.get_or_insert(Lost { thread, statement, may_go_on: false });
            }
        }
    }

    /// A location that nothing else uses.
    fn schedule_location(&self) -> LocationId {
        LocationId(self.inner.layout().initial.len() as u32)
    }
}

impl Program for Scheduled {
    type Failure = Failure;

    fn thread_count(&self) -> usize {
        self.inner.thread_count()
    }

    fn restart(&mut self) {
        self.inner.restart();
        self.log.truncate(1);
    }

    fn status(&self, thread: ThreadId) -> ThreadStatus {
        self.inner.status(thread)
    }

    fn is_enabled(&mut self, thread: ThreadId) -> bool {
        // Whether a thread may go on does not depend on what it chooses.
        self.permits(thread, 0) && self.inner.is_enabled(thread)
    }

    fn choices(&mut self, thread: ThreadId) -> u32 {
        self.inner.choices(thread)
    }

    fn pending(&mut self, decision: Decision, footprint: &mut Footprint) -> Readiness {
        let readiness = self.inner.pending(decision, footprint);
        footprint.record(self.schedule_location(), AccessKind::Write);
        match self.permits(decision.thread, decision.choice) {
            true => readiness,
            false => Readiness::Disabled,
        }
    }

    fn step(&mut self, decision: Decision, footprint: &mut Footprint) {
        let thread = decision.thread;
        let positions = match self.automaton.step(self.positions(), thread.index(), decision.choice) {
            Step::Permitted(positions) => positions,
            Step::Forbidden | Step::Unforeseen => Vec::new(),
        };
        let (mark, is_unforeseen) = (self.inner.mark(), positions.is_empty());
        let statement = self.inner.next_statement(thread);
        self.inner.step(decision, footprint);
        // Who may go on depends on all steps before.
        footprint.record(self.schedule_location(), AccessKind::Write);
        if is_unforeseen && self.inner.failures().is_empty() {
            self.lost.get_or_insert(Lost { thread, statement, may_go_on: true });
        }
        self.arrive(positions, mark);
    }

    fn failures(&self) -> &[Failure] {
        self.inner.failures()
    }

    fn counts_as_deadlock(&self) -> bool {
        !self.log.last().is_some_and(|entry| entry.is_stuck) && self.inner.counts_as_deadlock()
    }

    fn waiting_for_ever(&self, thread: ThreadId) -> WaitingForEver {
        self.inner.waiting_for_ever(thread)
    }

    fn deadlock(&self) -> Failure {
        self.inner.deadlock()
    }

    fn mark(&self) -> Mark {
        self.inner.mark()
    }

    fn rollback(&mut self, mark: Mark) {
        self.inner.rollback(mark);
        while self.log.len() > 1 && self.log.last().is_some_and(|entry| entry.mark.0 >= mark.0) {
            self.log.pop();
        }
    }
}

impl Excursions for Scheduled {}

impl LooksAhead for Scheduled {}

impl Observations for Scheduled {}

impl States for Scheduled {
    fn fingerprint(&self) -> Option<u128> {
        let mut words = Fingerprinter::default();
        words.add_fingerprint(self.inner.fingerprint()?);
        for position in self.positions() {
            match &position.at {
                At::Node(node) => words.add(*node as u64),
                At::Section { number, done } => {
                    words.add(!(*number as u64));
                    done.iter().for_each(|&done| words.add(done.into()));
                }
            }
            position.state.words(|word| words.add(word));
        }
        Some(words.take())
    }
}
