//! Assumptions about shared memory are waits: nothing is missed by that, and nothing found that is not there.

use selvedge_explore::states::explore_states;
use selvedge_explore::{AfterViolation, Algorithm, BoundKind, Limits, Promise, Silent, explore, replay};
use selvedge_machine::failure::CutReason;
use selvedge_machine::{Assumptions, Checks, Failure, Options};
use selvedge_testkit::native::telling;
use selvedge_testkit::oracle::Check;
use selvedge_testkit::oracle_c;
use selvedge_testkit::random::Random;
use selvedge_testkit::table_c::{Template, Vocabulary, brute_force, machine};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// So many programs, many more of them with `SELVEDGE_LONG=1`, others with `SELVEDGE_SEEDS=from..to`.
fn seeds(usual: u64, long: u64) -> Range<u64> {
    if let Ok(range) = std::env::var("SELVEDGE_SEEDS") {
        let (from, to) = range.split_once("..").expect("SELVEDGE_SEEDS is FROM..TO");
        return from.parse().expect("a number")..to.parse().expect("a number");
    }
    0..if std::env::var_os("SELVEDGE_LONG").is_some() { long } else { usual }
}

/// The failures that an algorithm finds, and the number of executions; nothing if it does not treat the program.
fn found(text: &str, algorithm: Algorithm, options: Options) -> Option<(BTreeSet<Failure>, u64)> {
    let options = Options { telling: telling(algorithm), ..options };
    let limits = Limits { after_violation: AfterViolation::KeepGoing, ..Limits::default() };
    let (exploration, explored) =
        explore(machine(text, options).expect("it can be read"), algorithm, limits, &mut Silent);
    if explored.cuts().iter().any(|cut| matches!(cut.reason, CutReason::Untold(_))) {
        return None;
    }
    assert!(exploration.stop.is_none() && exploration.statistics.cut == 0, "{:?}", explored.cuts());
    for violation in &exploration.violations {
        let replayed = replay(explored.again(), &violation.schedule, &violation.failure);
        assert!(replayed.is_ok(), "{}: {:?}", algorithm.name(), violation.failure);
    }
    let failures = exploration.violations.into_iter().map(|violation| violation.failure).collect();
    Some((failures, exploration.statistics.maximal()))
}

/// All algorithms find the failures of the program as it is written, in which a thread reads and stops if the assumption is false.
#[test]
fn waiting_for_assumptions_changes_no_failures() {
    let temporary = tempfile::tempdir().expect("there is room for temporary files");
    let folder = temporary.path();
    let template = Template::compile(folder).expect("it compiles");
    let (mut compared, mut failing, mut fewer) = (0, 0, 0);
    for seed in seeds(200, 20_000) {
        let mut random = Random::new(seed);
        let (text, table) = template.vary(&mut random, Vocabulary::Assumptions);
        let checks = match random.below(2) {
            0 => Checks { assertions: true, ..Checks::NONE },
            _ => Checks::default(),
        };
        let options = Options { checks, ..Options::default() };
        let as_written = Options { assumptions: Assumptions::Drop, ..options };
        let mut written = machine(&text, as_written).expect("it can be read");
        let Some(truth) = brute_force(&mut written, BoundKind::Preemptions, 3_000) else { continue };
        for algorithm in Algorithm::ALL {
            let Some((failures, _)) = found(&text, algorithm, options) else { continue };
            assert_eq!(failures, truth.failures, "seed {seed}, {}, {table}", algorithm.name());
        }
        let module = Arc::new(selvedge_llvm::read(&text).expect("it can be read"));
        if let Check::Wrong(message) = oracle_c::check_all(&module, options, 3_000) {
            panic!("seed {seed}, {table}: {message}");
        }
        let mut states = machine(&text, options).expect("it can be read");
        if let Some((by_states, _)) = explore_states(&mut states, &Limits::default()) {
            assert_eq!(by_states.violations.is_empty(), truth.failures.is_empty(), "seed {seed}, {table}");
        }
        assert_eq!(Algorithm::Optimal.promise(), Promise::Optimal);
        let executions = |options| found(&text, Algorithm::Optimal, options).map_or(0, |found| found.1);
        let (waiting, dropping) = (executions(options), executions(as_written));
        assert!(waiting <= dropping, "seed {seed}, {table}: {waiting} executions, {dropping} as written");
        compared += 1;
        failing += u64::from(!truth.failures.is_empty());
        fewer += u64::from(waiting < dropping);
    }
    println!("{compared} programs compared, {failing} of them fail, {fewer} have fewer executions");
    assert!(
        compared > 50 && failing > 10 && fewer > 10,
        "{compared} compared, {failing} fail, {fewer} fewer"
    );
}
