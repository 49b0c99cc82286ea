//! `selvedge check --schedule`: only what a schedule permits is explored, or proved by induction where that is too much.

use crate::args::{CheckArgs, Format, Language};
use crate::assumptions::{Assumptions, Origin};
use crate::error::CliError;
use crate::exploring::Plan;
use crate::progress::Watch;
use crate::{check, native, output, terms, translated};
use selvedge_certificate::certificate::fingerprint;
use selvedge_enforce::confirm::{Confirmation, MORE_STEPS, confirm};
use selvedge_enforce::induction::Proved;
use selvedge_enforce::search::Explored;
use selvedge_enforce::{Fairness, Lost, SetupError};
use selvedge_explore::Algorithm;
use selvedge_ir::Program;
use selvedge_report::report::Run;
use selvedge_report::scope::{assumed, counted};
use selvedge_report::terms::Vacuity;
use selvedge_report::verdict::is_vacuous;
use selvedge_report::{Counterexample, Report, Subject, Terms, Verdict};
use selvedge_schedule::Schedule;
use selvedge_smt::Options;
use std::path::Path;
use std::time::Instant;

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
    let solver = Options::named("z3");
    let found = confirm(subject.program, &schedule, plan.limits, solver, &mut watch);
    let Confirmation { explored, proof } = found.map_err(|error| match error {
        SetupError::Build(error) => CliError::unbuilt(error, subject.source),
        SetupError::Unfit(what) => CliError::Certificate { path: path.to_owned(), what: what.to_string() },
    })?;
    let elapsed = started.elapsed();
    watch.end();
    let terms = Terms { states: Some(explored.states as u64), ..terms };
    let run = Run { algorithm: Algorithm::Exhaustive, limits: plan.limits, reached: None, elapsed, terms };
    let violations = explored.exploration.violations.iter();
    let told = violations.map(|v| Counterexample::of(&subject, v)).collect::<Result<_, _>>()?;
    let mut cuts = match &proof {
        Some(Ok(_)) => Vec::new(),
        _ => cuts(subject, &explored),
    };
    if let Some(Err(why)) = &proof
        && (!cuts.is_empty() || !explored.is_whole)
    {
        cuts.push(format!("by induction it could not be proved: {why}"));
    }
    let mut report = Report::with(subject.source, subject.defines, run, &explored.exploration, told, &cuts);
    match proof {
        // The proof is about all that is permitted, and nothing wrong was found in what was visited of it.
        Some(Ok(Proved { sections, queries })) if !is_vacuous(&explored.exploration.statistics) => {
            let (sections, queries) = (counted(sections as u64, "section"), counted(queries, "question"));
            report.verdict = Verdict::Verified;
            report.scope = format!(
                "verified: {sections}, by induction with {queries}, for all inputs, under sequential consistency{}, fair",
                assumed(&run)
            );
        }
        _ if report.verdict == Verdict::Verified => report.scope += ", fair",
        _ => {}
    }
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

/// Why what was explored may not be all that is permitted, in words.
fn cuts(subject: Subject, explored: &Explored) -> Vec<String> {
    let program = &explored.program;
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
    if !explored.is_whole && explored.exploration.stop.is_none() && explored.exploration.statistics.cut == 0 {
        cuts.push(format!("only {MORE_STEPS} steps were looked at, since the schedule is wrong"));
    }
    if let Some(node) = program.false_claim() {
        cuts.push(format!("the schedule claims of node {node} what does not hold there"));
    }
    match explored.fairness {
        Fairness::Fair => {}
        Fairness::Starved(thread) => {
            let name = program.name(thread);
            cuts.push(format!(
                "the schedule is not fair: it can go on for ever without {name}, though {name} could go on"
            ));
        }
        Fairness::Undecided if explored.is_whole => {
            cuts.push("whether the schedule is fair could not be found out".to_owned());
        }
        Fairness::Undecided => {}
    }
    cuts
}
