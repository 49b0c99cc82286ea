//! Calls: of functions of the module, of addresses, and of what the machine does itself.

use super::constants::symbol_of;
use super::function::{FunctionLowering, Lowered};
use crate::builtin::Builtin;
use crate::code::{Argument, Call, Callee, NO_SLOT, NOWHERE, Op, Slot};
use crate::run::futex::WAITS;
use selvedge_code::functions;
use selvedge_llvm::constant::Constant;
use selvedge_llvm::instruction::{self, Operand, Predicate, Value};
use selvedge_llvm::module::Definition;
use selvedge_llvm::types::TypeId;

impl FunctionLowering<'_, '_> {
    pub fn call(&mut self, dst: Slot, call: &instruction::Call) -> Lowered<()> {
        if let Some(assembler) = &call.assembler {
            return self.assembler(assembler, call);
        }
        self.callee_name.clear();
        let symbol = match &call.callee {
            Operand::Constant(constant) => symbol_of(constant).map(|symbol| self.lowering.resolve(symbol)),
            _ => None,
        };
        let Some(symbol) = symbol else {
            let pointer = self.lowering.module.functions.first().map_or(TypeId(0), |f| f.result);
            let callee = self.operand_slot(pointer, &call.callee)?;
            let number = self.record(Callee::Address(callee), dst, call, usize::MAX)?;
            self.emit(Op::CallIndirect { call: number });
            return Ok(());
        };
        let module = self.lowering.module;
        let name = module.name(symbol);
        self.callee_name = name.to_owned();
        if name.starts_with("llvm.") && Builtin::from_name(name).is_none() {
            return self.intrinsic(name, dst, call);
        }
        if functions::is_error(name) {
            return self.builtin(Builtin::ErrorCall, dst, call);
        }
        let fixed = match module.definition(symbol) {
            Some(Definition::Function(place)) => module.functions[*place].parameters.len(),
            _ => usize::MAX,
        };
        if let Some(&body) = self.lowering.bodies.get(&symbol) {
            let number = self.record(Callee::Function(body), dst, call, fixed)?;
            self.emit(Op::Call { call: number });
            return Ok(());
        }
        let few = |function: selvedge_code::Function| function.too_few_arguments(name, call.arguments.len());
        if let Some(refusal) = functions::function(name).and_then(few) {
            return Err(refusal);
        }
        match self.lowering.external(name) {
            Callee::Builtin(builtin) => self.builtin(builtin, dst, call),
            callee => {
                let number = self.record(callee, dst, call, fixed)?;
                self.emit(Op::Builtin { call: number });
                Ok(())
            }
        }
    }

    /// Records a call; its number.
    pub fn record(
        &mut self,
        callee: Callee,
        dst: Slot,
        call: &instruction::Call,
        fixed: usize,
    ) -> Lowered<u32> {
        let mut arguments = Vec::new();
        for argument in &call.arguments {
            arguments.push(self.argument(&argument.value, argument.copied)?);
        }
        let result_bits = self.shape(call.result)?.first().map_or(0, |word| word.bits as u8);
        let fixed = fixed.min(arguments.len()) as u16;
        let arguments = arguments.into_boxed_slice();
        let (name, from) = (self.callee_name.clone().into_boxed_str(), NOWHERE);
        self.lowering.code.calls.push(Call {
            callee,
            arguments,
            result: dst,
            result_bits,
            fixed,
            name,
            from,
        });
        Ok(self.lowering.code.calls.len() as u32 - 1)
    }

    fn argument(&mut self, value: &Value, copied: Option<TypeId>) -> Lowered<Argument> {
        let shape = self.shape(value.ty)?;
        let copied = copied.map_or(0, |ty| self.lowering.module.types.size(ty) as u32);
        Ok(Argument {
            slot: self.slot(value)?,
            words: shape.len() as u16,
            bits: shape.first().map_or(0, |word| word.bits as u8),
            copied,
        })
    }

    /// A call of something that the machine does; some take several steps.
    pub fn builtin(&mut self, builtin: Builtin, dst: Slot, call: &instruction::Call) -> Lowered<()> {
        match builtin {
            Builtin::AtomicBegin => {
                self.emit(Op::AtomicBegin);
                return Ok(());
            }
            Builtin::AtomicEnd => {
                self.emit(Op::AtomicEnd);
                return Ok(());
            }
            Builtin::OnceBegin => return self.once(dst, call),
            Builtin::EndCatch => return self.end_catch(),
            Builtin::Syscall => return self.system_call(dst, call),
            Builtin::AddressWait => return self.wait_at_address(builtin, dst, call),
            _ => {}
        }
        let is_output = matches!(builtin, Builtin::Printf | Builtin::Fprintf);
        let dst = if is_output && !self.uses_result { NO_SLOT } else { dst };
        let number = self.record(Callee::Builtin(builtin), dst, call, usize::MAX)?;
        self.emit(Op::Builtin { call: number });
        let second = match builtin {
            Builtin::CondWait | Builtin::CondWaitCpp => Builtin::CondWakeUp,
            Builtin::CondTimedWait | Builtin::CondTimedWaitC11 => Builtin::CondTimedWakeUp,
            Builtin::BarrierWait => {
                self.lowering.code.looks_at_arrivals |= self.uses_result;
                Builtin::BarrierPass
            }
            _ => return Ok(()),
        };
        let second = match (second, builtin) {
            // The result of a barrier is that of the arrival.
            (Builtin::BarrierPass, _) => self.record(Callee::Builtin(second), NO_SLOT, call, usize::MAX)?,
            _ => self.record(Callee::Builtin(second), dst, call, usize::MAX)?,
        };
        self.emit(Op::Builtin { call: second });
        Ok(())
    }

    /// `pthread_once`: whoever is first calls the function, the others wait until it has returned.
    fn once(&mut self, dst: Slot, call: &instruction::Call) -> Lowered<()> {
        let [_, function, ..] = call.arguments.as_slice() else {
            return Err("a call with too few arguments".to_owned());
        };
        let first = self.temporary(1);
        let begin = self.record(Callee::Builtin(Builtin::OnceBegin), first, call, usize::MAX)?;
        self.lowering.code.calls[begin as usize].result_bits = 32;
        self.emit(Op::Builtin { call: begin });
        let branch = self.emit(Op::Branch { condition: first, then: 0, otherwise: 0 });
        let callee = self.slot(&function.value)?;
        let code = &mut self.lowering.code;
        code.calls.push(Call {
            callee: Callee::Address(callee),
            arguments: Box::default(),
            result: NO_SLOT,
            result_bits: 0,
            fixed: 0,
            name: Box::default(),
            from: NOWHERE,
        });
        let number = code.calls.len() as u32 - 1;
        let then = self.emit(Op::CallIndirect { call: number });
        let end = self.record(Callee::Builtin(Builtin::OnceEnd), NO_SLOT, call, usize::MAX)?;
        self.emit(Op::Builtin { call: end });
        let over = self.emit(Op::Jump { to: 0 });
        // An exception leaves it for the next one to try.
        let landing = self.pc();
        let abort = self.record(Callee::Builtin(Builtin::OnceAbort), NO_SLOT, call, usize::MAX)?;
        self.clean_up(landing, then, abort);
        let otherwise = self.pc();
        let code = &mut self.lowering.code;
        code.ops[over as usize] = Op::Jump { to: otherwise };
        code.ops[branch as usize] = Op::Branch { condition: first, then, otherwise };
        if dst != NO_SLOT {
            let zero = self.lowering.constant_words(&[0]);
            self.emit(Op::Move { dst, src: zero });
        }
        Ok(())
    }

    /// `syscall` of a futex, in two steps: the second one is where a thread waits.
    fn system_call(&mut self, dst: Slot, call: &instruction::Call) -> Lowered<()> {
        let futex = if self.lowering.module.types.pointer_bytes() == 4 { 240 } else { 202 };
        match call.arguments.first().map(|argument| &argument.value.operand) {
            Some(Operand::Constant(Constant::Int(number))) if *number == futex => {}
            _ => return Err("`syscall` for anything but a futex".to_owned()),
        }
        let (result, waits) = (self.temporary(1), self.temporary(1));
        let begin = self.record(Callee::Builtin(Builtin::FutexBegin), result, call, usize::MAX)?;
        self.lowering.code.calls[begin as usize].result_bits = 64;
        self.emit(Op::Builtin { call: begin });
        let marker = self.lowering.constant_words(&[WAITS]);
        self.emit(Op::Compare { predicate: Predicate::Eq, bits: 64, dst: waits, a: result, b: marker });
        let branch = self.emit(Op::Branch { condition: waits, then: 0, otherwise: 0 });
        let end = self.record(Callee::Builtin(Builtin::FutexEnd), result, call, usize::MAX)?;
        let then = self.emit(Op::Builtin { call: end });
        let otherwise = self.pc();
        self.lowering.code.ops[branch as usize] = Op::Branch { condition: waits, then, otherwise };
        if dst != NO_SLOT {
            let bits = self.lowering.code.calls[end as usize].result_bits;
            self.emit(Op::Truncate { dst, a: result, bits });
        }
        Ok(())
    }

    /// Waiting at an address, unless it holds something else than expected.
    fn wait_at_address(&mut self, wait: Builtin, dst: Slot, call: &instruction::Call) -> Lowered<()> {
        let went_on = self.temporary(1);
        let wait = self.record(Callee::Builtin(wait), went_on, call, usize::MAX)?;
        self.lowering.code.calls[wait as usize].result_bits = 32;
        self.emit(Op::Builtin { call: wait });
        let branch = self.emit(Op::Branch { condition: went_on, then: 0, otherwise: 0 });
        let pass = self.record(Callee::Builtin(Builtin::BarrierPass), NO_SLOT, call, usize::MAX)?;
        let otherwise = self.emit(Op::Builtin { call: pass });
        let then = self.pc();
        self.lowering.code.ops[branch as usize] = Op::Branch { condition: went_on, then, otherwise };
        if dst != NO_SLOT {
            let zero = self.lowering.constant_words(&[0]);
            self.emit(Op::Move { dst, src: zero });
        }
        Ok(())
    }

    /// Assembler that does nothing but stop the compiler from moving code, or pause.
    fn assembler(&mut self, text: &str, call: &instruction::Call) -> Lowered<()> {
        let is_void = self.shape(call.result)?.is_empty();
        match is_void && functions::is_harmless(text) {
            true => Ok(()),
            false => Err(functions::assembler(text)),
        }
    }

    /// The next of the further arguments: the list is the address of the first one left.
    pub fn va_arg(&mut self, dst: Slot, list: &Value, ty: TypeId) -> Lowered<()> {
        let _ = (dst, list, ty);
        Err("`va_arg` that the compiler has not taken apart".to_owned())
    }
}
