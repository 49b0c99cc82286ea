//! Places where nobody else needs to be let in: Lipton's reduction.
//!
//! A step is a *right mover* if it can be exchanged with a step of another thread that comes right after it. Then it can be
//! delayed until the next step of its own thread, and a thread that has made right movers only can be taken to have made
//! none yet. So a place that is reached by right movers only, and at which the thread does not have to wait, is *interior*:
//! it is enough to let the thread go on there [Lipton1975, movers]. An error elsewhere is not missed, because the steps of a thread
//! that has not come to the end of its block can be left out; a deadlock is not, because nobody waits at an interior place.
//!
//! Right movers are: taking a mutex that nobody tries to take without waiting; going on after a wake-up; and all accesses to
//! variables that no other thread accesses, that nobody else writes and this step only reads, or that are always accessed
//! with one and the same mutex held.

use crate::system::{LocationKind, Place, System, Target, Transition};
use selvedge_interp::Content;
use selvedge_interp::code::Role;
use selvedge_smt::{Node, Patience, Stopped, Term, Terms, Variable};
use std::collections::{BTreeMap, BTreeSet};

/// Sets of mutexes.
type Locks = BTreeSet<Variable>;

/// What is known of the places of all threads.
#[derive(Debug)]
pub struct Movers {
    /// The mutexes.
    pub mutexes: Vec<Variable>,
    /// The mutexes that a thread holds for certain, by thread and place; nothing where it cannot get to.
    pub must_hold: Vec<Vec<Option<Locks>>>,
    /// The mutexes that it may hold.
    pub may_hold: Vec<Vec<Locks>>,
    /// The variable that says what each thread waits for.
    pub waiting: Vec<Variable>,
    /// Whether a thread may not have been woken yet.
    pub may_wait: Vec<Vec<bool>>,
    /// Whether nobody else needs to be let in.
    pub interior: Vec<Vec<bool>>,
    /// Whether a thread is in the middle of a step that is not all right movers, or of its beginning: it must come to the end of that
    /// step, because what it has done so far cannot be left out.
    pub committed: Vec<Vec<bool>>,
    /// The places that were interior and have been opened.
    opened: Vec<(usize, usize)>,
}

/// Whether interior places are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// Steps up to an interior place are merged into one transition.
    Merged,
    /// All steps may be interleaved.
    Apart,
}

impl Movers {
    /// Looks at all threads.
    ///
    /// # Errors
    /// When it takes too long.
    pub fn new(
        system: &System,
        terms: &Terms,
        blocks: Blocks,
        patience: &Patience,
    ) -> Result<Movers, Stopped> {
        let layout = &system.code.layout;
        let is_mutex = |cell: u32| {
            layout.arrays.iter().any(|range| {
                range.content == Content::Mutexes && (range.start..range.start + range.length).contains(&cell)
            })
        };
        let cell_of = |place: Place| if let Place::Cell(cell) = place { Some(cell) } else { None };
        let with_cell = |cell: u32| system.variables.iter().find(|v| v.place == Place::Cell(cell));
        let mutexes: Vec<Variable> = system
            .variables
            .iter()
            .filter(|variable| cell_of(variable.place).is_some_and(is_mutex))
            .map(|variable| variable.variable)
            .collect();
        let waiting = (0..system.threads.len() as u32)
            .filter_map(|thread| with_cell(layout.waiting + thread).map(|v| v.variable))
            .collect();
        let mut movers = Movers {
            mutexes,
            must_hold: Vec::new(),
            may_hold: Vec::new(),
            waiting,
            may_wait: Vec::new(),
            interior: Vec::new(),
            committed: Vec::new(),
            opened: Vec::new(),
        };
        for thread in 0..system.threads.len() {
            movers.holdings(system, terms, thread, patience)?;
        }
        movers.interiors(system, terms, blocks, patience)?;
        Ok(movers)
    }

    /// The mutexes of a thread after a transition.
    fn after(&self, terms: &Terms, thread: usize, before: &Locks, transition: &Transition) -> Locks {
        let mut held = before.clone();
        for mutex in &self.mutexes {
            match transition.updates.get(mutex).map(|&value| terms.as_int(value)) {
                None => {}
                Some(Some(holder)) if holder == thread as i128 + 1 => {
                    held.insert(*mutex);
                }
                Some(_) => {
                    held.remove(mutex);
                }
            }
        }
        held
    }

    /// Whether a thread may not have been woken after one of its own transitions.
    fn waits_after(&self, terms: &Terms, thread: usize, before: bool, transition: &Transition) -> bool {
        let own = self.waiting[thread];
        let is_zero = |&part: &Term| match terms.node(part) {
            Node::Eq(left, 0) => matches!(terms.node(*left), Node::Var(variable) if *variable == own),
            _ => false,
        };
        match transition.updates.get(&own) {
            Some(&value) => match terms.as_int(value) {
                Some(awaited) => awaited != 0,
                None => before,
            },
            None => before && !terms.conjuncts(transition.guard).iter().any(is_zero),
        }
    }

    fn holdings(
        &mut self,
        system: &System,
        terms: &Terms,
        thread: usize,
        patience: &Patience,
    ) -> Result<(), Stopped> {
        let ours = &system.threads[thread];
        let mut must: Vec<Option<Locks>> = vec![None; ours.locations.len()];
        let mut may: Vec<Locks> = vec![Locks::new(); ours.locations.len()];
        let mut may_wait = vec![false; ours.locations.len()];
        must[ours.entry] = Some(Locks::new());
        must[System::NOT_STARTED] = Some(Locks::new());
        let mut todo = vec![ours.entry];
        while let Some(place) = todo.pop() {
            patience.watch()?;
            let Some(held) = must[place].clone() else { continue };
            for transition in &ours.locations[place].transitions {
                let Target::Location(target) = transition.target else { continue };
                let holds = self.after(terms, thread, &held, transition);
                let may_hold = self.after(terms, thread, &may[place], transition);
                let waits = self.waits_after(terms, thread, may_wait[place], transition);
                let new = match &must[target] {
                    None => holds,
                    Some(known) => known.intersection(&holds).copied().collect(),
                };
                let joined: Locks = may[target].union(&may_hold).copied().collect();
                let changes = must[target].as_ref() != Some(&new)
                    || joined != may[target]
                    || (waits && !may_wait[target]);
                must[target] = Some(new);
                may[target] = joined;
                may_wait[target] |= waits;
                if changes {
                    todo.push(target);
                }
            }
        }
        self.must_hold.push(must);
        self.may_hold.push(may);
        self.may_wait.push(may_wait);
        Ok(())
    }

    fn interiors(
        &mut self,
        system: &System,
        terms: &Terms,
        blocks: Blocks,
        patience: &Patience,
    ) -> Result<(), Stopped> {
        let accesses = Accesses::new(system, terms, self, patience)?;
        let (mut interior, mut committed) = (Vec::new(), Vec::new());
        for (thread, ours) in system.threads.iter().enumerate() {
            let is_internal = |place: usize| ours.locations[place].kind == LocationKind::Internal;
            // Whether all of the step that is under way at an internal place, or all steps to a place, are right movers.
            let mut moves = vec![true; ours.locations.len()];
            moves[ours.entry] = false;
            let mut changes = true;
            while changes {
                changes = false;
                for (place, location) in ours.locations.iter().enumerate() {
                    patience.watch()?;
                    for transition in &location.transitions {
                        let Target::Location(target) = transition.target else { continue };
                        let is_right = accesses.is_right_mover(self, thread, transition)
                            && (!is_internal(place) || moves[place]);
                        if !is_right && moves[target] {
                            moves[target] = false;
                            changes = true;
                        }
                    }
                }
            }
            let may_block =
                |place: usize| ours.locations[place].transitions.iter().any(|t| t.target == Target::Blocked);
            let is_interior = |place: usize| match ours.locations[place].kind {
                LocationKind::Internal => true,
                LocationKind::Visible => {
                    blocks == Blocks::Merged
                        && ours.role != Role::Finally
                        && moves[place]
                        && !may_block(place)
                }
                LocationKind::NotStarted | LocationKind::Ended | LocationKind::Dropped => false,
            };
            interior.push((0..ours.locations.len()).map(is_interior).collect());
            committed
                .push((0..ours.locations.len()).map(|place| is_internal(place) && !moves[place]).collect());
        }
        (self.interior, self.committed) = (interior, committed);
        Ok(())
    }

    /// Lets others in at an interior place from now on, if that is possible: in the shared part of a step it is not.
    pub fn open(&mut self, system: &System, thread: usize, place: usize) -> bool {
        let is_possible = self.interior[thread][place] && system.threads[thread].locations[place].may_open;
        if is_possible {
            self.interior[thread][place] = false;
            self.opened.push((thread, place));
        }
        is_possible
    }

    /// The places that have been opened, by thread and place.
    pub fn opened(&self) -> &[(usize, usize)] {
        &self.opened
    }

    /// Makes all places interior again that have been opened; whether there are any.
    pub fn close_all(&mut self) -> bool {
        let opened = std::mem::take(&mut self.opened);
        opened.iter().for_each(|&(thread, place)| self.interior[thread][place] = true);
        !opened.is_empty()
    }

    /// The thread that goes on before all others, if there is one.
    pub fn must_go_on(&self, places: &[u32]) -> Option<usize> {
        (0..places.len()).find(|&thread| self.interior[thread][places[thread] as usize])
    }
}

/// Who accesses what.
struct Accesses {
    /// By variable: the threads that read and write it, and the mutexes that are held at every access.
    of: BTreeMap<Variable, Sharing>,
    tried: BTreeSet<Variable>,
    reads: BTreeMap<*const Transition, BTreeSet<Variable>>,
}

#[derive(Default)]
struct Sharing {
    readers: BTreeSet<usize>,
    writers: BTreeSet<usize>,
    locks: Option<Locks>,
}

impl Accesses {
    fn new(
        system: &System,
        terms: &Terms,
        movers: &Movers,
        patience: &Patience,
    ) -> Result<Accesses, Stopped> {
        let mut accesses = Accesses { of: BTreeMap::new(), tried: BTreeSet::new(), reads: BTreeMap::new() };
        for (thread, ours) in system.threads.iter().enumerate() {
            for (place, location) in ours.locations.iter().enumerate() {
                patience.watch()?;
                for transition in &location.transitions {
                    let reads = reads(terms, transition);
                    accesses.tried.extend(&transition.tries);
                    if ours.role != Role::Finally
                        && let Some(held) = &movers.must_hold[thread][place]
                    {
                        for variable in reads.iter().chain(transition.updates.keys()) {
                            let sharing = accesses.of.entry(*variable).or_default();
                            sharing.locks = Some(match &sharing.locks {
                                None => held.clone(),
                                Some(locks) => locks.intersection(held).copied().collect(),
                            });
                            sharing.readers.insert(thread);
                        }
                        for variable in transition.updates.keys() {
                            accesses.of.entry(*variable).or_default().writers.insert(thread);
                        }
                    }
                    accesses.reads.insert(std::ptr::from_ref(transition), reads);
                }
            }
        }
        Ok(accesses)
    }

    fn is_right_mover(&self, movers: &Movers, thread: usize, transition: &Transition) -> bool {
        if transition.synchronises || !transition.releases.is_empty() || !transition.tries.is_empty() {
            return false;
        }
        let own_wake_up = movers.waiting[thread];
        let commutes = |variable: &Variable| {
            let writes = transition.updates.contains_key(variable);
            if transition.acquires.contains(variable) {
                return !self.tried.contains(variable);
            }
            if *variable == own_wake_up && !writes {
                return true;
            }
            let Some(sharing) = self.of.get(variable) else { return true };
            let is_other = |&other: &usize| other != thread;
            let is_locked = sharing.locks.as_ref().is_some_and(|locks| !locks.is_empty());
            let others_write = sharing.writers.iter().any(is_other);
            let others_access = sharing.readers.iter().any(is_other);
            is_locked || !others_access || (!writes && !others_write)
        };
        self.reads[&std::ptr::from_ref(transition)].iter().chain(transition.updates.keys()).all(commutes)
    }
}

/// The variables that decide whether a transition is taken and what it does.
pub fn reads(terms: &Terms, transition: &Transition) -> BTreeSet<Variable> {
    let of = transition.updates.values().copied().chain([transition.guard]);
    let mut reads: BTreeSet<Variable> = terms.variables_of(of).into_iter().collect();
    if let Some((input, _)) = transition.input {
        reads.remove(&input);
    }
    reads
}
