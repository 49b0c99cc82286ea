//! Operations with a value: `cas`, `fetch_add`, `swap`, `try_lock`, `nondet`.

use selvedge_ir::{ObjectId, RmwOp, Span, Type};

use super::names::Use;
use super::{Checker, Code};
use crate::ast::{self, Name};
use crate::constants;
use crate::diagnostic::Diagnostic;
use crate::token::BUILTINS;
use crate::typed::{Effect, Expr, ExprKind, Place};

impl Checker<'_, '_> {
    /// A call where a value is needed.
    pub fn call_in_expression(
        &mut self,
        expr: &ast::Expr,
        callee: &Name,
        arguments: &[ast::Expr],
    ) -> Option<Expr> {
        match callee.text.as_str() {
            "cas" | "fetch_add" | "swap" | "try_lock" | "trylock" => {
                self.effect(callee, arguments, expr.span)
            }
            "nondet" => self.nondet(callee, arguments, expr.span),
            name if BUILTINS.contains(&name) => {
                let message = format!("`{name}` is a statement and has no value");
                let help = format!("write `{name}(…);` as a statement of its own");
                self.fail(Diagnostic::new(expr.span, message, "has no value").help(help))
            }
            _ => self.fail_nested_call(expr, callee),
        }
    }

    fn fail_nested_call<T>(&mut self, expr: &ast::Expr, callee: &Name) -> Option<T> {
        self.function(callee)?;
        let message = format!("the call of `{}` is only a part of this statement", callee.text);
        let diagnostic = Diagnostic::new(expr.span, message, "a call must be a whole right-hand side");
        let help = format!("call it before, as in `let r = {}(…);`, and use `r` here", callee.text);
        self.fail(diagnostic.help(help))
    }

    /// `cas`, `fetch_add`, `swap` or `try_lock`.
    pub fn effect(&mut self, callee: &Name, arguments: &[ast::Expr], span: Span) -> Option<Expr> {
        let operation = callee.text.as_str();
        if self.code == Code::Finally {
            return self.fail_in_finally(operation, span);
        }
        match operation {
            "cas" => self.compare_exchange(callee, arguments, span),
            "fetch_add" => {
                let [place, operand] = self.arguments(callee, arguments, span, "fetch_add(place, amount)")?;
                self.read_modify_write(operation, RmwOp::Add, place, operand)
            }
            "swap" => {
                let [place, operand] = self.arguments(callee, arguments, span, "swap(place, value)")?;
                self.read_modify_write(operation, RmwOp::Swap, place, operand)
            }
            _ => {
                let [mutex] = self.arguments(callee, arguments, span, "try_lock(mutex)")?;
                let mutex = self.mutex(mutex, operation)?;
                Some(Expr::new(ExprKind::Effect(Box::new(Effect::TryLock(mutex))), Type::Bool))
            }
        }
    }

    fn compare_exchange(&mut self, callee: &Name, arguments: &[ast::Expr], span: Span) -> Option<Expr> {
        let [place, expected, desired] =
            self.arguments(callee, arguments, span, "cas(place, expected, new)")?;
        let place = self.shared_place(place, "cas");
        let (expected, desired) = (self.expression(expected), self.expression(desired));
        let (object, index, ty) = place?;
        let (expected, desired) = (expected?.convert(ty), desired?.convert(ty));
        let effect = Effect::CompareExchange { object, index, expected, desired };
        Some(Expr::new(ExprKind::Effect(Box::new(effect)), Type::Bool))
    }

    fn read_modify_write(
        &mut self,
        operation: &str,
        op: RmwOp,
        place: &ast::Expr,
        operand: &ast::Expr,
    ) -> Option<Expr> {
        let shared = self.shared_place(place, operation);
        let value = match op {
            RmwOp::Add => self.integer(operand, operation),
            RmwOp::Swap => self.expression(operand),
        };
        let (object, index, ty) = shared?;
        if op == RmwOp::Add && ty == Type::Bool {
            return self.fail(constants::needs_integers(operation, place.span, None));
        }
        let effect = Effect::Rmw { object, index, op, operand: value?.convert(ty) };
        Some(Expr::new(ExprKind::Effect(Box::new(effect)), ty))
    }

    fn shared_place(&mut self, expr: &ast::Expr, operation: &str) -> Option<(ObjectId, Expr, Type)> {
        let message = format!("`{operation}` works on shared variables");
        let Some(used) = Use::of(expr) else {
            let help = "name a shared variable or an element of a shared array";
            return self.fail(Diagnostic::new(expr.span, message, "not a variable").help(help));
        };
        match self.named_place(used)? {
            (Place::Shared { object, index }, ty) => Some((object, index, ty)),
            _ => {
                let help = "a variable of the thread itself needs no atomic operation";
                self.fail(Diagnostic::new(expr.span, message, "a local variable").help(help))
            }
        }
    }

    fn nondet(&mut self, callee: &Name, arguments: &[ast::Expr], span: Span) -> Option<Expr> {
        let range = arguments.first().filter(|_| arguments.len() == 1);
        let Some(ast::ExprKind::Range { low, high }) = range.map(|range| &range.kind) else {
            let diagnostic = Diagnostic::new(span, "`nondet` needs a range of values", "which values?");
            let help =
                "`nondet(0..10)` is any of 0, 1, …, 9; every one of them is explored, so keep it small";
            return self.fail(diagnostic.help(help));
        };
        self.permitted(&callee.text, span)?;
        let (first, second) = (self.integer(low, "nondet"), self.integer(high, "nondet"));
        let (first, second) = (first?, second?);
        for (bound, value) in [(low, &first), (high, &second)] {
            if value.reads_shared {
                let message = "the bounds of `nondet` cannot read shared variables";
                let help = "read them into a local variable first: `let n = …;`";
                return self.fail(Diagnostic::new(bound.span, message, "reads shared memory").help(help));
            }
        }
        Some(Expr::new(ExprKind::Choose { low: Box::new(first), high: Box::new(second) }, Type::Int))
    }

    /// The arguments of a builtin operation, if there are as many as it takes.
    pub fn arguments<'a, const COUNT: usize>(
        &mut self,
        callee: &Name,
        arguments: &'a [ast::Expr],
        span: Span,
        usage: &str,
    ) -> Option<&'a [ast::Expr; COUNT]> {
        match <&[ast::Expr; COUNT]>::try_from(arguments) {
            Ok(arguments) => Some(arguments),
            Err(_) => {
                self.fail(wrong_count(&callee.text, COUNT, arguments.len(), span).help(usage_help(usage)))
            }
        }
    }
}

fn usage_help(usage: &str) -> String {
    format!("write `{usage}`")
}

/// The complaint about a wrong number of arguments.
pub fn wrong_count(name: &str, wanted: usize, found: usize, span: Span) -> Diagnostic {
    let plural = if wanted == 1 { "" } else { "s" };
    let message = format!("`{name}` takes {wanted} argument{plural}, not {found}");
    Diagnostic::new(span, message, format!("expected {wanted} argument{plural}"))
}
