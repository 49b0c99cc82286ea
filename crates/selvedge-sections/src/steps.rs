//! The steps of a program as a compiled program can see them: which of them begin at an instruction, and what they access.
//!
//! A step that accesses nothing that other threads use is local code to a compiled program: it has no instruction here, whatever it was
//! made of. So is code in loops that the verified program has places in.

use crate::table::{Arrival, SiteId};
use selvedge_interp::code::Op;
use selvedge_smt::{Patience, Terms, Variable};
use selvedge_symbolic::movers::reads;
use selvedge_symbolic::{BuildError, LocationKind, Place, System, Transition};
use selvedge_trace::ThreadId;
use std::collections::{BTreeMap, BTreeSet};

/// What an event accesses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    /// What it reads.
    pub reads: BTreeSet<Variable>,
    /// What it writes.
    pub writes: BTreeSet<Variable>,
    /// Whether it starts or awaits threads, and so depends on every other event.
    pub is_fence: bool,
}

impl Accesses {
    /// Whether the order of two events of different threads makes a difference.
    pub fn depend(&self, other: &Accesses) -> bool {
        let has_effect = |of: &Accesses| of.is_fence || !of.reads.is_empty() || !of.writes.is_empty();
        self.is_fence && has_effect(other)
            || other.is_fence && has_effect(self)
            || !self.writes.is_disjoint(&other.writes)
            || !self.writes.is_disjoint(&other.reads)
            || !self.reads.is_disjoint(&other.writes)
    }

    /// Adds what another event accesses.
    pub fn add(&mut self, other: &Accesses) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.is_fence |= other.is_fence;
    }
}

/// What becomes of operations on mutexes, condition variables and barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Synchronisation {
    /// They are performed.
    Kept,
    /// They are left out where they decide nothing. Their effects are on variables that nothing else reads; a thread never waits in
    /// them under a schedule whose events are all enabled when they come, and what they order otherwise is ordered by what the data needs.
    LeftOut,
}

/// What a place in the compact code comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Named {
    /// The instruction, as whoever names instructions numbers them.
    pub instruction: u32,
    /// Which of its occurrences in the code: it may be in line in several places.
    pub occurrence: u32,
}

/// A part of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    /// The instruction.
    pub instruction: u32,
    /// Which of its steps.
    pub part: u32,
}

/// A program as a compiled program can see it.
#[derive(Debug)]
pub struct Steps {
    /// The program.
    pub system: System,
    /// Its terms.
    pub terms: Terms,
    /// What the numbers of sites stand for.
    pub sites: Vec<Part>,
    /// For each thread and place the site that the step there begins at.
    at: Vec<Vec<Option<SiteId>>>,
    /// For each thread and place what the step there accesses.
    accesses: Vec<Vec<Accesses>>,
    /// What became of operations on mutexes, condition variables and barriers.
    pub synchronisation: Synchronisation,
}

impl Steps {
    /// The steps of a well-formed program; `named` names instructions by their places in the compact code.
    ///
    /// # Errors
    /// When the program has something that cannot be translated.
    pub fn new(
        program: &selvedge_ir::Program,
        named: &dyn Fn(u32) -> Option<Named>,
        synchronisation: Synchronisation,
    ) -> Result<Steps, BuildError> {
        let mut terms = Terms::new();
        let system = System::new(program, &mut terms, &Patience::default())?;
        let decides = system.code.ops.iter().any(|op| matches!(op, Op::TryLock { .. }));
        let synchronisation = if decides { Synchronisation::Kept } else { synchronisation };
        let (sites, at, accesses) = (Vec::new(), Vec::new(), Vec::new());
        let mut steps = Steps { system, terms, sites, at, accesses, synchronisation: Synchronisation::Kept };
        steps.accesses = steps.all_accesses();
        let parts = parts(&steps.system, named);
        let mut numbers = BTreeMap::new();
        for (thread, of) in steps.system.threads.iter().enumerate() {
            let mut at = Vec::new();
            for (place, location) in of.locations.iter().enumerate() {
                let is_seen =
                    location.kind == LocationKind::Visible && steps.has_effect(ThreadId::at(thread), place);
                let part = parts.get(&location.pc).filter(|_| is_seen);
                at.push(part.map(|&part| {
                    let next = numbers.len() as u32;
                    *numbers.entry(part).or_insert(SiteId(next))
                }));
            }
            steps.at.push(at);
        }
        steps.synchronisation = synchronisation;
        steps.accesses = steps.all_accesses();
        let mut sites: Vec<(SiteId, Part)> = numbers.into_iter().map(|(part, site)| (site, part)).collect();
        sites.sort();
        steps.sites = sites.into_iter().map(|(_, part)| part).collect();
        Ok(steps)
    }

    /// The site that the step of a thread at a place begins at; nothing for local code.
    pub fn site(&self, thread: ThreadId, place: u32) -> Option<SiteId> {
        self.at[thread.index()][place as usize]
    }

    /// The places in the compact code at which a thread's steps begin at a site.
    pub fn code_of(&self, thread: ThreadId, site: SiteId) -> impl Iterator<Item = u32> {
        let locations = &self.system.threads[thread.index()].locations;
        let at = self.at[thread.index()].iter().zip(locations);
        at.filter(move |(at, _)| **at == Some(site)).map(|(_, location)| location.pc)
    }

    /// What the step of a thread at a place accesses.
    pub fn accesses(&self, thread: ThreadId, place: u32) -> &Accesses {
        &self.accesses[thread.index()][place as usize]
    }

    /// Treats sites as local code.
    pub fn forget(&mut self, sites: &BTreeSet<SiteId>) {
        for at in self.at.iter_mut().flatten() {
            *at = at.filter(|site| !sites.contains(site));
        }
    }

    /// For each thread and place the site that the step there begins at.
    pub(crate) fn sites_of_places(&self) -> Vec<Vec<Option<SiteId>>> {
        self.at.clone()
    }

    /// Gives places the sites that they had.
    pub(crate) fn restore(&mut self, at: Vec<Vec<Option<SiteId>>>) {
        self.at = at;
    }

    fn has_effect(&self, thread: ThreadId, place: usize) -> bool {
        let Accesses { reads, writes, is_fence } = &self.accesses[thread.index()][place];
        *is_fence || !reads.is_empty() || !writes.is_empty()
    }

    /// What other threads may use of what a transition accesses.
    fn of_transition(&self, transition: &Transition) -> Accesses {
        let is_shared = |variable: &Variable| {
            let number = self.system.numbers.get(variable);
            match number.map(|&number| self.system.variables[number].place) {
                Some(Place::Cell(cell)) => {
                    self.synchronisation == Synchronisation::Kept
                        || cell < self.system.code.layout.value_cells
                }
                Some(Place::Array(_)) => true,
                Some(Place::Slot { .. }) | None => false,
            }
        };
        Accesses {
            reads: reads(&self.terms, transition).into_iter().filter(is_shared).collect(),
            writes: transition.updates.keys().copied().filter(is_shared).collect(),
            is_fence: !transition.conditions.is_empty() || !transition.spawns.is_empty(),
        }
    }

    /// Of all ways of a step; a loop in an atomic section is part of the step that it is in.
    fn all_accesses(&self) -> Vec<Vec<Accesses>> {
        let mut all = Vec::new();
        for thread in &self.system.threads {
            let mut of_thread = Vec::new();
            for place in 0..thread.locations.len() {
                let (mut accesses, mut todo) = (Accesses::default(), vec![place]);
                let mut seen = BTreeSet::from([place]);
                while let Some(place) = todo.pop() {
                    for transition in &thread.locations[place].transitions {
                        accesses.add(&self.of_transition(transition));
                        let inside = |&next: &usize| thread.locations[next].kind == LocationKind::Internal;
                        todo.extend(transition.place().filter(inside).filter(|&next| seen.insert(next)));
                    }
                }
                of_thread.push(accesses);
            }
            all.push(of_thread);
        }
        all
    }

    /// Where a thread may arrive next from a place on: all that its code allows. Nothing if it may go nowhere.
    pub fn arrivals(&self, thread: ThreadId, place: u32) -> Option<BTreeSet<Arrival>> {
        let locations = &self.system.threads[thread.index()].locations;
        let (mut found, mut todo) = (BTreeSet::new(), vec![place as usize]);
        let mut seen = BTreeSet::new();
        while let Some(place) = todo.pop() {
            match (place, self.at[thread.index()][place]) {
                (System::ENDED, _) => {
                    found.insert(Arrival::End);
                }
                (System::NOT_STARTED | System::DROPPED, _) => return None,
                (_, Some(site)) => {
                    found.insert(Arrival::At(site));
                }
                (_, None) => {
                    let next = locations[place].transitions.iter().filter_map(Transition::place);
                    todo.extend(next.filter(|&next| seen.insert(next)));
                }
            }
        }
        Some(found)
    }
}

/// The parts of instructions, by the places in the compact code at which visible steps begin. An instruction's code lies together, so steps between which
/// nothing of another instruction lies are parts of one.
fn parts(system: &System, named: &dyn Fn(u32) -> Option<Named>) -> BTreeMap<u32, Part> {
    let mut parts = BTreeMap::new();
    let (mut before, mut part) = (None, 0);
    for (pc, op) in system.code.ops.iter().enumerate() {
        let here = named(pc as u32);
        if here != before {
            part = 0;
        }
        before = here;
        if let (Op::Visible(_), Some(named)) = (op, here) {
            parts.insert(pc as u32, Part { instruction: named.instruction, part });
            part += 1;
        }
    }
    parts
}
