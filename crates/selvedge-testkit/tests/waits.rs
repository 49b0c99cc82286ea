//! On random C programs that wait in every way, every algorithm finds exactly the traces of brute force.
//!
//! `SELVEDGE_LONG=1` runs 20 000 programs, `SELVEDGE_SEEDS=from..to` others, `SELVEDGE_ALGORITHM=name` one algorithm only.

use selvedge_machine::Options;
use selvedge_testkit::oracle::Check;
use selvedge_testkit::random::Random;
use selvedge_testkit::{batch_c, oracle_c, waiting_c};
use std::ops::Range;

/// Interleavings up to which a program is compared with brute force.
const LIMIT: u64 = 1000;

/// How many programs are compiled at once.
const BATCH: u64 = 50;

fn seeds(usual: u64) -> Range<u64> {
    if let Ok(range) = std::env::var("SELVEDGE_SEEDS") {
        let (from, to) = range.split_once("..").expect("SELVEDGE_SEEDS is FROM..TO");
        return from.parse().expect("a number")..to.parse().expect("a number");
    }
    match std::env::var_os("SELVEDGE_LONG") {
        Some(_) => 0..20_000,
        None => 0..usual,
    }
}

/// Compares every algorithm with brute force.
fn hold_to_brute_force(options: Options) {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let source = folder.path().join("batch.c");
    let (mut compared, mut traces, mut wrong) = (0, 0, Vec::new());
    let all = seeds(500);
    for from in all.clone().step_by(BATCH as usize) {
        let batch = from..all.end.min(from + BATCH);
        let programs: Vec<String> =
            batch.clone().map(|seed| waiting_c::program(&mut Random::new(seed))).collect();
        let modules = batch_c::modules(waiting_c::WORLD, waiting_c::PREFIX, &programs, &source);
        let modules = modules.expect("the programs compile");
        for ((seed, program), module) in batch.zip(&programs).zip(&modules) {
            match oracle_c::check_all(module, options, LIMIT) {
                Check::Passed(found) => (compared, traces) = (compared + 1, traces + found),
                Check::TooLarge => {}
                Check::Wrong(message) => {
                    let text = batch_c::alone("", waiting_c::PREFIX, program);
                    wrong.push(format!("seed {seed}: {message}\n{text}"));
                }
            }
        }
    }
    println!("{compared} programs compared, {traces} traces; {} wrong", wrong.len());
    assert!(
        wrong.is_empty(),
        "{} programs, among them\n{}",
        wrong.len(),
        wrong[..wrong.len().min(5)].join("\n")
    );
    assert!(compared as u64 * 2 > all.end - all.start, "most programs are too large");
}

#[test]
fn every_kind_of_wait_has_the_traces_of_brute_force() {
    hold_to_brute_force(Options::default());
}

#[test]
fn waits_that_end_without_a_signal_have_the_traces_of_brute_force() {
    hold_to_brute_force(Options { spurious_wakeups: true, ..Options::default() });
}
