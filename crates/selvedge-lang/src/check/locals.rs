//! Local variables and arrays.

use selvedge_ir::{Span, Type};

use super::Checker;
use crate::ast::{Expr as Source, Initial, Name};
use crate::constants::Constant;
use crate::diagnostic::Diagnostic;
use crate::initial::{self, Shape};
use crate::limits;
use crate::resolve::lookup_constant;
use crate::scope::LocalKind;
use crate::typed::{Expr, ExprKind, Place, Statement, StatementKind};

impl Checker<'_, '_> {
    /// `let name[length] = initial`
    pub fn local(
        &mut self,
        name: &Name,
        length: Option<&Source>,
        initial: Option<&Initial>,
        span: Span,
        out: &mut Vec<Statement>,
    ) {
        let kind = match length {
            Some(length) => self.local_array(name, length, initial, span, out),
            None => self.local_scalar(name, initial, span, out),
        };
        self.declare(name, kind.unwrap_or(LocalKind::Unknown));
    }

    fn local_scalar(
        &mut self,
        name: &Name,
        initial: Option<&Initial>,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Option<LocalKind> {
        let value = match initial {
            None => Expr::int(0),
            Some(Initial::One(value)) => match Self::as_call(value) {
                Some(call) => {
                    let result = self.call_for_value(call, span, out)?;
                    Expr::new(ExprKind::Register(result), Type::Int)
                }
                None => self.expression(value)?,
            },
            Some(Initial::List(..)) => {
                let values = initial::values(initial, Shape::Scalar, name.span, &|_, _| Err(None));
                self.reported(values)?;
                return None;
            }
        };
        let register = self.register(&name.text, value.ty);
        let target = Place::Register(register);
        out.push(Statement { kind: StatementKind::Assign { target, value }, span });
        Some(LocalKind::Variable(register))
    }

    fn local_array(
        &mut self,
        name: &Name,
        length: &Source,
        initial: Option<&Initial>,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Option<LocalKind> {
        let (what, range) = ("the length of a local array", (0, limits::LOCAL_ELEMENTS));
        let count = initial::count(length, what, range, &|name, span| self.lookup(name, span));
        let count = self.reported(count)?;
        let total = initial::add_elements(self.whole.elements, count, length.span);
        self.whole.elements = self.reported(total)?;
        let values =
            initial::values(initial, Shape::Array(count), name.span, &|name, span| self.lookup(name, span));
        let (ty, values) = self.reported(values)?;
        let array = self.array(&name.text, ty, values);
        if self.loops > 0 {
            out.push(Statement { kind: StatementKind::Reset(array), span });
        }
        Some(LocalKind::Array(array))
    }

    fn lookup(&self, name: &str, span: Span) -> Result<Constant, Option<Diagnostic>> {
        let Some(local) = self.scopes.get(name) else {
            return lookup_constant(self.whole.globals, name, span);
        };
        let message = format!("`{name}` is a local variable, not a constant");
        let diagnostic = Diagnostic::new(span, message, "not known at compile time");
        let help = "lengths and initial values of arrays are constants; assign other values in a loop";
        Err(Some(diagnostic.help(help).note(local.span, "declared here")))
    }

    fn reported<T>(&mut self, result: Result<T, Option<Diagnostic>>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(diagnostic) => {
                diagnostic.into_iter().for_each(|diagnostic| self.report(diagnostic));
                None
            }
        }
    }
}
