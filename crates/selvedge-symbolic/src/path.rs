//! One way through the code of a step, with everything it has done so far.

use crate::system::{Condition, LocationKind, Target, Transition, Woken};
use selvedge_interp::code::Slot;
use selvedge_ir::Span;
use selvedge_smt::{Term, Variable};
use std::collections::{BTreeMap, BTreeSet};

/// Where a thread stands, as a key: instruction, frame, callers, whether in the middle of a step, and by which variables it has chosen
/// the mutexes that it holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stand {
    pub pc: u32,
    pub base: u32,
    pub callers: Vec<Caller>,
    pub kind: LocationKind,
    /// Whether the shared part of the step is over; true before a step.
    pub committed: bool,
    pub pins: BTreeMap<Variable, Pin>,
}

/// The value of a variable of the thread that has chosen a mutex out of several, as long as that is held: the place knows it, so that the
/// mutex, and what it guards, is one mutex there and not any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pin {
    pub value: Term,
    pub mutex: u32,
}

/// A function that waits for a call to return.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Caller {
    pub pc: u32,
    pub base: u32,
    pub result: Slot,
}

/// A way through the code.
#[derive(Clone, Debug)]
pub struct Path {
    pub stand: Stand,
    pub guard: Vec<Term>,
    pub store: BTreeMap<Variable, Term>,
    pub temporaries: BTreeMap<Slot, Term>,
    /// Temporaries whose values must be numbers, which the way was divided for.
    pub known: BTreeSet<Slot>,
    pub conditions: Vec<Condition>,
    pub input: Option<(Variable, Term)>,
    /// The least value above those that the input can have.
    pub input_end: Option<Term>,
    pub woken: Option<Woken>,
    pub spawns: Vec<usize>,
    pub acquires: Vec<Variable>,
    pub releases: Vec<Variable>,
    pub tries: Vec<Variable>,
    pub synchronises: bool,
    /// Whether the thread has to wait to be woken.
    pub waits: bool,
    /// How often it has jumped back to each place.
    pub turns: BTreeMap<u32, u32>,
    /// The statement of the step.
    pub span: Span,
}

impl Path {
    pub fn new(stand: Stand, span: Span) -> Path {
        let store = stand.pins.iter().map(|(&variable, pin)| (variable, pin.value)).collect();
        Path {
            stand,
            guard: Vec::new(),
            store,
            temporaries: BTreeMap::new(),
            known: BTreeSet::new(),
            conditions: Vec::new(),
            input: None,
            input_end: None,
            woken: None,
            spawns: Vec::new(),
            acquires: Vec::new(),
            releases: Vec::new(),
            tries: Vec::new(),
            synchronises: false,
            waits: false,
            turns: BTreeMap::new(),
            span,
        }
    }

    /// The pins that still hold.
    pub fn pins(&self) -> BTreeMap<Variable, Pin> {
        let holds = |(variable, pin): &(&Variable, &Pin)| self.store.get(variable) == Some(&pin.value);
        self.stand.pins.iter().filter(holds).map(|(&variable, &pin)| (variable, pin)).collect()
    }

    /// The transition that ends here. `keeps` says whether its effects on memory stand.
    pub fn finish(self, guard: Term, target: Target, keeps: bool) -> Transition {
        let mut transition = Transition {
            guard,
            conditions: self.conditions,
            updates: self.store,
            input: self.input,
            input_end: self.input_end,
            woken: self.woken,
            spawns: self.spawns,
            acquires: self.acquires,
            releases: self.releases,
            tries: self.tries,
            synchronises: self.synchronises,
            target,
            jumps_back: false,
            span: self.span,
        };
        if !keeps {
            transition.updates.clear();
            transition.spawns.clear();
            transition.acquires.clear();
            transition.releases.clear();
        }
        transition
    }
}
