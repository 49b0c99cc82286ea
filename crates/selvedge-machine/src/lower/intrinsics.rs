//! The intrinsics of the compiler.

use super::function::{FunctionLowering, Lowered};
use crate::builtin::Builtin;
use crate::code::{CONSTANT, NO_SLOT, Op, Slot, Trap};
use crate::options::LeftShifts;
use selvedge_code::intrinsics::{self, Intrinsic, Meaning, Rounding};
use selvedge_llvm::constant::Constant;
use selvedge_llvm::instruction::{self, BinaryOperator, Operand, Value};
use selvedge_llvm::types::FloatKind;

impl FunctionLowering<'_, '_> {
    pub fn intrinsic(&mut self, name: &str, dst: Slot, call: &instruction::Call) -> Lowered<()> {
        let meaning = intrinsics::meaning(name).ok_or_else(|| intrinsics::refusal(name))?;
        let arguments: Vec<&Value> = call.arguments.iter().map(|a| &a.value).collect();
        match (meaning, arguments.as_slice()) {
            (Meaning::Nothing, _) => Ok(()),
            (Meaning::FirstArgument, [value, ..]) => self.copy(dst, value),
            (Meaning::Words(which), _) => self.word_intrinsic(which, dst, &arguments),
            (Meaning::Reduction(op), _) => self.reduction(op, dst, &arguments),
            (Meaning::CopyMemory, _) => self.builtin(Builtin::Memcpy, NO_SLOT, call),
            (Meaning::SetMemory, _) => self.builtin(Builtin::Memset, NO_SLOT, call),
            (Meaning::SanitizerTrap, _) if self.lowering.options.left_shifts == LeftShifts::Instrumented => {
                self.trap(Trap::Overflow);
                Ok(())
            }
            (Meaning::SanitizerTrap | Meaning::Trap, _) => self.builtin(Builtin::Abort, NO_SLOT, call),
            (Meaning::ObjectSize, [_, kind, ..]) => {
                // Nothing is known: the largest size, or the smallest if that is asked for.
                let is_least = matches!(kind.operand, Operand::Constant(Constant::Int(1)));
                self.give(dst, if is_least { 0 } else { u64::MAX })
            }
            (Meaning::IsConstant, _) => self.give(dst, 0),
            (Meaning::TypeId, [ty]) => self.type_id(dst, ty),
            (Meaning::RestoreStack, [mark]) => {
                let mark = self.slot(mark)?;
                self.emit(Op::RestoreStack { mark });
                Ok(())
            }
            (Meaning::MultiplyAdd(rounding), [_, _, _]) => self.multiply_add(rounding, dst, &arguments),
            (Meaning::Library(function), _) => {
                let builtin = Builtin::from_name(&function).ok_or_else(|| intrinsics::refusal(name))?;
                self.callee_name = function;
                self.builtin(builtin, dst, call)
            }
            _ => Err(intrinsics::refusal(name)),
        }
    }

    /// A number that is known.
    fn give(&mut self, dst: Slot, number: u64) -> Lowered<()> {
        let src = self.lowering.constant_words(&[number]);
        self.emit(Op::Move { dst, src });
        Ok(())
    }

    /// The number of a type: the lower half of its address in the machine, which the program never sees.
    fn type_id(&mut self, dst: Slot, ty: &Value) -> Lowered<()> {
        let a = self.slot(ty)?;
        let known = a.checked_sub(CONSTANT).map(|place| self.lowering.code.constants[place as usize]);
        match known {
            Some(address) => self.give(dst, address & 0xffff_ffff),
            None => {
                self.emit(Op::Truncate { dst, a, bits: 32 });
                Ok(())
            }
        }
    }

    fn word_intrinsic(&mut self, which: Intrinsic, dst: Slot, arguments: &[&Value]) -> Lowered<()> {
        let first = arguments.first().ok_or("an intrinsic without arguments")?;
        let shape = self.shape(first.ty)?;
        if shape.len() > 1 && self.bits(first.ty).is_err() && !self.is_vector(first) {
            return Err("an intrinsic on integers of 128 bits".to_owned());
        }
        if shape.len() > 1 && which.has_flag() {
            return Err("overflow of vectors".to_owned());
        }
        let mut slots = [NO_SLOT; 3];
        for (slot, argument) in slots.iter_mut().zip(arguments) {
            *slot = self.slot(argument)?;
        }
        let [a, b, c] = slots;
        for (i, word) in shape.iter().enumerate() {
            let i = i as Slot;
            let at = |slot: Slot| if slot == NO_SLOT { NO_SLOT } else { slot + i };
            let (b, c) = match which {
                // These have a flag as their second argument, not a vector.
                Intrinsic::Abs | Intrinsic::LeadingZeros | Intrinsic::TrailingZeros => (a, a),
                _ => (b, c),
            };
            let bits = word.bits as u8;
            if which == Intrinsic::Abs && self.lowering.options.checks.overflow {
                // There is no such number above the least one.
                let zero = self.lowering.constant_words(&[0]);
                self.emit(Op::Checked { op: BinaryOperator::Sub, bits, dst: dst + i, a: zero, b: at(a) });
            }
            self.emit(Op::Intrinsic { which, bits, dst: dst + i, a: at(a), b: at(b), c: at(c) });
        }
        Ok(())
    }

    fn is_vector(&self, value: &Value) -> bool {
        matches!(self.lowering.module.types.get(value.ty), selvedge_llvm::types::Type::Vector(..))
    }

    fn reduction(&mut self, op: BinaryOperator, dst: Slot, arguments: &[&Value]) -> Lowered<()> {
        let [vector] = arguments else { return Err("a reduction of several vectors".to_owned()) };
        let shape = self.shape(vector.ty)?;
        let a = self.slot(vector)?;
        self.emit(Op::Move { dst, src: a });
        for (i, word) in shape.iter().enumerate().skip(1) {
            self.emit(Op::Binary { op, bits: word.bits as u8, dst, a: dst, b: a + i as Slot });
        }
        Ok(())
    }

    /// A product and a sum, of `double` or of `float`.
    fn multiply_add(&mut self, rounding: Rounding, dst: Slot, arguments: &[&Value]) -> Lowered<()> {
        let [double, single] = match rounding {
            Rounding::Twice => [Intrinsic::FusedMultiplyAdd, Intrinsic::FusedMultiplyAddSingle],
            Rounding::Once => [Intrinsic::ExactMultiplyAdd, Intrinsic::ExactMultiplyAddSingle],
        };
        let shape = self.shape(arguments[0].ty)?;
        let (a, b, c) = (self.slot(arguments[0])?, self.slot(arguments[1])?, self.slot(arguments[2])?);
        for (i, word) in shape.iter().enumerate() {
            let i = i as Slot;
            let which = match word.float {
                Some(FloatKind::Single) => single,
                _ => double,
            };
            let op = Op::Intrinsic { which, bits: 64, dst: dst + i, a: a + i, b: b + i, c: c + i };
            self.emit(op);
        }
        Ok(())
    }
}
