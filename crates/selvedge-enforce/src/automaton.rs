//! Sections as an automaton: where in a schedule an execution may be, and how it goes on from there.
//!
//! An execution is between sections or in one. Local code of the program is an event of the schedule, too, where it is a place of the
//! tree, but none that can be seen from outside; so it may be uncertain how far a thread has come in its local code, and an
//! execution is at one of several [`Position`]s.
//!
//! All orders of a section that its partial order allows lead to the same state if the events that it leaves unordered are independent.
//! The automaton finds out whether they are, and then follows one order only. That is enough as long as all goes as the schedule
//! foresees: an event that is independent of another takes its transition before it or after it. It need not be
//! enough to find *all* that goes wrong under a wrong schedule.

use crate::walk::{State, Walk, Way};
use selvedge_schedule::{Event, Schedule, Section};
use selvedge_smt::Variable;
use selvedge_symbolic::movers::reads;
use selvedge_symbolic::{LocationKind, Transition};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Positions after which local code is not followed any further.
const MOST_POSITIONS: usize = 1000;

/// Which orders of the events of a section are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Orders {
    /// One for each section in which all others have the same effect.
    Different,
    /// All.
    All,
}

/// Where an execution is in the schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// Between sections.
    Node(usize),
    /// In a section.
    Section {
        /// Its number.
        number: usize,
        /// Which of its events have happened.
        done: Vec<bool>,
    },
}

/// Where an execution may be, with the state of the program there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// In the schedule.
    pub at: At,
    /// In the program.
    pub state: Rc<State>,
}

/// An event that may come next.
#[derive(Clone, Copy, Debug)]
struct Next<'s> {
    section: usize,
    number: usize,
    event: &'s Event,
}

/// What a schedule says of a step.
#[derive(Clone, Debug)]
pub enum Step {
    /// It is not permitted.
    Forbidden,
    /// It is, and then the execution is at one of these positions.
    Permitted(Vec<Position>),
    /// Its thread may go on, but not in this way: the schedule takes it to be impossible.
    Unforeseen,
}

/// A schedule for a program.
#[derive(Debug)]
pub struct Automaton {
    /// The program.
    pub walk: Walk,
    /// The schedule.
    pub schedule: Schedule,
    /// For each section whether one order of its events is enough.
    one_order: Vec<bool>,
    /// Whether there were too many positions at some time, so that some were left out.
    pub is_overrun: Cell<bool>,
}

impl Automaton {
    /// A program and a schedule for it.
    pub fn new(walk: Walk, schedule: Schedule, orders: Orders) -> Automaton {
        let is_enough = |section: &Section| orders == Orders::Different && is_ordered(&walk, section);
        let one_order = schedule.sections.iter().map(is_enough).collect();
        Automaton { walk, schedule, one_order, is_overrun: Cell::new(false) }
    }

    /// The positions at the beginning.
    pub fn start(&self) -> Vec<Position> {
        self.with_local_code(vec![Position { at: At::Node(0), state: Rc::new(self.walk.start()) }])
    }

    /// The positions after a step of a thread.
    pub fn step(&self, positions: &[Position], thread: usize, choice: u32) -> Step {
        let mut after = Vec::new();
        let mut may_go_on = false;
        for position in positions {
            if self.walk.kind(&position.state, thread) != LocationKind::Visible {
                continue;
            }
            let mut way = None;
            for next in self.next(position).into_iter().filter(|next| next.is_at(position, thread)) {
                may_go_on = true;
                way = way.or_else(|| self.walk.way(&position.state, thread, choice));
                after.extend(way.and_then(|way| self.taken(position, next, way)));
            }
        }
        match (may_go_on, after.is_empty()) {
            (false, _) => Step::Forbidden,
            (true, true) => Step::Unforeseen,
            (true, false) => Step::Permitted(self.with_local_code(after)),
        }
    }

    /// The same positions and those that local code leads to.
    fn with_local_code(&self, mut positions: Vec<Position>) -> Vec<Position> {
        let mut looked_at = 0;
        while looked_at < positions.len() && positions.len() < MOST_POSITIONS {
            let position = positions[looked_at].clone();
            looked_at += 1;
            for next in self.next(&position) {
                let thread = next.event.thread;
                if !next.is_at(&position, thread)
                    || self.walk.kind(&position.state, thread) != LocationKind::Internal
                {
                    continue;
                }
                let way = self.walk.way(&position.state, thread, 0);
                let after = way.and_then(|way| self.taken(&position, next, way));
                if let Some(after) = after.filter(|after| !positions.contains(after)) {
                    positions.push(after);
                }
            }
        }
        self.is_overrun.set(self.is_overrun.get() || looked_at < positions.len());
        positions
    }

    /// The position after an event, if this way is the event.
    fn taken(&self, position: &Position, next: Next, way: Way) -> Option<Position> {
        if way.transition != next.event.transition {
            return None;
        }
        let state = self.walk.after(&position.state, next.event.thread, way)?;
        let section = &self.schedule.sections[next.section];
        let mut done = match &position.at {
            At::Node(_) => vec![false; section.events.len()],
            At::Section { done, .. } => done.clone(),
        };
        done[next.number] = true;
        let at = match done.iter().all(|&done| done) {
            true => At::Node(section.to),
            false => At::Section { number: next.section, done },
        };
        Some(Position { at, state: Rc::new(state) })
    }

    /// The events that may come next.
    fn next(&self, position: &Position) -> Vec<Next<'_>> {
        let sections = &self.schedule.sections;
        let event = |section: usize, number: usize| {
            let event = sections[section].events.get(number)?;
            Some(Next { section, number, event })
        };
        match &position.at {
            At::Node(node) => (0..sections.len())
                .filter(|&section| sections[section].from == *node)
                .filter_map(|section| event(section, 0))
                .collect(),
            At::Section { number, done } => {
                let section = &sections[*number];
                let mut ready = (0..done.len()).filter(|&e| !done[e] && is_ready(section, done, e));
                match self.one_order[*number] {
                    true => ready.next().and_then(|e| event(*number, e)).into_iter().collect(),
                    false => ready.filter_map(|e| event(*number, e)).collect(),
                }
            }
        }
    }
}

impl Next<'_> {
    /// Whether it is an event of this thread, where it stands.
    fn is_at(&self, position: &Position, thread: usize) -> bool {
        self.event.thread == thread && self.event.place == position.state.places[thread]
    }
}

/// Whether everything that comes before an event has happened.
fn is_ready(section: &Section, done: &[bool], event: usize) -> bool {
    let thread = section.events[event].thread;
    let follows = (0..event).filter(|&before| section.events[before].thread == thread);
    follows.chain(section.order.iter().filter(|pair| pair.1 == event).map(|pair| pair.0)).all(|e| done[e])
}

/// Whether any two events of a section that depend on each other are ordered.
fn is_ordered(walk: &Walk, section: &Section) -> bool {
    let count = section.events.len();
    let is_before = |a: usize, b: usize| {
        section.events[a].thread == section.events[b].thread || section.order.contains(&(a, b))
    };
    // What comes before each event, directly or not.
    let mut past: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
    for b in 0..count {
        for a in (0..b).rev() {
            if is_before(a, b) && past[b].insert(a) {
                let earlier = past[a].clone();
                past[b].extend(earlier);
            }
        }
    }
    (0..count).all(|b| {
        (0..b).all(|a| {
            past[b].contains(&a) || a == 0 || are_independent(walk, &section.events[a], &section.events[b])
        })
    })
}

fn are_independent(walk: &Walk, a: &Event, b: &Event) -> bool {
    let (Some(one), Some(other)) = (transition(walk, a), transition(walk, b)) else { return false };
    let writes = |t: &Transition| -> BTreeSet<Variable> { t.updates.keys().copied().collect() };
    let (reads_one, reads_other) = (reads(&walk.terms, one), reads(&walk.terms, other));
    let is_plain = |t: &Transition| t.conditions.is_empty() && t.spawns.is_empty();
    is_plain(one)
        && is_plain(other)
        && writes(one).is_disjoint(&writes(other))
        && writes(one).is_disjoint(&reads_other)
        && reads_one.is_disjoint(&writes(other))
}

fn transition<'w>(walk: &'w Walk, event: &Event) -> Option<&'w Transition> {
    let location = walk.system.threads.get(event.thread)?.locations.get(event.place as usize)?;
    location.transitions.get(event.transition)
}
