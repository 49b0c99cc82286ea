//! Sequence interpolants of a path that cannot be taken.
//!
//! From the end backwards: before each step, facts about the state on this path are found that, together with the label there,
//! make it impossible to take the step and miss what was found after it. Facts are tried in this order, the more general first:
//!
//! 1. bounds `x <= c` or `x >= c` of a variable that matters, where `c` is the constant of the program next to what the
//!    path's strongest postcondition says of `x`;
//! 2. how variables that are compared are related to each other, and relations that were useful before;
//! 3. sums of variables that are compared;
//! 4. the weakest precondition, if it is small;
//! 5. bounds by the values on the path.
//!
//! An unsatisfiable core says which facts are needed, and each bound is then loosened as far as the constants of the program allow, so
//! that labels say `count <= 999` and not `count = 0`. Every interpolant is implied by the one before it and the step, because
//! that is how it was found.

use crate::context::{Prover, Stop};
use selvedge_smt::substitute::Substitution;
use selvedge_smt::{Answer, Core, Node, Sort, Term, Terms, Variable};
use std::collections::BTreeSet;

/// Values of an input up to which a weakest precondition lists them.
const MOST_VALUES: i128 = 16;
/// Models from which values of an input with many values are taken for a weakest precondition.
const MOST_MODELS: usize = 32;
/// Constants that are tried when a bound is loosened.
const MOST_BOUNDS: usize = 8;
/// The distance up to which it is said how far two variables are from each other.
const MOST_DISTANCE: i128 = 4;
/// Variables of a comparison up to which their sums are looked at.
const MOST_SUMMANDS: usize = 6;
/// How many numbers there are.
const ROUND: i128 = 1 << 64;
/// Parts of a weakest precondition up to which it is small.
const MOST_NODES: usize = 60;

/// A step of a path, for interpolation.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    /// The label before the step.
    pub premises: Vec<Term>,
    /// The state before the step, in terms of the inputs of the path.
    pub state: Substitution,
    /// The condition of the step.
    pub guard: Term,
    /// What becomes of the variables.
    pub updates: Substitution,
    /// The variable of the input of the step.
    pub input: Option<Variable>,
}

/// Which facts are good enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Facts {
    /// Any fact.
    Any,
    /// Those that are likely to hold elsewhere, too.
    General,
}

/// For each step the conjuncts that its node needs, from the first step that needs any; the steps before need nothing. The constraints are the
/// conditions of the steps in terms of the inputs of the path. Nothing if
/// facts of this kind do not suffice.
pub(crate) fn sequence_interpolant(
    prover: &mut Prover,
    links: &[Link],
    constraints: &[Term],
    kind: Facts,
) -> Result<Option<Vec<Vec<Term>>>, Stop> {
    let mut interpolants = vec![Vec::new(); links.len()];
    let mut after = prover.terms.no();
    for (step, link) in links.iter().enumerate().rev() {
        let missed = prover.terms.not(after);
        let missed = prover.terms.substitute(missed, &link.updates);
        let goal = vec![link.guard, missed];
        match before(prover, link, &constraints[..step], &goal, kind)? {
            Before::Nothing => return Ok(Some(interpolants)),
            Before::TooSpecial => return Ok(None),
            Before::Facts(facts) => {
                after = prover.terms.and(facts.iter().copied());
                interpolants[step] = prover.terms.conjuncts(after);
            }
        }
    }
    Ok(Some(interpolants))
}

/// What must hold before a step.
enum Before {
    /// No more than the label says.
    Nothing,
    /// These facts.
    Facts(Vec<Term>),
    /// Something that is too special.
    TooSpecial,
}

/// Facts that, with the label, contradict the goal.
fn before(
    prover: &mut Prover,
    link: &Link,
    constraints: &[Term],
    goal: &[Term],
    kind: Facts,
) -> Result<Before, Stop> {
    let mut hard = link.premises.clone();
    hard.extend_from_slice(goal);
    if prover.check(hard.clone())? == Answer::Unsat {
        return Ok(Before::Nothing);
    }
    let variables = values(prover, link, goal);
    let bounds = rounded_bounds(prover, &variables);
    let relations = [relations(prover, link, goal), known(prover, link, goal)].concat();
    // Distances come back after a counter has wrapped around, orders do not.
    let is_order = |fact: &Term| matches!(prover.terms.node(*fact), Node::Le(..));
    let (orders, relations): (Vec<Term>, Vec<Term>) = relations.into_iter().partition(is_order);
    let others = [&bounds[..], &orders].concat();
    if let Some(by_bounds) = core(prover, &hard, &bounds, &[])? {
        // One relation says more about a loop than many bounds.
        let mixed = match by_bounds.len() > 1 && !relations.is_empty() {
            true => core(prover, &hard, &others, &relations)?.filter(|core| core.len() < by_bounds.len()),
            false => None,
        };
        return Ok(Before::Facts(mixed.unwrap_or(by_bounds)));
    }
    if let Some(core) = core(prover, &hard, &others, &relations)? {
        return Ok(Before::Facts(core));
    }
    let sums = sums(prover, link, constraints, goal)?;
    if !sums.is_empty()
        && let Some(core) = core(prover, &hard, &[&others[..], &sums].concat(), &relations)?
    {
        return Ok(Before::Facts(core));
    }
    if kind == Facts::General {
        return Ok(Before::TooSpecial);
    }
    let precondition = weakest_precondition(prover, link, goal);
    if let Ok(term) = precondition
        && prover.terms.size(term, MOST_NODES) < MOST_NODES
    {
        return Ok(Before::Facts(vec![term]));
    }
    let others = [others, exact_bounds(prover, &variables)].concat();
    match core(prover, &hard, &others, &relations)? {
        Some(core) => Ok(Before::Facts(core)),
        None => precondition.map(|term| Before::Facts(vec![term])),
    }
}

/// Some of the facts that contradict what is certain, as few and as weak as possible, and rather of the preferred ones; nothing if
/// they do not.
fn core(
    prover: &mut Prover,
    hard: &[Term],
    facts: &[Term],
    preferred: &[Term],
) -> Result<Option<Vec<Term>>, Stop> {
    let Some(mut needed) = part(prover, &[hard, preferred].concat(), facts)? else { return Ok(None) };
    if !preferred.is_empty() {
        let preferred = part(prover, &[hard, &needed].concat(), preferred)?;
        needed.extend(preferred.unwrap_or_default());
    }
    let core = minimal(prover, hard, needed)?;
    Ok(Some(loosened(prover, hard, core)?))
}

/// Some of the facts that contradict what is certain.
fn part(prover: &mut Prover, hard: &[Term], facts: &[Term]) -> Result<Option<Vec<Term>>, Stop> {
    let (terms, solver) = prover.solver()?;
    let hard = terms.propagated(hard.to_vec());
    match solver.core(terms, &hard, facts)? {
        Core::Unsat(core) => Ok(Some(core.into_iter().map(|number| facts[number]).collect())),
        Core::Sat => Ok(None),
        Core::Unknown => Err(Stop::Unknown("the solver does not know why a path cannot be taken".to_owned())),
    }
}

/// The variables in the goal with their values on this path.
fn values(prover: &Prover, link: &Link, goal: &[Term]) -> Vec<(Variable, Term)> {
    let terms = &prover.terms;
    let mut variables: Vec<(Variable, Term)> = terms
        .variables_of(goal.iter().copied())
        .into_iter()
        .filter(|&variable| Some(variable) != link.input && terms.sort(variable) != Sort::Array)
        .filter_map(|variable| link.state.get(&variable).map(|&value| (variable, value)))
        .collect();
    variables.sort_unstable();
    variables
}

/// Bounds of variables by the nearest constants of the program.
fn rounded_bounds(prover: &mut Prover, variables: &[(Variable, Term)]) -> Vec<Term> {
    let (terms, thresholds) = (&mut prover.terms, &prover.intervals.thresholds);
    let mut facts = Vec::new();
    for &(variable, value) in variables {
        let (Some(value), term) = (terms.as_int(value), terms.var(variable)) else { continue };
        let above = thresholds.get(thresholds.partition_point(|&t| t < value));
        let below = thresholds[..thresholds.partition_point(|&t| t <= value)].last();
        if let Some(&above) = above {
            let above = terms.int(above);
            facts.push(terms.le(term, above));
        }
        if let Some(&below) = below {
            let below = terms.int(below);
            facts.push(terms.le(below, term));
        }
    }
    facts
}

/// Bounds of variables by their values.
fn exact_bounds(prover: &mut Prover, variables: &[(Variable, Term)]) -> Vec<Term> {
    let terms = &mut prover.terms;
    let mut facts = Vec::new();
    for &(variable, value) in variables {
        let term = terms.var(variable);
        if terms.as_int(value).is_some() {
            facts.extend([terms.le(term, value), terms.le(value, term)]);
        }
    }
    facts
}

/// How variables are related to each other that the goal compares: which is less, and how far they are apart, around the end of the
/// numbers if need be. Of comparisons of more than two variables, what they say on this path. Variables with few values, flags, are not
/// related to each other.
fn relations(prover: &mut Prover, link: &Link, goal: &[Term]) -> Vec<Term> {
    let mut facts = Vec::new();
    for comparison in comparisons(prover, goal) {
        let mut compared = values(prover, link, &[comparison]);
        compared.retain(|(variable, _)| prover.intervals.is_wide(*variable));
        match compared[..] {
            [one, other] => facts.extend(relation(&mut prover.terms, one, other)),
            [_, _, _, ..] => facts.extend(on_path(prover, link, comparison)),
            _ => {}
        }
    }
    facts.retain(|&fact| fact != prover.terms.yes());
    facts.sort_unstable();
    facts.dedup();
    facts
}

/// What variables that the goal compares are together, two of them, all, or all but one, where that is a number on this path: transfers
/// keep it.
fn sums(prover: &mut Prover, link: &Link, constraints: &[Term], goal: &[Term]) -> Result<Vec<Term>, Stop> {
    let mut facts = BTreeSet::new();
    for comparison in comparisons(prover, goal) {
        let mut compared = values(prover, link, &[comparison]);
        compared.retain(|(variable, _)| prover.intervals.is_wide(*variable));
        let count = compared.len();
        if !(2..=MOST_SUMMANDS).contains(&count) {
            continue;
        }
        let pairs = (0..count).flat_map(|i| (0..i).map(move |j| vec![i, j]));
        let but_one = (0..=count).map(|left_out| (0..count).filter(|&i| i != left_out).collect());
        for chosen in pairs.chain(but_one).filter(|chosen: &Vec<usize>| chosen.len() > 1) {
            let terms = &mut prover.terms;
            let (mut sum, mut total) = (terms.int(0), terms.int(0));
            for (variable, value) in chosen.into_iter().map(|number| compared[number]) {
                let (variable, value) = (terms.var(variable), unwrapped(terms, value));
                (sum, total) = (terms.plus(sum, variable), terms.plus(total, value));
            }
            if terms.as_int(total).is_some() {
                facts.insert(terms.eq(sum, total));
            }
        }
    }
    let mut certain = Vec::new();
    for fact in facts {
        let holds = prover.terms.substitute(fact, &link.state);
        let fails = prover.terms.not(holds);
        if prover.check([constraints, &[fails]].concat())? == Answer::Unsat {
            certain.push(fact);
        }
    }
    Ok(certain)
}

/// A value as if nothing had ever been too large for a number: a guess at what it is.
fn unwrapped(terms: &mut Terms, value: Term) -> Term {
    match terms.node(value).clone() {
        Node::Ite(_, _, otherwise) => unwrapped(terms, otherwise),
        Node::Sum(parts, constant) => {
            let constant = terms.int(constant);
            parts.into_iter().fold(constant, |sum, (part, factor)| {
                let (part, factor) = (unwrapped(terms, part), terms.int(factor));
                let part = terms.times(factor, part);
                terms.plus(sum, part)
            })
        }
        _ => value,
    }
}

/// All comparisons in some formulas.
fn comparisons(prover: &Prover, formulas: &[Term]) -> BTreeSet<Term> {
    let mut seen: BTreeSet<Term> = formulas.iter().copied().collect();
    let mut todo: Vec<Term> = formulas.to_vec();
    let mut found = BTreeSet::new();
    while let Some(term) = todo.pop() {
        if matches!(prover.terms.node(term), Node::Le(..) | Node::Eq(..)) {
            found.insert(term);
        }
        todo.extend(prover.terms.operands(term).into_iter().filter(|&operand| seen.insert(operand)));
    }
    found
}

/// How two variables with these values are related.
fn relation(terms: &mut Terms, one: (Variable, Term), other: (Variable, Term)) -> Vec<Term> {
    let mut facts = Vec::new();
    let distance = terms.minus(one.1, other.1);
    let Some(distance) = terms.as_int(distance) else { return facts };
    let (x, y) = (terms.var(one.0), terms.var(other.0));
    let difference = terms.minus(x, y);
    if terms.as_int(one.1).is_none() {
        let distance = terms.int(distance);
        return vec![terms.le(difference, distance), terms.le(distance, difference)];
    }
    match distance {
        0 => {}
        1.. => facts.push(terms.lt(y, x)),
        _ => facts.push(terms.lt(x, y)),
    }
    if distance.abs() <= MOST_DISTANCE {
        let ways = [distance, distance - ROUND, distance + ROUND].map(|distance| {
            let distance = terms.int(distance);
            terms.eq(difference, distance)
        });
        let possible = if distance == 0 { &ways[..1] } else { &ways[..] };
        facts.push(terms.or(possible.iter().copied()));
    }
    facts
}

/// A formula or its negation, whichever holds on this path.
fn on_path(prover: &mut Prover, link: &Link, formula: Term) -> Option<Term> {
    let terms = &mut prover.terms;
    let value = terms.substitute(formula, &link.state);
    match value {
        _ if value == terms.yes() => Some(formula),
        _ if value == terms.no() => Some(terms.not(formula)),
        _ => None,
    }
}

/// Predicates that were useful before, hold on this path, and are about variables of the goal only.
fn known(prover: &mut Prover, link: &Link, goal: &[Term]) -> Vec<Term> {
    let variables: BTreeSet<Variable> = prover.terms.variables_of(goal.iter().copied()).into_iter().collect();
    let mut known = Vec::new();
    for predicate in prover.predicates() {
        let of = prover.terms.variables_of([predicate]);
        if of.len() > 1
            && of.iter().all(|variable| variables.contains(variable))
            && on_path(prover, link, predicate) == Some(predicate)
        {
            known.push(predicate);
        }
    }
    known
}

/// A core from which nothing can be left out.
fn minimal(prover: &mut Prover, hard: &[Term], mut core: Vec<Term>) -> Result<Vec<Term>, Stop> {
    let mut position = 0;
    while position < core.len() {
        let mut formulas = hard.to_vec();
        formulas.extend(core.iter().enumerate().filter(|(i, _)| *i != position).map(|(_, &fact)| fact));
        if prover.check(formulas)? == Answer::Unsat {
            core.remove(position);
        } else {
            position += 1;
        }
    }
    Ok(core)
}

/// The core with each bound of one variable moved as far as the constants of the program allow.
fn loosened(prover: &mut Prover, hard: &[Term], mut core: Vec<Term>) -> Result<Vec<Term>, Stop> {
    for position in 0..core.len() {
        for looser in looser_bounds(prover, core[position]) {
            let mut formulas = hard.to_vec();
            formulas
                .extend(core.iter().enumerate().map(|(i, &fact)| if i == position { looser } else { fact }));
            if prover.check(formulas)? == Answer::Unsat {
                core[position] = looser;
                break;
            }
        }
    }
    Ok(core)
}

/// Weaker bounds of the same variable, the weakest first.
fn looser_bounds(prover: &mut Prover, fact: Term) -> Vec<Term> {
    let Node::Le(left, bound) = *prover.terms.node(fact) else { return Vec::new() };
    let factor = match prover.terms.node(left) {
        Node::Var(_) => 1,
        Node::Sum(parts, 0) if matches!(parts[..], [(_, -1)]) => -1,
        _ => return Vec::new(),
    };
    let mut bounds: Vec<i128> =
        prover.intervals.thresholds.iter().map(|&t| t * factor).filter(|&t| t > bound).collect();
    bounds.sort_unstable_by(|a, b| b.cmp(a));
    let skipped = bounds.len().saturating_sub(MOST_BOUNDS);
    let tried: Vec<i128> = bounds.into_iter().skip(skipped).collect();
    tried
        .into_iter()
        .map(|looser| {
            let looser = prover.terms.int(looser);
            prover.terms.le(left, looser)
        })
        .collect()
}

/// The condition before a step under which the goal is not reached, whatever the input.
fn weakest_precondition(prover: &mut Prover, link: &Link, goal: &[Term]) -> Result<Term, Stop> {
    let reached = prover.terms.and(goal.iter().copied());
    let missed = prover.terms.not(reached);
    let Some(input) = link.input.filter(|input| prover.terms.variables_of([missed]).contains(input)) else {
        return Ok(missed);
    };
    let range = input_range(prover, link, input);
    let Some((low, high)) = range.filter(|(low, high)| high - low <= MOST_VALUES) else {
        return instantiated(prover, link, goal, input, missed);
    };
    let mut all = Vec::new();
    for value in low..high {
        let value = prover.terms.int(value);
        all.push(prover.terms.substitute(missed, &Substitution::from([(input, value)])));
    }
    Ok(prover.terms.and(all))
}

/// The weakest precondition of a step with many inputs, by instantiation: a formula holds for all values of a variable if it holds for the
/// bounds that its comparisons set, as long as the variable has no coefficients in them [LoosWeispfenning1993]. Otherwise values from models are added, a few.
fn instantiated(
    prover: &mut Prover,
    link: &Link,
    goal: &[Term],
    input: Variable,
    missed: Term,
) -> Result<Term, Stop> {
    let mut instances = BTreeSet::new();
    for value in test_points(prover, input, missed) {
        instances.insert(prover.terms.substitute(missed, &Substitution::from([(input, value)])));
    }
    for _ in 0..MOST_MODELS {
        let mut formulas = [&link.premises[..], goal].concat();
        formulas.extend(&instances);
        let (terms, solver) = prover.solver()?;
        match solver.model(terms, &formulas, &[input])? {
            Err(Answer::Unsat) => return Ok(prover.terms.and(instances)),
            Err(_) => break,
            Ok(values) => {
                let Some(value) = values.get(&input).and_then(|value| value.int()) else { break };
                let value = prover.terms.int(value);
                instances.insert(prover.terms.substitute(missed, &Substitution::from([(input, value)])));
            }
        }
    }
    Err(Stop::Unknown("no interpolant was found for a step with many inputs".to_owned()))
}

/// The bounds that comparisons set for a variable, and their neighbours.
fn test_points(prover: &mut Prover, variable: Variable, formula: Term) -> BTreeSet<Term> {
    let mut points = BTreeSet::new();
    for comparison in comparisons(prover, &[formula]) {
        let (Node::Le(left, bound) | Node::Eq(left, bound)) = *prover.terms.node(comparison) else {
            continue;
        };
        let terms = &mut prover.terms;
        let own = terms.var(variable);
        let coefficient = match terms.node(left) {
            _ if left == own => 1,
            Node::Sum(parts, 0) => parts.iter().find(|part| part.0 == own).map_or(0, |part| part.1),
            _ => 0,
        };
        if coefficient.abs() != 1 {
            continue;
        }
        // The comparison is `coefficient * variable + rest` with `bound`; so its bound is at `coefficient * (bound - rest)`.
        let factor = terms.int(coefficient);
        let of_variable = terms.times(factor, own);
        let rest = terms.minus(left, of_variable);
        if terms.variables_of([rest]).contains(&variable) {
            continue;
        }
        let bound = terms.int(bound);
        let distance = terms.minus(bound, rest);
        let point = terms.times(factor, distance);
        for near in [-1, 0, 1] {
            let near = terms.int(near);
            points.insert(terms.plus(point, near));
        }
    }
    points
}

/// Constant bounds of an input, from the guard of its step.
fn input_range(prover: &mut Prover, link: &Link, input: Variable) -> Option<(i128, i128)> {
    let (mut low, mut high) = (None, None);
    for part in prover.terms.conjuncts(link.guard) {
        let Node::Le(left, bound) = *prover.terms.node(part) else { continue };
        match prover.terms.node(left) {
            Node::Var(variable) if *variable == input => high = Some(bound + 1),
            Node::Sum(parts, 0) => {
                if let [(only, -1)] = parts[..]
                    && let Node::Var(variable) = prover.terms.node(only)
                    && *variable == input
                {
                    low = Some(-bound);
                }
            }
            _ => {}
        }
    }
    Some((low?, high?))
}
