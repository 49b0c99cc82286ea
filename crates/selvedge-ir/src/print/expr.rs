//! The text of expressions: an operator inside another expression stands in parentheses, so there is no
//! precedence to remember.

use std::fmt::{self, Display, Write};

use super::NameOf;
use crate::symbols::unary_word;
use crate::{ArrayId, Expr, Function, ObjectId, Program, RegisterId};

/// What the names in the code of a function refer to.
#[derive(Clone, Copy)]
pub(super) struct Scope<'p> {
    pub(super) program: &'p Program,
    pub(super) function: &'p Function,
}

impl<'p> Scope<'p> {
    pub(super) fn show(self, expr: &'p Expr) -> Show<'p> {
        Show { scope: self, expr }
    }

    pub(super) fn register(self, id: RegisterId) -> NameOf<'p> {
        NameOf(self.function.registers.get(id.index()).map(|register| register.name.as_str()), id.0)
    }

    pub(super) fn array(self, id: ArrayId) -> NameOf<'p> {
        NameOf(self.function.arrays.get(id.index()).map(|array| array.name.as_str()), id.0)
    }

    /// A shared object, or an element of one.
    pub(super) fn object(self, id: ObjectId, index: &'p Expr) -> Indexed<'p> {
        let object = self.program.objects.get(id.index());
        let name = NameOf(object.map(|object| object.name.as_str()), id.0);
        let shape = if object.is_some_and(|object| object.is_array) { Shape::Array } else { Shape::Single };
        self.indexed(name, shape, index)
    }

    pub(super) fn indexed(self, name: NameOf<'p>, shape: Shape, index: &'p Expr) -> Indexed<'p> {
        let implied = shape == Shape::Single && *index == Expr::Int(0);
        Indexed { name, index: (!implied).then(|| self.show(index)) }
    }
}

/// Whether something is written with an index.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A single thing; its only index, 0, goes without saying.
    Single,
    /// An array.
    Array,
}

/// `@name`, or `@name[index]` unless the index goes without saying.
pub(super) struct Indexed<'p> {
    name: NameOf<'p>,
    index: Option<Show<'p>>,
}

impl Display for Indexed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.index {
            Some(index) => write!(f, "@{}[{index}]", self.name),
            None => write!(f, "@{}", self.name),
        }
    }
}

/// An expression to be shown.
pub(super) struct Show<'p> {
    scope: Scope<'p>,
    expr: &'p Expr,
}

impl Show<'_> {
    fn operand(&self, f: &mut fmt::Formatter<'_>, expr: &Expr) -> fmt::Result {
        let operand = Show { scope: self.scope, expr };
        match expr {
            Expr::Binary { .. } => write!(f, "({operand})"),
            _ => operand.fmt(f),
        }
    }

    fn arguments(&self, f: &mut fmt::Formatter<'_>, arguments: &[&Expr]) -> fmt::Result {
        f.write_char('(')?;
        for (position, expr) in arguments.iter().enumerate() {
            f.write_str(if position == 0 { "" } else { ", " })?;
            Show { scope: self.scope, expr }.fmt(f)?;
        }
        f.write_char(')')
    }
}

impl Display for Show<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.expr {
            Expr::Int(value) => write!(f, "{value}"),
            Expr::Bool(value) => write!(f, "{value}"),
            Expr::SelfIndex => f.write_str("self"),
            Expr::Register(register) => write!(f, "%{}", self.scope.register(*register)),
            Expr::Element { array, index } => {
                write!(f, "${}[{}]", self.scope.array(*array), self.scope.show(index))
            }
            Expr::Load { object, index } => self.scope.object(*object, index).fmt(f),
            Expr::Unary { op, operand } => {
                f.write_str(unary_word(*op))?;
                self.arguments(f, &[operand])
            }
            Expr::Binary { op, left, right } => {
                self.operand(f, left)?;
                write!(f, " {} ", op.symbol())?;
                self.operand(f, right)
            }
            Expr::Select { condition, then, otherwise } => {
                f.write_str("select")?;
                self.arguments(f, &[condition, then, otherwise])
            }
        }
    }
}
