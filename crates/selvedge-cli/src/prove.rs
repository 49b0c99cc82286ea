//! `selvedge prove`: prove a program under all schedules, or find schedules under which it is safe.

mod drawing;
mod telling;
mod watching;

use crate::args::{CertifyArgs, Format, ProveArgs};
use crate::error::CliError;
use crate::preparing::Preparing;
use crate::progress::interrupt;
use crate::{output, translated};
use selvedge_certificate::{Certificate, CheckError, Checked, Claim, StateCertificate, check, states};
use selvedge_impact::context::SetupError;
use selvedge_impact::{Effort, Limits, Stop};
use selvedge_report::scope::{MEMORY_MODEL, counted, premises};
use selvedge_report::terms::Vacuity;
use selvedge_report::{Source, Subject};
use selvedge_smt::{Options, Patience, SolverError};
use selvedge_symbolic::movers::Blocks;
use selvedge_verify::assumptions::Origin;
use selvedge_verify::prove::{Certificates, Checking, Goal, Proven};
use selvedge_verify::{Prove, VerifyError, verify};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;
use telling::{Files, Manner, Teller};

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
    let (started, preparing) = (Instant::now(), Preparing::prove(args));
    let limits = Limits {
        deadline: args.max_time.map(|time| started + time),
        interrupt: interrupt()?,
        ..Limits::default()
    };
    let loaded = match translated::program_within(&args.program, &args.language, &limits.patience()) {
        Err(CliError::Stopped(why)) => {
            drop(preparing);
            return untranslated(args, why.into());
        }
        other => other?,
    };
    let subject = loaded.subject();
    let files = Files {
        certificate: args.certificate.as_deref(),
        schedule: args.schedule.as_deref(),
        drawing: args.drawing.as_deref(),
        sources: Some(&loaded.sources),
    };
    let mut teller = Teller::new(subject, started, Some(preparing), manner(args), files);
    let proven = match verify(task(args, subject, loaded.origin, limits), &mut teller) {
        Ok(outcome) => outcome.evidence,
        Err(error) => return Err(teller.failed().unwrap_or_else(|| unproved(error, subject))),
    };
    conclude(args, teller, &proven)
}

/// The task that the arguments set.
fn task<'t>(args: &ProveArgs, subject: Subject<'t>, origin: Origin, limits: Limits) -> Prove<'t> {
    let mut solver = Options::named(&args.solver);
    solver.query_time = args.query_time;
    solver.patience = limits.patience();
    Prove {
        program: subject.program,
        origin,
        goal: match (args.iterations, args.until_complete) {
            (None, _) => Goal::Proof,
            (Some(count), false) => Goal::Schedules(count),
            (Some(count), true) => Goal::SchedulesAndProof(count),
        },
        property: args.language.property,
        vacuity: if args.allow_vacuous { Vacuity::Allowed } else { Vacuity::Refused },
        solver,
        blocks: if args.no_blocks { Blocks::Apart } else { Blocks::Merged },
        limits,
        time: args.max_time,
        checking: if args.no_certify { Checking::NotAsked } else { Checking::Asked },
        certificates: match args.certificate {
            Some(_) => Certificates::Wanted,
            None => Certificates::NotWanted,
        },
    }
}

/// Why there is no proof, and will never be one.
fn unproved(error: VerifyError, subject: Subject) -> CliError {
    match error {
        VerifyError::Unprovable(SetupError::Unsupported(what)) => {
            CliError::Unsupported { place: subject.source.place(what.span), what: what.what }
        }
        error => CliError::Verify(error),
    }
}

/// Tells the conclusion; the exit code.
fn conclude(args: &ProveArgs, mut teller: Teller, proven: &Proven) -> Result<u8, CliError> {
    if let (Some(Ok(listing)), Some(path)) = (&proven.listing, &args.certificate) {
        write(path, &listing.text)?;
    }
    teller.conclusion(proven)?;
    if args.language.property.is_some() {
        teller.property(&proven.conclusion)?;
    }
    Ok(proven.conclusion.verdict().exit_code())
}

/// Tells that there is not even a program to tell of; the exit code.
fn untranslated(args: &ProveArgs, stop: Stop) -> Result<u8, CliError> {
    let source = Source { name: &args.program.path.display().to_string(), text: "" };
    let program = selvedge_ir::Program::default();
    let subject = Subject { program: &program, source, defines: &BTreeMap::new() };
    let teller = Teller::new(subject, Instant::now(), None, manner(args), Files::default());
    conclude(args, teller, &Proven::nothing(stop, Effort::default()))
}

/// Checks a certificate; the exit code.
pub fn certify(args: &CertifyArgs) -> Result<u8, CliError> {
    let loaded = translated::program(&args.program, &args.language)?;
    let text = std::fs::read_to_string(&args.certificate)
        .map_err(|error| CliError::Read { path: args.certificate.clone(), error })?;
    let wrong = |what: String| CliError::Certificate { path: args.certificate.clone(), what };
    let terms = loaded.origin.terms(&loaded.program, Vacuity::Refused);
    let premises = format!(", {MEMORY_MODEL}{}", premises(&terms));
    if StateCertificate::is_claimed_by(&text) {
        return certify_states(args, &loaded.program, &text, &premises);
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
                "certified: {claim} ({nodes} nodes, {edges} edges, {coverings} coverings, {queries} queries){premises}\n"
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
fn certify_states(
    args: &CertifyArgs,
    program: &selvedge_ir::Program,
    text: &str,
    premises: &str,
) -> Result<u8, CliError> {
    let wrong = |what: String| CliError::Certificate { path: args.certificate.clone(), what };
    let certificate = StateCertificate::parse(text).map_err(|error| wrong(error.to_string()))?;
    match states::check(program, &certificate, &Patience::default()) {
        Ok(count) => {
            let states = counted(count as u64, "state");
            output::print(&format!(
                "certified: safe under all schedules ({states}, all that there are){premises}\n"
            ))?;
            Ok(0)
        }
        Err(error @ (CheckError::Unknown(_) | CheckError::Stopped(_))) => {
            output::print(&format!("inconclusive: {error}\n"))?;
            Ok(3)
        }
        Err(error) => Err(wrong(error.to_string())),
    }
}

fn write(path: &Path, text: &str) -> Result<(), CliError> {
    std::fs::write(path, text).map_err(|error| CliError::Write { path: path.to_owned(), error })
}

/// The line of a statement.
fn line(source: Source, span: selvedge_ir::Span) -> usize {
    source.position(span).line
}
