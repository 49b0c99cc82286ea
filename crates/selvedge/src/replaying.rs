//! Replay: one execution, with the user's own prints and backtraces.

use crate::Checker;
use crate::checker::without_noise;
use crate::report::{Report, Violation};
use crate::runtime::assumptions::Semantics;
use crate::runtime::panics::{self, Noise};
use crate::runtime::program::{Closure, Halt};
use crate::runtime::with;
use crate::telling::schedule;
use crate::telling::steps::{Teller, can_perform};
use selvedge_explore::{Program, restart_while_refuted};
use selvedge_trace::Decision;
use std::rc::Rc;
use std::time::Instant;

/// The variable that asks for a replay.
const VARIABLE: &str = "SELVEDGE_REPLAY";

/// The schedule that the user asks for.
pub fn requested() -> Option<String> {
    std::env::var(VARIABLE).ok().filter(|text| !text.is_empty())
}

/// Performs one schedule, aloud, and reports what happened. After its last step, threads go on in their order, so that what the
/// schedule leads to happens.
///
/// # Panics
/// When the text is no schedule, or does not fit the closure.
pub fn replay(checker: &Checker, body: &Rc<dyn Fn()>, text: &str) -> Report {
    let Some((schedule, assumptions)) = schedule::parse(text) else {
        panic!("selvedge: `{text}` ({VARIABLE}) is no schedule: it looks like 0x3.1.2:1")
    };
    let started = Instant::now();
    let performed = restart_while_refuted(assumptions, |assumptions| {
        let semantics = Semantics { silence: None, ..checker.semantics };
        with(|x| {
            x.begin_search(assumptions, semantics);
            x.attempts.is_closed = true;
        });
        Halt::as_attempt(without_noise(|| {
            panics::set_noise(Noise::Usual);
            perform(Rc::clone(body), &schedule)
        }))
    });
    match performed {
        Ok(Some(told)) => Report::replayed(told, started.elapsed()),
        Err(Halt::Exhausted(what)) => panic!("selvedge: {what}"),
        Ok(None) | Err(Halt::Refuted | Halt::Diverged(_) | Halt::Refused(_)) => panic!(
            "selvedge: the schedule ({VARIABLE}) does not fit this closure: did the code change, or is it \
             another test?"
        ),
    }
}

/// Performs a schedule and goes on after it; nothing if it does not fit.
fn perform(body: Rc<dyn Fn()>, schedule: &[Decision]) -> Option<Vec<Violation>> {
    let mut teller = Teller::new(Closure::new(body));
    let mut failures = teller.path.program.failures().to_vec();
    let mut taken = Vec::new();
    loop {
        let next = match schedule.get(taken.len()) {
            Some(&decision) => Some(decision).filter(|&decision| can_perform(&mut teller.path, decision)),
            None if failures.is_empty() => teller.path.next_enabled(None),
            None => None,
        };
        let Some(decision) = next else { break };
        teller.step(decision);
        taken.push(decision);
        failures.extend_from_slice(teller.path.program.failures());
    }
    if taken.len() < schedule.len() {
        return None;
    }
    if failures.is_empty() && !teller.path.program.waiting().is_empty() {
        failures.push(teller.path.program.deadlock());
    }
    Some(failures.iter().take(1).map(|failure| Violation::told(failure, &taken, &teller)).collect())
}
