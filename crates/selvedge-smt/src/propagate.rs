//! Variables that formulas fix, replaced by their values before a solver is asked.
//!
//! Solvers do that, too, but not before they have looked at products of variables, which can take them forever.

use crate::substitute::Substitution;
use crate::term::{Node, Term, Terms, Variable};
use std::collections::BTreeMap;

/// How often it is looked for more variables.
const ROUNDS: usize = 4;

impl Terms {
    /// Formulas that are true together for the same values, in which variables that the given ones fix appear once, in an equation.
    pub fn propagated(&mut self, formulas: Vec<Term>) -> Vec<Term> {
        let mut formulas = formulas;
        let mut equations = Vec::new();
        for _ in 0..ROUNDS {
            let fixed = self.fixed(&formulas);
            if fixed.is_empty() {
                break;
            }
            let mut values = Substitution::new();
            for (variable, value) in fixed {
                let (term, value) = (self.var(variable), self.int(value));
                equations.push(self.eq(term, value));
                values.insert(variable, value);
            }
            let replaced: Vec<Term> =
                formulas.into_iter().map(|formula| self.substitute(formula, &values)).collect();
            let all = self.and(replaced);
            formulas = match all == self.no() {
                true => return vec![all],
                false => self.conjuncts(all),
            };
        }
        formulas.extend(equations);
        formulas
    }

    /// The variables that formulas fix: by an equation, or by bounds that meet.
    fn fixed(&self, formulas: &[Term]) -> BTreeMap<Variable, i128> {
        let (mut fixed, mut most, mut least) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for &formula in formulas {
            match *self.node(formula) {
                Node::Eq(left, value) => {
                    if let Node::Var(variable) = *self.node(left) {
                        fixed.entry(variable).or_insert(value);
                    }
                }
                Node::Le(left, bound) => match self.node(left) {
                    Node::Var(variable) => {
                        let known = most.entry(*variable).or_insert(bound);
                        *known = bound.min(*known);
                    }
                    Node::Sum(parts, 0) => {
                        if let [(only, -1)] = parts[..]
                            && let Node::Var(variable) = *self.node(only)
                        {
                            let known = least.entry(variable).or_insert(-bound);
                            *known = (-bound).max(*known);
                        }
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        let meeting = most.into_iter().filter(|(variable, bound)| least.get(variable) == Some(bound));
        meeting.for_each(|(variable, bound)| {
            fixed.entry(variable).or_insert(bound);
        });
        fixed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::Value;
    use crate::term::Sort;

    #[test]
    fn products_with_what_is_known_become_sums() {
        let mut t = Terms::new();
        let (x, y) = (t.variable("x", Sort::Int), t.variable("y", Sort::Int));
        let (tx, ty, zero, two) = (t.var(x), t.var(y), t.int(0), t.int(2));
        let (low, high) = (t.le(two, tx), t.le(tx, two));
        let product = t.times(tx, ty);
        let positive = t.lt(zero, product);
        let asked = t.propagated(vec![low, high, positive]);
        let (is_two, linear) = (t.eq(tx, two), t.lt(zero, ty));
        assert_eq!(asked, [linear, is_two]);
        let wrong = t.propagated(vec![low, high, is_two, t.no()]);
        assert_eq!(wrong, [t.no()]);
    }

    /// Formulas over two variables with small values mean the same before and after.
    #[test]
    fn nothing_becomes_true_or_false_that_was_not() {
        let mut t = Terms::new();
        let (x, y) = (t.variable("x", Sort::Int), t.variable("y", Sort::Int));
        let (tx, ty) = (t.var(x), t.var(y));
        let product = t.times(tx, ty);
        let mut atoms = Vec::new();
        for value in -1..=1 {
            let value = t.int(value);
            for term in [tx, ty, product] {
                atoms.extend([t.eq(term, value), t.le(term, value), t.le(value, term)]);
            }
        }
        let holds = |t: &Terms, formulas: &[Term], a: i128, b: i128| {
            let values = |v| Some(Value::Int(if v == x { a } else { b }));
            formulas.iter().all(|&formula| t.evaluate(formula, &values) == Some(Value::Int(1)))
        };
        for &one in &atoms {
            for &other in &atoms {
                for &third in &atoms {
                    let formulas = vec![one, other, third];
                    let asked = t.propagated(formulas.clone());
                    for (a, b) in (-2..=2).flat_map(|a| (-2..=2).map(move |b| (a, b))) {
                        assert_eq!(holds(&t, &formulas, a, b), holds(&t, &asked, a, b), "{formulas:?}");
                    }
                }
            }
        }
    }
}
