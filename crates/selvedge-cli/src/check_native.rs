//! `selvedge check` and `selvedge replay` for C and C++.

use crate::args::{CheckArgs, Format, Language, MoreChecks, ProgramArgs, Property};
use crate::check::{display, save, told};
use crate::decide::{self, Decided};
use crate::error::CliError;
use crate::exploring::Plan;
use crate::native::{Native, SourceFiles};
use crate::output;
use crate::progress::Watch;
use crate::{terms, translated};
use selvedge_explore::auto::{self, CANDIDATES, Reason};
use selvedge_explore::deepening::Reached;
use selvedge_explore::{Algorithm, Exploration, Promise, Silent, Stop, explore};
use selvedge_machine::failure::CutReason;
use selvedge_machine::{
    Addresses, Assumptions, Checks, Failure, FailureKind, Inputs, LeftShifts, Machine, Options, Promotion,
    Reuse, Telling,
};
use selvedge_report::native::{Files, counterexample};
use selvedge_report::report::Run;
use selvedge_report::{Report, SavedTrace, Source, Verdict, text};
use selvedge_trace::ThreadId;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

/// What is asked for that is not local to a thread, and that coarser equivalences than happens-before do not tell apart.
fn not_local(args: &CheckArgs) -> Option<&'static str> {
    match args.property {
        Some(Property::NoDataRace) => Some("data races"),
        Some(Property::ValidMemsafety) => Some("leaks"),
        _ if args.check.contains(&MoreChecks::Races) => Some("data races"),
        _ if args.check.contains(&MoreChecks::Leaks) => Some("leaks"),
        _ => None,
    }
}

/// Refuses to look for what an algorithm does not tell apart.
fn check_preserved(args: &CheckArgs, algorithm: Algorithm) -> Result<(), CliError> {
    match (algorithm.promise(), not_local(args)) {
        (Promise::EveryClassOnce(_), Some(property)) => {
            Err(CliError::NotPreserved { algorithm: algorithm.name(), property })
        }
        _ => Ok(()),
    }
}

/// Refuses a program with operations that the algorithm cannot treat, unless it has shown something wrong all the same.
fn check_observed(
    algorithm: Algorithm,
    machine: &Machine,
    files: &SourceFiles,
    exploration: &Exploration<Failure>,
) -> Result<(), CliError> {
    let untold = machine.cuts().iter().find_map(|cut| match &cut.reason {
        CutReason::Untold(what) => Some((what.clone(), cut.place)),
        _ => None,
    });
    match untold {
        Some((what, place)) if exploration.violations.is_empty() => {
            let place = match place.line {
                0 => String::new(),
                line => format!(" at {}:{line}", files.name(place.file)),
            };
            Err(CliError::NotObserved { algorithm: algorithm.name(), what, place })
        }
        _ => Ok(()),
    }
}

/// The root thread that was asked for: threads have numbers in the order in which they are made.
fn root(args: &CheckArgs, threads: usize) -> Result<Option<ThreadId>, CliError> {
    let Some(root) = &args.root else { return Ok(None) };
    let number = root.parse::<usize>().ok().filter(|number| *number < threads);
    let threads = || match threads {
        0 | 1 => "there is only thread 0".to_owned(),
        _ => format!(
            "the threads are 0, which runs main, to {}, in the order in which they are made",
            threads - 1
        ),
    };
    let missing = || CliError::NoSuchRoot { root: root.clone(), threads: threads() };
    number.map(|thread| Some(ThreadId::at(thread))).ok_or_else(missing)
}

/// Refuses options that mean nothing for C and C++.
fn no_options_of_our_languages(args: &CheckArgs) -> Result<(), CliError> {
    match args.program.defines().is_empty() {
        true => Ok(()),
        false => Err(CliError::NotNative { option: "-D before `--`" }),
    }
}

/// The plan with an algorithm, if that is still to be chosen. One that asks what is observed has to be told every operation, and its
/// probe must have left nothing out.
fn settled(plan: Plan, args: &CheckArgs, native: &Native) -> Plan {
    if !plan.is_open() {
        return plan;
    }
    let is_local = args.property.is_none() && not_local(args).is_none();
    let covers = |algorithm: Algorithm| match algorithm {
        Algorithm::Observers => false,
        _ => is_local || !algorithm.asks_what_is_observed(),
    };
    let candidates: Vec<_> = CANDIDATES.into_iter().filter(|(algorithm, _)| covers(*algorithm)).collect();
    let started = Instant::now();
    let choice = auto::choose_by(&candidates, |algorithm, executions| {
        let machine = native.machine(options(args, algorithm)).ok()?;
        let limits = auto::probe_limits(plan.limits, executions, started);
        let (found, machine) = explore(machine, algorithm, limits, &mut Silent);
        let is_whole =
            found.violations.is_empty() && machine.cuts().is_empty() && machine.corrected().is_none();
        let reason = match Reason::of(algorithm, &found) {
            Some(Reason::Finished { executions }) if !machine.cuts().is_empty() => {
                Some(Reason::Cut { executions })
            }
            reason => reason,
        };
        reason.filter(|_| is_whole || !algorithm.asks_what_is_observed())
    });
    plan.with_choice(choice).after(started)
}

/// Explores and reports; the exit code.
pub fn run(args: &CheckArgs) -> Result<u8, CliError> {
    no_options_of_our_languages(args)?;
    let plan = Plan::of(args)?;
    check_preserved(args, plan.algorithm)?;
    let native = Native::load_with(&args.program, options(args, plan.algorithm).left_shifts)?;
    let mut watch = Watch::begin(display(args))?;
    let plan = settled(plan, args, &native);
    let mut machine = native.machine(options(args, plan.algorithm))?;
    let plan = plan.with_root(root(args, machine.thread_room())?).rooted(&mut machine);
    if args.format == Format::Text && !args.quiet {
        let threads = selvedge_report::scope::counted(machine.thread_room() as u64, "thread");
        let name = native.name();
        let root = plan.limits.root.map_or(String::new(), |root| format!(", root thread {}", root.0));
        output::print(&format!("checking {name}: {threads}, algorithm {}{root}\n", plan.algorithm.name()))?;
        output::print(&plan.reason())?;
    }
    let started = Instant::now();
    let Found { machine, exploration, reached, states } =
        explored(args, &plan, &native, machine, started, &mut watch)?;
    watch.end();
    let files = native.files(machine.code());
    check_observed(plan.algorithm, &machine, &files, &exploration)?;
    let elapsed = started.elapsed();
    let terms = terms::of_machine(args, &machine, states);
    let run = Run { algorithm: plan.algorithm, limits: plan.limits, reached, elapsed, terms };
    let name = source_name(&native, &machine, &files, &exploration);
    let source = Source { name: &name.0, text: &name.1 };
    let defines = BTreeMap::new();
    let mut report = report(&machine, &files, source, &defines, run, &exploration)?;
    if let (Some(place), Verdict::Verified, false) =
        (machine.at_once().first(), report.verdict, machine.options().checks.races)
    {
        let place = format!("{}:{}", files.name(place.file), place.line);
        report.scope += &format!(
            "; what is copied or compared at {place} counts as one step, which matters if it races (--check races)"
        );
    }
    report.reuses_memory = machine.options().reuse == Reuse::Explored;
    report.orders_objects = machine.options().addresses == Addresses::Ordered;
    report.chosen_because = plan.chosen_because();
    output::print(&told(&report, args))?;
    if let Some(path) = &args.save_trace {
        save(&report, path, args.format)?;
    }
    let is_long = report.verdict == Verdict::Inconclusive && is_only_long(&machine, &exploration);
    if args.format == Format::Text && !args.quiet && report.verdict == Verdict::Inconclusive {
        output::print(&endless_loop(&machine, &files, &exploration))?;
    }
    if args.format == Format::Text && !args.quiet && is_long {
        output::print(&hint(args))?;
    }
    if let (Some(property), Format::Text) = (args.property, args.format) {
        output::print(&verdict_line(property, &report, &exploration))?;
    }
    Ok(report.verdict.exit_code())
}

/// What was found, and the machine that found it.
struct Found {
    machine: Machine,
    exploration: Exploration<Failure>,
    reached: Option<Reached>,
    /// The number of states, if it was a search of states.
    states: Option<usize>,
}

/// Explores, and begins again when an execution shows that the machine has to be made otherwise.
fn explored(
    args: &CheckArgs,
    plan: &Plan,
    native: &Native,
    mut machine: Machine,
    started: Instant,
    watch: &mut Watch,
) -> Result<Found, CliError> {
    let unroll = machine.options().unroll;
    loop {
        let found = attempt(args, &plan.after(started), native, machine, watch)?;
        match found.machine.corrected() {
            Some(corrected) if matches!(found.exploration.stop, None | Some(Stop::Sampled)) => {
                machine = native.machine(Options { unroll, ..corrected })?;
            }
            _ => return Ok(found),
        }
    }
}

/// Explores once. To decide a property there is more than one way, but only the algorithms with a bound know what is within it.
fn attempt(
    args: &CheckArgs,
    plan: &Plan,
    native: &Native,
    machine: Machine,
    watch: &mut Watch,
) -> Result<Found, CliError> {
    if args.property.is_none() {
        let (exploration, reached, machine) = plan.explore(machine, watch);
        return Ok(Found { machine, exploration, reached, states: None });
    }
    let options = *machine.options();
    let unlimited = match options.unroll {
        None => None,
        Some(_) => Some(native.machine(Options { unroll: None, ..options })?),
    };
    if plan.is_bounded() {
        let (exploration, reached, machine) = decide::decide_within_bound(unlimited, machine, plan, watch);
        return Ok(Found { machine, exploration, reached, states: None });
    }
    let (Decided { exploration, states }, machine) = match unlimited {
        None => decide::decide(machine, plan.algorithm, plan.limits, watch),
        Some(unlimited) => decide::decide_unrolled(unlimited, machine, plan.algorithm, plan.limits, watch),
    };
    Ok(Found { machine, exploration, reached: None, states })
}

/// Whether nothing but the length or the number of executions stands in the way of a verdict.
fn is_only_long(machine: &Machine, exploration: &Exploration<Failure>) -> bool {
    let is_long = exploration.statistics.cut > 0 || exploration.stop == Some(Stop::Time);
    is_long
        && machine.cuts().iter().all(|cut| matches!(cut.reason, CutReason::Unroll(_) | CutReason::Counted(_)))
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
    let cuts: Vec<String> = machine
        .cuts()
        .iter()
        .map(|cut| match cut.place.line {
            0 => cut.reason.message(),
            line => format!("{} at {}:{line}", cut.reason.message(), files.name(cut.place.file)),
        })
        .collect();
    Ok(Report::with(source, defines, run, exploration, told, &cuts))
}

/// What to look for and how far to go.
fn options(args: &CheckArgs, algorithm: Algorithm) -> Options {
    let mut checks = match args.property {
        None => Checks::default(),
        Some(Property::UnreachCall) => Checks { assertions: true, ..Checks::NONE },
        Some(Property::NoDataRace) => Checks { races: true, ..Checks::NONE },
        Some(Property::ValidMemsafety) => Checks { memory: true, leaks: true, ..Checks::NONE },
        Some(Property::NoOverflow) => Checks { overflow: true, ..Checks::NONE },
    };
    for check in &args.check {
        match check {
            MoreChecks::Races => checks.races = true,
            MoreChecks::Leaks => checks.leaks = true,
            MoreChecks::Uninitialised => checks.uninitialised = true,
            MoreChecks::Overflow => checks.overflow = true,
        }
    }
    // The competition's programs must be right whenever the standard allows a thread to wake up.
    let spurious_wakeups = args.spurious_wakeups || args.property.is_some();
    Options {
        checks,
        unroll: args.unroll,
        patience: patience(algorithm),
        inputs: inputs(algorithm),
        spurious_wakeups,
        promotion: promotion(checks),
        left_shifts: left_shifts(checks, &args.program),
        telling: telling(algorithm),
        reuse: if args.no_reuse { Reuse::Excluded } else { Reuse::Speculated },
        addresses: if args.fixed_addresses { Addresses::Fixed } else { Addresses::Speculated },
        ..Options::default()
    }
}

/// How often a loop that only waits and counts may go round. A sample does not try all numbers, so it need not be limited.
fn patience(algorithm: Algorithm) -> Option<u32> {
    match Algorithm::SAMPLING.contains(&algorithm) {
        true => None,
        false => Options::default().patience,
    }
}

/// What to do with inputs of very many values. A sample does not try all anyway.
fn inputs(algorithm: Algorithm) -> Inputs {
    match Algorithm::SAMPLING.contains(&algorithm) {
        true => Inputs::Samples,
        false => Inputs::All,
    }
}

/// What operations have to tell an algorithm.
fn telling(algorithm: Algorithm) -> Telling {
    match algorithm.asks_what_is_observed() {
        true => Telling::Observations,
        false => Telling::Order,
    }
}

/// LLVM IR is taken as it is, the rest is compiled with tests where they are needed.
fn left_shifts(checks: Checks, program: &ProgramArgs) -> LeftShifts {
    match checks.overflow && program.path.extension().is_none_or(|extension| extension != "ll") {
        true => LeftShifts::Instrumented,
        false => LeftShifts::Unknown,
    }
}

/// Variables stay in memory where each of their bytes is of interest.
fn promotion(checks: Checks) -> Promotion {
    match checks.uninitialised {
        true => Promotion::Memory,
        false => Promotion::Registers,
    }
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
    let left_shifts = left_shifts(checks, program);
    let native = Native::load_with(program, left_shifts)?;
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
    let files = native.files(machine.code());
    let place = violation.failure.place;
    let (name, text) = (files.name(place.file), files.text(place.file).unwrap_or("").to_owned());
    let source = Source { name: &name, text: &text };
    let example = counterexample(&machine, &files, &violation)?;
    let told = text::counterexample(&example, source, output::page());
    output::print(&format!("replaying {} on {}\n\n{told}", trace_path.display(), native.name()))?;
    Ok(Verdict::Violation.exit_code())
}
