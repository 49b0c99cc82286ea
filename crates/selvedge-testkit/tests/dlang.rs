//! The programs in dlang have the published, corrected numbers of traces, at the size written down and at others.

use selvedge_explore::{Algorithm, Limits, Silent, explore};
use selvedge_interp::Interpreter;

fn read(path: &str) -> String {
    let path = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("the program exists")
}

fn traces(text: &str, algorithm: Algorithm) -> u64 {
    let program = match selvedge_lang::compile_dlang("test.d", text) {
        Ok(program) => program,
        Err(errors) => panic!("{errors:#?}\n{text}"),
    };
    assert_eq!(selvedge_ir::check::check(&program), Ok(()));
    let (exploration, _) = explore(Interpreter::new(&program), algorithm, Limits::default(), &mut Silent);
    assert!(exploration.violations.is_empty());
    exploration.statistics.maximal()
}

fn expect(text: &str, count: u64) {
    for algorithm in [Algorithm::Source, Algorithm::Optimal] {
        assert_eq!(traces(text, algorithm), count, "under {}:\n{text}", algorithm.name());
    }
}

/// A benchmark as written down, and with another number of processes.
fn benchmark(name: &str, size: u32, resized: impl Fn(&str, u32) -> String, counts: &[(u32, u64)]) {
    let text = read(&format!("benches/lazypor/{name}.d"));
    for &(n, count) in counts {
        expect(&resized(&text, n), count);
    }
    let written = counts.iter().find(|(n, _)| *n == size).expect("its own size is among them");
    expect(&text, written.1);
}

#[test]
fn readers_writers() {
    let resized =
        |text: &str, n: u32| text.replace("12", &(n - 1).to_string()).replace("\" 13,", &format!("\" {n},"));
    benchmark("readers-writers", 13, resized, &[(2, 2), (5, 16), (10, 512), (13, 4096)]);
}

#[test]
fn the_example_of_the_thesis_runs_as_printed() {
    assert_eq!(traces(&read("examples/readers_writers.d"), Algorithm::Optimal), 1 << 20);
}

#[test]
fn branching() {
    let resized = |text: &str, n: u32| text.replace('6', &n.to_string());
    let counts = [(2, 11), (3, 28), (4, 103), (5, 311), (6, 1010), (7, 3165)];
    benchmark("branching", 6, resized, &counts);
}

#[test]
fn indexer() {
    let resized = |text: &str, n: u32| text.replace("13", &n.to_string());
    benchmark("indexer", 13, resized, &[(1, 1), (11, 1), (12, 8), (13, 64), (14, 512)]);
}

#[test]
fn indexer_small() {
    let resized = |text: &str, n: u32| text.replace("10", &n.to_string());
    benchmark("indexer-small", 10, resized, &[(1, 1), (2, 1), (5, 8), (10, 256), (12, 1024)]);
}

#[test]
fn a_conditional_with_and_without_branches_reads_alike() {
    expect("<2, x 1> [x := 1] [if x == 0]", 2);
    expect("<2, x 1, local v 1> [x := 1] [if x == 0 then { v := 1 }]", 2);
}

#[test]
fn a_statement_is_one_transition_however_much_it_reads() {
    expect("<2, x 1> <{2 [x := x + 1] }>", 2);
    expect("<2, x 1, local v 1> <{2 [v := x x := v + 1] }>", 4);
}

#[test]
fn a_failed_comp_swap_only_reads() {
    expect("<2, x 1 5> <{2 [comp-swap(x, 0, 1)] }>", 1);
    expect("<2, x 1> <{2 [comp-swap(x, 0, 1)] }>", 2);
}

#[test]
fn loops_end_when_their_condition_fails() {
    expect("<2, x 1, local i 1> <{2 [while i < 2 { x := x + 1 i := i + 1 }] }>", 6);
    expect("<2, flag 1, local i 1> [while i < 3 { if flag == 1 i := i + 1 }] [flag := 1]", 4);
}
