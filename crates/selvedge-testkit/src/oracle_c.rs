//! Oracle for C: every algorithm against brute force, trace by trace.
//!
//! The truth are the traces of all interleavings, computed from their definition; where these are too many, those that sleep sets
//! alone find, in tests that compare sleep sets with all interleavings elsewhere. Executions of one trace must end in one state:
//! that checks the dependence relation itself.

use crate::native::{explore_with, telling};
use crate::oracle::{Check, NaiveTrace, naive_trace, selected};
use selvedge_explore::{
    AfterViolation, Algorithm, End, Limits, Monitor, Path as Execution, Promise, States as _, replay,
};
use selvedge_llvm::Module;
use selvedge_machine::{Failure, Machine, Options};
use selvedge_verify::Native;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// How an execution ended: the state, and what it printed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Ending {
    end: End,
    state: Option<u128>,
    output: Vec<u8>,
}

/// The findings of an exploration.
#[derive(Debug, Default)]
struct Findings {
    /// The traces of maximal executions, how often each was explored, and how it ended.
    traces: BTreeMap<NaiveTrace, (usize, Ending)>,
    failures: BTreeSet<Failure>,
    sleep_set_blocked: usize,
    contradiction: Option<String>,
}

impl Monitor<Machine> for Findings {
    fn looks_at_order(&self) -> bool {
        true
    }

    fn execution(&mut self, path: &Execution<Machine>, end: End) {
        match end {
            End::SleepSetBlocked => self.sleep_set_blocked += 1,
            End::Known => {}
            _ => {
                let output = path.program.output().to_vec();
                let ending = Ending { end, state: path.program.fingerprint(), output };
                let entry = self.traces.entry(naive_trace(&path.order));
                let seen = entry.or_insert_with(|| (0, ending.clone()));
                seen.0 += 1;
                if seen.1 != ending {
                    self.contradiction = Some(format!("one trace ends in {:?} and in {ending:?}", seen.1));
                }
            }
        }
    }
}

impl Findings {
    fn outputs(&self) -> BTreeSet<String> {
        let complete = self.traces.values().filter(|(_, ending)| ending.end == End::Complete);
        complete.map(|(_, ending)| String::from_utf8_lossy(&ending.output).trim_end().to_owned()).collect()
    }
}

/// The end of an attempt to explore a program.
enum Explored {
    All(Findings),
    TooMuch,
    /// The machine gave up an execution: the algorithm asks for more than the operation tells, for instance.
    Cut,
}

fn explored(native: &Native, options: Options, algorithm: Algorithm, limit: u64) -> Explored {
    let options = Options { telling: telling(algorithm), ..options };
    let after_violation = AfterViolation::KeepGoing;
    let limits = Limits { executions: Some(limit), after_violation, ..Limits::default() };
    let explored = explore_with(native, options, algorithm, limits).expect("it can be lowered");
    let (exploration, machine, mut findings): (_, _, Findings) = explored;
    if exploration.stop.is_some() {
        return Explored::TooMuch;
    }
    if exploration.statistics.cut > 0 || !machine.cuts().is_empty() {
        return Explored::Cut;
    }
    for violation in &exploration.violations {
        if let Err(error) = replay(machine.again(), &violation.schedule, &violation.failure) {
            findings.contradiction = Some(format!("{:?}: {error}", violation.failure));
        }
    }
    findings.failures = exploration.violations.into_iter().map(|violation| violation.failure).collect();
    Explored::All(findings)
}

/// Checks all algorithms on a program of C, against all interleavings if they are no more than `limit`.
pub fn check_all(module: &Arc<Module>, options: Options, limit: u64) -> Check {
    let native = &Native::of(module.clone(), Path::new(""));
    let mut truth = explored(native, options, Algorithm::Exhaustive, limit);
    if matches!(truth, Explored::TooMuch) {
        truth = explored(native, options, Algorithm::Sleep, limit);
    }
    let Explored::All(truth) = truth else { return Check::TooLarge };
    if let Some(contradiction) = &truth.contradiction {
        return Check::Wrong(format!("brute force: {contradiction}"));
    }
    for algorithm in selected().filter(|&algorithm| algorithm != Algorithm::Exhaustive) {
        let name = algorithm.name();
        let most = if algorithm.promise() == Promise::EveryTrace { limit } else { limit * 4 };
        let explored = || explored(native, options, algorithm, most);
        let found = match std::panic::catch_unwind(explored) {
            Ok(Explored::All(found)) => found,
            // It promises nothing about how many.
            Ok(Explored::TooMuch) if algorithm.promise() == Promise::EveryTrace => continue,
            Ok(Explored::TooMuch) => return Check::Wrong(format!("{name} explores more than brute force")),
            Ok(Explored::Cut) if algorithm.asks_what_is_observed() => continue,
            Ok(Explored::Cut) => return Check::Wrong(format!("{name} was cut")),
            Err(_) => return Check::Wrong(format!("{name} panics")),
        };
        if let Err(message) = compare(algorithm, &found, &truth) {
            return Check::Wrong(message);
        }
    }
    Check::Passed(truth.traces.len())
}

/// Holds an algorithm to its promise.
fn compare(algorithm: Algorithm, found: &Findings, truth: &Findings) -> Result<(), String> {
    let name = algorithm.name();
    if let Some(contradiction) = &found.contradiction {
        return Err(format!("{name}: {contradiction}"));
    }
    if found.failures != truth.failures {
        return Err(format!("{name} finds the failures {:?}, not {:?}", found.failures, truth.failures));
    }
    if found.outputs() != truth.outputs() {
        return Err(format!("{name} finds the outputs {:?}, not {:?}", found.outputs(), truth.outputs()));
    }
    if !matches!(algorithm.promise(), Promise::EveryClassOnce(_))
        && let Some(trace) = found.traces.keys().find(|&trace| !truth.traces.contains_key(trace))
    {
        return Err(format!("{name} invents the trace {trace:?}"));
    }
    let (some, all) = (found.traces.len(), truth.traces.len());
    match algorithm.promise() {
        Promise::EveryClassOnce(_) => {
            let executions: usize = found.traces.values().map(|seen| seen.0).sum();
            return match executions > all {
                true => Err(format!("{name} explores {executions} executions for {all} traces")),
                false => Ok(()),
            };
        }
        Promise::EveryFinalState => return Ok(()),
        _ => {}
    }
    if let Some(trace) = truth.traces.keys().find(|&trace| !found.traces.contains_key(trace)) {
        return Err(format!("{name} finds {some} of {all} traces and misses {trace:?}"));
    }
    let repeated = found.traces.values().filter(|seen| seen.0 > 1).count();
    match algorithm.promise() {
        Promise::EveryTraceOnce | Promise::Optimal if repeated > 0 => {
            Err(format!("{name} explores {repeated} of {all} traces more than once"))
        }
        Promise::Optimal if found.sleep_set_blocked > 0 => {
            Err(format!("{name} has {} sleep-set blocked executions", found.sleep_set_blocked))
        }
        _ => Ok(()),
    }
}
