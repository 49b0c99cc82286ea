//! Terms for people: `count <= 1000`, `x - y = 3`.

use crate::term::{BitOp, Node, Term, Terms};

impl Terms {
    /// A term as people write it.
    pub fn display(&self, term: Term) -> String {
        match self.node(term) {
            Node::Const(value) => value.to_string(),
            Node::Var(variable) => self.name(*variable).to_owned(),
            Node::Sum(parts, constant) => self.display_sum(parts, *constant),
            Node::Product(a, b) => format!("{} * {}", self.operand(*a), self.operand(*b)),
            Node::Div(a, b) => format!("{} div {}", self.operand(*a), self.operand(*b)),
            Node::Mod(a, b) => format!("{} mod {}", self.operand(*a), self.operand(*b)),
            Node::Bits(op, a, b) => {
                let op = match op {
                    BitOp::And => '&',
                    BitOp::Or => '|',
                    BitOp::Xor => '^',
                };
                format!("{} {op} {}", self.operand(*a), self.operand(*b))
            }
            Node::Ite(a, b, c) => {
                format!("{} ? {} : {}", self.operand(*a), self.operand(*b), self.operand(*c))
            }
            Node::Select(a, b) => format!("{}[{}]", self.operand(*a), self.display(*b)),
            Node::Store(a, b, c) => {
                format!("{} with [{}] = {}", self.operand(*a), self.display(*b), self.display(*c))
            }
            Node::ConstArray(value) => format!("all {value}"),
            Node::True => "true".to_owned(),
            Node::False => "false".to_owned(),
            Node::Le(left, bound) => self.display_bound(*left, *bound),
            Node::Eq(left, value) => format!("{} = {value}", self.display(*left)),
            Node::Not(inner) => match self.node(*inner) {
                Node::Eq(left, value) => format!("{} != {value}", self.display(*left)),
                _ => format!("not {}", self.operand(*inner)),
            },
            Node::And(parts) => self.display_list(parts, " and "),
            Node::Or(parts) => self.display_list(parts, " or "),
        }
    }

    fn operand(&self, term: Term) -> String {
        let text = self.display(term);
        if text.contains(' ') { format!("({text})") } else { text }
    }

    fn display_list(&self, parts: &[Term], between: &str) -> String {
        let operand = |&part: &Term| match self.node(part) {
            Node::And(_) | Node::Or(_) => format!("({})", self.display(part)),
            _ => self.display(part),
        };
        parts.iter().map(operand).collect::<Vec<_>>().join(between)
    }

    /// `-x <= -3` is `x >= 3` for people.
    fn display_bound(&self, left: Term, bound: i128) -> String {
        match self.node(left) {
            Node::Sum(parts, 0) if parts.iter().all(|part| part.1 < 0) => {
                let parts: Vec<_> = parts.iter().map(|&(part, factor)| (part, -factor)).collect();
                format!("{} >= {}", self.display_sum(&parts, 0), -bound)
            }
            _ => format!("{} <= {bound}", self.display(left)),
        }
    }

    fn display_sum(&self, parts: &[(Term, i128)], constant: i128) -> String {
        let mut text = String::new();
        let constant = (constant != 0).then(|| (constant < 0, constant.unsigned_abs().to_string()));
        let factors = parts.iter().map(|&(part, factor)| match factor.unsigned_abs() {
            1 => (factor < 0, self.operand(part)),
            size => (factor < 0, format!("{size}*{}", self.operand(part))),
        });
        for (is_negative, word) in factors.chain(constant) {
            let sign = match (is_negative, text.is_empty()) {
                (true, true) => "-",
                (true, false) => " - ",
                (false, true) => "",
                (false, false) => " + ",
            };
            text.push_str(sign);
            text.push_str(&word);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Sort;

    #[test]
    fn comparisons_are_written_with_the_variable_first() {
        let mut t = Terms::new();
        let (x, y) = (t.variable("x", Sort::Int), t.variable("y", Sort::Int));
        let (x, y, three) = (t.var(x), t.var(y), t.int(3));
        let a = t.le(three, x);
        let b = t.lt(y, x);
        let c = t.ne(x, three);
        let all = t.and([a, c]);
        assert_eq!(t.display(a), "x >= 3");
        assert_eq!(t.display(b), "-x + y <= -1");
        assert_eq!(t.display(all), "x >= 3 and x != 3");
    }
}
