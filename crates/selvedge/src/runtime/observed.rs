//! What a search has seen of a closure that its user should know, though nothing is wrong: where the first execution was cut, and whether any thread
//! did something that is seen at all.

use super::execution::{Execution, with};
use super::operation::Operation;
use super::script::{Script, Standing};
use crate::telling::names;
use selvedge_explore::End;
use selvedge_trace::ThreadId;
use std::collections::BTreeMap;

/// What a search has seen.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// Where the first execution was cut.
    cut: Option<Cut>,
    /// The most threads that an execution has started.
    threads: usize,
    /// Whether a thread has performed an operation besides waiting for the ends of threads.
    has_operations: bool,
}

/// An execution that was cut.
#[derive(Clone, Debug)]
struct Cut {
    length: usize,
    thread: ThreadId,
    operation: Operation,
    count: usize,
}

/// An execution has ended.
#[inline]
pub fn note(end: End) {
    with(|x| {
        if !x.observed.has_operations {
            x.note_operations();
        }
        if end == End::Cut && x.observed.cut.is_none() {
            x.note_cut();
        }
    });
}

/// The operations that a thread has performed.
fn performed(script: &Script) -> impl Iterator<Item = &Operation> {
    script.entries.iter().take(script.position).filter_map(|entry| match &entry.standing {
        Standing::At(operation) => Some(operation),
        _ => None,
    })
}

impl Execution {
    fn note_operations(&mut self) {
        let scripts = &self.history.scripts;
        let waits_for_ends = |operation: &Operation| ["join", "scope"].contains(&operation.kind.name);
        let has_operations = scripts.iter().flat_map(performed).any(|operation| !waits_for_ends(operation));
        self.observed.has_operations = has_operations;
        self.observed.threads = self.observed.threads.max(scripts.len().saturating_sub(1));
    }

    #[cold]
    fn note_cut(&mut self) {
        let mut counts: BTreeMap<(ThreadId, &str, u32, u32), (usize, Operation)> = BTreeMap::new();
        for (thread, script) in (0..).map(ThreadId::at).zip(&self.history.scripts) {
            for operation in performed(script) {
                let place = operation.place;
                let key = (thread, place.file(), place.line(), place.column());
                counts.entry(key).or_insert((0, *operation)).0 += 1;
            }
        }
        let most = counts.into_iter().max_by_key(|(_, (count, _))| *count);
        self.observed.cut = most.map(|((thread, ..), (count, operation))| Cut {
            length: self.history.decisions.len(),
            thread,
            operation,
            count,
        });
    }
}

impl Observed {
    /// What the user should know.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.threads > 1 && !self.has_operations {
            warnings.push(format!(
                "warning: {} threads were started, and none of them did anything that is seen here: std::sync::atomic, std::sync and the locks of \
                 other libraries are not; use those of selvedge",
                self.threads
            ));
        }
        warnings
    }

    /// Where the first execution was cut, in words, with advice.
    pub fn about_cut(&self) -> Option<String> {
        let Cut { length, thread, operation, count } = self.cut.as_ref()?;
        let (thread, name, place) = (names::thread(*thread), operation.kind.name, operation.place);
        Some(format!(
            "an execution was cut after {length} operations: {thread} performed `{name}` at {place} {count} times. A loop that waits for another thread \
             should call `hint::spin_loop` or `thread::yield_now` in each round; if it has an end, `max_depth(…)` allows more operations"
        ))
    }
}
