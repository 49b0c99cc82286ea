//! A path whose formula is satisfiable, as a schedule for the interpreter.

use crate::context::Prover;
use crate::tree::Edge;
use selvedge_smt::evaluate::Value;
use selvedge_smt::substitute::Substitution;
use selvedge_smt::{Term, Variable};
use selvedge_symbolic::LocationKind;
use selvedge_trace::{Decision, ThreadId};
use std::collections::BTreeMap;

/// A schedule that leads to a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The steps of the interpreter, the last one the one that fails unless it is a deadlock.
    pub schedule: Vec<Decision>,
    /// Whether the end is a deadlock.
    pub is_deadlock: bool,
}

/// A step of a path: the places before it, the transition, and the state before it in terms of the inputs.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    pub places: std::rc::Rc<[u32]>,
    pub edge: Edge,
    pub state: Substitution,
    pub input: Option<Variable>,
}

impl Counterexample {
    /// Makes the schedule of a path from values of the inputs.
    pub(crate) fn of(
        prover: &Prover,
        steps: &[Taken],
        inputs: &BTreeMap<Variable, Value>,
        is_deadlock: bool,
    ) -> Counterexample {
        let schedule = steps.iter().filter_map(|step| decision(prover, step, inputs)).collect();
        Counterexample { schedule, is_deadlock }
    }
}

/// The decision of a step, unless it is in the middle of one of the interpreter.
fn decision(prover: &Prover, step: &Taken, inputs: &BTreeMap<Variable, Value>) -> Option<Decision> {
    let location = prover.system.location(&step.places, step.edge.thread);
    if location.kind != LocationKind::Visible {
        return None;
    }
    let transition = &location.transitions[step.edge.transition];
    let input_value = |variable: Variable| inputs.get(&variable).cloned().or(Some(Value::Int(0)));
    let of_state = |variable: Variable| {
        let term = *step.state.get(&variable)?;
        prover.terms.evaluate(term, &input_value)
    };
    let number = |term: Term| prover.terms.evaluate(term, &of_state).and_then(|value| value.int());
    let choice = match (&transition.input, &transition.woken, step.input) {
        (Some((_, low)), _, Some(input)) => {
            let (low, value) = (number(*low)?, input_value(input)?.int()?);
            (value - low).max(0) as u32
        }
        (_, Some(woken), _) => {
            let waits = |thread: &usize| {
                of_state(prover.movers.waiting[*thread]).and_then(|v| v.int()) == Some(woken.awaited.into())
            };
            (0..woken.thread).filter(waits).count() as u32
        }
        _ => 0,
    };
    Some(Decision { thread: ThreadId::at(step.edge.thread), choice })
}
