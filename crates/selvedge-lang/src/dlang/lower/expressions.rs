//! Variables, expressions and conditions.
//!
//! Operations on numbers are carried out at once: after expansion most indices are numbers. `%` takes the sign of
//! its divisor, as in the language that the thesis compiles to, so that `0 - 1 % n` is the last index; the IR's
//! takes the sign of the dividend, hence `((a % b) + b) % b`.

use selvedge_ir::{ArrayId, BinaryOp, Expr, InstrKind, LocalArray, Place, Span, Type};

use super::{Home, Lowering};
use crate::ast::Name;
use crate::diagnostic::Diagnostic;
use crate::dlang::ast::{self, Access, Condition, ExprKind, Sort};
use crate::dlang::variables::Variable;
use crate::initial::{Shape, add_elements};
use crate::limits;

impl<'p> Lowering<'p, '_> {
    /// A condition as a boolean.
    pub fn condition(&mut self, condition: &Condition) -> Expr {
        let (left, right) = (Box::new(self.value(&condition.left)), Box::new(self.value(&condition.right)));
        Expr::Binary { op: condition.op, left, right }
    }

    /// The value of an expression.
    pub fn value(&mut self, expr: &ast::Expr) -> Expr {
        match &expr.kind {
            ExprKind::Int(value) => Expr::Int(*value),
            ExprKind::Access(access) => self.load(access),
            ExprKind::Binary { op, left, right } => {
                let (left, right) = (self.value(left), self.value(right));
                match op {
                    BinaryOp::Rem => self.remainder(left, right, expr.span),
                    _ => binary(*op, left, right),
                }
            }
        }
    }

    fn remainder(&mut self, left: Expr, right: Expr, span: Span) -> Expr {
        let before = self.copied;
        right.walk(&mut |_| self.copied += 2);
        if self.copied > limits::COPIED_NODES {
            if before <= limits::COPIED_NODES {
                let message = "the divisors of this statement are too large";
                let help = "compute them in assignments to `local` variables";
                self.whole.report(Diagnostic::new(span, message, "too many operators").help(help));
            }
            return Expr::Int(0);
        }
        let remainder = binary(BinaryOp::Rem, left, right.clone());
        let raised = binary(BinaryOp::Add, remainder, right.clone());
        binary(BinaryOp::Rem, raised, right)
    }

    /// The value of a variable or an element of it.
    pub fn load(&mut self, access: &Access) -> Expr {
        let Some(variable) = self.variable(&access.name) else { return Expr::Int(0) };
        let index = Box::new(self.index(access, variable));
        if let Some(object) = variable.object {
            return Expr::Load { object, index };
        }
        if let (Sort::Const, Expr::Int(index)) = (variable.sort, &*index)
            && let Some(value) = usize::try_from(*index).ok().and_then(|index| variable.initial.get(index))
        {
            return Expr::Int(*value);
        }
        match self.home(&access.name, variable) {
            Home::Register(register) => Expr::Register(register),
            Home::Array(array) => Expr::Element { array, index },
        }
    }

    /// A variable or an element of it as something to be written.
    pub fn target(&mut self, access: &Access) -> Option<Place> {
        let variable = self.variable(&access.name)?;
        if variable.sort == Sort::Const {
            let message = format!("`{}` is a constant", access.name.text);
            let diagnostic = Diagnostic::new(access.name.span, message, "cannot be written");
            self.whole.report(diagnostic.note(variable.span, "declared here"));
            return None;
        }
        let index = self.index(access, variable);
        if let Some(object) = variable.object {
            return Some(Place::Shared { object, index });
        }
        Some(match self.home(&access.name, variable) {
            Home::Register(register) => Place::Register(register),
            Home::Array(array) => Place::Element { array, index },
        })
    }

    /// What a name means.
    pub fn variable(&mut self, name: &Name) -> Option<&'p Variable> {
        let variables = self.whole.variables;
        let found = variables.get(&name.text);
        if found.is_none() {
            let message = format!("`{}` is not declared", name.text);
            let help = match (name.text.split_once('-'), variables.closest(&name.text)) {
                (Some((left, right)), _) if variables.get(left).is_some() => {
                    format!("names may contain `-`; a difference is written `{left} - {right}`")
                }
                (_, Some(closest)) => format!("did you mean `{closest}`?"),
                (_, None) => format!("declare it: `<…, {} 1>` for a single value", name.text),
            };
            self.whole.report(Diagnostic::new(name.span, message, "not found").help(help));
        }
        found
    }

    fn index(&mut self, access: &Access, variable: &Variable) -> Expr {
        if let Some(index) = &access.index {
            return self.value(index);
        }
        if variable.shape.elements() > 1 {
            let name = &access.name.text;
            let message = format!("`{name}` has {} elements", variable.shape.elements());
            let diagnostic = Diagnostic::new(access.name.span, message, "which of them?");
            let diagnostic = diagnostic.help(format!("the first is `{name}[0]`"));
            self.whole.report(diagnostic.note(variable.span, "declared here"));
        }
        Expr::Int(0)
    }

    /// Where this process keeps a variable of its own; made at the first use.
    fn home(&mut self, name: &Name, variable: &'p Variable) -> Home {
        if let Some(home) = self.homes.get(name.text.as_str()) {
            return *home;
        }
        let home = match variable.shape {
            Shape::Scalar => Home::Register(self.new_register(name, variable)),
            Shape::Array(length) => Home::Array(self.new_array(name, variable, length)),
        };
        self.homes.insert(name.text.clone(), home);
        home
    }

    fn new_register(&mut self, name: &Name, variable: &Variable) -> selvedge_ir::RegisterId {
        let register = self.register(&name.text, Type::Int);
        let initial = variable.initial.first().copied().unwrap_or(0);
        if initial != 0 {
            let kind = InstrKind::Assign { target: Place::Register(register), value: Expr::Int(initial) };
            self.graph.insert(self.entry, selvedge_ir::Instr { kind, span: variable.span });
        }
        register
    }

    fn new_array(&mut self, name: &Name, variable: &Variable, length: i64) -> ArrayId {
        match add_elements(self.whole.elements, length, variable.span) {
            Ok(elements) => {
                self.whole.elements = elements;
                let initial = variable.initial.clone();
                self.arrays.push(LocalArray { name: name.text.clone(), ty: Type::Int, initial });
            }
            Err(diagnostic) => {
                diagnostic.into_iter().for_each(|diagnostic| self.whole.report(diagnostic));
                self.arrays.push(LocalArray { name: name.text.clone(), ty: Type::Int, initial: Vec::new() });
            }
        }
        ArrayId::at(self.arrays.len() - 1)
    }
}

/// An operation, carried out if both operands are numbers and it does not fail.
pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    if let (Expr::Int(left), Expr::Int(right)) = (&left, &right)
        && let Some(value) = op.apply(*left, *right)
    {
        return Expr::Int(value);
    }
    Expr::Binary { op, left: Box::new(left), right: Box::new(right) }
}
