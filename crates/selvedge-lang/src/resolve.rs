//! From declarations to the table of what global names mean.
//!
//! Constants are evaluated in the order of the text and can be used only further down; all other names can be used
//! anywhere. A wrong declaration still declares its name, so that uses of it are not reported as well.

use std::collections::BTreeMap;

use selvedge_ir::{
    Barrier, BarrierId, CondvarId, FamilyId, FunctionId, MutexId, Object, ObjectId, Span, SyncArray,
};

use crate::ast::{Declaration, DeclarationKind, Expr, Initial, Name};
use crate::check::flow;
use crate::constants::{self, Constant};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::initial::{self, Shape};
use crate::scope::{FamilyHead, FunctionHead, Global, GlobalKind, Globals, Outcome};
use crate::{limits, spelling};

/// The table of the declarations, with the values of constants replaced by `defines`.
pub fn declare(
    declarations: &[Declaration],
    defines: &BTreeMap<String, i64>,
    diagnostics: &mut Diagnostics,
) -> Globals {
    check_defines(declarations, defines, diagnostics);
    let all = declarations.iter().map(|declaration| (declaration.name.text.as_str(), declaration)).collect();
    let mut resolver = Resolver { globals: Globals::default(), all, defines, diagnostics, threads: 0 };
    for declaration in declarations {
        resolver.declaration(declaration);
    }
    resolver.globals
}

fn check_defines(
    declarations: &[Declaration],
    defines: &BTreeMap<String, i64>,
    diagnostics: &mut Diagnostics,
) {
    let constants = declarations.iter().filter(|d| matches!(d.kind, DeclarationKind::Const(_)));
    let names: Vec<&str> = constants.map(|declaration| declaration.name.text.as_str()).collect();
    for define in defines.keys().filter(|define| !names.contains(&define.as_str())) {
        let there_are = match names.is_empty() {
            true => "it has none".to_string(),
            false => format!("its constants are `{}`", names.join("`, `")),
        };
        let message = format!("the program has no constant `{define}`; {there_are}");
        let help = format!("declare it at the top of the program: `const {define} = 1;`");
        diagnostics.report(Diagnostic::new(Span::new(0, 0), message, "no such constant").help(help));
    }
}

struct Resolver<'r> {
    globals: Globals,
    /// All declarations by name, also those further down.
    all: BTreeMap<&'r str, &'r Declaration>,
    defines: &'r BTreeMap<String, i64>,
    diagnostics: &'r mut Diagnostics,
    threads: i64,
}

impl Resolver<'_> {
    fn declaration(&mut self, declaration: &Declaration) {
        let name = &declaration.name;
        if let DeclarationKind::Finally(_) = declaration.kind {
            return self.finally(declaration);
        }
        if let Some(earlier) = self.globals.names.get(&name.text) {
            let message = format!("`{}` is declared twice", name.text);
            let diagnostic = Diagnostic::new(name.span, message, "declared again here");
            self.diagnostics.report(diagnostic.note(earlier.span, "first declared here"));
            // The body still needs its place in the tables, which the checker finds by position.
            self.meaning(declaration);
            return;
        }
        let kind = self.meaning(declaration).unwrap_or(GlobalKind::Unknown);
        self.globals.names.insert(name.text.clone(), Global { kind, span: name.span });
    }

    fn meaning(&mut self, declaration: &Declaration) -> Option<GlobalKind> {
        let (name, span) = (&declaration.name, declaration.span);
        match &declaration.kind {
            DeclarationKind::Const(value) => self.constant(name, value),
            DeclarationKind::Shared { length, initial } => {
                let object = self.object(name, length.as_ref(), initial.as_ref(), span)?;
                self.globals.objects.push(object);
                Some(GlobalKind::Shared(ObjectId::at(self.globals.objects.len() - 1)))
            }
            DeclarationKind::Mutex(length) => {
                let array = self.sync_array(name, length.as_ref(), span)?;
                self.globals.mutexes.push(array);
                Some(GlobalKind::Mutex(MutexId::at(self.globals.mutexes.len() - 1)))
            }
            DeclarationKind::Condvar(length) => {
                let array = self.sync_array(name, length.as_ref(), span)?;
                self.globals.condvars.push(array);
                Some(GlobalKind::Condvar(CondvarId::at(self.globals.condvars.len() - 1)))
            }
            DeclarationKind::Barrier(width) => self.barrier(name, width, span),
            DeclarationKind::Function { parameters, body } => {
                let outcome = if flow::returns_value(body) { Outcome::Value } else { Outcome::Nothing };
                Some(GlobalKind::Function(self.function(name, parameters.len(), outcome, span)))
            }
            DeclarationKind::Thread { count, .. } => self.thread(name, count.as_ref(), span),
            DeclarationKind::Finally(_) => None,
        }
    }

    fn constant(&mut self, name: &Name, value: &Expr) -> Option<GlobalKind> {
        let value = self.evaluate(value)?;
        let define = self.defines.get(&name.text);
        let value = define.map_or(value, |define| Constant::int(*define).convert(value.ty));
        Some(GlobalKind::Constant(value))
    }

    fn object(
        &mut self,
        name: &Name,
        length: Option<&Expr>,
        initial: Option<&Initial>,
        span: Span,
    ) -> Option<Object> {
        let shape = self.shape(length, span)?;
        let values = initial::values(initial, shape, span, &|name, span| self.lookup(name, span));
        let (ty, initial) = self.reported(values)?;
        Some(Object { name: name.text.clone(), ty, is_array: length.is_some(), initial, span })
    }

    fn sync_array(&mut self, name: &Name, length: Option<&Expr>, span: Span) -> Option<SyncArray> {
        let shape = self.shape(length, span)?;
        let length = u32::try_from(shape.elements()).ok()?;
        Some(SyncArray { name: name.text.clone(), is_array: shape != Shape::Scalar, length, span })
    }

    fn barrier(&mut self, name: &Name, width: &Expr, span: Span) -> Option<GlobalKind> {
        let width = self.count(width, "the width of a barrier", (1, limits::BARRIER_WIDTH))?;
        let width = u32::try_from(width).ok()?;
        self.globals.barriers.push(Barrier { name: name.text.clone(), width, span });
        Some(GlobalKind::Barrier(BarrierId::at(self.globals.barriers.len() - 1)))
    }

    fn function(&mut self, name: &Name, parameters: usize, outcome: Outcome, span: Span) -> FunctionId {
        self.globals.functions.push(FunctionHead { name: name.text.clone(), parameters, outcome, span });
        FunctionId::at(self.globals.functions.len() - 1)
    }

    fn thread(&mut self, name: &Name, count: Option<&Expr>, span: Span) -> Option<GlobalKind> {
        let function = self.function(name, 0, Outcome::Nothing, span);
        let room = (0, limits::THREADS - self.threads);
        let count = match count {
            Some(count) => Some(self.count(count, "the number of threads of a program", room)?),
            None if room.1 == 0 => return self.too_many_threads(name),
            None => None,
        };
        self.threads += count.unwrap_or(1);
        let count = count.and_then(|count| u32::try_from(count).ok());
        self.globals.families.push(FamilyHead { name: name.text.clone(), count, function, span });
        Some(GlobalKind::Thread(FamilyId::at(self.globals.families.len() - 1)))
    }

    fn too_many_threads<T>(&mut self, name: &Name) -> Option<T> {
        let message = format!("the number of threads of a program can be at most {}", limits::THREADS);
        self.diagnostics.report(Diagnostic::new(name.span, message, "one thread too many"));
        None
    }

    fn finally(&mut self, declaration: &Declaration) {
        let function = self.function(&declaration.name, 0, Outcome::Nothing, declaration.span);
        if let Some(earlier) = self.globals.finally.replace(function) {
            let earlier =
                self.globals.functions.get(earlier.index()).map_or(declaration.span, |head| head.span);
            let diagnostic = Diagnostic::new(declaration.span, "there are two `finally`", "the second one");
            let help = "put the statements of both into one";
            self.diagnostics.report(diagnostic.help(help).note(earlier, "the first one"));
        }
    }

    fn shape(&mut self, length: Option<&Expr>, span: Span) -> Option<Shape> {
        let shape = match length {
            Some(length) => {
                Shape::Array(self.count(length, "the length of an array", (0, limits::ELEMENTS))?)
            }
            None => Shape::Scalar,
        };
        let span = length.map_or(span, |length| length.span);
        let total = initial::add_elements(self.globals.elements, shape.elements(), span);
        self.globals.elements = self.reported(total)?;
        Some(shape)
    }

    fn count(&mut self, expr: &Expr, what: &str, range: (i64, i64)) -> Option<i64> {
        let count = initial::count(expr, what, range, &|name, span| self.lookup(name, span));
        self.reported(count)
    }

    fn evaluate(&mut self, expr: &Expr) -> Option<Constant> {
        let value = constants::evaluate(expr, &|name, span| self.lookup(name, span));
        self.reported(value)
    }

    fn reported<T>(&mut self, result: Result<T, Option<Diagnostic>>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(diagnostic) => {
                diagnostic.into_iter().for_each(|diagnostic| self.diagnostics.report(diagnostic));
                None
            }
        }
    }

    fn lookup(&self, name: &str, span: Span) -> Result<Constant, Option<Diagnostic>> {
        if self.globals.names.contains_key(name) {
            return lookup_constant(&self.globals, name, span);
        }
        let Some(later) = self.all.get(name) else { return lookup_constant(&self.globals, name, span) };
        let message = format!("`{name}` is declared further down");
        let diagnostic = Diagnostic::new(span, message, "not known yet").note(later.span, "declared here");
        Err(Some(diagnostic.help("constants can be used only below their declaration")))
    }
}

/// The value of a name in a constant expression, or what is wrong with it.
pub fn lookup_constant(globals: &Globals, name: &str, span: Span) -> Result<Constant, Option<Diagnostic>> {
    let Some(global) = globals.names.get(name) else {
        let constants = globals.names.iter().filter(|(_, g)| matches!(g.kind, GlobalKind::Constant(_)));
        let diagnostic = Diagnostic::new(span, format!("`{name}` is not declared"), "not found");
        return Err(Some(match spelling::closest(name, constants.map(|(name, _)| name.as_str())) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic.help(format!("declare it above: `const {name} = 1;`")),
        }));
    };
    match global.kind {
        GlobalKind::Constant(constant) => Ok(constant),
        GlobalKind::Unknown => Err(None),
        kind => {
            let message = format!("`{name}` is {}, not a constant", kind.describe());
            let diagnostic = Diagnostic::new(span, message, "not known at compile time");
            Err(Some(diagnostic.note(global.span, "declared here")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{lexer, parser};
    use selvedge_ir::Type;

    fn resolved(text: &str, defines: &[(&str, i64)]) -> (Globals, Vec<Diagnostic>) {
        let mut diagnostics = Diagnostics::default();
        let tokens = lexer::tokens(text, &mut diagnostics);
        let declarations = parser::parse(text, &tokens, &mut diagnostics);
        let defines = defines.iter().map(|(name, value)| ((*name).to_string(), *value)).collect();
        let globals = declare(&declarations, &defines, &mut diagnostics);
        (globals, diagnostics.into_sorted())
    }

    #[test]
    fn constants_are_computed_from_earlier_ones() {
        let (globals, errors) = resolved("const N = 2; const M = N * 3 + 1; shared a[M];", &[("N", 5)]);
        assert!(errors.is_empty());
        assert_eq!(globals.objects[0].initial.len(), 16);
    }

    #[test]
    fn a_define_keeps_the_type_of_its_constant() {
        let (globals, _) = resolved("const DEBUG = false;", &[("DEBUG", 7)]);
        let GlobalKind::Constant(constant) = globals.names["DEBUG"].kind else { panic!("not a constant") };
        assert_eq!(constant, Constant { ty: Type::Bool, value: 1 });
    }

    #[test]
    fn the_type_of_a_shared_variable_is_that_of_its_value() {
        let (globals, _) = resolved("shared x, f = 1 < 2, a[2] = true;", &[]);
        let types: Vec<Type> = globals.objects.iter().map(|object| object.ty).collect();
        assert_eq!(types, [Type::Int, Type::Bool, Type::Bool]);
    }

    #[test]
    fn all_arrays_together_are_bounded() {
        let (_, errors) = resolved("shared a[9000000]; mutex m[9000000];", &[]);
        assert_eq!(errors.len(), 1);
    }

    #[test]
    fn all_threads_together_are_bounded() {
        let (_, errors) = resolved("thread t[20000] { skip; } thread u { skip; }", &[]);
        assert_eq!(errors.len(), 1);
    }
}
