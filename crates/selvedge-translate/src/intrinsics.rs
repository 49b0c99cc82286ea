//! The intrinsics of the compiler.

use crate::arithmetic::select;
use crate::refusal::Done;
use crate::thread::{Next, Thread};
use crate::value::Value;
use selvedge_code::Builtin;
use selvedge_code::intrinsics::{self, Intrinsic, Meaning};
use selvedge_llvm::instruction::{Call, Instruction, Predicate};

impl Thread<'_, '_> {
    /// Translates a call of an intrinsic.
    pub fn intrinsic(&mut self, instruction: &Instruction, call: &Call, name: &str) -> Done<Next> {
        let Some(meaning) = intrinsics::meaning(name) else {
            return self.refuse_everywhere(intrinsics::refusal(name));
        };
        let accesses = match meaning {
            Meaning::CopyMemory => Some(Builtin::Memcpy),
            Meaning::SetMemory => Some(Builtin::Memset),
            _ => None,
        };
        if let Some(builtin) = accesses
            && self.is_wrong_call(call, builtin)?
        {
            return Ok(self.undefined());
        }
        match meaning {
            Meaning::Nothing | Meaning::RestoreStack => Ok(self.on()),
            Meaning::FirstArgument => {
                let value = self.argument(call, 0)?;
                self.result(instruction, value)
            }
            Meaning::CopyMemory => self.copy(call, name.starts_with("llvm.memmove.")),
            Meaning::SetMemory => self.set(call),
            Meaning::IsConstant => self.result(instruction, Value::int(1, 0)),
            Meaning::Words(Intrinsic::SMax) => self.choose_by(instruction, call, Predicate::Sgt),
            Meaning::Words(Intrinsic::SMin) => self.choose_by(instruction, call, Predicate::Slt),
            Meaning::Words(Intrinsic::UMax) => self.choose_by(instruction, call, Predicate::Ugt),
            Meaning::Words(Intrinsic::UMin) => self.choose_by(instruction, call, Predicate::Ult),
            _ => self.refuse(intrinsics::refusal(name)),
        }
    }

    /// The one of two numbers that a comparison chooses.
    fn choose_by(&mut self, instruction: &Instruction, call: &Call, predicate: Predicate) -> Done<Next> {
        let bits = self.bits(call.result)?;
        let (a, b) = (self.argument(call, 0)?, self.argument(call, 1)?);
        let (a, b) = (Value::of(self.number(&a, bits)?), Value::of(self.number(&b, bits)?));
        let is_a = self.compare_numbers(predicate, bits, &a, &b)?;
        let is_a = self.number(&is_a, 1)?.expr;
        let (a, b) = (self.number(&a, bits)?, self.number(&b, bits)?);
        let value = Value::computed(bits, select(is_a, a.expr, b.expr));
        self.result(instruction, value)
    }
}
