//! Schedules and certificates that are changed, line by line: nothing wrong is accepted.
//!
//! `SELVEDGE_LONG=1` changes 20 000 schedules, `SELVEDGE_SEEDS=from..to` those of other programs.

use selvedge_certificate::certificate::fingerprint;
use selvedge_certificate::states::{self, StateCertificate};
use selvedge_certificate::{Certificate, Claim, check};
use selvedge_enforce::confirm::confirm;
use selvedge_enforce::induction;
use selvedge_explore::{Limits as Bounds, Silent};
use selvedge_impact::iterate::{Progress, Schedules};
use selvedge_impact::{Limits, Naming, Prover};
use selvedge_ir::Program;
use selvedge_schedule::Schedule;
use selvedge_smt::Patience;
use selvedge_symbolic::movers::Blocks;
use selvedge_testkit::adherence::{Judgement, judge};
use selvedge_testkit::generate;
use selvedge_testkit::mutation::mutated;
use selvedge_testkit::proving::{Verdict, explored_to, solver};
use selvedge_testkit::random::Random;
use selvedge_testkit::tickets::Tickets;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;
use std::time::{Duration, Instant};

fn seeds(usual: u64, long: u64) -> Range<u64> {
    if let Ok(range) = std::env::var("SELVEDGE_SEEDS") {
        let (from, to) = range.split_once("..").expect("SELVEDGE_SEEDS is FROM..TO");
        return from.parse().expect("a number")..to.parse().expect("a number");
    }
    match std::env::var_os("SELVEDGE_LONG") {
        Some(_) => 0..long,
        None => 0..usual,
    }
}

/// Configurations up to which schedules are judged by their definition.
const MOST: usize = 3000;

/// Hand-written programs, in which threads wait for each other in different ways, and random ones that end or run for ever.
fn text(seed: u64) -> String {
    let written = [
        "shared x;\nthread a { loop { x = 1; } }\nthread b { loop { x = 2; } }\n",
        "shared x, y;\nthread a { loop { await(x == 0); x = 1; } }\nthread b { loop { await(x == 1); y = 1 - y; x = 0; } }\n",
        "shared x, y, z;\nmutex m;\nthread a { loop { lock(m); x = 1 - x; unlock(m); y = 1 - y; } }\n\
         thread b { loop { lock(m); x = 0; unlock(m); z = 1 - z; } }\n",
        "shared x;\nbarrier b(2);\nthread t[2] { loop { wait(b); x = self; } }\n",
        "shared x, c;\nthread a { loop { c = nondet(0..3); x = 1; } }\nthread b { loop { await(x == 1); x = 0; } }\n",
        "shared x, y;\nthread a { loop { x = 1 - x; } }\nthread b { loop { y = 1 - y; } }\nthread c { await(x == 1 && y == 1); x = 0; }\n",
    ];
    match written.get(seed as usize) {
        Some(text) => (*text).to_owned(),
        None if seed.is_multiple_of(2) => generate::endless(seed),
        None => generate::program(seed).to_string(),
    }
}

/// The first set of schedules of a program, as a schedule and as a certificate.
fn scheduled(program: &Program) -> Option<(Schedule, Certificate)> {
    let deadline = Some(Instant::now() + Duration::from_secs(5));
    let limits = Limits { deadline, ..Limits::default() };
    let mut prover = Prover::new(program, solver(), Blocks::Merged, limits).ok()?;
    prover.allow(600);
    let mut schedules = Schedules::new(&mut prover);
    loop {
        match schedules.iteration(&mut prover) {
            Ok(Progress::Larger) => break,
            Ok(Progress::Counterexample(_)) => {}
            Ok(Progress::None) | Err(_) => return None,
        }
    }
    let schedule = prover.schedule(&schedules.tree, fingerprint(program), Naming::NONE);
    Some((schedule, prover.certificate(program, &schedules.tree, Claim::SomeSchedules)))
}

/// Whether `check --schedule` accepts a text.
fn is_accepted(program: &Program, text: &str) -> bool {
    let Ok(schedule) = Schedule::parse(text) else { return false };
    if schedule.program != fingerprint(program) {
        return false;
    }
    let bounds = Bounds { executions: Some(20_000), depth: 3000, ..Bounds::default() };
    let confirmed = confirm(program, &schedule, bounds, solver(), &mut Silent);
    confirmed.is_ok_and(|confirmed| confirmed.is_confirmed())
}

/// What a changed schedule turned out to be.
fn compare(program: &Program, changed: &str, told: &str, random: &mut Random) -> &'static str {
    let is_accepted = is_accepted(program, changed);
    let Ok(schedule) = Schedule::parse(changed) else { return "no schedule" };
    let is_its_own = schedule.program == fingerprint(program);
    assert!(is_its_own || !is_accepted, "a schedule for another program is accepted\n{told}");
    match judge(program, &schedule, MOST) {
        _ if !is_its_own => "another program",
        None if is_accepted => "accepted, not judged",
        None => "refused, not judged",
        Some(judgement) => {
            assert!(judgement == Judgement::Right || !is_accepted, "{judgement:?}\n{told}");
            if random.percent(25) && judgement == Judgement::Wrong {
                let proved = induction::prove(program, &schedule, solver());
                assert!(proved.is_err(), "a wrong schedule is proved\n{told}");
            }
            match judgement {
                Judgement::Wrong => "wrong",
                Judgement::Right if is_accepted => "right",
                // A thread that goes round in local code for ever has no step that the interpreter could perform.
                Judgement::Right => "right, but refused",
            }
        }
    }
}

#[test]
fn no_changed_schedule_is_accepted_that_is_wrong_by_definition() {
    let seeds = seeds(60, 900);
    let tickets = Tickets::new(seeds.clone());
    let counts = Mutex::new(BTreeMap::<&str, usize>::new());
    let count = |what| *counts.lock().expect("no panic").entry(what).or_default() += 1;
    in_parallel(&|| {
        while let Some(seed) = tickets.take() {
            let text = text(seed);
            let program = selvedge_lang::compile("random.sel", &text, &BTreeMap::new()).expect("compiles");
            let Some((schedule, _)) = scheduled(&program) else {
                count("programs without schedules");
                continue;
            };
            let written = schedule.to_string();
            let mut random = Random::new(seed);
            if judge(&program, &schedule, MOST) == Some(Judgement::Wrong) {
                panic!("seed {seed}: a schedule that was found is wrong\n{written}\n{text}");
            }
            for line in 0..written.lines().count() {
                let changed = mutated(&written, line, &mut random);
                let told = format!("seed {seed}, line {}\n{changed}\n{text}", line + 1);
                count(compare(&program, &changed, &told, &mut random));
            }
        }
    });
    let counts = counts.into_inner().expect("no panic");
    println!("{counts:#?}");
    let of = |what: &str| counts.get(what).copied().unwrap_or(0);
    assert!(of("right, but refused") * 50 <= of("right"), "{counts:?}");
    let few = seeds.end - seeds.start < 60;
    assert!(few || (of("wrong") > 300 && of("right") > 300 && of("no schedule") > 100), "{counts:?}");
}

/// A certificate that is accepted after a change must still prove what is true: there is no violation if it is about all schedules.
#[test]
fn no_changed_certificate_is_accepted_for_a_program_with_a_violation() {
    let seeds = seeds(40, 400);
    let is_few = seeds.end - seeds.start < 40;
    let tickets = Tickets::new(seeds);
    let counts = Mutex::new(BTreeMap::<&str, usize>::new());
    let count = |what| *counts.lock().expect("no panic").entry(what).or_default() += 1;
    in_parallel(&|| {
        while let Some(seed) = tickets.take() {
            let text = text(seed);
            let program = selvedge_lang::compile("random.sel", &text, &BTreeMap::new()).expect("compiles");
            let Some((_, certificate)) = scheduled(&program) else { continue };
            let is_unsafe = explored_to(&program, 30, 300) == Verdict::Unsafe;
            let written = certificate.to_string();
            let mut random = Random::new(seed);
            let lines = written.lines().count();
            for line in (0..lines).filter(|line| line % (1 + lines / 40) == 0) {
                let changed = mutated(&written, line, &mut random);
                let Ok(changed) = Certificate::parse(&changed) else {
                    count("no certificate");
                    continue;
                };
                let checked = check::check(&program, &changed, solver());
                assert!(
                    checked.is_err() || changed.program == fingerprint(&program),
                    "seed {seed}: a certificate for another program is accepted"
                );
                assert!(
                    checked.is_err() || changed.claim == Claim::SomeSchedules || !is_unsafe,
                    "seed {seed}, line {line}: a wrong proof is accepted\n{changed}\n{text}"
                );
                count(if checked.is_ok() { "accepted" } else { "refused" });
            }
        }
    });
    let counts = counts.into_inner().expect("no panic");
    println!("{counts:#?}");
    let of = |what: &str| counts.get(what).copied().unwrap_or(0);
    let is_enough = of("accepted") > 20 && of("refused") > 100 && of("no certificate") > 20;
    assert!(is_few || is_enough, "{counts:?}");
}

/// A list of states has no line that could be missing or different.
#[test]
fn no_changed_list_of_states_is_accepted() {
    let seeds = seeds(60, 600);
    let mut lists = 0;
    for seed in seeds.clone() {
        let text = text(seed);
        let program = selvedge_lang::compile("random.sel", &text, &BTreeMap::new()).expect("compiles");
        let Ok(list) = states::list(&program, &Patience::default()) else { continue };
        assert!(explored_to(&program, 30, 300) != Verdict::Unsafe, "seed {seed} has a violation\n{text}");
        let is_accepted = |text: &str| {
            let list = StateCertificate::parse(text);
            list.is_ok_and(|list| states::check(&program, &list, &Patience::default()).is_ok())
        };
        let written = list.to_string();
        assert!(is_accepted(&written), "seed {seed}: the list is not accepted\n{text}");
        lists += 1;
        let mut random = Random::new(seed);
        let lines = written.lines().count();
        for line in (0..lines).filter(|line| line % (1 + lines / 30) == 0) {
            let changed = mutated(&written, line, &mut random);
            let sorted = |text: &str| {
                let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                lines.sort();
                lines
            };
            // The order of the states means nothing.
            if sorted(&changed) != sorted(&written) {
                assert!(!is_accepted(&changed), "seed {seed}, line {line}\n{changed}\n{text}");
            }
        }
    }
    assert!(lists * 5 > seeds.end - seeds.start, "{lists} lists");
}

fn in_parallel(work: &(dyn Fn() + Sync)) {
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            if let Err(panic) = worker.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
}
