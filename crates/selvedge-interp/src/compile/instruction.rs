//! Instructions on memory, tests, choices and calls; the others are in [`super::synchronisation`].

use super::function::FunctionCompiler;
use super::transition::{GUARDED, OBSERVING, PLAIN, VARYING, evaluating};
use crate::code::{Alternatives, Call, NO_SLOT, Op, Slot, TEMPORARY, Visible};
use selvedge_ir::{BinaryOp, Expr, Instr, InstrKind, ObjectId, Place, RegisterId, RmwOp};

impl FunctionCompiler<'_> {
    pub(super) fn instr(&mut self, instr: &Instr) {
        match &instr.kind {
            InstrKind::Assign { target, value } => self.assign(target, value),
            InstrKind::Rmw { result, object, index, op, operand } => {
                self.rmw(*result, *object, index, *op, operand);
            }
            InstrKind::CompareExchange { result, object, index, expected, desired } => {
                self.compare_exchange(*result, *object, index, expected, desired);
            }
            InstrKind::Lock(mutex) => self.lock(mutex),
            InstrKind::Unlock(mutex) => self.on_mutex(mutex, PLAIN, |cell| Op::Unlock { cell }),
            InstrKind::TryLock { result, mutex } => {
                let dst = self.temporary();
                self.on_mutex(mutex, VARYING, |cell| Op::TryLock { dst, cell });
                self.set_result(*result, dst);
            }
            InstrKind::Wait { condvar, mutex } => self.wait(condvar, mutex),
            InstrKind::Signal(condvar) => {
                let visible = Visible { alternatives: Alternatives::Several, ..VARYING };
                self.on_condvar(condvar, visible, |condvar| Op::Signal { condvar });
            }
            InstrKind::Broadcast(condvar) => {
                self.on_condvar(condvar, VARYING, |condvar| Op::Broadcast { condvar });
            }
            InstrKind::BarrierWait(barrier) => {
                let round = self.hidden();
                self.begin(VARYING);
                self.emit(Op::Arrive { barrier: barrier.0, round });
                self.commit();
                self.begin(OBSERVING);
                self.emit(Op::Pass { barrier: barrier.0, round });
                self.commit();
            }
            InstrKind::Spawn(thread) => self.on_thread(thread, VARYING, |thread| Op::Spawn { thread }),
            InstrKind::Join(thread) => self.join(thread),
            InstrKind::Assert(condition) => self.test(condition, |condition| Op::Assert { condition }),
            InstrKind::Assume(condition) => self.test(condition, |condition| Op::Assume { condition }),
            InstrKind::Await(condition) => {
                let condition = self.fold(condition);
                let locations = evaluating(&[&condition], &[]).locations;
                self.begin(Visible { locations, ..GUARDED });
                let condition = self.value(&condition);
                self.emit(Op::Await { condition });
                self.commit();
            }
            InstrKind::Choose { target, low, high } => self.choose(*target, low, high),
            InstrKind::Call { result, function, arguments } => {
                self.call(*result, function.0, arguments);
            }
            InstrKind::AtomicBegin | InstrKind::AtomicEnd => unreachable!("handled by the block"),
        }
    }

    fn assign(&mut self, target: &Place, value: &Expr) {
        let value = self.fold(value);
        match target {
            Place::Register(register) => {
                let sharing = self.begin_if_shared(&[&value], &[]);
                let src = self.value(&value);
                self.emit(Op::Set { dst: register.0, src });
                self.commit_if(sharing);
            }
            Place::Element { array, index } => {
                let index = self.fold(index);
                let sharing = self.begin_if_shared(&[&value, &index], &[]);
                let src = self.value(&value);
                let index = self.value(&index);
                let array = self.array(*array);
                self.emit(Op::SetElement { array, index, src });
                self.commit_if(sharing);
            }
            Place::Shared { object, index } => {
                let index = self.fold(index);
                self.begin_shared(evaluating(&[&value, &index], &[&index]));
                let src = self.value(&value);
                self.store(*object, &index, src);
                self.commit_shared();
            }
        }
    }

    fn store(&mut self, object: ObjectId, index: &Expr, src: Slot) {
        match self.fixed_cell(object.0, index) {
            Some(cell) => self.emit(Op::Store { cell, src }),
            None => {
                let index = self.value(index);
                self.emit(Op::StoreAt { array: object.0, index, src });
            }
        }
    }

    fn rmw(&mut self, result: Option<RegisterId>, object: ObjectId, index: &Expr, op: RmwOp, operand: &Expr) {
        let (index, operand) = (self.fold(index), self.fold(operand));
        self.begin_shared(evaluating(&[&operand, &index], &[&index]));
        let load = Expr::Load { object, index: Box::new(index.clone()) };
        let old = self.value(&load);
        let b = self.value(&operand);
        let new = match op {
            RmwOp::Swap => b,
            RmwOp::Add => {
                let dst = self.temporary();
                self.emit(Op::Binary { op: BinaryOp::Add, dst, a: old, b });
                dst
            }
        };
        self.store(object, &index, new);
        self.commit_shared();
        self.set_result(result, old);
    }

    fn compare_exchange(
        &mut self,
        result: Option<RegisterId>,
        object: ObjectId,
        index: &Expr,
        expected: &Expr,
        desired: &Expr,
    ) {
        let (index, expected, desired) = (self.fold(index), self.fold(expected), self.fold(desired));
        let locations = evaluating(&[&expected, &desired], &[&index]).locations;
        self.begin_shared(Visible { locations, ..VARYING });
        let a = self.value(&Expr::Load { object, index: Box::new(index.clone()) });
        let b = self.value(&expected);
        let src = self.value(&desired);
        let reads_more = [&index, &expected, &desired].into_iter().any(Expr::reads_shared);
        if self.is_transition() && !reads_more {
            self.emit(Op::Expect { found: a, expected: b });
        }
        let equal = self.temporary();
        self.emit(Op::Binary { op: BinaryOp::Eq, dst: equal, a, b });
        let over = self.emit_jump(Op::JumpIfFalse { condition: equal, to: 0 });
        self.store(object, &index, src);
        self.land(over);
        self.commit_shared();
        self.set_result(result, equal);
    }

    pub(super) fn set_result(&mut self, result: Option<RegisterId>, src: Slot) {
        if let Some(register) = result {
            self.emit(Op::Set { dst: register.0, src });
        }
    }

    fn test(&mut self, condition: &Expr, op: impl FnOnce(Slot) -> Op) {
        let condition = self.fold(condition);
        let sharing = self.begin_if_shared(&[&condition], &[]);
        let condition = self.value(&condition);
        self.emit(op(condition));
        self.commit_if(sharing);
    }

    fn choose(&mut self, target: RegisterId, low: &Expr, high: &Expr) {
        let (low, high) = (self.fold(low), self.fold(high));
        self.begin(Visible { alternatives: Alternatives::Several, ..PLAIN });
        let low = self.value(&low);
        let high = self.value(&high);
        self.emit(Op::Choose { dst: target.0, low, high });
        self.commit();
    }

    fn call(&mut self, result: Option<RegisterId>, function: u32, arguments: &[Expr]) {
        let arguments: Vec<Expr> = arguments.iter().map(|argument| self.fold(argument)).collect();
        let values: Vec<&Expr> = arguments.iter().collect();
        let sharing = self.begin_if_shared(&values, &[]);
        let computed: Vec<Slot> = arguments.iter().map(|argument| self.value(argument)).collect();
        let first = TEMPORARY + self.temporaries;
        for src in computed {
            let dst = self.temporary();
            self.emit(Op::Copy { dst, src });
        }
        self.commit_if(sharing);
        let result = result.map_or(NO_SLOT, |r| r.0);
        self.emit(Op::Call(self.code.calls.len() as u32));
        self.code.calls.push(Call { function, arguments: first, result, frame: self.frame });
    }
}
