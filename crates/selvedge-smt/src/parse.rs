//! Reading what solvers and certificates say: expressions of SMT-LIB.

use crate::term::{BitOp, Node, Sort, Term, Terms, Variable};
use std::collections::HashMap;

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A word.
    Word(String),
    /// A word in bars, without them.
    Quoted(String),
    /// A list.
    List(Vec<Expression>),
}

/// How deep expressions may be nested.
const MOST_NESTED: usize = 5000;

/// The expression that a text is, and nothing else.
pub fn expression(text: &str) -> Option<Expression> {
    let mut stack: Vec<Vec<Expression>> = vec![Vec::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '(' if stack.len() > MOST_NESTED => return None,
            '(' => stack.push(Vec::new()),
            ')' => {
                let list = stack.pop()?;
                stack.last_mut()?.push(Expression::List(list));
            }
            c if c.is_whitespace() => {}
            '|' => {
                let word: String = chars.by_ref().take_while(|&c| c != '|').collect();
                stack.last_mut()?.push(Expression::Quoted(word));
            }
            c => {
                let mut word = String::from(c);
                while let Some(&next) = chars.peek() {
                    if next.is_whitespace() || "()|".contains(next) {
                        break;
                    }
                    word.push(next);
                    chars.next();
                }
                stack.last_mut()?.push(Expression::Word(word));
            }
        }
    }
    match (stack.pop(), stack.is_empty()) {
        (Some(mut only), true) if only.len() == 1 => only.pop(),
        _ => None,
    }
}

/// The numbers in the answer to `get-value`.
pub fn values(text: &str) -> Option<Vec<i128>> {
    let Expression::List(pairs) = expression(text)? else { return None };
    pairs
        .iter()
        .map(|pair| match pair {
            Expression::List(pair) => number(pair.get(1)?),
            Expression::Word(_) | Expression::Quoted(_) => None,
        })
        .collect()
}

/// The number that an expression is.
pub fn number(expression: &Expression) -> Option<i128> {
    match expression {
        Expression::Word(word) => word.parse().ok(),
        Expression::Quoted(_) => None,
        Expression::List(parts) => match &parts[..] {
            [Expression::Word(minus), positive] if minus == "-" => number(positive)?.checked_neg(),
            _ => None,
        },
    }
}

/// Reads a formula as [`named_term`](crate::text::named_term) writes it; `variable` knows the names. Nothing if the text is none, or if its
/// operators do not fit their operands.
pub fn term(terms: &mut Terms, text: &str, variable: &dyn Fn(&str) -> Option<Variable>) -> Option<Term> {
    let expression = expression(text)?;
    let mut reader = Reader { terms, variable, names: HashMap::new() };
    let term = reader.read(&expression)?;
    (reader.kind(term) == Kind::Truth).then_some(term)
}

/// What a term stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Truth,
    Number,
    Array,
}

/// The largest numbers that a term may have, so that computing with them does not overflow.
const MOST: u128 = 1 << 100;

struct Reader<'r> {
    terms: &'r mut Terms,
    variable: &'r dyn Fn(&str) -> Option<Variable>,
    names: HashMap<String, Term>,
}

impl Reader<'_> {
    fn kind(&self, term: Term) -> Kind {
        match self.terms.node(term) {
            Node::True | Node::False | Node::Le(..) | Node::Eq(..) | Node::Not(_) => Kind::Truth,
            Node::And(_) | Node::Or(_) => Kind::Truth,
            Node::ConstArray(_) | Node::Store(..) => Kind::Array,
            Node::Var(variable) if self.terms.sort(*variable) == Sort::Array => Kind::Array,
            Node::Ite(_, then, _) => self.kind(*then),
            _ => Kind::Number,
        }
    }

    /// The term, unless its numbers are too large to compute with.
    fn moderate(&self, term: Term) -> Option<Term> {
        let is_moderate = |value: &i128| value.unsigned_abs() <= MOST;
        let holds = match self.terms.node(term) {
            Node::Const(value) | Node::ConstArray(value) | Node::Le(_, value) | Node::Eq(_, value) => {
                is_moderate(value)
            }
            Node::Sum(parts, value) => is_moderate(value) && parts.iter().all(|part| is_moderate(&part.1)),
            _ => true,
        };
        holds.then_some(term)
    }

    fn read(&mut self, expression: &Expression) -> Option<Term> {
        if let Some(value) = number(expression) {
            let value = self.terms.int(value);
            return self.moderate(value);
        }
        let term = match expression {
            Expression::Quoted(word) => self.named(word),
            Expression::Word(word) => match &word[..] {
                "true" => Some(self.terms.yes()),
                "false" => Some(self.terms.no()),
                _ => self.names.get(word).copied().or_else(|| self.named(word)),
            },
            Expression::List(parts) => match parts.split_first()? {
                (Expression::Word(head), rest) => self.application(head, rest),
                (Expression::List(_), [value]) => number(value).map(|value| self.terms.const_array(value)),
                _ => None,
            },
        };
        self.moderate(term?)
    }

    fn named(&mut self, name: &str) -> Option<Term> {
        (self.variable)(name).map(|variable| self.terms.var(variable))
    }

    fn application(&mut self, head: &str, rest: &[Expression]) -> Option<Term> {
        if head == "let*" {
            let [Expression::List(bindings), body] = rest else { return None };
            for binding in bindings {
                let Expression::List(pair) = binding else { return None };
                let [Expression::Word(name), value] = &pair[..] else { return None };
                let value = self.read(value)?;
                self.names.insert(name.clone(), value);
            }
            return self.read(body);
        }
        if head == "-" && rest.len() == 2 {
            return self.bits(&rest[0]);
        }
        let parts: Vec<Term> = rest.iter().map(|part| self.read(part)).collect::<Option<_>>()?;
        self.applied(head, parts)
    }

    fn applied(&mut self, head: &str, parts: Vec<Term>) -> Option<Term> {
        use Kind::{Array, Number, Truth};
        let kinds: Vec<Kind> = parts.iter().map(|&part| self.kind(part)).collect();
        let all = |kind: Kind| kinds.iter().all(|&this| this == kind);
        let terms = &mut *self.terms;
        Some(match (head, &parts[..], &kinds[..]) {
            ("+", ..) if all(Number) => {
                let zero = terms.int(0);
                parts.into_iter().fold(zero, |sum, part| terms.plus(sum, part))
            }
            ("*", &[a, b], _) if all(Number) => terms.times(a, b),
            ("div", &[a, b], _) if all(Number) => terms.div(a, b),
            ("mod", &[a, b], _) if all(Number) => terms.modulo(a, b),
            ("ite", &[a, b, c], [Truth, Number, Number] | [Truth, Array, Array]) => terms.ite(a, b, c),
            ("ite", &[a, b, c], [Truth, Truth, Truth]) => terms.choice(a, b, c),
            ("select", &[a, b], [Array, Number]) => terms.select(a, b),
            ("store", &[a, b, c], [Array, Number, Number]) => terms.store(a, b, c),
            ("<=", &[a, b], _) if all(Number) => terms.le(a, b),
            ("=", &[a, b], _) if all(Number) => terms.eq(a, b),
            ("not", &[a], [Truth]) => terms.not(a),
            ("and", ..) if all(Truth) => terms.and(parts),
            ("or", ..) if all(Truth) => terms.or(parts),
            _ => return None,
        })
    }

    /// The operand of the difference that makes a signed number of bits.
    fn bits(&mut self, signed: &Expression) -> Option<Term> {
        let part = |expression: &Expression, at: usize| match expression {
            Expression::List(parts) => parts.get(at).cloned(),
            Expression::Word(_) | Expression::Quoted(_) => None,
        };
        let operation = part(&part(&part(signed, 1)?, 1)?, 1)?;
        let op = match part(&operation, 0)? {
            Expression::Word(word) if word == "bvand" => BitOp::And,
            Expression::Word(word) if word == "bvor" => BitOp::Or,
            Expression::Word(word) if word == "bvxor" => BitOp::Xor,
            _ => return None,
        };
        let a = self.read(&part(&part(&operation, 1)?, 1)?)?;
        let b = self.read(&part(&part(&operation, 2)?, 1)?)?;
        let are_numbers = self.kind(a) == Kind::Number && self.kind(b) == Kind::Number;
        are_numbers.then(|| self.terms.bits(op, a, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    #[test]
    fn a_term_that_is_written_reads_back() {
        let mut t = Terms::new();
        let (x, a) = (t.variable("x", Sort::Int), t.variable("a", Sort::Array));
        let (tx, ta, three) = (t.var(x), t.var(a), t.int(-3));
        let element = t.select(ta, tx);
        let sum = t.plus(element, tx);
        let product = t.times(sum, sum);
        let bits = t.bits(BitOp::Xor, product, tx);
        let less = t.le(bits, three);
        let equal = t.ne(sum, three);
        let base = t.const_array(4);
        let array = t.store(base, tx, sum);
        let other = t.select(array, sum);
        let third = t.le(other, tx);
        let all = t.or([less, equal, third]);
        let name = |v: Variable| if v == x { "|an x|".to_owned() } else { "a".to_owned() };
        let text = text::named_term(&t, all, &name);
        let known = |name: &str| match name {
            "an x" => Some(x),
            "a" => Some(a),
            _ => None,
        };
        assert_eq!(term(&mut t, &text, &known), Some(all), "{text}");
    }

    #[test]
    fn a_variable_that_is_called_like_a_shared_part_reads_back() {
        let mut t = Terms::new();
        let (s0, y) = (t.variable("s0", Sort::Int), t.variable("y", Sort::Int));
        let (first, second, bound) = (t.var(s0), t.var(y), t.int(7));
        let product = t.times(first, second);
        let (square, third) = (t.times(product, product), t.times(product, first));
        let (small, other) = (t.le(square, bound), t.le(third, bound));
        let all = t.or([small, other]);
        let text = text::named_term(&t, all, &|v| if v == s0 { "|s0|".to_owned() } else { "|y|".to_owned() });
        assert!(text.contains("let* ((s0 "), "{text}");
        let known =
            |name: &str| [("s0", s0), ("y", y)].into_iter().find(|pair| pair.0 == name).map(|pair| pair.1);
        assert_eq!(term(&mut t, &text, &known), Some(all), "{text}");
    }

    /// More parts, and deeper, than a nested text could have.
    #[test]
    fn a_large_term_reads_back() {
        let mut t = Terms::new();
        let (x, a) = (t.variable("x", Sort::Int), t.variable("a", Sort::Array));
        let (tx, mut array) = (t.var(x), t.var(a));
        let mut sum = tx;
        for number in 0..6000 {
            let (value, square) = (t.int(number), t.times(sum, sum));
            array = t.store(array, square, value);
            let element = t.select(array, tx);
            sum = t.plus(element, square);
        }
        let large = t.le(sum, tx);
        let text = text::named_term(&t, large, &|v| if v == x { "|x|".to_owned() } else { "|a|".to_owned() });
        let known =
            |name: &str| [("x", x), ("a", a)].into_iter().find(|pair| pair.0 == name).map(|pair| pair.1);
        assert!(term(&mut t, &text, &known) == Some(large), "{} characters", text.len());
    }

    #[test]
    fn operators_that_do_not_fit_are_refused() {
        let mut t = Terms::new();
        let (x, a) = (t.variable("x", Sort::Int), t.variable("a", Sort::Array));
        let known =
            |name: &str| [("x", x), ("a", a)].into_iter().find(|pair| pair.0 == name).map(|pair| pair.1);
        for wrong in [
            "5",
            "|x|",
            "(<= true 3)",
            "(<= |a| 3)",
            "(not |x|)",
            "(and |x| true)",
            "(= (+ true 1) 2)",
            "(= (select |x| 1) 2)",
            "(= (ite |x| 1 2) 2)",
            "(<= |x| 170141183460469231731687303715884105727)",
            "(<= (* (- 18446744073709551616) (* 9223372036854775808 |x|)) 1)",
            "(<= |y| 3)",
        ] {
            assert_eq!(term(&mut t, wrong, &known), None, "{wrong}");
        }
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        for wrong in ["", "(", ")", "(a", "a b", "a)"] {
            assert_eq!(expression(wrong), None, "{wrong}");
        }
        assert_eq!(values("((v0 (- 5)) (v1 7))"), Some(vec![-5, 7]));
        assert_eq!(values("(error \"x\")"), None);
    }
}
