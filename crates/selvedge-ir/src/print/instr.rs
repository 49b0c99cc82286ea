//! The text of blocks: instructions and terminators, one per line.

use std::fmt::{self, Write};

use super::expr::{Indexed, Scope, Shape};
use super::{At, NameOf, function_name};
use crate::{
    BarrierId, Block, CondvarRef, Expr, Function, FunctionId, InstrKind, MutexRef, Place, Program,
    RegisterId, RmwOp, SyncArray, TerminatorKind, ThreadRef,
};

/// Writes the instructions and the terminator of a block of `function`.
pub(super) fn write_block(
    out: &mut String,
    program: &Program,
    function: &Function,
    block: &Block,
) -> fmt::Result {
    let scope = Scope { program, function };
    for instr in &block.instrs {
        out.write_str("  ")?;
        write_instr(out, scope, &instr.kind)?;
        writeln!(out, "{}", At(instr.span))?;
    }
    out.write_str("  ")?;
    match &block.terminator.kind {
        TerminatorKind::Goto(target) => write!(out, "goto b{}", target.0)?,
        TerminatorKind::Branch { condition, then, otherwise } => {
            write!(out, "branch {}, b{}, b{}", scope.show(condition), then.0, otherwise.0)?;
        }
        TerminatorKind::Return(None) => out.write_str("return")?,
        TerminatorKind::Return(Some(value)) => write!(out, "return {}", scope.show(value))?,
    }
    writeln!(out, "{}", At(block.terminator.span))
}

fn write_instr(out: &mut String, scope: Scope<'_>, kind: &InstrKind) -> fmt::Result {
    match kind {
        InstrKind::Assign { target, value } => write_assign(out, scope, target, value),
        InstrKind::Rmw { result, object, index, op, operand } => {
            write_result(out, scope, *result)?;
            write!(out, "rmw {} {}, {}", rmw_word(*op), scope.object(*object, index), scope.show(operand))
        }
        InstrKind::CompareExchange { result, object, index, expected, desired } => {
            write_result(out, scope, *result)?;
            let (expected, desired) = (scope.show(expected), scope.show(desired));
            write!(out, "cmpxchg {}, {expected}, {desired}", scope.object(*object, index))
        }
        InstrKind::Lock(mutex) => write!(out, "lock {}", scope.mutex(mutex)),
        InstrKind::Unlock(mutex) => write!(out, "unlock {}", scope.mutex(mutex)),
        InstrKind::TryLock { result, mutex } => {
            write_result(out, scope, *result)?;
            write!(out, "trylock {}", scope.mutex(mutex))
        }
        InstrKind::Wait { condvar, mutex } => write_wait(out, scope, condvar, mutex),
        InstrKind::Signal(condvar) => write!(out, "signal {}", scope.condvar(condvar)),
        InstrKind::Broadcast(condvar) => write!(out, "broadcast {}", scope.condvar(condvar)),
        InstrKind::BarrierWait(barrier) => write!(out, "arrive @{}", scope.barrier(*barrier)),
        InstrKind::Spawn(thread) => write!(out, "spawn {}", scope.thread(thread)),
        InstrKind::Join(thread) => write!(out, "join {}", scope.thread(thread)),
        InstrKind::Assert(condition) => write!(out, "assert {}", scope.show(condition)),
        InstrKind::Assume(condition) => write!(out, "assume {}", scope.show(condition)),
        InstrKind::Await(condition) => write!(out, "await {}", scope.show(condition)),
        InstrKind::Choose { target, low, high } => {
            write_result(out, scope, Some(*target))?;
            write!(out, "choose {} .. {}", scope.show(low), scope.show(high))
        }
        InstrKind::AtomicBegin => out.write_str("atomic begin"),
        InstrKind::AtomicEnd => out.write_str("atomic end"),
        InstrKind::Call { result, function, arguments } => {
            write_result(out, scope, *result)?;
            write_call(out, scope, *function, arguments)
        }
    }
}

fn write_assign(out: &mut String, scope: Scope<'_>, target: &Place, value: &Expr) -> fmt::Result {
    match target {
        Place::Register(register) => write!(out, "%{}", scope.register(*register))?,
        Place::Element { array, index } => write!(out, "${}[{}]", scope.array(*array), scope.show(index))?,
        Place::Shared { object, index } => write!(out, "{}", scope.object(*object, index))?,
    }
    write!(out, " = {}", scope.show(value))
}

fn write_result(out: &mut String, scope: Scope<'_>, result: Option<RegisterId>) -> fmt::Result {
    match result {
        Some(register) => write!(out, "%{} = ", scope.register(register)),
        None => Ok(()),
    }
}

fn write_wait(out: &mut String, scope: Scope<'_>, condvar: &CondvarRef, mutex: &MutexRef) -> fmt::Result {
    write!(out, "wait {}, {}", scope.condvar(condvar), scope.mutex(mutex))
}

fn write_call(out: &mut String, scope: Scope<'_>, function: FunctionId, arguments: &[Expr]) -> fmt::Result {
    write!(out, "call @{}(", function_name(scope.program, function))?;
    for (position, argument) in arguments.iter().enumerate() {
        let comma = if position == 0 { "" } else { ", " };
        write!(out, "{comma}{}", scope.show(argument))?;
    }
    out.write_str(")")
}

fn rmw_word(op: RmwOp) -> &'static str {
    match op {
        RmwOp::Add => "add",
        RmwOp::Swap => "swap",
    }
}

impl<'p> Scope<'p> {
    fn mutex(self, mutex: &'p MutexRef) -> Indexed<'p> {
        self.sync(&self.program.mutexes, mutex.mutex.0, &mutex.index)
    }

    fn condvar(self, condvar: &'p CondvarRef) -> Indexed<'p> {
        self.sync(&self.program.condvars, condvar.condvar.0, &condvar.index)
    }

    fn barrier(self, id: BarrierId) -> NameOf<'p> {
        NameOf(self.program.barriers.get(id.index()).map(|barrier| barrier.name.as_str()), id.0)
    }

    fn sync(self, table: &'p [SyncArray], id: u32, index: &'p Expr) -> Indexed<'p> {
        let entry = table.get(id as usize);
        let name = NameOf(entry.map(|entry| entry.name.as_str()), id);
        let shape = if entry.is_some_and(|entry| entry.is_array) { Shape::Array } else { Shape::Single };
        self.indexed(name, shape, index)
    }

    fn thread(self, thread: &'p ThreadRef) -> Indexed<'p> {
        let family = self.program.families.get(thread.family.index());
        let name = NameOf(family.map(|family| family.name.as_str()), thread.family.0);
        let shape = if family.is_some_and(|family| family.is_array) { Shape::Array } else { Shape::Single };
        self.indexed(name, shape, &thread.index)
    }
}
