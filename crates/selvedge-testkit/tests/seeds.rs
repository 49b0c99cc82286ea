//! The benchmark programs of the source documents have the published, corrected numbers of traces.

use selvedge_explore::{Algorithm, Bound, BoundKind, Limits, Promise, Silent, Statistics, explore};
use selvedge_interp::Interpreter;
use std::collections::BTreeMap;

fn statistics(name: &str, n: i64, algorithm: Algorithm) -> Statistics {
    let path = format!("{}/../../benches/seeds/{name}.sel", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the benchmark exists");
    let defines = BTreeMap::from([("N".to_owned(), n)]);
    let program = selvedge_lang::compile(&path, &text, &defines).expect("the benchmark compiles");
    let (exploration, _) = explore(Interpreter::new(&program), algorithm, Limits::default(), &mut Silent);
    assert!(exploration.violations.is_empty());
    exploration.statistics
}

fn traces(name: &str, n: i64, algorithm: Algorithm) -> u64 {
    statistics(name, n, algorithm).maximal()
}

/// The algorithms that explore each trace once, but for the one that takes too long on the larger sizes.
fn exact() -> impl Iterator<Item = Algorithm> {
    let once = |a: &Algorithm| matches!(a.promise(), Promise::EveryTraceOnce | Promise::Optimal);
    Algorithm::ALL.into_iter().filter(once).filter(|&a| a != Algorithm::Sleep)
}

fn expect(name: &str, counts: &[(i64, u64)]) {
    for &(n, count) in counts {
        for algorithm in exact() {
            assert_eq!(traces(name, n, algorithm), count, "{name}({n}) under {}", algorithm.name());
        }
    }
}

#[test]
fn readers_writers() {
    expect("readers-writers", &[(2, 2), (5, 16), (10, 512), (13, 4096)]);
}

#[test]
fn ring() {
    expect("ring", &[(2, 2), (3, 6), (8, 254), (10, 1022)]);
}

#[test]
fn ring_extended() {
    expect("ring-extended", &[(2, 6), (3, 90), (4, 786), (5, 5730)]);
}

#[test]
fn branching() {
    expect("branching", &[(2, 11), (3, 28), (4, 103), (5, 311), (6, 1010), (7, 3165)]);
}

#[test]
fn last_zero() {
    expect("last-zero", &[(2, 2), (3, 6), (5, 40), (10, 2560)]);
}

#[test]
fn shared_pointer() {
    expect("shared-pointer", &[(1, 3), (10, 21), (20, 41)]);
}

#[test]
fn indexer() {
    expect("indexer", &[(11, 1), (12, 8), (13, 64)]);
}

#[test]
fn indexer_small() {
    expect("indexer-small", &[(2, 1), (5, 8), (10, 256)]);
}

#[test]
fn float_read() {
    expect("float-read", &[(1, 2), (3, 24), (5, 720)]);
}

/// Programs whose threads neither wait nor branch are one section.
#[test]
fn a_single_section_is_compared_once_and_nothing_ends_asleep() {
    for (name, n, pairs) in [("readers-writers", 12, 11), ("ring", 10, 10), ("ring-extended", 5, 20)] {
        for algorithm in [Algorithm::Eager, Algorithm::EagerAdaptive, Algorithm::Lazy] {
            let statistics = statistics(name, n, algorithm);
            let checks = (statistics.dependency_checks, statistics.race_checks);
            assert_eq!(checks, (pairs, 0), "{name}({n}) under {}", algorithm.name());
            assert_eq!(statistics.sleep_set_blocked, 0, "{name}({n}) under {}", algorithm.name());
        }
    }
}

#[test]
fn stored_states_spare_most_executions_of_the_indexer() {
    let statistics = statistics("indexer", 15, Algorithm::LazyStateful);
    assert_eq!(statistics.complete, 16);
    assert!(statistics.at_known_state > 0 && statistics.transitions < 1000, "{statistics:?}");
}

/// Two threads that each read and write a variable: the other order takes no preemption either, but the naive search
/// would have to preempt to get there.
#[test]
fn the_naive_search_within_a_bound_misses_a_trace_that_the_sound_ones_find() {
    let text = "shared x = 0; thread t[2] { let v = x; x = v + 1; }";
    let program = selvedge_lang::compile("naive.sel", text, &BTreeMap::new()).expect("it compiles");
    let bound = Bound { kind: BoundKind::Preemptions, limit: 0 };
    let limits = Limits { bound: Some(bound), ..Limits::default() };
    let within = |algorithm| {
        let (exploration, _) = explore(Interpreter::new(&program), algorithm, limits, &mut Silent);
        (exploration.statistics.maximal(), exploration.statistics.over_bound > 0)
    };
    assert_eq!(within(Algorithm::NaiveBounded), (1, true));
    for algorithm in [
        Algorithm::ClassicBounded,
        Algorithm::NidhuggBounded,
        Algorithm::SourceBounded,
        Algorithm::LazyBounded,
    ] {
        assert_eq!(within(algorithm).0, 2, "{}", algorithm.name());
    }
}
