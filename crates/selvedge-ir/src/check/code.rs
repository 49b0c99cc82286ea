//! Instructions and terminators: ids, types of operands and results, branch targets.

use super::expr::{Typer, is_too_deep};
use super::{Fault, Found, Kind, Report, Spot};
use crate::{
    BlockId, CondvarRef, Expr, Function, FunctionId, InstrKind, MutexRef, ObjectId, Place, RegisterId, RmwOp,
    TerminatorKind, ThreadRef, Type,
};

/// Checks the code of a function, one instruction at a time.
pub(super) fn check<'p>(report: &mut Report<'p>, function: &'p Function) {
    for (block, code) in function.blocks.iter().enumerate() {
        for instr in &code.instrs {
            let spot = Spot::in_function(function, block, instr.span);
            report.require_file(spot);
            Typer { report, function, spot }.instr(&instr.kind);
        }
        let spot = Spot::in_function(function, block, code.terminator.span);
        report.require_file(spot);
        Typer { report, function, spot }.terminator(&code.terminator.kind);
    }
}

impl Typer<'_, '_> {
    fn terminator(&mut self, kind: &TerminatorKind) {
        match kind {
            TerminatorKind::Goto(target) => self.block(*target),
            TerminatorKind::Branch { condition, then, otherwise } => {
                self.require("the condition", condition, Type::Bool);
                self.block(*then);
                self.block(*otherwise);
            }
            TerminatorKind::Return(value) => match (value, self.function.returns) {
                (None, None) => {}
                (Some(value), Some(expected)) => self.require("the returned value", value, expected),
                (None, Some(expected)) => self.fault(Fault::MissingValue { expected }),
                (Some(_), None) => self.fault(Fault::ExtraValue),
            },
        }
    }

    fn block(&mut self, id: BlockId) {
        self.report.require_id(self.spot, Kind::Block, id.0, self.function.blocks.len());
    }

    fn instr(&mut self, kind: &InstrKind) {
        match kind {
            InstrKind::Assign { target, value } => self.assign(target, value),
            InstrKind::Rmw { result, object, index, op, operand } => {
                let ty = self.shared(*object, index);
                self.rmw(*result, ty, *op, operand);
            }
            InstrKind::CompareExchange { result, object, index, expected, desired } => {
                if let Some(ty) = self.shared(*object, index) {
                    self.require("the expected value", expected, ty);
                    self.require("the desired value", desired, ty);
                }
                self.result(*result, Type::Bool);
            }
            InstrKind::Lock(mutex) | InstrKind::Unlock(mutex) => self.mutex(mutex),
            InstrKind::TryLock { result, mutex } => {
                self.mutex(mutex);
                self.result(*result, Type::Bool);
            }
            InstrKind::Wait { condvar, mutex } => {
                self.condvar(condvar);
                self.mutex(mutex);
            }
            InstrKind::Signal(condvar) | InstrKind::Broadcast(condvar) => self.condvar(condvar),
            InstrKind::BarrierWait(barrier) => {
                let length = self.report.program.barriers.len();
                self.report.require_id(self.spot, Kind::Barrier, barrier.0, length);
            }
            InstrKind::Spawn(thread) | InstrKind::Join(thread) => self.thread(thread),
            InstrKind::Assert(condition) | InstrKind::Assume(condition) | InstrKind::Await(condition) => {
                self.require("the condition", condition, Type::Bool);
            }
            InstrKind::Choose { target, low, high } => self.choose(*target, low, high),
            InstrKind::AtomicBegin | InstrKind::AtomicEnd => {}
            InstrKind::Call { result, function, arguments } => self.call(*result, *function, arguments),
        }
    }

    fn assign(&mut self, target: &Place, value: &Expr) {
        let ty = match target {
            Place::Register(register) => self.register(*register),
            Place::Element { array, index } => {
                self.require("the index", index, Type::Int);
                self.array(*array)
            }
            Place::Shared { object, index } => self.shared(*object, index),
        };
        if let Some(ty) = ty {
            self.require("the assigned value", value, ty);
        }
    }

    /// An element of a shared object.
    fn shared(&mut self, object: ObjectId, index: &Expr) -> Option<Type> {
        self.require("the index", index, Type::Int);
        self.object(object)
    }

    fn rmw(&mut self, result: Option<RegisterId>, object: Option<Type>, op: RmwOp, operand: &Expr) {
        let Some(ty) = object else { return };
        if op == RmwOp::Add {
            self.require_type("what is added to", Some(ty), Type::Int);
        }
        self.require("the operand", operand, ty);
        self.result(result, ty);
    }

    /// Checks that the register that receives a result of type `ty` has that type.
    fn result(&mut self, result: Option<RegisterId>, ty: Type) {
        if let Some(register) = result {
            let found = self.register(register);
            self.require_type("the register for the result", found, ty);
        }
    }

    fn mutex(&mut self, mutex: &MutexRef) {
        let length = self.report.program.mutexes.len();
        self.report.require_id(self.spot, Kind::Mutex, mutex.mutex.0, length);
        self.require("the index", &mutex.index, Type::Int);
    }

    fn condvar(&mut self, condvar: &CondvarRef) {
        let length = self.report.program.condvars.len();
        self.report.require_id(self.spot, Kind::Condvar, condvar.condvar.0, length);
        self.require("the index", &condvar.index, Type::Int);
    }

    fn thread(&mut self, thread: &ThreadRef) {
        let length = self.report.program.families.len();
        self.report.require_id(self.spot, Kind::Family, thread.family.0, length);
        self.require("the index", &thread.index, Type::Int);
    }

    fn choose(&mut self, target: RegisterId, low: &Expr, high: &Expr) {
        self.result(Some(target), Type::Int);
        self.require("the lower bound", low, Type::Int);
        self.require("the upper bound", high, Type::Int);
        // One that is too deep has been reported, and `reads_shared` is recursive.
        if [low, high].into_iter().any(|bound| !is_too_deep(bound) && bound.reads_shared()) {
            self.fault(Fault::SharedBounds);
        }
    }

    fn call(&mut self, result: Option<RegisterId>, function: FunctionId, arguments: &[Expr]) {
        let program = self.report.program;
        let functions = &program.functions;
        if self.report.require_id(self.spot, Kind::Function, function.0, functions.len()) == Found::No {
            return;
        }
        let callee = &functions[function.index()];
        let parameters = callee.registers.iter().take(callee.parameters);
        for (argument, parameter) in arguments.iter().zip(parameters) {
            self.require("the argument", argument, parameter.ty);
        }
        if arguments.len() != callee.parameters {
            let (function, parameters) = (callee.name.clone(), callee.parameters);
            self.fault(Fault::ArgumentCount { function, parameters, arguments: arguments.len() });
        }
        match (result, callee.returns) {
            (Some(_), None) => self.fault(Fault::NoResult { function: callee.name.clone() }),
            (_, Some(ty)) => self.result(result, ty),
            (None, None) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::faults_in;
    use super::*;

    fn faults(line: &str) -> Vec<Fault> {
        faults_in(&format!("b0:\n  {line}\n  return"))
    }

    fn wrong(what: &'static str, expected: Type, found: Type) -> Vec<Fault> {
        vec![Fault::WrongType { what, expected, found }]
    }

    #[test]
    fn instructions_with_fitting_types_are_well_formed() {
        for line in [
            "%i = rmw add @x, 1",
            "%b = rmw swap @p, false",
            "%b = cmpxchg @a[1], 0, 1",
            "%b = trylock @m",
            "%i = choose 0 .. %i",
            "%b = call @g(@x)",
            "call @g(1)",
            "wait @c, @m",
            "arrive @r",
            "spawn @w",
            "$l[0] = @p",
        ] {
            assert_eq!(faults(line), [], "{line}");
        }
    }

    #[test]
    fn an_assigned_value_has_the_type_of_its_place() {
        assert_eq!(faults("%i = @p"), wrong("the assigned value", Type::Int, Type::Bool));
        assert_eq!(faults("$l[0] = 1"), wrong("the assigned value", Type::Bool, Type::Int));
        assert_eq!(faults("@x = true"), wrong("the assigned value", Type::Int, Type::Bool));
        assert_eq!(faults("@a[true] = 1"), wrong("the index", Type::Int, Type::Bool));
    }

    #[test]
    fn read_modify_write_keeps_the_type_of_its_object() {
        assert_eq!(faults("%b = rmw add @x, 1"), wrong("the register for the result", Type::Int, Type::Bool));
        assert_eq!(faults("rmw swap @p, 1"), wrong("the operand", Type::Bool, Type::Int));
        assert_eq!(faults("rmw add @p, true"), wrong("what is added to", Type::Int, Type::Bool));
        assert_eq!(
            faults("%i = cmpxchg @x, 0, 1"),
            wrong("the register for the result", Type::Bool, Type::Int)
        );
        assert_eq!(faults("cmpxchg @p, 0, true"), wrong("the expected value", Type::Bool, Type::Int));
    }

    #[test]
    fn synchronisation_takes_integer_indices() {
        for line in ["lock @m[true]", "signal @c[true]", "join @w[true]"] {
            assert_eq!(faults(line), wrong("the index", Type::Int, Type::Bool), "{line}");
        }
        assert_eq!(faults("%i = trylock @m"), wrong("the register for the result", Type::Bool, Type::Int));
    }

    #[test]
    fn a_choice_is_an_integer_between_bounds_of_its_own_thread() {
        assert_eq!(faults("%i = choose 0 .. @x"), [Fault::SharedBounds]);
        assert_eq!(faults("%b = choose 0 .. 2"), wrong("the register for the result", Type::Int, Type::Bool));
        assert_eq!(faults("%i = choose false .. 2"), wrong("the lower bound", Type::Int, Type::Bool));
    }

    #[test]
    fn a_call_fits_its_function() {
        assert_eq!(faults("call @g(true)"), wrong("the argument", Type::Int, Type::Bool));
        let count = Fault::ArgumentCount { function: "g".into(), parameters: 1, arguments: 0 };
        assert_eq!(faults("call @g()"), [count]);
        assert_eq!(faults("%i = call @g(1)"), wrong("the register for the result", Type::Bool, Type::Int));
        assert_eq!(faults("%i = call @f()"), [Fault::NoResult { function: "f".into() }]);
    }

    #[test]
    fn a_function_returns_what_it_says() {
        assert_eq!(faults_in("b0:\n  return 1"), [Fault::ExtraValue]);
        let text = "function @f() -> int {\nb0:\n  return\n}\n";
        let program = crate::parse::parse(text).unwrap();
        assert_eq!(super::super::tests::faults_of(&program), [Fault::MissingValue { expected: Type::Int }]);
    }

    #[test]
    fn branches_lead_to_blocks() {
        let missing = |id| Fault::NoSuchId { kind: Kind::Block, id, length: 1 };
        assert_eq!(faults_in("b0:\n  branch %b, b1, b2"), [missing(1), missing(2)]);
        assert_eq!(faults_in("b0:\n  branch %i, b0, b0"), wrong("the condition", Type::Bool, Type::Int));
    }
}
