//! What is to be run: a program as it is verified, and the schedule that it is given or that is found for it.

use super::args::BinaryArgs;
use super::read_prefix;
use crate::args::ProgramArgs;
use crate::error::CliError;
use crate::native;
use selvedge_build::{BuildError, Compiled};
use selvedge_explore::{Algorithm, Limits, Plan, Statistics};
use selvedge_machine::LeftShifts;
use selvedge_schedule::prefix::Prefix;
use selvedge_verify::{CheckC, FindPrefix, Monitor, Native, Question, verify};
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// How long a first prefix is searched for. A program that runs forever has none.
const PATIENCE: Duration = Duration::from_secs(5);

/// A program, to be verified and to be made a binary of: both from the same LLVM IR.
pub struct Subject {
    pub compiled: Compiled,
    native: Native,
}

impl Subject {
    /// Compiles a program to LLVM IR; with tests for left shifts if its schedule is for a program with them.
    pub fn load(args: &BinaryArgs, cflags: &[String]) -> Result<Subject, CliError> {
        let plain = Subject::load_with(args, cflags, LeftShifts::Unknown)?;
        let Some(Ok(prefix)) = args.schedule.as_deref().map(read_prefix) else { return Ok(plain) };
        if plain.compiled.fingerprint() == prefix.program {
            return Ok(plain);
        }
        let tested = Subject::load_with(args, cflags, LeftShifts::Instrumented)?;
        match tested.compiled.fingerprint() == prefix.program {
            true => Ok(tested),
            false => Err(BuildError::OtherProgram.into()),
        }
    }

    fn load_with(args: &BinaryArgs, cflags: &[String], left_shifts: LeftShifts) -> Result<Subject, CliError> {
        let mut program = ProgramArgs::of(&args.path, cflags.to_vec());
        program.clang.clone_from(&args.clang);
        let native = native::load(&program, left_shifts)?;
        let text = native.text().unwrap_or_default().to_owned();
        let compiled = Compiled::of(&args.path, text, args.clang.as_deref(), cflags)?;
        Ok(Subject { compiled, native })
    }

    /// Searches for a trace prefix for a time, or until there is a first one; there is none if no execution ends safely.
    pub fn find(&self, time: Option<Duration>) -> Result<Option<Prefix>, CliError> {
        let limit = Some(time.unwrap_or(PATIENCE));
        let found = RefCell::new(None);
        let question = Question::default();
        let plan = Plan::of(Algorithm::Optimal, Limits { time: limit, ..Limits::default() });
        let check = CheckC { native: &self.native, question: &question, plan, root: None };
        let mut sink = |prefix: &Prefix| {
            found.replace(Some(prefix.clone()));
            Ok(())
        };
        let until = time.map(|time| Instant::now() + time);
        let mut watch = Watch { found: &found, until };
        let task = FindPrefix { check, interval: Duration::ZERO, sink: &mut sink };
        verify(task, &mut watch)?;
        Ok(found.into_inner())
    }
}

/// Ends the search when there is a schedule and no more time.
struct Watch<'w> {
    found: &'w RefCell<Option<Prefix>>,
    until: Option<Instant>,
}

impl Monitor for Watch<'_> {
    fn progress(&mut self, _: &Statistics, _: f64) -> ControlFlow<()> {
        let is_time = self.until.is_none_or(|until| Instant::now() >= until);
        match is_time && self.found.borrow().is_some() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}
