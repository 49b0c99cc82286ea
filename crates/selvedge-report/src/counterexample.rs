//! Counterexamples: an execution that goes wrong, replayed and shown step by step.
//!
//! A counterexample exists only if its schedule was replayed on a fresh interpreter and ended in the violation.

use crate::blocked::{BlockedThread, blocked_thread};
use crate::source::{Position, Source, SourceText};
use crate::{ReportError, Subject, effects, message};
use selvedge_explore::{Path, Program, ThreadStatus, Violation, replay};
use selvedge_interp::steps::{StepRecord, steps};
use selvedge_interp::{Failure, FailureKind, Interpreter, Layout};
use selvedge_ir::Span;
use selvedge_trace::{Decision, ThreadId};

pub use selvedge_claim::Step;

/// An execution that goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// What is wrong, for machines.
    pub kind: &'static str,
    /// What is wrong, in one line without the place.
    pub message: String,
    /// The file of the statement that failed, if it may be another one than the program's.
    pub file: Option<SourceText>,
    /// The statement that failed; for a deadlock, that of the first blocked thread.
    pub span: Span,
    /// Where that is.
    pub position: Position,
    /// The thread that failed; none for a deadlock.
    pub thread: Option<String>,
    /// The steps.
    pub steps: Vec<Step>,
    /// The threads of a deadlock.
    pub blocked: Vec<BlockedThread>,
}

impl Counterexample {
    /// Replays a violation and tells it.
    ///
    /// # Errors
    /// When the replay does not end in the violation, which is a bug of ours.
    pub fn of(subject: &Subject, violation: &Violation<Failure>) -> Result<Counterexample, ReportError> {
        let interpreter = || Interpreter::new(subject.program);
        let Violation { failure, schedule } = violation;
        let mut end = replay(interpreter(), schedule, failure)?;
        let (records, _) = steps(interpreter(), schedule);
        let layout = end.program.layout();
        let message = message::message(failure, end.program.detail(), &layout.thread_names, subject.source);
        Ok(Counterexample {
            kind: failure.kind.name(),
            message,
            file: None,
            span: failure.span,
            position: subject.source.position(failure.span),
            thread: failed_thread(&end, failure, schedule),
            steps: records.iter().map(|record| step(subject, layout, record)).collect(),
            blocked: blocked_threads(&mut end.program, failure, subject),
        })
    }
}

impl Counterexample {
    /// The file of the statement that failed, in a program with the given one.
    pub fn source<'a>(&'a self, program: Source<'a>) -> Source<'a> {
        self.file.as_ref().map_or(program, |file| Source { name: &file.name, text: &file.text })
    }
}

/// The thread that stands at the failure: as a rule the one that took the last step.
fn failed_thread(end: &Path<Interpreter>, failure: &Failure, schedule: &[Decision]) -> Option<String> {
    if let FailureKind::Deadlock(_) = failure.kind {
        return None;
    }
    let program = &end.program;
    let stands_there = |thread: &ThreadId| {
        program.status(*thread) == ThreadStatus::Failed && program.next_statement(*thread) == failure.span
    };
    let last = schedule.last().map(|decision| decision.thread);
    let all = (0..program.thread_count()).map(ThreadId::at);
    let thread = last.into_iter().chain(all).find(stands_there)?;
    Some(program.layout().thread_names[thread.index()].clone())
}

fn blocked_threads(program: &mut Interpreter, failure: &Failure, subject: &Subject) -> Vec<BlockedThread> {
    let FailureKind::Deadlock(blocked) = &failure.kind else { return Vec::new() };
    blocked.iter().map(|&(thread, span)| blocked_thread(program, thread, span, subject.source)).collect()
}

/// A step of an interpreter, in words.
fn step(subject: &Subject, layout: &Layout, record: &StepRecord) -> Step {
    let thread = record.decision.thread;
    let is_finally = thread.index() >= subject.program.thread_count();
    Step {
        decision: record.decision,
        thread: layout.thread_names[thread.index()].clone(),
        file: None,
        line: subject.source.position(record.span).line,
        statement: match is_finally {
            true => "runs after all threads".to_owned(),
            false => subject.source.statement(record.span),
        },
        effects: effects::phrases(record, layout),
    }
}
