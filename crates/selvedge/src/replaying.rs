//! Replay: one execution, with the user's own prints and backtraces.

use crate::Checker;
use crate::checker::without_noise;
use crate::report::Report;
use crate::runtime::execution::Assumptions;
use crate::runtime::failure::Failure;
use crate::runtime::panics::{self, Noise};
use crate::runtime::program::{Closure, Halt};
use crate::runtime::with;
use crate::telling::steps::{self, Teller};
use selvedge_explore::{End, Exploration, Path, Program, Statistics, Stop, Violation};
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
    let Some(schedule) = steps::parse_schedule(text) else {
        panic!("selvedge: {VARIABLE}={text} is no schedule: it looks like 0x3.1.2:1")
    };
    let started = Instant::now();
    let mut assumptions = Assumptions::default();
    loop {
        with(|x| x.begin_search(assumptions, checker.semantics));
        let outcome = without_noise(|| {
            panics::set_noise(Noise::Usual);
            perform(Rc::clone(body), &schedule)
        });
        match outcome {
            Ok(Some((exploration, told))) => {
                return Report::with(checker, &exploration, told, started.elapsed());
            }
            Ok(None) if !assumptions.counts_are_observed => assumptions.counts_are_observed = true,
            Err(Halt::Refuted) => assumptions = with(|x| x.assumptions),
            Ok(None) | Err(Halt::Diverged(_)) => break,
        }
    }
    panic!(
        "selvedge: the schedule of {VARIABLE} does not fit this closure: did the code change, or is it another test?"
    )
}

type Performed = (Exploration<Failure>, Vec<crate::Violation>);

/// Performs a schedule and goes on after it; nothing if it does not fit.
fn perform(body: Rc<dyn Fn()>, schedule: &[Decision]) -> Option<Performed> {
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
    failures.truncate(1);
    let mut statistics = Statistics { transitions: taken.len() as u64, ..Statistics::default() };
    statistics.count(if failures.is_empty() { End::Complete } else { End::Failed });
    let told = failures.iter().map(|failure| crate::Violation::told(failure, &taken, &teller)).collect();
    let violation = |failure| Violation { failure, schedule: taken.clone() };
    let violations = failures.into_iter().map(violation).collect();
    Some((Exploration { violations, statistics, stop: Some(Stop::Sampled) }, told))
}

fn can_perform(path: &mut Path<Closure>, decision: Decision) -> bool {
    decision.thread.index() < path.program.thread_count()
        && path.program.is_enabled(decision.thread)
        && decision.choice < path.program.choices(decision.thread)
}
