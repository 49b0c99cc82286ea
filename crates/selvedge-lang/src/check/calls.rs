//! Calls: operations that are statements, and functions of the program.

use selvedge_ir::{FunctionId, RegisterId, Span, Type};

use super::effects::wrong_count;
use super::{Checker, Code};
use crate::ast::{self, Name};
use crate::diagnostic::Diagnostic;
use crate::scope::{GlobalKind, Outcome};
use crate::spelling;
use crate::token::BUILTINS;
use crate::typed::{Expr, Statement, StatementKind, Synchronisation};

/// A call as written.
#[derive(Clone, Copy)]
pub struct CallSource<'a> {
    callee: &'a Name,
    arguments: &'a [ast::Expr],
    span: Span,
}

/// A checked call of a function.
pub struct Call {
    /// The function.
    pub function: FunctionId,
    /// The arguments, all integers.
    pub arguments: Vec<Expr>,
    /// Whether there is a value.
    pub outcome: Outcome,
}

impl Checker<'_, '_> {
    /// A call as a statement.
    pub fn call_statement(
        &mut self,
        callee: &Name,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<StatementKind> {
        match callee.text.as_str() {
            "cas" | "fetch_add" | "swap" | "try_lock" | "trylock" => {
                Some(StatementKind::Evaluate(self.effect(callee, arguments, span)?))
            }
            "nondet" => {
                let message = "the chosen value is not used";
                let help = "store it: `let v = nondet(0..2);`";
                self.fail(Diagnostic::new(span, message, "has no effect").help(help))
            }
            "assert" | "assume" | "await" => self.claim(callee, arguments, span),
            name if BUILTINS.contains(&name) => {
                Some(StatementKind::Synchronise(self.synchronisation(callee, arguments, span)?))
            }
            _ => {
                let Call { function, arguments, .. } = self.call(callee, arguments, span)?;
                Some(StatementKind::Call { result: None, function, arguments })
            }
        }
    }

    fn claim(&mut self, callee: &Name, arguments: &[ast::Expr], span: Span) -> Option<StatementKind> {
        let name = callee.text.as_str();
        if name == "await" {
            self.permitted(name, span)?;
        }
        let [claim] = self.arguments(callee, arguments, span, &format!("{name}(condition)"))?;
        let condition = self.condition(claim)?;
        match name {
            "assert" => Some(StatementKind::Assert(condition)),
            "assume" => Some(StatementKind::Assume(condition)),
            _ if condition.effects => {
                let message = "the condition of `await` changes shared memory";
                let help = "`await` waits until its condition holds: it must only read";
                self.fail(Diagnostic::new(claim.span, message, "must only read").help(help))
            }
            _ => Some(StatementKind::Await(condition)),
        }
    }

    fn synchronisation(
        &mut self,
        callee: &Name,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<Synchronisation> {
        let name = callee.text.as_str();
        self.permitted(name, span)?;
        if name == "wait" {
            return self.wait(callee, arguments, span);
        }
        let sort = if name.ends_with("lock") { "mutex" } else { "condition_variable" };
        let [operand] = self.arguments(callee, arguments, span, &format!("{name}({sort})"))?;
        Some(match name {
            "lock" => Synchronisation::Lock(self.mutex(operand, name)?),
            "unlock" => Synchronisation::Unlock(self.mutex(operand, name)?),
            "signal" => Synchronisation::Signal(self.condvar(operand, name)?),
            _ => Synchronisation::Broadcast(self.condvar(operand, name)?),
        })
    }

    /// `wait(barrier)` or `wait(condition variable, mutex)`.
    fn wait(&mut self, callee: &Name, arguments: &[ast::Expr], span: Span) -> Option<Synchronisation> {
        if let Some(barrier) = arguments.first().and_then(|first| self.barrier(first)) {
            let [_] = self.arguments(callee, arguments, span, "wait(barrier)")?;
            return Some(Synchronisation::BarrierWait(barrier));
        }
        if let [single] = arguments {
            let condvar = self.condvar(single, "wait")?;
            drop(condvar);
            let message = "`wait` needs the mutex that protects the condition";
            let help = "write `wait(condition_variable, mutex)`: it frees the mutex while it waits";
            return self.fail(Diagnostic::new(span, message, "which mutex?").help(help));
        }
        let [condvar, mutex] = self.arguments(callee, arguments, span, "wait(condition_variable, mutex)")?;
        let (condvar, mutex) = (self.condvar(condvar, "wait"), self.mutex(mutex, "wait"));
        Some(Synchronisation::Wait(condvar?, mutex?))
    }

    /// The call that an expression consists of, if it is one of a function of the program.
    pub fn as_call(expr: &ast::Expr) -> Option<CallSource<'_>> {
        match &expr.kind {
            ast::ExprKind::Call { callee, arguments } if !BUILTINS.contains(&callee.text.as_str()) => {
                Some(CallSource { callee, arguments, span: expr.span })
            }
            _ => None,
        }
    }

    /// A call of a function of the program.
    pub fn call(&mut self, callee: &Name, arguments: &[ast::Expr], span: Span) -> Option<Call> {
        let function = self.function(callee)?;
        self.permitted("a function call", span)?;
        let head = &self.whole.globals.functions[function.index()];
        let (parameters, outcome, declared) = (head.parameters, head.outcome, head.span);
        if parameters != arguments.len() {
            let diagnostic = wrong_count(&callee.text, parameters, arguments.len(), span);
            return self.fail(diagnostic.note(declared, "declared here"));
        }
        let checked: Vec<Option<Expr>> = arguments.iter().map(|argument| self.expression(argument)).collect();
        let arguments =
            checked.into_iter().map(|argument| Some(argument?.convert(Type::Int))).collect::<Option<_>>()?;
        Some(Call { function, arguments, outcome })
    }

    /// A call whose value goes into an integer register, and that register.
    pub fn call_for_value(
        &mut self,
        source: CallSource,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Option<RegisterId> {
        let callee = source.callee;
        let Call { function, arguments, outcome } = self.call(callee, source.arguments, source.span)?;
        if outcome == Outcome::Nothing {
            let declared = self.whole.globals.functions[function.index()].span;
            let message = format!("`{}` returns no value", callee.text);
            let diagnostic = Diagnostic::new(callee.span, message, "has no value");
            return self.fail(diagnostic.note(declared, "it has no `return` with a value"));
        }
        let result = self.temporary(Type::Int);
        out.push(Statement { kind: StatementKind::Call { result: Some(result), function, arguments }, span });
        Some(result)
    }

    /// The function that a name stands for.
    pub fn function(&mut self, callee: &Name) -> Option<FunctionId> {
        let name = callee.text.as_str();
        let message = match self.whole.globals.names.get(name).map(|global| global.kind) {
            Some(GlobalKind::Function(function)) => return Some(function),
            Some(GlobalKind::Unknown) => return None,
            Some(kind) => format!("`{name}` is {}, not a function", kind.describe()),
            None if self.whole.diagnostics.is_full() => return None,
            None => format!("there is no function `{name}`"),
        };
        let functions = self.whole.globals.names.iter();
        let functions = functions.filter(|(_, global)| matches!(global.kind, GlobalKind::Function(_)));
        let known = functions.map(|(name, _)| name.as_str()).chain(BUILTINS);
        let diagnostic = Diagnostic::new(callee.span, message, "not a function");
        let diagnostic = match spelling::closest(name, known) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic,
        };
        self.fail(diagnostic)
    }

    /// Complains about operations that have no place in `finally` or in an atomic block.
    pub fn permitted(&mut self, operation: &str, span: Span) -> Option<()> {
        if self.code == Code::Finally && operation != "nondet" {
            return self.fail_in_finally(operation, span);
        }
        let Some(block) = self.atomic.first().copied() else { return Some(()) };
        let (reason, help) = match operation {
            "nondet" => ("a choice is a step of its own", "choose before the block: `let v = nondet(…);`"),
            "signal" => (
                "which thread it wakes is a choice, and a choice is a step of its own",
                "signal after the block, or use `broadcast`",
            ),
            "wait" => ("waiting takes two steps", "wait outside the block, or use `await(condition)` in it"),
            "spawn" | "join" => ("it is a step of its own", "put it before or after the block"),
            "a function call" => (
                "a function may take many steps",
                "write the statements of the function into the block, or call it outside",
            ),
            _ => return Some(()),
        };
        let operation =
            if operation.contains(' ') { operation.to_string() } else { format!("`{operation}`") };
        let message = format!("{operation} cannot stand in an atomic block: {reason}");
        let head = Span::new(block.start, block.start + "atomic".len() as u32);
        self.fail(Diagnostic::new(span, message, "not in an atomic block").help(help).note(head, "the block"))
    }

    /// Complains about operations that have no place in `finally`.
    pub fn fail_in_finally<T>(&mut self, operation: &str, span: Span) -> Option<T> {
        let operation =
            if operation.contains(' ') { operation.to_string() } else { format!("`{operation}`") };
        let message = format!("{operation} cannot be used in `finally`");
        let help =
            "`finally` runs alone, after all threads have ended: plain statements and `assert` are enough";
        self.fail(Diagnostic::new(span, message, "not in `finally`").help(help))
    }
}
