//! `selvedge prove`: prove a program under all schedules, or find schedules under which it is safe.

mod drawing;
mod telling;

use crate::args::{CertifyArgs, ProveArgs};
use crate::error::CliError;
use crate::progress::interrupt;
use crate::{output, translated};
use selvedge_certificate::{Certificate, CheckError, Checked, Claim, check};
use selvedge_explore::Violation;
use selvedge_impact::complete::Outcome;
use selvedge_impact::context::SetupError;
use selvedge_impact::iterate::{Progress, Schedules};
use selvedge_impact::{Counterexample, Limits, Prover, Stop, Tree};
use selvedge_interp::{Failure, FailureKind, Interpreter};
use selvedge_report::{Source, Subject};
use selvedge_smt::Options;
use selvedge_symbolic::movers::Blocks;
use std::path::Path;
use std::time::{Duration, Instant};
use telling::Teller;

/// What was found in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    /// Nothing goes wrong under any schedule.
    Safe,
    /// Something goes wrong, but not under the schedules that were found.
    PartiallySafe,
    /// Something goes wrong, and no schedule was found under which it does not.
    Unsafe,
    /// The search ended before its end.
    Inconclusive(Stop),
}

/// Proves; the exit code.
pub fn run(args: &ProveArgs) -> Result<u8, CliError> {
    let loaded = translated::program(&args.program, &args.language)?;
    let subject = loaded.subject();
    let started = Instant::now();
    let limits = Limits {
        deadline: args.max_time.map(|time| started + time),
        interrupt: interrupt()?,
        ..Limits::default()
    };
    let mut options = Options::named(&args.solver);
    options.query_time = args.query_time;
    let blocks = if args.no_blocks { Blocks::Apart } else { Blocks::Merged };
    let prover = Prover::new(subject.program, options.clone(), blocks, limits).map_err(|error| match error {
        SetupError::Unsupported(what) => {
            CliError::Unsupported { place: subject.source.place(what.span), what: what.what }
        }
        SetupError::Solver(error) => CliError::Solver(error),
    });
    let prover = match prover {
        Err(CliError::Solver(error)) if !matches!(error, selvedge_smt::SolverError::Missing { .. }) => {
            output::print(&format!("inconclusive: {error}\n"))?;
            return Ok(3);
        }
        other => other?,
    };
    let teller = Teller::new(subject, started, args.quiet);
    teller.heading(&prover)?;
    let mut session = Session { args, subject, prover, options, teller, found: Vec::new(), schedules: 0 };
    let verdict = session.prove()?;
    session.conclude(&verdict)
}

/// Checks a certificate; the exit code.
pub fn certify(args: &CertifyArgs) -> Result<u8, CliError> {
    let loaded = translated::program(&args.program, &args.language)?;
    let text = std::fs::read_to_string(&args.certificate)
        .map_err(|error| CliError::Read { path: args.certificate.clone(), error })?;
    let wrong = |what: String| CliError::Certificate { path: args.certificate.clone(), what };
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
        Err(CheckError::Unknown(what)) => {
            output::print(&format!("inconclusive: {what}\n"))?;
            Ok(3)
        }
        Err(error) => Err(wrong(error.to_string())),
    }
}

struct Session<'s> {
    args: &'s ProveArgs,
    subject: Subject<'s>,
    prover: Prover,
    options: Options,
    teller: Teller<'s>,
    /// Violations that were replayed.
    found: Vec<Violation<Failure>>,
    /// Sets of schedules that were found.
    schedules: u32,
}

impl Session<'_> {
    fn prove(&mut self) -> Result<Verdict, CliError> {
        // A property is about all schedules.
        let wanted = self.args.iterations.unwrap_or(u32::from(self.args.language.property.is_none()));
        let completes = self.args.until_complete || self.args.iterations.is_none();
        let iterated = self.iterate(wanted)?;
        if !completes {
            return Ok(match iterated {
                Err(stop) => Verdict::Inconclusive(stop),
                Ok(()) if self.found.is_empty() => Verdict::Inconclusive(Stop::Unknown(
                    "only some schedules were looked at, as --iterations asks".to_owned(),
                )),
                Ok(()) => self.with_violation(),
            });
        }
        if !self.found.is_empty() {
            return Ok(self.with_violation());
        }
        Ok(match self.prover.complete() {
            Ok(Outcome::Safe(tree)) => {
                self.accept(&tree, Claim::AllSchedules)?;
                Verdict::Safe
            }
            Ok(Outcome::Unsafe(found)) => {
                self.replay(&found)?;
                self.with_violation()
            }
            Err(stop) => Verdict::Inconclusive(stop),
        })
    }

    fn with_violation(&self) -> Verdict {
        if self.schedules > 0 { Verdict::PartiallySafe } else { Verdict::Unsafe }
    }

    /// Looks for schedules.
    fn iterate(&mut self, wanted: u32) -> Result<Result<(), Stop>, CliError> {
        let mut schedules = Schedules::new(&mut self.prover);
        while self.schedules < wanted {
            match schedules.iteration(&mut self.prover) {
                Ok(Progress::Larger) => {
                    self.schedules += 1;
                    self.accept(&schedules.tree, Claim::SomeSchedules)?;
                }
                Ok(Progress::Counterexample(found)) => self.replay(&found)?,
                Ok(Progress::None) => return Ok(Ok(())),
                Err(stop) => {
                    self.drain(&mut schedules)?;
                    self.teller.no_schedule(self.schedules, &stop)?;
                    return Ok(Err(stop));
                }
            }
        }
        self.drain(&mut schedules)?;
        Ok(Ok(()))
    }

    /// Replays what was found on the way to a schedule.
    fn drain(&mut self, schedules: &mut Schedules) -> Result<(), CliError> {
        let found: Vec<Counterexample> = schedules.counterexamples().collect();
        found.iter().try_for_each(|found| self.replay(found))
    }

    /// Checks a proof and tells of it.
    fn accept(&mut self, tree: &Tree, claim: Claim) -> Result<(), CliError> {
        let certificate = self.prover.certificate(self.subject.program, tree, claim);
        let checked = match self.args.no_certify {
            true => None,
            false => match check::check(self.subject.program, &certificate, self.options.clone()) {
                Ok(checked) => Some(checked),
                Err(error @ CheckError::Wrong(_)) => return Err(CliError::Unproved(error.to_string())),
                Err(error) => {
                    output::print(&format!("the proof was not checked: {error}\n"))?;
                    None
                }
            },
        };
        match claim {
            Claim::SomeSchedules => self.teller.schedule(&self.prover, tree, self.schedules, checked)?,
            Claim::AllSchedules => self.teller.proof(tree, checked)?,
        }
        if let Some(path) = &self.args.certificate {
            write(path, &certificate.to_string())?;
        }
        if let (Some(path), Claim::SomeSchedules) = (&self.args.schedule, claim) {
            let source = self.subject.source;
            let schedule = self.prover.schedule(tree, certificate.program, &|span| line(source, span));
            write(path, &schedule.to_string())?;
        }
        if let Some(path) = &self.args.drawing {
            let drawing = drawing::drawing(&self.prover, tree, self.subject.source);
            write(path, &drawing.of_kind(path))?;
        }
        Ok(())
    }

    /// Replays a counterexample in the interpreter, and keeps it if it is new.
    fn replay(&mut self, found: &Counterexample) -> Result<(), CliError> {
        let failure = failure(self.subject.program, found)
            .ok_or_else(|| CliError::Unproved("a counterexample cannot be replayed".to_owned()))?;
        if self.found.iter().all(|known| known.failure != failure) {
            self.found.push(Violation { failure, schedule: found.schedule.clone() });
            self.teller.counterexample(&self.found[self.found.len() - 1])?;
        }
        Ok(())
    }

    fn conclude(&self, verdict: &Verdict) -> Result<u8, CliError> {
        // Behaviour without meaning is no call of an error function.
        let is_asked_for = |found: &Violation<Failure>| found.failure.kind == FailureKind::Assertion;
        let verdict = match self.args.language.property {
            Some(_) if !self.found.is_empty() && !self.found.iter().any(is_asked_for) => {
                let what = "there is a violation of another property";
                &Verdict::Inconclusive(Stop::Unknown(what.to_owned()))
            }
            _ => verdict,
        };
        self.teller.verdict(verdict, self.schedules, &self.prover.effort)?;
        if self.args.language.property.is_some() {
            output::print(match verdict {
                Verdict::Safe => "VERDICT: true\n",
                Verdict::PartiallySafe | Verdict::Unsafe => "VERDICT: false(unreach-call)\n",
                Verdict::Inconclusive(_) => "VERDICT: unknown\n",
            })?;
        }
        Ok(match verdict {
            Verdict::Safe => 0,
            Verdict::PartiallySafe | Verdict::Unsafe => 1,
            Verdict::Inconclusive(_) => 3,
        })
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

/// A time for people.
fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}
