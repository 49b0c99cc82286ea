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

/// Runs of ones in a mask up to which its bits are taken by divisions.
const MOST_RUNS: usize = 4;

/// How operators on bits are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BitText {
    /// As such.
    Plain,
    /// With a constant as divisions: solvers know more of them than of bits as numbers.
    Divisions,
}

/// A term for a solver, as `let` expressions when it shares parts that are not small.
pub fn term(terms: &Terms, root: Term) -> String {
    written(terms, root, &symbol, BitText::Divisions)
}

/// How deep terms are nested in a file before a part gets a name.
const MOST_NESTED: usize = 100;

/// A term with other names for the variables, for a file. Shared parts and parts that are deep are named in one list, `let*`, in which
/// parts may use the names before them; so a term of any size can be read back without deep recursion.
pub fn named_term(terms: &Terms, root: Term, symbols: &dyn Fn(Variable) -> String) -> String {
    let bits = BitText::Plain;
    let mut writer = Writer { terms, symbols, bits, uses: HashMap::new(), names: HashMap::new() };
    let mut depths: HashMap<Term, usize> = HashMap::new();
    let mut named = Vec::new();
    for part in writer.count(root) {
        let depth = terms.operands(part).into_iter().map(|operand| depths[&operand] + 1).max().unwrap_or(0);
        let is_named = part != root && depth > 0 && (writer.uses[&part] > 1 || depth > MOST_NESTED);
        depths.insert(part, if is_named { 0 } else { depth });
        if is_named {
            let name = format!("s{}", named.len());
            named.push(format!("({name} {})", writer.write(part)));
            writer.names.insert(part, name);
        }
    }
    let body = writer.write(root);
    if named.is_empty() { body } else { format!("(let* ({}) {body})", named.join(" ")) }
}

fn written(terms: &Terms, root: Term, symbols: &dyn Fn(Variable) -> String, bits: BitText) -> String {
    let mut writer = Writer { terms, symbols, bits, uses: HashMap::new(), names: HashMap::new() };
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
    bits: BitText,
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

    fn bits(&self, op: BitOp, a: Term, b: Term) -> String {
        let (a, b) = if self.terms.as_int(a).is_some() { (b, a) } else { (a, b) };
        let mask = self.terms.as_int(b).and_then(|mask| i64::try_from(mask).ok());
        match mask.and_then(|mask| self.masked(op, a, mask)) {
            Some(text) if self.bits == BitText::Divisions => text,
            _ => self.vectors(op, a, b),
        }
    }

    /// By divisions, if the mask, or its complement, has few runs of ones.
    fn masked(&self, op: BitOp, a: Term, mask: i64) -> Option<String> {
        let positive = if mask < 0 { !mask } else { mask };
        let mut rest = positive.unsigned_abs();
        let mut common = String::from("(+ 0");
        for _ in 0..MOST_RUNS {
            if rest == 0 {
                break;
            }
            let low = rest.trailing_zeros();
            let width = (rest >> low).trailing_ones();
            let (first, size) = (1u64 << low, 1u64 << width);
            let _ = write!(common, " (* {first} (mod (div bits {first}) {size}))");
            rest &= !((size - 1) << low);
        }
        common.push(')');
        // Of a mask below 0 the complement was taken: what it has in common is the rest.
        let common = if mask < 0 { format!("(- bits {common})") } else { common };
        let mask = number(mask.into());
        let text = match op {
            BitOp::And => common,
            BitOp::Or => format!("(- (+ bits {mask}) {common})"),
            BitOp::Xor => format!("(- (+ bits {mask}) (* 2 {common}))"),
        };
        (rest == 0).then(|| format!("(let ((bits {})) {text})", self.use_of(a)))
    }

    /// Through bit vectors of 64 bits and back to a signed number.
    fn vectors(&self, op: BitOp, a: Term, b: Term) -> String {
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
    fn bits_by_divisions_are_those_of_numbers() {
        use crate::{Answer, Options, Solver};
        let mut t = Terms::new();
        let x = t.variable("x", Sort::Word);
        let x = t.var(x);
        let mut solver = Solver::start(Options::named("z3")).expect("it is installed");
        for mask in [0, 1, 6, 0x1248, 0xff00, i64::MAX, -1, -2, !6, i64::MIN, 0x5555] {
            for value in [0, 1, 7, -1, -8, 12345, i64::MAX, i64::MIN] {
                for op in [BitOp::And, BitOp::Or, BitOp::Xor] {
                    let (mask, value, made) = (t.int(mask), t.int(value), t.int(op.apply(value, mask)));
                    let bits = t.bits(op, x, mask);
                    let (is_value, is_other) = (t.eq(x, value), t.ne(bits, made));
                    let answer = solver.check(&t, &[is_value, is_other]);
                    assert_eq!(answer, Ok(Answer::Unsat), "{}", t.display(is_other));
                }
            }
        }
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
