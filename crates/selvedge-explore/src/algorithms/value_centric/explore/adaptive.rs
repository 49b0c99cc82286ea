//! Operations of which only trying tells what they access, and threads that wait at the end of an execution.

use super::super::extension::{Extension, Goal, Novelty};
use super::super::next::{Effects, Next, OperationId, reads};
use super::super::partial_order::Node;
use super::Exploration;
use crate::{Observations, Readiness};
use selvedge_trace::{Access, Blocking, Decision, ThreadId};
use smallvec::SmallVec;

impl<P: Observations> Exploration<'_, '_, P> {
    /// Tries an extension where only trying tells what the operation accesses: each time it is found to read a location for which
    /// nothing is decided, there is an extension for each group of writes to that location.
    pub(super) fn try_adaptively(&mut self, extension: Extension, operation: OperationId) {
        let observed = self.operations[operation].observed.clone();
        let mut effects = Effects { observed, ..Effects::default() };
        loop {
            let Some(added) = self.extend(&extension, &effects) else {
                if extension.goal == Goal::Perform {
                    self.foresee_failure(extension.thread, operation);
                }
                return;
            };
            let count = self.frame().mark.node_count();
            match extension.goal {
                Goal::Perform => self.go(added.at),
                Goal::Wait => {
                    self.witness.retain(|node| node.index() < count);
                    self.go(count);
                }
            }
            if self.search.stopped() {
                return;
            }
            let decision = Decision { thread: extension.thread, choice: extension.choice.unwrap_or(0) };
            let mut footprint = std::mem::take(&mut self.footprint);
            let readiness = self.search.path.program.inspect(decision, &mut footprint);
            let accesses: SmallVec<[Access; 4]> = SmallVec::from_slice(footprint.accesses());
            self.footprint = footprint;
            // What an operation that waits would have written counts as read, as everywhere.
            let looks = |kind| reads(kind) || extension.goal == Goal::Wait && kind.is_write();
            let open =
                accesses.iter().find(|access| looks(access.kind) && !extension.decides(access.location));
            if let Some(&access) = open {
                self.give_up();
                return self.split(&extension, access, operation, false);
            }
            match (extension.goal, readiness) {
                (Goal::Perform, Readiness::Enabled) => {}
                (Goal::Wait, Readiness::Disabled) => return self.wait(&extension),
                _ => return self.give_up(),
            }
            self.foresee_writes(added.node, &accesses);
            let choices = self.search.path.program.choices(extension.thread);
            if extension.choice.is_none() && choices > 1 {
                self.give_up();
                return self.extensions.push(Extension {
                    choice: Some(0),
                    alternatives: choices,
                    ..extension
                });
            }
            if extension.novelty == Novelty::Old {
                self.give_up();
                return self.drop_considered(extension.thread);
            }
            let written = Effects::of(&accesses).written;
            if written == effects.written {
                return self.perform(added, &extension);
            }
            self.give_up();
            effects.written = written;
        }
    }

    /// If every thread has ended or might wait for ever: those that wait for a condition on memory.
    pub(super) fn waiting_threads(&self) -> Option<SmallVec<[ThreadId; 4]>> {
        let mut guarded = SmallVec::new();
        for (thread, next) in self.next.iter().enumerate() {
            match *next {
                Next::Idle | Next::Over => {}
                Next::Inevitable => return None,
                Next::Branching(operation) => match self.operations[operation].blocking {
                    Blocking::Never => return None,
                    Blocking::Acquire => {}
                    Blocking::Guard => guarded.push(ThreadId::at(thread)),
                },
            }
        }
        Some(guarded)
    }

    /// Puts an event after all events of the node.
    pub(super) fn put_last(&mut self, node: Node) {
        let count = self.frame().mark.node_count();
        for thread in 0..self.annotated.order.thread_count() {
            let chain = self.annotated.order.chain(thread);
            if let Some(&last) = chain.iter().rev().find(|n| n.index() < count) {
                self.annotated.order.insert(last, node);
            }
        }
    }

    /// A thread waits at the end of all events. Goes on to the next that has to wait, or notes the end.
    fn wait(&mut self, extension: &Extension) {
        self.give_up();
        let Some(guarded) = self.waiting_threads() else { return };
        match guarded.iter().find(|&&thread| thread > extension.thread) {
            Some(&thread) => {
                let mut further = Extension::new(thread, Goal::Wait, Novelty::New, &self.annotated);
                further.waiting.clone_from(&extension.waiting);
                further.waiting.push((extension.thread, extension.parts.clone()));
                self.extensions.push(further);
            }
            None if self.search.path.next_enabled(None).is_none() => {
                self.search.end();
                self.frame().leads_on = true;
            }
            None => {}
        }
    }
}
