//! Constants: operands and initial values that are known before anything runs.

use crate::instruction::{BinaryOperator, CastOperator, Predicate};
use crate::module::SymbolId;
use crate::types::TypeId;

/// A constant with its type.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedConstant {
    /// The type.
    pub ty: TypeId,
    /// The value.
    pub value: Constant,
}

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// An integer, as the bits of its two's complement.
    Int(u128),
    /// A floating-point number, as the bits of a double.
    Float(u64),
    /// The null pointer.
    Null,
    /// No value in particular.
    Undef,
    /// All bits zero.
    Zero,
    /// The address of a global variable or function.
    Symbol(SymbolId),
    /// The address of a label, by its number among those of the module.
    Label(u32),
    /// The bytes of an array.
    Bytes(Vec<u8>),
    /// The parts of an array, structure or vector.
    Parts(Vec<TypedConstant>),
    /// A conversion.
    Cast(CastOperator, Box<TypedConstant>),
    /// The address of a part.
    Element {
        /// The type that the first index counts in.
        source: TypeId,
        /// The address to begin with.
        base: Box<TypedConstant>,
        /// The way from there.
        indices: Vec<TypedConstant>,
    },
    /// Arithmetic on addresses that the linker does.
    Binary(BinaryOperator, Box<TypedConstant>, Box<TypedConstant>),
    /// A comparison of addresses.
    Compare(Predicate, Box<TypedConstant>, Box<TypedConstant>),
    /// The second or the third, as the first says.
    Select(Box<[TypedConstant; 3]>),
    /// Something else, by its first word.
    Unsupported(String),
}
