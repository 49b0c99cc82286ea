//! Compiled schedules: random programs that follow them never stall, and every execution is permitted; wrong tables are caught.

use selvedge_certificate::certificate::fingerprint;
use selvedge_enforce::confirm::confirm;
use selvedge_enforce::walk::Walk;
use selvedge_explore::{Limits as Bounds, Silent};
use selvedge_impact::iterate::{Progress, Schedules};
use selvedge_impact::{Limits, Naming, Prover};
use selvedge_ir::Program;
use selvedge_schedule::Schedule;
use selvedge_sections::audit::{Watched, audit};
use selvedge_sections::chunks::Refused;
use selvedge_sections::restrict::{most_threads, restricted};
use selvedge_sections::steps::Named;
use selvedge_sections::{Level, Steps, Table, compile};
use selvedge_symbolic::movers::Blocks;
use selvedge_testkit::enforced::{Log, run};
use selvedge_testkit::generate;
use selvedge_testkit::outcomes::Outcomes;
use selvedge_testkit::proving::solver;
use selvedge_testkit::random::Random;
use selvedge_testkit::tickets::Tickets;
use selvedge_trace::ThreadId;
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, Instant};

const LEVELS: [Level; 3] = [Level::Opt0, Level::Opt1, Level::Opt2];

fn seeds() -> Range<u64> {
    match std::env::var("SELVEDGE_SEEDS") {
        Ok(range) => {
            let (from, to) = range.split_once("..").expect("SELVEDGE_SEEDS is FROM..TO");
            from.parse().expect("a number")..to.parse().expect("a number")
        }
        Err(_) => 0..200,
    }
}

/// Hand-written programs whose threads wait for each other, decide for each other or end, and random ones.
fn text(seed: u64) -> String {
    let written = [
        "shared x;\nthread a { loop { x = 1; } }\nthread b { loop { x = 2; } }\n",
        "shared x, y;\nthread a { loop { await(x == 0); x = 1; } }\nthread b { loop { await(x == 1); y = 1 - y; x = 0; } }\n",
        "shared x, y, z;\nmutex m;\nthread a { loop { lock(m); x = 1 - x; unlock(m); y = 1 - y; } }\n\
         thread b { loop { lock(m); x = 0; unlock(m); z = 1 - z; } }\n",
        "shared x;\nbarrier b(2);\nthread t[2] { loop { wait(b); x = self; } }\n",
        "shared x, y, c;\nthread a { loop { c = nondet(0..3); if (c == 1) { x = 1; } else { y = 1; } } }\nthread b { loop { x = 0; y = 0; } }\n",
        "shared x, y;\nthread a { loop { x = 1 - x; } }\nthread b { loop { y = 1 - y; } }\nthread c { await(x == 1 && y == 1); x = 0; }\n",
        "shared x, y, z;\nthread a { loop { x = 1; if (z == 0) { y = 1; } } }\nthread b { loop { y = 0; x = 0; } }\n",
    ];
    match written.get(seed as usize) {
        Some(text) => (*text).to_owned(),
        None if seed.is_multiple_of(4) => generate::program(seed).to_string(),
        None => generate::endless(seed),
    }
}

/// The first schedule of a program that can be restricted to one thread at each node.
fn scheduled(program: &Program) -> Option<Schedule> {
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
    let whole = prover.schedule(&schedules.tree, fingerprint(program), Naming::NONE);
    let is_right = |schedule: &Schedule| {
        let bounds = Bounds { executions: Some(20_000), depth: 3000, ..Bounds::default() };
        let confirmed = confirm(program, schedule, bounds, solver(), &mut Silent);
        confirmed.is_ok_and(|confirmed| confirmed.is_confirmed())
    };
    (0..most_threads(&whole)).map(|turn| restricted(&whole, turn)).find(is_right)
}

/// The number of the statement that each step of a program belongs to: in a compiled program many steps have one instruction.
fn steps(program: &Program, level: Level) -> Steps {
    let code = selvedge_interp::compile(program);
    let mut numbers = BTreeMap::new();
    let statements: Vec<u32> = (code.spans.iter())
        .map(|span| {
            let next = numbers.len() as u32;
            *numbers.entry(*span).or_insert(next)
        })
        .collect();
    let statement = |pc: u32| {
        let instruction = *statements.get(pc as usize)?;
        Some(Named { instruction, occurrence: instruction })
    };
    Steps::new(program, &statement, level.synchronisation()).expect("can be translated")
}

fn judged(walk: &Walk, steps: &Steps, schedule: &Schedule, level: Level, log: &Log) -> Result<(), String> {
    let watched = if level == Level::Opt0 { Watched::All } else { Watched::Data };
    let site = |thread: usize, place: u32| steps.site(ThreadId::at(thread), place);
    audit(walk, schedule, watched, &site, log.inputs.clone(), &log.events).map_err(|wrong| wrong.to_string())
}

/// A table in which an event no longer waits for what it should.
fn without_a_wait(table: &Table, random: &mut Random) -> Option<Table> {
    let mut table = table.clone();
    let events = table.chunks.iter_mut().flat_map(|chunk| &mut chunk.events);
    let mut waiting: Vec<_> = events.filter(|event| !event.waits.is_empty()).collect();
    if waiting.is_empty() {
        return None;
    }
    let number = random.below(waiting.len());
    let waits = &mut waiting[number].waits;
    waits.remove(random.below(waits.len()));
    Some(table)
}

fn hold(program: &Program, schedule: &Schedule, told: &str, seed: u64, outcomes: &Outcomes) {
    let walk = Walk::new(program).expect("can be translated");
    for level in LEVELS {
        let mut steps = steps(program, level);
        let table = match compile(&mut steps, schedule, level) {
            Ok(table) => table,
            Err(Refused::Indistinct(_)) => {
                outcomes.count("indistinct".to_owned());
                continue;
            }
            Err(refused) => panic!("seed {seed} {level:?}: {refused}\n{schedule}\n{told}"),
        };
        outcomes.count(format!("{level:?}"));
        for turn in 0..4 {
            let log = run(&walk, &steps, schedule, &table, seed * 7 + turn, 400).unwrap_or_else(|error| {
                panic!("seed {seed} {level:?}: {error}\n{table:#?}\n{schedule}\n{told}")
            });
            if let Err(wrong) = judged(&walk, &steps, schedule, level, &log) {
                panic!("seed {seed} {level:?}: {wrong}\n{table:#?}\n{schedule}\n{told}");
            }
        }
        let mut random = Random::new(seed);
        let Some(wrong) = without_a_wait(&table, &mut random) else { continue };
        let is_caught = (0..20).any(|turn| match run(&walk, &steps, schedule, &wrong, turn, 400) {
            Ok(log) => judged(&walk, &steps, schedule, level, &log).is_err(),
            Err(_) => true,
        });
        outcomes.count(if is_caught { "caught" } else { "not caught" }.to_owned());
    }
}

#[test]
fn programs_that_follow_a_table_never_stall_and_do_what_the_schedule_permits() {
    let tickets = Tickets::new(seeds());
    let outcomes = Outcomes::of_seeds(&seeds());
    let work = || {
        while let Some(seed) = tickets.take() {
            let text = text(seed);
            let program = selvedge_lang::compile("random.sel", &text, &BTreeMap::new());
            let program = program.unwrap_or_else(|error| panic!("seed {seed}: {error:?}\n{text}"));
            match scheduled(&program) {
                Some(schedule) => hold(&program, &schedule, &text, seed, &outcomes),
                None => outcomes.count("no schedule".to_owned()),
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
    println!("{outcomes}");
    outcomes.assert_at_least(&[("Opt0", 20), ("Opt1", 20), ("Opt2", 20), ("caught", 20)]);
}
