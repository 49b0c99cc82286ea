//! `selvedge check --schedule`: only what a schedule permits is explored, or proved by induction where that is too much.

use crate::args::{CheckArgs, Language};
use crate::error::CliError;
use crate::preparing::Preparing;
use crate::progress::Watch;
use crate::{asked, check, native, output, translated};
use selvedge_certificate::certificate::fingerprint;
use selvedge_enforce::confirm::MORE_STEPS;
use selvedge_enforce::induction::Proved;
use selvedge_enforce::search::Explored;
use selvedge_enforce::{Lost, SetupError};
use selvedge_explore::Plan;
use selvedge_report::reservations::{Induction, UnderSchedule};
use selvedge_report::scope::counted;
use selvedge_report::{Counterexample, Report, Reservations, Subject};
use selvedge_schedule::Schedule;
use selvedge_smt::Options;
use selvedge_verify::scheduled::{Doubt, EvidenceUnderSchedule};
use selvedge_verify::{CheckScheduled, Outcome, VerifyError, verify};
use std::path::Path;
use std::time::Instant;

/// Explores what a schedule permits and reports; the exit code.
pub fn run(args: &CheckArgs, plan: Plan, path: &Path) -> Result<u8, CliError> {
    let is_native = native::is_native(&args.program.path);
    match is_native {
        true => reject_options_of_machines(args)?,
        false => check::reject_native_only_options(args)?,
    }
    let (started, preparing) = (Instant::now(), Preparing::check(args, &plan));
    let language = Language { property: None, spurious_wakeups: args.spurious_wakeups };
    let loaded = translated::program(&args.program, &language)?;
    let plan = plan.with_remaining_time(started);
    let subject = loaded.subject();
    let heading = |_: &Plan, threads: usize| {
        let (name, threads) = (subject.source.name, counted(threads as u64, "thread"));
        format!("checking {name}: {threads}, all states that {} permits\n", path.display())
    };
    let mut watch = Watch::begin(check::display(args), preparing, heading)?;
    let schedule = read(subject, path)?;
    let task = CheckScheduled {
        program: subject.program,
        origin: loaded.origin,
        schedule: &schedule,
        plan,
        solver: Options::named("z3"),
        vacuity: asked::vacuity(args),
    };
    let outcome = verify(task, &mut watch).map_err(|error| match error {
        VerifyError::Schedule(SetupError::Build(error)) => CliError::unbuilt(error, subject.source),
        VerifyError::Schedule(SetupError::Unfit(what)) => {
            CliError::Certificate { path: path.to_owned(), what: what.to_string() }
        }
        error => CliError::Verify(error),
    })?;
    watch.end()?;
    let report = report(subject, path, &outcome)?;
    output::print(&check::told(&report, args))?;
    if let Some(path) = &args.save_trace {
        check::save(&report, path, args.format)?;
    }
    Ok(report.verdict.exit_code())
}

/// Refuses options of C that mean nothing when the program is explored as it is proved.
fn reject_options_of_machines(args: &CheckArgs) -> Result<(), CliError> {
    let option = match args {
        CheckArgs { unroll: Some(_), .. } => "--unroll",
        CheckArgs { property: Some(_), .. } => "--property",
        CheckArgs { save_trace: Some(_), .. } => "--save-trace",
        CheckArgs { check, .. } if !check.is_empty() => "--check",
        _ => return Ok(()),
    };
    Err(CliError::NotScheduled { option })
}

/// The report on what a schedule permits.
fn report<'a>(
    subject: Subject<'a>,
    path: &Path,
    outcome: &Outcome<EvidenceUnderSchedule>,
) -> Result<Report<'a>, CliError> {
    let EvidenceUnderSchedule { run, explored, proof, doubts } = &outcome.evidence;
    let violations = explored.exploration.violations.iter();
    let told = violations.map(|v| Counterexample::of(&subject, v)).collect::<Result<_, _>>()?;
    let doubts = doubts.iter().map(|doubt| in_words(doubt, subject, explored)).collect();
    let proof =
        proof.map(|Proved { sections, queries }| Induction { sections: sections as u64, questions: queries });
    let schedule = Some(UnderSchedule { name: path.display().to_string(), proof });
    let reservations = Reservations { schedule, ..Reservations::of_doubts(doubts) };
    let (source, defines) = (subject.source, subject.defines);
    Ok(Report::with(source, defines, *run, &explored.exploration, told, &reservations))
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

/// A reason why what was explored may not be all that is permitted, in words.
fn in_words(doubt: &Doubt, subject: Subject, explored: &Explored) -> String {
    let program = &explored.program;
    match doubt {
        Doubt::Lost(Lost { thread, statement, may_go_on }) => {
            let name = program.name(*thread);
            let line = subject.source.position(*statement).line;
            match may_go_on {
                true => format!("the schedule does not foresee what {name} does at line {line}"),
                false => format!("the schedule lets nobody go on, though {name} could at line {line}"),
            }
        }
        Doubt::Overrun => "threads go on in local code in too many ways".to_owned(),
        Doubt::OnlySome => format!("only {MORE_STEPS} steps were looked at, since the schedule is wrong"),
        Doubt::FalseClaim(node) => format!("the schedule claims of node {node} what does not hold there"),
        Doubt::Starved(thread) => {
            let name = program.name(*thread);
            format!(
                "the schedule is not fair: it can go on for ever without {name}, though {name} could go on"
            )
        }
        Doubt::UndecidedFairness => "whether the schedule is fair could not be found out".to_owned(),
        Doubt::NotProved(why) => format!("by induction it could not be proved: {why}"),
    }
}
