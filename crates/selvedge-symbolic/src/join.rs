//! Ways through a step that come together again go on as one.
//!
//! Every `if` of local code divides a way in two, and so does every `&&` and every choice between two values: ten of them in a row would
//! make a thousand transitions. So ways are followed in the order of the code, and where two arrive at the same place that
//! were divided by one condition, they become one: what they have done differently depends on the condition. The
//! transition that results is taken in the states in which one of the two would be, and does what that one would do.
//!
//! Ways stay apart as long as they are few: then each can have its own place in a proof, which is easier to find than one
//! about both. If they are more, those of one statement join; if they are many, all do.
//!
//! Ways that synchronise differently, or that were divided because a mutex or a thread must be known, stay apart.

use crate::path::{Path, Stand};
use selvedge_smt::{Term, Terms, Variable};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Which ways join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joins {
    /// No ways join.
    Never,
    /// Those that come together within a statement.
    Within,
    /// All ways that come together anywhere.
    All,
}

/// Ways that wait for those that are behind them.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    /// In the order of the code, the first at the end.
    paths: Vec<Path>,
}

impl Waiting {
    pub fn clear(&mut self) {
        self.paths.clear();
    }

    pub fn len(&self) -> usize {
        self.paths.len()
    }

    pub fn push(&mut self, path: Path) {
        let at = self.paths.partition_point(|other| order(&other.stand, &path.stand) == Ordering::Greater);
        self.paths.insert(at, path);
    }

    /// Whether a way has come so far that another must be followed first, or may join it.
    pub fn is_behind(&self, path: &Path) -> bool {
        self.paths.last().is_some_and(|first| order(&first.stand, &path.stand) != Ordering::Greater)
    }

    /// The way to follow next, joined with those that have arrived at the same place if that is one where ways join.
    pub fn pop(&mut self, terms: &mut Terms, joins_at: impl Fn(u32) -> bool) -> Option<Path> {
        let first = self.paths.pop()?;
        if !joins_at(first.stand.pc) {
            return Some(first);
        }
        let mut here = vec![first];
        while let Some(other) = self.paths.pop_if(|other| other.stand == here[0].stand) {
            here.push(other);
        }
        if here.len() > 1 {
            // Of ways in the order of their conditions, those that were divided last are neighbours.
            here.sort_by(|a, b| a.guard.cmp(&b.guard));
            while join_last_divided(terms, &mut here) {}
        }
        let next = here.pop();
        self.paths.extend(here);
        next
    }
}

/// The order of the code, functions that are called before what comes after the call.
fn order(a: &Stand, b: &Stand) -> Ordering {
    let places = |stand: &Stand| {
        let pcs: Vec<u32> = stand.callers.iter().map(|caller| caller.pc).chain([stand.pc]).collect();
        pcs
    };
    if a.callers.is_empty() && b.callers.is_empty() {
        return a.pc.cmp(&b.pc);
    }
    let (a, b) = (places(a), places(b));
    let common = a.len().min(b.len());
    a[..common].cmp(&b[..common]).then(b.len().cmp(&a.len()))
}

/// Joins two of some ways, those that were divided last; whether there are two.
fn join_last_divided(terms: &mut Terms, paths: &mut Vec<Path>) -> bool {
    let mut last = None;
    for position in 0..paths.len() - 1 {
        let (one, other) = (&paths[position], &paths[position + 1]);
        let common = one.guard.iter().zip(&other.guard).take_while(|(a, b)| a == b).count();
        if last.is_none_or(|(longest, _)| common > longest) && can_join(terms, one, other, common) {
            last = Some((common, position));
        }
    }
    let Some((common, position)) = last else { return false };
    let other = paths.remove(position + 1);
    let one = &mut paths[position];
    join(terms, one, &other, common);
    true
}

/// Whether two ways were divided by one condition, after so many that they have in common, and have done the same but for values.
fn can_join(terms: &mut Terms, one: &Path, other: &Path, common: usize) -> bool {
    let (Some(&a), Some(&b)) = (one.guard.get(common), other.guard.get(common)) else { return false };
    let is_known = |slot: &u32| one.temporaries.get(slot) == other.temporaries.get(slot);
    let is_left_alike = |mutex: &Variable| one.store.get(mutex) == other.store.get(mutex);
    terms.not(a) == b
        && one.conditions == other.conditions
        && one.input == other.input
        && one.woken == other.woken
        && one.spawns == other.spawns
        && one.acquires == other.acquires
        && one.releases == other.releases
        && one.tries == other.tries
        && one.synchronises == other.synchronises
        && one.waits == other.waits
        && one.acquires.iter().chain(&one.releases).all(is_left_alike)
        && one.known.iter().chain(&other.known).all(is_known)
}

/// Adds to a way what another does where the condition that divides them does not hold.
fn join(terms: &mut Terms, one: &mut Path, other: &Path, common: usize) {
    let condition = one.guard[common];
    let parts = [&one.guard[common..], &other.guard[common..]].map(|rest| terms.and(rest.iter().copied()));
    one.guard.truncate(common);
    let either = terms.or(parts);
    if either != terms.yes() {
        one.guard.push(either);
    }
    let changed: BTreeSet<Variable> = one.store.keys().chain(other.store.keys()).copied().collect();
    for variable in changed {
        let unchanged = terms.var(variable);
        let of = |store: &BTreeMap<Variable, Term>| store.get(&variable).copied().unwrap_or(unchanged);
        let value = terms.ite(condition, of(&one.store), of(&other.store));
        one.store.insert(variable, value);
    }
    let zero = terms.int(0);
    let slots: BTreeSet<u32> = one.temporaries.keys().chain(other.temporaries.keys()).copied().collect();
    for slot in slots {
        let of = |temporaries: &BTreeMap<u32, Term>| temporaries.get(&slot).copied().unwrap_or(zero);
        let value = terms.ite(condition, of(&one.temporaries), of(&other.temporaries));
        one.temporaries.insert(slot, value);
    }
    one.known.extend(&other.known);
    for (&place, &turns) in &other.turns {
        let known = one.turns.entry(place).or_insert(0);
        *known = turns.max(*known);
    }
}
