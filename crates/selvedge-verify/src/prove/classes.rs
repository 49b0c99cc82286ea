//! Running a program with one value of each class of inputs that are only tested, and telling of it as of the program itself.

use super::failure;
use super::session::Session;
use selvedge_explore::{Exploration, Violation};
use selvedge_impact::Counterexample;
use selvedge_interp::Failure;
use selvedge_ir::Program;

impl Session<'_> {
    /// The program with one value of each class of its inputs, if some of them are only tested.
    pub(super) fn with_classes(&self) -> Option<&Program> {
        self.classes.as_ref().map(|classes| &classes.program)
    }

    /// What was found in the program with classes, as found in the program itself; nothing if a violation cannot be replayed there.
    pub(super) fn without_classes(&self, mut found: Exploration<Failure>) -> Option<Exploration<Failure>> {
        let violations = std::mem::take(&mut found.violations);
        found.violations = violations.iter().map(|found| self.original(found)).collect::<Option<_>>()?;
        Some(found)
    }

    fn original(&self, found: &Violation<Failure>) -> Option<Violation<Failure>> {
        let schedule = self.classes.as_ref()?.translate(&found.schedule)?;
        let replayed = Counterexample { schedule: schedule.clone(), is_deadlock: true };
        let failure = failure(self.task.program, &replayed)?;
        (failure.kind == found.failure.kind).then_some(Violation { failure, schedule })
    }
}
