//! Terms with sharing: equal terms are one, in a normal form made while they are built.
//!
//! Integers are mathematical. A sum is a list of terms with coefficients and a constant; comparisons have all terms on
//! the left and a constant on the right. So `x < 5`, `5 > x` and `x <= 4` are the same term, and so are its negation and
//! `x >= 5`. The normal form is what makes syntactic comparison useful; it is not needed for correctness.

use std::collections::HashMap;

/// A term, as a number in [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(u32);

/// A variable, as a number in [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variable(pub u32);

/// What a variable stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// An integer.
    Int,
    /// An integer that 64 bits can hold with their sign.
    Word,
    /// An array of integers, indexed by integers.
    Array,
}

/// An operator on the 64 bits of two integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BitOp {
    /// And.
    And,
    /// Or.
    Or,
    /// Exclusive or.
    Xor,
}

/// What a term is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// An integer.
    Const(i128),
    /// A variable.
    Var(Variable),
    /// The sum of terms with coefficients, in the order of the terms, and a constant.
    Sum(Vec<(Term, i128)>, i128),
    /// The product of two terms that are not constants.
    Product(Term, Term),
    /// The quotient of the division whose remainder is never negative.
    Div(Term, Term),
    /// The remainder of that division.
    Mod(Term, Term),
    /// An operator on the bits of the two's complement of 64 bits.
    Bits(BitOp, Term, Term),
    /// One of two terms.
    Ite(Term, Term, Term),
    /// An element of an array.
    Select(Term, Term),
    /// An array with one element replaced.
    Store(Term, Term, Term),
    /// The array that has this value everywhere.
    ConstArray(i128),
    /// True.
    True,
    /// False.
    False,
    /// The term, a sum without constant, is at most this.
    Le(Term, i128),
    /// The term, a sum without constant, is equal to this.
    Eq(Term, i128),
    /// Not.
    Not(Term),
    /// All of these, sorted, at least two.
    And(Vec<Term>),
    /// One of these, sorted, at least two.
    Or(Vec<Term>),
}

/// All terms.
#[derive(Debug)]
pub struct Terms {
    nodes: Vec<Node>,
    numbers: HashMap<Node, Term>,
    /// Negations that are known: without them, negating what shares parts takes time without measure.
    negations: HashMap<Term, Term>,
    variables: Vec<(String, Sort)>,
}

impl Default for Terms {
    fn default() -> Self {
        Terms::new()
    }
}

impl Terms {
    /// No terms but the truth values.
    pub fn new() -> Terms {
        let mut terms = Terms {
            nodes: Vec::new(),
            numbers: HashMap::new(),
            negations: HashMap::new(),
            variables: Vec::new(),
        };
        terms.add(Node::True);
        terms.add(Node::False);
        terms
    }

    fn add(&mut self, node: Node) -> Term {
        if let Some(&term) = self.numbers.get(&node) {
            return term;
        }
        let term = Term(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.numbers.insert(node, term);
        term
    }

    /// What a term is made of.
    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    /// The number of different terms.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no terms, which never is the case.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A new variable. Names are for people; two variables may have the same.
    pub fn variable(&mut self, name: impl Into<String>, sort: Sort) -> Variable {
        self.variables.push((name.into(), sort));
        Variable(self.variables.len() as u32 - 1)
    }

    /// The name of a variable.
    pub fn name(&self, variable: Variable) -> &str {
        &self.variables[variable.0 as usize].0
    }

    /// The sort of a variable.
    pub fn sort(&self, variable: Variable) -> Sort {
        self.variables[variable.0 as usize].1
    }

    /// The variable as a term.
    pub fn var(&mut self, variable: Variable) -> Term {
        self.add(Node::Var(variable))
    }

    /// An integer.
    pub fn int(&mut self, value: impl Into<i128>) -> Term {
        self.add(Node::Const(value.into()))
    }

    /// The integer that a term is, if it is one.
    pub fn as_int(&self, term: Term) -> Option<i128> {
        match self.node(term) {
            Node::Const(value) => Some(*value),
            _ => None,
        }
    }

    /// True.
    pub fn yes(&self) -> Term {
        Term(0)
    }

    /// False.
    pub fn no(&self) -> Term {
        Term(1)
    }

    /// A truth value.
    pub fn bool(&self, value: bool) -> Term {
        Term(u32::from(!value))
    }

    fn parts(&self, term: Term) -> (Vec<(Term, i128)>, i128) {
        match self.node(term) {
            Node::Const(value) => (Vec::new(), *value),
            Node::Sum(parts, constant) => (parts.clone(), *constant),
            _ => (vec![(term, 1)], 0),
        }
    }

    fn of_parts(&mut self, parts: Vec<(Term, i128)>, constant: i128) -> Term {
        match parts[..] {
            [] => self.int(constant),
            [(term, 1)] if constant == 0 => term,
            _ => self.add(Node::Sum(parts, constant)),
        }
    }

    /// `a + factor * b`, or nothing if the coefficients become too large.
    fn combine(&mut self, a: Term, b: Term, factor: i128) -> Option<Term> {
        let ((mut parts, constant), (others, more)) = (self.parts(a), self.parts(b));
        for (term, coefficient) in others {
            let coefficient = coefficient.checked_mul(factor)?;
            match parts.binary_search_by_key(&term, |part| part.0) {
                Ok(at) => {
                    parts[at].1 = parts[at].1.checked_add(coefficient)?;
                    if parts[at].1 == 0 {
                        parts.remove(at);
                    }
                }
                Err(at) => parts.insert(at, (term, coefficient)),
            }
        }
        let constant = constant.checked_add(more.checked_mul(factor)?)?;
        Some(self.of_parts(parts, constant))
    }

    /// The sum.
    pub fn plus(&mut self, a: Term, b: Term) -> Term {
        self.combine(a, b, 1).unwrap_or_else(|| self.add(Node::Sum(vec![(a, 1), (b, 1)], 0)))
    }

    /// The difference.
    pub fn minus(&mut self, a: Term, b: Term) -> Term {
        self.combine(a, b, -1).unwrap_or_else(|| self.add(Node::Sum(vec![(a, 1), (b, -1)], 0)))
    }

    /// The product.
    pub fn times(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = if self.as_int(a).is_some() { (a, b) } else { (b, a) };
        let zero = self.int(0);
        match self.as_int(a) {
            Some(factor) if factor != 0 => {
                self.combine(zero, b, factor).unwrap_or_else(|| self.add(Node::Product(a, b)))
            }
            Some(_) => zero,
            None => self.add(Node::Product(a.min(b), a.max(b))),
        }
    }

    /// The quotient of the division whose remainder is never negative; the divisor must not be 0.
    pub fn div(&mut self, a: Term, b: Term) -> Term {
        match (self.as_int(a), self.as_int(b)) {
            (Some(a), Some(b)) if b != 0 => self.int(a.div_euclid(b)),
            (_, Some(1)) => a,
            _ => self.add(Node::Div(a, b)),
        }
    }

    /// The remainder of that division.
    pub fn modulo(&mut self, a: Term, b: Term) -> Term {
        match (self.as_int(a), self.as_int(b)) {
            (Some(a), Some(b)) if b != 0 => self.int(a.rem_euclid(b)),
            _ => self.add(Node::Mod(a, b)),
        }
    }

    /// An operator on bits of integers of 64 bits.
    pub fn bits(&mut self, op: BitOp, a: Term, b: Term) -> Term {
        match (self.as_int(a), self.as_int(b)) {
            (Some(a), Some(b)) => self.int(op.apply(a as i64, b as i64)),
            _ => self.add(Node::Bits(op, a.min(b), a.max(b))),
        }
    }

    /// One of two integers.
    pub fn ite(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        // A condition that was asked is not asked again: elements that are written twice at a computed place would grow with every round.
        let then = match *self.node(then) {
            Node::Ite(asked, yes, _) if asked == condition => yes,
            _ => then,
        };
        let otherwise = match *self.node(otherwise) {
            Node::Ite(asked, _, no) if asked == condition => no,
            _ => otherwise,
        };
        match self.node(condition) {
            Node::True => then,
            Node::False => otherwise,
            _ if then == otherwise => then,
            _ => self.add(Node::Ite(condition, then, otherwise)),
        }
    }

    /// The array that has this value everywhere.
    pub fn const_array(&mut self, value: i128) -> Term {
        self.add(Node::ConstArray(value))
    }

    /// An element of an array.
    pub fn select(&mut self, array: Term, index: Term) -> Term {
        let index_value = self.as_int(index);
        match self.node(array).clone() {
            Node::ConstArray(value) => self.int(value),
            Node::Store(_, at, value) if at == index => value,
            Node::Store(rest, at, _) if index_value.is_some() && self.as_int(at).is_some() => {
                self.select(rest, index)
            }
            _ => self.add(Node::Select(array, index)),
        }
    }

    /// An array with one element replaced.
    pub fn store(&mut self, array: Term, index: Term, value: Term) -> Term {
        match *self.node(array) {
            Node::Store(rest, at, _) if at == index => self.add(Node::Store(rest, index, value)),
            _ => self.add(Node::Store(array, index, value)),
        }
    }

    /// `a <= b`
    pub fn le(&mut self, a: Term, b: Term) -> Term {
        let difference = self.minus(a, b);
        self.compare(difference, Relation::Le)
    }

    /// `a < b`
    pub fn lt(&mut self, a: Term, b: Term) -> Term {
        let one = self.int(1);
        let a = self.plus(a, one);
        self.le(a, b)
    }

    /// `a = b`, of integers.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        let difference = self.minus(a, b);
        self.compare(difference, Relation::Eq)
    }

    /// `a != b`, of integers.
    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// A difference compared with 0.
    fn compare(&mut self, difference: Term, relation: Relation) -> Term {
        let (mut parts, constant) = self.parts(difference);
        if parts.is_empty() {
            return self.bool(relation.holds(constant));
        }
        if let [(only, coefficient)] = parts[..]
            && let Node::Ite(condition, then, otherwise) = *self.node(only)
            && (self.as_int(then).is_some() || self.as_int(otherwise).is_some())
        {
            return self.compare_choice(relation, condition, [then, otherwise], coefficient, constant);
        }
        let divisor = parts.iter().fold(0, |divisor, part| gcd(divisor, part.1.unsigned_abs())) as i128;
        let mut bound = -constant;
        match relation {
            Relation::Le => bound = bound.div_euclid(divisor),
            Relation::Eq if bound % divisor != 0 => return self.no(),
            Relation::Eq => bound /= divisor,
        }
        let sign = if relation == Relation::Eq && parts[0].1 < 0 { -1 } else { 1 };
        parts.iter_mut().for_each(|part| part.1 = part.1 / divisor * sign);
        let left = self.of_parts(parts, 0);
        match relation {
            Relation::Le => self.add(Node::Le(left, bound)),
            Relation::Eq => self.add(Node::Eq(left, bound * sign)),
        }
    }

    /// Compares `coefficient * ite(condition, …) + constant` with 0, each alternative by itself.
    fn compare_choice(
        &mut self,
        relation: Relation,
        condition: Term,
        alternatives: [Term; 2],
        coefficient: i128,
        constant: i128,
    ) -> Term {
        let [then, otherwise] = alternatives.map(|alternative| {
            let constant = self.int(constant);
            let difference = self.combine(constant, alternative, coefficient);
            difference.map(|difference| self.compare(difference, relation))
        });
        match (then, otherwise) {
            (Some(then), Some(otherwise)) => self.choice(condition, then, otherwise),
            _ => {
                let choice = self.ite(condition, alternatives[0], alternatives[1]);
                match relation {
                    Relation::Le => self.add(Node::Le(choice, -constant)),
                    Relation::Eq => self.add(Node::Eq(choice, -constant)),
                }
            }
        }
    }

    /// One of two truth values.
    pub fn choice(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        let negated = self.not(condition);
        let (then, otherwise) = (self.and([condition, then]), self.and([negated, otherwise]));
        self.or([then, otherwise])
    }

    /// Not.
    pub fn not(&mut self, term: Term) -> Term {
        if let Some(&known) = self.negations.get(&term) {
            return known;
        }
        let negated = self.negation(term);
        self.negations.insert(term, negated);
        negated
    }

    fn negation(&mut self, term: Term) -> Term {
        match self.node(term).clone() {
            Node::True => self.no(),
            Node::False => self.yes(),
            Node::Not(inner) => inner,
            Node::Le(left, bound) => {
                let zero = self.int(0);
                match self.combine(zero, left, -1) {
                    Some(negated) => self.add(Node::Le(negated, -bound - 1)),
                    None => self.add(Node::Not(term)),
                }
            }
            Node::And(parts) => {
                let parts: Vec<Term> = parts.into_iter().map(|part| self.not(part)).collect();
                self.or(parts)
            }
            Node::Or(parts) => {
                let parts: Vec<Term> = parts.into_iter().map(|part| self.not(part)).collect();
                self.and(parts)
            }
            _ => self.add(Node::Not(term)),
        }
    }

    /// The conjunction of the parts.
    pub fn and(&mut self, parts: impl IntoIterator<Item = Term>) -> Term {
        let mut all = Vec::new();
        for part in parts {
            match self.node(part) {
                Node::True => {}
                Node::False => return part,
                Node::And(inner) => all.extend_from_slice(inner),
                _ => all.push(part),
            }
        }
        all.sort_unstable();
        all.dedup();
        if self.has_opposites(&all) {
            return self.no();
        }
        match all[..] {
            [] => self.yes(),
            [only] => only,
            _ => self.add(Node::And(all)),
        }
    }

    /// One of these.
    pub fn or(&mut self, parts: impl IntoIterator<Item = Term>) -> Term {
        let mut all = Vec::new();
        for part in parts {
            match self.node(part) {
                Node::False => {}
                Node::True => return part,
                Node::Or(inner) => all.extend_from_slice(inner),
                _ => all.push(part),
            }
        }
        all.sort_unstable();
        all.dedup();
        if self.has_opposites(&all) {
            return self.yes();
        }
        match all[..] {
            [] => self.no(),
            [only] => only,
            _ => self.add(Node::Or(all)),
        }
    }

    fn has_opposites(&mut self, parts: &[Term]) -> bool {
        parts.len() < 24
            && parts.iter().any(|&part| {
                let is_atom = !matches!(self.node(part), Node::And(_) | Node::Or(_));
                is_atom && {
                    let negated = self.not(part);
                    parts.binary_search(&negated).is_ok()
                }
            })
    }

    /// `a` implies `b`.
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not_a = self.not(a);
        self.or([not_a, b])
    }

    /// The parts of a conjunction.
    pub fn conjuncts(&self, term: Term) -> Vec<Term> {
        match self.node(term) {
            Node::And(parts) => parts.clone(),
            Node::True => Vec::new(),
            _ => vec![term],
        }
    }

    /// The terms that a term is made of directly.
    pub fn operands(&self, term: Term) -> Vec<Term> {
        match self.node(term) {
            Node::Const(_) | Node::Var(_) | Node::ConstArray(_) | Node::True | Node::False => Vec::new(),
            Node::Sum(parts, _) => parts.iter().map(|part| part.0).collect(),
            Node::Product(a, b)
            | Node::Div(a, b)
            | Node::Mod(a, b)
            | Node::Bits(_, a, b)
            | Node::Select(a, b) => vec![*a, *b],
            Node::Ite(a, b, c) | Node::Store(a, b, c) => vec![*a, *b, *c],
            Node::Le(a, _) | Node::Eq(a, _) | Node::Not(a) => vec![*a],
            Node::And(parts) | Node::Or(parts) => parts.clone(),
        }
    }

    /// The number of different parts of a term, counted up to a limit.
    pub fn size(&self, term: Term, limit: usize) -> usize {
        let mut seen = std::collections::BTreeSet::from([term]);
        let mut todo = vec![term];
        while let Some(term) = todo.pop().filter(|_| seen.len() < limit) {
            todo.extend(self.operands(term).into_iter().filter(|&operand| seen.insert(operand)));
        }
        seen.len()
    }

    /// The variables of some terms, in order.
    pub fn variables_of(&self, terms: impl IntoIterator<Item = Term>) -> Vec<Variable> {
        let mut todo: Vec<Term> = terms.into_iter().collect();
        let mut seen: std::collections::HashSet<Term> = todo.iter().copied().collect();
        let mut found = std::collections::BTreeSet::new();
        while let Some(term) = todo.pop() {
            if let Node::Var(variable) = self.node(term) {
                found.insert(*variable);
            }
            todo.extend(self.operands(term).into_iter().filter(|operand| seen.insert(*operand)));
        }
        found.into_iter().collect()
    }
}

/// How a difference is compared with 0.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Le,
    Eq,
}

impl Relation {
    fn holds(self, difference: i128) -> bool {
        match self {
            Relation::Le => difference <= 0,
            Relation::Eq => difference == 0,
        }
    }
}

impl BitOp {
    /// The value of the operator.
    pub fn apply(self, a: i64, b: i64) -> i64 {
        match self {
            BitOp::And => a & b,
            BitOp::Or => a | b,
            BitOp::Xor => a ^ b,
        }
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_comparisons_are_one_term() {
        let mut t = Terms::new();
        let x = t.variable("x", Sort::Int);
        let (x, four, five) = (t.var(x), t.int(4), t.int(5));
        let a = t.lt(x, five);
        assert_eq!(a, t.le(x, four));
        let not_a = t.not(a);
        assert_eq!(not_a, t.le(five, x));
        assert_eq!(t.not(not_a), a);
        let both = t.and([a, not_a]);
        assert_eq!(both, t.no());
        let either = t.or([a, not_a]);
        assert_eq!(either, t.yes());
    }

    #[test]
    fn constants_are_computed_and_sums_cancel() {
        let mut t = Terms::new();
        let x = t.variable("x", Sort::Int);
        let (x, two) = (t.var(x), t.int(2));
        let sum = t.plus(x, two);
        let difference = t.minus(sum, x);
        assert_eq!(t.as_int(difference), Some(2));
        let double = t.times(two, x);
        let odd = t.int(3);
        let never = t.eq(double, odd);
        assert_eq!(never, t.no());
    }

    #[test]
    fn a_truth_value_made_a_number_and_back_is_itself() {
        let mut t = Terms::new();
        let x = t.variable("x", Sort::Int);
        let (x, zero, one) = (t.var(x), t.int(0), t.int(1));
        let positive = t.lt(zero, x);
        let number = t.ite(positive, one, zero);
        assert_eq!(t.ne(number, zero), positive);
    }

    #[test]
    fn a_condition_is_asked_once() {
        let mut terms = Terms::new();
        let [c, x, y] = ["c", "x", "y"].map(|name| terms.variable(name, Sort::Word));
        let [c, x, y] = [c, x, y].map(|variable| terms.var(variable));
        let (zero, one) = (terms.int(0), terms.int(1));
        let condition = terms.eq(c, zero);
        let inner = terms.ite(condition, x, y);
        assert_eq!(terms.ite(condition, inner, y), inner);
        assert_eq!(terms.ite(condition, x, inner), inner);
        // An element that is written twice has the last value, or that of the beginning.
        let written = terms.ite(condition, one, zero);
        assert_eq!(terms.ite(condition, zero, written), zero);
    }

    #[test]
    fn elements_are_read_through_stores() {
        let mut t = Terms::new();
        let a = t.variable("a", Sort::Array);
        let (a, one, two) = (t.var(a), t.int(1), t.int(2));
        let stored = t.store(a, one, two);
        assert_eq!(t.select(stored, one), two);
        assert_eq!(t.select(stored, two), t.select(a, two));
    }
}
