//! Replacing variables by terms.

use crate::term::{Node, Term, Terms, Variable};
use std::collections::{BTreeMap, HashMap};

/// A term for each of some variables.
pub type Substitution = BTreeMap<Variable, Term>;

impl Terms {
    /// The term with variables replaced, all at once.
    pub fn substitute(&mut self, term: Term, by: &Substitution) -> Term {
        if by.is_empty() {
            return term;
        }
        self.replace(term, by, &mut HashMap::new())
    }

    fn replace(&mut self, term: Term, by: &Substitution, done: &mut HashMap<Term, Term>) -> Term {
        if let Some(&known) = done.get(&term) {
            return known;
        }
        let node = self.node(term).clone();
        let new = match node {
            Node::Const(_) | Node::ConstArray(_) | Node::True | Node::False => term,
            Node::Var(variable) => by.get(&variable).copied().unwrap_or(term),
            Node::Sum(parts, constant) => {
                let mut sum = self.int(constant);
                for (part, coefficient) in parts {
                    let (part, coefficient) = (self.replace(part, by, done), self.int(coefficient));
                    let product = self.times(coefficient, part);
                    sum = self.plus(sum, product);
                }
                sum
            }
            Node::Product(a, b) => self.replace_two(a, b, by, done, Terms::times),
            Node::Div(a, b) => self.replace_two(a, b, by, done, Terms::div),
            Node::Mod(a, b) => self.replace_two(a, b, by, done, Terms::modulo),
            Node::Bits(op, a, b) => self.replace_two(a, b, by, done, |t, a, b| t.bits(op, a, b)),
            Node::Select(a, b) => self.replace_two(a, b, by, done, Terms::select),
            Node::Ite(a, b, c) => {
                let a = self.replace(a, by, done);
                let (b, c) = (self.replace(b, by, done), self.replace(c, by, done));
                self.ite(a, b, c)
            }
            Node::Store(a, b, c) => {
                let a = self.replace(a, by, done);
                let (b, c) = (self.replace(b, by, done), self.replace(c, by, done));
                self.store(a, b, c)
            }
            Node::Le(a, bound) => {
                let (a, bound) = (self.replace(a, by, done), self.int(bound));
                self.le(a, bound)
            }
            Node::Eq(a, value) => {
                let (a, value) = (self.replace(a, by, done), self.int(value));
                self.eq(a, value)
            }
            Node::Not(a) => {
                let a = self.replace(a, by, done);
                self.not(a)
            }
            Node::And(parts) => {
                let parts: Vec<Term> = parts.into_iter().map(|p| self.replace(p, by, done)).collect();
                self.and(parts)
            }
            Node::Or(parts) => {
                let parts: Vec<Term> = parts.into_iter().map(|p| self.replace(p, by, done)).collect();
                self.or(parts)
            }
        };
        done.insert(term, new);
        new
    }

    fn replace_two(
        &mut self,
        a: Term,
        b: Term,
        by: &Substitution,
        done: &mut HashMap<Term, Term>,
        make: impl FnOnce(&mut Terms, Term, Term) -> Term,
    ) -> Term {
        let (a, b) = (self.replace(a, by, done), self.replace(b, by, done));
        make(self, a, b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Sort;

    #[test]
    fn variables_are_replaced_all_at_once() {
        let mut t = Terms::new();
        let (x, y) = (t.variable("x", Sort::Int), t.variable("y", Sort::Int));
        let (tx, ty) = (t.var(x), t.var(y));
        let less = t.lt(tx, ty);
        let swapped = t.substitute(less, &Substitution::from([(x, ty), (y, tx)]));
        assert_eq!(swapped, t.lt(ty, tx));
        let one = t.int(1);
        let known = t.substitute(less, &Substitution::from([(x, one), (y, one)]));
        assert_eq!(known, t.no());
    }
}
