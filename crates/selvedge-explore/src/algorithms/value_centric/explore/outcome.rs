//! What becomes of operations that access one location, like compare-exchanges: as that depends on the number there alone, they need
//! not be tried in a witness.

use super::super::annotated::Value;
use super::super::next::{Next, Operation, Outcome};
use super::super::partial_order::Node;
use super::super::task::{Goal, Task};
use super::Exploration;
use crate::Program;
use selvedge_trace::LocationId;
use smallvec::SmallVec;

impl<P: Program> Exploration<'_, '_, P> {
    /// What the operation of a task does if it observes a value, if that can be told.
    pub(super) fn outcome(&mut self, task: &Task, operation: &Operation, value: Value) -> Option<Outcome> {
        let (Some(location), Value::Number(number), Goal::Perform) = (operation.sole, value, task.goal)
        else {
            return None;
        };
        if let Next::Branching(Operation { outcomes, .. }) = &self.next[task.thread.index()]
            && let Some(&(_, outcome)) = outcomes.iter().find(|known| known.0 == number)
        {
            return Some(outcome);
        }
        self.come_back();
        if self.search.stopped() {
            return None;
        }
        let program = &mut self.search.path.program;
        if !program.inspect_with((location, number), task.thread, &mut self.footprint) {
            return None;
        }
        let outcome = Outcome::of(self.footprint.accesses());
        if let Next::Branching(operation) = &mut self.next[task.thread.index()] {
            operation.outcomes.push((number, outcome));
        }
        Some(outcome)
    }

    /// Those of some writes that the operation of a task can observe if that is its outcome.
    pub(super) fn observable(
        &mut self,
        task: &Task,
        location: LocationId,
        mut writes: SmallVec<[Node; 4]>,
        outcome: Option<Outcome>,
    ) -> SmallVec<[Node; 4]> {
        match outcome {
            None | Some(Outcome::Reads) => {}
            Some(Outcome::Writes) => {
                self.foresee_write(task.thread, location);
                let taken = self.annotated.taken(location);
                writes.retain(|write| !taken.contains(write));
            }
        }
        writes
    }

    /// Makes the path the witness of the present node.
    fn come_back(&mut self) {
        let start = self.frame().witness;
        self.witness.clear();
        self.witness.extend_from_slice(&self.witnesses[start..]);
        self.go(self.witness.len());
    }
}
