//! Whether a schedule fits a program: it speaks of the program's threads, places, transitions and variables only.

use crate::walk::Walk;
use selvedge_schedule::Schedule;
use selvedge_smt::Term;

/// Why a schedule is none for a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the schedule does not fit the program: {0}")]
pub struct Unfit(pub String);

/// The formulas of a schedule.
#[derive(Debug)]
pub struct Formulas {
    /// The condition of each section.
    pub conditions: Vec<Term>,
    /// What each node claims.
    pub claims: Vec<Vec<Term>>,
}

fn unfit<T>(what: String) -> Result<T, Unfit> {
    Err(Unfit(what))
}

impl Formulas {
    /// Reads the formulas of a schedule.
    ///
    /// # Errors
    /// When the schedule speaks of what the program does not have.
    pub fn new(walk: &mut Walk, schedule: &Schedule) -> Result<Formulas, Unfit> {
        if !schedule.threads.iter().map(|thread| &thread.name).eq(&walk.system.names) {
            let names = walk.system.names.join(", ");
            return unfit(format!("the threads of the program are {names}"));
        }
        let mut claims = Vec::new();
        for (number, node) in schedule.nodes.iter().enumerate() {
            for (thread, &place) in node.places.iter().enumerate() {
                if place as usize >= walk.system.threads[thread].locations.len() {
                    return unfit(format!(
                        "thread {thread} has no place {place}, where node {number} has it stand"
                    ));
                }
            }
            let read = node.holds.iter().map(|text| match walk.formula(text, None) {
                Some(claim) => Ok(claim),
                None => unfit(format!("what holds at node {number} cannot be read: {text}")),
            });
            claims.push(read.collect::<Result<Vec<Term>, Unfit>>()?);
        }
        let mut conditions = Vec::new();
        for (number, section) in schedule.sections.iter().enumerate() {
            for event in &section.events {
                let place = walk.system.threads[event.thread].locations.get(event.place as usize);
                if place.is_none_or(|place| event.transition >= place.transitions.len()) {
                    return unfit(format!("section {number} has an event that the program does not have"));
                }
            }
            let first = &section.events[0];
            let place = &walk.system.threads[first.thread].locations[first.place as usize];
            let input = place.transitions[first.transition].input.as_ref().map(|(input, _)| *input);
            match walk.formula(&section.condition, input) {
                Some(condition) => conditions.push(condition),
                None => {
                    return unfit(format!(
                        "the condition of section {number} cannot be read: {}",
                        section.condition
                    ));
                }
            }
        }
        Ok(Formulas { conditions, claims })
    }
}
