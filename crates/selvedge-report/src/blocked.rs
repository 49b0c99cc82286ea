//! What the threads of a deadlock wait for.

use crate::Source;
use selvedge_explore::{Program, ThreadStatus};
use selvedge_interp::steps::value_text;
use selvedge_interp::{Content, Detail, Interpreter};
use selvedge_ir::Span;
use selvedge_trace::{AccessKind, Decision, Footprint, LocationId, ThreadId};

/// A thread that waits for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockedThread {
    /// Its name.
    pub thread: String,
    /// The file of its statement, if it may be another one than the program's.
    pub file: Option<String>,
    /// The line of its statement.
    pub line: usize,
    /// Its statement.
    pub statement: String,
    /// What it waits for, in words.
    pub waits_for: String,
}

/// What a blocked thread waits for in the present state of the program.
pub fn blocked_thread(
    program: &mut Interpreter,
    thread: ThreadId,
    span: Span,
    source: Source,
) -> BlockedThread {
    BlockedThread {
        thread: program.layout().thread_names[thread.index()].clone(),
        file: None,
        line: source.position(span).line,
        statement: source.statement(span),
        waits_for: waits_for(program, thread),
    }
}

fn waits_for(program: &mut Interpreter, thread: ThreadId) -> String {
    let mut footprint = Footprint::default();
    program.survey(Decision { thread, choice: 0 }, &mut footprint);
    if let Detail::Awaited(other) = *program.detail() {
        return end_of(program, other);
    }
    let waiting = program.value(LocationId(program.layout().waiting + thread.0));
    if waiting != 0 {
        return wake_up(program, LocationId((waiting - 1) as u32));
    }
    let acquired = footprint.accesses().iter().find(|access| access.kind == AccessKind::Acquire);
    if let Some(access) = acquired {
        return mutex(program, thread, access.location);
    }
    let layout = program.layout();
    let values = |location: &LocationId| matches!(layout.array_of(*location).content, Content::Values(_));
    let read: Vec<String> = footprint
        .accesses()
        .iter()
        .map(|access| access.location)
        .filter(values)
        .map(|location| format!("{} = {}", layout.name(location), value_text(program, location)))
        .collect();
    match read.is_empty() {
        true => "waits for ever".to_owned(),
        false => format!("waits for its condition, with {}", read.join(", ")),
    }
}

fn end_of(program: &Interpreter, other: ThreadId) -> String {
    let name = &program.layout().thread_names[other.index()];
    match program.status(other) {
        // A thread that is waited for has not ended: it has not begun.
        ThreadStatus::Ended => format!("waits for the end of {name}, which nobody starts"),
        _ => format!("waits for the end of {name}"),
    }
}

fn wake_up(program: &Interpreter, cell: LocationId) -> String {
    let layout = program.layout();
    let name = layout.name(cell);
    match layout.array_of(cell).content {
        Content::Barrier => {
            let number =
                layout.arrays.partition_point(|array| array.start < cell.0) - layout.barriers as usize;
            let width = layout.barrier_kinds.get(number).map_or(0, |kind| kind.width);
            format!("waits at barrier {name}, where {} of {width} have arrived", program.value(cell))
        }
        _ => format!("waits for a signal of {name}, which nobody sends any more"),
    }
}

fn mutex(program: &Interpreter, thread: ThreadId, cell: LocationId) -> String {
    let name = program.layout().name(cell);
    let holder = ThreadId((program.value(cell) - 1).max(0) as u32);
    let holder_name = &program.layout().thread_names[holder.index()];
    match program.status(holder) {
        _ if holder == thread => format!("waits for mutex {name}, which it holds itself"),
        ThreadStatus::Ended => format!("waits for mutex {name}, held by {holder_name}, which has ended"),
        _ => format!("waits for mutex {name}, held by {holder_name}"),
    }
}
