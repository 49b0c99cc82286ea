//! Which places may be passed without letting other threads in, found out from the definition.
//!
//! A place is interior if every step that leads there can be exchanged with whatever another thread does next, and the thread does not have
//! to wait there [Lipton1975, movers]. Here the mutexes that a thread holds are found by striking out, from all, those that it
//! can come to a place without.

use selvedge_interp::Content;
use selvedge_interp::code::Role;
use selvedge_smt::{Terms, Variable};
use selvedge_symbolic::{LocationKind, Place, System, Target, Transition};
use std::collections::BTreeSet;

/// For each thread and place, the mutexes that the thread holds whenever it stands there.
fn held(system: &System, terms: &Terms, mutexes: &BTreeSet<Variable>) -> Vec<Vec<BTreeSet<Variable>>> {
    let mut held: Vec<Vec<BTreeSet<Variable>>> =
        system.threads.iter().map(|thread| vec![mutexes.clone(); thread.locations.len()]).collect();
    for (number, thread) in system.threads.iter().enumerate() {
        held[number][thread.entry].clear();
        held[number][System::NOT_STARTED].clear();
        let mut changed = true;
        while changed {
            changed = false;
            for (place, location) in thread.locations.iter().enumerate() {
                for transition in &location.transitions {
                    let Target::Location(target) = transition.target else { continue };
                    for mutex in mutexes {
                        let holds = match transition.updates.get(mutex) {
                            Some(&value) => terms.as_int(value) == Some(number as i128 + 1),
                            None => held[number][place].contains(mutex),
                        };
                        changed |= !holds && held[number][target].remove(mutex);
                    }
                }
            }
        }
    }
    held
}

/// An access of a thread to a variable.
struct Access {
    thread: usize,
    variable: Variable,
    writes: bool,
    held: BTreeSet<Variable>,
}

/// A place as far as others are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// They must be let in.
    Open,
    /// They need not be let in, and if the thread never goes on from there it could as well have stayed where its block begins.
    Passable,
    /// They are not let in until the thread has come to the end of its step.
    Committed,
}

/// The places that may be passed: of each thread, those that are interior or in the middle of a step.
pub fn passages(system: &System, terms: &Terms) -> Vec<Vec<Passage>> {
    let layout = &system.code.layout;
    let range = |content: Content| {
        let ranges = layout.arrays.iter().filter(move |range| range.content == content);
        ranges.flat_map(|range| range.start..range.start + range.length).collect::<BTreeSet<u32>>()
    };
    let mutex_cells = range(Content::Mutexes);
    let variables_at = |wanted: &dyn Fn(u32) -> bool| -> BTreeSet<Variable> {
        let is_wanted = |place: Place| matches!(place, Place::Cell(cell) if wanted(cell));
        system.variables.iter().filter(|v| is_wanted(v.place)).map(|v| v.variable).collect()
    };
    let mutexes = variables_at(&|cell| mutex_cells.contains(&cell));
    let held = held(system, terms, &mutexes);
    let mut accesses = Vec::new();
    let mut tried = BTreeSet::new();
    for (number, thread) in system.threads.iter().enumerate() {
        for (place, location) in thread.locations.iter().enumerate() {
            for transition in &location.transitions {
                tried.extend(transition.tries.iter().copied());
                if thread.role == Role::Finally {
                    continue;
                }
                for variable in touched(terms, transition) {
                    let writes = transition.updates.contains_key(&variable);
                    accesses.push(Access {
                        thread: number,
                        variable,
                        writes,
                        held: held[number][place].clone(),
                    });
                }
            }
        }
    }
    let moves_right = |number: usize, transition: &Transition| {
        let wake_up = variables_at(&|cell| cell == layout.waiting + number as u32);
        let plain = !transition.synchronises && transition.releases.is_empty() && transition.tries.is_empty();
        plain
            && touched(terms, transition).into_iter().all(|variable| {
                let writes = transition.updates.contains_key(&variable);
                let of_it = || accesses.iter().filter(|access| access.variable == variable);
                let common = of_it().map(|access| access.held.clone()).reduce(|a, b| &a & &b);
                let is_locked = common.is_some_and(|locks| !locks.is_empty());
                let conflicts = of_it().any(|access| access.thread != number && (writes || access.writes));
                match transition.acquires.contains(&variable) {
                    true => !tried.contains(&variable),
                    false => is_locked || !conflicts || (wake_up.contains(&variable) && !writes),
                }
            })
    };
    (0..system.threads.len()).map(|number| passable(system, number, &moves_right)).collect()
}

fn touched(terms: &Terms, transition: &Transition) -> BTreeSet<Variable> {
    let read = terms.variables_of(transition.updates.values().copied().chain([transition.guard]));
    let input = transition.input.as_ref().map(|(input, _)| *input);
    read.into_iter().chain(transition.updates.keys().copied()).filter(|&v| Some(v) != input).collect()
}

fn passable(
    system: &System,
    number: usize,
    moves_right: &dyn Fn(usize, &Transition) -> bool,
) -> Vec<Passage> {
    let thread = &system.threads[number];
    let is_internal = |place: usize| thread.locations[place].kind == LocationKind::Internal;
    // Places that some way leads to with a step that does not move right, or with the beginning of the thread.
    let mut ends = BTreeSet::from([thread.entry]);
    loop {
        let before = ends.len();
        for (place, location) in thread.locations.iter().enumerate() {
            for transition in &location.transitions {
                let Target::Location(target) = transition.target else { continue };
                let moves = moves_right(number, transition) && !(is_internal(place) && ends.contains(&place));
                if !moves {
                    ends.insert(target);
                }
            }
        }
        if ends.len() == before {
            break;
        }
    }
    let waits =
        |place: usize| thread.locations[place].transitions.iter().any(|t| t.target == Target::Blocked);
    let passage = |place: usize| match thread.locations[place].kind {
        LocationKind::Internal if ends.contains(&place) => Passage::Committed,
        LocationKind::Internal => Passage::Passable,
        LocationKind::Visible if thread.role != Role::Finally && !ends.contains(&place) && !waits(place) => {
            Passage::Passable
        }
        _ => Passage::Open,
    };
    (0..thread.locations.len()).map(passage).collect()
}
