//! From checked programs to the IR.
//!
//! A statement is one transition, however many locations it touches. Most become a single instruction. Those with
//! effects inside expressions (`x = fetch_add(y, 1) + z`) become several, in an atomic region if more than one of
//! them is visible. `nondet` is chosen before its statement, in a transition of its own.
//!
//! Lowering cannot fail: the checker has refused everything that has no meaning.

mod effects;
mod expressions;
pub mod graph;
mod loops;
mod statements;

use selvedge_ir::{
    FamilyId, Function, Instr, InstrKind, Program, Register, RegisterId, Span, Start, TerminatorKind,
    ThreadFamily, Type,
};

use crate::scope::{FamilyHead, FunctionHead, Globals, Outcome};
use crate::typed::{Bodies, Body};
use graph::Graph;
use loops::LoopExit;

/// The program in the IR.
pub fn lower(file_name: &str, globals: Globals, bodies: Bodies) -> Program {
    let families = families(&globals, &bodies);
    let functions = globals.functions.iter().zip(bodies.functions);
    Program {
        files: vec![file_name.to_string()],
        functions: functions.map(|(head, body)| lower_function(head, body)).collect(),
        families,
        objects: globals.objects,
        mutexes: globals.mutexes,
        condvars: globals.condvars,
        barriers: globals.barriers,
        finally: globals.finally,
    }
}

fn families(globals: &Globals, bodies: &Bodies) -> Vec<ThreadFamily> {
    let start = |position: usize| match bodies.spawned.contains(&FamilyId::at(position)) {
        true => Start::WhenSpawned,
        false => Start::AtOnce,
    };
    let lower_family = |(position, family): (usize, &FamilyHead)| ThreadFamily {
        name: family.name.clone(),
        is_array: family.count.is_some(),
        count: family.count.unwrap_or(1),
        function: family.function,
        start: start(position),
        span: family.span,
    };
    globals.families.iter().enumerate().map(lower_family).collect()
}

fn lower_function(head: &FunctionHead, body: Body) -> Function {
    let mut lowering = Lowering {
        registers: body.registers,
        arrays: body.arrays,
        temporaries: body.temporaries,
        graph: Graph::new(head.span),
        loops: Vec::new(),
        grouping: Grouping::Separate,
    };
    for statement in body.statements {
        lowering.statement(statement);
    }
    lowering.graph.terminate(TerminatorKind::Return(lowering.default_result(head)), head.span);
    Function {
        name: head.name.clone(),
        parameters: head.parameters,
        returns: (head.outcome == Outcome::Value).then_some(Type::Int),
        registers: lowering.registers,
        arrays: lowering.arrays,
        blocks: lowering.graph.into_blocks(),
        span: head.span,
    }
}

/// Whether instructions are transitions of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grouping {
    /// Each visible instruction is a transition.
    Separate,
    /// An atomic region is open: all are one transition.
    Grouped,
}

/// What lives as long as the lowering of one function.
struct Lowering {
    registers: Vec<Register>,
    arrays: Vec<selvedge_ir::LocalArray>,
    temporaries: u32,
    graph: Graph,
    loops: Vec<LoopExit>,
    grouping: Grouping,
}

impl Lowering {
    fn default_result(&self, head: &FunctionHead) -> Option<selvedge_ir::Expr> {
        (head.outcome == Outcome::Value).then_some(selvedge_ir::Expr::Int(0))
    }

    fn emit(&mut self, kind: InstrKind, span: Span) {
        self.graph.push(Instr { kind, span });
    }

    fn temporary(&mut self, ty: Type) -> RegisterId {
        self.registers.push(Register { name: format!("%{}", self.temporaries), ty });
        self.temporaries += 1;
        RegisterId::at(self.registers.len() - 1)
    }

    /// Makes what `lower` emits one transition: puts an atomic region around it if more than one instruction of it
    /// is visible and no region is open already.
    fn one_transition<T>(&mut self, span: Span, lower: impl FnOnce(&mut Self) -> T) -> T {
        if self.grouping == Grouping::Grouped {
            return lower(self);
        }
        let start = self.graph.position();
        self.grouping = Grouping::Grouped;
        let result = lower(self);
        self.grouping = Grouping::Separate;
        if self.graph.visible_since(start) > 1 {
            self.graph.insert(start, Instr { kind: InstrKind::AtomicBegin, span });
            self.emit(InstrKind::AtomicEnd, span);
        }
        result
    }
}
