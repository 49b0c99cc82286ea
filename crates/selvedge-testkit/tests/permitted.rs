//! `check --schedule` against brute force: the search of the states that a schedule permits finds what all permitted interleavings
//! have, of right schedules and of wrong ones, and ends in the states to which the tree of the schedule leads.

use selvedge_certificate::Claim;
use selvedge_certificate::certificate::fingerprint;
use selvedge_enforce::Orders;
use selvedge_impact::iterate::{Progress, Schedules};
use selvedge_impact::{Limits, Naming, Prover};
use selvedge_ir::Program;
use selvedge_schedule::Schedule;
use selvedge_symbolic::movers::Blocks;
use selvedge_testkit::generate;
use selvedge_testkit::permitted::{by_brute_force, by_certificate, by_states};
use selvedge_testkit::proving::solver;
use selvedge_testkit::random::Random;
use selvedge_testkit::tickets::Tickets;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;
use std::time::{Duration, Instant};

fn seeds() -> Range<u64> {
    if let Ok(range) = std::env::var("SELVEDGE_SEEDS") {
        let (from, to) = range.split_once("..").expect("SELVEDGE_SEEDS is FROM..TO");
        return from.parse().expect("a number")..to.parse().expect("a number");
    }
    match std::env::var_os("SELVEDGE_LONG") {
        Some(_) => 0..10_000,
        None => 0..600,
    }
}

/// A random program, and one of two of them with what its threads do in functions that call each other.
fn program(seed: u64) -> (String, Program) {
    let mut text = generate::program(seed).to_string();
    if seed % 2 == 1 {
        let name = |line: &str| {
            let head = line.strip_prefix("thread ")?;
            Some(head.split(|c: char| !c.is_alphanumeric() && c != '_').next()?.to_owned())
        };
        let mut out = String::new();
        let mut threads = String::new();
        for line in text.lines() {
            match name(line) {
                Some(name) => {
                    out.push_str(&format!("fn does_{name}() {{\n"));
                    let head = line.trim_end_matches('{');
                    threads.push_str(&format!("fn calls_{name}() {{ does_{name}(); }}\n"));
                    threads.push_str(&format!("{head} {{ calls_{name}(); }}\n"));
                }
                None => out.push_str(&format!("{line}\n")),
            }
        }
        text = out + &threads;
    }
    let program = selvedge_lang::compile("random.sel", &text, &BTreeMap::new());
    let program = program.unwrap_or_else(|error| panic!("seed {seed}: {error:?}\n{text}"));
    (text, program)
}

/// A change that may make a schedule wrong.
fn change(schedule: &mut Schedule, random: &mut Random) {
    let nodes = schedule.nodes.len();
    let number = random.below(schedule.sections.len());
    let section = &mut schedule.sections[number];
    let event = random.below(section.events.len());
    match random.below(5) {
        0 => section.order.clear(),
        1 if !section.order.is_empty() => drop(section.order.remove(0)),
        2 => section.to = random.below(nodes),
        3 => section.events[event].transition = random.below(3),
        _ => drop(schedule.sections.remove(number)),
    }
}

#[test]
fn the_search_of_states_finds_what_all_permitted_interleavings_have() {
    let tickets = Tickets::new(seeds());
    let counts = Mutex::new(BTreeMap::<&str, usize>::new());
    let count = |what| *counts.lock().expect("no panic").entry(what).or_default() += 1;
    let work = || {
        while let Some(seed) = tickets.take() {
            let (text, program) = program(seed);
            let deadline = Some(Instant::now() + Duration::from_secs(5));
            let limits = Limits { deadline, ..Limits::default() };
            let Ok(mut prover) = Prover::new(&program, solver(), Blocks::Merged, limits) else {
                continue;
            };
            let mut schedules = Schedules::new(&mut prover);
            for _ in 0..3 {
                match schedules.iteration(&mut prover) {
                    Ok(Progress::Larger) => {}
                    Ok(Progress::Counterexample(_)) => continue,
                    Ok(Progress::None) | Err(_) => break,
                }
                let schedule = prover.schedule(&schedules.tree, fingerprint(&program), Naming::NONE);
                let schedule = Schedule::parse(&schedule.to_string()).expect("reads back");
                let Some(found) = by_states(&program, &schedule, Orders::Different) else {
                    count("too much");
                    break;
                };
                assert!(
                    found.failures.is_empty() && !found.is_lost,
                    "seed {seed}: {found:?}\n{schedule}\n{text}"
                );
                if let Some(all) = by_brute_force(&program, &schedule, 2000) {
                    assert_eq!(found, all, "seed {seed}\n{schedule}\n{text}");
                    count("brute force agrees");
                }
                let certificate = prover.certificate(&program, &schedules.tree, Claim::SomeSchedules);
                match by_certificate(&program, &certificate, 300) {
                    Ok(None) => {}
                    Ok(Some(finals)) => {
                        assert_eq!(found.finals, finals, "seed {seed}\n{schedule}\n{text}");
                        count("the tree agrees");
                    }
                    Err(error) => panic!("seed {seed}: {error}\n{schedule}\n{text}"),
                }
                let mut random = Random::new(seed);
                for _ in 0..4 {
                    let mut wrong = schedule.clone();
                    change(&mut wrong, &mut random);
                    count(compare_changed(&program, &wrong, &format!("seed {seed}\n{wrong}\n{text}")));
                }
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
    let counts = counts.into_inner().expect("no panic");
    println!("{counts:#?}");
    let of = |what: &str| counts.get(what).copied().unwrap_or(0);
    let few = seeds().end - seeds().start < 300;
    assert!(
        few || (of("brute force agrees") > 100
            && of("the tree agrees") > 100
            && of("wrong") + of("lost") > 100)
    );
}

/// Compares what is found under a schedule that may be wrong; what it is.
fn compare_changed(program: &Program, schedule: &Schedule, told: &str) -> &'static str {
    let Some(brute) = by_brute_force(program, schedule, 1000) else { return "too much" };
    let all = by_states(program, schedule, Orders::All).expect("fewer than all interleavings");
    assert_eq!(brute, all, "{told}");
    let one = by_states(program, schedule, Orders::Different).expect("fewer than all interleavings");
    let is_right = brute.failures.is_empty() && !brute.is_lost;
    assert_eq!(is_right, one.failures.is_empty() && !one.is_lost, "{one:?} {brute:?} {told}");
    if is_right {
        assert_eq!(brute.finals, one.finals, "{told}");
        return "still right";
    }
    if brute.failures.is_empty() { "lost" } else { "wrong" }
}
