//! Instructions that move values and control.

use super::function::{FunctionLowering, Lowered, Target};
use crate::code::{NO_SLOT, Op, Pc, Slot, Trap};
use selvedge_llvm::constant::Constant;
use selvedge_llvm::instruction::{BlockId, Instruction, LocalId, Operand, Operation, Value};
use selvedge_llvm::types::Type;
use std::collections::HashMap;

impl FunctionLowering<'_, '_> {
    /// Lowers a comparison and the branch on its result as one instruction, if they are that.
    pub fn fuse(&mut self, b: usize, first: &Instruction, second: &Instruction) -> bool {
        let from = BlockId(b as u32);
        if let (
            Some(result),
            Operation::Compare(predicate, left, right),
            Operation::ConditionalBranch(condition, then, otherwise),
        ) = (first.result, &first.operation, &second.operation)
            && condition.operand == Operand::Local(result)
            && self.promotions.uses[result.0 as usize] == 1
            && let Ok(bits) = self.bits(left.ty)
            && let (Ok(a), Ok(b)) = (self.slot(left), self.slot(right))
        {
            let predicate = *predicate;
            let op = match bits == self.pointer_bits() {
                true => Op::CompareWordsBranch { predicate, bits, a, b, then: 0, otherwise: 0 },
                false => Op::CompareBranch { predicate, bits, a, b, then: 0, otherwise: 0 },
            };
            let at = self.emit(op);
            self.jump(at, Target::First, from, *then);
            self.jump(at, Target::Second, from, *otherwise);
            return true;
        }
        false
    }

    /// The bits of a pointer.
    pub fn pointer_bits(&self) -> u8 {
        8 * self.lowering.code.model.pointer_bytes() as u8
    }

    /// Lowers an instruction.
    pub fn instruction(&mut self, block: BlockId, instruction: &Instruction) -> Lowered<()> {
        let dst = instruction.result.map_or(NO_SLOT, |result| self.slot_of(result));
        match &instruction.operation {
            Operation::Return(value) => self.ret(value.as_ref()),
            Operation::Branch(to) if self.follows(block, *to) => Ok(()),
            Operation::Branch(to) => {
                let at = self.emit(Op::Jump { to: 0 });
                self.jump(at, Target::First, block, *to);
                Ok(())
            }
            Operation::ConditionalBranch(condition, then, otherwise) => {
                let condition = self.slot(condition)?;
                let at = self.emit(Op::Branch { condition, then: 0, otherwise: 0 });
                self.jump(at, Target::First, block, *then);
                self.jump(at, Target::Second, block, *otherwise);
                Ok(())
            }
            Operation::Switch(value, default, cases) => {
                self.bits(value.ty)?;
                let at = self.switch(block, value, cases)?;
                self.jump(at, Target::Default, block, *default);
                Ok(())
            }
            Operation::IndirectBranch(value, cases) => {
                self.switch(block, value, cases)?;
                let table = self.lowering.code.switches.len() - 1;
                self.lowering.code.switches[table].1 = self.pc();
                self.trap(Trap::Unreachable);
                Ok(())
            }
            Operation::Unreachable => {
                self.trap(Trap::Unreachable);
                Ok(())
            }
            Operation::Binary(operator, wrap, a, b) => self.binary(*operator, *wrap, dst, a, b),
            Operation::Negate(a) => self.negate(dst, a),
            Operation::Cast(operator, a, ty) => self.cast(*operator, dst, a, *ty),
            Operation::Compare(predicate, a, b) => self.compare(*predicate, dst, a, b),
            Operation::CompareFloat(predicate, a, b) => self.compare_float(*predicate, dst, a, b),
            Operation::Select(condition, a, b) => self.select(dst, condition, a, b),
            Operation::Freeze(a) => {
                self.lowering.code.freezes = true;
                self.copy(dst, a)
            }
            Operation::Alloca { ty, count, alignment } => {
                self.alloca(instruction.result, dst, *ty, count.as_ref(), *alignment)
            }
            Operation::Load { ty, pointer, atomicity } => self.load(dst, *ty, pointer, *atomicity),
            Operation::Store { value, pointer, atomicity } => self.store(value, pointer, *atomicity),
            Operation::Element { source, base, indices } => self.element(dst, *source, base, indices),
            Operation::Call(call) => {
                let is_used = |result: LocalId| self.promotions.uses[result.0 as usize] > 0;
                self.uses_result = instruction.result.is_some_and(is_used);
                self.call(dst, call)
            }
            Operation::Invoke(call, normal, unwind) => self.invoke(block, dst, call, *normal, *unwind),
            Operation::CompareExchange { pointer, expected, new, orderings } => {
                self.compare_exchange(dst, pointer, expected, new, *orderings)
            }
            Operation::ReadModifyWrite { operator, pointer, value, ordering } => {
                self.modify(dst, *operator, pointer, value, *ordering)
            }
            Operation::Fence(ordering) => {
                let access = super::memory::ordered(*ordering);
                self.emit(Op::Fence { access });
                Ok(())
            }
            Operation::ExtractValue(from, path) => self.extract(dst, from, path),
            Operation::InsertValue(into, value, path) => self.insert(dst, into, value, path),
            Operation::ExtractElement(vector, index) => self.extract_element(dst, vector, index),
            Operation::InsertElement(vector, value, index) => self.insert_element(dst, vector, value, index),
            Operation::Shuffle(a, b, mask) => self.shuffle(dst, a, b, mask),
            Operation::VaArg(list, ty) => self.va_arg(dst, list, *ty),
            Operation::LandingPad { .. } => {
                self.landing_pad(dst);
                Ok(())
            }
            Operation::Resume(value) => self.resume(value),
            Operation::Unsupported(what) => Err(what.clone()),
            Operation::Phi(..) | Operation::Declare { .. } | Operation::Nothing => Ok(()),
        }
    }

    fn ret(&mut self, value: Option<&Value>) -> Lowered<()> {
        let (value, words) = match value {
            Some(value) => (self.slot(value)?, self.shape(value.ty)?.len() as u16),
            None => (NO_SLOT, 0),
        };
        if self.is_atomic {
            self.emit(Op::AtomicEnd);
        }
        self.emit(Op::Return { value, words });
        Ok(())
    }

    fn switch(&mut self, block: BlockId, value: &Value, cases: &[(Value, BlockId)]) -> Lowered<Pc> {
        let slot = self.slot(value)?;
        let table = self.lowering.code.switches.len() as u32;
        self.lowering.code.switches.push((HashMap::new(), 0));
        let at = self.emit(Op::Switch { value: slot, table });
        for (case, to) in cases {
            let Operand::Constant(constant) = &case.operand else {
                return Err("a case that is no constant".to_owned());
            };
            let words = self.lowering.words_of(case.ty, constant)?;
            self.jump(at, Target::Case(words[0]), block, *to);
        }
        Ok(at)
    }

    pub fn copy(&mut self, dst: Slot, value: &Value) -> Lowered<()> {
        let words = self.shape(value.ty)?.len() as Slot;
        let src = self.slot(value)?;
        self.copy_words(dst, src, words);
        Ok(())
    }

    pub fn copy_words(&mut self, dst: Slot, src: Slot, words: Slot) {
        for w in 0..words {
            if dst + w != src + w {
                self.emit(Op::Move { dst: dst + w, src: src + w });
            }
        }
    }

    pub fn select(&mut self, dst: Slot, condition: &Value, a: &Value, b: &Value) -> Lowered<()> {
        let words = self.shape(a.ty)?.len() as u16;
        if let Type::Vector(count, _) = self.lowering.module.types.get(condition.ty) {
            let count = *count as Slot;
            let (condition, a, b) = (self.slot(condition)?, self.slot(a)?, self.slot(b)?);
            for i in 0..count {
                let op = Op::Select { dst: dst + i, condition: condition + i, a: a + i, b: b + i, words: 1 };
                self.emit(op);
            }
            return Ok(());
        }
        let (condition, a, b) = (self.slot(condition)?, self.slot(a)?, self.slot(b)?);
        self.emit(Op::Select { dst, condition, a, b, words });
        Ok(())
    }

    fn extract(&mut self, dst: Slot, from: &Value, path: &[u32]) -> Lowered<()> {
        let (first, words, _) = self.part(from, path).ok_or("a part that does not exist")?;
        let src = self.slot(from)? + first as Slot;
        self.copy_words(dst, src, words as Slot);
        Ok(())
    }

    fn insert(&mut self, dst: Slot, into: &Value, value: &Value, path: &[u32]) -> Lowered<()> {
        let (first, words, _) = self.part(into, path).ok_or("a part that does not exist")?;
        let src = self.slot(value)?;
        self.copy(dst, into)?;
        self.copy_words(dst + first as Slot, src, words as Slot);
        Ok(())
    }

    /// The number of a vector's element that is known in advance.
    fn constant_index(&self, index: &Value) -> Lowered<Slot> {
        match &index.operand {
            Operand::Constant(Constant::Int(number)) => Ok(*number as Slot),
            Operand::Constant(Constant::Zero | Constant::Undef) => Ok(0),
            _ => Err("a vector with an index that is not constant".to_owned()),
        }
    }

    fn extract_element(&mut self, dst: Slot, vector: &Value, index: &Value) -> Lowered<()> {
        let src = self.slot(vector)? + self.constant_index(index)?;
        self.emit(Op::Move { dst, src });
        Ok(())
    }

    fn insert_element(&mut self, dst: Slot, vector: &Value, value: &Value, index: &Value) -> Lowered<()> {
        let (src, index) = (self.slot(value)?, self.constant_index(index)?);
        self.copy(dst, vector)?;
        self.emit(Op::Move { dst: dst + index, src });
        Ok(())
    }

    fn shuffle(&mut self, dst: Slot, a: &Value, b: &Value, mask: &Value) -> Lowered<()> {
        let Operand::Constant(constant) = &mask.operand else {
            return Err("a shuffle with a mask that is not constant".to_owned());
        };
        let mask = self.lowering.words_of(mask.ty, constant)?;
        let length = self.shape(a.ty)?.len() as Slot;
        let (a, b) = (self.slot(a)?, self.slot(b)?);
        for (i, &from) in mask.iter().enumerate() {
            let from = from as Slot;
            let src = if from < length { a + from } else { b + from - length };
            self.emit(Op::Move { dst: dst + i as Slot, src });
        }
        Ok(())
    }
}
