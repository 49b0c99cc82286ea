//! Oracle for bounded exploration: the cost of every interleaving, by definition.

use crate::oracle::{self, Check, NaiveTrace, Subject};
use selvedge_explore::algorithms::lazy_bounded;
use selvedge_explore::bounds::few_delays::Patience;
use selvedge_explore::minimize::{Effort, fewest_switches, shorten};
use selvedge_explore::{
    AfterViolation, Algorithm, Bound, BoundKind, BoundPromise, End, Limits, Monitor, Path, Program as _,
    Search, Silent, Violation, WaitingForEver, explore, replay,
};
use selvedge_interp::{Assumptions, Failure, Interpreter};
use selvedge_ir::Program;
use selvedge_trace::{Decision, Footprint, HappensBefore, ThreadId};
use std::collections::{BTreeMap, BTreeSet};

/// What all interleavings show.
#[derive(Debug, Default)]
struct Truth {
    /// The least cost of each maximal trace.
    traces: BTreeMap<NaiveTrace, u32>,
    /// The least cost of an execution with each failure.
    failures: BTreeMap<Failure, u32>,
    executions: usize,
}

impl Truth {
    fn within(&self, limit: u32) -> (BTreeSet<&NaiveTrace>, BTreeSet<&Failure>) {
        let traces = self.traces.iter().filter(|(_, cost)| **cost <= limit).map(|(trace, _)| trace);
        let failures = self.failures.iter().filter(|(_, cost)| **cost <= limit).map(|(failure, _)| failure);
        (traces.collect(), failures.collect())
    }
}

/// Tries every interleaving.
struct BruteForce {
    program: Interpreter,
    order: HappensBefore,
    kind: BoundKind,
    limit: usize,
    truth: Truth,
}

impl BruteForce {
    /// The truth about a program, if it has no more executions than the limit.
    fn run(program: Subject, kind: BoundKind, limit: usize) -> Option<Truth> {
        let mut program = program.interpreter();
        program.restart();
        let order = HappensBefore::new(program.thread_count());
        let failures = program.failures().iter().map(|failure| (failure.clone(), 0)).collect();
        let truth = Truth { failures, ..Truth::default() };
        let mut brute_force = BruteForce { program, order, kind, limit, truth };
        brute_force.explore(None, 0).then_some(brute_force.truth)
    }

    /// Explores what follows; `false` if it is too much.
    fn explore(&mut self, last: Option<ThreadId>, cost: u32) -> bool {
        let threads = self.program.thread_count();
        let enabled: Vec<ThreadId> =
            (0..threads).map(ThreadId::at).filter(|&t| self.program.is_enabled(t)).collect();
        if enabled.is_empty() {
            self.end(cost);
            return self.truth.executions < self.limit;
        }
        for &thread in &enabled {
            let price = price(self.kind, threads, last, thread, &enabled);
            for choice in 0..self.program.choices(thread) {
                let mark = self.program.mark();
                let mut footprint = Footprint::default();
                let decision = Decision { thread, choice };
                self.program.step(decision, &mut footprint);
                self.order.push(decision, &footprint);
                for failure in self.program.failures().to_vec() {
                    self.note(failure, cost + price);
                }
                let goes_on = self.explore(Some(thread), cost + price);
                self.order.pop();
                self.program.rollback(mark);
                if !goes_on {
                    return false;
                }
            }
        }
        true
    }

    fn end(&mut self, cost: u32) {
        self.truth.executions += 1;
        let trace = oracle::naive_trace(&self.order);
        let known = self.truth.traces.entry(trace).or_insert(cost);
        *known = cost.min(*known);
        let threads = (0..self.program.thread_count()).map(ThreadId::at);
        let statuses: Vec<_> = threads.clone().map(|t| self.program.status(t)).collect();
        use selvedge_explore::ThreadStatus::{Ended, Running};
        let mut running = threads.filter(|&t| self.program.status(t) == Running);
        if running.any(|t| self.program.waiting_for_ever(t) != WaitingForEver::Deadlock) {
            return;
        }
        if statuses.contains(&Running) && statuses.iter().all(|s| matches!(s, Running | Ended)) {
            self.note(self.program.deadlock(), cost);
        }
    }

    fn note(&mut self, failure: Failure, cost: u32) {
        let known = self.truth.failures.entry(failure).or_insert(cost);
        *known = cost.min(*known);
    }
}

/// The price of a step, written down once more.
pub(crate) fn price(
    kind: BoundKind,
    threads: usize,
    last: Option<ThreadId>,
    next: ThreadId,
    enabled: &[ThreadId],
) -> u32 {
    match kind {
        BoundKind::Preemptions => match last {
            Some(last) if last != next && enabled.contains(&last) => 1,
            _ => 0,
        },
        BoundKind::Switches => u32::from(last.is_some_and(|last| last != next)),
        BoundKind::Delays => {
            let (mut at, mut passed) = (last.map_or(0, |last| last.index()), 0);
            while at != next.index() {
                passed += u32::from(enabled.iter().any(|t| t.index() == at));
                at = (at + 1) % threads;
            }
            passed
        }
    }
}

/// What an algorithm finds within a bound.
#[derive(Debug, Default)]
struct Found {
    traces: BTreeMap<NaiveTrace, usize>,
    failures: BTreeSet<Failure>,
    /// Whether the algorithm knew what each trace costs.
    is_exact: bool,
    wrong: Option<String>,
}

impl Monitor<Interpreter> for Found {
    fn looks_at_order(&self) -> bool {
        true
    }

    fn execution(&mut self, path: &Path<Interpreter>, end: End) {
        if end != End::SleepSetBlocked {
            *self.traces.entry(oracle::naive_trace(&path.order)).or_default() += 1;
        }
    }
}

/// How an algorithm is run.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// As users run it.
    Usual,
    /// `lazy-bounded` with so little patience that it tries schedules, few or all, in small programs, too.
    Schedules(Patience),
}

/// The ways to explore within delays: by traces, by schedules, and both.
const WAYS: [Way; 4] = [
    Way::Usual,
    Way::Schedules(Patience { over_bound: 0, schedules: u64::MAX }),
    Way::Schedules(Patience { over_bound: 3, schedules: 4 }),
    Way::Schedules(Patience { over_bound: 3, schedules: 0 }),
];

fn find(program: Subject, algorithm: Algorithm, way: Way, bound: Bound, limit: usize) -> Option<Found> {
    let mut found = Found::default();
    let limits = Limits {
        executions: Some(limit as u64),
        after_violation: AfterViolation::KeepGoing,
        bound: Some(bound),
        ..Limits::default()
    };
    let (exploration, _) = match way {
        Way::Usual => explore(program.interpreter(), algorithm, limits, &mut found),
        Way::Schedules(patience) => {
            let mut search = Search::new(program.interpreter(), limits, &mut found);
            lazy_bounded::run_with(&mut search, patience);
            search.finish()
        }
    };
    for violation in &exploration.violations {
        if let Err(error) = replay(program.interpreter(), &violation.schedule, &violation.failure) {
            found.wrong = Some(format!("{:?}: {error}", violation.failure));
        }
        let cost = cost_of(program, bound.kind, &violation.schedule);
        if cost > bound.limit && algorithm.bound_promise() != Some(BoundPromise::Exact) {
            continue;
        }
        if cost > bound.limit && exploration.statistics.bound_unknown == 0 {
            found.wrong = Some(format!("{:?} is shown with {cost} {:?}", violation.failure, bound.kind));
        }
    }
    found.failures = exploration.violations.into_iter().map(|violation| violation.failure).collect();
    found.is_exact = exploration.statistics.bound_unknown == 0;
    exploration.stop.is_none().then_some(found)
}

/// What an execution costs.
fn cost_of(program: Subject, kind: BoundKind, schedule: &[Decision]) -> u32 {
    let mut program = program.interpreter();
    program.restart();
    let (mut last, mut cost) = (None, 0);
    let threads = program.thread_count();
    for &decision in schedule {
        let enabled: Vec<ThreadId> =
            (0..threads).map(ThreadId::at).filter(|&t| program.is_enabled(t)).collect();
        cost += price(kind, threads, last, decision.thread, &enabled);
        last = Some(decision.thread);
        program.step(decision, &mut Footprint::default());
    }
    cost
}

/// Checks all algorithms with bounds on a program against brute force.
pub fn check_all(program: &Program, limit: usize) -> Check {
    check_subject(Subject::as_written(program), limit)
}

/// [`check_all`] on a program that waits for assumptions: who waits can be left without a preemption.
pub fn check_assumptions(program: &Program, limit: usize) -> Check {
    check_subject(Subject { program, assumptions: Assumptions::Wait }, limit)
}

fn check_subject(program: Subject, limit: usize) -> Check {
    let mut traces = 0;
    for kind in [BoundKind::Preemptions, BoundKind::Delays] {
        let Some(truth) = BruteForce::run(program, kind, limit) else { return Check::TooLarge };
        for bound in (0..=4).map(|limit| Bound { kind, limit }) {
            for algorithm in Algorithm::ALL {
                let by_schedules = kind == BoundKind::Delays && algorithm == Algorithm::LazyBounded;
                for &way in if by_schedules { &WAYS[..] } else { &WAYS[..1] } {
                    if let Err(message) = check(program, algorithm, way, bound, &truth, limit) {
                        let name = algorithm.name();
                        return Check::Wrong(format!("{name} within {bound:?}, {way:?}: {message}"));
                    }
                }
            }
        }
        traces += truth.traces.len();
    }
    match check_minimized(program) {
        Ok(()) => Check::Passed(traces),
        Err(message) => Check::Wrong(message),
    }
}

/// Minimized schedules lead to the same failures, with no more context switches or no more steps.
fn check_minimized(program: Subject) -> Result<(), String> {
    let limits =
        Limits { after_violation: AfterViolation::KeepGoing, executions: Some(100), ..Limits::default() };
    let (exploration, _) = explore(program.interpreter(), Algorithm::Source, limits, &mut Silent);
    for Violation { failure, schedule } in &exploration.violations {
        let (fewer, _) = fewest_switches(program.interpreter(), schedule);
        if let Err(error) = replay(program.interpreter(), &fewer, failure) {
            return Err(format!("minimized: {failure:?}: {error}"));
        }
        let before = cost_of(program, BoundKind::Switches, schedule);
        let after = cost_of(program, BoundKind::Switches, &fewer);
        if after > before {
            return Err(format!("minimized: {failure:?}: {after} switches instead of {before}"));
        }
        let mut shorter = Violation { failure: failure.clone(), schedule: schedule.clone() };
        let effort = Effort { steps: 10_000, deadline: None };
        shorten(&mut program.interpreter(), &mut shorter, |one, other| one == other, effort);
        if let Err(error) = replay(program.interpreter(), &shorter.schedule, &shorter.failure) {
            return Err(format!("shortened: {failure:?}: {error}"));
        }
        if shorter.failure != *failure || shorter.schedule.len() > schedule.len() {
            return Err(format!("shortened: {failure:?} became {shorter:?}"));
        }
    }
    Ok(())
}

fn check(
    program: Subject,
    algorithm: Algorithm,
    way: Way,
    bound: Bound,
    truth: &Truth,
    limit: usize,
) -> Result<(), String> {
    let Some(promise) = algorithm.bound_promise() else { return Ok(()) };
    if promise == BoundPromise::EveryTrace && bound.kind != BoundKind::Preemptions {
        return Ok(());
    }
    let found = find(program, algorithm, way, bound, limit * 8).ok_or("explores more than brute force")?;
    if let Some(wrong) = found.wrong {
        return Err(wrong);
    }
    let (traces, failures) = truth.within(bound.limit);
    if promise != BoundPromise::Heuristic {
        if let Some(missed) = traces.iter().find(|trace| !found.traces.contains_key(**trace)) {
            return Err(format!("misses {missed:?}, finds {} of {}", found.traces.len(), traces.len()));
        }
        if let Some(missed) = failures.iter().find(|failure| !found.failures.contains(failure)) {
            return Err(format!("misses the failure {missed:?}"));
        }
    }
    if let Some(invented) = found.traces.keys().find(|trace| !truth.traces.contains_key(*trace)) {
        return Err(format!("invents the trace {invented:?}"));
    }
    if promise == BoundPromise::Exact {
        if let Some((trace, _)) = found.traces.iter().find(|(_, times)| **times > 1) {
            return Err(format!("repeats {trace:?}"));
        }
        if found.is_exact
            && let Some(trace) = found.traces.keys().find(|trace| !traces.contains(*trace))
        {
            return Err(format!("explores {trace:?}, which costs {}", truth.traces[trace]));
        }
    }
    Ok(())
}
