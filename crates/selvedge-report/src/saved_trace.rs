//! Violations on disk: a schedule by the names of threads, so that it survives small changes of the program.

use crate::{Counterexample, Report, ReportError};
use selvedge_explore::{Path, Program, Readiness, Violation};
use selvedge_interp::{Failure, FailureKind, Interpreter};
use selvedge_trace::{Decision, Footprint, ThreadId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the format that is written and read.
pub const VERSION: u32 = 1;

/// A violation on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedTrace {
    /// The version of the format.
    pub version: u32,
    /// The file name of the program.
    pub program: String,
    /// The constants that were given other values.
    pub defines: BTreeMap<String, i64>,
    /// The algorithm that found it.
    pub algorithm: String,
    /// Whether allocations decided whether to get freed memory.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reuses_memory: bool,
    /// Whether comparisons decided which of two objects comes first in memory.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub orders_objects: bool,
    /// What is wrong, for machines.
    pub kind: String,
    /// What is wrong, for people.
    pub message: String,
    /// How to get there.
    pub schedule: Vec<SavedStep>,
}

/// A step of a saved trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedStep {
    /// The name of the thread.
    pub thread: String,
    /// Which alternative it took.
    pub choice: u32,
}

/// Just enough of a trace to know its version.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

impl SavedTrace {
    /// The trace of a counterexample of a report.
    pub fn of(report: &Report, example: &Counterexample) -> SavedTrace {
        let saved =
            |step: &crate::Step| SavedStep { thread: step.thread.clone(), choice: step.decision.choice };
        SavedTrace {
            version: VERSION,
            program: report.source.name.to_owned(),
            defines: report.defines.clone(),
            algorithm: report.run.algorithm.name().to_owned(),
            reuses_memory: report.reuses_memory,
            orders_objects: report.orders_objects,
            kind: example.kind.to_owned(),
            message: example.message.clone(),
            schedule: example.steps.iter().map(saved).collect(),
        }
    }

    /// The text to write to a file.
    pub fn to_text(&self) -> String {
        // Structures of numbers, strings and lists with string keys always have a JSON form.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// When it is no trace or one of another version.
    pub fn from_text(text: &str) -> Result<SavedTrace, ReportError> {
        let Versioned { version: found } = serde_json::from_str(text)?;
        if found != VERSION {
            return Err(ReportError::Version { found, expected: VERSION });
        }
        Ok(serde_json::from_str(text)?)
    }

    /// Performs the trace on a program and says which violation it ends in.
    ///
    /// # Errors
    /// When it does not fit the program or does not end in a violation of the same kind.
    pub fn perform(&self, program: &selvedge_ir::Program) -> Result<Violation<Failure>, ReportError> {
        let mut path = Path::new(Interpreter::new(program));
        let mut schedule = Vec::with_capacity(self.schedule.len());
        for (step, saved) in (1..).zip(&self.schedule) {
            let decision = saved.decision(step, &path.program)?;
            if !can_perform(&mut path.program, decision) {
                return Err(ReportError::NotEnabled { step, thread: saved.thread.clone() });
            }
            path.push(decision);
            schedule.push(decision);
        }
        let failure = self.failure(&mut path);
        let failure = failure.ok_or_else(|| ReportError::NoViolation { kind: self.kind.clone() })?;
        Ok(Violation { failure, schedule })
    }

    /// Performs the trace on a C or C++ program and says which violation it ends in.
    ///
    /// # Errors
    /// When it does not fit the program or does not end in a violation of the same kind.
    pub fn perform_native(
        &self,
        machine: selvedge_machine::Machine,
    ) -> Result<(Violation<selvedge_machine::Failure>, selvedge_machine::Machine), ReportError> {
        let mut path = Path::new(machine);
        let mut schedule = Vec::with_capacity(self.schedule.len());
        for (step, saved) in (1..).zip(&self.schedule) {
            let thread = path.program.thread_named(&saved.thread);
            let thread =
                thread.ok_or_else(|| ReportError::NoSuchThread { step, thread: saved.thread.clone() })?;
            let decision = Decision { thread, choice: saved.choice };
            if !can_perform(&mut path.program, decision) {
                return Err(ReportError::NotEnabled { step, thread: saved.thread.clone() });
            }
            path.push(decision);
            schedule.push(decision);
        }
        let is_same = |failure: &&selvedge_machine::Failure| failure.kind.name() == self.kind;
        let mut failure = path.program.failures().iter().find(is_same).cloned();
        if failure.is_none() && path.next_enabled(None).is_none() && path.program.counts_as_deadlock() {
            failure = Some(path.program.deadlock()).filter(|deadlock| is_same(&deadlock));
        }
        let failure = failure.ok_or_else(|| ReportError::NoViolation { kind: self.kind.clone() })?;
        Ok((Violation { failure, schedule }, path.program))
    }

    fn failure(&self, path: &mut Path<Interpreter>) -> Option<Failure> {
        let is_same = |failure: &&Failure| failure.kind.name() == self.kind;
        if let Some(failure) = path.program.failures().iter().find(is_same) {
            return Some(failure.clone());
        }
        let deadlock = path.program.deadlock();
        let is_blocked = matches!(&deadlock.kind, FailureKind::Deadlock(blocked) if !blocked.is_empty())
            && path.next_enabled(None).is_none();
        Some(deadlock).filter(|deadlock| is_blocked && is_same(&deadlock))
    }
}

impl SavedStep {
    fn decision(&self, step: usize, program: &Interpreter) -> Result<Decision, ReportError> {
        let names = &program.layout().thread_names;
        let thread = names.iter().position(|name| *name == self.thread);
        let thread = thread.ok_or_else(|| ReportError::NoSuchThread { step, thread: self.thread.clone() })?;
        Ok(Decision { thread: ThreadId::at(thread), choice: self.choice })
    }
}

fn can_perform<P: Program>(program: &mut P, decision: Decision) -> bool {
    let first = Decision { choice: 0, ..decision };
    program.pending(first, &mut Footprint::default()) == Readiness::Enabled
        && decision.choice < program.choices(decision.thread)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "shared x = 0; thread a { x = 1; } thread b { assert(x == 0); }";

    fn program(text: &str) -> selvedge_ir::Program {
        selvedge_lang::compile("t.sel", text, &BTreeMap::new()).expect("the program compiles")
    }

    fn trace(threads: &[&str]) -> SavedTrace {
        let step = |thread: &&str| SavedStep { thread: (*thread).to_owned(), choice: 0 };
        SavedTrace {
            version: VERSION,
            program: "t.sel".to_owned(),
            defines: BTreeMap::new(),
            algorithm: "optimal".to_owned(),
            reuses_memory: false,
            orders_objects: false,
            kind: "assertion".to_owned(),
            message: "assertion failed".to_owned(),
            schedule: threads.iter().map(step).collect(),
        }
    }

    #[test]
    fn a_trace_survives_the_way_to_disk_and_back() {
        let saved = trace(&["a", "b"]);
        assert_eq!(SavedTrace::from_text(&saved.to_text()).expect("it is a trace"), saved);
    }

    #[test]
    fn a_trace_of_another_version_is_refused_by_its_version() {
        let error = SavedTrace::from_text(r#"{ "version": 99, "news": [] }"#).expect_err("version 99");
        assert!(error.to_string().contains("version 99"), "{error}");
    }

    #[test]
    fn something_else_is_no_trace() {
        assert!(matches!(SavedTrace::from_text("thread t {}"), Err(ReportError::NoTrace(_))));
    }

    #[test]
    fn a_trace_leads_to_its_violation() {
        let violation = trace(&["a", "b"]).perform(&program(PROGRAM)).expect("it fails");
        assert_eq!(violation.failure.kind.name(), "assertion");
    }

    #[test]
    fn a_trace_that_does_not_fit_says_why() {
        let told = |threads: &[&str]| {
            trace(threads).perform(&program(PROGRAM)).expect_err("it does not fit").to_string()
        };
        assert!(told(&["a", "c"]).contains("step 2 is by `c`"));
        assert!(told(&["a", "a"]).contains("`a` cannot go on at step 2"));
        assert!(told(&["b", "a"]).contains("does not fail any more"));
    }

    #[test]
    fn a_choice_that_does_not_exist_does_not_fit() {
        let mut saved = trace(&["a", "b"]);
        saved.schedule[0].choice = 7;
        assert!(matches!(saved.perform(&program(PROGRAM)), Err(ReportError::NotEnabled { step: 1, .. })));
    }
}
