//! What a name means where it is used: as a value, as a place, as a mutex, condition variable, barrier or thread.

use selvedge_ir::{BarrierId, CondvarId, FamilyId, MutexId, Span, Type};

use super::Checker;
use crate::ast;
use crate::diagnostic::Diagnostic;
use crate::scope::{GlobalKind, LocalKind};
use crate::token::BUILTINS;
use crate::typed::{Expr, ExprKind, Member, Place};

/// A name with or without index, as written.
#[derive(Clone, Copy)]
pub struct Use<'a> {
    name: &'a str,
    name_span: Span,
    index: Option<&'a ast::Expr>,
    span: Span,
}

impl<'a> Use<'a> {
    /// The name in an expression, if it is nothing but a name with or without index.
    pub fn of(expr: &'a ast::Expr) -> Option<Self> {
        match &expr.kind {
            ast::ExprKind::Name(name) => {
                Some(Use { name, name_span: expr.span, index: None, span: expr.span })
            }
            ast::ExprKind::Index { name, index } => {
                Some(Use { name: &name.text, name_span: name.span, index: Some(index), span: expr.span })
            }
            _ => None,
        }
    }
}

impl Checker<'_, '_> {
    /// The value of a name with or without index.
    pub fn named_value(&mut self, used: Use) -> Option<Expr> {
        if let Some(local) = self.scopes.get(used.name) {
            return match local.kind {
                LocalKind::Variable(register) | LocalKind::Counter(register) => {
                    self.element_index(used, None)?;
                    let ty = self.registers[register.index()].ty;
                    Some(Expr::new(ExprKind::Register(register), ty))
                }
                LocalKind::Array(array) => {
                    let (ty, length) = self.array_shape(array);
                    let index = Box::new(self.element_index(used, Some(length))?);
                    Some(Expr::new(ExprKind::Element { array, index }, ty))
                }
                LocalKind::Unknown => None,
            };
        }
        let kind = self.global(used)?;
        match kind {
            GlobalKind::Constant(constant) => {
                self.element_index(used, None)?;
                Some(Expr::new(ExprKind::Constant(constant.value), constant.ty))
            }
            GlobalKind::Shared(_) => match self.named_place(used)? {
                (Place::Shared { object, index }, ty) => {
                    Some(Expr::new(ExprKind::Load { object, index: Box::new(index) }, ty))
                }
                _ => None,
            },
            _ => self.fail_no_value(used, kind),
        }
    }

    /// The place that a name with or without index stands for, and its type.
    pub fn named_place(&mut self, used: Use) -> Option<(Place, Type)> {
        if let Some(local) = self.scopes.get(used.name) {
            return match local.kind {
                LocalKind::Variable(register) => {
                    self.element_index(used, None)?;
                    Some((Place::Register(register), self.registers[register.index()].ty))
                }
                LocalKind::Array(array) => {
                    let (ty, length) = self.array_shape(array);
                    let index = self.element_index(used, Some(length))?;
                    Some((Place::Element { array, index }, ty))
                }
                LocalKind::Counter(_) => {
                    let message = format!("the loop variable `{}` cannot be changed", used.name);
                    let diagnostic = Diagnostic::new(used.span, message, "changed here");
                    let help = "copy it into a variable of your own, or use a `while` loop";
                    self.fail(diagnostic.help(help).note(local.span, "declared here"))
                }
                LocalKind::Unknown => None,
            };
        }
        match self.global(used)? {
            GlobalKind::Shared(object) => {
                let declared = &self.whole.globals.objects[object.index()];
                let (ty, length) = (declared.ty, declared.is_array.then_some(declared.initial.len()));
                let index = self.element_index(used, length)?;
                Some((Place::Shared { object, index }, ty))
            }
            kind @ GlobalKind::Constant(_) => {
                let message = format!("`{}` is {} and cannot be changed", used.name, kind.describe());
                let help = format!("declare it as a variable: `shared {} = …;`", used.name);
                self.fail_with_declaration(
                    used,
                    Diagnostic::new(used.span, message, "changed here").help(help),
                )
            }
            kind => self.fail_no_value(used, kind),
        }
    }

    /// The mutex that an operation works on.
    pub fn mutex(&mut self, expr: &ast::Expr, operation: &str) -> Option<Member<MutexId>> {
        let used = self.object_of(expr, operation, "a mutex")?;
        match self.global_or(used, || format!("declare it: `mutex {};`", used.name))? {
            GlobalKind::Mutex(id) => {
                let declared = &self.whole.globals.mutexes[id.index()];
                let length = declared.is_array.then_some(declared.length as usize);
                self.member(id, used, length, operation)
            }
            kind => self.fail_wrong_kind(used, kind, operation, "a mutex"),
        }
    }

    /// The condition variable that an operation works on.
    pub fn condvar(&mut self, expr: &ast::Expr, operation: &str) -> Option<Member<CondvarId>> {
        let used = self.object_of(expr, operation, "a condition variable")?;
        match self.global_or(used, || format!("declare it: `condvar {};`", used.name))? {
            GlobalKind::Condvar(id) => {
                let declared = &self.whole.globals.condvars[id.index()];
                let length = declared.is_array.then_some(declared.length as usize);
                self.member(id, used, length, operation)
            }
            kind => self.fail_wrong_kind(used, kind, operation, "a condition variable"),
        }
    }

    /// The thread that an operation works on.
    pub fn thread(&mut self, expr: &ast::Expr, operation: &str) -> Option<Member<FamilyId>> {
        let used = self.object_of(expr, operation, "a thread")?;
        match self.global_or(used, || format!("declare it: `thread {} {{ … }}`", used.name))? {
            GlobalKind::Thread(id) => {
                let length = self.whole.globals.families[id.index()].count.map(|count| count as usize);
                self.member(id, used, length, operation)
            }
            kind => self.fail_wrong_kind(used, kind, operation, "a thread"),
        }
    }

    /// The barrier that an expression names, if it names one.
    pub fn barrier(&mut self, expr: &ast::Expr) -> Option<BarrierId> {
        let used =
            Use::of(expr).filter(|used| used.index.is_none() && self.scopes.get(used.name).is_none())?;
        match self.whole.globals.names.get(used.name)?.kind {
            GlobalKind::Barrier(id) => Some(id),
            _ => None,
        }
    }

    fn object_of<'a>(&mut self, expr: &'a ast::Expr, operation: &str, needed: &str) -> Option<Use<'a>> {
        let message = |found: &str| format!("`{operation}` needs {needed}, this is {found}");
        let Some(used) = Use::of(expr) else {
            return self.fail(Diagnostic::new(expr.span, message("an expression"), format!("not {needed}")));
        };
        let Some(local) = self.scopes.get(used.name) else { return Some(used) };
        let diagnostic = Diagnostic::new(expr.span, message("a local variable"), format!("not {needed}"));
        self.fail(diagnostic.note(local.span, "declared here"))
    }

    fn member<Id>(
        &mut self,
        id: Id,
        used: Use,
        length: Option<usize>,
        operation: &str,
    ) -> Option<Member<Id>> {
        let index = self.element_index(used, length)?;
        if index.effects {
            let message = format!("the index in `{operation}` changes shared memory");
            let help = "compute the index in a `let` statement before";
            return self.fail(Diagnostic::new(used.span, message, "must only read").help(help));
        }
        Some(Member { id, index })
    }

    /// The index of a use of something of the given length, no length for what is no array.
    fn element_index(&mut self, used: Use, length: Option<usize>) -> Option<Expr> {
        match (length, used.index) {
            (None, None) => Some(Expr::int(0)),
            (Some(length), Some(index)) => self.index(index, length, used.name),
            (Some(length), None) => {
                let message = format!("`{}` is an array", used.name);
                let help = match length {
                    1 => format!("write `{}[0]`", used.name),
                    _ => format!(
                        "say which element: `{0}[0]` to `{0}[{1}]`",
                        used.name,
                        length.saturating_sub(1)
                    ),
                };
                self.fail(Diagnostic::new(used.span, message, "an index is missing").help(help))
            }
            (None, Some(_)) => {
                let message = format!("`{}` is not an array", used.name);
                let help = format!("write `{}` without index, or declare it as an array", used.name);
                self.fail(Diagnostic::new(used.span, message, "has no elements").help(help))
            }
        }
    }

    fn index(&mut self, expr: &ast::Expr, length: usize, name: &str) -> Option<Expr> {
        let index = self.expression(expr)?;
        if index.ty == Type::Bool {
            let diagnostic =
                Diagnostic::new(expr.span, "an index is an integer, this is a boolean", "a boolean");
            return self.fail(diagnostic.help("write `c ? 1 : 0` to make a number of a boolean"));
        }
        match index.constant {
            Some(value) if usize::try_from(value).map_or(true, |value| value >= length) => {
                let message = format!("`{name}` has no element {value}");
                let diagnostic = Diagnostic::new(expr.span, message, format!("this is {value}"));
                self.fail(diagnostic.help(format!("`{name}` has {length} elements, counted from 0")))
            }
            _ => Some(index),
        }
    }

    fn global(&mut self, used: Use) -> Option<GlobalKind> {
        let name = used.name;
        self.global_or(used, || {
            format!("declare it: `let {name} = …;` for this thread, `shared {name} = …;` for all")
        })
    }

    /// What a global name means; `advice` is for when it means nothing.
    fn global_or(&mut self, used: Use, advice: impl Fn() -> String) -> Option<GlobalKind> {
        match self.whole.globals.names.get(used.name) {
            Some(global) if matches!(global.kind, GlobalKind::Unknown) => None,
            Some(global) => Some(global.kind),
            None => self.fail_not_declared(used.name, used.name_span, advice),
        }
    }

    fn fail_not_declared<T>(&mut self, name: &str, span: Span, advice: impl Fn() -> String) -> Option<T> {
        if self.whole.diagnostics.is_full() {
            return None;
        }
        let diagnostic = Diagnostic::new(span, format!("`{name}` is not declared"), "not found");
        let help = match self.scopes.closest(name, self.whole.globals) {
            _ if BUILTINS.contains(&name) => format!("`{name}` is an operation: `{name}(…)`"),
            Some(near) => format!("did you mean `{near}`?"),
            None => advice(),
        };
        self.fail(diagnostic.help(help))
    }

    fn fail_no_value<T>(&mut self, used: Use, kind: GlobalKind) -> Option<T> {
        let message = format!("`{}` is {}, not a variable", used.name, kind.describe());
        let help = match kind {
            GlobalKind::Mutex(_) => format!("use `lock({0})`, `unlock({0})` or `try_lock({0})`", used.name),
            GlobalKind::Condvar(_) => {
                format!("use `wait({0}, m)`, `signal({0})` or `broadcast({0})`", used.name)
            }
            GlobalKind::Barrier(_) => format!("use `wait({})`", used.name),
            GlobalKind::Function(_) => format!("call it: `{}(…)`", used.name),
            _ => format!("use `spawn {0};` or `join {0};`", used.name),
        };
        self.fail_with_declaration(used, Diagnostic::new(used.span, message, "has no value").help(help))
    }

    fn fail_wrong_kind<T>(
        &mut self,
        used: Use,
        kind: GlobalKind,
        operation: &str,
        needed: &str,
    ) -> Option<T> {
        let message = format!("`{operation}` needs {needed}, `{}` is {}", used.name, kind.describe());
        self.fail_with_declaration(used, Diagnostic::new(used.span, message, format!("not {needed}")))
    }

    fn fail_with_declaration<T>(&mut self, used: Use, diagnostic: Diagnostic) -> Option<T> {
        let declared = self.whole.globals.names.get(used.name).map(|global| global.span);
        self.fail(match declared {
            Some(span) => diagnostic.note(span, "declared here"),
            None => diagnostic,
        })
    }

    fn array_shape(&self, array: selvedge_ir::ArrayId) -> (Type, usize) {
        let array = &self.arrays[array.index()];
        (array.ty, array.initial.len())
    }
}
