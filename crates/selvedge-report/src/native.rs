//! C and C++ programs: their counterexamples, in the words of their source.

use crate::blocked::BlockedThread;
use crate::source::{Position, SourceText};
use crate::{Counterexample, ReportError, Step};
use selvedge_explore::{Program, Violation, replay};
use selvedge_ir::Span;
use selvedge_machine::code::Place;
use selvedge_machine::steps::{StepRecord, steps};
use selvedge_machine::{Failure, FailureKind, Machine};
use selvedge_trace::{AccessKind, Decision, Footprint, ThreadId};

/// The source files of a program, by the numbers of its files.
pub trait Files {
    /// The text of a file, if it is known.
    fn text(&self, file: u32) -> Option<&str>;
    /// The name of a file, as people know it.
    fn name(&self, file: u32) -> String;
}

/// Replays a violation and tells it.
///
/// # Errors
/// When the replay does not end in the violation, which is a bug of ours.
pub fn counterexample(
    machine: &Machine,
    files: &dyn Files,
    violation: &Violation<Failure>,
) -> Result<Counterexample, ReportError> {
    let Violation { failure, schedule } = violation;
    let mut end = replay(machine.again(), schedule, failure)?;
    let (records, _) = steps(machine.again(), schedule);
    let name = |thread: ThreadId| end.program.thread_name(thread);
    let file = SourceText {
        name: files.name(failure.place.file),
        text: files.text(failure.place.file).unwrap_or("").to_owned(),
    };
    let naming = Naming::of(failure, &records);
    let told = records.iter().map(|record| step(record, name(record.decision.thread), files, naming));
    let told = told.collect();
    let position =
        Position { line: failure.place.line as usize, column: failure.place.column.max(1) as usize };
    let thread = match failure.kind {
        FailureKind::Deadlock(_) => None,
        _ => Some(name(last_thread(schedule))),
    };
    Ok(Counterexample {
        kind: failure.kind.name(),
        message: message(failure, files),
        span: span(&file.text, failure.place),
        file: Some(file),
        position,
        thread,
        steps: told,
        blocked: blocked(&mut end.program, failure, files),
    })
}

/// Whether steps name their files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Naming {
    /// All are in the file of the failure.
    Lines,
    /// There are several files.
    Files,
}

impl Naming {
    fn of(failure: &Failure, records: &[StepRecord]) -> Naming {
        let is_elsewhere = |record: &StepRecord| record.place.file != failure.place.file;
        if records.iter().any(is_elsewhere) { Naming::Files } else { Naming::Lines }
    }
}

fn last_thread(schedule: &[Decision]) -> ThreadId {
    schedule.last().map_or(ThreadId(0), |decision| decision.thread)
}

fn message(failure: &Failure, files: &dyn Files) -> String {
    let message = failure.kind.message();
    match &failure.kind {
        FailureKind::DataRace(_, other) => {
            format!("{message}, with the access at {}:{}", files.name(other.file), other.line)
        }
        _ => message,
    }
}

/// The part of a text from a place to the end of its statement or line.
pub fn span(text: &str, place: Place) -> Span {
    let mut start = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if number == place.line {
            let column = (place.column.max(1) as usize - 1).min(line.trim_end().len());
            let rest = line.get(column..).unwrap_or("").trim_end();
            let length = rest.find(';').unwrap_or(rest.len()).max(1);
            return Span::new((start + column) as u32, (start + column + length) as u32);
        }
        start += line.len();
    }
    Span::new(0, 0)
}

/// The line of a place, without comments.
fn statement(files: &dyn Files, place: Place) -> String {
    let line = files.text(place.file).and_then(|text| text.lines().nth(place.line.checked_sub(1)? as usize));
    let line = line.unwrap_or("").split("//").next().unwrap_or("");
    line.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches([';', ' ']).to_owned()
}

fn step(record: &StepRecord, thread: String, files: &dyn Files, naming: Naming) -> Step {
    let text = statement(files, record.place);
    Step {
        decision: record.decision,
        thread,
        file: (naming == Naming::Files).then(|| files.name(record.place.file)),
        line: record.place.line as usize,
        statement: match (&record.call, text.is_empty()) {
            (Some(call), true) => format!("{call}()"),
            _ => text,
        },
        effects: record.effects.clone(),
    }
}

fn blocked(machine: &mut Machine, failure: &Failure, files: &dyn Files) -> Vec<BlockedThread> {
    let FailureKind::Deadlock(blocked) = &failure.kind else { return Vec::new() };
    let mut told = Vec::new();
    for &(thread, place) in blocked {
        told.push(BlockedThread {
            thread: machine.thread_name(thread),
            file: Some(files.name(place.file)),
            line: place.line as usize,
            statement: statement(files, place),
            waits_for: waits_for(machine, thread),
        });
    }
    told
}

fn waits_for(machine: &mut Machine, thread: ThreadId) -> String {
    let mut footprint = Footprint::default();
    let call = machine.next_call(thread).unwrap_or("").to_owned();
    machine.pending(Decision { thread, choice: 0 }, &mut footprint);
    let name = |machine: &Machine, address: u64| {
        let (code, module) = (machine.code(), machine.module());
        selvedge_machine::names::describe(code, module, machine.memory(), address, 4).0
    };
    let waiting = machine.waiting_for(thread);
    if waiting != 0 {
        return match call.contains("barrier") {
            true => format!("waits at the barrier {}", name(machine, waiting)),
            false => format!("waits for a signal of {}, which nobody sends any more", name(machine, waiting)),
        };
    }
    if call.contains("join") {
        return "waits for the end of a thread".to_owned();
    }
    let place = footprint.accesses().iter().find_map(|access| {
        let (base, offset, _) = machine.locations().find(access.location.0)?;
        Some((base + offset, access.kind))
    });
    match place {
        Some((address, AccessKind::Acquire)) => format!("waits for {}", whole(&name(machine, address))),
        Some((address, _)) => format!("waits for a change of {}", whole(&name(machine, address))),
        None => "waits for ever".to_owned(),
    }
}

/// The name of a lock, not of the field in which its owner is noted.
fn whole(name: &str) -> &str {
    name.find(".__").map_or(name, |at| &name[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_spans_its_statement() {
        let text = "int x;\n  x = 1; y = 2;\n";
        let place = Place { file: 0, line: 2, column: 3 };
        assert_eq!(span(text, place).text(text), "x = 1");
        assert_eq!(span(text, Place { line: 9, ..place }), Span::new(0, 0));
    }
}
