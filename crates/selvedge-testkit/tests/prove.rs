//! On random programs that end, the prover and exploration give the same verdict; schedules are what they claim to be; and the
//! transitions of the prover are the steps of the interpreter.

use selvedge_explore::{Algorithm, Limits, Silent, explore};
use selvedge_interp::{FailureKind, Interpreter};
use selvedge_symbolic::movers::Blocks;
use selvedge_testkit::generate;
use selvedge_testkit::mirror::random_run;
use selvedge_testkit::outcomes::Outcomes;
use selvedge_testkit::proving::{Verdict, explored, explored_to, proved, scheduled};
use selvedge_testkit::random::Random;
use selvedge_testkit::tickets::Tickets;
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

/// Executions up to which a program is explored.
const LIMIT: u64 = 4000;

fn seeds() -> Range<u64> {
    if let Ok(range) = std::env::var("SELVEDGE_SEEDS") {
        let (from, to) = range.split_once("..").expect("SELVEDGE_SEEDS is FROM..TO");
        return from.parse().expect("a number")..to.parse().expect("a number");
    }
    match std::env::var_os("SELVEDGE_LONG") {
        Some(_) => 0..20_000,
        None => 0..2_000,
    }
}

#[test]
fn the_prover_and_exploration_agree_on_random_programs() {
    let tickets = Tickets::new(seeds());
    let outcomes = Outcomes::of_seeds(&seeds());
    let work = || {
        while let Some(seed) = tickets.take() {
            let text = generate::program(seed).to_string();
            let program = selvedge_lang::compile("random.sel", &text, &BTreeMap::new()).expect("compiles");
            let explored = explored(&program, LIMIT);
            let blocks = if seed % 4 == 0 { Blocks::Apart } else { Blocks::Merged };
            let proved = match proved(&program, blocks, Duration::from_secs(20)) {
                Ok(verdict) => verdict,
                Err(error) => panic!("seed {seed}: {error}\n{text}"),
            };
            if seed % 4 == 1 {
                match scheduled(&program, seed, 3, 2_000, Duration::from_secs(5)) {
                    Ok(0) => outcomes.count("without schedules"),
                    Ok(_) => outcomes.count("with schedules"),
                    Err(error) => panic!("seed {seed}: {error}\n{text}"),
                }
            }
            let outcome = match (&explored, &proved) {
                (Verdict::Safe, Verdict::Safe) => "safe".to_owned(),
                (Verdict::Unsafe, Verdict::Unsafe) => "unsafe".to_owned(),
                (Verdict::Unknown(_), _) => "not explored".to_owned(),
                (_, Verdict::Unknown(why)) => {
                    eprintln!("seed {seed}: {why}");
                    format!("not proved: {why}")
                }
                _ => panic!("seed {seed}: exploration says {explored:?}, the prover {proved:?}\n{text}"),
            };
            outcomes.count(outcome);
        }
    };
    in_parallel(&work);
    println!("{outcomes}");
    outcomes.assert_at_least(&[("safe", 30), ("unsafe", 40), ("with schedules", 10)]);
    outcomes.assert_at_most("not ", 5);
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

#[test]
fn transitions_are_the_steps_of_the_interpreter() {
    let seeds = seeds();
    let tickets = Tickets::new(seeds.start..seeds.end.max(seeds.start + 1) * 3);
    in_parallel(&|| {
        while let Some(seed) = tickets.take() {
            let text = generate::program(seed).to_string();
            let program = selvedge_lang::compile("random.sel", &text, &BTreeMap::new()).expect("compiles");
            let mut random = Random::new(seed);
            for _ in 0..5 {
                if let Err(error) = random_run(&program, &mut random, 500) {
                    panic!("seed {seed}: {error}\n{text}");
                }
            }
        }
    });
}

#[test]
fn no_violation_of_a_bounded_exploration_contradicts_a_proof() {
    let seeds = seeds();
    let few = (seeds.end - seeds.start).div_ceil(4);
    let tickets = Tickets::new(seeds.start..seeds.start + few);
    let outcomes = Outcomes::of(few);
    in_parallel(&|| {
        while let Some(seed) = tickets.take() {
            let text = generate::endless(seed);
            let program = selvedge_lang::compile("random.sel", &text, &BTreeMap::new());
            let Ok(program) = program else { panic!("seed {seed} does not compile\n{text}") };
            let proved = match proved(&program, Blocks::Merged, Duration::from_secs(4)) {
                Ok(verdict) => verdict,
                Err(error) => panic!("seed {seed}: {error}\n{text}"),
            };
            let found = explored_to(&program, 30, 300) == Verdict::Unsafe;
            let outcome = match proved {
                Verdict::Safe if found => panic!("seed {seed}: there is a violation\n{text}"),
                Verdict::Safe => "safe",
                Verdict::Unsafe => "unsafe",
                Verdict::Unknown(_) => "unknown",
            };
            outcomes.count(outcome);
        }
    });
    println!("{outcomes}");
    outcomes.assert_at_least(&[("safe", 40), ("unsafe", 25)]);
    outcomes.assert_at_most("unknown", 10);
}

/// A thread that only loops on its own changes nothing but that there is no deadlock and no end.
#[test]
fn a_thread_that_loops_on_its_own_hides_no_violation() {
    let seeds = seeds();
    let few = (seeds.end - seeds.start).div_ceil(8);
    let tickets = Tickets::new(seeds.start..seeds.start + few);
    let outcomes = Outcomes::of(few);
    in_parallel(&|| {
        while let Some(seed) = tickets.take() {
            let text = generate::program(seed).to_string();
            let compile =
                |text: &str| selvedge_lang::compile("random.sel", text, &BTreeMap::new()).expect("compiles");
            let limits = Limits { executions: Some(LIMIT), ..Limits::default() };
            let (exploration, _) =
                explore(Interpreter::new(&compile(&text)), Algorithm::Optimal, limits, &mut Silent);
            let fails =
                exploration.violations.iter().any(|v| !matches!(v.failure.kind, FailureKind::Deadlock(_)));
            let idle = compile(&format!("{text}\nthread idle {{ loop {{ skip; }} }}\n"));
            let proved = match proved(&idle, Blocks::Merged, Duration::from_secs(10)) {
                Ok(verdict) => verdict,
                Err(error) => panic!("seed {seed}: {error}\n{text}"),
            };
            match proved {
                Verdict::Safe if fails && !text.contains("finally") => {
                    panic!("seed {seed}: a violation is hidden\n{text}")
                }
                Verdict::Unsafe if exploration.stop.is_none() && exploration.violations.is_empty() => {
                    panic!("seed {seed}: a violation comes from nowhere\n{text}")
                }
                Verdict::Unsafe => outcomes.count("unsafe"),
                Verdict::Safe => outcomes.count("safe"),
                Verdict::Unknown(_) => outcomes.count("unknown"),
            }
        }
    });
    println!("{outcomes}");
    outcomes.assert_at_least(&[("safe", 40), ("unsafe", 15)]);
    outcomes.assert_at_most("unknown", 10);
}

/// A random program whose threads choose mutexes by variables, which they may change while they hold them, and use bits.
fn chosen(seed: u64) -> String {
    const STATEMENTS: [&str; 12] = [
        "i = nondet(0..2);",
        "k = (i + 1) % 3;",
        "k = q[i] & 1;",
        "if q[k] == 1 { i = 2; }",
        "lock(m[i]); q[i] = q[i] + 1; unlock(m[i]);",
        "lock(m[i]); q[k] = q[i] ^ 1; assert(q[k] < 3); unlock(m[i]);",
        "lock(m[i]); i = k; unlock(m[i]);",
        "lock(m[i]); lock(m[k]); q[k] = q[i] + f; unlock(m[k]); unlock(m[i]);",
        "if try_lock(m[k]) { q[k] = q[k] - 1; assert(q[k] > -2); unlock(m[k]); }",
        "f = f | (1 << self);",
        "f = (f ^ 3) & ~4;",
        "assert((f & 4) == 0 || q[i] < 2);",
    ];
    let mut random = Random::new(seed);
    let mut text = "shared q[3] = 0, f = 0;\nmutex m[3];\n".to_owned();
    for thread in ["a", "b[2]"].into_iter().take(1 + random.below(2)) {
        text += &format!("thread {thread} {{\n  let i = {}; let k = {};\n", random.below(3), random.below(3));
        for _ in 0..2 + random.below(3) {
            text += &format!("  {}\n", STATEMENTS[random.below(STATEMENTS.len())]);
        }
        text += "}\n";
    }
    text
}

#[test]
fn mutexes_that_variables_choose_and_bits_are_what_they_are_for_the_interpreter() {
    let seeds = seeds();
    let few = (seeds.end - seeds.start).div_ceil(4);
    let tickets = Tickets::new(seeds.start..seeds.start + few);
    let outcomes = Outcomes::of(few);
    in_parallel(&|| {
        while let Some(seed) = tickets.take() {
            let text = chosen(seed);
            let program = selvedge_lang::compile("chosen.sel", &text, &BTreeMap::new()).expect("compiles");
            let mut random = Random::new(seed);
            for _ in 0..5 {
                if let Err(error) = random_run(&program, &mut random, 500) {
                    panic!("seed {seed}: {error}\n{text}");
                }
            }
            let explored = explored(&program, LIMIT);
            let proved = proved(&program, Blocks::Merged, Duration::from_secs(20));
            let proved = proved.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
            match (&explored, &proved) {
                (Verdict::Unknown(_), _) | (_, Verdict::Unknown(_)) => outcomes.count("unknown"),
                (Verdict::Safe, Verdict::Safe) => outcomes.count("safe"),
                (Verdict::Unsafe, Verdict::Unsafe) => outcomes.count("unsafe"),
                _ => panic!("seed {seed}: exploration says {explored:?}, the prover {proved:?}\n{text}"),
            }
        }
    });
    println!("{outcomes}");
    outcomes.assert_at_least(&[("safe", 10), ("unsafe", 10)]);
    outcomes.assert_at_most("unknown", 20);
}
