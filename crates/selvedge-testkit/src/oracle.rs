//! Oracles: what the algorithms must find, computed in the simplest way.
//!
//! The order of events is computed here from its definition, pair by pair, without the clocks and chains that
//! the explorer uses. Executions with the same trace must end in the same state; that checks the dependence
//! relation itself. The state is all of it: memory, and where each thread stands with which local variables.

use crate::classes::{Class, Execution};
use selvedge_explore::{
    AfterViolation, Algorithm, End, Equivalence, Exploration, Limits, Monitor, Path, Program as _, Promise,
    explore, replay,
};
use selvedge_interp::{Assumptions, Failure, Interpreter, ThreadState};
use selvedge_ir::Program;
use selvedge_trace::{HappensBefore, LocationId, ThreadId};
use std::collections::{BTreeMap, BTreeSet};

/// A trace by definition: the events thread by thread with their choices, and for each the events before it.
pub type NaiveTrace = Vec<(u32, u32, Vec<(u32, u32)>)>;

/// A state of the program, with everything in it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    memory: Vec<i64>,
    threads: Vec<ThreadState>,
}

/// A program, and what becomes of a thread that finds an assumption false.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'p> {
    /// The program.
    pub program: &'p Program,
    /// Whether threads wait for assumptions.
    pub assumptions: Assumptions,
}

impl<'p> Subject<'p> {
    /// The program as it is written.
    pub fn as_written(program: &'p Program) -> Self {
        Subject { program, assumptions: Assumptions::Drop }
    }

    /// The program, running.
    pub fn interpreter(self) -> Interpreter {
        Interpreter::with(self.program, self.assumptions)
    }
}

/// The thread that value-happens-before treats differently, where nothing else is said.
pub const ROOT: ThreadId = ThreadId(0);

/// What an exploration found.
#[derive(Debug, Default)]
pub struct Findings {
    /// The traces of maximal executions with how often each was explored, and how it ended.
    pub traces: BTreeMap<NaiveTrace, (usize, End)>,
    /// What was wrong.
    pub failures: BTreeSet<Failure>,
    /// An execution of each trace.
    pub executions: Vec<Execution>,
    /// Where each thread stood at any time of any execution.
    pub local_states: BTreeSet<(ThreadId, ThreadState)>,
    /// The final state of each trace.
    states: BTreeMap<NaiveTrace, State>,
    /// Executions that ended asleep.
    pub asleep: usize,
    /// The thread that value-happens-before treats differently, if it is not the first.
    root: Option<ThreadId>,
    /// Two executions of one trace that end in different states, or in different ways.
    pub contradiction: Option<String>,
}

impl Findings {
    /// What so many first cells of memory hold at the ends of executions in which all threads come to theirs.
    fn final_values(&self, cells: usize) -> BTreeSet<Vec<i64>> {
        let ended = self.states.iter().filter(|(trace, _)| self.traces[*trace].1 == End::Complete);
        ended.map(|(_, state)| state.memory[..cells].to_vec()).collect()
    }
}

/// Computes the happens-before relation of an execution from its definition.
pub fn naive_trace(order: &HappensBefore) -> NaiveTrace {
    let events: Vec<_> = order.events().collect();
    let mut before: Vec<BTreeSet<usize>> = Vec::new();
    for (j, &later) in events.iter().enumerate() {
        let mut past = BTreeSet::new();
        for (i, &earlier) in events[..j].iter().enumerate() {
            let same_thread = order.event(earlier).thread() == order.event(later).thread();
            let conflict = order.accesses(earlier).iter().any(|a| {
                order
                    .accesses(later)
                    .iter()
                    .any(|b| a.location == b.location && a.kind.conflicts_with(b.kind))
            });
            if same_thread || conflict {
                past.insert(i);
                past.extend(&before[i]);
            }
        }
        before.push(past);
    }
    let name = |i: usize| (order.event(events[i]).thread().0, order.event(events[i]).index);
    let mut trace: Vec<_> = (0..events.len()).map(|i| (name(i), i)).collect();
    trace.sort();
    let entry = |&((thread, _), i): &((u32, u32), usize)| {
        let mut past: Vec<_> = before[i].iter().map(|&b| name(b)).collect();
        past.sort_unstable();
        (thread, order.event(events[i]).decision.choice, past)
    };
    trace.iter().map(entry).collect()
}

struct Collector<'c> {
    findings: &'c mut Findings,
    /// To run executions once more.
    again: Interpreter,
    cells: u32,
    limit: usize,
    executions: usize,
}

impl Monitor<Interpreter> for Collector<'_> {
    fn looks_at_order(&self) -> bool {
        true
    }

    fn execution(&mut self, path: &Path<Interpreter>, end: End) {
        self.executions += 1;
        match end {
            End::SleepSetBlocked => {
                self.findings.asleep += 1;
                return;
            }
            End::Known => return,
            _ => {}
        }
        let trace = naive_trace(&path.order);
        let memory: Vec<i64> = (0..self.cells).map(|cell| path.program.value(LocationId(cell))).collect();
        let threads = (0..path.program.thread_count()).map(ThreadId::at);
        let state = State { memory, threads: threads.map(|t| path.program.thread_state(t)).collect() };
        if !self.findings.traces.contains_key(&trace) {
            let mut execution = Execution::of(path, &mut self.again);
            self.findings.local_states.append(&mut execution.local_states);
            self.findings.executions.push(execution);
        }
        let seen = self.findings.traces.entry(trace.clone()).or_insert((0, end));
        seen.0 += 1;
        if seen.1 != end {
            self.findings.contradiction = Some(format!("one trace ends in {:?} and in {end:?}", seen.1));
        }
        let known = self.findings.states.entry(trace).or_insert_with(|| state.clone());
        if *known != state {
            self.findings.contradiction = Some(format!("one trace ends in {known:?} and in {state:?}"));
        }
    }
}

/// Explores a program, collecting everything; `None` if there are more executions than the limit.
pub fn findings(program: &Program, algorithm: Algorithm, limit: usize) -> Option<Findings> {
    findings_from(ROOT, Subject::as_written(program), algorithm, limit)
}

/// [`findings`] with another thread as the root, and with threads that may wait for assumptions.
pub fn findings_from(
    root: ThreadId,
    subject: Subject,
    algorithm: Algorithm,
    limit: usize,
) -> Option<Findings> {
    let mut findings = Findings { root: Some(root), ..Findings::default() };
    let interpreter = subject.interpreter();
    let cells = interpreter.layout().initial.len() as u32;
    let again = subject.interpreter();
    let mut collector = Collector { findings: &mut findings, again, cells, limit, executions: 0 };
    let limits = Limits {
        executions: Some(limit as u64),
        after_violation: AfterViolation::KeepGoing,
        root: Some(root),
        ..Limits::default()
    };
    let (exploration, _) = explore(interpreter, algorithm, limits, &mut collector);
    let complete = collector.executions < collector.limit;
    check_replays(subject.program, &exploration, &mut findings);
    if exploration.statistics.unsatisfiable_systems > 0 {
        findings.contradiction = Some("an order of a section could not be completed".to_owned());
    }
    findings.failures = exploration.violations.into_iter().map(|violation| violation.failure).collect();
    complete.then_some(findings)
}

fn check_replays(program: &Program, exploration: &Exploration<Failure>, findings: &mut Findings) {
    for violation in &exploration.violations {
        if let Err(error) = replay(Interpreter::new(program), &violation.schedule, &violation.failure) {
            findings.contradiction = Some(format!("{:?}: {error}", violation.failure));
        }
    }
}

/// Holds an algorithm to its promise.
///
/// # Errors
/// In words, what it did wrong.
pub fn compare(algorithm: Algorithm, found: &Findings, truth: &Findings) -> Result<(), String> {
    let name = algorithm.name();
    if let Some(contradiction) = &found.contradiction {
        return Err(format!("{name}: {contradiction}"));
    }
    match algorithm.promise() {
        Promise::EveryFinalState => return compare_final_states(name, found, truth),
        Promise::EveryClassOnce(equivalence) => return compare_classes(name, equivalence, found, truth),
        _ => {}
    }
    if let Some(trace) = truth.traces.keys().find(|&trace| !found.traces.contains_key(trace)) {
        let (all, some) = (truth.traces.len(), found.traces.len());
        return Err(format!("{name} finds {some} of {all} traces and misses {trace:?}"));
    }
    if let Some(trace) = found.traces.keys().find(|&trace| !truth.traces.contains_key(trace)) {
        return Err(format!("{name} invents the trace {trace:?}"));
    }
    if found.failures != truth.failures {
        return Err(format!("{name} finds the failures {:?}, not {:?}", found.failures, truth.failures));
    }
    let repeated = found.traces.values().filter(|seen| seen.0 > 1).count();
    match algorithm.promise() {
        Promise::EveryInterleaving
        | Promise::EveryTrace
        | Promise::EveryFinalState
        | Promise::EveryClassOnce(_)
        | Promise::Sample => Ok(()),
        Promise::EveryTraceOnce | Promise::Optimal if repeated > 0 => {
            Err(format!("{name} explores {repeated} traces more than once"))
        }
        Promise::Optimal if found.asleep > 0 => {
            Err(format!("{name} has {} sleep-set-blocked executions", found.asleep))
        }
        Promise::EveryTraceOnce | Promise::Optimal => Ok(()),
    }
}

fn compare_final_states(name: &str, found: &Findings, truth: &Findings) -> Result<(), String> {
    let ends = |findings: &Findings| -> Vec<(State, End)> {
        findings.states.iter().map(|(trace, state)| (state.clone(), findings.traces[trace].1)).collect()
    };
    let (found_ends, true_ends) = (ends(found), ends(truth));
    if let Some(missed) = true_ends.iter().find(|end| !found_ends.contains(end)) {
        return Err(format!("{name} misses the final state {missed:?}"));
    }
    if let Some(invented) = found_ends.iter().find(|end| !true_ends.contains(end)) {
        return Err(format!("{name} invents the final state {invented:?}"));
    }
    if found.failures != truth.failures {
        return Err(format!("{name} finds the failures {:?}, not {:?}", found.failures, truth.failures));
    }
    Ok(())
}

/// Every local state and every failure is found, and no two executions are equivalent.
fn compare_classes(
    name: &str,
    equivalence: Equivalence,
    found: &Findings,
    truth: &Findings,
) -> Result<(), String> {
    if let Some(missed) = truth.local_states.difference(&found.local_states).next() {
        return Err(format!("{name} misses the local state {missed:?}"));
    }
    if let Some(invented) = found.local_states.difference(&truth.local_states).next() {
        return Err(format!("{name} invents the local state {invented:?}"));
    }
    if found.failures != truth.failures {
        return Err(format!("{name} finds the failures {:?}, not {:?}", found.failures, truth.failures));
    }
    let root = found.root.unwrap_or(ROOT);
    let explored: usize = found.traces.values().map(|seen| seen.0).sum();
    let classes = |findings: &Findings| -> BTreeSet<Class> {
        findings.executions.iter().map(|execution| execution.class(equivalence, root)).collect()
    };
    let found_classes = classes(found);
    if explored > found_classes.len() {
        return Err(format!("{name} explores {} classes in {explored} executions", found_classes.len()));
    }
    if equivalence == Equivalence::Observers && found.asleep > 0 {
        return Err(format!("{name} has {} sleep-set-blocked executions", found.asleep));
    }
    if explored > truth.traces.len() {
        return Err(format!("{name} explores {explored} executions for {} traces", truth.traces.len()));
    }
    // Value-centric exploration merges classes: it leaves the order of leaf threads open, and what causes equal values.
    if equivalence == Equivalence::ValueHappensBefore {
        return Ok(());
    }
    let all = classes(truth).len();
    if found_classes.len() == all {
        return Ok(());
    }
    let missed = |e: &&Execution| !found_classes.contains(&e.class(equivalence, root));
    let missed = truth.executions.iter().find(missed);
    let schedule: Option<Vec<_>> = missed.map(|e| e.events.iter().map(|event| event.name).collect());
    let some = found_classes.len();
    Err(format!("{name} finds {some} of {all} classes and misses that of {schedule:?}"))
}

/// What came of checking a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// All algorithms kept their promises; so many traces.
    Passed(usize),
    /// Brute force takes too long.
    TooLarge,
    /// Something is wrong, in words.
    Wrong(String),
}

/// All algorithms, or the one that `SELVEDGE_ALGORITHM` names.
pub fn selected() -> impl Iterator<Item = Algorithm> {
    let wanted = std::env::var("SELVEDGE_ALGORITHM").ok();
    Algorithm::ALL.into_iter().filter(move |a| wanted.as_deref().is_none_or(|wanted| wanted == a.name()))
}

/// Checks all algorithms on a program against brute force.
pub fn check_all(program: &Program, limit: usize) -> Check {
    let subject = Subject::as_written(program);
    let Some(truth) = findings(program, Algorithm::Exhaustive, limit) else { return Check::TooLarge };
    if let Some(contradiction) = &truth.contradiction {
        return Check::Wrong(format!("brute force: {contradiction}"));
    }
    let others = selected().filter(|&a| a != Algorithm::Exhaustive);
    match others.map(|algorithm| hold_to_truth(subject, algorithm, &truth, limit)).find(Result::is_err) {
        Some(Err(message)) => Check::Wrong(message),
        _ => Check::Passed(truth.traces.len()),
    }
}

/// Holds an algorithm to its promise, with every root that makes a difference.
fn hold_to_truth(
    subject: Subject,
    algorithm: Algorithm,
    truth: &Findings,
    limit: usize,
) -> Result<(), String> {
    for root in roots(subject.program, algorithm) {
        let found = findings_from(root, subject, algorithm, limit * 4)
            .ok_or_else(|| format!("{} explores more than brute force", algorithm.name()))?;
        compare(algorithm, &found, truth).map_err(|message| format!("{message}, root {root:?}"))?;
    }
    Ok(())
}

/// Checks that waiting for assumptions changes nothing but what ends at one, and all algorithms on the program that waits.
pub fn check_assumptions(program: &Program, limit: usize) -> Check {
    let Some(written) = findings(program, Algorithm::Exhaustive, limit) else { return Check::TooLarge };
    let mut traces = 0;
    for assumptions in [Assumptions::Wait, Assumptions::WaitUnlessFloating] {
        let subject = Subject { program, assumptions };
        let Some(truth) = findings_from(ROOT, subject, Algorithm::Exhaustive, limit) else {
            return Check::Wrong(format!("{assumptions:?}: more executions than as it is written"));
        };
        if let Err(message) = compare_meaning(&truth, &written) {
            return Check::Wrong(format!("{assumptions:?}: {message}"));
        }
        for algorithm in selected().filter(|&a| Assumptions::of(a) == assumptions) {
            if let Err(message) = hold_to_truth(subject, algorithm, &truth, limit) {
                return Check::Wrong(format!("{assumptions:?}: {message}"));
            }
        }
        traces += truth.traces.len();
    }
    Check::Passed(traces)
}

/// A program that waits for assumptions has the failures of the one that does not, the same ends of executions in which no assumption
/// is false, and no more traces.
fn compare_meaning(waiting: &Findings, written: &Findings) -> Result<(), String> {
    if let Some(contradiction) = waiting.contradiction.as_ref().or(written.contradiction.as_ref()) {
        return Err(format!("brute force: {contradiction}"));
    }
    if waiting.failures != written.failures {
        return Err(format!("the failures are {:?}, not {:?}", waiting.failures, written.failures));
    }
    let held = |findings: &Findings| -> Vec<(NaiveTrace, State)> {
        let holds = |trace: &NaiveTrace| matches!(findings.traces[trace].1, End::Complete | End::Deadlock);
        let held = findings.states.iter().filter(|(trace, _)| holds(trace));
        held.map(|(trace, state)| (trace.clone(), state.clone())).collect()
    };
    if held(waiting) != held(written) {
        return Err("executions without false assumptions differ".to_owned());
    }
    match (waiting.traces.len(), written.traces.len()) {
        (more, fewer) if more > fewer => Err(format!("{more} traces instead of {fewer}")),
        _ => Ok(()),
    }
}

/// Checks the algorithms with coarser equivalences on a program that reads all shared variables in `finally`: they find every final
/// assignment of values to them, too.
pub fn check_coarser(program: &Program, limit: usize) -> Check {
    let Some(truth) = findings(program, Algorithm::Exhaustive, limit) else { return Check::TooLarge };
    let cells = Interpreter::new(program).layout().value_cells as usize;
    let all = truth.final_values(cells);
    for algorithm in selected().filter(|a| matches!(a.promise(), Promise::EveryClassOnce(_))) {
        if let Err(message) = hold_to_truth(Subject::as_written(program), algorithm, &truth, limit) {
            return Check::Wrong(message);
        }
        let found = findings(program, algorithm, limit * 4).map(|found| found.final_values(cells));
        if found.as_ref() != Some(&all) {
            return Check::Wrong(format!("{} finds {found:?}, not {all:?}", algorithm.name()));
        }
    }
    Check::Passed(truth.traces.len())
}

/// The threads to try as the root: all, where it makes a difference.
fn roots(program: &Program, algorithm: Algorithm) -> impl Iterator<Item = ThreadId> {
    let threads = match algorithm {
        Algorithm::ValueCentric => Interpreter::new(program).thread_count(),
        _ => 1,
    };
    (0..threads.max(1)).map(ThreadId::at)
}
