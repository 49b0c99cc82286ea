//! `selvedge check`: explore a program and tell what was found.

use crate::args::{CheckArgs, Format};
use crate::error::CliError;
use crate::exploring::Plan;
use crate::progress::{Display, Watch};
use crate::{check_native, load, native, output, scheduled, terms};
use selvedge_explore::Program as _;
use selvedge_explore::auto::CANDIDATES;
use selvedge_interp::{Assumptions, Interpreter};
use selvedge_report::report::Run;
use selvedge_report::text::{self, Extent};
use selvedge_report::{Report, SavedTrace, Subject, Terms, json};
use selvedge_trace::ThreadId;
use std::path::Path;
use std::time::Instant;

/// Explores and reports; the exit code.
pub fn run(args: &CheckArgs) -> Result<u8, CliError> {
    let plan = Plan::of(args)?;
    if let Some(path) = &args.schedule {
        return scheduled::run(args, &plan, path);
    }
    if native::is_native(&args.program.path) {
        return check_native::run(args);
    }
    no_native_options(args)?;
    let loaded = load::file(&args.program.path, args.program.defines())?;
    let subject = loaded.subject();
    let plan = plan.with_root(root(args, subject.program)?);
    let watch = Watch::begin(display(args))?;
    let waiting = Interpreter::with(subject.program, Assumptions::Wait);
    let (plan, _) = plan.settled(waiting, &CANDIDATES);
    let plan = plan.rooted(&mut Interpreter::new(subject.program));
    if args.format == Format::Text && !args.quiet {
        output::print(&text::heading(&subject, plan.algorithm, plan.limits.root))?;
        output::print(&plan.reason())?;
    }
    let mut report = explored(subject, &plan, terms::of_program(args, subject.program), watch)?;
    report.chosen_because = plan.chosen_because();
    output::print(&told(&report, args))?;
    if let Some(path) = &args.save_trace {
        save(&report, path, args.format)?;
    }
    Ok(report.verdict.exit_code())
}

/// The root thread that was asked for, by its number or name.
fn root(args: &CheckArgs, program: &selvedge_ir::Program) -> Result<Option<ThreadId>, CliError> {
    let Some(root) = &args.root else { return Ok(None) };
    let names = program.thread_names();
    let found = match root.parse::<usize>() {
        Ok(number) => (number < Interpreter::new(program).thread_count()).then_some(number),
        Err(_) => names.iter().position(|name| name == root),
    };
    let listed = |(number, name): (usize, &String)| format!("{number} {name}");
    let threads = || names.iter().enumerate().map(listed).take(16).collect::<Vec<_>>().join(", ");
    let missing = || {
        let more = if names.len() > 16 { ", …" } else { "" };
        CliError::NoSuchRoot { root: root.clone(), threads: format!("the threads are {}{more}", threads()) }
    };
    found.map(|thread| Some(ThreadId::at(thread))).ok_or_else(missing)
}

/// Refuses options that mean nothing for our own languages.
pub fn no_native_options(args: &CheckArgs) -> Result<(), CliError> {
    let option = match args {
        CheckArgs { unroll: Some(_), .. } => "--unroll",
        CheckArgs { property: Some(_), .. } => "--property",
        CheckArgs { spurious_wakeups: true, .. } => "--spurious-wakeups",
        CheckArgs { no_reuse: true, .. } => "--no-reuse",
        CheckArgs { fixed_addresses: true, .. } => "--fixed-addresses",
        CheckArgs { check, .. } if !check.is_empty() => "--check",
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

fn explored<'a>(
    subject: Subject<'a>,
    plan: &Plan,
    terms: Terms,
    mut watch: Watch,
) -> Result<Report<'a>, CliError> {
    let started = Instant::now();
    let interpreter = Interpreter::with(subject.program, Assumptions::of(plan.algorithm));
    let (exploration, reached, _) = plan.explore(interpreter, &mut watch);
    let elapsed = started.elapsed();
    watch.end();
    let run = Run { algorithm: plan.algorithm, limits: plan.limits, reached, elapsed, terms };
    Ok(Report::new(subject, run, &exploration)?)
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
