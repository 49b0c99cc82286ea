//! The types of expressions.

use super::{Fault, Found, Kind, Report, Spot};
use crate::limits::MAX_DEPTH;
use crate::{ArrayId, BinaryOp, Expr, Function, ObjectId, RegisterId, Type, UnaryOp};

/// Checks the expressions of one instruction of a function. Methods return a type, or nothing after a fault
/// that has been reported.
pub(super) struct Typer<'r, 'p> {
    pub(super) report: &'r mut Report<'p>,
    pub(super) function: &'p Function,
    pub(super) spot: Spot<'p>,
}

impl Typer<'_, '_> {
    pub(super) fn fault(&mut self, fault: Fault) {
        self.report.add(self.spot, fault);
    }

    /// Checks that an expression has the given type; `what` is the expression in words.
    pub(super) fn require(&mut self, what: &'static str, expr: &Expr, expected: Type) {
        if is_too_deep(expr) {
            self.fault(Fault::TooDeep);
            return;
        }
        self.expect(what, expr, expected);
    }

    pub(super) fn require_type(&mut self, what: &'static str, found: Option<Type>, expected: Type) {
        match found {
            Some(found) if found != expected => self.fault(Fault::WrongType { what, expected, found }),
            _ => {}
        }
    }

    fn expect(&mut self, what: &'static str, expr: &Expr, expected: Type) {
        let found = self.type_of(expr);
        self.require_type(what, found, expected);
    }

    pub(super) fn register(&mut self, id: RegisterId) -> Option<Type> {
        let function = self.function;
        let registers = &function.registers;
        match self.report.require_id(self.spot, Kind::Register, id.0, registers.len()) {
            Found::Yes => Some(registers[id.index()].ty),
            Found::No => None,
        }
    }

    pub(super) fn array(&mut self, id: ArrayId) -> Option<Type> {
        let function = self.function;
        let arrays = &function.arrays;
        match self.report.require_id(self.spot, Kind::Array, id.0, arrays.len()) {
            Found::Yes => Some(arrays[id.index()].ty),
            Found::No => None,
        }
    }

    pub(super) fn object(&mut self, id: ObjectId) -> Option<Type> {
        let program = self.report.program;
        let objects = &program.objects;
        match self.report.require_id(self.spot, Kind::Object, id.0, objects.len()) {
            Found::Yes => Some(objects[id.index()].ty),
            Found::No => None,
        }
    }

    fn type_of(&mut self, expr: &Expr) -> Option<Type> {
        match expr {
            Expr::Int(_) | Expr::SelfIndex => Some(Type::Int),
            Expr::Bool(_) => Some(Type::Bool),
            Expr::Register(register) => self.register(*register),
            Expr::Element { array, index } => {
                self.expect("the index", index, Type::Int);
                self.array(*array)
            }
            Expr::Load { object, index } => {
                self.expect("the index", index, Type::Int);
                self.object(*object)
            }
            Expr::Unary { op, operand } => {
                let (from, to) = unary_types(*op);
                self.expect("the operand", operand, from);
                Some(to)
            }
            Expr::Binary { op, left, right } => self.binary(*op, left, right),
            Expr::Select { condition, then, otherwise } => {
                self.expect("the condition", condition, Type::Bool);
                let then = self.type_of(then)?;
                self.expect("the second alternative", otherwise, then);
                Some(then)
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Option<Type> {
        let (operands, result) = binary_types(op);
        match operands {
            Some(ty) => {
                self.expect("the left operand", left, ty);
                self.expect("the right operand", right, ty);
            }
            None => {
                if let (Some(left), Some(right)) = (self.type_of(left), self.type_of(right)) {
                    self.same(left, right);
                }
            }
        }
        Some(result)
    }

    fn same(&mut self, left: Type, right: Type) {
        if left != right {
            self.fault(Fault::MixedComparison { left, right });
        }
    }
}

/// The type of the operand and of the result.
fn unary_types(op: UnaryOp) -> (Type, Type) {
    match op {
        UnaryOp::Neg | UnaryOp::BitNot => (Type::Int, Type::Int),
        UnaryOp::Not => (Type::Bool, Type::Bool),
        UnaryOp::ToBool => (Type::Int, Type::Bool),
        UnaryOp::ToInt => (Type::Bool, Type::Int),
    }
}

/// The type of the operands, if it is not any type as long as it is the same, and of the result.
fn binary_types(op: BinaryOp) -> (Option<Type>, Type) {
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
            (Some(Type::Int), Type::Int)
        }
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::Shl | BinaryOp::Shr => {
            (Some(Type::Int), Type::Int)
        }
        BinaryOp::Eq | BinaryOp::Ne => (None, Type::Bool),
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => (Some(Type::Int), Type::Bool),
        BinaryOp::And | BinaryOp::Or => (Some(Type::Bool), Type::Bool),
    }
}

/// Whether an expression is deeper than [`MAX_DEPTH`]; measured without recursion, as it may be too deep for that.
pub(super) fn is_too_deep(expr: &Expr) -> bool {
    let mut todo = vec![(expr, 1)];
    while let Some((expr, depth)) = todo.pop() {
        if depth > MAX_DEPTH {
            return true;
        }
        match expr {
            Expr::Int(_) | Expr::Bool(_) | Expr::SelfIndex | Expr::Register(_) => {}
            Expr::Element { index, .. } | Expr::Load { index, .. } => todo.push((index, depth + 1)),
            Expr::Unary { operand, .. } => todo.push((operand, depth + 1)),
            Expr::Binary { left, right, .. } => todo.extend([(&**left, depth + 1), (&**right, depth + 1)]),
            Expr::Select { condition, then, otherwise } => {
                todo.extend([condition, then, otherwise].map(|part| (&**part, depth + 1)));
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::tests::{faults_in, faults_of};
    use super::*;
    use crate::parse::parse;
    use crate::{InstrKind, Place};

    fn faults(expr: &str) -> usize {
        faults_in(&format!("b0:\n  assert {expr}\n  return")).len()
    }

    #[test]
    fn operators_take_values_of_their_types() {
        for good in ["@p", "@x == 1", "@p != $l[1]", "@p && %b", "not(%b)", "bool(@x)", "int(@p) < self"] {
            assert_eq!(faults(good), 0, "{good}");
        }
        for bad in
            ["@x", "not(@x)", "bool(@p)", "int(@x) == 1", "@p && @x", "@p < 1", "neg(@p) == 1", "@x + 1"]
        {
            assert_eq!(faults(bad), 1, "{bad}");
        }
    }

    #[test]
    fn only_values_of_the_same_type_are_compared() {
        let mixed = Fault::MixedComparison { left: Type::Int, right: Type::Bool };
        assert_eq!(faults_in("b0:\n  assert @x == @p\n  return"), [mixed]);
    }

    #[test]
    fn indices_are_integers() {
        assert_eq!(faults("@a[@p] == 0"), 1);
        assert_eq!(faults("$l[true]"), 1);
        assert_eq!(faults("$l[@a[%i]]"), 0);
    }

    #[test]
    fn alternatives_have_the_same_type() {
        assert_eq!(faults("select(@p, true, %b)"), 0);
        assert_eq!(faults("select(@p, true, %i)"), 1);
        assert_eq!(faults("select(@x, true, %b)"), 1);
    }

    #[test]
    fn an_expression_that_is_too_deep_is_reported_and_not_walked() {
        let mut value = Expr::Int(0);
        for _ in 0..MAX_DEPTH {
            value = Expr::Unary { op: UnaryOp::Neg, operand: Box::new(value) };
        }
        let text = "function @f() {\n  register %i: int\nb0:\n  %i = 0\n  return\n}\n";
        let mut program = parse(text).unwrap();
        let target = Place::Register(RegisterId(0));
        program.functions[0].blocks[0].instrs[0].kind = InstrKind::Assign { target, value };
        assert_eq!(faults_of(&program), [Fault::TooDeep]);
    }

    #[test]
    fn ids_are_in_range() {
        let text = "function @f() {\n  register %i: int\nb0:\n  %i = %i\n  return\n}\n";
        let mut program = parse(text).unwrap();
        program.functions[0].registers.clear();
        let missing = Fault::NoSuchId { kind: Kind::Register, id: 0, length: 0 };
        assert_eq!(faults_of(&program), [missing]);
    }
}
