//! Functions: blocks, instructions and control flow.

use super::transition::{OBSERVING, evaluating, region};
use crate::code::{Code, CompiledFunction, FrameArray, NO_SLOT, Op, Slot, TEMPORARY, Visible};
use selvedge_ir::{ArrayId, BlockId, Expr, Function, InstrKind, Span, TerminatorKind};

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
    pub(super) frame: u32,
    pub(super) temporaries: u32,
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

    pub(super) fn hidden(&mut self) -> Slot {
        self.next_hidden += 1;
        self.next_hidden - 1
    }

    /// Begins a transition, unless this is within one.
    pub(super) fn begin(&mut self, visible: Visible) {
        if !self.in_region {
            self.emit(Op::Visible(self.code.visible.len() as u32));
            self.code.visible.push(visible);
        }
    }

    /// Ends the shared part of a transition, unless this is within a larger one.
    pub(super) fn commit(&mut self) {
        if !self.in_region {
            self.emit(Op::Commit);
        }
    }

    /// Whether an instruction that begins a transition is all of it.
    pub(super) fn is_transition(&self) -> bool {
        !self.in_region && self.scope != Scope::Finally
    }

    /// Begins a transition that evaluates expressions, if they read shared memory; says whether it did.
    pub(super) fn begin_if_shared(&mut self, values: &[&Expr], indices: &[&Expr]) -> Sharing {
        if self.scope == Scope::Finally || !values.iter().chain(indices).any(|e| e.reads_shared()) {
            return Sharing::Local;
        }
        self.begin(evaluating(values, indices));
        Sharing::Shared
    }

    pub(super) fn commit_if(&mut self, sharing: Sharing) {
        if sharing == Sharing::Shared {
            self.commit();
        }
    }

    pub(super) fn begin_shared(&mut self, visible: Visible) {
        if self.scope != Scope::Finally {
            self.begin(visible);
        }
    }

    pub(super) fn commit_shared(&mut self) {
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
}

/// Whether a transition touches shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sharing {
    Shared,
    Local,
}

/// Registers that the source text does not have: the mutex of a wait, the round of a barrier.
fn hidden_registers(function: &Function) -> u32 {
    let needs = |instr: &&InstrKind| match instr {
        InstrKind::Wait { .. } | InstrKind::BarrierWait(_) => true,
        InstrKind::Join(thread) => thread.index.reads_shared(),
        _ => false,
    };
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
