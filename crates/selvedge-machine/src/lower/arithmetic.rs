//! Arithmetic, comparisons and conversions, word by word for vectors.

use super::function::{FunctionLowering, Lowered};
use crate::code::{Op, Slot};
use crate::options::LeftShifts;
use selvedge_llvm::instruction::{BinaryOperator, CastOperator, FloatPredicate, Predicate, Value, Wrap};
use selvedge_llvm::types::{FloatKind, Type, TypeId, Word};

impl FunctionLowering<'_, '_> {
    /// Whether a type is an integer of two words.
    pub fn is_wide(&self, ty: TypeId) -> Lowered<bool> {
        match self.lowering.module.types.get(ty) {
            Type::Int(128) => Ok(true),
            Type::Int(bits) if *bits > 64 => Err(format!("integers of {bits} bits")),
            _ => Ok(false),
        }
    }

    pub fn binary(
        &mut self,
        operator: BinaryOperator,
        wrap: Wrap,
        dst: Slot,
        a: &Value,
        b: &Value,
    ) -> Lowered<()> {
        let shape = self.shape(a.ty)?;
        let is_wide = self.is_wide(a.ty)?;
        let (a, b) = (self.slot(a)?, self.slot(b)?);
        let options = self.lowering.options;
        let is_doubtful = operator == BinaryOperator::Shl && options.left_shifts == LeftShifts::Unknown;
        let checked = options.checks.overflow && (wrap.no_signed || is_doubtful);
        if is_wide && checked {
            return Err("overflow of integers of 128 bits".to_owned());
        }
        if is_wide {
            self.emit(Op::Wide { op: operator, dst, a, b });
            return Ok(());
        }
        for (i, word) in shape.iter().enumerate() {
            let i = i as Slot;
            let (dst, a, b, bits) = (dst + i, a + i, b + i, word.bits as u8);
            self.emit(match word.float {
                Some(kind) => Op::FloatBinary { op: operator, single: kind == FloatKind::Single, dst, a, b },
                None if checked => Op::Checked { op: operator, bits, dst, a, b },
                None => Op::Binary { op: operator, bits, dst, a, b },
            });
        }
        Ok(())
    }

    pub fn negate(&mut self, dst: Slot, a: &Value) -> Lowered<()> {
        let shape = self.shape(a.ty)?;
        let a = self.slot(a)?;
        for (i, word) in shape.iter().enumerate() {
            let (dst, a) = (dst + i as Slot, a + i as Slot);
            self.emit(Op::FloatNegate { single: word.float == Some(FloatKind::Single), dst, a });
        }
        Ok(())
    }

    pub fn compare(&mut self, predicate: Predicate, dst: Slot, a: &Value, b: &Value) -> Lowered<()> {
        let shape = self.shape(a.ty)?;
        let is_wide = self.is_wide(a.ty)?;
        let (a, b) = (self.slot(a)?, self.slot(b)?);
        if is_wide {
            self.emit(Op::CompareWide { predicate, dst, a, b });
            return Ok(());
        }
        for (i, word) in shape.iter().enumerate() {
            let i = i as Slot;
            let (dst, a, b) = (dst + i, a + i, b + i);
            let bits = word.bits as u8;
            self.emit(match bits == self.pointer_bits() {
                true => Op::CompareWords { predicate, bits, dst, a, b },
                false => Op::Compare { predicate, bits, dst, a, b },
            });
        }
        Ok(())
    }

    pub fn compare_float(
        &mut self,
        predicate: FloatPredicate,
        dst: Slot,
        a: &Value,
        b: &Value,
    ) -> Lowered<()> {
        let shape = self.shape(a.ty)?;
        let (a, b) = (self.slot(a)?, self.slot(b)?);
        for (i, word) in shape.iter().enumerate() {
            let i = i as Slot;
            let single = word.float == Some(FloatKind::Single);
            self.emit(Op::CompareFloat { predicate, single, dst: dst + i, a: a + i, b: b + i });
        }
        Ok(())
    }

    pub fn cast(&mut self, operator: CastOperator, dst: Slot, value: &Value, to: TypeId) -> Lowered<()> {
        let (from_wide, to_wide) = (self.is_wide(value.ty)?, self.is_wide(to)?);
        let (from, shape) = (self.shape(value.ty)?, self.shape(to)?);
        let a = self.slot(value)?;
        if from_wide || to_wide {
            return self.cast_wide(operator, dst, a, &from, &shape);
        }
        if operator == CastOperator::BitCast {
            return self.bit_cast(dst, a, &from, &shape);
        }
        for (i, (from, to)) in from.iter().zip(&shape).enumerate() {
            let i = i as Slot;
            self.cast_word(operator, dst + i, a + i, *from, *to);
        }
        Ok(())
    }

    fn cast_word(&mut self, operator: CastOperator, dst: Slot, a: Slot, from: Word, to: Word) {
        let single = from.float.or(to.float) == Some(FloatKind::Single);
        let op = match operator {
            CastOperator::Trunc => Op::Truncate { dst, a, bits: to.bits as u8 },
            CastOperator::PtrToInt | CastOperator::IntToPtr if to.bits < from.bits => {
                Op::Truncate { dst, a, bits: to.bits as u8 }
            }
            CastOperator::ZExt | CastOperator::PtrToInt | CastOperator::IntToPtr | CastOperator::BitCast => {
                Op::Move { dst, src: a }
            }
            CastOperator::SExt => Op::SignExtend { dst, a, from: from.bits as u8, to: to.bits as u8 },
            CastOperator::FpToUi | CastOperator::FpToSi => {
                Op::Convert { op: operator, single, dst, a, bits: to.bits as u8 }
            }
            CastOperator::UiToFp | CastOperator::SiToFp => {
                let single = to.float == Some(FloatKind::Single);
                Op::Convert { op: operator, single, dst, a, bits: from.bits as u8 }
            }
            CastOperator::FpTrunc | CastOperator::FpExt => {
                Op::Convert { op: operator, single, dst, a, bits: 0 }
            }
        };
        self.emit(op);
    }

    fn cast_wide(
        &mut self,
        operator: CastOperator,
        dst: Slot,
        a: Slot,
        from: &[Word],
        to: &[Word],
    ) -> Lowered<()> {
        match (operator, from, to) {
            (CastOperator::Trunc, [_, _], [word]) => {
                self.emit(Op::Truncate { dst, a, bits: word.bits as u8 });
            }
            (CastOperator::ZExt, [_], [_, _]) => {
                let zero = self.lowering.constant_words(&[0]);
                self.emit(Op::Move { dst, src: a });
                self.emit(Op::Move { dst: dst + 1, src: zero });
            }
            (CastOperator::SExt, [word], [_, _]) => {
                let shift = self.lowering.constant_words(&[63]);
                self.emit(Op::SignExtend { dst, a, from: word.bits as u8, to: 64 });
                let op = BinaryOperator::AShr;
                self.emit(Op::Binary { op, bits: 64, dst: dst + 1, a: dst, b: shift });
            }
            (CastOperator::BitCast, from, to) if from.len() == to.len() => {
                self.copy_words(dst, a, to.len() as Slot);
            }
            _ => return Err("a conversion of integers of 128 bits".to_owned()),
        }
        Ok(())
    }

    /// Between types of the same size with words of different sizes, as between a vector and an integer.
    fn bit_cast(&mut self, dst: Slot, a: Slot, from: &[Word], to: &[Word]) -> Lowered<()> {
        if from.len() == to.len() {
            self.copy_words(dst, a, to.len() as Slot);
            return Ok(());
        }
        let is_sound = |words: &[Word]| words.iter().all(|w| w.bits % 8 == 0 && w.offset != u64::MAX);
        if !is_sound(from) || !is_sound(to) {
            return Err("a cast of vectors of bits".to_owned());
        }
        let room = self.temporary(to.len());
        let zero = self.lowering.constant_words(&[0]);
        for (i, target) in to.iter().enumerate() {
            let out = room + i as Slot;
            self.emit(Op::Move { dst: out, src: zero });
            for (j, source) in from.iter().enumerate() {
                let (start, end) = (source.offset * 8, source.offset * 8 + u64::from(source.bits));
                let (low, high) = (target.offset * 8, target.offset * 8 + u64::from(target.bits));
                if end <= low || high <= start {
                    continue;
                }
                let piece = self.temporary(1);
                let (op, amount) = match start >= low {
                    true => (BinaryOperator::Shl, start - low),
                    false => (BinaryOperator::LShr, low - start),
                };
                let amount = self.lowering.constant_words(&[amount]);
                self.emit(Op::Binary { op, bits: 64, dst: piece, a: a + j as Slot, b: amount });
                self.emit(Op::Truncate { dst: piece, a: piece, bits: target.bits as u8 });
                self.emit(Op::Binary { op: BinaryOperator::Or, bits: 64, dst: out, a: out, b: piece });
            }
        }
        self.copy_words(dst, room, to.len() as Slot);
        Ok(())
    }
}
