//! On random programs every algorithm finds exactly what brute force finds.
//!
//! `SELVEDGE_LONG=1` runs more programs, `SELVEDGE_SEEDS=from..to` others, `SELVEDGE_ALGORITHM=name` one algorithm only. A program that fails is made smaller
//! and printed: keep it, with a header, in `corpus/regressions`.

use selvedge_testkit::bounded;
use selvedge_testkit::generate::{self, RandomProgram, assuming, choosing, floating, joining, spawning};
use selvedge_testkit::oracle::{self, Check};
use selvedge_testkit::stateful;
use selvedge_testkit::tickets::Tickets;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Interleavings up to which a program is compared with brute force.
const LIMIT: usize = 4000;

/// What is checked of each program.
type Oracle = fn(&selvedge_ir::Program, usize) -> Check;

/// Programs made by a generator, and what is checked of them.
#[derive(Clone, Copy)]
struct Claim {
    text: fn(&RandomProgram) -> String,
    oracle: Oracle,
}

fn check(program: &RandomProgram, claim: Claim) -> Check {
    check_text(&(claim.text)(program), claim.oracle)
}

fn check_text(text: &str, oracle: Oracle) -> Check {
    let program = match selvedge_lang::compile("random.sel", text, &BTreeMap::new()) {
        Ok(program) => program,
        Err(diagnostics) => return Check::Wrong(format!("does not compile: {diagnostics:?}")),
    };
    if let Err(faults) = selvedge_ir::check::check(&program) {
        return Check::Wrong(format!("ill-formed: {faults:?}"));
    }
    let printed = selvedge_ir::print::print(&program);
    if selvedge_ir::parse::parse(&printed).as_ref() != Ok(&program) {
        return Check::Wrong("the text form of the IR does not read back".to_owned());
    }
    let outcome = std::panic::catch_unwind(|| oracle(&program, LIMIT));
    outcome.unwrap_or_else(|_| Check::Wrong("panic".to_owned()))
}

fn seeds() -> Range<u64> {
    if let Ok(range) = std::env::var("SELVEDGE_SEEDS") {
        let (from, to) = range.split_once("..").expect("SELVEDGE_SEEDS is FROM..TO");
        return from.parse().expect("a number")..to.parse().expect("a number");
    }
    match std::env::var_os("SELVEDGE_LONG") {
        Some(_) => 0..400_000,
        None => 0..22_500,
    }
}

/// The first of these seeds, a fourth of all.
fn a_fourth(seeds: Range<u64>) -> Range<u64> {
    seeds.start..seeds.start + (seeds.end - seeds.start) / 4
}

#[test]
fn every_algorithm_keeps_its_promise_on_random_programs() {
    hold_to(Claim { text: RandomProgram::to_string, oracle: oracle::check_all });
}

#[test]
fn within_bounds_every_algorithm_keeps_its_promise_on_random_programs() {
    hold_to(Claim { text: RandomProgram::to_string, oracle: bounded::check_all });
}

#[test]
fn states_and_hunts_agree_with_brute_force_on_random_programs() {
    hold_to(Claim { text: RandomProgram::to_string, oracle: stateful::check_all });
}

/// Coarser equivalences do not preserve memory that nobody reads; here `finally` reads all of it.
#[test]
fn what_is_read_in_the_end_is_found_on_random_programs() {
    hold_to(Claim { text: with_reads_in_the_end, oracle: oracle::check_coarser });
}

fn with_reads_in_the_end(program: &RandomProgram) -> String {
    let program = RandomProgram { finally: None, ..program.clone() };
    format!("{program}finally {{ let x1 = x; let y1 = y; let z1 = z; let a1 = a[0]; let a2 = a[1]; }}\n")
}

#[test]
fn the_order_of_replaced_values_is_found_where_somebody_looks() {
    check_texts(seeds(), floating, oracle::check_coarser);
}

#[test]
fn what_shared_memory_chooses_is_found_by_every_algorithm() {
    check_texts(a_fourth(seeds()), choosing, oracle::check_all);
}

#[test]
fn within_bounds_threads_that_come_and_go_have_the_traces_of_brute_force() {
    check_texts(seeds(), spawning, bounded::check_all);
}

#[test]
fn within_bounds_threads_that_wait_for_others_have_the_traces_of_brute_force() {
    check_texts(a_fourth(seeds()), joining, bounded::check_all);
}

#[test]
fn threads_that_come_and_go_are_explored_by_every_algorithm() {
    check_texts(a_fourth(seeds()), spawning, oracle::check_all);
}

/// What is checked of programs that wait for assumptions.
const ASSUMPTIONS: [Oracle; 3] =
    [oracle::check_assumptions, bounded::check_assumptions, stateful::check_assumptions];

#[test]
fn waiting_for_assumptions_changes_only_what_ends_at_one() {
    let seeds = seeds();
    let count = match std::env::var_os("SELVEDGE_LONG") {
        Some(_) => 26_000,
        None => (seeds.end - seeds.start) / 12,
    };
    for oracle in ASSUMPTIONS {
        check_texts(seeds.start..seeds.start + count, assuming, oracle);
    }
}

#[test]
fn waiting_for_assumptions_among_everything_else_changes_nothing_else() {
    let seeds = seeds();
    let some = |seed: u64| generate::program(seed).to_string();
    check_texts(seeds.start..seeds.start + (seeds.end - seeds.start) / 12, some, oracle::check_assumptions);
}

fn check_texts(seeds: Range<u64>, text: fn(u64) -> String, oracle: Oracle) {
    check_seeds(seeds, &|seed| {
        let text = text(seed);
        let check = check_text(&text, oracle);
        if let Check::Wrong(message) = &check {
            panic!("seed {seed}: {message}\n{text}");
        }
        check
    });
}

fn hold_to(claim: Claim) {
    check_seeds(seeds(), &|seed| {
        let check = check(&generate::program(seed), claim);
        if let Check::Wrong(message) = &check {
            report(seed, message, claim);
        }
        check
    });
}

/// Checks the programs of all seeds. Most of them must be small enough.
fn check_seeds(seeds: Range<u64>, check: &(dyn Fn(u64) -> Check + Sync)) {
    let tickets = Tickets::new(seeds.clone());
    let (passed, traces) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        while let Some(seed) = tickets.take() {
            if let Check::Passed(count) = check(seed) {
                passed.fetch_add(1, Ordering::Relaxed);
                traces.fetch_add(count, Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            if let Err(panic) = worker.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
    let (passed, traces) = (passed.into_inner(), traces.into_inner());
    println!("{passed} programs with {traces} traces compared with brute force");
    let all = (seeds.end - seeds.start) as usize;
    assert!(passed * 5 >= all * 4, "{} of {all} programs are too large for brute force", all - passed);
    assert!(all < 22_500 || passed >= 20_000, "only {passed} programs were compared");
}

fn report(seed: u64, message: &str, claim: Claim) {
    let kind: String = message.chars().take(12).collect();
    let still_fails = |program: &RandomProgram| match check(program, claim) {
        Check::Wrong(other) => other.starts_with(&kind),
        Check::Passed(_) | Check::TooLarge => false,
    };
    let smaller = generate::shrink(generate::program(seed), &still_fails);
    panic!("seed {seed}: {message}\nmade smaller: {:?}\n{}", check(&smaller, claim), (claim.text)(&smaller));
}
