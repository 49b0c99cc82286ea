//! The steps of a counterexample.

use super::effects::{self, Change};
use super::{names, source};
use crate::runtime::program::Closure;
use crate::runtime::with;
use selvedge_explore::{Path, Program};
use selvedge_report::Step;
use selvedge_trace::{Decision, Footprint, LocationId, ThreadId};

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

    /// Performs a schedule.
    pub fn perform(&mut self, schedule: &[Decision]) {
        schedule.iter().for_each(|&decision| self.step(decision));
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

/// The schedule of a violation before the first step.
const NOTHING: &str = "-";

/// A schedule as a short text. Threads are numbered in the order in which this execution starts them.
pub fn schedule_text(schedule: &[Decision]) -> String {
    let rank = |thread: ThreadId| with(|x| x.thread(thread).rank);
    let mut parts: Vec<(Decision, usize)> = Vec::new();
    for &decision in schedule {
        match parts.last_mut() {
            Some((last, count)) if *last == decision => *count += 1,
            _ => parts.push((decision, 1)),
        }
    }
    let part = |(decision, count): &(Decision, usize)| {
        let mut text = rank(decision.thread).to_string();
        if decision.choice > 0 {
            text.push_str(&format!(":{}", decision.choice));
        }
        if *count > 1 {
            text.push_str(&format!("x{count}"));
        }
        text
    };
    match parts.is_empty() {
        true => NOTHING.to_owned(),
        false => parts.iter().map(part).collect::<Vec<_>>().join("."),
    }
}

/// Reads the text of a schedule.
pub fn parse_schedule(text: &str) -> Option<Vec<Decision>> {
    let mut schedule = Vec::new();
    if text.trim() == NOTHING {
        return Some(schedule);
    }
    for part in text.trim().split('.').filter(|part| !part.is_empty()) {
        let (decision, count) = part.split_once('x').unwrap_or((part, "1"));
        let (thread, choice) = decision.split_once(':').unwrap_or((decision, "0"));
        let decision = Decision { thread: ThreadId(thread.parse().ok()?), choice: choice.parse().ok()? };
        let count: usize = count.parse().ok()?;
        schedule.extend(std::iter::repeat_n(decision, count));
    }
    Some(schedule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_reads_back() {
        let text = "0x3.1.2:1x2.0";
        let schedule = parse_schedule(text).expect("it is a schedule");
        assert_eq!(schedule.len(), 7);
        assert_eq!(schedule[4], Decision { thread: ThreadId(2), choice: 1 });
        assert_eq!(parse_schedule(NOTHING), Some(Vec::new()));
        assert_eq!(parse_schedule("a.b"), None);
    }
}
