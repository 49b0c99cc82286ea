//! The ways to go on with an operation: `ExtendRoot` and `ExtendLeaf` [ChatterjeePT2019, algorithms 6 and 7], which differ in the side only.

use super::super::annotated::Part;
use super::super::next::{Effects, Next, Numbers, OperationId, Outcome, reads, writes};
use super::super::task::{Candidates, Fit, Goal, Group, Novelty, Task, Then, Until};
use super::Exploration;
use crate::Observations;
use selvedge_trace::{Access, AccessKind, Blocking, LocationId};

impl<P: Observations> Exploration<'_, '_, P> {
    /// Goes some way to go on, or finds out that it has to be split into several.
    pub(super) fn attempt_next(&mut self) {
        let Some(mut task) = self.tasks.pop() else { return };
        self.annotated.good_writes.truncate(task.good_writes);
        self.tasks.extend(task.next_alternative());
        let Next::Branching(id) = self.next[task.thread.index()] else { return };
        let operation = &self.operations[id];
        if !operation.has_fixed_locations || task.goal == Goal::Wait {
            return self.attempt_adaptively(task, id);
        }
        let is_open = |access: &&Access| reads(access.kind) && !task.decides(access.location);
        let mut open = operation.accesses.iter().filter(is_open);
        if let Some(&access) = open.next() {
            let is_last = open.next().is_none();
            return self.split(&task, access, id, is_last);
        }
        if task.novelty == Novelty::Old {
            return self.drop_considered(task.thread);
        }
        if operation.is_adaptive && task.outcome.is_none() {
            return self.attempt_adaptively(task, id);
        }
        let mut effects = Effects::of(&operation.accesses);
        match task.outcome {
            Some(Outcome::Writes) => effects.written = operation.sole.into_iter().collect(),
            Some(Outcome::Reads) => effects.written.clear(),
            None => {}
        }
        match self.extend(&task, &effects) {
            // algorithm 6, line 10; 7, line 6
            Some(added) => self.perform(added, &task), // algorithm 6, line 12; 7, line 7
            None if task.outcome.is_none() => self.foresee_failure(task.thread, id),
            None => {}
        }
    }

    /// Adds a way to go on for each group of writes that the operation may observe at a location.
    pub(super) fn split(&mut self, task: &Task, access: Access, id: OperationId, is_last: bool) {
        self.note_mutexes(&[access]);
        self.find_initial(access.location);
        if task.goal == Goal::Perform && !self.operations[id].has_fixed_locations {
            self.frame().locations.push(access.location);
        }
        let (tasks, good_writes) = (self.tasks.len(), self.annotated.good_writes.len());
        self.add_tasks(task, access, id, is_last);
        let has_misfits = self.tasks[tasks..].iter().any(|task| task.fit == Fit::Nowhere);
        if has_misfits && self.frame().mark.is_stale() {
            // The consequences of the order are needed, and may show that there are fewer ways.
            self.close();
            self.tasks.truncate(tasks);
            self.annotated.good_writes.truncate(good_writes);
            self.add_tasks(task, access, id, is_last);
        }
    }

    fn add_tasks(&mut self, task: &Task, access: Access, id: OperationId, is_last: bool) {
        self.group(task, access, id); // algorithm 6, lines 2, 3 and 6; 7, line 2
        for i in (0..self.groups.groups.len()).rev() {
            let Group { novelty, value, .. } = self.groups.groups[i];
            if is_last && novelty == Novelty::Old {
                self.drop_considered(task.thread);
                continue;
            }
            let outcome = self.outcome(task, id, value);
            if outcome == Some(Outcome::Writes) {
                self.foresee_write(task.thread, access.location);
            }
            let part = self.observable(access.location, i, outcome); // algorithm 6, line 9; 7, line 5
            if !self.annotated.good(part).is_empty() {
                let fit = self.fit(task, id, part, outcome);
                let good_writes = self.annotated.good_writes.len();
                self.tasks.push(Task { novelty, outcome, fit, good_writes, ..task.with_part(part) });
            }
        }
    }

    /// Where in the witness of the node the operation can be performed, if it accesses one location only and what it does there is known.
    fn fit(&self, task: &Task, id: OperationId, part: Part, outcome: Option<Outcome>) -> Fit {
        let operation = &self.operations[id];
        let ([access], Goal::Perform) = (&operation.accesses[..], task.goal) else { return Fit::Unknown };
        let then = match outcome {
            Some(Outcome::Writes) => Then::Write,
            Some(Outcome::Reads) => Then::Nothing,
            None if operation.is_adaptive => return Fit::Unknown,
            None if writes(access.kind) => Then::Write,
            None => Then::Nothing,
        };
        let Some(frame) = self.frames.last() else { return Fit::Unknown };
        let witness = &self.witnesses[frame.witness..];
        let at = self
            .annotated
            .with_past(task.thread, &[], |past| self.annotated.place_read(witness, past, part, then));
        at.map_or(Fit::Nowhere, Fit::At)
    }

    /// Finds out which writes the operation of a task may observe at a location.
    fn group(&mut self, task: &Task, access: Access, id: OperationId) {
        let operation = &self.operations[id];
        let considered = self.chb[task.thread.index()];
        let takes = operation.blocking == Blocking::Acquire && access.kind == AccessKind::Acquire;
        let candidates = Candidates {
            thread: task.thread,
            root: (self.numbers == Numbers::Matter).then_some(self.root),
            chb: match task.novelty {
                Novelty::New => None,
                Novelty::Old => considered.map(|considered| &self.considered[considered].counts[..]),
            },
            observed: &operation.observed,
            then: match writes(access.kind) && !operation.is_adaptive {
                true => Then::Write,
                false => Then::Nothing,
            },
            until: if takes { Until::Free } else { Until::Whatever },
        };
        candidates.group(&self.annotated, access.location, &mut self.groups);
    }

    /// A group of writes as good ones, if that is what becomes of the operation that observes them.
    fn observable(&mut self, location: LocationId, group: usize, outcome: Option<Outcome>) -> Part {
        let mut part = self.annotated.new_part(location);
        for write in self.groups.writes(group) {
            let is_taken = || self.annotated.effect(write, location).takers > 0;
            if outcome != Some(Outcome::Writes) || !is_taken() {
                self.annotated.add_good(&mut part, write);
            }
        }
        part
    }
}
