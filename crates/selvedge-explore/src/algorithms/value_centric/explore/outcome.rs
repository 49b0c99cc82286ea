//! What becomes of operations that access one location, like compare-exchanges: as that depends on the number there alone, they need
//! not be tried in a witness.

use super::super::annotated::Value;
use super::super::extension::{Extension, Goal};
use super::super::next::{OperationId, Outcome};
use super::Exploration;
use crate::Observations;

impl<P: Observations> Exploration<'_, '_, P> {
    /// What the operation of an extension does if it observes a value, if that is known.
    pub(super) fn outcome(
        &mut self,
        extension: &Extension,
        id: OperationId,
        value: Value,
    ) -> Option<Outcome> {
        let operation = &self.operations[id];
        let (Some(location), Value::Number(number), Goal::Perform) = (operation.sole, value, extension.goal)
        else {
            return None;
        };
        if let Some(&(_, outcome)) = operation.outcomes.iter().find(|known| known.0 == number) {
            return Some(outcome);
        }
        self.come_back();
        if self.search.stopped() {
            return None;
        }
        let program = &mut self.search.path.program;
        if !program.footprint_if((location, number), extension.thread, &mut self.footprint) {
            return None;
        }
        let outcome = Outcome::of(self.footprint.accesses());
        self.operations[id].outcomes.push((number, outcome));
        Some(outcome)
    }

    /// Makes the path the witness of the present node.
    fn come_back(&mut self) {
        let start = self.frame().witness;
        self.witness.clear();
        self.witness.extend_from_slice(&self.witnesses[start..]);
        self.go(self.witness.len());
    }
}
