//! An execution step by step: which statement each thread performed and what it read and wrote.

use crate::Interpreter;
use crate::failure::Detail;
use crate::layout::Content;
use selvedge_explore::{Path, Program};
use selvedge_ir::{Span, Type};
use selvedge_trace::{Access, AccessKind, Decision, Footprint, LocationId, ThreadId};

/// A step of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepRecord {
    /// The thread that performed it.
    pub decision: Decision,
    /// How many alternatives there were.
    pub choices: u32,
    /// The value chosen, if the step chose one.
    pub chosen: Option<i64>,
    /// The statement.
    pub span: Span,
    /// What it did to memory and synchronisation objects.
    pub effects: Vec<Effect>,
}

/// What a step did to a location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// The location.
    pub place: LocationId,
    /// Its name.
    pub location: String,
    /// How it was accessed.
    pub kind: AccessKind,
    /// What it held before, as text.
    pub before: String,
    /// What it held after, as text.
    pub after: String,
}

/// Performs a schedule from the beginning and records each step. The schedule must be one that
/// [`replay`](fn@selvedge_explore::replay) accepts.
pub fn steps(interpreter: Interpreter, schedule: &[Decision]) -> (Vec<StepRecord>, Path<Interpreter>) {
    let mut path = Path::new(interpreter);
    let records = schedule.iter().map(|&decision| step(&mut path, decision)).collect();
    (records, path)
}

fn step(path: &mut Path<Interpreter>, decision: Decision) -> StepRecord {
    let mut footprint = Footprint::default();
    let (_, after) = path.program.survey(decision, &mut footprint);
    let chosen = match path.program.detail() {
        Detail::Range(low, high) if low < high => low.checked_add(i64::from(decision.choice)),
        _ => None,
    };
    let span = path.program.next_statement(decision.thread);
    let choices = path.program.choices(decision.thread);
    let before: Vec<i64> = footprint.accesses().iter().map(|a| path.program.value(a.location)).collect();
    path.push(decision);
    let effect = |((access, before), after): ((&Access, i64), i64)| Effect {
        place: access.location,
        location: path.program.layout().name(access.location),
        kind: access.kind,
        before: text(&path.program, access.location, before),
        after: text(&path.program, access.location, after),
    };
    let effects = footprint.accesses().iter().zip(before).zip(after).map(effect).collect();
    StepRecord { decision, choices, chosen, span, effects }
}

/// The present content of a location as text.
pub fn value_text(interpreter: &Interpreter, location: LocationId) -> String {
    text(interpreter, location, interpreter.value(location))
}

/// The content of a location as text.
fn text(interpreter: &Interpreter, location: LocationId, value: i64) -> String {
    let layout = interpreter.layout();
    match layout.array_of(location).content {
        Content::Values(Type::Bool) => (value != 0).to_string(),
        Content::Values(Type::Int) => value.to_string(),
        Content::Mutexes if value == 0 => "free".to_owned(),
        Content::Mutexes => layout.thread_names[ThreadId(value as u32 - 1).index()].clone(),
        Content::Condvars | Content::Barrier | Content::Threads => String::new(),
    }
}
