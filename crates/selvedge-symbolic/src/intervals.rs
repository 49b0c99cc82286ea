//! Bounds of all variables, thread by thread.
//!
//! A place of a thread knows bounds of the thread's own variables; shared variables have bounds that hold whenever no thread
//! is at an [interior](crate::movers) place, and at an interior place bounds of their own, since nobody else is let in
//! there. So a variable that is only changed within blocks under a mutex has the bounds that the blocks keep, the invariant of
//! the mutex [Mine2014, section 3]. Bounds that grow are first rounded to the constants of the program.

use crate::movers::Movers;
use crate::system::{Place, System, Target, ThreadSystem, Transition};
use selvedge_smt::{BitOp, Node, Patience, Stopped, Term, Terms, Variable};
use std::collections::{BTreeMap, BTreeSet};

const LEAST: i128 = i64::MIN as i128;
const MOST: i128 = i64::MAX as i128;

/// Bounds of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The least value.
    pub low: i128,
    /// The greatest value.
    pub high: i128,
}

impl Interval {
    /// All numbers of 64 bits.
    pub const ALL: Interval = Interval { low: LEAST, high: MOST };

    fn one(value: i128) -> Interval {
        Interval { low: value, high: value }
    }

    fn is_empty(self) -> bool {
        self.low > self.high
    }

    fn join(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    fn meet(self, other: Interval) -> Interval {
        Interval { low: self.low.max(other.low), high: self.high.min(other.high) }
    }
}

/// Bounds of variables; one that is missing can have any value.
pub type Bounds = BTreeMap<Variable, Interval>;

/// Bounds at all places.
#[derive(Debug)]
pub struct Intervals {
    /// Of shared variables, when no thread is at an interior place.
    pub shared: Bounds,
    /// By thread and place; nothing where it cannot get to.
    pub at: Vec<Vec<Option<Bounds>>>,
    /// The constants of the program, to which bounds are rounded.
    pub thresholds: Vec<i128>,
}

/// Distances of bounds between which there are few values.
const NARROW: i128 = 8;

/// Rounds after which bounds that still grow are rounded to constants.
const PATIENT: u32 = 3;
/// Rounds after which bounds that still grow are given up, if there are few constants. A bound can be rounded to each constant once, and the
/// numbers of threads are constants, too: with more of them it takes more rounds.
const TIRED: u32 = 60;
/// The most rounds, for the sake of time.
const MOST_ROUNDS: usize = 2000;

impl Intervals {
    /// Bounds of a program.
    ///
    /// # Errors
    /// When it takes too long.
    pub fn new(
        system: &System,
        terms: &Terms,
        movers: &Movers,
        patience: &Patience,
    ) -> Result<Intervals, Stopped> {
        let mut intervals =
            Intervals { shared: Bounds::new(), at: Vec::new(), thresholds: thresholds(system, terms) };
        let used = used(system, terms);
        for variable in system.variables.iter().filter(|v| used.contains(&v.variable)) {
            if let (Place::Cell(_), Some(value)) = (variable.place, terms.as_int(variable.initial)) {
                intervals.shared.insert(variable.variable, Interval::one(value));
            }
        }
        for (thread, ours) in system.threads.iter().enumerate() {
            let mut at: Vec<Option<Bounds>> = vec![None; ours.locations.len()];
            let own = |v: &&crate::StateVariable| matches!(v.place, Place::Slot { thread: t, .. } if t as usize == thread);
            let first = system
                .variables
                .iter()
                .filter(own)
                .filter_map(|v| terms.as_int(v.initial).map(|value| (v.variable, Interval::one(value))));
            // Until a thread is started its variables keep their first values.
            at[ours.entry] = Some(first.collect());
            at[System::NOT_STARTED] = at[ours.entry].clone();
            intervals.at.push(at);
        }
        for round in 0.. {
            if !intervals.round(system, terms, movers, round, patience)? {
                break;
            }
        }
        Ok(intervals)
    }

    /// No bounds at all.
    pub fn unknown(system: &System) -> Intervals {
        let at = |thread: &ThreadSystem| vec![Some(Bounds::new()); thread.locations.len()];
        Intervals {
            shared: Bounds::new(),
            at: system.threads.iter().map(at).collect(),
            thresholds: Vec::new(),
        }
    }

    /// Whether a variable may have many values.
    pub fn is_wide(&self, variable: Variable) -> bool {
        let of_place = |bounds: &Option<Bounds>| bounds.as_ref().and_then(|b| b.get(&variable).copied());
        let all = self.shared.get(&variable).copied().into_iter();
        let all = all.chain(self.at.iter().flatten().filter_map(of_place));
        all.reduce(Interval::join).is_none_or(|interval| interval.high - interval.low > NARROW)
    }

    /// Goes through all transitions once; whether anything changed.
    fn round(
        &mut self,
        system: &System,
        terms: &Terms,
        movers: &Movers,
        round: u32,
        patience: &Patience,
    ) -> Result<bool, Stopped> {
        let mut changes = false;
        for (thread, ours) in system.threads.iter().enumerate() {
            for (place, location) in ours.locations.iter().enumerate() {
                patience.watch()?;
                for transition in &location.transitions {
                    let Target::Location(target) = transition.target else { continue };
                    let Some(bounds) = self.visible(movers, thread, place) else { continue };
                    let Some(after) = apply(terms, bounds, transition) else { continue };
                    let is_interior = movers.interior[thread][target];
                    let (kept, published): (Bounds, Bounds) = after
                        .into_iter()
                        .partition(|(variable, _)| is_interior || is_own(system, *variable, thread));
                    changes |= self.join_at(thread, target, kept, round);
                    changes |= self.publish(published, round);
                }
            }
        }
        Ok(changes)
    }

    /// The bounds that a thread can rely on at a place.
    pub fn visible(&self, movers: &Movers, thread: usize, place: usize) -> Option<Bounds> {
        let mut bounds = self.at[thread][place].clone()?;
        if !movers.interior[thread][place] {
            bounds.extend(self.shared.iter().map(|(&variable, &interval)| (variable, interval)));
        } else if self.at[thread][place]
            .as_ref()
            .is_some_and(|own| !own.keys().any(|v| self.shared.contains_key(v)))
        {
            // The beginning of a thread, in local code: nobody has taken anything from the shared variables.
            bounds.extend(self.shared.iter().map(|(&variable, &interval)| (variable, interval)));
        }
        Some(bounds)
    }

    fn join_at(&mut self, thread: usize, place: usize, new: Bounds, round: u32) -> bool {
        match &mut self.at[thread][place] {
            slot @ None => {
                *slot = Some(new);
                true
            }
            Some(old) => {
                let mut changes = false;
                let variables: Vec<Variable> = old.keys().copied().collect();
                for variable in variables {
                    let before = old[&variable];
                    let after = match new.get(&variable) {
                        Some(&interval) => widen(&self.thresholds, before, before.join(interval), round),
                        None => Interval::ALL,
                    };
                    changes |= after != before;
                    old.insert(variable, after);
                }
                changes
            }
        }
    }

    fn publish(&mut self, new: Bounds, round: u32) -> bool {
        let mut changes = false;
        for (variable, interval) in new {
            if let Some(before) = self.shared.get(&variable).copied() {
                let after = widen(&self.thresholds, before, before.join(interval), round);
                changes |= after != before;
                self.shared.insert(variable, after);
            }
        }
        changes
    }

    /// What holds when all threads stand at these places, as conjuncts.
    pub fn invariant(
        &self,
        system: &System,
        terms: &mut Terms,
        movers: &Movers,
        places: &[u32],
    ) -> Vec<Term> {
        let mut bounds = self.shared.clone();
        for (thread, &place) in places.iter().enumerate() {
            if let Some(own) = &self.at[thread][place as usize] {
                bounds.extend(own.iter().filter(|(v, _)| is_own(system, **v, thread)).map(|(&v, &i)| (v, i)));
            }
        }
        if let Some(thread) = movers.must_go_on(places)
            && let Some(own) = &self.at[thread][places[thread] as usize]
        {
            bounds.extend(own.iter().map(|(&variable, &interval)| (variable, interval)));
        }
        for &mutex in &movers.mutexes {
            let holds = |thread: usize| {
                let held = &movers.must_hold[thread][places[thread] as usize];
                held.as_ref().is_some_and(|held| held.contains(&mutex))
            };
            let may_hold = |thread: usize| movers.may_hold[thread][places[thread] as usize].contains(&mutex);
            let holder = (0..places.len()).find(|&thread| holds(thread));
            match holder {
                Some(thread) => bounds.insert(mutex, Interval::one(thread as i128 + 1)),
                None if !(0..places.len()).any(may_hold) => bounds.insert(mutex, Interval::one(0)),
                None => None,
            };
        }
        for (thread, &waiting) in movers.waiting.iter().enumerate() {
            if self.shared.contains_key(&waiting) && !movers.may_wait[thread][places[thread] as usize] {
                bounds.insert(waiting, Interval::one(0));
            }
        }
        conjuncts(terms, &bounds)
    }
}

fn conjuncts(terms: &mut Terms, bounds: &Bounds) -> Vec<Term> {
    let mut all = Vec::new();
    for (&variable, interval) in bounds {
        let value = terms.var(variable);
        let (low, high) = (terms.int(interval.low), terms.int(interval.high));
        if interval.low == interval.high {
            all.push(terms.eq(value, low));
            continue;
        }
        if interval.low > LEAST {
            all.push(terms.le(low, value));
        }
        if interval.high < MOST {
            all.push(terms.le(value, high));
        }
    }
    all
}

fn is_own(system: &System, variable: Variable, thread: usize) -> bool {
    let place = system.numbers.get(&variable).map(|&number| system.variables[number].place);
    matches!(place, Some(Place::Slot { thread: owner, .. }) if owner as usize == thread)
}

/// Bounds that have grown, rounded when they have grown often.
fn widen(thresholds: &[i128], before: Interval, after: Interval, round: u32) -> Interval {
    if round < PATIENT || after == before {
        return after;
    }
    let mut wide = after;
    let tired = TIRED.max((2 * thresholds.len()).min(MOST_ROUNDS) as u32);
    if after.low < before.low {
        let below = thresholds.partition_point(|&t| t <= after.low);
        wide.low = if below == 0 || round > tired { LEAST } else { thresholds[below - 1] };
    }
    if after.high > before.high {
        let above = thresholds.partition_point(|&t| t < after.high);
        wide.high = if round > tired { MOST } else { thresholds.get(above).copied().unwrap_or(MOST) };
    }
    wide
}

/// The variables that matter to some transition.
fn used(system: &System, terms: &Terms) -> BTreeSet<Variable> {
    let locations = system.threads.iter().flat_map(|thread| &thread.locations);
    let transitions = locations.flat_map(|location| &location.transitions);
    let of = transitions.flat_map(|t| t.updates.values().copied().chain([t.guard]));
    terms.variables_of(of).into_iter().collect()
}

/// The constants of a program and their neighbours, in order.
fn thresholds(system: &System, terms: &Terms) -> Vec<i128> {
    let mut found = BTreeSet::from([-1, 0, 1]);
    let mut seen = BTreeSet::new();
    let mut todo: Vec<Term> = system.variables.iter().map(|v| v.initial).collect();
    for location in system.threads.iter().flat_map(|thread| &thread.locations) {
        for transition in &location.transitions {
            todo.push(transition.guard);
            todo.extend(transition.updates.values());
        }
    }
    while let Some(term) = todo.pop() {
        if !seen.insert(term) {
            continue;
        }
        if let Node::Const(value) | Node::Le(_, value) | Node::Eq(_, value) | Node::Sum(_, value) =
            terms.node(term)
        {
            for near in [-1, 0, 1] {
                found.extend([value.saturating_add(near), value.saturating_neg().saturating_add(near)]);
            }
        }
        todo.extend(terms.operands(term));
    }
    found.into_iter().filter(|value| (LEAST..=MOST).contains(value)).collect()
}

/// The bounds after a transition, or nothing if it cannot be taken.
fn apply(terms: &Terms, mut bounds: Bounds, transition: &Transition) -> Option<Bounds> {
    for _ in 0..2 {
        for part in terms.conjuncts(transition.guard) {
            refine(terms, &mut bounds, part)?;
        }
    }
    let mut after = bounds.clone();
    for (&variable, &value) in &transition.updates {
        after.insert(variable, number(terms, &bounds, value).meet(Interval::ALL));
    }
    if let Some((input, _)) = transition.input {
        after.remove(&input);
    }
    Some(after)
}

/// Narrows bounds by a condition that holds, or nothing if it cannot.
fn refine(terms: &Terms, bounds: &mut Bounds, condition: Term) -> Option<()> {
    match terms.node(condition) {
        Node::True => {}
        Node::False => return None,
        Node::Le(left, most) => at_most(terms, bounds, *left, 1, *most)?,
        Node::Eq(left, value) => {
            at_most(terms, bounds, *left, 1, *value)?;
            at_most(terms, bounds, *left, -1, -*value)?;
        }
        Node::Not(inner) => {
            if let Node::Eq(left, value) = terms.node(*inner)
                && let Node::Var(variable) = terms.node(*left)
            {
                let mut interval = bounds.get(variable).copied().unwrap_or(Interval::ALL);
                interval.low += i128::from(interval.low == *value);
                interval.high -= i128::from(interval.high == *value);
                if interval.is_empty() {
                    return None;
                }
                bounds.insert(*variable, interval);
            }
        }
        Node::And(parts) => {
            for &part in parts {
                refine(terms, bounds, part)?;
            }
        }
        Node::Or(parts) => {
            let possible = parts.iter().filter_map(|&part| {
                let mut one = bounds.clone();
                refine(terms, &mut one, part).map(|()| one)
            });
            let joined = possible.reduce(|mut a, b| {
                a.retain(|variable, _| b.contains_key(variable));
                for (variable, interval) in &mut a {
                    *interval = interval.join(b[variable]);
                }
                a
            })?;
            *bounds = joined;
        }
        _ => {}
    }
    match truth(terms, bounds, condition) {
        Some(false) => None,
        _ => Some(()),
    }
}

/// Narrows bounds by `sign * left <= most`.
fn at_most(terms: &Terms, bounds: &mut Bounds, left: Term, sign: i128, most: i128) -> Option<()> {
    let parts: Vec<(Term, i128)> = match terms.node(left) {
        Node::Sum(parts, 0) => parts.iter().map(|&(part, factor)| (part, factor * sign)).collect(),
        _ => vec![(left, sign)],
    };
    let least = |&(part, factor): &(Term, i128)| scaled(number(terms, bounds, part), factor).low;
    let leasts: Vec<i128> = parts.iter().map(least).collect();
    let sum = leasts.iter().fold(0i128, |sum, &least| sum.saturating_add(least));
    for (&(part, factor), &least) in parts.iter().zip(&leasts) {
        let Node::Var(variable) = terms.node(part) else { continue };
        let room = most.saturating_sub(sum.saturating_sub(least));
        let mut interval = bounds.get(variable).copied().unwrap_or(Interval::ALL);
        if factor > 0 {
            interval.high = interval.high.min(room.div_euclid(factor));
        } else {
            interval.low = interval.low.max(-room.div_euclid(-factor));
        }
        if interval.is_empty() {
            return None;
        }
        bounds.insert(*variable, interval);
    }
    Some(())
}

fn scaled(interval: Interval, factor: i128) -> Interval {
    let (a, b) = (interval.low.saturating_mul(factor), interval.high.saturating_mul(factor));
    Interval { low: a.min(b), high: a.max(b) }
}

/// Terms that are looked at for one answer: those that share parts may be large beyond measure.
const MOST_TERMS: u32 = 10_000;

/// Bounds of a term.
fn number(terms: &Terms, bounds: &Bounds, term: Term) -> Interval {
    Look { terms, bounds, left: MOST_TERMS }.number(term)
}

/// Whether a condition holds for all values within the bounds, or for none.
fn truth(terms: &Terms, bounds: &Bounds, condition: Term) -> Option<bool> {
    Look { terms, bounds, left: MOST_TERMS }.truth(condition)
}

/// A look at a term.
struct Look<'t> {
    terms: &'t Terms,
    bounds: &'t Bounds,
    left: u32,
}

impl Look<'_> {
    fn number(&mut self, term: Term) -> Interval {
        let Some(left) = self.left.checked_sub(1) else {
            return Interval { low: i128::MIN, high: i128::MAX };
        };
        self.left = left;
        let (terms, bounds) = (self.terms, self.bounds);
        match terms.node(term) {
            Node::Const(value) => Interval::one(*value),
            Node::Var(variable) => bounds.get(variable).copied().unwrap_or(Interval::ALL),
            Node::Sum(parts, constant) => {
                parts.iter().fold(Interval::one(*constant), |sum, &(part, factor)| {
                    let part = scaled(self.number(part), factor);
                    Interval {
                        low: sum.low.saturating_add(part.low),
                        high: sum.high.saturating_add(part.high),
                    }
                })
            }
            Node::Product(a, b) => {
                let (a, b) = (self.number(*a), self.number(*b));
                let products = [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)];
                let products = products.map(|(a, b)| a.saturating_mul(b));
                Interval {
                    low: products.into_iter().fold(i128::MAX, i128::min),
                    high: products.into_iter().fold(i128::MIN, i128::max),
                }
            }
            Node::Mod(a, b) => match (self.number(*a), terms.as_int(*b)) {
                (a, Some(b)) if b > 0 && a.low >= 0 && a.high < b => a,
                (_, Some(b)) if b > 0 => Interval { low: 0, high: b - 1 },
                _ => Interval { low: i128::MIN, high: i128::MAX },
            },
            Node::Div(a, b) => match (self.number(*a), terms.as_int(*b)) {
                (a, Some(b)) if b > 0 => Interval { low: a.low.div_euclid(b), high: a.high.div_euclid(b) },
                _ => Interval { low: i128::MIN, high: i128::MAX },
            },
            Node::Ite(condition, then, otherwise) => match self.truth(*condition) {
                Some(true) => self.number(*then),
                Some(false) => self.number(*otherwise),
                None => self.number(*then).join(self.number(*otherwise)),
            },
            Node::Bits(op, a, b) => bits(*op, self.number(*a), self.number(*b)),
            _ => Interval::ALL,
        }
    }

    fn truth(&mut self, condition: Term) -> Option<bool> {
        self.left = self.left.checked_sub(1)?;
        let terms = self.terms;
        match terms.node(condition) {
            Node::True => Some(true),
            Node::False => Some(false),
            Node::Le(left, most) => {
                let left = self.number(*left);
                if left.high <= *most { Some(true) } else { (left.low > *most).then_some(false) }
            }
            Node::Eq(left, value) => {
                let left = self.number(*left);
                if left == Interval::one(*value) {
                    return Some(true);
                }
                (*value < left.low || *value > left.high).then_some(false)
            }
            Node::Not(inner) => self.truth(*inner).map(|value| !value),
            Node::And(parts) => all(parts.iter().map(|&part| self.truth(part))),
            Node::Or(parts) => all(parts.iter().map(|&part| self.truth(part).map(|v| !v))).map(|v| !v),
            _ => None,
        }
    }
}

/// Bounds of what an operator on bits makes.
fn bits(op: BitOp, a: Interval, b: Interval) -> Interval {
    let is_natural = |interval: Interval| interval.low >= 0 && interval.high <= MOST;
    let without_more_bits = |number: i128| (1 << (128 - number.leading_zeros())) - 1;
    match op {
        BitOp::And if is_natural(a) && is_natural(b) => Interval { low: 0, high: a.high.min(b.high) },
        BitOp::And if is_natural(a) => Interval { low: 0, high: a.high },
        BitOp::And if is_natural(b) => Interval { low: 0, high: b.high },
        BitOp::Or | BitOp::Xor if is_natural(a) && is_natural(b) => {
            let low = if op == BitOp::Or { a.low.max(b.low) } else { 0 };
            Interval { low, high: without_more_bits(a.high.max(b.high)) }
        }
        _ => Interval::ALL,
    }
}

/// Whether all are true.
fn all(values: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(true);
    for value in values {
        match value {
            Some(false) => return Some(false),
            None => all = None,
            Some(true) => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic;
    use selvedge_ir::BinaryOp;
    use selvedge_smt::Sort;

    #[test]
    fn bounds_of_bits_hold() {
        let ranges = || (-3i128..6).flat_map(|low| (low..6).map(move |high| Interval { low, high }));
        for (a, b) in ranges().flat_map(|a| ranges().map(move |b| (a, b))) {
            for op in [BitOp::And, BitOp::Or, BitOp::Xor] {
                let made = bits(op, a, b);
                for (x, y) in (a.low..=a.high).flat_map(|x| (b.low..=b.high).map(move |y| (x, y))) {
                    let value = op.apply(x as i64, y as i64);
                    let value = i128::from(value);
                    assert!(made.low <= value && value <= made.high, "{x} {op:?} {y} of {a:?}, {b:?}");
                }
            }
        }
    }

    #[test]
    fn bounds_of_every_operator_hold_for_all_numbers_within_those_of_its_operands() {
        let mut terms = Terms::new();
        let (x, y) = (terms.variable("x", Sort::Word), terms.variable("y", Sort::Word));
        let (tx, ty) = (terms.var(x), terms.var(y));
        let corners = [LEAST, LEAST + 1, -65, -2, 0, 1, 3, 63, 64, MOST - 1, MOST];
        let ranges =
            || (0..corners.len()).flat_map(move |i| (i..(i + 3).min(corners.len())).map(move |j| (i, j)));
        for op in BinaryOp::ALL {
            let value = arithmetic::binary(&mut terms, op, tx, ty);
            for ((a, b), (c, d)) in ranges().flat_map(|r| ranges().map(move |s| (r, s))) {
                let of = |low: usize, high: usize| Interval { low: corners[low], high: corners[high] };
                let bounds = Bounds::from([(x, of(a, b)), (y, of(c, d))]);
                let made = number(&terms, &bounds, value);
                for (m, n) in (a..=b).flat_map(|m| (c..=d).map(move |n| (corners[m], corners[n]))) {
                    if let Some(result) = op.apply(m as i64, n as i64).map(i128::from) {
                        assert!(
                            made.low <= result && result <= made.high,
                            "{m} {op:?} {n} of {bounds:?}: {made:?}"
                        );
                    }
                }
            }
        }
    }
}
