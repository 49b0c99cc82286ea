//! A report as JSON for machines: the same facts as the text, in a stable order of fields.

use crate::{Counterexample, Report, ReportError, Step, Verdict};
use selvedge_claim::scope;
use selvedge_explore::{Bound, BoundKind, Stop};
use serde::{Deserialize, Serialize};

/// A report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JsonReport {
    /// The program's file name.
    pub program: String,
    /// The verdict.
    pub verdict: Verdict,
    /// What was covered.
    pub scope: String,
    /// The algorithm.
    pub algorithm: String,
    /// The root thread, where one is treated differently.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<u32>,
    /// Why this one, with `--algorithm auto`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen_because: Option<String>,
    /// The bound of the search; with `--iterative`, the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<JsonBound>,
    /// The limit that ended the search early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<String>,
    /// Executions by their ends.
    pub executions: JsonExecutions,
    /// Operations performed.
    pub transitions: u64,
    /// Pairs of dependent events looked at.
    pub race_checks: u64,
    /// Pairs of operations compared.
    pub dependency_checks: u64,
    /// Orders of a section that were begun and could not be completed.
    pub unsatisfiable_systems: u64,
    /// The length of the longest execution.
    pub longest_execution: u64,
    /// How long it took.
    pub seconds: f64,
    /// The most memory used.
    pub peak_memory_bytes: Option<u64>,
    /// The violations.
    pub violations: Vec<JsonViolation>,
}

/// A bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JsonBound {
    /// What is counted.
    pub of: JsonBoundKind,
    /// How many are allowed.
    pub limit: u32,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JsonBoundKind {
    /// Switches away from a thread that could go on.
    Preemptions,
    /// Threads passed over by a round-robin scheduler.
    Delays,
    /// Switches between threads.
    Switches,
}

/// Executions by their ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JsonExecutions {
    /// All threads ended.
    pub complete: u64,
    /// Everything enabled was asleep.
    pub sleep_set_blocked: u64,
    /// Given up at a state that was explored before.
    pub at_known_state: u64,
    /// Led out of the bound, mostly with the last step.
    pub over_bound: u64,
    /// An assumption was false.
    pub assume_blocked: u64,
    /// No thread could go on.
    pub deadlocked: u64,
    /// A thread failed.
    pub failed: u64,
    /// A limit was reached.
    pub cut: u64,
}

/// A violation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JsonViolation {
    /// What is wrong, for machines.
    pub kind: String,
    /// What is wrong, for people.
    pub message: String,
    /// The source file.
    pub file: String,
    /// The line of the statement that failed.
    pub line: usize,
    /// Its column.
    pub column: usize,
    /// The thread that failed; null for a deadlock.
    pub thread: Option<String>,
    /// The threads of a deadlock.
    pub blocked: Vec<JsonBlocked>,
    /// How to get there.
    pub schedule: Vec<JsonStep>,
}

/// A thread that waits for ever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JsonBlocked {
    /// The thread.
    pub thread: String,
    /// The source file.
    #[serde(default)]
    pub file: String,
    /// The line of its statement.
    pub line: usize,
    /// What it waits for, in words.
    pub waits_for: String,
}

/// A step of a counterexample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JsonStep {
    /// The thread.
    pub thread: String,
    /// Which alternative it took.
    pub choice: u32,
    /// The source file.
    #[serde(default)]
    pub file: String,
    /// The line of the statement.
    pub line: usize,
    /// The statement.
    pub statement: String,
    /// What it did, in words.
    pub effects: Vec<String>,
}

/// A report in its JSON form.
pub fn json(report: &Report) -> JsonReport {
    let s = &report.statistics;
    JsonReport {
        program: report.source.name.to_owned(),
        verdict: report.verdict,
        scope: report.scope.clone(),
        algorithm: report.run.algorithm.name().to_owned(),
        root: report.run.limits.root.map(|root| root.0),
        chosen_because: report.chosen_because.clone(),
        bound: scope::bound(&report.run).map(bound),
        stopped_by: report.stop.and_then(stopped_by),
        executions: JsonExecutions {
            complete: s.complete,
            sleep_set_blocked: s.sleep_set_blocked,
            at_known_state: s.at_known_state,
            over_bound: s.over_bound,
            assume_blocked: s.assume_blocked,
            deadlocked: s.deadlocked,
            failed: s.failed,
            cut: s.cut,
        },
        transitions: s.transitions,
        race_checks: s.race_checks,
        dependency_checks: s.dependency_checks,
        unsatisfiable_systems: s.unsatisfiable_systems,
        longest_execution: s.longest,
        seconds: report.run.elapsed.as_secs_f64(),
        peak_memory_bytes: report.peak_memory,
        violations: report
            .counterexamples
            .iter()
            .map(|example| violation(report.source.name, example))
            .collect(),
    }
}

fn bound(bound: Bound) -> JsonBound {
    let of = match bound.kind {
        BoundKind::Preemptions => JsonBoundKind::Preemptions,
        BoundKind::Delays => JsonBoundKind::Delays,
        BoundKind::Switches => JsonBoundKind::Switches,
    };
    JsonBound { of, limit: bound.limit }
}

/// The limit that ended a search. A violation is none, nor is the size of a sample.
fn stopped_by(stop: Stop) -> Option<String> {
    let limit = match stop {
        Stop::Violation | Stop::Sampled => return None,
        Stop::Executions => "executions",
        Stop::Time => "time",
        Stop::Interrupted => "interrupt",
    };
    Some(limit.to_owned())
}

impl JsonReport {
    /// The text of the JSON object, several lines.
    pub fn to_text(&self) -> String {
        // Structures of numbers, strings and lists with string keys always have a JSON form.
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        text + "\n"
    }

    /// Reads the text of a report.
    ///
    /// # Errors
    /// When it is none.
    pub fn from_text(text: &str) -> Result<JsonReport, ReportError> {
        serde_json::from_str(text).map_err(ReportError::NoReport)
    }

    /// Executions that went on until nothing could go on any more.
    pub fn maximal(&self) -> u64 {
        let e = &self.executions;
        e.complete + e.assume_blocked + e.deadlocked + e.failed
    }
}

/// A counterexample of a source file in its JSON form.
pub fn violation(file: &str, example: &Counterexample) -> JsonViolation {
    let file = example.file.as_ref().map_or(file, |file| &file.name);
    let blocked = example.blocked.iter().map(|blocked| JsonBlocked {
        thread: blocked.thread.clone(),
        file: blocked.file.clone().unwrap_or_else(|| file.to_owned()),
        line: blocked.line,
        waits_for: blocked.waits_for.clone(),
    });
    JsonViolation {
        kind: example.kind.to_owned(),
        message: example.message.clone(),
        file: file.to_owned(),
        line: example.position.line,
        column: example.position.column,
        thread: example.thread.clone(),
        blocked: blocked.collect(),
        schedule: example.steps.iter().map(|told| step(file, told)).collect(),
    }
}

fn step(file: &str, step: &Step) -> JsonStep {
    JsonStep {
        thread: step.thread.clone(),
        choice: step.decision.choice,
        file: step.file.clone().unwrap_or_else(|| file.to_owned()),
        line: step.line,
        statement: step.statement.clone(),
        effects: step.effects.clone(),
    }
}
