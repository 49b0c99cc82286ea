//! Reading what solvers and certificates say: expressions of SMT-LIB.

use crate::term::{BitOp, Term, Terms, Variable};
use std::collections::HashMap;

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A word; one in bars without them.
    Word(String),
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
                stack.last_mut()?.push(Expression::Word(word));
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
            Expression::Word(_) => None,
        })
        .collect()
}

/// The number that an expression is.
pub fn number(expression: &Expression) -> Option<i128> {
    match expression {
        Expression::Word(word) => word.parse().ok(),
        Expression::List(parts) => match &parts[..] {
            [Expression::Word(minus), positive] if minus == "-" => number(positive)?.checked_neg(),
            _ => None,
        },
    }
}

/// Reads a term as [`named_term`](crate::text::named_term) writes it; `variable` knows the names.
pub fn term(terms: &mut Terms, text: &str, variable: &dyn Fn(&str) -> Option<Variable>) -> Option<Term> {
    let expression = expression(text)?;
    Reader { terms, variable, names: HashMap::new() }.read(&expression)
}

struct Reader<'r> {
    terms: &'r mut Terms,
    variable: &'r dyn Fn(&str) -> Option<Variable>,
    names: HashMap<String, Term>,
}

impl Reader<'_> {
    fn read(&mut self, expression: &Expression) -> Option<Term> {
        if let Some(value) = number(expression) {
            return Some(self.terms.int(value));
        }
        match expression {
            Expression::Word(word) => match &word[..] {
                "true" => Some(self.terms.yes()),
                "false" => Some(self.terms.no()),
                _ => match self.names.get(word) {
                    Some(&term) => Some(term),
                    None => (self.variable)(word).map(|variable| self.terms.var(variable)),
                },
            },
            Expression::List(parts) => match parts.split_first()? {
                (Expression::Word(head), rest) => self.application(head, rest),
                (Expression::List(_), [value]) => number(value).map(|value| self.terms.const_array(value)),
                (Expression::List(_), _) => None,
            },
        }
    }

    fn application(&mut self, head: &str, rest: &[Expression]) -> Option<Term> {
        if head == "let" {
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
        let terms = &mut *self.terms;
        Some(match (head, &parts[..]) {
            ("+", _) => {
                let zero = terms.int(0);
                parts.into_iter().fold(zero, |sum, part| terms.plus(sum, part))
            }
            ("*", &[a, b]) => terms.times(a, b),
            ("div", &[a, b]) => terms.div(a, b),
            ("mod", &[a, b]) => terms.modulo(a, b),
            ("ite", &[a, b, c]) => terms.ite(a, b, c),
            ("select", &[a, b]) => terms.select(a, b),
            ("store", &[a, b, c]) => terms.store(a, b, c),
            ("<=", &[a, b]) => terms.le(a, b),
            ("=", &[a, b]) => terms.eq(a, b),
            ("not", &[a]) => terms.not(a),
            ("and", _) => terms.and(parts),
            ("or", _) => terms.or(parts),
            _ => return None,
        })
    }

    /// The operand of the difference that makes a signed number of bits.
    fn bits(&mut self, signed: &Expression) -> Option<Term> {
        let part = |expression: &Expression, at: usize| match expression {
            Expression::List(parts) => parts.get(at).cloned(),
            Expression::Word(_) => None,
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
        Some(self.terms.bits(op, a, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Sort;
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
    fn what_is_no_expression_is_refused() {
        for wrong in ["", "(", ")", "(a", "a b", "a)"] {
            assert_eq!(expression(wrong), None, "{wrong}");
        }
        assert_eq!(values("((v0 (- 5)) (v1 7))"), Some(vec![-5, 7]));
        assert_eq!(values("(error \"x\")"), None);
    }
}
