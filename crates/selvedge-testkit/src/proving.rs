//! Oracles for the prover: its verdicts against those of exploration, its counterexamples against the interpreter.

use crate::random::Random;
use crate::scheduled;
use selvedge_certificate::{Certificate, CheckError, Claim, check};
use selvedge_explore::plan::Extent;
use selvedge_explore::{Limits, Plan, Program as _, Readiness};
use selvedge_impact::complete::Outcome;
use selvedge_impact::iterate::{Progress, Schedules};
use selvedge_impact::{Counterexample, Prover};
use selvedge_interp::{Deadlocks, Failure, Interpreter};
use selvedge_ir::Program;
use selvedge_report::terms::Vacuity;
use selvedge_smt::{Options, Reuse};
use selvedge_symbolic::movers::Blocks;
use selvedge_trace::{Footprint, ThreadId};
use selvedge_verify::{CheckModel, Silent, verify};
use std::time::{Duration, Instant};

/// The solver of the tests, which is not started anew for each of thousands of programs.
pub fn solver() -> Options {
    Options { reuse: Reuse::InThread, ..Options::named("z3") }
}

/// What is known of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing is wrong with it.
    Safe,
    /// Something is.
    Unsafe,
    /// A limit was reached.
    Unknown(String),
}

/// What `selvedge check` says of a program within so many executions.
pub fn explored(program: &Program, executions: u64) -> Verdict {
    explored_to(program, Limits::default().depth, executions)
}

/// What `selvedge check` says of a program when executions are cut after so many steps.
pub fn explored_to(program: &Program, depth: usize, executions: u64) -> Verdict {
    let limits = Limits { executions: Some(executions), depth, ..Limits::default() };
    let plan = Plan::new(None, limits, Extent::Whole).expect("there is no bound");
    let (vacuity, deadlocks) = (Vacuity::Allowed, Deadlocks::Failures);
    let task = CheckModel { program, plan, root: None, vacuity, deadlocks };
    let outcome = verify(task, &mut Silent).expect("nothing is asked for that may not fit");
    match outcome.verdict {
        selvedge_report::Verdict::Verified => Verdict::Safe,
        selvedge_report::Verdict::Violation => Verdict::Unsafe,
        selvedge_report::Verdict::Inconclusive => {
            Verdict::Unknown(format!("{:?}", outcome.evidence.exploration.stop))
        }
    }
}

/// What the prover says of a program under all schedules; a counterexample is replayed.
///
/// # Errors
/// When a counterexample is none.
pub fn proved(program: &Program, blocks: Blocks, time: Duration) -> Result<Verdict, String> {
    let limits = selvedge_impact::Limits {
        deadline: Some(Instant::now() + time),
        ..selvedge_impact::Limits::default()
    };
    let mut prover = match Prover::new(program, solver(), blocks, limits) {
        Ok(prover) => prover,
        Err(error) => return Ok(Verdict::Unknown(error.to_string())),
    };
    match prover.complete() {
        Ok(Outcome::Safe(tree)) => {
            let certificate = prover.certificate(program, &tree, Claim::AllSchedules);
            certified(program, &certificate).map(|()| Verdict::Safe)
        }
        Ok(Outcome::Unsafe(found)) => replayed(program, &found).map(|_| Verdict::Unsafe),
        Err(stop) => Ok(Verdict::Unknown(stop.to_string())),
    }
}

/// Checks a certificate, after writing and reading it.
///
/// # Errors
/// When it is not accepted.
pub fn certified(program: &Program, certificate: &Certificate) -> Result<(), String> {
    let read = Certificate::parse(&certificate.to_string()).map_err(|error| error.to_string())?;
    if read != *certificate {
        return Err("the certificate does not read back".to_owned());
    }
    match check::check(program, certificate, solver()) {
        Err(error @ CheckError::Wrong(_)) => Err(error.to_string()),
        _ => Ok(()),
    }
}

/// Looks for sets of schedules, at most so many; every one is certified and run in the interpreter.
///
/// # Errors
/// When a schedule is not what it should be, or a counterexample is none.
pub fn scheduled(
    program: &Program,
    seed: u64,
    most: usize,
    steps: u64,
    time: Duration,
) -> Result<usize, String> {
    let limits = selvedge_impact::Limits {
        deadline: Some(Instant::now() + time),
        ..selvedge_impact::Limits::default()
    };
    let Ok(mut prover) = Prover::new(program, solver(), Blocks::Merged, limits) else {
        return Ok(0);
    };
    let mut schedules = Schedules::new(&mut prover);
    let mut found = 0;
    let mut random = Random::new(seed);
    while found < most {
        match schedules.iteration(&mut prover) {
            Ok(Progress::Larger) => {
                found += 1;
                let certificate = prover.certificate(program, &schedules.tree, Claim::SomeSchedules);
                certified(program, &certificate).map_err(|error| format!("schedule {found}: {error}"))?;
                scheduled::run(program, &certificate, &mut random, steps)
                    .map_err(|error| format!("schedule {found}: {error}"))?;
            }
            Ok(Progress::Counterexample(counterexample)) => {
                replayed(program, &counterexample)?;
            }
            Ok(Progress::None) | Err(_) => return Ok(found),
        }
    }
    Ok(found)
}

/// Runs a counterexample in the interpreter; what it ends in.
///
/// # Errors
/// When a step cannot be taken or nothing is wrong at the end.
pub fn replayed(program: &Program, found: &Counterexample) -> Result<Failure, String> {
    let mut interpreter = Interpreter::new(program);
    let mut footprint = Footprint::default();
    for (step, &decision) in found.schedule.iter().enumerate() {
        if interpreter.pending(decision, &mut footprint) != Readiness::Enabled {
            return Err(format!("step {step} of {found:?} cannot be taken"));
        }
        interpreter.step(decision, &mut footprint);
    }
    let threads = interpreter.thread_count();
    let is_stuck = (0..threads).map(ThreadId::at).all(|thread| !interpreter.is_enabled(thread));
    match interpreter.failures().first() {
        Some(failure) => Ok(failure.clone()),
        None if found.is_deadlock && is_stuck => Ok(interpreter.deadlock()),
        None => Err(format!("{found:?} does not end in a violation")),
    }
}
