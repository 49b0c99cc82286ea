//! Turns: operations on the model memory, performed in earnest, repeated, or looked at.
//!
//! None of this runs the user's code. A fiber that arrives at an operation says so here, and goes on at once if the
//! closure is being run again and the next turn is its own.

use super::execution::{ENDED, Execution, RUNS, Refused};
use super::failure::{Failure, FailureKind, Site};
use super::fiber::Fiber;
use super::names::ThreadCell;
use super::operation::{Operation, Outcome, View, Waits};
use super::script::{Entry, Standing};
use crate::spin;
use selvedge_trace::{AccessKind, Decision, Footprint, ThreadId};

/// Whether an operation is performed by a fiber that goes on after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earnest {
    /// It is.
    Live,
    /// Only the model memory follows.
    ModelOnly,
}

impl Execution {
    /// The present thread has come to an operation. If that is to be performed again right now, it is; returns its result.
    #[inline]
    pub fn arrive(&mut self, operation: &Operation) -> Option<u64> {
        let thread = ThreadId(self.current);
        let operation = match spin::is_yield(operation) {
            false => *operation,
            true => {
                let (reads, rounds) = (&mut self.history.reads, &mut self.history.rounds);
                let (reads, rounds) = (&mut reads[thread.index()], &mut rounds[thread.index()]);
                let prepared = spin::prepare(*operation, rounds, reads, &mut self.spins, self.semantics);
                let prepared = self.prepare_stuttering(thread, prepared);
                if spin::is_retry(&prepared)
                    && prepared.b > 0
                    && prepared.b == self.semantics.lonely_rounds / 2
                {
                    self.ask_for_long_trial();
                }
                self.has_spun |= spin::waits(&prepared);
                prepared
            }
        };
        if self.semantics.observations && operation.kind.tells.hides_something(self.semantics) {
            let what = format!("`{}`", operation.kind.name);
            self.refused.get_or_insert(Refused { what, place: Some(operation.place) });
        }
        self.settle(thread, Standing::At(operation));
        if self.history.follows { self.follow() } else { None }
    }

    /// Performs the next operation of the present thread if it is its turn in the execution that is repeated.
    fn follow(&mut self) -> Option<u64> {
        let decision = self.history.next_ahead().filter(|next| next.thread.0 == self.current)?;
        if !self.spawned.is_empty() || self.must_halt() {
            return None;
        }
        self.history.retake();
        let mut footprint = std::mem::take(&mut self.scratch);
        footprint.clear();
        let result = self.take_turn(decision, &mut footprint);
        self.scratch = footprint;
        Some(result)
    }

    /// Whether the search cannot go on.
    #[inline]
    pub fn must_halt(&self) -> bool {
        self.refuted || self.refused.is_some() || self.drops.vary || self.history.divergence.is_some()
    }

    /// A thread has come to where it stands.
    #[inline]
    pub fn settle(&mut self, thread: ThreadId, standing: Standing) {
        let children = self.newborn(thread);
        self.history.settle(thread, Entry { standing, children });
    }

    /// Performs the next operation of a thread, whose fiber is to go on with the result.
    #[inline]
    pub fn take_turn(&mut self, decision: Decision, footprint: &mut Footprint) -> u64 {
        let result = self.perform(decision, footprint, Earnest::Live);
        self.history.take(decision, footprint, result);
        result
    }

    /// The same, and takes the fiber out, to be run.
    #[inline]
    pub fn begin_turn(&mut self, decision: Decision, footprint: &mut Footprint) -> (u64, Option<Fiber>) {
        self.current = decision.thread.0;
        (self.take_turn(decision, footprint), self.take_fiber(decision.thread))
    }

    /// Performs an operation of the present path again in the model alone.
    pub fn repeat_turn(&mut self, decision: Decision, footprint: &mut Footprint) {
        self.perform(decision, footprint, Earnest::ModelOnly);
        self.history.repeat(decision);
        self.reach(decision.thread, footprint);
    }

    /// Performs the next operation of a thread on the model memory.
    fn perform(&mut self, decision: Decision, footprint: &mut Footprint, earnest: Earnest) -> u64 {
        self.history.mark(self.memory.mark());
        let thread = decision.thread;
        let script = &self.history.scripts[thread.index()];
        let Some(&operation) = script.operation() else { return 0 };
        let position = script.position;
        if position == 0 && thread.index() > 0 {
            footprint.record(self.names.cell(thread, ThreadCell::Spawned), AccessKind::Observe);
        }
        let is_live = earnest == Earnest::Live;
        if is_live {
            self.goes_on(Some(operation.place));
        }
        let mut view = View {
            memory: &mut self.memory,
            names: &mut self.names,
            footprint,
            thread,
            choice: decision.choice,
            alternatives: 1,
            clocks: (is_live && self.assumptions.cells_are_tracked).then_some(&mut self.clocks),
            spins: &self.spins,
            reads: is_live.then_some(&mut self.history.reads[thread.index()]),
            position,
            drops: &mut self.drops,
            semantics: self.semantics,
            assumptions: self.assumptions,
        };
        let outcome = (operation.kind.run)(&mut view, &operation);
        if is_live && spin::is_yield(&operation) {
            self.history.rounds[thread.index()].go_on(outcome);
        }
        if self.posts_progress {
            self.record_progress(thread, outcome, footprint);
        }
        match outcome {
            Outcome::Done(result) => result,
            // A thread that spins alone goes on though nothing has changed.
            Outcome::Wait => 0,
        }
    }

    /// Enters the first state.
    pub fn enter_first(&mut self) {
        self.memory.set(self.names.cell(ThreadId(0), ThreadCell::Life), RUNS);
        self.history.scripts[0].position = 0;
        let mut footprint = std::mem::take(&mut self.scratch);
        footprint.clear();
        self.reach(ThreadId(0), &mut footprint);
        self.scratch = footprint;
    }

    /// Draws the consequences of a thread having come to where it stands: children exist, the end is known.
    #[inline]
    pub fn reach(&mut self, thread: ThreadId, footprint: &mut Footprint) {
        let script = &self.history.scripts[thread.index()];
        let entry = &script.entries[script.position];
        if !entry.children.is_empty() || !matches!(entry.standing, Standing::At(_)) {
            self.reach_more(thread, footprint);
        }
    }

    fn reach_more(&mut self, thread: ThreadId, footprint: &mut Footprint) {
        let script = &self.history.scripts[thread.index()];
        let entry = &script.entries[script.position];
        let (children, standing) = (entry.children.clone(), entry.standing);
        for number in children {
            let child = self.names.child(thread, number);
            footprint.record(self.names.cell(child, ThreadCell::Spawned), AccessKind::Post);
            self.memory.set(self.names.cell(child, ThreadCell::Life), RUNS);
            self.history.scripts[child.index()].position = 0;
            self.reach(child, footprint);
        }
        if let Standing::Ended | Standing::Failed = standing {
            let life = self.names.cell(thread, ThreadCell::Life);
            footprint.record(life, AccessKind::Post);
            self.memory.set(life, ENDED);
        }
    }

    /// Reports `Arc`s and tracked allocations that are alive though all threads have ended, the given one now.
    #[inline]
    pub fn note_leaks(&mut self, thread: ThreadId) {
        if !self.live_arcs.is_empty()
            && matches!(self.history.scripts[thread.index()].standing(), Some(Standing::Ended))
        {
            self.note_leaks_of_all();
        }
    }

    fn note_leaks_of_all(&mut self) {
        let all_ended = (0..self.history.scripts.len()).map(ThreadId::at).all(|t| {
            let life = self.memory.get(self.names.cell(t, ThreadCell::Life));
            let standing = self.history.scripts[t.index()].standing();
            life == 0 || life == ENDED && matches!(standing, Some(Standing::Ended))
        });
        if !all_ended {
            return;
        }
        for (location, made) in &self.live_arcs {
            let type_name =
                self.infos.get(location.0 as usize).copied().flatten().map_or("Arc", |info| info.type_name);
            self.failures.push(Failure {
                kind: FailureKind::Leak,
                threads: Vec::new(),
                sites: vec![Site::from(*made)],
                object: Some(*location),
                message: type_name.to_owned(),
            });
        }
        self.accomplices = (0..self.history.scripts.len()).map(ThreadId::at).collect();
    }

    /// Where a thread stands in the present state, if it exists.
    pub fn standing(&self, thread: ThreadId) -> Option<&Standing> {
        match self.memory.get(self.names.cell(thread, ThreadCell::Life)) {
            0 => None,
            _ => self.history.scripts.get(thread.index())?.standing(),
        }
    }

    /// The next operation of a thread in the present state.
    #[inline]
    pub fn operation(&self, thread: ThreadId) -> Option<&Operation> {
        let operation = self.history.operation(thread)?;
        match self.memory.get(self.names.cell(thread, ThreadCell::Life)) {
            RUNS => Some(operation),
            _ => None,
        }
    }

    /// Whether a thread can perform its next operation in the present state.
    #[inline]
    pub fn can_go_on(&mut self, thread: ThreadId, scratch: &mut Footprint) -> bool {
        let Some(operation) = self.operation(thread) else { return false };
        match operation.kind.waits {
            Waits::Never => true,
            Waits::Until(condition) => condition(&self.memory, operation),
            Waits::Sometimes => {
                let (outcome, _) = self.look(Decision { thread, choice: 0 }, scratch);
                outcome != Outcome::Wait || self.spins_alone(thread)
            }
        }
    }

    /// Looks at the next operation of a thread in the present state: what would come of it, and how many alternatives it has.
    pub fn look(&mut self, decision: Decision, footprint: &mut Footprint) -> (Outcome, u32) {
        footprint.clear();
        let thread = decision.thread;
        let Some(&operation) = self.operation(thread) else { return (Outcome::Wait, 0) };
        let position = self.history.scripts[thread.index()].position;
        if position == 0 && thread.index() > 0 {
            footprint.record(self.names.cell(thread, ThreadCell::Spawned), AccessKind::Observe);
        }
        let mark = self.memory.mark();
        let mut view = View {
            memory: &mut self.memory,
            names: &mut self.names,
            footprint,
            thread,
            choice: decision.choice,
            alternatives: 1,
            clocks: None,
            spins: &self.spins,
            reads: None,
            position,
            drops: &mut self.drops,
            semantics: self.semantics,
            assumptions: self.assumptions,
        };
        let outcome = (operation.kind.run)(&mut view, &operation);
        let alternatives = view.alternatives;
        self.memory.rollback(mark);
        if outcome != Outcome::Wait && self.posts_progress {
            self.record_progress(thread, outcome, footprint);
        }
        (outcome, alternatives)
    }

    /// Whether a thread may go on because it spins, and nobody else can move.
    pub fn spins_alone(&mut self, thread: ThreadId) -> bool {
        let semantics = self.semantics;
        let may_spin =
            |operation: &Operation| spin::is_yield(operation) && spin::may_go_on_alone(operation, semantics);
        if !self.operation(thread).is_some_and(may_spin) {
            return false;
        }
        let mut footprint = Footprint::default();
        let is_alone = (0..self.history.scripts.len()).map(ThreadId::at).all(|other| {
            let decision = Decision { thread: other, choice: 0 };
            let is_free = self.look(decision, &mut footprint).0 == Outcome::Wait;
            // Of several that spin, the first goes on.
            is_free && !(other < thread && self.operation(other).is_some_and(may_spin))
        });
        if is_alone {
            self.refute(|assumptions| assumptions.spins_are_lonely = true);
        }
        is_alone
    }

    /// In programs in which a thread may go on because nobody else can move: that comes after everything that the others
    /// did, so every operation says that its thread did something.
    #[cold]
    pub fn record_progress(&mut self, thread: ThreadId, outcome: Outcome, footprint: &mut Footprint) {
        footprint.record(self.names.cell(thread, ThreadCell::Progress), AccessKind::Post);
        if outcome == Outcome::Wait {
            for other in (0..self.names.thread_count()).map(ThreadId::at).filter(|&other| other != thread) {
                footprint.record(self.names.cell(other, ThreadCell::Progress), AccessKind::Observe);
            }
        }
    }
}
