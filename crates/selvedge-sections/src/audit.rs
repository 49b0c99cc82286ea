//! Whether an execution was permitted: a list of events, each a thread and an instruction, is held to the definitions
//! [Metzler2020, definitions 34 to 40].
//!
//! The path through the schedule is followed as the program itself goes along it. An execution is permitted if each thread performed its
//! events of the path, and every two events that depend on each other happened in the order of the path. What depends is decided by what the
//! transitions that were taken read and write. Nothing is shared with [`chunks`](crate::chunks) and [`waits`](crate::waits).

use crate::reference::{Reference, Wrong};
use selvedge_enforce::walk::Walk;
use selvedge_schedule::Schedule;
use selvedge_smt::Variable;
use selvedge_symbolic::Place;
use selvedge_symbolic::movers::reads;
use selvedge_trace::ThreadId;
use std::collections::{BTreeMap, BTreeSet};

/// Why an execution was not permitted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// The schedule itself is wrong.
    #[error(transparent)]
    Schedule(#[from] Wrong),
    /// A thread performed another instruction than the one that came next for it.
    #[error("event {0}: thread {1} performs another instruction than the schedule foresees")]
    Another(usize, usize),
    /// A thread performed an event though it had none left.
    #[error("event {0}: the schedule has no more events for thread {1}")]
    TooMany(usize, usize),
    /// Two events happened in the wrong order.
    #[error(
        "event {0}: something that depends on it, and comes after it in the schedule, has happened already"
    )]
    Order(usize),
}

/// Which variables the order of events matters for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watched {
    /// All.
    All,
    /// Those of the program, not its mutexes, condition variables and barriers.
    Data,
}

/// An event of the path.
struct PathEvent<S> {
    site: S,
    reads: Vec<Variable>,
    writes: Vec<Variable>,
    is_fence: bool,
}

/// The path, as far as it is known.
struct Path<'p, S> {
    reference: Reference<'p>,
    watched: Watched,
    site: &'p dyn Fn(usize, u32) -> Option<S>,
    events: Vec<PathEvent<S>>,
    /// Which of them each thread performs.
    of_thread: BTreeMap<usize, Vec<usize>>,
    /// The alternatives that each thread takes.
    inputs: Vec<std::vec::IntoIter<u32>>,
}

/// Events of the path without one of a thread after which it is taken to have none left.
const PATIENCE: usize = 20_000;

impl<S: Copy + PartialEq> Path<'_, S> {
    /// The event that a thread performs as its so-manieth.
    fn find(&mut self, thread: ThreadId, number: usize) -> Result<Option<usize>, Wrong> {
        for _ in 0..PATIENCE {
            if let Some(&found) = self.of_thread.get(&thread.index()).and_then(|events| events.get(number)) {
                return Ok(Some(found));
            }
            if !self.extend()? {
                return Ok(None);
            }
        }
        Ok(None)
    }

    fn extend(&mut self) -> Result<bool, Wrong> {
        let inputs = &mut self.inputs;
        let Some(done) = self.reference.step(&mut |thread| inputs[thread].next().unwrap_or(0))? else {
            return Ok(false);
        };
        let Some(site) = (self.site)(done.thread, done.place) else { return Ok(true) };
        let walk = self.reference.walk;
        let location = &walk.system.threads[done.thread].locations[done.place as usize];
        let transition = &location.transitions[done.transition];
        let cells = walk.system.code.layout.value_cells;
        let is_watched = |variable: &Variable| match walk.system.numbers.get(variable) {
            Some(&number) => match walk.system.variables[number].place {
                Place::Cell(cell) => self.watched == Watched::All || cell < cells,
                Place::Array(_) => true,
                Place::Slot { .. } => false,
            },
            None => false,
        };
        self.of_thread.entry(done.thread).or_default().push(self.events.len());
        self.events.push(PathEvent {
            site,
            reads: reads(&walk.terms, transition).into_iter().filter(is_watched).collect(),
            writes: transition.updates.keys().copied().filter(is_watched).collect(),
            is_fence: !transition.conditions.is_empty() || !transition.spawns.is_empty(),
        });
        Ok(true)
    }
}

/// The latest events, by their numbers on the path, that have happened.
#[derive(Default)]
struct Latest {
    any: Option<usize>,
    fence: Option<usize>,
    reads: BTreeMap<Variable, usize>,
    writes: BTreeMap<Variable, usize>,
}

impl Latest {
    /// Notes an event; whether it happened in its place.
    fn happens<S>(&mut self, number: usize, event: &PathEvent<S>) -> bool {
        let has_effect = event.is_fence || !event.reads.is_empty() || !event.writes.is_empty();
        let mut later = if has_effect { self.fence } else { None };
        if event.is_fence {
            later = later.max(self.any);
        }
        for variable in event.reads.iter().chain(&event.writes) {
            later = later.max(self.writes.get(variable).copied());
        }
        for variable in &event.writes {
            later = later.max(self.reads.get(variable).copied());
        }
        let latest = |known: Option<&usize>| known.map_or(number, |&known| known.max(number));
        for (variables, known) in [(&event.reads, &mut self.reads), (&event.writes, &mut self.writes)] {
            for &variable in variables {
                let number = latest(known.get(&variable));
                known.insert(variable, number);
            }
        }
        if has_effect {
            self.any = Some(latest(self.any.as_ref()));
        }
        if event.is_fence {
            self.fence = Some(latest(self.fence.as_ref()));
        }
        later.is_none_or(|later| later < number)
    }
}

/// Holds an execution to a schedule. `site` says which steps of the program are events, and of which instruction; `inputs` are the alternatives
/// that each thread takes in turn.
///
/// # Errors
/// When the execution was not permitted.
pub fn audit<S: Copy + PartialEq>(
    walk: &Walk,
    schedule: &Schedule,
    watched: Watched,
    site: &dyn Fn(usize, u32) -> Option<S>,
    inputs: Vec<Vec<u32>>,
    log: &[(usize, S)],
) -> Result<(), Violation> {
    let reference = Reference::new(walk, schedule);
    let inputs = inputs.into_iter().map(Vec::into_iter).collect();
    let mut path = Path { reference, watched, site, events: Vec::new(), of_thread: BTreeMap::new(), inputs };
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    let (mut latest, mut happened) = (Latest::default(), BTreeSet::new());
    for (position, &(thread, site)) in log.iter().enumerate() {
        let count = counts.entry(thread).or_default();
        let Some(number) = path.find(ThreadId::at(thread), *count)? else {
            return Err(Violation::TooMany(position, thread));
        };
        *count += 1;
        if path.events[number].site != site {
            return Err(Violation::Another(position, thread));
        }
        happened.insert(number);
        if !latest.happens(number, &path.events[number]) {
            return Err(Violation::Order(position));
        }
    }
    // What has not happened yet would happen now.
    for number in 0..happened.last().map_or(0, |last| last + 1) {
        if !happened.contains(&number) && !latest.happens(number, &path.events[number]) {
            return Err(Violation::Order(log.len()));
        }
    }
    Ok(())
}
