//! The search of states and the hunt, held against brute force.

use crate::oracle::{self, Check, Subject};
use selvedge_explore::sampling::hunt::hunt;
use selvedge_explore::states::explore_states;
use selvedge_explore::{Algorithm, Limits, Violation, replay};
use selvedge_interp::{Assumptions, Failure, Interpreter};
use selvedge_ir::Program;
use std::collections::BTreeSet;
use std::time::Duration;

/// Executions of a hunt.
const EXECUTIONS: u64 = 30;

/// Holds both to what brute force finds: the search of states finds something wrong if and only if there is something, and
/// whatever is found was found by brute force, too, and can be replayed.
pub fn check_all(program: &Program, limit: usize) -> Check {
    check_subject(Subject::as_written(program), limit)
}

/// [`check_all`] with threads that wait for assumptions, held against the program as it is written.
pub fn check_assumptions(program: &Program, limit: usize) -> Check {
    check_subject(Subject { program, assumptions: Assumptions::Wait }, limit)
}

fn check_subject(subject: Subject, limit: usize) -> Check {
    let program = subject.program;
    let Some(brute) = oracle::findings(program, Algorithm::Exhaustive, limit) else { return Check::TooLarge };
    let mut interpreter = subject.interpreter();
    let Some((by_states, count)) = explore_states(&mut interpreter, &Limits::default()) else {
        return Check::Wrong("states cannot be told apart".to_owned());
    };
    if by_states.violations.is_empty() != brute.failures.is_empty() {
        let (found, expected) = (&by_states.violations, &brute.failures);
        return Check::Wrong(format!("the search of states finds {found:?}, brute force {expected:?}"));
    }
    let minute = Duration::from_secs(60);
    let (hunted, _) = hunt(&mut subject.interpreter(), 0, minute, EXECUTIONS);
    for violation in by_states.violations.iter().chain(&hunted) {
        if let Err(message) = genuine(program, violation, &brute.failures) {
            return Check::Wrong(message);
        }
    }
    Check::Passed(count)
}

fn genuine(
    program: &Program,
    violation: &Violation<Failure>,
    known: &BTreeSet<Failure>,
) -> Result<(), String> {
    if !known.contains(&violation.failure) {
        return Err(format!("brute force does not find {:?}", violation.failure));
    }
    match replay(Interpreter::new(program), &violation.schedule, &violation.failure) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("{:?}: {error}", violation.failure)),
    }
}
