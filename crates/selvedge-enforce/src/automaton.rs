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

use crate::fit::{Formulas, Unfit};
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
    /// All orders of all sections.
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
    /// The conditions of the sections and the claims of the nodes.
    formulas: Formulas,
    /// For each section whether one order of its events is enough.
    one_order: Vec<bool>,
    /// For each section whether it permits one order of its events only.
    is_total: Vec<bool>,
    /// Whether there were too many positions at some time, so that some were left out.
    pub is_overrun: Cell<bool>,
    /// The first node that was met of which the schedule claims what does not hold.
    pub false_claim: Cell<Option<usize>>,
}

impl Automaton {
    /// A program and a schedule for it.
    ///
    /// # Errors
    /// When the schedule speaks of what the program does not have.
    pub fn new(mut walk: Walk, schedule: Schedule, orders: Orders) -> Result<Automaton, Unfit> {
        let formulas = Formulas::new(&mut walk, &schedule)?;
        let is_enough = |section: &Section| orders == Orders::Different && is_ordered(&walk, section);
        let one_order = schedule.sections.iter().map(is_enough).collect();
        let is_total = schedule.sections.iter().map(is_totally_ordered).collect();
        let (is_overrun, false_claim) = (Cell::new(false), Cell::new(None));
        Ok(Automaton { walk, schedule, formulas, one_order, is_total, is_overrun, false_claim })
    }

    /// Whether the execution may be in the midst of events that happen in other orders, too, which are not followed.
    pub fn leaves_out_orders(&self, positions: &[Position]) -> bool {
        positions.iter().any(|position| match position.at {
            At::Node(_) => false,
            At::Section { number, .. } => self.one_order[number] && !self.is_total[number],
        })
    }

    /// The positions at the beginning.
    pub fn start(&self) -> Vec<Position> {
        let first = Position { at: At::Node(0), state: Rc::new(self.walk.start()) };
        self.watch_claims(&first);
        self.with_local_code(vec![first])
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
        let is_first = matches!(position.at, At::Node(_));
        let condition = self.formulas.conditions[next.section];
        if is_first && !self.walk.holds(&position.state, condition, Some(way)) {
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
        let position = Position { at, state: Rc::new(state) };
        self.watch_claims(&position);
        Some(position)
    }

    /// Notes if the execution is at a node of which the schedule claims what does not hold.
    fn watch_claims(&self, position: &Position) {
        let At::Node(node) = position.at else { return };
        let holds = self.schedule.nodes[node].places == position.state.places
            && self.formulas.claims[node].iter().all(|&claim| self.walk.holds(&position.state, claim, None));
        if !holds && self.false_claim.get().is_none() {
            self.false_claim.set(Some(node));
        }
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

/// What comes before each event of a section, directly or not. The first event comes before all others.
pub(crate) fn past(section: &Section) -> Vec<BTreeSet<usize>> {
    let count = section.events.len();
    let is_before = |a: usize, b: usize| {
        a == 0 || section.events[a].thread == section.events[b].thread || section.order.contains(&(a, b))
    };
    let mut past: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
    for b in 0..count {
        for a in (0..b).rev() {
            if is_before(a, b) && past[b].insert(a) {
                let earlier = past[a].clone();
                past[b].extend(earlier);
            }
        }
    }
    past
}

/// Whether a section permits one order of its events only.
fn is_totally_ordered(section: &Section) -> bool {
    past(section).iter().enumerate().all(|(event, past)| past.len() == event)
}

/// Whether any two events of a section that depend on each other are ordered.
pub(crate) fn is_ordered(walk: &Walk, section: &Section) -> bool {
    let past = past(section);
    let events = &section.events;
    let is_right = |a: usize, b: usize| past[b].contains(&a) || are_independent(walk, &events[a], &events[b]);
    (0..events.len()).all(|b| (0..b).all(|a| is_right(a, b)))
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
