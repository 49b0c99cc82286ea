//! The programs of iterative model checking: every proof is certified, every set of schedules is run for a long time under random
//! inputs and choices, and what a wrong certificate claims is not believed.

use selvedge_certificate::{Certificate, CheckError, Claim, check};
use selvedge_impact::complete::Outcome;
use selvedge_impact::iterate::{Progress, Schedules};
use selvedge_impact::{Limits, Prover, Stop};
use selvedge_ir::Program;
use selvedge_smt::Options;
use selvedge_symbolic::movers::Blocks;
use selvedge_testkit::native;
use selvedge_testkit::proving::{certified, replayed};
use selvedge_testkit::random::Random;
use selvedge_testkit::scheduled;
use selvedge_testkit::tickets::Tickets;
use selvedge_translate::{SourceFile, translate};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;

fn program(name: &str, defines: &[(&str, i64)]) -> Program {
    let path = format!("{}/../../benches/imc/{name}.sel", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the program is there");
    let defines: BTreeMap<String, i64> =
        defines.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    selvedge_lang::compile(name, &text, &defines).expect("compiles")
}

fn prover(program: &Program, solver: &str) -> Prover {
    Prover::new(program, Options::named(solver), Blocks::Merged, Limits::default()).expect("can be proved")
}

/// Steps of each run.
const STEPS: u64 = 1_000_000;

/// Finds sets of schedules, certifies and runs them; all threads must make steps. Returns the last certificate.
fn run_schedules(name: &str, defines: &[(&str, i64)], wanted: usize) -> Certificate {
    schedules_of(name, defines, wanted, STEPS)
}

fn schedules_of(name: &str, defines: &[(&str, i64)], wanted: usize, steps: u64) -> Certificate {
    run(&program(name, defines), wanted, steps)
}

fn run(program: &Program, wanted: usize, steps: u64) -> Certificate {
    let mut prover = prover(program, "z3");
    let mut schedules = Schedules::new(&mut prover);
    let mut random = Random::new(7);
    let mut found = Vec::new();
    while found.len() < wanted {
        match schedules.iteration(&mut prover).expect("no limit is reached") {
            Progress::Larger => {
                let certificate = prover.certificate(program, &schedules.tree, Claim::SomeSchedules);
                certified(program, &certificate).expect("the certificate is right");
                let ran =
                    scheduled::run(program, &certificate, &mut random, steps).expect("nothing goes wrong");
                assert!(ran.all_progress(steps / 1000), "{ran:?}");
                found.push(certificate);
            }
            Progress::Counterexample(counterexample) => {
                replayed(program, &counterexample).expect("the counterexample is one");
            }
            Progress::None => break,
        }
    }
    found.pop().expect("there are schedules")
}

#[test]
fn producers_and_consumers_that_look_run_for_ever() {
    run_schedules("producer_consumer", &[("P", 1), ("C", 1)], 2);
    run_schedules("producer_consumer", &[("P", 2), ("C", 2), ("N", 1000)], 2);
    run_schedules("producer_consumer", &[("P", 4), ("C", 4), ("N", 1000)], 1);
}

#[test]
fn producers_and_consumers_that_do_not_look_run_for_ever_in_turns() {
    run_schedules("producer_consumer_broken", &[], 1);
}

#[test]
fn mutexes_in_different_orders_do_not_deadlock_under_schedules() {
    run_schedules("double_lock_broken", &[], 2);
    run_schedules("double_lock", &[], 2);
}

#[test]
fn a_race_does_not_happen_under_schedules() {
    run_schedules("race", &[], 1);
}

#[test]
fn declared_synchronisation_is_kept_and_all_threads_do_something_useful() {
    run_schedules("file_system", &[], 1);
    run_schedules("file_system_declared", &[], 1);
    run_schedules("file_system_useful", &[], 1);
}

/// Threads with local loops, one of which does not end.
fn loops() -> Program {
    let text = "shared x, y;\nthread a { loop { x = 1 - x; } }\nthread b { loop { skip; } }\n\
                thread c { let n = 0; loop { n = nondet(0..9); while n > 0 { n = n - 1; } y = 1 - y; } }\n";
    selvedge_lang::compile("loops.sel", text, &BTreeMap::new()).expect("compiles")
}

#[test]
fn a_thread_that_loops_on_its_own_does_not_keep_the_others_from_their_turns() {
    run(&loops(), 2, STEPS / 10);
}

#[test]
fn searches_that_open_different_places_do_not_disturb_each_other() {
    let program = loops();
    let mut prover = prover(&program, "z3");
    let mut schedules = Schedules::new(&mut prover);
    assert_eq!(schedules.iteration(&mut prover), Ok(Progress::Larger));
    let first = schedules.tree.clone();
    let Ok(Outcome::Safe(all)) = prover.complete() else { panic!("it is safe") };
    assert_eq!(schedules.iteration(&mut prover), Ok(Progress::Larger));
    for (tree, claim) in
        [(&first, Claim::SomeSchedules), (&all, Claim::AllSchedules), (&schedules.tree, Claim::SomeSchedules)]
    {
        let certificate = prover.certificate(&program, tree, claim);
        certified(&program, &certificate).expect("the certificate is right");
    }
}

#[test]
fn a_ring_with_barriers_runs_for_ever() {
    run_schedules("barrier_ring", &[], 1);
}

#[test]
fn complete_proofs_are_certified_and_small() {
    for (name, defines, most_nodes) in [
        ("producer_consumer", &[("P", 4), ("C", 4), ("N", 1000)][..], 60),
        ("double_lock", &[], 30),
        ("file_system", &[], 200),
    ] {
        let program = program(name, defines);
        let mut prover = prover(&program, "z3");
        let Ok(Outcome::Safe(tree)) = prover.complete() else { panic!("{name} is safe") };
        let certificate = prover.certificate(&program, &tree, Claim::AllSchedules);
        certified(&program, &certificate).expect("the certificate is right");
        assert!(certificate.nodes.len() <= most_nodes, "{name}: {} nodes", certificate.nodes.len());
    }
}

/// The verdicts of the table, without times.
#[test]
fn the_other_solver_proves_the_same() {
    for (name, defines, is_safe) in [
        ("producer_consumer", &[("P", 1), ("C", 1), ("N", 1000)][..], true),
        ("producer_consumer", &[("P", 2), ("C", 2), ("N", 1000)], true),
        ("producer_consumer", &[("P", 4), ("C", 4), ("N", 1000)], true),
        ("producer_consumer", &[("P", 4), ("C", 4), ("N", 5)], true),
        ("producer_consumer_broken", &[], false),
        ("double_lock", &[], true),
        ("double_lock_broken", &[], false),
        ("race", &[], false),
        ("file_system", &[], true),
        ("file_system_declared", &[], true),
        ("file_system_useful", &[], true),
        ("barrier_ring", &[], true),
    ] {
        let program = program(name, defines);
        let mut prover = prover(&program, "cvc5");
        let mut schedules = Schedules::new(&mut prover);
        loop {
            match schedules.iteration(&mut prover).expect("no limit is reached") {
                Progress::Larger => break,
                Progress::Counterexample(found) => {
                    replayed(&program, &found).expect("the counterexample is one");
                }
                Progress::None => panic!("{name} has schedules"),
            }
        }
        let certificate = prover.certificate(&program, &schedules.tree, Claim::SomeSchedules);
        certified(&program, &certificate).expect("z3 agrees");
        match prover.complete() {
            Ok(Outcome::Safe(tree)) => {
                assert!(is_safe, "{name}");
                let certificate = prover.certificate(&program, &tree, Claim::AllSchedules);
                certified(&program, &certificate).expect("z3 agrees");
            }
            Ok(Outcome::Unsafe(found)) => {
                assert!(!is_safe, "{name}");
                replayed(&program, &found).expect("the counterexample is one");
            }
            Err(stop) => panic!("{name}: {stop}"),
        }
    }
}

/// Changes a right certificate in many ways, each of which makes it wrong.
#[test]
fn wrong_certificates_are_refused() {
    let program = program("producer_consumer_broken", &[]);
    let right = schedules_of("producer_consumer_broken", &[], 1, 1000);
    let mut refused = 0;
    let mut refuse = |what: &str, change: &dyn Fn(&mut Certificate)| {
        let mut wrong = right.clone();
        change(&mut wrong);
        if wrong == right {
            return;
        }
        let checked = check::check(&program, &wrong, Options::named("z3"));
        assert!(matches!(checked, Err(CheckError::Wrong(_))), "{what}: {checked:?}");
        refused += 1;
    };
    refuse("another program", &|c| c.program.replace_range(..1, "x"));
    refuse("all schedules", &|c| c.claim = Claim::AllSchedules);
    refuse("no nodes", &|c| c.nodes.clear());
    refuse("everything is interior", &|c| c.interior.push((0, 3)));
    for node in 0..right.nodes.len() {
        refuse("a node without threads", &|c| c.nodes[node].expanded.clear());
        refuse("a node without edges", &|c| c.nodes[node].edges.clear());
        refuse("a node elsewhere", &|c| c.nodes[node].places.reverse());
        refuse("a label that says too much", &|c| c.nodes[node].label.push("(<= |count| (- 1))".to_owned()));
        refuse("a node that covers itself", &|c| c.nodes[node].covered_by = Some(node));
        refuse("a skipped thread", &|c| c.nodes[node].skipped.push(0));
    }
    assert!(refused > 40, "{refused}");
}

#[test]
fn a_label_that_is_too_weak_proves_nothing() {
    let program = program("producer_consumer_broken", &[]);
    let mut weak = schedules_of("producer_consumer_broken", &[], 1, 1000);
    weak.nodes.iter_mut().for_each(|node| node.label.clear());
    let checked = check::check(&program, &weak, Options::named("z3"));
    assert!(matches!(checked, Err(CheckError::Wrong(_))), "{checked:?}");
}

/// All programs of a folder.
fn names(folder: &str, extension: &str) -> Vec<String> {
    let path = format!("{}/../../{folder}", env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(path).expect("the folder is there");
    let name = |file: std::io::Result<std::fs::DirEntry>| {
        file.expect("can be read").file_name().to_string_lossy().into_owned()
    };
    let mut names: Vec<String> = files.map(name).filter(|name| name.ends_with(extension)).collect();
    names.sort();
    names
}

/// Runs the programs that are left, each under its first schedules. Of those without schedules, the names.
fn run_all(programs: &[(String, Program)]) -> Vec<String> {
    let tickets = Tickets::new(0..programs.len() as u64);
    let without = Mutex::new(Vec::new());
    let work = || {
        while let Some(number) = tickets.take() {
            let (name, program) = &programs[number as usize];
            let started = std::time::Instant::now();
            match first_schedule(program) {
                Some(certificate) => {
                    let mut random = Random::new(number);
                    let ran = scheduled::run(program, &certificate, &mut random, STEPS);
                    let ran = ran.unwrap_or_else(|error| panic!("{name}: {error}"));
                    assert!(ran.all_progress(STEPS / 1000), "{name}: {ran:?}");
                    println!("{name}: {} nodes, {:.1?}", certificate.nodes.len(), started.elapsed());
                }
                None => without.lock().expect("no panic").push(name.clone()),
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
    let mut without = without.into_inner().expect("no panic");
    without.sort();
    without
}

/// The effort of the first search, and of the second.
const SHARES: [u64; 2] = [1000, 4000];

/// The first set of schedules, certified; nothing if the search comes to its end without, or takes too long. What a search for a proof learns
/// in between helps, as in `selvedge prove`.
fn first_schedule(program: &Program) -> Option<Certificate> {
    let mut prover = prover(program, "z3");
    for share in SHARES {
        prover.allow(share);
        let mut schedules = Schedules::new(&mut prover);
        loop {
            match schedules.iteration(&mut prover) {
                Ok(Progress::Larger) => {
                    let certificate = prover.certificate(program, &schedules.tree, Claim::SomeSchedules);
                    certified(program, &certificate).expect("the certificate is right");
                    return Some(certificate);
                }
                Ok(Progress::Counterexample(counterexample)) => {
                    replayed(program, &counterexample).expect("the counterexample is one");
                }
                Ok(Progress::None) => return None,
                Err(Stop::Effort | Stop::Unknown(_)) => break,
                Err(stop) => panic!("{stop}"),
            }
        }
        prover.allow(share);
        match prover.complete() {
            Ok(_) | Err(Stop::Effort | Stop::Unknown(_)) => {}
            Err(stop) => panic!("{stop}"),
        }
    }
    None
}

#[test]
fn buffers_of_all_sizes_run_for_ever() {
    let sizes = [1, 2, 4].into_iter().flat_map(|threads| [5, 1000].map(|slots| (threads, slots)));
    let programs: Vec<(String, Program)> = sizes
        .map(|(threads, slots)| {
            let defines = [("P", threads), ("C", threads), ("N", slots)];
            (format!("{threads}p {threads}c {slots}b"), program("producer_consumer", &defines))
        })
        .collect();
    assert_eq!(run_all(&programs), Vec::<String>::new());
}

/// The examples that run forever, those with a bug or those without.
fn endless_examples(is_wanted: impl Fn(&str) -> bool) -> Vec<(String, Program)> {
    let folder = "examples/endless";
    let names = names(folder, ".sel").into_iter().filter(|name| is_wanted(name));
    names
        .map(|name| {
            let path = format!("{}/../../{folder}/{name}", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read_to_string(path).expect("can be read");
            let program = selvedge_lang::compile(&name, &text, &BTreeMap::new()).expect("compiles");
            (name, program)
        })
        .collect()
}

const BROKEN: &str = "_broken.sel";

#[test]
fn endless_examples_run_for_ever_under_their_schedules() {
    let programs = endless_examples(|name| !name.ends_with(BROKEN));
    assert!(programs.len() >= 20, "{} examples", programs.len());
    // Of these none need be found with this effort: one needs a sum of variables whatever the input is, the other goes round a loop of its own.
    let without = run_all(&programs);
    assert!(
        without.iter().all(|name| ["transfers.sel", "watchdog.sel"].contains(&name.as_str())),
        "{without:?}"
    );
}

#[test]
fn broken_examples_run_for_ever_under_their_schedules() {
    let programs = endless_examples(|name| name.ends_with(BROKEN));
    assert!(programs.len() >= 15, "{} examples", programs.len());
    // This one has none: its thread fails whenever it comes to its end.
    assert_eq!(run_all(&programs), ["local_loop_broken.sel"]);
}

#[test]
fn benchmarks_in_c_run_for_ever_under_their_schedules() {
    let folder = "benches/imc";
    let translated = |name: String| {
        let path = PathBuf::from(format!("{}/../../{folder}/{name}", env!("CARGO_MANIFEST_DIR")));
        let text = std::fs::read_to_string(&path).expect("can be read");
        let module = native::module(&path, &[]).expect("compiles");
        let source = SourceFile::new(SourceFile::of_main(&module), &text);
        let program = translate(&module, &source, selvedge_translate::Options::default());
        (name, program.expect("can be translated").program)
    };
    let programs: Vec<(String, Program)> = names(folder, ".c").into_iter().map(translated).collect();
    assert_eq!(programs.len(), 9);
    assert_eq!(run_all(&programs), Vec::<String>::new());
}
