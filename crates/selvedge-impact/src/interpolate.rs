//! Sequence interpolants of a path that cannot be taken.
//!
//! From the end backwards: before each step, facts about the state on this path are found that, together with the label there,
//! make it impossible to take the step and miss what was found after it. A fact is a bound `x <= c` or `x >= c` of a
//! variable that matters, where `c` is what the path's strongest postcondition says of `x`; an unsatisfiable core says which
//! bounds are needed, and each is then loosened as far as the constants of the program allow, so that labels say
//! `count <= 999` and not `count = 0`. Where facts do not suffice, the weakest precondition is taken. Every
//! interpolant is implied by the one before it and the step, because that is how it was found.

use crate::context::{Prover, Stop};
use selvedge_smt::substitute::Substitution;
use selvedge_smt::{Answer, Core, Sort, Term, Variable};

/// Values of an input up to which a weakest precondition lists them.
const MOST_VALUES: i128 = 16;
/// Constants that are tried when a bound is loosened.
const MOST_BOUNDS: usize = 8;

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

/// For each step the conjuncts that its node needs, from the first step that needs any; the steps before need nothing.
pub(crate) fn sequence_interpolant(prover: &mut Prover, links: &[Link]) -> Result<Vec<Vec<Term>>, Stop> {
    let mut interpolants = vec![Vec::new(); links.len()];
    let mut after = prover.terms.no();
    for (step, link) in links.iter().enumerate().rev() {
        let missed = prover.terms.not(after);
        let missed = prover.terms.substitute(missed, &link.updates);
        let goal = vec![link.guard, missed];
        match before(prover, link, &goal)? {
            None => return Ok(interpolants),
            Some(facts) => {
                after = prover.terms.and(facts.iter().copied());
                interpolants[step] = prover.terms.conjuncts(after);
            }
        }
    }
    Ok(interpolants)
}

/// Facts that, with the label, contradict the goal; nothing if the label alone does.
fn before(prover: &mut Prover, link: &Link, goal: &[Term]) -> Result<Option<Vec<Term>>, Stop> {
    let mut hard = link.premises.clone();
    hard.extend_from_slice(goal);
    if prover.check(hard.clone())? == Answer::Unsat {
        return Ok(None);
    }
    let facts = facts(prover, link, goal);
    let (terms, solver) = prover.solver()?;
    match solver.core(terms, &hard, &facts)? {
        Core::Unsat(core) => {
            let core = core.into_iter().map(|number| facts[number]).collect();
            let core = minimal(prover, &hard, core)?;
            Ok(Some(loosened(prover, &hard, core)?))
        }
        Core::Sat => weakest_precondition(prover, link, goal).map(|term| Some(vec![term])),
        Core::Unknown => Err(Stop::Unknown("the solver does not know why a path cannot be taken".to_owned())),
    }
}

/// What is known of the variables in the goal on this path.
fn facts(prover: &mut Prover, link: &Link, goal: &[Term]) -> Vec<Term> {
    let terms = &mut prover.terms;
    let variables: Vec<(Variable, Term)> = terms
        .variables_of(goal.iter().copied())
        .into_iter()
        .filter(|&variable| Some(variable) != link.input && terms.sort(variable) != Sort::Array)
        .filter_map(|variable| link.state.get(&variable).map(|&value| (variable, value)))
        .collect();
    let mut facts = Vec::new();
    for (position, &(variable, value)) in variables.iter().enumerate() {
        let term = terms.var(variable);
        if terms.as_int(value).is_some() {
            facts.extend([terms.le(term, value), terms.le(value, term)]);
            continue;
        }
        for &(other, other_value) in &variables[..position] {
            let (distance, other) = (terms.minus(value, other_value), terms.var(other));
            if terms.as_int(distance).is_some() {
                let shifted = terms.plus(other, distance);
                facts.extend([terms.le(term, shifted), terms.le(shifted, term)]);
            }
        }
    }
    facts.retain(|&fact| fact != prover.terms.yes());
    facts
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
    let selvedge_smt::Node::Le(left, bound) = *prover.terms.node(fact) else { return Vec::new() };
    let factor = match prover.terms.node(left) {
        selvedge_smt::Node::Var(_) => 1,
        selvedge_smt::Node::Sum(parts, 0) if matches!(parts[..], [(_, -1)]) => -1,
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
        return Err(Stop::Unknown("no interpolant was found for a step with many inputs".to_owned()));
    };
    let mut all = Vec::new();
    for value in low..high {
        let value = prover.terms.int(value);
        all.push(prover.terms.substitute(missed, &Substitution::from([(input, value)])));
    }
    Ok(prover.terms.and(all))
}

/// Constant bounds of an input, from the guard of its step.
fn input_range(prover: &mut Prover, link: &Link, input: Variable) -> Option<(i128, i128)> {
    let (mut low, mut high) = (None, None);
    for part in prover.terms.conjuncts(link.guard) {
        let selvedge_smt::Node::Le(left, bound) = *prover.terms.node(part) else { continue };
        match prover.terms.node(left) {
            selvedge_smt::Node::Var(variable) if *variable == input => high = Some(bound + 1),
            selvedge_smt::Node::Sum(parts, 0) => {
                if let [(only, -1)] = parts[..]
                    && let selvedge_smt::Node::Var(variable) = prover.terms.node(only)
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
