//! Counterexamples of the prover, performed by the interpreter.

use selvedge_explore::{Program as _, Readiness};
use selvedge_impact::Counterexample;
use selvedge_interp::{Failure, Interpreter};
use selvedge_ir::Program;
use selvedge_trace::{Footprint, ThreadId};

/// The failure in which a counterexample ends, if it can be performed and ends in one.
pub fn failure(program: &Program, found: &Counterexample) -> Option<Failure> {
    let mut interpreter = Interpreter::new(program);
    let mut footprint = Footprint::default();
    for &decision in &found.schedule {
        if interpreter.pending(decision, &mut footprint) != Readiness::Enabled {
            return None;
        }
        interpreter.step(decision, &mut footprint);
    }
    let mut threads = (0..interpreter.thread_count()).map(ThreadId::at);
    let is_stuck = threads.all(|thread| !interpreter.is_enabled(thread));
    match interpreter.failures().first() {
        Some(failure) => Some(failure.clone()),
        None => (found.is_deadlock && is_stuck).then(|| interpreter.deadlock()),
    }
}
