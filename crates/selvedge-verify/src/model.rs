//! Models: a program of the intermediate representation is explored by its plan.

use crate::monitor::OfSearch;
use crate::{Monitor, Outcome, Task, VerifyError, root};
use selvedge_claim::terms::{Threads, Unsought, Vacuity, Wakeups};
use selvedge_claim::{Run, Terms, scope};
use selvedge_explore::auto::CANDIDATES;
use selvedge_explore::plan::Explored;
use selvedge_explore::{Exploration, Plan, Program as _};
use selvedge_interp::{Assumptions, Deadlocks, Failure, Interpreter};
use selvedge_ir::Program;
use std::time::Instant;

/// A model to explore.
#[derive(Clone, Copy, Debug)]
pub struct CheckModel<'t> {
    /// The program.
    pub program: &'t Program,
    /// How to explore it.
    pub plan: Plan,
    /// The root thread that is asked for, by its number or name.
    pub root: Option<&'t str>,
    /// Whether a claim about no execution is accepted.
    pub vacuity: Vacuity,
    /// Whether threads that wait for ever are a violation.
    pub deadlocks: Deadlocks,
}

/// What was found in a model.
#[derive(Clone, Debug)]
pub struct EvidenceInModel {
    /// How it was explored, and what a claim about it assumes.
    pub run: Run,
    /// What was found.
    pub exploration: Exploration<Failure>,
}

impl Task for CheckModel<'_> {
    type Evidence = EvidenceInModel;

    fn decide(self, monitor: &mut dyn Monitor) -> Result<Outcome<Self::Evidence>, VerifyError> {
        let CheckModel { program, plan, vacuity, deadlocks, .. } = self;
        let interpreter = |assumptions| Interpreter::with(program, assumptions).counting(deadlocks);
        let plan = plan.with_root(root::of_model(self.root, program)?);
        let plan = plan.resolve_auto(interpreter(Assumptions::Wait), &CANDIDATES);
        let plan = plan.with_default_root(&mut Interpreter::new(program));
        let prepared = Instant::now();
        let interpreter = interpreter(Assumptions::of(plan.algorithm));
        let plan = plan.with_remaining_time(prepared);
        monitor.begins(&plan, interpreter.thread_count());
        let started = Instant::now();
        let Explored { exploration, reached, .. } = plan.explore(interpreter, &mut OfSearch(monitor));
        let elapsed = started.elapsed();
        let (Plan { algorithm, limits, .. }, chosen_because) = (plan, plan.reason());
        let unsought = Unsought { deadlocks: deadlocks == Deadlocks::Ignored, ..Unsought::default() };
        let terms = Terms { unsought, ..terms(program, vacuity) };
        let run = Run { algorithm, chosen_because, limits, reached, elapsed, terms };
        let verdict = scope::verdict(&run, &exploration, 0);
        Ok(Outcome { verdict, evidence: EvidenceInModel { run, exploration } })
    }
}

/// The terms of a claim about a model.
pub fn terms(program: &Program, vacuity: Vacuity) -> Terms {
    let threads = if program.thread_count() == 0 { Threads::None } else { Threads::Some };
    Terms { threads, vacuity, wakeups: wakeups_of(program), ..Terms::default() }
}

/// When the threads of a program wake up, if it has condition variables.
pub fn wakeups_of(program: &Program) -> Option<Wakeups> {
    (!program.condvars.is_empty()).then_some(Wakeups::OnlySignalled)
}
