//! From the tree to the IR: names and their meaning, one function for each process.
//!
//! A statement is one transition, however many locations it touches [Metzler2014, chapter 5]. One that touches only
//! `local` and `const` variables is independent of everything, and is no transition of its own in the IR.
//! `indexer` repeats one transition: each probe of the table is a step.
//!
//! Mistakes are found on the way and reported once for each place, however often it is repeated; the result is then
//! thrown away by the caller.

mod expressions;
mod indexer;
mod statements;

use std::collections::{BTreeMap, BTreeSet};

use selvedge_ir::{
    ArrayId, Function, FunctionId, Instr, InstrKind, LocalArray, Program, Register, RegisterId, Span, Start,
    TerminatorKind, ThreadFamily, Type,
};

use super::ast::{Process, System};
use super::variables::Variables;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::limits;
use crate::lower::graph::{Graph, Position};

/// The program in the IR; worthless if something was reported.
pub fn lower(file_name: &str, system: &System, diagnostics: &mut Diagnostics) -> Program {
    check_count(system, diagnostics);
    let variables = Variables::declare(system, diagnostics);
    let mut whole =
        Whole { elements: variables.elements, variables: &variables, diagnostics, reported: BTreeSet::new() };
    let mut functions = Vec::new();
    for (number, process) in system.processes.iter().enumerate().take(limits::THREADS as usize) {
        if whole.diagnostics.is_full() {
            break;
        }
        functions.push(lower_process(number, process, &mut whole));
    }
    let families = functions.iter().enumerate().map(|(number, function)| family(number, function)).collect();
    Program {
        files: vec![file_name.to_string()],
        objects: variables.objects,
        mutexes: Vec::new(),
        condvars: Vec::new(),
        barriers: Vec::new(),
        functions,
        families,
        finally: None,
    }
}

fn check_count(system: &System, diagnostics: &mut Diagnostics) {
    let (announced, found) = (system.proc_count, system.processes.len());
    if found as u64 > limits::THREADS as u64 {
        let message = format!("a program has at most {} processes", limits::THREADS);
        diagnostics.report(Diagnostic::new(announced.span, message, format!("there are {found}")));
    } else if usize::try_from(announced.value) != Ok(found) {
        let message = format!("{} processes are announced, but there are {found}", announced.value);
        diagnostics.report(Diagnostic::new(announced.span, message, format!("should be {found}")));
    }
}

fn family(number: usize, function: &Function) -> ThreadFamily {
    ThreadFamily {
        name: function.name.clone(),
        is_array: false,
        count: 1,
        function: FunctionId::at(number),
        start: Start::AtOnce,
        span: function.span,
    }
}

fn lower_process(number: usize, process: &Process, whole: &mut Whole) -> Function {
    let graph = Graph::new(process.span);
    let mut lowering = Lowering {
        whole,
        number,
        registers: Vec::new(),
        arrays: Vec::new(),
        homes: BTreeMap::new(),
        outcome: None,
        copied: 0,
        entry: graph.position(),
        graph,
    };
    lowering.block(&process.block);
    lowering.graph.terminate(TerminatorKind::Return(None), process.span);
    Function {
        name: format!("p{number}"),
        parameters: 0,
        returns: None,
        registers: lowering.registers,
        arrays: lowering.arrays,
        blocks: lowering.graph.into_blocks(),
        span: process.span,
    }
}

/// What lives as long as the lowering of the whole program.
struct Whole<'p> {
    variables: &'p Variables,
    /// Elements of shared variables and of the arrays of processes so far.
    elements: i64,
    diagnostics: &'p mut Diagnostics,
    /// Where something has been reported.
    reported: BTreeSet<Span>,
}

impl Whole<'_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        if self.reported.insert(diagnostic.span) {
            self.diagnostics.report(diagnostic);
        }
    }
}

/// Where a process keeps a variable of its own.
#[derive(Clone, Copy, Debug)]
enum Home {
    Register(RegisterId),
    Array(ArrayId),
}

/// What lives as long as the lowering of one process.
struct Lowering<'p, 'w> {
    whole: &'w mut Whole<'p>,
    /// The process's number, from 0.
    number: usize,
    registers: Vec<Register>,
    arrays: Vec<LocalArray>,
    /// The `local` and `const` variables that this process has used so far.
    homes: BTreeMap<String, Home>,
    /// Where outcomes go that only matter for control flow, or not at all.
    outcome: Option<RegisterId>,
    /// Nodes of the divisors of the statement at hand that were copied.
    copied: usize,
    graph: Graph,
    /// The beginning of the process.
    entry: Position,
}

impl Lowering<'_, '_> {
    fn emit(&mut self, kind: InstrKind, span: Span) {
        self.graph.push(Instr { kind, span });
    }

    fn register(&mut self, name: &str, ty: Type) -> RegisterId {
        self.registers.push(Register { name: name.to_string(), ty });
        RegisterId::at(self.registers.len() - 1)
    }

    /// The boolean register for outcomes.
    fn outcome(&mut self) -> RegisterId {
        let outcome = self.outcome.unwrap_or_else(|| self.register("%outcome", Type::Bool));
        self.outcome = Some(outcome);
        outcome
    }
}
