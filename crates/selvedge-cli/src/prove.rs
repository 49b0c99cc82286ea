//! `selvedge prove`: prove a program under all schedules, or find schedules under which it is safe.

mod drawing;
mod hunt;
mod session;
mod telling;
mod vacuity;
mod visiting;
mod watching;

use crate::args::{CertifyArgs, Format, ProveArgs};
use crate::error::CliError;
use crate::progress::interrupt;
use crate::{output, translated};
use selvedge_certificate::{Certificate, CheckError, Checked, Claim, StateCertificate, check, states};
use selvedge_impact::context::SetupError;
use selvedge_impact::{Counterexample, Effort, Limits, Prover, Stop};
use selvedge_interp::{Failure, Interpreter};
use selvedge_report::scope::counted;
use selvedge_report::{Source, Subject};
use selvedge_smt::{Options, Patience, SolverError};
use selvedge_symbolic::movers::Blocks;
use session::Session;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;
use telling::{Manner, Teller};
use watching::Watching;

/// What was found in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    /// Nothing goes wrong under any schedule.
    Safe,
    /// Nothing goes wrong in any of these executions, and there are no others.
    Explored(u64),
    /// Nothing goes wrong in any of these states, and there are no others.
    Visited(u64),
    /// Something goes wrong, but not under the schedules that were found.
    PartiallySafe,
    /// Something goes wrong, and no schedule was found under which it does not.
    Unsafe,
    /// Nothing goes wrong, but for this reason that means nothing.
    Vacuous(&'static str),
    /// The search ended before its end.
    Inconclusive(Stop),
}

impl Verdict {
    fn name(&self) -> &'static str {
        match self {
            Verdict::Safe | Verdict::Explored(_) | Verdict::Visited(_) => "safe",
            Verdict::PartiallySafe => "partially safe",
            Verdict::Unsafe => "unsafe",
            Verdict::Vacuous(_) | Verdict::Inconclusive(_) => "inconclusive",
        }
    }

    fn exit_code(&self) -> u8 {
        match self {
            Verdict::Safe | Verdict::Explored(_) | Verdict::Visited(_) => 0,
            Verdict::PartiallySafe | Verdict::Unsafe => 1,
            Verdict::Vacuous(_) | Verdict::Inconclusive(_) => 3,
        }
    }
}

/// How much is told, and how.
fn manner(args: &ProveArgs) -> Manner {
    match (args.format, args.quiet) {
        (Format::Json, _) => Manner::Json,
        (Format::Text, true) => Manner::Quiet,
        (Format::Text, false) => Manner::Full,
    }
}

/// Proves; the exit code.
pub fn run(args: &ProveArgs) -> Result<u8, CliError> {
    let started = Instant::now();
    let limits = Limits {
        deadline: args.max_time.map(|time| started + time),
        interrupt: interrupt()?,
        ..Limits::default()
    };
    let loaded = match translated::program_within(&args.program, &args.language, &limits.patience()) {
        Err(CliError::Stopped(why)) => return untranslated(args, why.into()),
        other => other?,
    };
    let subject = loaded.subject();
    let mut options = Options::named(&args.solver);
    options.query_time = args.query_time;
    options.patience = limits.patience();
    let blocks = if args.no_blocks { Blocks::Apart } else { Blocks::Merged };
    let prover = Prover::new(subject.program, options.clone(), blocks, limits);
    let manner = manner(args);
    let prover = match prover {
        Ok(prover) => prover,
        Err(SetupError::Unsupported(what)) => {
            return Err(CliError::Unsupported { place: subject.source.place(what.span), what: what.what });
        }
        Err(SetupError::Solver(error @ SolverError::Missing { .. })) => return Err(CliError::Solver(error)),
        Err(SetupError::Solver(error)) => return unbegun(args, subject, started, manner, error.into()),
        Err(SetupError::Stopped(why)) => return unbegun(args, subject, started, manner, why.into()),
    };
    let watching = match manner {
        Manner::Full => Watching::begin(prover.limits.gauge.clone(), started),
        Manner::Quiet | Manner::Json => None,
    };
    let teller = Teller::new(subject, started, manner, watching);
    teller.heading(&prover)?;
    Session::new(args, subject, prover, options, teller).run()
}

/// Tells that there is not even a program to tell of; the exit code.
fn untranslated(args: &ProveArgs, stop: Stop) -> Result<u8, CliError> {
    let source = Source { name: &args.program.path.display().to_string(), text: "" };
    let program = selvedge_ir::Program::default();
    let subject = Subject { program: &program, source, defines: &BTreeMap::new() };
    unbegun(args, subject, Instant::now(), manner(args), stop)
}

/// Tells that the search ended before it began; the exit code.
fn unbegun(
    args: &ProveArgs,
    subject: Subject,
    started: Instant,
    manner: Manner,
    stop: Stop,
) -> Result<u8, CliError> {
    let mut teller = Teller::new(subject, started, manner, None);
    let verdict = Verdict::Inconclusive(stop);
    teller.verdict(&verdict, 0, &Effort::default())?;
    if args.language.property.is_some() {
        teller.property(&verdict)?;
    }
    Ok(verdict.exit_code())
}

/// Checks a certificate; the exit code.
pub fn certify(args: &CertifyArgs) -> Result<u8, CliError> {
    let loaded = translated::program(&args.program, &args.language)?;
    let text = std::fs::read_to_string(&args.certificate)
        .map_err(|error| CliError::Read { path: args.certificate.clone(), error })?;
    let wrong = |what: String| CliError::Certificate { path: args.certificate.clone(), what };
    if StateCertificate::is_claimed_by(&text) {
        return certify_states(args, &loaded.program, &text);
    }
    let certificate = Certificate::parse(&text).map_err(|error| wrong(error.to_string()))?;
    match check::check(&loaded.program, &certificate, Options::named(&args.solver)) {
        Ok(checked) => {
            let Checked { nodes, edges, coverings, queries } = checked;
            let claim = match certificate.claim {
                Claim::AllSchedules => "safe under all schedules",
                Claim::SomeSchedules => {
                    "safe, free of deadlock and fair under the schedules of the certificate"
                }
            };
            output::print(&format!(
                "certified: {claim} ({nodes} nodes, {edges} edges, {coverings} coverings, {queries} queries)\n"
            ))?;
            Ok(0)
        }
        Err(CheckError::Solver(error @ SolverError::Missing { .. })) => Err(CliError::Solver(error)),
        Err(error @ (CheckError::Unknown(_) | CheckError::Solver(_) | CheckError::Stopped(_))) => {
            output::print(&format!("inconclusive: {error}\n"))?;
            Ok(3)
        }
        Err(error) => Err(wrong(error.to_string())),
    }
}

/// Checks a certificate that lists all states; the exit code.
fn certify_states(args: &CertifyArgs, program: &selvedge_ir::Program, text: &str) -> Result<u8, CliError> {
    let wrong = |what: String| CliError::Certificate { path: args.certificate.clone(), what };
    let certificate = StateCertificate::parse(text).map_err(|error| wrong(error.to_string()))?;
    match states::check(program, &certificate, &Patience::default()) {
        Ok(count) => {
            let states = counted(count as u64, "state");
            output::print(&format!("certified: safe under all schedules ({states}, all that there are)\n"))?;
            Ok(0)
        }
        Err(error @ (CheckError::Unknown(_) | CheckError::Stopped(_))) => {
            output::print(&format!("inconclusive: {error}\n"))?;
            Ok(3)
        }
        Err(error) => Err(wrong(error.to_string())),
    }
}

/// What a counterexample ends in, when it is performed by the interpreter.
pub fn failure(program: &selvedge_ir::Program, found: &Counterexample) -> Option<Failure> {
    use selvedge_explore::{Program as _, Readiness};
    let mut interpreter = Interpreter::new(program);
    let mut footprint = selvedge_trace::Footprint::default();
    for &decision in &found.schedule {
        if interpreter.pending(decision, &mut footprint) != Readiness::Enabled {
            return None;
        }
        interpreter.step(decision, &mut footprint);
    }
    let threads = interpreter.thread_count();
    let is_stuck = (0..threads).all(|thread| !interpreter.is_enabled(selvedge_trace::ThreadId::at(thread)));
    match interpreter.failures().first() {
        Some(failure) => Some(failure.clone()),
        None => (found.is_deadlock && is_stuck).then(|| interpreter.deadlock()),
    }
}

fn write(path: &Path, text: &str) -> Result<(), CliError> {
    std::fs::write(path, text).map_err(|error| CliError::Write { path: path.to_owned(), error })
}

/// The line of a statement.
fn line(source: Source, span: selvedge_ir::Span) -> usize {
    source.position(span).line
}
