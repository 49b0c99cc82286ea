//! The intrinsics of the compiler.

use super::function::{FunctionLowering, Lowered};
use crate::builtin::Builtin;
use crate::code::{CONSTANT, Intrinsic, NO_SLOT, Op, Slot, Trap};
use crate::options::LeftShifts;
use selvedge_llvm::instruction::{self, BinaryOperator, Value};
use selvedge_llvm::types::FloatKind;

/// Intrinsics that mean nothing when a program is run.
const NOTHING: [&str; 13] = [
    "llvm.lifetime.",
    "llvm.assume",
    "llvm.donothing",
    "llvm.invariant.",
    "llvm.prefetch",
    "llvm.var.annotation",
    "llvm.sideeffect",
    "llvm.stackprotector",
    "llvm.pseudoprobe",
    "llvm.fake.use",
    "llvm.dbg.",
    "llvm.x86.sse2.pause",
    "llvm.experimental.noalias",
];

/// Intrinsics on words of any size, by the beginning of their names.
const WORDS: [(&str, Intrinsic); 23] = [
    ("llvm.umax.", Intrinsic::UMax),
    ("llvm.umin.", Intrinsic::UMin),
    ("llvm.smax.", Intrinsic::SMax),
    ("llvm.smin.", Intrinsic::SMin),
    ("llvm.abs.", Intrinsic::Abs),
    ("llvm.bswap.", Intrinsic::ByteSwap),
    ("llvm.bitreverse.", Intrinsic::BitReverse),
    ("llvm.ctpop.", Intrinsic::CountOnes),
    ("llvm.ctlz.", Intrinsic::LeadingZeros),
    ("llvm.cttz.", Intrinsic::TrailingZeros),
    ("llvm.fshl.", Intrinsic::ShiftLeftFunnel),
    ("llvm.fshr.", Intrinsic::ShiftRightFunnel),
    ("llvm.sadd.with.overflow.", Intrinsic::SAddOverflow),
    ("llvm.uadd.with.overflow.", Intrinsic::UAddOverflow),
    ("llvm.ssub.with.overflow.", Intrinsic::SSubOverflow),
    ("llvm.usub.with.overflow.", Intrinsic::USubOverflow),
    ("llvm.smul.with.overflow.", Intrinsic::SMulOverflow),
    ("llvm.umul.with.overflow.", Intrinsic::UMulOverflow),
    ("llvm.sadd.sat.", Intrinsic::SAddSaturating),
    ("llvm.uadd.sat.", Intrinsic::UAddSaturating),
    ("llvm.ssub.sat.", Intrinsic::SSubSaturating),
    ("llvm.usub.sat.", Intrinsic::USubSaturating),
    ("llvm.is.fpclass.", Intrinsic::IsFloatClass),
];

/// Reductions of vectors.
const REDUCTIONS: [(&str, BinaryOperator); 5] = [
    ("llvm.vector.reduce.add.", BinaryOperator::Add),
    ("llvm.vector.reduce.mul.", BinaryOperator::Mul),
    ("llvm.vector.reduce.and.", BinaryOperator::And),
    ("llvm.vector.reduce.or.", BinaryOperator::Or),
    ("llvm.vector.reduce.xor.", BinaryOperator::Xor),
];

impl FunctionLowering<'_, '_> {
    pub fn intrinsic(&mut self, name: &str, dst: Slot, call: &instruction::Call) -> Lowered<()> {
        if NOTHING.iter().any(|prefix| name.starts_with(prefix)) {
            return Ok(());
        }
        let starts = |prefix: &str| name.starts_with(prefix);
        if starts("llvm.memcpy.") || starts("llvm.memmove.") {
            return self.builtin(Builtin::Memcpy, NO_SLOT, call);
        }
        if starts("llvm.memset.") {
            return self.builtin(Builtin::Memset, NO_SLOT, call);
        }
        if starts("llvm.ubsantrap") && self.lowering.options.left_shifts == LeftShifts::Instrumented {
            self.trap(Trap::Overflow);
            return Ok(());
        }
        if starts("llvm.trap") || starts("llvm.debugtrap") || starts("llvm.ubsantrap") {
            return self.builtin(Builtin::Abort, NO_SLOT, call);
        }
        let arguments: Vec<&Value> = call.arguments.iter().map(|a| &a.value).collect();
        if let Some((_, which)) = WORDS.iter().find(|entry| starts(entry.0)) {
            return self.word_intrinsic(*which, dst, &arguments);
        }
        if let Some((_, op)) = REDUCTIONS.iter().find(|entry| starts(entry.0)) {
            return self.reduction(*op, dst, &arguments);
        }
        match (name, arguments.as_slice()) {
            (_, [value, ..])
                if starts("llvm.expect.")
                    || starts("llvm.launder.")
                    || starts("llvm.strip.")
                    || starts("llvm.ptr.annotation")
                    || starts("llvm.threadlocal.address") =>
            {
                self.copy(dst, value)
            }
            (_, [_, kind, ..]) if starts("llvm.objectsize.") => {
                // Nothing is known: the largest size, or the smallest if that is asked for.
                let is_least = matches!(
                    &kind.operand,
                    instruction::Operand::Constant(selvedge_llvm::constant::Constant::Int(1))
                );
                let src = self.lowering.constant_words(&[if is_least { 0 } else { u64::MAX }]);
                self.emit(Op::Move { dst, src });
                Ok(())
            }
            (_, [ty]) if starts("llvm.eh.typeid.for") => {
                // Types are told apart by the lower half of their addresses in the machine, which the program never sees.
                let a = self.slot(ty)?;
                let known = a.checked_sub(CONSTANT).map(|place| self.lowering.code.constants[place as usize]);
                match known {
                    Some(address) => {
                        let src = self.lowering.constant_words(&[address & 0xffff_ffff]);
                        self.emit(Op::Move { dst, src });
                    }
                    None => {
                        self.emit(Op::Truncate { dst, a, bits: 32 });
                    }
                }
                Ok(())
            }
            (_, _) if starts("llvm.is.constant.") => {
                let src = self.lowering.constant_words(&[0]);
                self.emit(Op::Move { dst, src });
                Ok(())
            }
            (_, [mark]) if starts("llvm.stackrestore") => {
                let mark = self.slot(mark)?;
                self.emit(Op::RestoreStack { mark });
                Ok(())
            }
            (_, [_, _, _]) if starts("llvm.fmuladd.") => {
                let which = [Intrinsic::FusedMultiplyAdd, Intrinsic::FusedMultiplyAddSingle];
                self.fused(which, dst, &arguments)
            }
            (_, [_, _, _]) if starts("llvm.fma.") => {
                let which = [Intrinsic::ExactMultiplyAdd, Intrinsic::ExactMultiplyAddSingle];
                self.fused(which, dst, &arguments)
            }
            _ => self.library_intrinsic(name, dst, call),
        }
    }

    fn word_intrinsic(&mut self, which: Intrinsic, dst: Slot, arguments: &[&Value]) -> Lowered<()> {
        let first = arguments.first().ok_or("an intrinsic without arguments")?;
        let shape = self.shape(first.ty)?;
        if shape.len() > 1 && self.bits(first.ty).is_err() && !self.is_vector(first) {
            return Err("an intrinsic on integers of 128 bits".to_owned());
        }
        if shape.len() > 1 && which_is_pair(which) {
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
    fn fused(&mut self, [double, single]: [Intrinsic; 2], dst: Slot, arguments: &[&Value]) -> Lowered<()> {
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

    /// Intrinsics that are functions of the library on `float` and `double`.
    fn library_intrinsic(&mut self, name: &str, dst: Slot, call: &instruction::Call) -> Lowered<()> {
        let mut parts = name.split('.').skip(1);
        let (function, kind) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        let function = match function {
            "minnum" => "fmin",
            "maxnum" => "fmax",
            other => other,
        };
        let full = match kind {
            "f64" => function.to_owned(),
            "f32" => format!("{function}f"),
            _ => return Err(format!("the intrinsic `{name}`")),
        };
        match Builtin::from_name(&full) {
            Some(builtin) => {
                self.callee_name = full;
                self.builtin(builtin, dst, call)
            }
            None => Err(format!("the intrinsic `{name}`")),
        }
    }
}

fn which_is_pair(which: Intrinsic) -> bool {
    matches!(
        which,
        Intrinsic::SAddOverflow
            | Intrinsic::UAddOverflow
            | Intrinsic::SSubOverflow
            | Intrinsic::USubOverflow
            | Intrinsic::SMulOverflow
            | Intrinsic::UMulOverflow
    )
}
