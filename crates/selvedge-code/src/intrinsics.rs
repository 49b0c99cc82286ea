//! The intrinsics of LLVM, by the beginnings of their names: what each means, for all engines.

use selvedge_llvm::instruction::BinaryOperator;

/// What an intrinsic means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Nothing when a program is run.
    Nothing,
    /// Its first argument.
    FirstArgument,
    /// A function of words.
    Words(Intrinsic),
    /// All elements of a vector, combined.
    Reduction(BinaryOperator),
    /// Copies memory; the ranges may overlap.
    CopyMemory,
    /// Sets memory to a byte.
    SetMemory,
    /// Ends the program.
    Trap,
    /// Ends the program because a sanitizer has found undefined behaviour.
    SanitizerTrap,
    /// The size of the object at an address, as far as the compiler knows it: it does not.
    ObjectSize,
    /// The number of a type of C++ that is caught.
    TypeId,
    /// Whether the compiler knows a value: it does not.
    IsConstant,
    /// Frees what was allocated on the stack since a mark.
    RestoreStack,
    /// A product and a sum; the product may be rounded, or must not be.
    MultiplyAdd(Rounding),
    /// A function of the library on floating-point numbers, by its name.
    Library(String),
}

/// How often a product and a sum are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// The product, and then the sum.
    Twice,
    /// The sum only.
    Once,
}

/// A function of one to three words that the compiler has an intrinsic for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Intrinsic {
    UMax,
    UMin,
    SMax,
    SMin,
    Abs,
    ByteSwap,
    BitReverse,
    CountOnes,
    LeadingZeros,
    TrailingZeros,
    ShiftLeftFunnel,
    ShiftRightFunnel,
    SAddOverflow,
    UAddOverflow,
    SSubOverflow,
    USubOverflow,
    SMulOverflow,
    UMulOverflow,
    SAddSaturating,
    UAddSaturating,
    SSubSaturating,
    USubSaturating,
    FusedMultiplyAdd,
    FusedMultiplyAddSingle,
    ExactMultiplyAdd,
    ExactMultiplyAddSingle,
    IsFloatClass,
}

impl Intrinsic {
    /// Whether a second word tells whether the result is that of the numbers.
    pub fn has_flag(self) -> bool {
        use Intrinsic::*;
        matches!(
            self,
            SAddOverflow | UAddOverflow | SSubOverflow | USubOverflow | SMulOverflow | UMulOverflow
        )
    }
}

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

/// Those that are the first of their arguments.
const FIRST_ARGUMENT: [&str; 6] = [
    "llvm.expect.",
    "llvm.launder.",
    "llvm.strip.",
    "llvm.ptr.annotation",
    "llvm.annotation.",
    "llvm.threadlocal.address",
];

/// Intrinsics on words of any size.
pub const WORDS: [(&str, Intrinsic); 23] = [
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

/// What an intrinsic means; nothing for one that is not known.
pub fn meaning(name: &str) -> Option<Meaning> {
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    let words = || WORDS.iter().find(|row| name.starts_with(row.0)).map(|row| Meaning::Words(row.1));
    let reduction =
        || REDUCTIONS.iter().find(|row| name.starts_with(row.0)).map(|row| Meaning::Reduction(row.1));
    Some(match () {
        () if begins(&NOTHING) => Meaning::Nothing,
        () if begins(&FIRST_ARGUMENT) => Meaning::FirstArgument,
        () if begins(&["llvm.memcpy.", "llvm.memmove."]) => Meaning::CopyMemory,
        () if begins(&["llvm.memset."]) => Meaning::SetMemory,
        () if begins(&["llvm.ubsantrap"]) => Meaning::SanitizerTrap,
        () if begins(&["llvm.trap", "llvm.debugtrap"]) => Meaning::Trap,
        () if begins(&["llvm.objectsize."]) => Meaning::ObjectSize,
        () if begins(&["llvm.eh.typeid.for"]) => Meaning::TypeId,
        () if begins(&["llvm.is.constant."]) => Meaning::IsConstant,
        () if begins(&["llvm.stackrestore"]) => Meaning::RestoreStack,
        () if begins(&["llvm.fmuladd."]) => Meaning::MultiplyAdd(Rounding::Twice),
        () if begins(&["llvm.fma."]) => Meaning::MultiplyAdd(Rounding::Once),
        () => return words().or_else(reduction).or_else(|| library(name).map(Meaning::Library)),
    })
}

/// Why an intrinsic is refused that is not known.
pub fn refusal(name: &str) -> String {
    format!("the intrinsic `{name}`")
}

/// The function of the library on `float` or `double` that an intrinsic stands for.
fn library(name: &str) -> Option<String> {
    let mut parts = name.strip_prefix("llvm.")?.split('.');
    let (function, kind) = (parts.next()?, parts.next()?);
    let function = match function {
        "minnum" => "fmin",
        "maxnum" => "fmax",
        other => other,
    };
    let full = match kind {
        "f64" => function.to_owned(),
        "f32" => format!("{function}f"),
        _ => return None,
    };
    crate::function(&full).is_some().then_some(full)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intrinsics_are_known_by_the_beginnings_of_their_names() {
        assert_eq!(meaning("llvm.umax.i32"), Some(Meaning::Words(Intrinsic::UMax)));
        assert_eq!(meaning("llvm.memmove.p0.p0.i64"), Some(Meaning::CopyMemory));
        assert_eq!(meaning("llvm.vector.reduce.xor.v4i32"), Some(Meaning::Reduction(BinaryOperator::Xor)));
        assert_eq!(meaning("llvm.maxnum.f32"), Some(Meaning::Library("fmaxf".to_owned())));
        assert_eq!(meaning("llvm.pow.v2f64"), None);
        assert_eq!(meaning("llvm.coro.begin"), None);
    }
}
