//! Binaries of C programs that run forever under their schedules.

use selvedge_certificate::certificate::fingerprint;
use selvedge_enforce::confirm::confirm;
use selvedge_enforce::walk::Walk;
use selvedge_explore::{Limits as Bounds, Silent};
use selvedge_impact::iterate::{Progress, Schedules};
use selvedge_impact::{Limits, Naming, Prover};
use selvedge_llvm::{Module, clang};
use selvedge_schedule::Schedule;
use selvedge_sections::audit::{Watched, audit};
use selvedge_sections::native::{BuildError, Mutation, Parts, build};
use selvedge_sections::restrict::{most_threads, restricted};
use selvedge_sections::table::SiteId;
use selvedge_sections::{Level, Refused, Sources, Steps, Table, compile};
use selvedge_symbolic::movers::Blocks;
use selvedge_testkit::endless_c;
use selvedge_testkit::outcomes::Outcomes;
use selvedge_testkit::proving::solver;
use selvedge_testkit::random::Random;
use selvedge_trace::ThreadId;
use selvedge_translate::{Options, SourceFile, Translated, translate};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const LEVELS: [Level; 3] = [Level::Opt0, Level::Opt1, Level::Opt2];
/// How long programs run that never end by themselves.
const RUNS: Duration = Duration::from_secs(2);

/// A program with a schedule under which it is safe.
struct Verified {
    text: String,
    module: Module,
    translated: Translated,
    schedule: Schedule,
    sources: Sources,
}

fn verified(name: &str) -> Verified {
    let path = PathBuf::from(format!("{}/../../benches/imc/{name}", env!("CARGO_MANIFEST_DIR")));
    verified_at(&path, Duration::from_secs(60)).expect("a schedule is found")
}

/// A program with its first schedule, if one is found in time.
fn verified_at(path: &Path, time: Duration) -> Option<Verified> {
    let text = clang::compile(path, None, &[]).expect("compiles");
    let module = selvedge_llvm::read(&text).expect("reads");
    let source = std::fs::read_to_string(path).expect("is there");
    let source = SourceFile::new(SourceFile::of_main(&module), &source);
    let translated = translate(&module, &source, Options::default()).ok()?;
    let sources = Sources::new(&translated, &module);
    let limits = Limits { deadline: Some(Instant::now() + time), ..Limits::default() };
    let program = &translated.program;
    let mut prover = Prover::new(program, solver(), Blocks::Merged, limits).ok()?;
    let mut schedules = Schedules::new(&mut prover);
    loop {
        match schedules.iteration(&mut prover) {
            Ok(Progress::Larger) => break,
            Ok(Progress::Counterexample(_)) => {}
            Ok(Progress::None) | Err(_) => return None,
        }
    }
    let instruction = |pc: u32| sources.instruction(pc).cloned();
    let naming = Naming { line: &|_| 0, instruction: &instruction, creators: &sources.creators };
    let whole = prover.schedule(&schedules.tree, fingerprint(program), naming);
    let whole = Schedule::parse(&whole.to_string()).expect("reads back");
    let is_right = |schedule: &Schedule| {
        let bounds = Bounds { executions: Some(20_000), depth: 3000, ..Bounds::default() };
        confirm(program, schedule, bounds, solver(), &mut Silent).is_ok_and(|c| c.is_confirmed())
    };
    let schedule = (0..most_threads(&whole)).map(|turn| restricted(&whole, turn)).find(is_right)?;
    Some(Verified { schedule, text, module, translated, sources })
}

impl Verified {
    fn compiled(&self, level: Level) -> Result<(Steps, Table), Refused> {
        let named = |pc: u32| self.sources.named(pc);
        let mut steps =
            Steps::new(&self.translated.program, &named, level.synchronisation()).expect("can be translated");
        let table = compile(&mut steps, &self.schedule, level)?;
        Ok((steps, table))
    }

    fn binary(
        &self,
        steps: &Steps,
        table: &Table,
        mutation: Option<Mutation>,
        folder: &Path,
    ) -> Result<PathBuf, BuildError> {
        let Verified { text, module, sources, schedule, .. } = self;
        let parts = Parts { text, module, sources, steps, table, threads: &schedule.threads, stall: 10 };
        let (clang, output) = (clang::find().expect("there is a clang"), folder.join("program"));
        build(&parts, mutation, &clang, &[], folder, &output).map(|()| output)
    }

    /// What a recorded run of so many events did.
    fn recorded(&self, binary: &Path, events: usize, folder: &Path) -> Result<Vec<(usize, SiteId)>, String> {
        let log = folder.join("log");
        let mut command = Command::new(binary);
        command.env("SELVEDGE_RECORD", &log).env("SELVEDGE_RECORD_EVENTS", events.to_string());
        let done = command.output().expect("runs");
        if !done.status.success() {
            return Err(String::from_utf8_lossy(&done.stderr).into_owned());
        }
        let text = std::fs::read_to_string(&log).expect("a log");
        let event = |line: &str| {
            let (thread, site) = line.split_once(' ').expect("two numbers");
            (thread.parse().expect("a number"), SiteId(site.parse().expect("a number")))
        };
        Ok(text.lines().map(event).collect())
    }

    fn judged(&self, steps: &Steps, level: Level, log: &[(usize, SiteId)]) -> Result<(), String> {
        let walk = Walk::new(&self.translated.program).expect("can be translated");
        let watched = if level == Level::Opt0 { Watched::All } else { Watched::Data };
        let site = |thread: usize, place: u32| steps.site(ThreadId::at(thread), place);
        let inputs = vec![Vec::new(); self.schedule.threads.len()];
        audit(&walk, &self.schedule, watched, &site, inputs, log).map_err(|wrong| wrong.to_string())
    }
}

/// Whether a program is still running after a while, and has said nothing.
fn runs_on(binary: &Path, processors: &str) -> Result<(), String> {
    let mut command = Command::new("taskset");
    command.args(["-c", processors]).arg(binary).env("SELVEDGE_STALL", "1").stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    std::thread::sleep(RUNS);
    let ended = child.try_wait().map_err(|error| error.to_string())?;
    let _ = child.kill();
    let told = child.wait_with_output().map_err(|error| error.to_string())?.stderr;
    match (ended, told.is_empty()) {
        (None, true) => Ok(()),
        (ended, _) => Err(format!("{ended:?}: {}", String::from_utf8_lossy(&told))),
    }
}

fn hold(name: &str) {
    let verified = verified(name);
    for level in LEVELS {
        let folder = tempfile::tempdir().expect("there is room for temporary files");
        let (steps, table) = verified.compiled(level).expect("has distinct ways");
        let binary = verified.binary(&steps, &table, None, folder.path()).expect("a binary");
        for processors in ["0", "0,1"] {
            runs_on(&binary, processors).unwrap_or_else(|what| panic!("{name} {level:?}: {what}"));
        }
        let log = verified.recorded(&binary, 20_000, folder.path()).expect("it runs");
        assert_eq!(log.len(), 20_000);
        verified.judged(&steps, level, &log).unwrap_or_else(|what| panic!("{name} {level:?}: {what}"));
        println!(
            "{name} {level:?}: {} chunks, {} events",
            table.chunks.len(),
            table.chunks.iter().map(|c| c.events.len()).sum::<usize>()
        );
    }
}

#[test]
fn two_mutexes_taken_in_different_orders_never_deadlock() {
    hold("double_lock_broken.c");
}

#[test]
fn producers_and_consumers_that_do_not_look_never_fail() {
    hold("producer_consumer_broken.c");
}

#[test]
fn a_run_time_that_leaves_out_a_wait_is_caught() {
    let verified = verified("producer_consumer_broken.c");
    let (steps, table) = verified.compiled(Level::Opt1).expect("has distinct ways");
    let waits: usize = table.chunks.iter().flat_map(|c| &c.events).map(|event| event.waits.len()).sum();
    assert!(waits > 0, "{table:#?}");
    let is_caught = |wait: usize| {
        let folder = tempfile::tempdir().expect("there is room for temporary files");
        let mutation = Some(Mutation::MissingWait(wait));
        let binary = verified.binary(&steps, &table, mutation, folder.path()).expect("a binary");
        (0..5).any(|_| {
            // Without the wait the assertion of the program may fail.
            let Ok(log) = verified.recorded(&binary, 20_000, folder.path()) else { return true };
            verified.judged(&steps, Level::Opt1, &log).is_err()
        })
    };
    let caught = (0..waits).filter(|&wait| is_caught(wait)).count();
    assert!(caught > 0, "none of {waits} waits was missed");
    println!("{caught} of {waits} waits that were left out are noticed");
}

#[test]
fn random_programs_follow_their_schedules() {
    let programs = std::env::var("SELVEDGE_PROGRAMS").map_or(12, |n| n.parse().expect("a number"));
    let outcomes = Outcomes::of(programs);
    for seed in 0..programs {
        let folder = tempfile::tempdir().expect("there is room for temporary files");
        let path = folder.path().join("random.c");
        let text = endless_c::program(&mut Random::new(seed));
        std::fs::write(&path, &text).expect("a file is written");
        let Some(verified) = verified_at(&path, Duration::from_secs(5)) else {
            outcomes.count("no schedule");
            continue;
        };
        for level in LEVELS {
            let Ok((steps, table)) = verified.compiled(level) else {
                outcomes.count("indistinct");
                continue;
            };
            let binary = match verified.binary(&steps, &table, None, folder.path()) {
                Ok(binary) => binary,
                Err(BuildError::Instruction { .. }) => {
                    outcomes.count("refused");
                    continue;
                }
                Err(error) => panic!("seed {seed} {level:?}: {error}"),
            };
            let log = verified.recorded(&binary, 3000, folder.path());
            if let Err(wrong) = log.and_then(|log| verified.judged(&steps, level, &log)) {
                panic!("seed {seed} {level:?}: {wrong}\n{table:#?}\n{}\n{text}", verified.schedule);
            }
            outcomes.count(format!("{level:?}"));
        }
    }
    println!("{outcomes}");
    outcomes.assert_at_least(&[("Opt0", 20), ("Opt1", 20), ("Opt2", 20)]);
}
