//! Random closures against brute force: every algorithm finds the traces and outcomes that all interleavings have.
//!
//! A [`Scenario`] is a closure as data. What its threads see goes to a [log](log); an outcome is all logs with the way in which the execution
//! ended, and must be the same in all executions of a trace.

use super::assumptions::{Assumptions, Semantics};
use super::program::{Closure, Halt};
use super::{panics, with};
use crate::checker::without_noise;
use selvedge_explore::{AfterViolation, Algorithm, End, Limits, Monitor, Path, Promise, explore};
use selvedge_testkit::oracle::{NaiveTrace, naive_trace, selected};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::rc::Rc;

/// A closure as data.
pub trait Scenario: Clone + Debug {
    /// The closure. It [begins](begin_logs) the logs.
    fn closure(&self) -> Rc<dyn Fn()>;

    /// What its operations mean; `observations` is set by the comparison.
    fn semantics(&self) -> Semantics;

    /// Whether algorithms that ask what is observed may tell more traces apart than happens-before does.
    fn observes_more(&self) -> bool;

    /// The number of interleavings that brute force explores at most.
    fn limit(&self) -> u64 {
        700
    }

    /// Scenarios with one action less.
    fn simpler(&self) -> Vec<Self>;
}

thread_local! {
    /// How often an algorithm that asks what is observed was compared.
    static OBSERVED: Cell<usize> = const { Cell::new(0) };
    static LOGS: RefCell<Vec<Vec<usize>>> = const { RefCell::new(Vec::new()) };
}

/// Empty logs for so many threads.
pub fn begin_logs(threads: usize) {
    LOGS.with_borrow_mut(|logs| *logs = vec![Vec::new(); threads]);
}

/// A thread has seen a value.
pub fn log(thread: usize, value: usize) {
    LOGS.with_borrow_mut(|logs| logs[thread].push(value));
}

/// What the threads have seen.
pub fn logs() -> Vec<Vec<usize>> {
    LOGS.with_borrow(Clone::clone)
}

/// What the threads have seen, and how the execution ended.
pub type Outcome = (Vec<Vec<usize>>, End);

/// The traces that an algorithm finds.
#[derive(Default)]
struct Collector {
    traces: BTreeMap<NaiveTrace, (usize, Outcome)>,
    asleep: usize,
    contradiction: Option<String>,
}

impl Monitor<Closure> for Collector {
    fn looks_at_order(&self) -> bool {
        true
    }

    fn execution(&mut self, path: &Path<Closure>, end: End) {
        if end == End::SleepSetBlocked {
            self.asleep += 1;
            return;
        }
        let outcome = (logs(), end);
        let seen = self.traces.entry(naive_trace(&path.order)).or_insert_with(|| (0, outcome.clone()));
        seen.0 += 1;
        if seen.1 != outcome {
            self.contradiction = Some(format!("one trace ends in {:?} and in {outcome:?}", seen.1));
        }
    }
}

/// What an algorithm finds; nothing if that is too much, or not supported.
fn found<S: Scenario>(
    scenario: &S,
    algorithm: Algorithm,
    limit: u64,
    assumptions: &mut Assumptions,
) -> Option<Collector> {
    panics::install();
    loop {
        let observations = algorithm.asks_what_is_observed();
        let semantics = Semantics { observations, ..scenario.semantics() };
        with(|x| x.begin_search(*assumptions, semantics));
        let mut collector = Collector::default();
        let limits = Limits {
            executions: Some(limit),
            after_violation: AfterViolation::KeepGoing,
            ..Limits::default()
        };
        let outcome = without_noise(|| {
            let closure = Closure::new(scenario.closure());
            let (exploration, mut closure) = explore(closure, algorithm, limits, &mut collector);
            closure.conclude();
            exploration.stop
        });
        match outcome {
            Ok(None) => return Some(collector),
            Ok(Some(_)) => return None,
            Err(Halt::Refuted) => *assumptions = with(|x| x.assumptions),
            Err(Halt::Diverged(divergence)) => panic!("{divergence:?}"),
            Err(Halt::Refused(_) | Halt::Exhausted(_)) => return None,
        }
    }
}

/// Holds every algorithm against brute force. Returns the number of traces, if they are few enough.
pub fn compare<S: Scenario>(scenario: &S) -> Result<Option<usize>, String> {
    // Which assumptions hold is found out on the way; all algorithms must have the same operations.
    let mut assumptions = Assumptions::default();
    loop {
        let before = assumptions;
        let outcome = compare_under(scenario, &mut assumptions);
        if assumptions == before {
            return outcome;
        }
    }
}

fn compare_outcomes(truth: &Collector, found: &Collector) -> Result<(), String> {
    let outcomes = |c: &Collector| c.traces.values().map(|seen| seen.1.clone()).collect::<BTreeSet<_>>();
    let (all, some) = (outcomes(truth), outcomes(found));
    if all == some {
        return Ok(());
    }
    let (missing, odd) = (all.difference(&some).next(), some.difference(&all).next());
    Err(format!("misses {missing:?}, invents {odd:?}"))
}

fn compare_under<S: Scenario>(scenario: &S, assumptions: &mut Assumptions) -> Result<Option<usize>, String> {
    let limit = scenario.limit();
    let Some(truth) = found(scenario, Algorithm::Exhaustive, limit, assumptions) else { return Ok(None) };
    if let Some(contradiction) = truth.contradiction {
        return Err(format!("brute force: {contradiction}"));
    }
    for algorithm in selected() {
        if algorithm == Algorithm::Exhaustive {
            continue;
        }
        let name = algorithm.name();
        let Some(found) = found(scenario, algorithm, limit * 4, assumptions) else { continue };
        if let Some(contradiction) = found.contradiction {
            return Err(format!("{name}: {contradiction}"));
        }
        compare_outcomes(&truth, &found).map_err(|different| format!("{name}: {different}"))?;
        // As in a check: the algorithm finds out by itself what cannot be taken for granted.
        if let Some(found) = self::found(scenario, algorithm, limit * 4, &mut Assumptions::default()) {
            compare_outcomes(&truth, &found).map_err(|different| format!("{name} alone: {different}"))?;
        }
        if algorithm.asks_what_is_observed() {
            let (some, all) = (found.traces.values().map(|seen| seen.0).sum::<usize>(), truth.traces.len());
            if some > all && !scenario.observes_more() {
                return Err(format!("{name}: {some} executions for {all} traces"));
            }
            OBSERVED.set(OBSERVED.get() + 1);
            continue;
        }
        let keys = |c: &Collector| c.traces.keys().cloned().collect::<BTreeSet<_>>();
        let (all, some) = (keys(&truth), keys(&found));
        if all != some {
            let missing = all.difference(&some).next().map(|trace| &truth.traces[trace].1);
            let odd = some.difference(&all).next().map(|trace| &found.traces[trace].1);
            return Err(format!(
                "{name}: {} of {} traces; missing {missing:?}, odd {odd:?}",
                some.len(),
                all.len()
            ));
        }
        if matches!(algorithm.promise(), Promise::EveryTraceOnce | Promise::Optimal)
            && found.traces.values().any(|seen| seen.0 > 1)
        {
            return Err(format!("{name} repeats a trace"));
        }
        if algorithm.promise() == Promise::Optimal && found.asleep > 0 {
            return Err(format!("{name} has {} sleep-set-blocked executions", found.asleep));
        }
    }
    Ok(Some(truth.traces.len()))
}

/// All outcomes; nothing if there are too many traces.
pub fn outcomes<S: Scenario>(scenario: &S, limit: u64) -> Option<BTreeSet<Outcome>> {
    let found = found(scenario, Algorithm::Optimal, limit, &mut Assumptions::default())?;
    Some(found.traces.into_values().map(|seen| seen.1).collect())
}

/// The smallest scenario that still goes wrong, with the message.
pub fn shrunk<S: Scenario>(mut scenario: S, wrong: impl Fn(&S) -> Option<String>) -> String {
    while let Some(simpler) = scenario.simpler().into_iter().find(|simpler| wrong(simpler).is_some()) {
        scenario = simpler;
    }
    format!("{scenario:?}\n{}", wrong(&scenario).unwrap_or_default())
}

/// Those with one action less.
pub fn with_one_less<A: Clone>(threads: &[Vec<A>]) -> Vec<Vec<Vec<A>>> {
    let places = (0..threads.len()).flat_map(|thread| (0..threads[thread].len()).map(move |at| (thread, at)));
    let without = |(thread, at): (usize, usize)| {
        let mut fewer = threads.to_vec();
        fewer[thread].remove(at);
        fewer
    };
    places.map(without).collect()
}

/// The seeds to compare; `SELVEDGE_LONG=1` takes more, `SELVEDGE_SEEDS=from..to` others.
pub fn seeds(usual: u64, long: u64) -> std::ops::Range<u64> {
    if let Ok(range) = std::env::var("SELVEDGE_SEEDS") {
        let (from, to) = range.split_once("..").expect("SELVEDGE_SEEDS is FROM..TO");
        return from.parse().expect("a number")..to.parse().expect("a number");
    }
    0..if std::env::var_os("SELVEDGE_LONG").is_some() { long } else { usual }
}

/// Compares the scenarios of all seeds with brute force. Returns how many were small enough.
pub fn compare_all<S: Scenario>(seeds: std::ops::Range<u64>, scenario: fn(u64) -> S) -> usize {
    let (mut compared, mut traces) = (0, 0);
    for seed in seeds {
        match compare(&scenario(seed)) {
            Ok(Some(count)) => {
                compared += 1;
                traces += count;
            }
            Ok(None) => {}
            Err(message) => {
                let small = shrunk(scenario(seed), |scenario| compare(scenario).err());
                panic!("seed {seed}: {message}\n{small}");
            }
        }
    }
    let observed = OBSERVED.get();
    println!(
        "{compared} closures with {traces} traces compared with brute force, {observed} times by observations"
    );
    compared
}

/// How often an algorithm that asks what is observed was compared.
pub fn compared_by_observations() -> usize {
    OBSERVED.get()
}
