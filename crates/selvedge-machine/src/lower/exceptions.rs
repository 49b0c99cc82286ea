//! C++ exceptions: where they land, and how they are caught.

use super::function::{FunctionLowering, Lowered, Target};
use crate::builtin::Builtin;
use crate::code::{Argument, Call, Callee, Clause, LandingPad, NO_SLOT, NOWHERE, Op, Pc, Slot};
use selvedge_llvm::instruction::{self, BlockId, Operation, Value};

impl FunctionLowering<'_, '_> {
    /// A call that an exception may leave, to land elsewhere.
    pub fn invoke(
        &mut self,
        block: BlockId,
        dst: Slot,
        call: &instruction::Call,
        normal: BlockId,
        unwind: BlockId,
    ) -> Lowered<()> {
        let from = self.pc();
        self.uses_result = true;
        self.call(dst, call)?;
        let to = self.pc();
        let at = self.emit(Op::Jump { to: 0 });
        self.jump(at, Target::First, block, normal);
        let landing = self.emit(Op::Jump { to: 0 });
        self.jump(landing, Target::First, block, unwind);
        let mut instructions = self.function.blocks[unwind.0 as usize].instructions.iter();
        let pad = instructions.find_map(|instruction| match &instruction.operation {
            Operation::LandingPad { clauses, cleanup } => Some((clauses, *cleanup)),
            _ => None,
        });
        let (clauses, is_cleanup) = pad.ok_or("an exception that lands nowhere")?;
        let clauses = clauses.iter().map(|clause| self.clause(clause)).collect::<Lowered<Vec<_>>>()?;
        self.lowering.code.landing_pads.push(LandingPad { from, to, landing, clauses, is_cleanup });
        Ok(())
    }

    fn clause(&self, clause: &instruction::Clause) -> Lowered<Clause> {
        Ok(match clause {
            instruction::Clause::Catch(ty) => {
                Clause::Catch(self.lowering.words_of(ty.ty, &ty.value)?.first().copied().unwrap_or(0))
            }
            instruction::Clause::Filter(types) => {
                Clause::Filter(self.lowering.words_of(types.ty, &types.value)?)
            }
        })
    }

    /// Where an exception has landed: its address, and for which clause.
    pub fn landing_pad(&mut self, dst: Slot) {
        self.step(Builtin::LandedObject, &[], dst, 64);
        self.step(Builtin::LandedSelector, &[], dst + 1, 32);
    }

    /// What happens when an exception leaves a call of ours: another call, and then it goes on.
    pub fn clean_up(&mut self, landing: Pc, left: Pc, cleaning: u32) {
        let object = self.kept_temporary(1);
        self.step(Builtin::LandedObject, &[], object, 64);
        self.emit(Op::Builtin { call: cleaning });
        self.step(Builtin::Resume, &[object], NO_SLOT, 0);
        let pad = LandingPad { from: left, to: left + 1, landing, clauses: Vec::new(), is_cleanup: true };
        self.lowering.code.landing_pads.push(pad);
    }

    /// Goes on with an exception that was not caught here.
    pub fn resume(&mut self, value: &Value) -> Lowered<()> {
        let exception = self.slot(value)?;
        self.step(Builtin::Resume, &[exception], NO_SLOT, 0);
        Ok(())
    }

    /// The end of a handler: if it was the last, and nobody else holds the exception, it is destroyed.
    pub fn end_catch(&mut self) -> Lowered<()> {
        let (object, destructor) = (self.kept_temporary(1), self.kept_temporary(1));
        self.step(Builtin::EndCatch, &[], object, 64);
        let branch = self.emit(Op::Branch { condition: object, then: 0, otherwise: 0 });
        let release = self.pc();
        self.step(Builtin::ReleaseException, &[object], object, 64);
        let last = self.emit(Op::Branch { condition: object, then: 0, otherwise: 0 });
        let then = self.pc();
        self.step(Builtin::DestructorOf, &[object], destructor, 64);
        let inner = self.emit(Op::Branch { condition: destructor, then: 0, otherwise: 0 });
        let call = self.pc();
        let number = self.recorded(Callee::Address(destructor), &[object], NO_SLOT, 0);
        self.emit(Op::CallIndirect { call: number });
        let free = self.pc();
        self.step(Builtin::FreeException, &[object], NO_SLOT, 0);
        let otherwise = self.pc();
        let code = &mut self.lowering.code;
        code.ops[branch as usize] = Op::Branch { condition: object, then: release, otherwise };
        code.ops[last as usize] = Op::Branch { condition: object, then, otherwise };
        code.ops[inner as usize] = Op::Branch { condition: destructor, then: call, otherwise: free };
        Ok(())
    }

    /// Something that the machine does, on words.
    fn step(&mut self, builtin: Builtin, arguments: &[Slot], result: Slot, result_bits: u8) {
        let call = self.recorded(Callee::Builtin(builtin), arguments, result, result_bits);
        self.emit(Op::Builtin { call });
    }

    fn recorded(&mut self, callee: Callee, arguments: &[Slot], result: Slot, result_bits: u8) -> u32 {
        let word = |&slot: &Slot| Argument { slot, words: 1, bits: 64, copied: 0 };
        let arguments = arguments.iter().map(word).collect();
        let (name, from) = (self.callee_name.clone().into_boxed_str(), NOWHERE);
        self.lowering.code.calls.push(Call { callee, arguments, result, result_bits, fixed: 0, name, from });
        self.lowering.code.calls.len() as u32 - 1
    }
}
