//! Functions: blocks, instructions and control flow.

use super::transition::{GUARDED, OBSERVING, PLAIN, VARYING, evaluating, region};
use crate::code::{
    Alternatives, Call, Code, CompiledFunction, FrameArray, NO_SLOT, Op, Slot, TEMPORARY, Visible, WhenReady,
};
use selvedge_ir::{
    ArrayId, BinaryOp, BlockId, CondvarRef, Expr, Function, Instr, InstrKind, MutexRef, ObjectId, Place,
    RegisterId, RmwOp, Span, TerminatorKind, ThreadRef,
};
use selvedge_trace::Blocking;

/// In which role a function is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Threads call it.
    Callee,
    /// It is the code of one thread.
    Thread {
        /// The index of the thread in its family.
        index: i64,
    },
    /// It runs alone after all threads.
    Finally,
}

/// Compiles one function.
pub struct FunctionCompiler<'c> {
    function: &'c Function,
    scope: Scope,
    pub(super) code: &'c mut Code,
    first_array: u32,
    next_hidden: Slot,
    frame: u32,
    temporaries: u32,
    span: Span,
    in_region: bool,
    block_starts: Vec<u32>,
    jumps_to_blocks: Vec<(usize, BlockId)>,
}

impl<'c> FunctionCompiler<'c> {
    /// A compiler that appends to `code`.
    pub fn new(function: &'c Function, scope: Scope, code: &'c mut Code) -> Self {
        let registers = function.registers.len() as u32;
        let first_array = code.arrays.len() as u32;
        let mut start = registers + hidden_registers(function);
        for array in &function.arrays {
            let length = array.initial.len() as u32;
            code.arrays.push(FrameArray { start, length });
            start += length;
        }
        FunctionCompiler {
            function,
            scope,
            code,
            first_array,
            next_hidden: registers,
            frame: start,
            temporaries: 0,
            span: function.span,
            in_region: false,
            block_starts: vec![0; function.blocks.len()],
            jumps_to_blocks: Vec::new(),
        }
    }

    /// Compiles all of the function.
    pub fn compile(mut self) -> CompiledFunction {
        let entry = self.code.ops.len() as u32;
        if self.scope == Scope::Finally {
            self.begin(OBSERVING);
            self.emit(Op::AwaitAll);
            self.emit(Op::Commit);
        }
        let in_region = regions_at_entry(self.function);
        for (block, in_region) in in_region.into_iter().enumerate() {
            self.in_region = in_region;
            self.block(BlockId::at(block));
        }
        for (jump, block) in std::mem::take(&mut self.jumps_to_blocks) {
            self.land_at(jump, self.block_starts[block.index()]);
        }
        let parameters = self.function.parameters;
        let mut initial = vec![0; self.function.registers.len() - parameters];
        initial.resize(initial.len() + hidden_registers(self.function) as usize, 0);
        initial.extend(self.function.arrays.iter().flat_map(|array| &array.initial));
        debug_assert_eq!(initial.len() + parameters, self.frame as usize);
        CompiledFunction { entry, frame: self.frame, parameters: parameters as u32, initial: initial.into() }
    }

    /// The index of the running thread, where it is known.
    pub fn self_index(&self) -> Option<i64> {
        match self.scope {
            Scope::Callee => None,
            Scope::Thread { index } => Some(index),
            Scope::Finally => Some(0),
        }
    }

    pub(super) fn emit(&mut self, op: Op) {
        self.code.ops.push(op);
        self.code.spans.push(self.span);
    }

    /// Emits a jump whose target is not known yet.
    pub(super) fn emit_jump(&mut self, op: Op) -> usize {
        self.emit(op);
        self.code.ops.len() - 1
    }

    /// Lets a jump lead to the next instruction.
    pub(super) fn land(&mut self, jump: usize) {
        self.land_at(jump, self.code.ops.len() as u32);
    }

    fn land_at(&mut self, jump: usize, target: u32) {
        match &mut self.code.ops[jump] {
            Op::Jump(to) | Op::JumpIfFalse { to, .. } | Op::JumpIfTrue { to, .. } => *to = target,
            other => unreachable!("{other:?} does not jump"),
        }
    }

    pub(super) fn temporary(&mut self) -> Slot {
        self.temporaries += 1;
        self.code.temporaries = self.code.temporaries.max(self.temporaries);
        TEMPORARY + self.temporaries - 1
    }

    pub(super) fn array(&self, array: ArrayId) -> u32 {
        self.first_array + array.0
    }

    fn hidden(&mut self) -> Slot {
        self.next_hidden += 1;
        self.next_hidden - 1
    }

    /// Begins a transition, unless this is within one.
    fn begin(&mut self, visible: Visible) {
        if !self.in_region {
            self.emit(Op::Visible(self.code.visible.len() as u32));
            self.code.visible.push(visible);
        }
    }

    /// Ends the shared part of a transition, unless this is within a larger one.
    fn commit(&mut self) {
        if !self.in_region {
            self.emit(Op::Commit);
        }
    }

    /// Begins a transition that evaluates expressions, if they read shared memory; says whether it did.
    fn begin_if_shared(&mut self, values: &[&Expr], indices: &[&Expr]) -> Sharing {
        if self.scope == Scope::Finally || !values.iter().chain(indices).any(|e| e.reads_shared()) {
            return Sharing::Local;
        }
        self.begin(evaluating(values, indices));
        Sharing::Shared
    }

    fn commit_if(&mut self, sharing: Sharing) {
        if sharing == Sharing::Shared {
            self.commit();
        }
    }

    fn begin_shared(&mut self, visible: Visible) {
        if self.scope != Scope::Finally {
            self.begin(visible);
        }
    }

    fn commit_shared(&mut self) {
        if self.scope != Scope::Finally {
            self.commit();
        }
    }

    fn block(&mut self, id: BlockId) {
        self.block_starts[id.index()] = self.code.ops.len() as u32;
        let block = &self.function.blocks[id.index()];
        for (i, instr) in block.instrs.iter().enumerate() {
            self.span = instr.span;
            self.temporaries = 0;
            match instr.kind {
                InstrKind::AtomicBegin => {
                    let visible = region(self.function, id, i + 1);
                    self.begin_shared(visible);
                    self.in_region = true;
                }
                InstrKind::AtomicEnd => {
                    self.in_region = false;
                    self.commit_shared();
                }
                _ => self.instr(instr),
            }
        }
        self.span = block.terminator.span;
        self.temporaries = 0;
        self.terminator(&block.terminator.kind, id);
    }

    fn terminator(&mut self, terminator: &TerminatorKind, block: BlockId) {
        match terminator {
            TerminatorKind::Goto(next) => self.go(*next, block),
            TerminatorKind::Branch { condition, then, otherwise } => {
                let condition = self.fold(condition);
                let sharing = self.begin_if_shared(&[&condition], &[]);
                let condition = self.value(&condition);
                self.commit_if(sharing);
                let jump = self.emit_jump(Op::JumpIfFalse { condition, to: 0 });
                self.jumps_to_blocks.push((jump, *otherwise));
                self.go(*then, block);
            }
            TerminatorKind::Return(None) => self.emit(Op::Return { value: NO_SLOT }),
            TerminatorKind::Return(Some(value)) => {
                let value = self.fold(value);
                let sharing = self.begin_if_shared(&[&value], &[]);
                let value = self.value(&value);
                self.commit_if(sharing);
                self.emit(Op::Return { value });
            }
        }
    }

    fn go(&mut self, next: BlockId, from: BlockId) {
        if next.index() != from.index() + 1 {
            let jump = self.emit_jump(Op::Jump(0));
            self.jumps_to_blocks.push((jump, next));
        }
    }

    fn instr(&mut self, instr: &Instr) {
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
            InstrKind::Join(thread) => self.on_thread(thread, OBSERVING, |thread| Op::Join { thread }),
            InstrKind::Assert(condition) => self.test(condition, |condition| Op::Assert { condition }),
            InstrKind::Assume(condition) => self.test(condition, |condition| Op::Assume { condition }),
            InstrKind::Await(condition) => {
                let condition = self.fold(condition);
                self.begin(GUARDED);
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
        self.begin_shared(VARYING);
        let a = self.value(&Expr::Load { object, index: Box::new(index.clone()) });
        let b = self.value(&expected);
        let src = self.value(&desired);
        let equal = self.temporary();
        self.emit(Op::Binary { op: BinaryOp::Eq, dst: equal, a, b });
        let over = self.emit_jump(Op::JumpIfFalse { condition: equal, to: 0 });
        self.store(object, &index, src);
        self.land(over);
        self.commit_shared();
        self.set_result(result, equal);
    }

    fn set_result(&mut self, result: Option<RegisterId>, src: Slot) {
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

    /// Emits code for the cell of an element of a range of synchronisation objects.
    fn sync_cell(&mut self, array: u32, index: &Expr) -> Slot {
        let dst = self.temporary();
        match self.fixed_cell(array, index) {
            Some(cell) => self.emit(Op::Const { dst, value: i64::from(cell) }),
            None => {
                let index = self.value(index);
                self.emit(Op::CellAt { dst, array, index });
            }
        }
        dst
    }

    fn lock(&mut self, mutex: &MutexRef) {
        let index = self.fold(&mutex.index);
        let array = self.code.layout.mutexes + mutex.mutex.0;
        let visible = match (index.reads_shared(), self.fixed_cell(array, &index)) {
            (true, _) => GUARDED,
            (false, Some(cell)) => {
                Visible { readiness: WhenReady::MutexFree(cell), blocking: Blocking::Acquire, ..PLAIN }
            }
            (false, None) => Visible { blocking: Blocking::Acquire, ..OBSERVING },
        };
        self.begin(visible);
        let cell = self.sync_cell(array, &index);
        self.emit(Op::Lock { cell });
        self.commit();
    }

    fn on_mutex(&mut self, mutex: &MutexRef, fixed: Visible, op: impl FnOnce(Slot) -> Op) {
        self.on_sync(self.code.layout.mutexes + mutex.mutex.0, &mutex.index, fixed, op);
    }

    fn on_condvar(&mut self, condvar: &CondvarRef, fixed: Visible, op: impl FnOnce(Slot) -> Op) {
        self.on_sync(self.code.layout.condvars + condvar.condvar.0, &condvar.index, fixed, op);
    }

    fn on_sync(&mut self, array: u32, index: &Expr, fixed: Visible, op: impl FnOnce(Slot) -> Op) {
        let index = self.fold(index);
        let varying = if index.reads_shared() { VARYING.variation } else { fixed.variation };
        self.begin(Visible { variation: varying, ..fixed });
        let cell = self.sync_cell(array, &index);
        self.emit(op(cell));
        self.commit();
    }

    fn wait(&mut self, condvar: &CondvarRef, mutex: &MutexRef) {
        let held = self.hidden();
        let (condvar_index, mutex_index) = (self.fold(&condvar.index), self.fold(&mutex.index));
        let varying = condvar_index.reads_shared() || mutex_index.reads_shared();
        self.begin(if varying { VARYING } else { PLAIN });
        let condvar = self.sync_cell(self.code.layout.condvars + condvar.condvar.0, &condvar_index);
        let mutex = self.sync_cell(self.code.layout.mutexes + mutex.mutex.0, &mutex_index);
        self.emit(Op::BeginWait { condvar, mutex });
        self.emit(Op::Set { dst: held, src: mutex });
        self.commit();
        self.begin(Visible { blocking: Blocking::Acquire, ..OBSERVING });
        self.emit(Op::EndWait { mutex: held });
        self.commit();
    }

    /// Emits an operation on a thread, whose number is computed from its family and index.
    fn on_thread(&mut self, thread: &ThreadRef, fixed: Visible, op: impl FnOnce(Slot) -> Op) {
        let index = self.fold(&thread.index);
        let family = thread.family.index();
        let (first, count, _) = self.code.families[family];
        let visible = match (index.reads_shared(), fixed.readiness) {
            (true, WhenReady::Always) => VARYING,
            (true, _) => GUARDED,
            (false, _) => fixed,
        };
        self.begin(visible);
        let number = self.temporary();
        match index {
            Expr::Int(i) if (0..i64::from(count)).contains(&i) => {
                self.emit(Op::Const { dst: number, value: i64::from(first) + i });
            }
            _ => {
                let index = self.value(&index);
                let family = thread.family.0;
                self.emit(Op::ThreadAt { dst: number, family, index });
            }
        }
        self.emit(op(number));
        self.commit();
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

/// Whether a transition touches shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sharing {
    Shared,
    Local,
}

/// Registers that the source text does not have: the mutex of a wait, the round of a barrier.
fn hidden_registers(function: &Function) -> u32 {
    let needs = |instr: &&InstrKind| matches!(instr, InstrKind::Wait { .. } | InstrKind::BarrierWait(_));
    super::instrs(function).filter(needs).count() as u32
}

/// Whether each block is entered within an atomic region.
fn regions_at_entry(function: &Function) -> Vec<bool> {
    let mut known = vec![None; function.blocks.len()];
    let mut todo = vec![(0, false)];
    while let Some((block, inside)) = todo.pop() {
        if known[block].is_some() {
            continue;
        }
        known[block] = Some(inside);
        let block = &function.blocks[block];
        let inside = block.instrs.iter().fold(inside, |inside, instr| match instr.kind {
            InstrKind::AtomicBegin => true,
            InstrKind::AtomicEnd => false,
            _ => inside,
        });
        match &block.terminator.kind {
            TerminatorKind::Goto(next) => todo.push((next.index(), inside)),
            TerminatorKind::Branch { then, otherwise, .. } => {
                todo.extend([(then.index(), inside), (otherwise.index(), inside)]);
            }
            TerminatorKind::Return(_) => {}
        }
    }
    known.into_iter().map(|inside| inside.unwrap_or(false)).collect()
}
