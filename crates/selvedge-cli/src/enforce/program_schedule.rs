//! Binaries of programs that run forever: a program schedule, given or found here, is confirmed, made a table and built in.

use super::args::{BinaryArgs, Divergence, Opt, RunArgs};
use crate::error::CliError;
use selvedge_build::Compiled;
use selvedge_certificate::certificate::fingerprint;
use selvedge_enforce::confirm::confirm;
use selvedge_explore::{Limits as Bounds, Silent};
use selvedge_impact::iterate::{Progress, Schedules};
use selvedge_impact::{Limits, Naming, Prover};
use selvedge_schedule::Schedule;
use selvedge_sections::native::{Parts, build};
use selvedge_sections::restrict::{most_threads, restricted};
use selvedge_sections::{Level, Sources, Steps, compile};
use selvedge_smt::{Options, Reuse};
use selvedge_symbolic::movers::Blocks;
use selvedge_translate::{Options as Translation, SourceFile, Translated, translate};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a schedule is looked for, and confirmed.
const PATIENCE: Duration = Duration::from_secs(120);

impl From<Opt> for Level {
    fn from(opt: Opt) -> Level {
        match opt {
            Opt::Zero => Level::Opt0,
            Opt::One => Level::Opt1,
            Opt::Two => Level::Opt2,
        }
    }
}

/// Refuses what is there for trace prefixes only.
pub fn refuse_options_of_prefixes(args: &RunArgs) -> Result<(), CliError> {
    let option = match args {
        RunArgs { stats: true, .. } => "--stats",
        RunArgs { record: Some(_), .. } => "--record",
        _ => return Ok(()),
    };
    let what = format!("{option} is for trace prefixes");
    Err(CliError::Schedule { path: args.binary.path.clone(), what })
}

/// Whether a text is a program schedule, of any version.
pub fn is_one(text: &str) -> bool {
    text.starts_with("selvedge schedule ")
}

/// Makes a binary that follows a program schedule: the text of one, or the first that is found.
pub fn make(
    args: &BinaryArgs,
    compiled: &Compiled,
    cflags: &[String],
    schedule: Option<&str>,
    output: &Path,
) -> Result<(), CliError> {
    let wrong = |what: String| CliError::Schedule { path: args.path.clone(), what };
    if args.on_divergence != Divergence::Stop {
        return Err(wrong("under a program schedule, --on-divergence can only be `stop`".to_owned()));
    }
    let module = compiled.module();
    let text = std::fs::read_to_string(&args.path).unwrap_or_else(|_| SourceFile::blank(module));
    let source = SourceFile::new(SourceFile::of_main(module), &text);
    let translated = translate(module, &source, Translation::default())
        .map_err(|refusal| wrong(format!("line {}: {}", refusal.span.line_column(&text).0, refusal.what)))?;
    let sources = Sources::new(&translated, module);
    let schedule = match schedule {
        Some(text) => Schedule::parse(text).map_err(|error| wrong(error.to_string()))?,
        None => found(&translated, &sources).map_err(wrong)?,
    };
    if schedule.program != fingerprint(&translated.program) {
        return Err(wrong("the schedule is for another program".to_owned()));
    }
    let schedule = (0..most_threads(&schedule))
        .map(|turn| restricted(&schedule, turn))
        .find(|schedule| is_right(&translated, schedule))
        .ok_or_else(|| wrong("the schedule could not be confirmed".to_owned()))?;
    let level = Level::from(args.opt);
    let named = |pc: u32| sources.named(pc);
    let mut steps = Steps::new(&translated.program, &named, level.synchronisation())
        .map_err(|error| wrong(error.to_string()))?;
    let table = compile(&mut steps, &schedule, level).map_err(|refused| wrong(refused.to_string()))?;
    let (text, threads) = (compiled.text(), &schedule.threads[..]);
    let (sources, steps, table, stall) = (&sources, &steps, &table, args.stall);
    let parts = Parts { text, module, sources, steps, table, threads, stall };
    let folder = tempfile::tempdir()?;
    build(&parts, None, compiled.compiler(), cflags, folder.path(), output)
        .map_err(|error| wrong(error.to_string()))
}

/// The first schedule under which a program is safe.
fn found(translated: &Translated, sources: &Sources) -> Result<Schedule, String> {
    let program = &translated.program;
    let limits = Limits { deadline: Some(Instant::now() + PATIENCE), ..Limits::default() };
    let mut prover =
        Prover::new(program, solver(), Blocks::Merged, limits).map_err(|error| error.to_string())?;
    let mut schedules = Schedules::new(&mut prover);
    loop {
        match schedules.iteration(&mut prover) {
            Ok(Progress::Larger) => break,
            Ok(Progress::Counterexample(_)) => {}
            Ok(Progress::None) => return Err("no schedule is safe".to_owned()),
            Err(stop) => return Err(format!("no schedule was found: {stop}")),
        }
    }
    let instruction = |pc: u32| sources.instruction(pc).cloned();
    let naming = Naming { line: &|_| 0, instruction: &instruction, creators: &sources.creators };
    Ok(prover.schedule(&schedules.tree, fingerprint(program), naming))
}

fn is_right(translated: &Translated, schedule: &Schedule) -> bool {
    let bounds = Bounds { time: Some(PATIENCE), ..Bounds::default() };
    let confirmed = confirm(&translated.program, schedule, bounds, solver(), &mut Silent);
    confirmed.is_ok_and(|confirmed| confirmed.is_confirmed())
}

fn solver() -> Options {
    Options { reuse: Reuse::InThread, ..Options::named("z3") }
}
