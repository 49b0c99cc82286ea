//! `selvedge check` and `selvedge replay` for C and C++.

use crate::args::{CheckArgs, Format, Language, ProgramArgs};
use crate::check::{display, save, told};
use crate::error::CliError;
use crate::native::{self, SourceFiles};
use crate::preparing::Preparing;
use crate::progress::Watch;
use crate::{asked, output, prefix, translated};
use selvedge_explore::{Algorithm, Exploration, Plan};
use selvedge_machine::code::Place;
use selvedge_machine::{
    Addresses, Assumptions, Checks, Failure, FailureKind, Inputs, Machine, Options, Reuse, Telling,
};
use selvedge_report::native::{Files, counterexample};
use selvedge_report::report::Run;
use selvedge_report::scope::counted;
use selvedge_report::{Report, Reservations, SavedTrace, Source, Verdict, text};
use selvedge_verify::c::question::{left_shifts, promotion, telling};
use selvedge_verify::{CheckC, EvidenceInC, Native, Outcome, Property, verify};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

/// Refuses options that mean nothing for C and C++.
fn reject_model_only_options(args: &CheckArgs) -> Result<(), CliError> {
    match args.program.defines().is_empty() {
        true => Ok(()),
        false => Err(CliError::NotNative { option: "-D before `--`" }),
    }
}

/// Explores and reports; the exit code.
pub fn run(args: &CheckArgs, plan: Plan) -> Result<u8, CliError> {
    reject_model_only_options(args)?;
    let question = asked::question(args);
    let (started, preparing) = (Instant::now(), Preparing::check(args, &plan));
    let native = native::load(&args.program, left_shifts(question.checks(), &args.program.path))?;
    let plan = plan.with_remaining_time(started);
    let heading = |plan: &Plan, threads: usize| {
        let (name, algorithm) = (native.name(), plan.algorithm.name());
        let threads = counted(threads as u64, "thread");
        let root = plan.limits.root.map_or(String::new(), |root| format!(", root thread {}", root.0));
        format!("checking {name}: {threads}, algorithm {algorithm}{root}\n{}", asked::reason(plan))
    };
    let mut watch = Watch::begin(display(args), preparing, heading)?;
    let root = args.root.as_deref();
    let check = CheckC { native: &native, question: &question, plan, root };
    let Some(path) = &args.prefix else {
        let outcome = verify(check, &mut watch)?;
        watch.end()?;
        tell(args, &native, &outcome)?;
        return Ok(outcome.verdict.exit_code());
    };
    let (outcome, prefixes) = prefix::find(path, check, &mut watch)?;
    watch.end()?;
    tell(args, &native, &outcome)?;
    prefix::tell(args, path, prefixes)?;
    Ok(outcome.verdict.exit_code())
}

/// Tells what was found.
fn tell(args: &CheckArgs, native: &Native, outcome: &Outcome<EvidenceInC>) -> Result<(), CliError> {
    let EvidenceInC { run, machine, exploration } = &outcome.evidence;
    let files = native::files(native, machine.code());
    let name = source_name(native, machine, &files, exploration);
    let source = Source { name: &name.0, text: &name.1 };
    let defines = BTreeMap::new();
    let mut report = report(machine, &files, source, &defines, *run, exploration)?;
    report.reuses_memory = machine.options().reuse == Reuse::Explored;
    report.orders_objects = machine.options().addresses == Addresses::Ordered;
    output::print(&told(&report, args))?;
    if let Some(path) = &args.save_trace {
        save(&report, path, args.format)?;
    }
    if args.format == Format::Text && !args.quiet && report.verdict == Verdict::Inconclusive {
        output::print(&endless_loop(machine, &files, exploration))?;
        if outcome.evidence.is_only_long() {
            output::print(&hint(args))?;
        }
    }
    if let (Some(property), Format::Text) = (args.property, args.format) {
        output::print(&verdict_line(property, &report, exploration))?;
    }
    Ok(())
}

/// Rounds of a loop that are worth a word if executions were too long or too many.
const MANY_ROUNDS: u32 = 100;

/// The loop that may be why a search did not come to its end, and what can be done about it.
fn endless_loop(machine: &Machine, files: &SourceFiles, exploration: &Exploration<Failure>) -> String {
    let is_stopped = exploration.stop.is_some() || machine.cuts().is_empty();
    let (rounds, place) = machine.longest_loop();
    match is_stopped && rounds >= MANY_ROUNDS && machine.options().unroll.is_none() {
        true => format!(
            "the loop at {}:{} went round {rounds} times in one execution; `--unroll N` cuts loops after N rounds\n",
            files.name(place.file),
            place.line
        ),
        false => String::new(),
    }
}

/// What else might be tried with a program whose executions do not end, if it can be: nothing bounds the rounds of loops in a proof.
fn hint(args: &CheckArgs) -> String {
    let is_provable = match args.property {
        None | Some(Property::UnreachCall) => args.check.is_empty(),
        Some(_) => false,
    };
    let language = Language { property: args.property, spurious_wakeups: args.spurious_wakeups };
    match is_provable && translated::program(&args.program, &language).is_ok() {
        true => format!(
            "`selvedge prove {}` may decide it: it needs no bound on loops\n",
            args.program.path.display()
        ),
        false => String::new(),
    }
}

/// The file that the report is about: where the first violation is, or the program's own.
fn source_name(
    native: &Native,
    machine: &Machine,
    files: &SourceFiles,
    exploration: &Exploration<Failure>,
) -> (String, String) {
    let main = machine.code().main.and_then(|main| machine.code().functions.get(main as usize));
    let of_main =
        main.and_then(|main| (main.entry..main.end).map(|pc| machine.code().place(pc)).find(|p| p.line > 0));
    let place = exploration.violations.first().map(|violation| violation.failure.place).or(of_main);
    let known = place
        .filter(|place| place.line > 0)
        .map(|place| (files.name(place.file), files.text(place.file).unwrap_or("").to_owned()));
    match known {
        Some((name, text)) if !name.is_empty() => (name, text),
        _ => (native.name(), String::new()),
    }
}

fn report<'a>(
    machine: &Machine,
    files: &SourceFiles,
    source: Source<'a>,
    defines: &'a BTreeMap<String, i64>,
    run: Run,
    exploration: &Exploration<Failure>,
) -> Result<Report<'a>, CliError> {
    let told = exploration.violations.iter().map(|v| counterexample(machine, files, v));
    let told = told.collect::<Result<Vec<_>, _>>()?;
    let place_of = |place: &Place| format!("{}:{}", files.name(place.file), place.line);
    let doubts = machine.cuts().iter().map(|cut| match cut.place.line {
        0 => cut.reason.message(),
        _ => format!("{} at {}", cut.reason.message(), place_of(&cut.place)),
    });
    let mut reservations = Reservations::of_doubts(doubts.collect());
    if !machine.options().checks.races {
        reservations.at_once = machine.at_once().first().map(place_of);
    }
    Ok(Report::with(source, defines, run, exploration, told, &reservations))
}

/// The last line, by the convention of the software-verification competition.
fn verdict_line(property: Property, report: &Report, exploration: &Exploration<Failure>) -> String {
    let first = exploration.violations.first().map(|violation| &violation.failure.kind);
    let verdict = match (report.verdict, first) {
        (Verdict::Verified, _) => "true".to_owned(),
        (Verdict::Violation, Some(kind)) => format!("false({})", violated(property, kind)),
        _ => "unknown".to_owned(),
    };
    format!("VERDICT: {verdict}\n")
}

fn violated(property: Property, kind: &FailureKind) -> &'static str {
    match (property, kind) {
        (Property::UnreachCall, _) => "unreach-call",
        (Property::NoDataRace, _) => "no-data-race",
        (Property::NoOverflow, _) => "no-overflow",
        (_, FailureKind::Leak(_)) => "valid-memtrack",
        (_, FailureKind::DoubleFree(_) | FailureKind::InvalidFree(_)) => "valid-free",
        _ => "valid-deref",
    }
}

/// Performs a saved trace and tells it; the exit code.
pub fn replay(trace_path: &Path, trace: &SavedTrace, program: &ProgramArgs) -> Result<u8, CliError> {
    let unusable = |error| CliError::Trace { path: trace_path.to_owned(), error };
    let mut checks = Checks::default();
    match trace.kind.as_str() {
        "data-race" => checks.races = true,
        "leak" => checks.leaks = true,
        "uninitialised" => checks.uninitialised = true,
        "overflow" => checks.overflow = true,
        _ => {}
    }
    let spurious_wakeups = true;
    let left_shifts = left_shifts(checks, &program.path);
    let native = native::load(program, left_shifts)?;
    let promotion = promotion(checks);
    let found_by = Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == trace.algorithm);
    let telling = found_by.map_or(Telling::Order, telling);
    // Whoever found it may have tried samples of inputs; where all are tried, this changes nothing.
    let inputs = Inputs::Samples;
    let reuse = if trace.reuses_memory { Reuse::Explored } else { Reuse::Excluded };
    let addresses = if trace.orders_objects { Addresses::Ordered } else { Addresses::Fixed };
    // A trace may have reads at which threads stopped; one whose reads have waited can be performed all the same.
    let assumptions = Assumptions::Drop;
    let options = Options {
        checks,
        promotion,
        spurious_wakeups,
        left_shifts,
        telling,
        inputs,
        reuse,
        addresses,
        assumptions,
        ..Options::default()
    };
    let machine = native.machine(options)?;
    let (violation, machine) = trace.perform_native(machine).map_err(unusable)?;
    let files = native::files(&native, machine.code());
    let place = violation.failure.place;
    let (name, text) = (files.name(place.file), files.text(place.file).unwrap_or("").to_owned());
    let source = Source { name: &name, text: &text };
    let example = counterexample(&machine, &files, &violation)?;
    let told = text::counterexample(&example, source, output::page());
    output::print(&format!("replaying {} on {}\n\n{told}", trace_path.display(), native.name()))?;
    Ok(Verdict::Violation.exit_code())
}
