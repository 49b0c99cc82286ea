//! Random C programs: what we compute is what the compiled program computes.

use selvedge_explore::states::explore_states;
use selvedge_explore::{
    AfterViolation, Algorithm, End, Limits, Monitor, Path as Execution, Promise, Silent, Speculates, explore,
};
use selvedge_llvm::Module;
use selvedge_machine::{Addresses, Machine, Options, lower};
use selvedge_testkit::random::Random;
use selvedge_testkit::{native, observing_c, random_c};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

fn count(usual: u64) -> u64 {
    if std::env::var_os("SELVEDGE_LONG").is_some() { usual * 20 } else { usual }
}

/// Compiles a program with the compiler that we use ourselves.
fn compile(source: &Path, flags: &[&str]) -> PathBuf {
    let program = source.with_extension("out");
    let clang = selvedge_llvm::clang::find().expect("there is a clang");
    let status =
        Command::new(clang).args(["-w", "-pthread", "-o"]).arg(&program).args(flags).arg(source).status();
    assert!(status.expect("clang starts").success(), "{}", source.display());
    program
}

/// The preprocessed text of a program, in a file beside it.
fn preprocessed(source: &Path) -> PathBuf {
    let text = source.with_extension("i");
    let clang = selvedge_llvm::clang::find().expect("there is a clang");
    let status = Command::new(clang).arg("-E").arg(source).arg("-o").arg(&text).status();
    assert!(status.expect("clang starts").success(), "{}", source.display());
    text
}

fn output(program: &Path) -> String {
    let output = Command::new(program).output().expect("the program starts");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The outputs of all executions.
#[derive(Default)]
struct Outputs(BTreeSet<String>);

impl Monitor<Machine> for Outputs {
    fn execution(&mut self, path: &Execution<Machine>, end: End) {
        if end != End::SleepSetBlocked {
            self.0.insert(String::from_utf8_lossy(path.program.output()).into_owned());
        }
    }
}

fn outputs(source: &Path, cflags: &[String], algorithm: Algorithm) -> BTreeSet<String> {
    outputs_with(source, cflags, algorithm, Options::default())
}

fn outputs_with(
    source: &Path,
    cflags: &[String],
    algorithm: Algorithm,
    options: Options,
) -> BTreeSet<String> {
    let module = Arc::new(native::module(source, cflags).expect("the program compiles"));
    let found = found_with(&module, algorithm, Limits::default(), options).expect("nothing stops it");
    assert!(found.failures.is_empty(), "{}: {:?}", source.display(), found.failures);
    found.outputs
}

#[test]
fn sequential_programs_print_what_their_binaries_print() {
    let temporary = tempfile::tempdir().expect("there is room for temporary files");
    let folder = temporary.path();
    for seed in 0..count(12) {
        let source = folder.join(format!("{seed}.c"));
        std::fs::write(&source, random_c::sequential(&mut Random::new(seed))).expect("a file is written");
        let expected = output(&compile(&source, &["-O0", "-fgnu89-inline"]));
        let preprocessed = preprocessed(&source);
        for flags in [&["-O0"][..], &["-O2"], &["-O0", "-g0"], &["-O1", "-g0"]] {
            let cflags: Vec<String> = flags.iter().map(|flag| flag.to_string()).collect();
            for source in [&source, &preprocessed] {
                let found = outputs(source, &cflags, Algorithm::Source);
                assert_eq!(found, BTreeSet::from([expected.clone()]), "{} with {flags:?}", source.display());
            }
        }
    }
}

#[test]
fn numbers_are_written_and_read_as_binaries_do() {
    let temporary = tempfile::tempdir().expect("there is room for temporary files");
    let folder = temporary.path();
    for seed in seeds(12) {
        let source = folder.join(format!("{seed}.c"));
        let text = random_c::formats(&mut Random::new(seed), 150);
        std::fs::write(&source, &text).expect("a file is written");
        let expected = output(&compile(&source, &["-O0", "-fno-builtin"]));
        let flags = [["-O0"], ["-O2"]][seed as usize % 2].map(str::to_owned);
        // Optimised, distances within a constant text are sums with the negative of an address, which is not known.
        let options = Options { addresses: Addresses::Fixed, ..Options::default() };
        let found = outputs_with(&source, &flags, Algorithm::Source, options);
        let found: Vec<&str> = found.iter().flat_map(|output| output.lines()).collect();
        for (line, expected) in expected.lines().enumerate() {
            assert_eq!(found.get(line), Some(&expected), "line {} of {}", line + 1, source.display());
        }
        assert_eq!(found.len(), expected.lines().count(), "{}", source.display());
    }
}

/// Algorithms that promise every trace once find as many; all of them, and the compiled program, find the same final states.
#[test]
fn every_final_state_that_is_observed_is_one_that_we_enumerate() {
    let temporary = tempfile::tempdir().expect("there is room for temporary files");
    let folder = temporary.path();
    let mut compared = 0;
    for seed in seeds(24) {
        let source = folder.join(format!("{seed}.c"));
        let text = random_c::concurrent(&mut Random::new(seed));
        std::fs::write(&source, &text).expect("a file is written");
        let module = Arc::new(native::module(&source, &[]).expect("the program compiles"));
        let Some(truth) = found(&module, Algorithm::Optimal, limits(3000)) else { continue };
        assert!(truth.failures.is_empty(), "seed {seed}: {:?}\n{text}", truth.failures);
        compared += 1;
        for algorithm in Algorithm::ALL {
            let name = algorithm.name();
            let tells_apart = matches!(algorithm.promise(), Promise::EveryTraceOnce | Promise::Optimal);
            let others = [Algorithm::Observers, Algorithm::DataCentric, Algorithm::ValueCentric];
            if !tells_apart && !others.contains(&algorithm) {
                continue;
            }
            let found = found(&module, algorithm, Limits::default()).expect("nothing stops it");
            assert_eq!(found.outputs, truth.outputs, "{name}, seed {seed}:\n{text}");
            assert!(found.failures.is_empty(), "{name}, seed {seed}: {:?}\n{text}", found.failures);
            if tells_apart {
                assert_eq!(found.executions, truth.executions, "{name}, seed {seed}:\n{text}");
            }
        }
        let program = compile(&source, &["-O1", "-DNATIVE"]);
        for _ in 0..40 {
            let observed = output(&program);
            assert!(
                truth.outputs.contains(&observed),
                "seed {seed}: {observed} is not among {:?}\n{text}",
                truth.outputs
            );
        }
    }
    println!("{compared} programs compared");
    assert!(compared > 0, "no program was small enough");
}

#[test]
fn random_concurrent_programs_have_the_final_states_that_brute_force_finds() {
    let temporary = tempfile::tempdir().expect("there is room for temporary files");
    let folder = temporary.path();
    for seed in 1000..1000 + count(10) {
        let source = folder.join(format!("{seed}.c"));
        std::fs::write(&source, random_c::concurrent(&mut Random::new(seed))).expect("a file is written");
        let machine = native::machine(&source, &[], Options::default()).expect("the program compiles");
        let limits = Limits { executions: Some(150_000), ..Limits::default() };
        let mut brute = Outputs::default();
        let (exploration, _) = explore(machine, Algorithm::Exhaustive, limits, &mut brute);
        let all = outputs(&source, &[], Algorithm::Optimal);
        match exploration.stop {
            None => assert_eq!(all, brute.0, "seed {seed}"),
            Some(_) => assert!(all.is_superset(&brute.0), "seed {seed}"),
        }
    }
    let machine = native::machine(&folder.join("1000.c"), &[], Options::default()).expect("it compiles");
    explore(machine, Algorithm::Eager, Limits::default(), &mut Silent);
}

#[test]
fn the_search_of_states_reaches_just_the_final_states_that_traces_lead_to() {
    let temporary = tempfile::tempdir().expect("there is room for temporary files");
    let folder = temporary.path();
    for seed in 2000..2000 + count(10) {
        let program = random_c::concurrent(&mut Random::new(seed));
        let source = folder.join(format!("{seed}.c"));
        std::fs::write(&source, &program).expect("a file is written");
        let all = outputs(&source, &[], Algorithm::Optimal);
        let reachable = all.iter().take(4).map(|state| (state.clone(), true));
        let mutated = |state: &String| state.replacen(' ', "7 ", 1);
        let others = all.iter().map(mutated).filter(|state| !all.contains(state)).take(2).map(|s| (s, false));
        for (state, is_reachable) in reachable.chain(others) {
            std::fs::write(&source, random_c::with_assertion(&program, &state)).expect("a file is written");
            let mut machine = native::machine(&source, &[], Options::default()).expect("it compiles");
            let (exploration, _) =
                explore_states(&mut machine, &Limits::default()).expect("states can be told apart");
            assert_eq!(!exploration.violations.is_empty(), is_reachable, "seed {seed}: {state}");
        }
    }
}

/// What an algorithm finds in programs that fail, too: what they print, what is wrong with them, and the number of executions.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    outputs: BTreeSet<String>,
    failures: BTreeSet<String>,
    executions: u64,
}

fn limits(executions: u64) -> Limits {
    let after_violation = AfterViolation::KeepGoing;
    Limits { executions: Some(executions), after_violation, ..Limits::default() }
}

/// Nothing if that is too much.
fn found(module: &Arc<Module>, algorithm: Algorithm, limits: Limits) -> Option<Found> {
    found_with(module, algorithm, limits, Options::default())
}

fn found_with(module: &Arc<Module>, algorithm: Algorithm, limits: Limits, options: Options) -> Option<Found> {
    // The rehearsal may end before a thread makes others.
    let options = Options { telling: native::telling(algorithm), room: 8, ..options };
    let code = lower::lower(module, &options).expect("it can be lowered");
    let machine = Machine::new(module.clone(), Arc::new(code), options);
    let mut outputs = Outputs::default();
    let (exploration, machine) = explore(machine, algorithm, limits, &mut outputs);
    assert!(exploration.statistics.cut == 0 && machine.refuted().is_none(), "{:?}", machine.cuts());
    let failures =
        exploration.violations.iter().map(|violation| format!("{:?}", violation.failure)).collect();
    let executions = exploration.statistics.maximal();
    exploration.stop.is_none().then_some(Found { outputs: outputs.0, failures, executions })
}

/// What each thread has seen, what memory holds in the end, and every failure: all that the happens-before classes show is
/// shown by no more executions of the algorithms that ask what is observed.
#[test]
fn data_centric_and_value_centric_find_all_that_threads_of_c_can_see() {
    let temporary = tempfile::tempdir().expect("there is room for temporary files");
    let folder = temporary.path();
    let (mut compared, mut fewer) = (0, 0);
    for seed in seeds(60) {
        let source = folder.join(format!("{seed}.c"));
        let text = observing_c::program(&mut Random::new(seed));
        std::fs::write(&source, &text).expect("a file is written");
        let module = Arc::new(native::module(&source, &[]).expect("the program compiles"));
        let Some(truth) = found(&module, Algorithm::Source, limits(40_000)) else { continue };
        compared += 1;
        for algorithm in [Algorithm::DataCentric, Algorithm::ValueCentric] {
            let name = algorithm.name();
            let found = found(&module, algorithm, limits(40_000));
            let found = found.unwrap_or_else(|| panic!("{name}, seed {seed}: no end"));
            assert_eq!(found.outputs, truth.outputs, "{name}, seed {seed}:\n{text}");
            assert_eq!(found.failures, truth.failures, "{name}, seed {seed}:\n{text}");
            let (some, all) = (found.executions, truth.executions);
            assert!(some <= all, "{name}, seed {seed}: {some} executions for {all} traces\n{text}");
            fewer += u32::from(some < all);
        }
        let _ = std::fs::remove_file(&source);
    }
    println!("{compared} programs compared, fewer executions {fewer} times");
    assert!(compared > 0 && fewer > 0);
}

/// `SELVEDGE_LONG=1` runs more programs, `SELVEDGE_SEEDS=from..to` others.
fn seeds(usual: u64) -> std::ops::Range<u64> {
    if let Ok(range) = std::env::var("SELVEDGE_SEEDS") {
        let (from, to) = range.split_once("..").expect("SELVEDGE_SEEDS is FROM..TO");
        return from.parse().expect("a number")..to.parse().expect("a number");
    }
    0..count(usual)
}
