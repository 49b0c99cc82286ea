//! The value of a term when the values of its variables are known.

use crate::term::{Node, Term, Terms, Variable};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// What a variable holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// An integer.
    Int(i128),
    /// An array: what it holds almost everywhere, and the exceptions.
    Array(i128, Arc<BTreeMap<i128, i128>>),
}

impl Value {
    /// The integer.
    pub fn int(&self) -> Option<i128> {
        match self {
            Value::Int(value) => Some(*value),
            Value::Array(..) => None,
        }
    }
}

impl Terms {
    /// The value of a term, truth values as 0 and 1. Nothing if a variable has none, or at a division by 0.
    pub fn evaluate(&self, term: Term, values: &dyn Fn(Variable) -> Option<Value>) -> Option<Value> {
        Evaluation { terms: self, values, done: HashMap::new() }.value(term)
    }
}

/// The values of the parts of a term, each found once.
struct Evaluation<'e> {
    terms: &'e Terms,
    values: &'e dyn Fn(Variable) -> Option<Value>,
    done: HashMap<Term, Option<Value>>,
}

impl Evaluation<'_> {
    fn value(&mut self, term: Term) -> Option<Value> {
        if let Some(known) = self.done.get(&term) {
            return known.clone();
        }
        let value = self.compute(term);
        self.done.insert(term, value.clone());
        value
    }

    fn int(&mut self, term: Term) -> Option<i128> {
        self.value(term)?.int()
    }

    fn compute(&mut self, term: Term) -> Option<Value> {
        Some(Value::Int(match self.terms.node(term) {
            Node::Const(value) => *value,
            Node::Var(variable) => return (self.values)(*variable),
            Node::Sum(parts, constant) => {
                let mut sum = *constant;
                for &(part, coefficient) in parts {
                    sum = sum.checked_add(coefficient.checked_mul(self.int(part)?)?)?;
                }
                sum
            }
            Node::Product(a, b) => self.int(*a)?.checked_mul(self.int(*b)?)?,
            Node::Div(a, b) => self.int(*a)?.checked_div_euclid(self.int(*b)?)?,
            Node::Mod(a, b) => self.int(*a)?.checked_rem_euclid(self.int(*b)?)?,
            Node::Bits(op, a, b) => i128::from(op.apply(self.int(*a)? as i64, self.int(*b)? as i64)),
            Node::Ite(condition, then, otherwise) => {
                let chosen = if self.int(*condition)? != 0 { *then } else { *otherwise };
                return self.value(chosen);
            }
            Node::Select(array, index) => match (self.value(*array)?, self.int(*index)?) {
                (Value::Array(usual, exceptions), index) => *exceptions.get(&index).unwrap_or(&usual),
                (Value::Int(_), _) => return None,
            },
            Node::Store(array, index, value) => match self.value(*array)? {
                Value::Array(usual, mut exceptions) => {
                    Arc::make_mut(&mut exceptions).insert(self.int(*index)?, self.int(*value)?);
                    return Some(Value::Array(usual, exceptions));
                }
                Value::Int(_) => return None,
            },
            Node::ConstArray(value) => return Some(Value::Array(*value, Arc::default())),
            Node::True => 1,
            Node::False => 0,
            Node::Le(a, bound) => i128::from(self.int(*a)? <= *bound),
            Node::Eq(a, value) => i128::from(self.int(*a)? == *value),
            Node::Not(a) => 1 - self.int(*a)?,
            Node::And(parts) => {
                for &part in parts {
                    if self.int(part)? == 0 {
                        return Some(Value::Int(0));
                    }
                }
                1
            }
            Node::Or(parts) => {
                for &part in parts {
                    if self.int(part)? != 0 {
                        return Some(Value::Int(1));
                    }
                }
                0
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Sort;

    #[test]
    fn terms_have_the_value_of_their_definition() {
        let mut t = Terms::new();
        let (x, a) = (t.variable("x", Sort::Int), t.variable("a", Sort::Array));
        let (tx, ta, five) = (t.var(x), t.var(a), t.int(5));
        let stored = t.store(ta, tx, five);
        let element = t.select(stored, five);
        let values = |v: Variable| {
            Some(if v == x { Value::Int(3) } else { Value::Array(7, Arc::new(BTreeMap::from([(5, 9)]))) })
        };
        assert_eq!(t.evaluate(element, &values), Some(Value::Int(9)));
        let three = t.int(3);
        let quotient = t.div(five, tx);
        assert_eq!(t.evaluate(quotient, &values), Some(Value::Int(1)));
        let equal = t.eq(tx, three);
        assert_eq!(t.evaluate(equal, &values), Some(Value::Int(1)));
        assert_eq!(t.evaluate(equal, &|_| None), None);
    }
}
