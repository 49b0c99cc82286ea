//! The portfolio that decides a property: first the chances of a quick answer, then what takes longer.
//!
//! Hunting finds most violations at once. The search of traces decides what has few traces. What is left may still have few
//! states, or violations that only a longer hunt finds. Only the searches of traces and states can say that there is no violation. A limit on the rounds of loops is used only when
//! all of this has not led to an answer without it.

use selvedge_explore::plan::Explored;
use selvedge_explore::sampling::hunt::hunt;
use selvedge_explore::states::explore_states;
use selvedge_explore::{
    Algorithm, Exploration, Limits, Monitor, Plan, Program, Speculates, Statistics, Stop, Violation, explore,
};
use selvedge_machine::failure::CutReason;
use selvedge_machine::{Failure, Inputs, Machine};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// The time for hunting.
const HUNT: Duration = Duration::from_secs(2);

/// The executions of the first hunt after which it is asked whether there is room for all threads.
const FIRST_EXECUTIONS: u64 = 200;

/// The executions of the first hunt.
const MOST_EXECUTIONS: u64 = 20_000;

/// The time for hunting once more, at most.
const LONGER_HUNT: Duration = Duration::from_secs(10);

/// The time for the search of traces, before states are remembered.
const TRACES: Duration = Duration::from_secs(6);

/// The time for it if it looks as if it would soon come to its end, and how soon that is.
const TRACES_TO_THE_END: Duration = Duration::from_secs(40);
const SOON: Duration = Duration::from_secs(15);

/// The exploration that decided a property.
pub struct Decided {
    /// What it found.
    pub exploration: Exploration<Failure>,
    /// The number of states, if it was one of states.
    pub states: Option<usize>,
}

/// The time for the search without a limit on the rounds of loops, if there is one to fall back to.
const WITHOUT_UNROLLING: Duration = Duration::from_secs(25);

/// Decides a property within a bound, by the algorithm that knows it: a hunt and a search of states know no bounds. If rounds of loops are limited, it
/// is first tried without that.
pub fn decide_within_bound(
    unlimited: Option<Machine>,
    machine: Machine,
    plan: &Plan,
    monitor: &mut dyn Monitor<Machine>,
) -> Explored<Machine> {
    let Some(unlimited) = unlimited else { return plan.explore(machine, monitor) };
    let started = Instant::now();
    let time = plan.limits.time.map_or(WITHOUT_UNROLLING, |limit| limit.min(WITHOUT_UNROLLING));
    let limited = plan.with_limits(Limits { time: Some(time), ..plan.limits });
    let explored = limited.explore(unlimited, monitor);
    if !is_cut(&explored.exploration) || is_refuted(&explored.program, &explored.exploration) {
        return explored;
    }
    plan.with_remaining_time(started).explore(machine, monitor)
}

/// Whether a search is to begin again under other speculations.
fn is_refuted(machine: &Machine, exploration: &Exploration<Failure>) -> bool {
    machine.refuted().is_some() && exploration.stop.is_none()
}

/// Whether a search found nothing and was too long, or some of its executions were.
fn is_cut(exploration: &Exploration<Failure>) -> bool {
    exploration.stop == Some(Stop::Time)
        || exploration.statistics.cut > 0 && exploration.violations.is_empty()
}

/// Decides a property within the limits, first without a limit on the rounds of loops.
pub fn decide_unrolled(
    unlimited: Machine,
    mut unrolled: Machine,
    algorithm: Algorithm,
    limits: Limits,
    monitor: &mut dyn Monitor<Machine>,
) -> (Decided, Machine) {
    let started = Instant::now();
    let time = limits.time.map_or(WITHOUT_UNROLLING, |limit| limit.min(WITHOUT_UNROLLING));
    let limited = Limits { time: Some(time), ..limits };
    let (decided, machine) = decide_with(unlimited, Some(&mut unrolled), algorithm, limited, monitor);
    let is_interrupted = decided.exploration.stop == Some(Stop::Interrupted);
    if !is_cut(&decided.exploration) || is_refuted(&machine, &decided.exploration) || is_interrupted {
        return (decided, machine);
    }
    let left = Limits { time: limits.time.map(|limit| limit.saturating_sub(started.elapsed())), ..limits };
    decide(unrolled, algorithm, left, monitor)
}

/// Decides a property within the limits.
pub fn decide(
    machine: Machine,
    algorithm: Algorithm,
    limits: Limits,
    monitor: &mut dyn Monitor<Machine>,
) -> (Decided, Machine) {
    decide_with(machine, None, algorithm, limits, monitor)
}

/// Decides a property. Where threads or rounds have no end, most violations need few of them, so a machine that has a limit hunts, too.
fn decide_with(
    mut machine: Machine,
    unrolled: Option<&mut Machine>,
    algorithm: Algorithm,
    limits: Limits,
    monitor: &mut dyn Monitor<Machine>,
) -> (Decided, Machine) {
    let started = Instant::now();
    let left = || limits.time.map(|limit| limit.saturating_sub(started.elapsed()));
    let at_most = |time: Duration| left().map_or(time, |left| left.min(time));
    let patience = machine.options().patience;
    if let Some(decided) = hunt_briefly(&mut machine, at_most(HUNT)) {
        return (decided, machine);
    }
    let has_time = || limits.time.is_none_or(|limit| started.elapsed() < limit);
    if machine.refuted().is_some() && has_time() {
        return (undecided(), machine);
    }
    let to_the_end =
        left().map_or(TRACES_TO_THE_END, |left| TRACES_TO_THE_END.min(left / 2).max(at_most(TRACES)));
    let traces = Limits { time: Some(to_the_end), ..limits };
    let (exploration, mut machine) = Patient::new(monitor).explore(machine, algorithm, traces);
    let is_endless = exploration.violations.is_empty() && is_only_counting(&machine);
    if machine.refuted().is_some() && exploration.stop == Some(Stop::Time) && has_time() {
        return (undecided(), machine);
    }
    let is_decided = exploration.stop != Some(Stop::Time) && !is_endless || machine.refuted().is_some();
    if is_decided || !has_time() {
        return (Decided { exploration, states: None }, machine);
    }
    if let Some(unrolled) = unrolled
        && let Some(decided) = hunt_briefly(unrolled, at_most(HUNT))
    {
        std::mem::swap(&mut machine, unrolled);
        return (decided, machine);
    }
    let time = left().map_or(LONGER_HUNT, |left| LONGER_HUNT.min(left / 3));
    machine.set_patience(None);
    machine.set_inputs(Inputs::Samples);
    let (found, executions) = hunt(&mut machine, 1, time, u64::MAX);
    if let Some(violation) = found {
        return (hunted_down(violation, executions), machine);
    }
    machine.set_patience(patience);
    machine.set_inputs(Inputs::All);
    if is_endless && exploration.stop.is_none() {
        return (Decided { exploration, states: None }, machine);
    }
    let left = Limits { time: left(), ..limits };
    machine.restart();
    match explore_states(&mut machine, &left) {
        Some((by_states, states)) if by_states.stop.is_none() || !by_states.violations.is_empty() => {
            (Decided { exploration: by_states, states: Some(states) }, machine)
        }
        Some((by_states, _)) => (Decided { exploration: by_states, states: None }, machine),
        None => {
            // States have no fingerprints: what is left is the search of traces, with all the time there is.
            let (exploration, machine) = explore(machine, algorithm, left, monitor);
            (Decided { exploration, states: None }, machine)
        }
    }
}

/// Lets the search of traces go on after its time as long as the end is in sight: the fraction that was explored is only an estimate,
/// but other searches have no estimate at all.
struct Patient<'m> {
    monitor: &'m mut dyn Monitor<Machine>,
    started: Instant,
    has_given_up: bool,
}

impl<'m> Patient<'m> {
    fn new(monitor: &'m mut dyn Monitor<Machine>) -> Self {
        Patient { monitor, started: Instant::now(), has_given_up: false }
    }

    /// Explores; a search that was given up was stopped by time.
    fn explore(
        mut self,
        machine: Machine,
        algorithm: Algorithm,
        limits: Limits,
    ) -> (Exploration<Failure>, Machine) {
        let (mut exploration, machine) = explore(machine, algorithm, limits, &mut self);
        if self.has_given_up && exploration.stop == Some(Stop::Interrupted) {
            exploration.stop = Some(Stop::Time);
        }
        (exploration, machine)
    }
}

impl Monitor<Machine> for Patient<'_> {
    fn progress(&mut self, statistics: &Statistics, fraction: f64) -> ControlFlow<()> {
        self.monitor.progress(statistics, fraction)?;
        let elapsed = self.started.elapsed();
        if elapsed < TRACES || is_near(elapsed, fraction) {
            return ControlFlow::Continue(());
        }
        self.has_given_up = true;
        ControlFlow::Break(())
    }
}

/// Whether a search that has explored a fraction will come to its end soon, if it goes on like this.
fn is_near(elapsed: Duration, fraction: f64) -> bool {
    let left = elapsed.as_secs_f64() * (1.0 - fraction) / fraction.max(f64::EPSILON);
    left <= SOON.as_secs_f64()
}

/// The first hunt of a machine, which is as before if nothing was found.
fn hunt_briefly(machine: &mut Machine, time: Duration) -> Option<Decided> {
    let started = Instant::now();
    let options = *machine.options();
    // A thread that waits in vain for a while does not disturb a hunt, nor need it know all values of inputs.
    machine.set_patience(None);
    machine.set_inputs(Inputs::Samples);
    let mut found = hunt(machine, 0, time, FIRST_EXECUTIONS);
    if found.0.is_none() && machine.refuted().is_none() {
        found = hunt(machine, 0, time.saturating_sub(started.elapsed()), MOST_EXECUTIONS);
    }
    let is_stuck = machine.cuts().iter().any(|cut| cut.reason == CutReason::ManyValues);
    if found.0.is_none() && machine.refuted().is_none() && is_stuck {
        machine.set_inputs(Inputs::Numbers);
        found = hunt(machine, 0, time, MOST_EXECUTIONS);
    }
    let (violation, executions) = found;
    if violation.is_none() {
        machine.set_patience(options.patience);
        machine.set_inputs(options.inputs);
    }
    violation.map(|violation| hunted_down(violation, executions))
}

/// The end of an attempt of which an execution has refuted a speculation.
fn undecided() -> Decided {
    let statistics = Statistics::default();
    Decided { exploration: Exploration { violations: Vec::new(), statistics, stop: None }, states: None }
}

/// Whether executions were cut for nothing but loops that wait and count: those have no end, neither as traces nor as states.
fn is_only_counting(machine: &Machine) -> bool {
    let mut cuts = machine.cuts().iter().peekable();
    cuts.peek().is_some() && cuts.all(|cut| matches!(cut.reason, CutReason::Counted(_)))
}

/// What a hunt ends with that was a success.
fn hunted_down(violation: Violation<Failure>, executions: u64) -> Decided {
    let statistics = Statistics { complete: executions - 1, failed: 1, ..Statistics::default() };
    let stop = Some(Stop::Violation);
    Decided { exploration: Exploration { violations: vec![violation], statistics, stop }, states: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_near_when_most_is_explored() {
        let after = Duration::from_secs(6);
        assert!(is_near(after, 0.5) && is_near(after, 1.0));
        assert!(!is_near(after, 0.1) && !is_near(after, 0.0));
    }
}
