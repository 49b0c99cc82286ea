//! Transition systems: variables, and for each thread its locations and transitions.

use selvedge_interp::FailureKind;
use selvedge_interp::code::{Code, Role};
use selvedge_ir::Span;
use selvedge_smt::{Stopped, Term, Terms, Variable};
use std::collections::BTreeMap;

/// Something that cannot be translated, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Unsupported {
    /// What it is.
    pub what: String,
    /// The statement.
    pub span: Span,
}

/// Why there is no transition system.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// The program has something that is not supported.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The translation was given up.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// A program as a transition system.
#[derive(Debug)]
pub struct System {
    /// The variables of the state.
    pub variables: Vec<StateVariable>,
    /// The threads, `finally` last.
    pub threads: Vec<ThreadSystem>,
    /// The names of the threads.
    pub names: Vec<String>,
    /// The compact code that was translated.
    pub code: Code,
    /// The number of each variable of the state.
    pub numbers: BTreeMap<Variable, usize>,
}

/// A variable of the state.
#[derive(Clone, Debug)]
pub struct StateVariable {
    /// In terms.
    pub variable: Variable,
    /// The name that people read.
    pub name: String,
    /// Its first value.
    pub initial: Term,
    /// What it stands for in the interpreter.
    pub place: Place,
}

/// What a variable stands for in the interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A cell of memory.
    Cell(u32),
    /// All cells of an array, by the number of its range.
    Array(u32),
    /// A slot of a thread, temporaries not counted.
    Slot {
        /// The thread.
        thread: u32,
        /// The slot.
        slot: u32,
    },
}

/// A thread: where it can stand and how it goes on.
#[derive(Debug)]
pub struct ThreadSystem {
    /// The locations; the first three are [`System::NOT_STARTED`], [`System::ENDED`] and [`System::DROPPED`].
    pub locations: Vec<Location>,
    /// Where it begins once it has been started.
    pub entry: usize,
    /// What starts it.
    pub role: Role,
}

/// A place where a thread can stand.
#[derive(Debug)]
pub struct Location {
    /// Which kind of place.
    pub kind: LocationKind,
    /// The statement that comes next.
    pub span: Span,
    /// The instruction that comes next.
    pub pc: u32,
    /// Whether the thread is not, or no longer, in the shared part of a step: others can be let in here.
    pub may_open: bool,
    /// The ways on. For every state exactly one is possible, or several that differ in what is chosen.
    pub transitions: Vec<Transition>,
}

/// A kind of place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LocationKind {
    /// Nobody has spawned the thread.
    NotStarted,
    /// The thread has ended.
    Ended,
    /// The thread found an assumption false.
    Dropped,
    /// Before a step of the interpreter.
    Visible,
    /// In the middle of a step of the interpreter: in a loop, or in local code before the first step. The thread goes on before
    /// anybody else does.
    Internal,
}

/// A way from one place to the next.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The condition on the state, and on the input if there is one.
    pub guard: Term,
    /// Conditions on where other threads stand.
    pub conditions: Vec<Condition>,
    /// New values, in terms of the state before.
    pub updates: BTreeMap<Variable, Term>,
    /// A value that is chosen freely within the guard, and the least value it can have.
    pub input: Option<(Variable, Term)>,
    /// The least value above those that the input can have.
    pub input_end: Option<Term>,
    /// The thread that a signal wakes.
    pub woken: Option<Woken>,
    /// Threads that begin.
    pub spawns: Vec<usize>,
    /// Mutexes that it takes, by their variables.
    pub acquires: Vec<Variable>,
    /// Mutexes that it frees.
    pub releases: Vec<Variable>,
    /// Mutexes that it tries to take.
    pub tries: Vec<Variable>,
    /// Whether it does what no other step can be exchanged with: starts or awaits threads, signals, arrives at a barrier.
    pub synchronises: bool,
    /// Where it leads.
    pub target: Target,
    /// Whether it closes a loop.
    pub jumps_back: bool,
    /// The statement.
    pub span: Span,
}

/// The choice of a signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Woken {
    /// The thread.
    pub thread: usize,
    /// What it waits for: the value of its cell.
    pub awaited: i64,
}

/// A condition on where a thread stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The thread has ended.
    Ended(usize),
    /// The thread has not ended.
    NotEnded(usize),
    /// No thread but this one is between its start and its end.
    AllEnded,
    /// Some thread is.
    NotAllEnded,
}

/// Where a transition leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// To a location.
    Location(usize),
    /// Into a violation.
    Failed(FailureKind, Span),
    /// Nowhere: the thread has to wait.
    Blocked,
    /// To a limit of the interpreter.
    Diverged,
}

impl Transition {
    /// The place that it leads to, if it leads to one.
    pub fn place(&self) -> Option<usize> {
        match self.target {
            Target::Location(place) => Some(place),
            _ => None,
        }
    }
}

impl System {
    /// The location of a thread that nobody has spawned.
    pub const NOT_STARTED: usize = 0;
    /// The location of a thread that has ended.
    pub const ENDED: usize = 1;
    /// The location of a thread that found an assumption false.
    pub const DROPPED: usize = 2;

    /// Where all threads stand at the beginning.
    pub fn start(&self) -> Vec<u32> {
        let place = |thread: &ThreadSystem| match thread.role {
            Role::Spawned => Self::NOT_STARTED as u32,
            Role::AtOnce | Role::Finally => thread.entry as u32,
        };
        self.threads.iter().map(place).collect()
    }

    /// Where a thread stands.
    pub fn location(&self, places: &[u32], thread: usize) -> &Location {
        &self.threads[thread].locations[places[thread] as usize]
    }

    /// Whether a thread has begun and neither ended nor found an assumption false.
    pub fn is_running(&self, places: &[u32], thread: usize) -> bool {
        places[thread] as usize > Self::DROPPED
    }

    /// Whether a condition holds for a thread that stands with others at these places.
    pub fn holds(&self, condition: Condition, places: &[u32], thread: usize) -> bool {
        let all_ended = || {
            (0..places.len())
                .filter(|&other| other != thread)
                .all(|other| matches!(places[other] as usize, Self::NOT_STARTED | Self::ENDED))
        };
        match condition {
            Condition::Ended(other) => places[other] as usize == Self::ENDED,
            Condition::NotEnded(other) => places[other] as usize != Self::ENDED,
            Condition::AllEnded => all_ended(),
            Condition::NotAllEnded => !all_ended(),
        }
    }

    /// The ways on of a thread whose conditions on other threads hold, with their numbers.
    pub fn transitions<'s>(
        &'s self,
        places: &'s [u32],
        thread: usize,
    ) -> impl Iterator<Item = (usize, &'s Transition)> {
        let all = self.location(places, thread).transitions.iter().enumerate();
        all.filter(move |(_, t)| t.conditions.iter().all(|&condition| self.holds(condition, places, thread)))
    }

    /// Where all threads stand after a transition, if it leads to a location.
    pub fn after(&self, places: &[u32], thread: usize, transition: &Transition) -> Option<Vec<u32>> {
        let Target::Location(target) = transition.target else { return None };
        let mut places = places.to_vec();
        places[thread] = target as u32;
        for &spawned in &transition.spawns {
            places[spawned] = self.threads[spawned].entry as u32;
        }
        Some(places)
    }

    /// Whether a condition is that nobody has to wait for: at a deadlock it counts that all run or have ended.
    pub fn counts_as_deadlock(&self, places: &[u32]) -> bool {
        let is_dropped = |&place: &u32| place as usize == Self::DROPPED;
        let mut ordinary = (0..places.len()).filter(|&thread| self.threads[thread].role != Role::Finally);
        !places.iter().any(is_dropped) && ordinary.any(|thread| self.is_running(places, thread))
    }

    /// The condition that a thread has to wait.
    pub fn blocked(&self, terms: &mut Terms, places: &[u32], thread: usize) -> Term {
        let guards: Vec<Term> = self
            .transitions(places, thread)
            .filter(|(_, transition)| transition.target == Target::Blocked)
            .map(|(_, transition)| transition.guard)
            .collect();
        terms.or(guards)
    }

    /// What is printed of a place: `t1@12`.
    pub fn place_name(&self, thread: usize, place: u32, line: &dyn Fn(Span) -> usize) -> String {
        let location = &self.threads[thread].locations[place as usize];
        match location.kind {
            LocationKind::NotStarted => format!("{} not started", self.names[thread]),
            LocationKind::Ended => format!("{} ended", self.names[thread]),
            LocationKind::Dropped => format!("{} stopped", self.names[thread]),
            LocationKind::Visible | LocationKind::Internal => {
                format!("{}:{}", self.names[thread], line(location.span))
            }
        }
    }
}
