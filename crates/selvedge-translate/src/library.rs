//! Calls of functions that are known without their bodies: what each [meaning](Builtin) is here.
//!
//! A function is known by the table of `selvedge-code`, as to `check`. What proofs do not support of it is refused by its name.

use crate::arithmetic::op;
use crate::calls::Cleared;
use crate::refusal::Done;
use crate::thread::{Next, Thread};
use crate::value::Value;
use selvedge_code::{Builtin, functions};
use selvedge_ir::{BinaryOp, Expr, InstrKind};
use selvedge_llvm::instruction::{BinaryOperator, Call, Instruction, Predicate};

impl Thread<'_, '_> {
    pub fn argument(&mut self, call: &Call, number: usize) -> Done<Value> {
        match call.arguments.get(number) {
            Some(argument) => self.value(&argument.value),
            None => self.refuse("a call with too few arguments"),
        }
    }

    /// Translates a call of a function without body.
    pub fn library(&mut self, instruction: &Instruction, call: &Call, name: &str) -> Done<Next> {
        let Some(function) = functions::function(name) else {
            return match name.starts_with("llvm.") {
                true => self.intrinsic(instruction, call, name),
                false => self.refuse_unknown(name),
            };
        };
        if let Some(refusal) = function.too_few_arguments(name, call.arguments.len()) {
            return self.refuse_everywhere(refusal);
        }
        let builtin = function.builtin;
        if self.is_wrong_call(call, builtin)? || self.uses_destroyed(call, builtin)? {
            return Ok(self.undefined());
        }
        if builtin.prints() {
            return self.print(instruction, call, name, builtin);
        }
        if let Some(next) = self.process(instruction, call, builtin)? {
            return Ok(next);
        }
        if let Some(next) = self.blocks(instruction, call, name, builtin)? {
            return Ok(next);
        }
        if let Some(next) = self.threads(instruction, call, builtin)? {
            return Ok(next);
        }
        if let Some(next) = self.locks(instruction, call, builtin)? {
            return Ok(next);
        }
        match self.counters(instruction, call, builtin)? {
            Some(next) => Ok(next),
            None => self.refuse(format!("`{name}`")),
        }
    }

    /// Whether the result of an instruction is used.
    pub fn is_used(&mut self, instruction: &Instruction) -> bool {
        let function = self.state.top().function;
        instruction.result.is_some_and(|result| self.run.analysis(function).uses[result.0 as usize] > 0)
    }

    /// Functions that end the program, assume something, return inputs, or mean nothing.
    fn process(&mut self, instruction: &Instruction, call: &Call, builtin: Builtin) -> Done<Option<Next>> {
        match builtin {
            Builtin::AssertFail | Builtin::ErrorCall => return Ok(Some(self.fail())),
            Builtin::Abort if !self.run.options.only_errors => return Ok(Some(self.fail())),
            Builtin::Abort | Builtin::Exit | Builtin::QuickExit => return Ok(Some(self.stop())),
            Builtin::Assume | Builtin::AssumeOrAbort => self.assume(call)?,
            Builtin::AtomicBegin => self.begin_section()?,
            Builtin::AtomicEnd => self.end_section()?,
            Builtin::StackSave => return self.result(instruction, Value::null()).map(Some),
            Builtin::NondetBool | Builtin::NondetSigned | Builtin::NondetUnsigned => {
                return self.input(instruction, call, builtin).map(Some);
            }
            Builtin::NondetFloat | Builtin::NondetPointer => {
                return self.refuse("an input that is no integer");
            }
            Builtin::Random => {
                let (bits, number) = (self.bits(call.result)?, self.choose_between(0, 1 << 31));
                let value = Value::bounded(bits, number, 0, i32::MAX.into());
                return self.result(instruction, value).map(Some);
            }
            Builtin::Nothing | Builtin::AttributeInit => {}
            _ => return Ok(None),
        }
        let bits = self.bits(call.result).unwrap_or(32);
        self.result(instruction, Value::int(bits, 0)).map(Some)
    }

    fn assume(&mut self, call: &Call) -> Done {
        let condition = self.argument(call, 0)?;
        let bits = call.arguments.first().map_or(Ok(32), |argument| self.bits(argument.value.ty))?;
        let zero = Value::int(bits, 0);
        let holds = self.compare_numbers(Predicate::Ne, bits, &condition, &zero)?;
        if holds.known() != Some(1) {
            let holds = match self.number(&holds, 1)?.expr {
                // A literal stands for the end of the program.
                Expr::Bool(false) => op(BinaryOp::Ne, Expr::Int(0), Expr::Int(0)),
                holds => holds,
            };
            self.emit(InstrKind::Assume(holds));
        }
        Ok(())
    }

    /// Functions that allocate, free, copy and set memory.
    fn blocks(
        &mut self,
        instruction: &Instruction,
        call: &Call,
        name: &str,
        builtin: Builtin,
    ) -> Done<Option<Next>> {
        let next = match builtin {
            Builtin::Malloc => {
                let size = self.argument(call, 0)?;
                self.allocate(instruction, &size, Cleared::No)
            }
            Builtin::Calloc => {
                let (count, size) = (self.argument(call, 0)?, self.argument(call, 1)?);
                let size = self.binary(BinaryOperator::Mul, 64, &count, &size)?;
                self.allocate(instruction, &size, Cleared::Yes)
            }
            Builtin::AlignedAlloc => self.allocate_aligned(instruction, call),
            Builtin::Free => self.free(instruction, call),
            Builtin::Strcpy => self.copy_string(instruction, call),
            Builtin::Memcpy | Builtin::Memset if self.is_used(instruction) => {
                self.refuse(format!("the result of `{name}`"))
            }
            Builtin::Memcpy => self.copy(call, name.contains("memmove")),
            Builtin::Memset => self.set(call),
            _ => return Ok(None),
        };
        next.map(Some)
    }

    fn input(&mut self, instruction: &Instruction, call: &Call, builtin: Builtin) -> Done<Next> {
        let bits = self.bits(call.result)?;
        let value = match builtin {
            Builtin::NondetBool if bits > 1 => Value::bounded(bits, self.choose_between(0, 2), 0, 1),
            _ => Value::computed(bits, self.choose(bits)?),
        };
        self.result(instruction, value)
    }
}
