//! Operands of instructions: registers, words that are known, and constants that take instructions of
//! their own: they differ from thread to thread, depend on the number of an address, or are undefined.

use super::constants::Scalar;
use super::function::{FunctionLowering, Lowered};
use crate::code::{Op, Slot};
use selvedge_llvm::constant::{Constant, TypedConstant};
use selvedge_llvm::instruction::{Operand, Value, Wrap};
use selvedge_llvm::types::TypeId;

impl FunctionLowering<'_, '_> {
    /// The slot of the first word of an operand.
    pub fn slot(&mut self, value: &Value) -> Lowered<Slot> {
        self.operand_slot(value.ty, &value.operand)
    }

    pub fn operand_slot(&mut self, ty: TypeId, operand: &Operand) -> Lowered<Slot> {
        match operand {
            Operand::Local(local) => Ok(self.slot_of(*local)),
            Operand::Metadata(_) => Err("metadata as a value".to_owned()),
            Operand::Constant(constant) => self.constant_slot(ty, constant),
        }
    }

    fn constant_slot(&mut self, ty: TypeId, constant: &Constant) -> Lowered<Slot> {
        if let Ok(Scalar::ThreadLocal(variable, offset)) = self.lowering.scalar(ty, constant) {
            let dst = self.kept_temporary(1);
            self.emit(Op::ThreadLocal { dst, variable });
            if offset != 0 {
                self.emit(Op::AddImmediate { dst, a: dst, amount: offset as i64 });
            }
            return Ok(dst);
        }
        let words = match self.lowering.words_of(ty, constant) {
            Ok(words) => words,
            Err(why) => return self.computed(ty, constant, why),
        };
        let known = self.lowering.constant_words(&words);
        let mut undefined = Vec::new();
        self.undefined_bits(ty, constant, &mut undefined)?;
        if undefined.iter().all(|bits| *bits == 0) {
            return Ok(known);
        }
        let dst = self.kept_temporary(words.len());
        for (w, bits) in (0..).zip(undefined) {
            let bits = self.lowering.constant_words(&[bits]);
            self.emit(Op::Undefined { dst: dst + w, known: known + w, bits });
        }
        Ok(dst)
    }

    /// The bits of a constant that have no value in particular, word by word.
    fn undefined_bits(&self, ty: TypeId, constant: &Constant, bits: &mut Vec<u64>) -> Lowered<()> {
        let shape = self.shape(ty)?;
        match constant {
            Constant::Parts(parts) => {
                parts.iter().try_for_each(|part| self.undefined_bits(part.ty, &part.value, bits))
            }
            Constant::Undef => {
                bits.extend(shape.iter().map(|word| u64::MAX >> (64 - word.bits.clamp(1, 64))));
                Ok(())
            }
            _ => {
                bits.extend(shape.iter().map(|_| 0));
                Ok(())
            }
        }
    }

    /// A constant expression as instructions, so that what depends on the number of an address is followed as everywhere.
    fn computed(&mut self, ty: TypeId, constant: &Constant, why: String) -> Lowered<Slot> {
        let value =
            |part: &TypedConstant| Value { ty: part.ty, operand: Operand::Constant(part.value.clone()) };
        let words = self.shape(ty)?.len();
        let dst = self.kept_temporary(words);
        match constant {
            Constant::Binary(operator, a, b) => {
                self.binary(*operator, Wrap::default(), dst, &value(a), &value(b))?;
            }
            Constant::Cast(operator, inner) => self.cast(*operator, dst, &value(inner), ty)?,
            Constant::Compare(predicate, a, b) => self.compare(*predicate, dst, &value(a), &value(b))?,
            Constant::Select(parts) => {
                let [condition, yes, no] = &**parts;
                self.select(dst, &value(condition), &value(yes), &value(no))?;
            }
            Constant::Parts(parts) => {
                let mut to = dst;
                for part in parts {
                    let words = self.shape(part.ty)?.len() as Slot;
                    let from = self.slot(&value(part))?;
                    self.copy_words(to, from, words);
                    to += words;
                }
            }
            _ => return Err(why),
        }
        Ok(dst)
    }
}
