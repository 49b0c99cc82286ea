//! The extensions with an operation: `ExtendRoot` and `ExtendLeaf` [ChatterjeePT2019, algorithms 6 and 7], which differ in the side only.

use super::super::annotated::Part;
use super::super::extension::{Candidates, Extension, Fit, Goal, Group, Novelty, Then, Until};
use super::super::next::{Effects, Next, Numbers, OperationId, Outcome, reads, writes};
use super::Exploration;
use crate::Observations;
use selvedge_trace::{Access, AccessKind, Blocking, LocationId};

impl<P: Observations> Exploration<'_, '_, P> {
    /// Tries the next extension, or finds out that it has to be split into several.
    pub(super) fn try_next_extension(&mut self) {
        let Some(mut extension) = self.extensions.pop() else { return };
        self.annotated.good_writes.truncate(extension.good_writes);
        self.extensions.extend(extension.next_alternative());
        let Next::Branching(id) = self.next[extension.thread.index()] else { return };
        let operation = &self.operations[id];
        if !operation.has_fixed_locations || extension.goal == Goal::Wait {
            return self.try_adaptively(extension, id);
        }
        let is_open = |access: &&Access| reads(access.kind) && !extension.decides(access.location);
        let mut open = operation.accesses.iter().filter(is_open);
        if let Some(&access) = open.next() {
            let is_last = open.next().is_none();
            return self.split(&extension, access, id, is_last);
        }
        if extension.novelty == Novelty::Old {
            return self.drop_considered(extension.thread);
        }
        if operation.is_adaptive && extension.outcome.is_none() {
            return self.try_adaptively(extension, id);
        }
        let mut effects = Effects::of(&operation.accesses);
        match extension.outcome {
            Some(Outcome::Writes) => effects.written = operation.sole.into_iter().collect(),
            Some(Outcome::Reads) => effects.written.clear(),
            None => {}
        }
        match self.extend(&extension, &effects) {
            // algorithm 6, line 10; 7, line 6
            Some(added) => self.perform(added, &extension), // algorithm 6, line 12; 7, line 7
            None if extension.outcome.is_none() => self.foresee_failure(extension.thread, id),
            None => {}
        }
    }

    /// Adds an extension for each group of writes that the operation may observe at a location.
    pub(super) fn split(&mut self, extension: &Extension, access: Access, id: OperationId, is_last: bool) {
        self.note_mutexes(&[access]);
        self.find_initial(access.location);
        if extension.goal == Goal::Perform && !self.operations[id].has_fixed_locations {
            self.frame().locations.push(access.location);
        }
        let (extensions, good_writes) = (self.extensions.len(), self.annotated.good_writes.len());
        self.add_extensions(extension, access, id, is_last);
        let has_misfits = self.extensions[extensions..].iter().any(|extension| extension.fit == Fit::Nowhere);
        if has_misfits && self.frame().mark.is_stale() {
            // The consequences of the order are needed, and may show that there are fewer ways.
            self.close();
            self.extensions.truncate(extensions);
            self.annotated.good_writes.truncate(good_writes);
            self.add_extensions(extension, access, id, is_last);
        }
    }

    fn add_extensions(&mut self, extension: &Extension, access: Access, id: OperationId, is_last: bool) {
        self.group(extension, access, id); // algorithm 6, lines 2, 3 and 6; 7, line 2
        for i in (0..self.groups.groups.len()).rev() {
            let Group { novelty, value, .. } = self.groups.groups[i];
            if is_last && novelty == Novelty::Old {
                self.drop_considered(extension.thread);
                continue;
            }
            let outcome = self.outcome(extension, id, value);
            if outcome == Some(Outcome::Writes) {
                self.foresee_write(extension.thread, access.location);
            }
            let part = self.observable(access.location, i, outcome); // algorithm 6, line 9; 7, line 5
            if !self.annotated.good(part).is_empty() {
                let fit = self.fit(extension, id, part, outcome);
                let good_writes = self.annotated.good_writes.len();
                self.extensions.push(Extension {
                    novelty,
                    outcome,
                    fit,
                    good_writes,
                    ..extension.with_part(part)
                });
            }
        }
    }

    /// Where in the witness of the node the operation can be performed, if it accesses one location only and what it does there is known.
    fn fit(&self, extension: &Extension, id: OperationId, part: Part, outcome: Option<Outcome>) -> Fit {
        let operation = &self.operations[id];
        let ([access], Goal::Perform) = (&operation.accesses[..], extension.goal) else {
            return Fit::Unknown;
        };
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
            .with_past(extension.thread, &[], |past| self.annotated.place_read(witness, past, part, then));
        at.map_or(Fit::Nowhere, Fit::At)
    }

    /// Finds out which writes the operation of an extension may observe at a location.
    fn group(&mut self, extension: &Extension, access: Access, id: OperationId) {
        let operation = &self.operations[id];
        let considered = self.chb[extension.thread.index()];
        let takes = operation.blocking == Blocking::Acquire && access.kind == AccessKind::Acquire;
        let candidates = Candidates {
            thread: extension.thread,
            root: (self.numbers == Numbers::Matter).then_some(self.root),
            chb: match extension.novelty {
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
