//! Names, types and the rules of the language, one function body at a time.
//!
//! The result is the tree of [`typed`](crate::typed), which lowering takes without further questions. After
//! a mistake the checker goes on; `None` stands for something that has been reported already and must not be
//! reported again.

mod calls;
mod effects;
mod expressions;
pub mod flow;
mod locals;
mod names;
mod statements;

use std::collections::{BTreeMap, BTreeSet};

use selvedge_ir::{ArrayId, FamilyId, LocalArray, Register, RegisterId, Span, Type};

use crate::ast::{Block, Declaration, DeclarationKind, Name};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::scope::{Globals, Local, LocalKind, Outcome, Scopes};
use crate::typed::{Bodies, Body};

/// Checks all functions, threads and `finally`.
pub fn check(declarations: &[Declaration], globals: &Globals, diagnostics: &mut Diagnostics) -> Bodies {
    let mut whole = Whole { globals, diagnostics, spawned: BTreeSet::new(), elements: globals.elements };
    let mut functions = Vec::new();
    for declaration in declarations {
        functions.extend(check_declaration(declaration, &mut whole));
    }
    Bodies { functions, spawned: whole.spawned }
}

fn check_declaration(declaration: &Declaration, whole: &mut Whole) -> Option<Body> {
    let no_parameters: &[Name] = &[];
    let (code, parameters, body) = match &declaration.kind {
        DeclarationKind::Thread { body, .. } => (Code::Thread, no_parameters, body),
        DeclarationKind::Finally(body) => (Code::Finally, no_parameters, body),
        DeclarationKind::Function { parameters, body } => (Code::Function, parameters.as_slice(), body),
        _ => return None,
    };
    let outcome = if flow::returns_value(body) { Outcome::Value } else { Outcome::Nothing };
    Some(Checker::new(whole, code, outcome).body(declaration, parameters, body))
}

/// What lives as long as the check of the whole program.
struct Whole<'w> {
    globals: &'w Globals,
    diagnostics: &'w mut Diagnostics,
    spawned: BTreeSet<FamilyId>,
    /// Elements of all arrays so far.
    elements: i64,
}

/// Whose body is being checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Code {
    Thread,
    Function,
    Finally,
}

/// What lives as long as the check of one body.
struct Checker<'w, 'c> {
    whole: &'c mut Whole<'w>,
    code: Code,
    outcome: Outcome,
    registers: Vec<Register>,
    arrays: Vec<LocalArray>,
    temporaries: u32,
    scopes: Scopes,
    /// How often each name has been used for a register or an array.
    uses: BTreeMap<String, u32>,
    /// The loops around the statement at hand.
    loops: u32,
    /// The atomic blocks around the statement at hand.
    atomic: Vec<Span>,
}

impl<'w, 'c> Checker<'w, 'c> {
    fn new(whole: &'c mut Whole<'w>, code: Code, outcome: Outcome) -> Self {
        Checker {
            whole,
            code,
            outcome,
            registers: Vec::new(),
            arrays: Vec::new(),
            temporaries: 0,
            scopes: Scopes::default(),
            uses: BTreeMap::new(),
            loops: 0,
            atomic: Vec::new(),
        }
    }

    fn body(mut self, declaration: &Declaration, parameters: &[Name], body: &Block) -> Body {
        self.scopes.enter();
        for parameter in parameters {
            let register = self.register(&parameter.text, Type::Int);
            self.declare(parameter, LocalKind::Variable(register));
        }
        let mut statements = Vec::new();
        for statement in &body.statements {
            self.statement(statement, &mut statements);
        }
        let broken = !self.whole.diagnostics.is_empty();
        if self.code == Code::Function
            && self.outcome == Outcome::Value
            && !broken
            && flow::completes(&statements)
        {
            self.report_missing_return(declaration);
        }
        Body { registers: self.registers, arrays: self.arrays, temporaries: self.temporaries, statements }
    }

    fn report_missing_return(&mut self, declaration: &Declaration) {
        let message = format!("`{}` does not return a value on every path", declaration.name.text);
        let diagnostic =
            Diagnostic::new(declaration.span, message, "its end can be reached without `return`");
        self.report(diagnostic.help("end it with `return 0;` or another value"));
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.whole.diagnostics.report(diagnostic);
    }

    /// Reports and gives up.
    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.report(diagnostic);
        None
    }

    /// A new register with a name that no other register or array of the function has.
    fn register(&mut self, name: &str, ty: Type) -> RegisterId {
        let name = self.unique(name);
        self.registers.push(Register { name, ty });
        RegisterId::at(self.registers.len() - 1)
    }

    /// A register that the source text does not know.
    fn temporary(&mut self, ty: Type) -> RegisterId {
        self.registers.push(Register { name: format!("%{}", self.temporaries), ty });
        self.temporaries += 1;
        RegisterId::at(self.registers.len() - 1)
    }

    fn array(&mut self, name: &str, ty: Type, initial: Vec<i64>) -> ArrayId {
        let name = self.unique(name);
        self.arrays.push(LocalArray { name, ty, initial });
        ArrayId::at(self.arrays.len() - 1)
    }

    /// `v`, then `v.1`, `v.2`, …
    fn unique(&mut self, name: &str) -> String {
        let uses = self.uses.entry(name.to_string()).or_insert(0);
        let unique = if *uses == 0 { name.to_string() } else { format!("{name}.{uses}") };
        *uses += 1;
        unique
    }

    fn declare(&mut self, name: &Name, kind: LocalKind) {
        if let Some(earlier) = self.scopes.declare(&name.text, Local { kind, span: name.span }) {
            let message = format!("`{}` is declared twice in this block", name.text);
            let diagnostic = Diagnostic::new(name.span, message, "declared again here");
            self.report(diagnostic.note(earlier.span, "first declared here").help("choose another name"));
        }
    }
}
