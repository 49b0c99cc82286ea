//! `selvedge check`: explore a program and tell what was found.

use crate::args::{CheckArgs, Format};
use crate::error::CliError;
use crate::preparing::Preparing;
use crate::progress::{Display, Watch};
use crate::{asked, check_native, load, native, output, scheduled};
use selvedge_explore::Plan;
use selvedge_report::text::{self, Extent};
use selvedge_report::{Report, SavedTrace, json};
use selvedge_verify::{CheckModel, Ignored, verify};
use std::path::Path;
use std::time::Instant;

/// Explores and reports; the exit code.
pub fn run(args: &CheckArgs) -> Result<u8, CliError> {
    let plan = asked::plan(args)?;
    if let Some(path) = &args.schedule {
        return scheduled::run(args, plan, path);
    }
    if native::is_native(&args.program.path) {
        return check_native::run(args, plan);
    }
    reject_native_only_options(args)?;
    let (started, preparing) = (Instant::now(), Preparing::check(args, &plan));
    let loaded = load::file(args.program.only_file()?, args.program.defines())?;
    let plan = plan.with_remaining_time(started);
    let subject = loaded.subject();
    let heading =
        |plan: &Plan, _| text::heading(&subject, plan.algorithm, plan.limits.root) + &asked::reason(plan);
    let mut watch = Watch::begin(display(args), preparing, heading)?;
    let (program, root, vacuity) = (subject.program, args.root.as_deref(), asked::vacuity(args));
    let deadlocks = asked::deadlocks(args);
    let outcome = verify(CheckModel { program, plan, root, vacuity, deadlocks }, &mut watch)?;
    watch.end()?;
    let report = Report::new(subject, outcome.evidence.run, &outcome.evidence.exploration)?;
    output::print(&told(&report, args))?;
    if let Some(path) = &args.save_trace {
        save(&report, path, args.format)?;
    }
    Ok(report.verdict.exit_code())
}

/// Refuses options that mean nothing for our own languages.
pub fn reject_native_only_options(args: &CheckArgs) -> Result<(), CliError> {
    let option = match args {
        CheckArgs { unroll: Some(_), .. } => "--unroll",
        CheckArgs { prefix: Some(_), .. } => "--prefix",
        CheckArgs { property: Some(_), .. } => "--property",
        CheckArgs { spurious_wakeups: true, .. } => "--spurious-wakeups",
        CheckArgs { no_reuse: true, .. } => "--no-reuse",
        CheckArgs { fixed_addresses: true, .. } => "--fixed-addresses",
        CheckArgs { check, .. } if !check.is_empty() => "--check",
        CheckArgs { ignore, .. } if ignore.contains(&Ignored::Aborts) => "--ignore aborts",
        CheckArgs { program, .. } if program.clang.is_some() => "--clang",
        CheckArgs { program, .. } if !program.cflags.is_empty() => "`--` with arguments of clang",
        _ => return Ok(()),
    };
    Err(CliError::OnlyNative { option })
}

/// Whether to show progress.
pub fn display(args: &CheckArgs) -> Display {
    match args.format == Format::Text && !args.quiet {
        true => Display::OnTerminal,
        false => Display::Never,
    }
}

/// The report in the form that was asked for.
pub fn told(report: &Report, args: &CheckArgs) -> String {
    match args.format {
        Format::Json => json::json(report).to_text(),
        Format::Text => {
            let extent = if args.quiet { Extent::Brief } else { Extent::Full };
            text::text(report, output::page(), extent)
        }
    }
}

/// Writes the first counterexample to a file.
pub fn save(report: &Report, path: &Path, format: Format) -> Result<(), CliError> {
    let Some(first) = report.counterexamples.first() else { return Ok(()) };
    std::fs::write(path, SavedTrace::of(report, first).to_text())
        .map_err(|error| CliError::Write { path: path.to_owned(), error })?;
    if format == Format::Text {
        let (file, program) = (path.display(), report.source.name);
        output::print(&format!("trace saved; to step through it again: selvedge replay {file} {program}\n"))?;
    }
    Ok(())
}
