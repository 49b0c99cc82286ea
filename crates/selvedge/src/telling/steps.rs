//! The steps of a counterexample.

use super::effects::{self, Change};
use super::{names, source};
use crate::runtime::failure::Failure;
use crate::runtime::program::Closure;
use crate::runtime::with;
use selvedge_claim::Step;
use selvedge_explore::replay::ReplayError;
use selvedge_explore::{Path, Program};
use selvedge_trace::{Decision, Footprint, LocationId};

/// An execution that is told while it is performed.
pub struct Teller {
    /// The execution.
    pub path: Path<Closure>,
    /// Its steps so far.
    pub steps: Vec<Step>,
}

impl Teller {
    /// The beginning of an execution.
    pub fn new(closure: Closure) -> Teller {
        Teller { path: Path::new(closure), steps: Vec::new() }
    }

    /// Replays a schedule and checks that it ends in the given failure.
    ///
    /// # Errors
    /// When a decision cannot be taken or the failure does not occur.
    pub fn replay(&mut self, schedule: &[Decision], failure: &Failure) -> Result<(), ReplayError> {
        let mut found = self.path.program.failures().contains(failure);
        for (step, &decision) in schedule.iter().enumerate() {
            if !can_perform(&mut self.path, decision) {
                return Err(ReplayError::NotEnabled { step: step + 1 });
            }
            self.step(decision);
            found = self.path.program.failures().contains(failure);
        }
        if !found && self.path.next_enabled(None).is_none() && self.path.program.counts_as_deadlock() {
            found = self.path.program.deadlock() == *failure;
        }
        if found { Ok(()) } else { Err(ReplayError::NoFailure) }
    }

    /// Performs the next operation of a thread, if it has one.
    pub fn step(&mut self, decision: Decision) {
        let path = &mut self.path;
        let Some(operation) = path.program.next_operation(decision.thread) else { return };
        let choices = path.program.choices(decision.thread);
        let mut footprint = Footprint::default();
        path.program.pending(decision, &mut footprint);
        let accesses = footprint.accesses().to_vec();
        let before: Vec<u64> = accesses.iter().map(|access| content(access.location)).collect();
        path.push(decision);
        let changes: Vec<Change> = accesses
            .iter()
            .zip(before)
            .map(|(&access, before)| Change { access, before, after: content(access.location) })
            .collect();
        let mut phrases = effects::phrases(&operation, &changes);
        if choices > 1 {
            phrases.insert(0, format!("alternative {} of {choices}", decision.choice + 1));
        }
        for child in path.program.latest_children(decision.thread) {
            phrases.push(format!("starts {}", names::thread(child)));
        }
        self.steps.push(Step {
            decision,
            thread: names::thread(decision.thread),
            file: Some(source::short(operation.place.file()).to_owned()),
            line: operation.place.line() as usize,
            statement: effects::statement(&operation),
            effects: phrases,
        });
    }
}

/// Whether a decision can be taken at the end of a path.
pub fn can_perform(path: &mut Path<Closure>, decision: Decision) -> bool {
    decision.thread.index() < path.program.thread_count()
        && path.program.is_enabled(decision.thread)
        && decision.choice < path.program.choices(decision.thread)
}

/// The steps without the rounds that a thread only repeats at the end; the number of steps left out.
pub fn without_repetition(steps: &[Step]) -> (&[Step], usize) {
    let is_same =
        |a: &Step, b: &Step| a.decision == b.decision && a.statement == b.statement && a.effects == b.effects;
    let mut kept = steps;
    for period in 1..=steps.len() / 2 {
        while kept.len() >= 2 * period {
            let (earlier, latest) = kept[kept.len() - 2 * period..].split_at(period);
            if !earlier.iter().zip(latest).all(|(a, b)| is_same(a, b)) {
                break;
            }
            kept = &kept[..kept.len() - period];
        }
    }
    (kept, steps.len() - kept.len())
}

/// The content of a location in the present state.
pub fn content(location: LocationId) -> u64 {
    with(|x| x.memory.get(location))
}
