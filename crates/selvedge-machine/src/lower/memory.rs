//! Instructions that access memory or compute addresses.

use super::analysis::is_promoted;
use super::function::{FunctionLowering, Lowered};
use crate::code::{AccessMode, Exchange, NO_SLOT, Op, Slot};
use selvedge_llvm::instruction::{Atomicity, LocalId, Operand, Ordering, RmwOperator, Value};
use selvedge_llvm::types::{Type, TypeId, Word};

/// How an access is ordered.
pub fn mode(atomicity: Atomicity) -> AccessMode {
    match atomicity {
        Atomicity::Plain => AccessMode::Plain,
        Atomicity::Atomic(ordering) => ordered(ordering),
    }
}

/// How an atomic access is ordered.
pub fn ordered(ordering: Ordering) -> AccessMode {
    match ordering {
        Ordering::Relaxed => AccessMode::Relaxed,
        Ordering::Acquire => AccessMode::Acquire,
        Ordering::Release => AccessMode::Release,
        Ordering::AcquireRelease | Ordering::SequentiallyConsistent => AccessMode::AcquireRelease,
    }
}

impl FunctionLowering<'_, '_> {
    pub fn alloca(
        &mut self,
        result: Option<LocalId>,
        dst: Slot,
        ty: TypeId,
        count: Option<&Value>,
        alignment: Option<u32>,
    ) -> Lowered<()> {
        let Some(result) = result else { return Ok(()) };
        if self.promotions.promoted[result.0 as usize] {
            return Ok(());
        }
        let size = u32::try_from(self.lowering.module.types.size(ty));
        let size = size.map_err(|_| "a variable of that size".to_owned())?;
        let count = match count {
            Some(count) => self.slot(count)?,
            None => self.lowering.constant_words(&[1]),
        };
        let variable = self.variables[result.0 as usize];
        let alignment = alignment.unwrap_or_else(|| self.lowering.module.types.align(ty) as u32);
        let alignment = alignment.trailing_zeros() as u8;
        self.emit(Op::Alloca { dst, count, size, variable, alignment });
        Ok(())
    }

    fn shape_number(&mut self, words: &[Word]) -> Lowered<u32> {
        if words.iter().any(|w| w.offset == u64::MAX) {
            return Err("a vector of bits in memory".to_owned());
        }
        let shape = words.iter().map(|w| (w.offset, w.bits as u8)).collect();
        self.lowering.code.shapes.push(shape);
        Ok(self.lowering.code.shapes.len() as u32 - 1)
    }

    pub fn load(&mut self, dst: Slot, ty: TypeId, pointer: &Value, atomicity: Atomicity) -> Lowered<()> {
        let address = self.slot(pointer)?;
        if is_promoted(&pointer.operand, &self.promotions) {
            self.emit(Op::Move { dst, src: address });
            return Ok(());
        }
        let shape = self.shape(ty)?;
        match shape.as_slice() {
            [word] if !self.lowering.module.types.is_aggregate(ty) => {
                self.emit(Op::Load { dst, address, bits: word.bits as u8, access: mode(atomicity) });
            }
            [] => {}
            words => {
                let shape = self.shape_number(words)?;
                self.emit(Op::LoadWords { dst, address, shape, access: mode(atomicity) });
            }
        }
        Ok(())
    }

    pub fn store(&mut self, value: &Value, pointer: &Value, atomicity: Atomicity) -> Lowered<()> {
        let (src, address) = (self.slot(value)?, self.slot(pointer)?);
        if is_promoted(&pointer.operand, &self.promotions) {
            if src != address {
                self.emit(Op::Move { dst: address, src });
            }
            return Ok(());
        }
        let shape = self.shape(value.ty)?;
        match shape.as_slice() {
            [word] if !self.lowering.module.types.is_aggregate(value.ty) => {
                self.emit(Op::Store { src, address, bits: word.bits as u8, access: mode(atomicity) });
            }
            [] => {}
            words => {
                let shape = self.shape_number(words)?;
                self.emit(Op::StoreWords { src, address, shape, access: mode(atomicity) });
            }
        }
        Ok(())
    }

    pub fn element(&mut self, dst: Slot, source: TypeId, base: &Value, indices: &[Value]) -> Lowered<()> {
        if let Type::Vector(..) = self.lowering.module.types.get(base.ty) {
            return Err("vectors of pointers".to_owned());
        }
        let start = self.pc() as usize;
        let mut at = self.slot(base)?;
        let mut offset = 0i64;
        let mut ty = source;
        for (position, index) in indices.iter().enumerate() {
            if let Operand::Constant(constant) = &index.operand {
                let words = self.lowering.words_of(index.ty, constant)?;
                let number = self.lowering.signed(index.ty, u128::from(words[0]));
                let (step, next) = self.lowering.element_step(ty, position, number)?;
                offset = offset.wrapping_add(step);
                ty = next;
                continue;
            }
            let (scale, next) = self.lowering.element_step(ty, position, 1)?;
            let bits = self.bits(index.ty)?;
            let index = self.slot(index)?;
            let to = self.temporary(1);
            let scale = u32::try_from(scale).map_err(|_| "elements of that size".to_owned())?;
            self.emit(Op::Element { dst: to, base: at, index, scale, bits });
            at = to;
            ty = next;
        }
        // The last step goes where the result belongs.
        match self.lowering.code.ops[start..].last_mut() {
            Some(Op::Element { dst: to, .. }) if offset == 0 && *to == at => *to = dst,
            _ if offset == 0 => {
                self.emit(Op::Move { dst, src: at });
            }
            _ => {
                self.emit(Op::AddImmediate { dst, a: at, amount: offset });
            }
        }
        Ok(())
    }

    pub fn compare_exchange(
        &mut self,
        dst: Slot,
        pointer: &Value,
        expected: &Value,
        new: &Value,
        [success, failure]: [Ordering; 2],
    ) -> Lowered<()> {
        let is_wide = self.is_wide(new.ty)?;
        let bits = if is_wide { 0 } else { self.bits(new.ty)? };
        let address = self.slot(pointer)?;
        let (expected, new) = (self.slot(expected)?, self.slot(new)?);
        let access = Exchange { success: ordered(success), failure: ordered(failure) };
        self.emit(match is_wide {
            true => Op::CompareExchangeWide { dst, address, expected, new, access },
            false => Op::CompareExchange { dst, address, expected, new, bits, access },
        });
        Ok(())
    }

    pub fn modify(
        &mut self,
        dst: Slot,
        op: RmwOperator,
        pointer: &Value,
        value: &Value,
        ordering: Ordering,
    ) -> Lowered<()> {
        let is_wide = self.is_wide(value.ty)?;
        let bits = if is_wide { 0 } else { self.bits(value.ty)? };
        let address = self.slot(pointer)?;
        let value = self.slot(value)?;
        let access = ordered(ordering);
        let dst = if dst == NO_SLOT { self.temporary(2) } else { dst };
        self.emit(match is_wide {
            true => Op::ModifyWide { op, dst, address, value, access },
            false => Op::Modify { op, dst, address, value, bits, access },
        });
        Ok(())
    }
}
