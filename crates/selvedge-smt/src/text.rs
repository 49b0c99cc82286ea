//! Terms as text of SMT-LIB, with names for what is shared.

use crate::term::{BitOp, Node, Sort, Term, Terms, Variable};
use std::collections::HashMap;
use std::fmt::Write;

/// The name of a variable for a solver.
pub fn symbol(variable: Variable) -> String {
    format!("v{}", variable.0)
}

/// The declaration of a variable, with what its sort says of its values.
pub fn declaration(terms: &Terms, variable: Variable) -> String {
    let name = symbol(variable);
    match terms.sort(variable) {
        Sort::Int => format!("(declare-const {name} Int)"),
        Sort::Array => format!("(declare-const {name} (Array Int Int))"),
        Sort::Word => {
            let (least, most) = (number(i64::MIN.into()), number(i64::MAX.into()));
            format!("(declare-const {name} Int)\n(assert (and (<= {least} {name}) (<= {name} {most})))")
        }
    }
}

/// A number.
pub fn number(value: i128) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}

/// A term, as `let` expressions when it shares parts that are not small.
pub fn term(terms: &Terms, root: Term) -> String {
    named_term(terms, root, &symbol)
}

/// A term with other names for the variables.
pub fn named_term(terms: &Terms, root: Term, symbols: &dyn Fn(Variable) -> String) -> String {
    let mut writer = Writer { terms, symbols, uses: HashMap::new(), names: HashMap::new() };
    let order = writer.count(root);
    let mut text = String::new();
    let mut open = 0;
    for part in order {
        let is_shared = writer.uses[&part] > 1 && !terms.operands(part).is_empty() && part != root;
        if is_shared {
            let name = format!("s{open}");
            let _ = write!(text, "(let (({name} {})) ", writer.write(part));
            writer.names.insert(part, name);
            open += 1;
        }
    }
    text.push_str(&writer.write(root));
    text.extend(std::iter::repeat_n(')', open));
    text
}

struct Writer<'t> {
    terms: &'t Terms,
    symbols: &'t dyn Fn(Variable) -> String,
    uses: HashMap<Term, u32>,
    names: HashMap<Term, String>,
}

impl Writer<'_> {
    /// Counts the uses of all parts; returns them, operands before what they are operands of.
    fn count(&mut self, root: Term) -> Vec<Term> {
        let mut order = Vec::new();
        let mut todo = vec![(root, false)];
        while let Some((term, done)) = todo.pop() {
            if done {
                order.push(term);
                continue;
            }
            let uses = self.uses.entry(term).or_insert(0);
            *uses += 1;
            if *uses == 1 {
                todo.push((term, true));
                todo.extend(self.terms.operands(term).into_iter().map(|operand| (operand, false)));
            }
        }
        order
    }

    fn use_of(&self, term: Term) -> String {
        match self.names.get(&term) {
            Some(name) => name.clone(),
            None => self.write(term),
        }
    }

    fn write(&self, term: Term) -> String {
        let two = |op: &str, a: Term, b: Term| format!("({op} {} {})", self.use_of(a), self.use_of(b));
        let list = |op: &str, parts: &[Term]| {
            let parts: Vec<String> = parts.iter().map(|&part| self.use_of(part)).collect();
            format!("({op} {})", parts.join(" "))
        };
        match self.terms.node(term) {
            Node::Const(value) => number(*value),
            Node::Var(variable) => (self.symbols)(*variable),
            Node::Sum(parts, constant) => self.sum(parts, *constant),
            Node::Product(a, b) => two("*", *a, *b),
            Node::Div(a, b) => two("div", *a, *b),
            Node::Mod(a, b) => two("mod", *a, *b),
            Node::Bits(op, a, b) => self.bits(*op, *a, *b),
            Node::Ite(a, b, c) => list("ite", &[*a, *b, *c]),
            Node::Select(a, b) => two("select", *a, *b),
            Node::Store(a, b, c) => list("store", &[*a, *b, *c]),
            Node::ConstArray(value) => format!("((as const (Array Int Int)) {})", number(*value)),
            Node::True => "true".to_owned(),
            Node::False => "false".to_owned(),
            Node::Le(a, bound) => format!("(<= {} {})", self.use_of(*a), number(*bound)),
            Node::Eq(a, value) => format!("(= {} {})", self.use_of(*a), number(*value)),
            Node::Not(a) => format!("(not {})", self.use_of(*a)),
            Node::And(parts) => list("and", parts),
            Node::Or(parts) => list("or", parts),
        }
    }

    fn sum(&self, parts: &[(Term, i128)], constant: i128) -> String {
        let mut words: Vec<String> = parts
            .iter()
            .map(|&(part, coefficient)| match coefficient {
                1 => self.use_of(part),
                _ => format!("(* {} {})", number(coefficient), self.use_of(part)),
            })
            .collect();
        if constant != 0 {
            words.push(number(constant));
        }
        match &words[..] {
            [only] => only.clone(),
            _ => format!("(+ {})", words.join(" ")),
        }
    }

    /// Through bit vectors of 64 bits and back to a signed number.
    fn bits(&self, op: BitOp, a: Term, b: Term) -> String {
        let op = match op {
            BitOp::And => "bvand",
            BitOp::Or => "bvor",
            BitOp::Xor => "bvxor",
        };
        let vector = |term: Term| format!("((_ int2bv 64) {})", self.use_of(term));
        let bits = format!("(bv2nat ({op} {} {}))", vector(a), vector(b));
        format!("(- (mod (+ {bits} 9223372036854775808) 18446744073709551616) 9223372036854775808)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_parts_are_written_once() {
        let mut t = Terms::new();
        let x = t.variable("x", Sort::Int);
        let mut term = t.var(x);
        for _ in 0..40 {
            let zero = t.int(0);
            let positive = t.lt(zero, term);
            let product = t.times(term, term);
            term = t.ite(positive, product, term);
        }
        let text = super::term(&t, term);
        assert!(text.len() < 10_000, "{}", text.len());
        assert!(text.starts_with("(let"));
    }

    #[test]
    fn negative_numbers_are_applications() {
        let mut t = Terms::new();
        let x = t.variable("x", Sort::Int);
        let (x, bound) = (t.var(x), t.int(-3));
        let less = t.le(x, bound);
        assert_eq!(super::term(&t, less), "(<= v0 (- 3))");
    }
}
