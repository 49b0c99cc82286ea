//! `selvedge check --schedule`: only what a schedule permits is explored.

use crate::args::{CheckArgs, Format, Language};
use crate::assumptions::{Assumptions, Origin};
use crate::error::CliError;
use crate::exploring::Plan;
use crate::progress::Watch;
use crate::{check, native, output, terms, translated};
use selvedge_certificate::certificate::fingerprint;
use selvedge_enforce::{Lost, Orders, Scheduled, search};
use selvedge_explore::{Algorithm, Exploration, Limits};
use selvedge_interp::Failure;
use selvedge_ir::Program;
use selvedge_report::report::Run;
use selvedge_report::scope::counted;
use selvedge_report::terms::Vacuity;
use selvedge_report::{Counterexample, Report, Subject, Terms};
use selvedge_schedule::Schedule;
use std::path::Path;
use std::time::Instant;

/// What was found under a schedule.
struct Found {
    exploration: Exploration<Failure>,
    states: usize,
    program: Scheduled,
}

/// Explores what a schedule permits and reports; the exit code.
pub fn run(args: &CheckArgs, plan: &Plan, path: &Path) -> Result<u8, CliError> {
    match native::is_native(&args.program.path) {
        true => no_options_of_machines(args)?,
        false => check::no_native_options(args)?,
    }
    let language = Language { property: None, spurious_wakeups: args.spurious_wakeups };
    let loaded = translated::program(&args.program, &language)?;
    let subject = loaded.subject();
    let watch = Watch::begin(check::display(args))?;
    if args.format == Format::Text && !args.quiet {
        let threads = counted(subject.program.thread_count() as u64, "thread");
        let (name, schedule) = (subject.source.name, path.display());
        output::print(&format!("checking {name}: {threads}, all states that {schedule} permits\n"))?;
    }
    let terms = under_schedule(args, subject.program);
    let report = explored(subject, plan, terms, path, watch)?;
    output::print(&check::told(&report, args))?;
    if let Some(path) = &args.save_trace {
        check::save(&report, path, args.format)?;
    }
    Ok(report.verdict.exit_code())
}

/// The terms of a claim. Where C ends the program its translation stops at an assumption, which does not make a claim vacuous.
fn under_schedule(args: &CheckArgs, program: &Program) -> Terms {
    let terms = terms::of_program(args, program);
    let is_translated = native::is_native(&args.program.path);
    match is_translated && Assumptions::of(program, Origin::Translated).are_none() {
        true => Terms { vacuity: Vacuity::Allowed, ..terms },
        false => terms,
    }
}

/// Refuses options of C that mean nothing when the program is explored as it is proved.
fn no_options_of_machines(args: &CheckArgs) -> Result<(), CliError> {
    let option = match args {
        CheckArgs { unroll: Some(_), .. } => "--unroll",
        CheckArgs { property: Some(_), .. } => "--property",
        CheckArgs { save_trace: Some(_), .. } => "--save-trace",
        CheckArgs { check, .. } if !check.is_empty() => "--check",
        _ => return Ok(()),
    };
    Err(CliError::NotScheduled { option })
}

/// Explores only what a schedule permits.
fn explored<'a>(
    subject: Subject<'a>,
    plan: &Plan,
    terms: Terms,
    path: &Path,
    mut watch: Watch,
) -> Result<Report<'a>, CliError> {
    let schedule = read(subject, path)?;
    let started = Instant::now();
    let mut found = explore(subject, schedule.clone(), Orders::Different, plan.limits, &mut watch)?;
    if !found.exploration.violations.is_empty() || found.program.lost().is_some() {
        // Something is wrong with the schedule, so steps that seem independent may not be.
        let left = plan.limits.time.map(|limit| limit.saturating_sub(started.elapsed()));
        let limits = Limits { time: left, ..plan.limits };
        found = explore(subject, schedule, Orders::All, limits, &mut watch)?;
    }
    let elapsed = started.elapsed();
    watch.end();
    let terms = Terms { states: Some(found.states as u64), ..terms };
    let run = Run { algorithm: Algorithm::Exhaustive, limits: plan.limits, reached: None, elapsed, terms };
    let violations = found.exploration.violations.iter();
    let told = violations.map(|v| Counterexample::of(&subject, v)).collect::<Result<_, _>>()?;
    let cuts = cuts(subject, &found.program);
    let mut report = Report::with(subject.source, subject.defines, run, &found.exploration, told, &cuts);
    report.scope =
        format!("{}, of what the schedule {} permits and of nothing else", report.scope, path.display());
    Ok(report)
}

fn read(subject: Subject, path: &Path) -> Result<Schedule, CliError> {
    let text =
        std::fs::read_to_string(path).map_err(|error| CliError::Read { path: path.to_owned(), error })?;
    let wrong = |what: String| CliError::Certificate { path: path.to_owned(), what };
    let schedule = Schedule::parse(&text).map_err(|error| wrong(error.to_string()))?;
    match schedule.program == fingerprint(subject.program) {
        true => Ok(schedule),
        false => Err(wrong("the schedule is for another program".to_owned())),
    }
}

fn explore(
    subject: Subject,
    schedule: Schedule,
    orders: Orders,
    limits: Limits,
    watch: &mut Watch,
) -> Result<Found, CliError> {
    let program = Scheduled::new(subject.program, schedule, orders)
        .map_err(|error| CliError::unbuilt(error, subject.source))?;
    let (exploration, states, program) = search::explore(program, limits, watch);
    Ok(Found { exploration, states, program })
}

/// Why what was explored may not be all that is permitted, in words.
fn cuts(subject: Subject, program: &Scheduled) -> Vec<String> {
    let mut cuts = Vec::new();
    if let Some(Lost { thread, statement, may_go_on }) = program.lost() {
        let name = program.name(*thread);
        let line = subject.source.position(*statement).line;
        cuts.push(match may_go_on {
            true => format!("the schedule does not foresee what {name} does at line {line}"),
            false => format!("the schedule lets nobody go on, though {name} could at line {line}"),
        });
    }
    if program.is_overrun() {
        cuts.push("threads go on in local code in too many ways".to_owned());
    }
    cuts
}
