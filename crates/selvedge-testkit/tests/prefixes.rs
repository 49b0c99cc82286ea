//! Every continuation of every trace prefix that a search reports is safe, in whatever order, and no prefix is longer than it has to be.
//!
//! `SELVEDGE_LONG=1` runs more programs, `SELVEDGE_SEEDS=from..to` others.

use selvedge_explore::Algorithm;
use selvedge_testkit::generate::{self, assuming, choosing, joining, spawning};
use selvedge_testkit::oracle::{Check, Subject};
use selvedge_testkit::random::Random;
use selvedge_testkit::table_c::{self, Template, Vocabulary};
use selvedge_testkit::{batch_c, prefixes, prefixes_c, waiting_c};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Steps of brute force up to which a program is checked.
const STEPS: usize = 20_000;

fn seeds(usual: u64) -> Range<u64> {
    if let Ok(range) = std::env::var("SELVEDGE_SEEDS") {
        let (from, to) = range.split_once("..").expect("SELVEDGE_SEEDS is FROM..TO");
        return from.parse().expect("a number")..to.parse().expect("a number");
    }
    match std::env::var_os("SELVEDGE_LONG") {
        Some(_) => 0..100_000,
        None => 0..usual,
    }
}

/// Checks programs and says how many there were.
#[derive(Default)]
struct Tally {
    checked: usize,
    /// Programs in which a violation keeps a prefix, or nothing is safe.
    with_violations: usize,
    wrong: Vec<String>,
}

impl Tally {
    fn add(&mut self, check: Check, program: &str) {
        match check {
            Check::Passed(kept) => {
                self.checked += 1;
                self.with_violations += usize::from(kept > 0);
            }
            Check::TooLarge => {}
            Check::Wrong(message) => self.wrong.push(format!("{message}\n{program}")),
        }
    }

    /// All of so many are right, and most could be checked.
    fn conclude(self, programs: u64) {
        let Tally { checked, with_violations, wrong } = self;
        println!(
            "{checked} of {programs} programs checked, {with_violations} with violations; {} wrong",
            wrong.len()
        );
        let few = wrong[..wrong.len().min(3)].join("\n");
        assert!(wrong.is_empty(), "{} programs, among them\n{few}", wrong.len());
        assert!(checked as u64 * 3 > programs, "most programs are too large");
        assert!(with_violations * 20 > checked, "there are violations to stop prefixes");
    }
}

/// Programs of the modelling language.
fn hold_to_brute_force(seeds: Range<u64>, text: impl Fn(u64) -> String) {
    let mut tally = Tally::default();
    for seed in seeds.clone() {
        let text = text(seed);
        let program =
            selvedge_lang::compile("random.sel", &text, &BTreeMap::new()).expect("random programs compile");
        let check = prefixes::check_all(|| Subject::as_written(&program).interpreter(), STEPS);
        tally.add(check, &format!("seed {seed}\n{text}"));
    }
    tally.conclude(seeds.end - seeds.start);
}

#[test]
fn prefixes_of_random_programs_are_safe() {
    hold_to_brute_force(seeds(4000), |seed| generate::program(seed).to_string());
}

#[test]
fn prefixes_of_programs_with_threads_that_come_and_go_are_safe() {
    hold_to_brute_force(seeds(1000), spawning);
    hold_to_brute_force(seeds(1000), joining);
}

#[test]
fn prefixes_of_programs_with_choices_are_safe() {
    hold_to_brute_force(seeds(1000), choosing);
}

#[test]
fn prefixes_of_programs_that_assume_are_safe() {
    hold_to_brute_force(seeds(1000), assuming);
}

#[test]
fn prefixes_of_tables_in_c_are_safe() {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let template = Template::compile(folder.path()).expect("clang compiles the tables");
    let (mut tally, seeds) = (Tally::default(), seeds(3000));
    for seed in seeds.clone() {
        let random = &mut Random::new(seed);
        let vocabulary = if seed % 2 == 0 { Vocabulary::Plain } else { Vocabulary::Assumptions };
        let (text, told) = template.vary(random, vocabulary);
        let machine = || table_c::machine(&text, selvedge_machine::Options::default()).expect("tables run");
        tally.add(prefixes::check_all(machine, STEPS), &format!("seed {seed}: {told}"));
    }
    tally.conclude(seeds.end - seeds.start);
}

/// How many programs are compiled at once.
const BATCH: u64 = 50;

/// The algorithm for a program.
fn algorithm(seed: u64) -> Algorithm {
    let all: Vec<Algorithm> = prefixes::algorithms().collect();
    all[seed as usize % all.len()]
}

#[test]
fn prefixes_of_tables_in_c_permit_only_safe_executions_as_they_are_written() {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let template = Template::compile(folder.path()).expect("clang compiles the tables");
    let (mut tally, seeds) = (Tally::default(), seeds(1000));
    for seed in seeds.clone() {
        let vocabulary = if seed % 2 == 0 { Vocabulary::Plain } else { Vocabulary::Assumptions };
        let (text, told) = template.vary(&mut Random::new(seed), vocabulary);
        let module = Arc::new(selvedge_llvm::read(&text).expect("tables read"));
        tally.add(prefixes_c::check(&module, algorithm(seed), STEPS), &format!("seed {seed}: {told}"));
    }
    tally.conclude(seeds.end - seeds.start);
}

#[test]
fn prefixes_of_programs_that_wait_permit_only_safe_executions_as_they_are_written() {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let source = folder.path().join("batch.c");
    let (mut tally, all) = (Tally::default(), seeds(500));
    for from in all.clone().step_by(BATCH as usize) {
        let batch = from..all.end.min(from + BATCH);
        let programs: Vec<String> =
            batch.clone().map(|seed| waiting_c::program(&mut Random::new(seed))).collect();
        let modules = batch_c::modules(waiting_c::WORLD, waiting_c::PREFIX, &programs, &source);
        for ((seed, program), module) in batch.zip(&programs).zip(&modules.expect("the programs compile")) {
            let text = batch_c::alone("", waiting_c::PREFIX, program);
            tally.add(prefixes_c::check(module, algorithm(seed), STEPS), &format!("seed {seed}\n{text}"));
        }
    }
    tally.conclude(all.end - all.start);
}
