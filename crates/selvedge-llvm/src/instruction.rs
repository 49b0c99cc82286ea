//! Instructions as data.

use crate::constant::{Constant, TypedConstant};
use crate::types::TypeId;

/// A register of a function: a parameter or the result of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalId(pub u32);

/// A basic block of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub u32);

/// A place in a source file: a line, a column, and the scope that knows the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DebugLocation(pub u32);

/// An instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// The register that receives its result.
    pub result: Option<LocalId>,
    /// What it does.
    pub operation: Operation,
    /// The metadata node of its place in the source.
    pub location: Option<DebugLocation>,
    /// The first and the last line of the text that it is on, counted from 1; 0 if no text was read.
    pub lines: [u32; 2],
}

/// An operand with its type.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// The type.
    pub ty: TypeId,
    /// The operand.
    pub operand: Operand,
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register.
    Local(LocalId),
    /// A constant.
    Constant(Constant),
    /// Metadata, passed to an intrinsic: a node, or a value in disguise.
    Metadata(MetadataOperand),
}

/// Metadata as an operand.
#[derive(Clone, Debug, PartialEq)]
pub enum MetadataOperand {
    /// A node.
    Node(u32),
    /// A value.
    Value(Box<Value>),
    /// Anything else.
    Other,
}

/// What an instruction does.
#[derive(Clone, Debug)]
pub enum Operation {
    /// Leaves the function.
    Return(Option<Value>),
    /// Goes on in another block.
    Branch(BlockId),
    /// Goes on in one of two blocks.
    ConditionalBranch(Value, BlockId, BlockId),
    /// Goes on in the block that belongs to a value.
    Switch(Value, BlockId, Vec<(Value, BlockId)>),
    /// Goes on in the block with an address, which is one of these.
    IndirectBranch(Value, Vec<(Value, BlockId)>),
    /// Cannot be reached.
    Unreachable,
    /// Integer and floating-point arithmetic.
    Binary(BinaryOperator, Wrap, Value, Value),
    /// Turns the sign of a floating-point number.
    Negate(Value),
    /// A conversion.
    Cast(CastOperator, Value, TypeId),
    /// A comparison of integers or pointers.
    Compare(Predicate, Value, Value),
    /// A comparison of floating-point numbers.
    CompareFloat(FloatPredicate, Value, Value),
    /// One of two values.
    Select(Value, Value, Value),
    /// The value that belongs to the block we come from.
    Phi(TypeId, Vec<(Operand, BlockId)>),
    /// Room in the frame.
    Alloca {
        /// For values of this type.
        ty: TypeId,
        /// So many.
        count: Option<Value>,
        /// What the address is a multiple of, if it says so.
        alignment: Option<u32>,
    },
    /// Reads memory.
    Load {
        /// What.
        ty: TypeId,
        /// Where.
        pointer: Value,
        /// How.
        atomicity: Atomicity,
    },
    /// Writes memory.
    Store {
        /// What.
        value: Value,
        /// Where.
        pointer: Value,
        /// How.
        atomicity: Atomicity,
    },
    /// The address of a part.
    Element {
        /// The type that the first index counts in.
        source: TypeId,
        /// The address to begin with.
        base: Value,
        /// The way from there.
        indices: Vec<Value>,
    },
    /// Calls a function.
    Call(Call),
    /// Calls a function that may throw.
    Invoke(Call, BlockId, BlockId),
    /// Compares and exchanges.
    CompareExchange {
        /// Where.
        pointer: Value,
        /// What must be there.
        expected: Value,
        /// What to put there.
        new: Value,
        /// How it is ordered if it exchanges, and if it does not.
        orderings: [Ordering; 2],
    },
    /// Reads, modifies and writes.
    ReadModifyWrite {
        /// How to modify.
        operator: RmwOperator,
        /// Where.
        pointer: Value,
        /// With what.
        value: Value,
        /// How it is ordered.
        ordering: Ordering,
    },
    /// Orders memory accesses.
    Fence(Ordering),
    /// A part of an aggregate.
    ExtractValue(Value, Vec<u32>),
    /// An aggregate with another part.
    InsertValue(Value, Value, Vec<u32>),
    /// An element of a vector.
    ExtractElement(Value, Value),
    /// A vector with another element.
    InsertElement(Value, Value, Value),
    /// Elements of two vectors.
    Shuffle(Value, Value, Value),
    /// A value that is no longer undefined.
    Freeze(Value),
    /// The next of the further arguments.
    VaArg(Value, TypeId),
    /// Where a thrown exception lands.
    LandingPad {
        /// What it lands for, the first that fits.
        clauses: Vec<Clause>,
        /// Whether it lands here in any case, for something to be cleaned up.
        cleanup: bool,
    },
    /// Throws an exception on.
    Resume(Value),
    /// Tells that a variable of the source lives at an address.
    Declare {
        /// The address.
        address: Operand,
        /// The node of the variable.
        variable: u32,
    },
    /// Something for the debugger.
    Nothing,
    /// Something that the reader does not know, as it was written.
    Unsupported(String),
}

/// For which exceptions there is a landing pad.
#[derive(Clone, Debug, PartialEq)]
pub enum Clause {
    /// Those of a type, or all if it is null.
    Catch(TypedConstant),
    /// Those of none of the types.
    Filter(TypedConstant),
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    /// What the function returns.
    pub result: TypeId,
    /// The function: a symbol as a rule.
    pub callee: Operand,
    /// The arguments.
    pub arguments: Vec<Argument>,
    /// What is in line, if it is assembler.
    pub assembler: Option<String>,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub struct Argument {
    /// Its value.
    pub value: Value,
    /// The type of which the callee gets a copy of its own, for `byval`.
    pub copied: Option<TypeId>,
}

/// Arithmetic with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOperator {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FRem,
}

/// What is undefined about a result that does not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wrap {
    /// Signed overflow is undefined.
    pub no_signed: bool,
    /// Unsigned overflow is undefined.
    pub no_unsigned: bool,
}

/// A conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum CastOperator {
    Trunc,
    ZExt,
    SExt,
    FpTrunc,
    FpExt,
    FpToUi,
    FpToSi,
    UiToFp,
    SiToFp,
    PtrToInt,
    IntToPtr,
    BitCast,
}

/// A comparison of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Predicate {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

/// A comparison of floating-point numbers: which of four outcomes are true.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FloatPredicate {
    /// When the first is less.
    pub less: bool,
    /// When they are equal.
    pub equal: bool,
    /// When the first is greater.
    pub greater: bool,
    /// When one of them is no number.
    pub unordered: bool,
}

/// How a read-modify-write modifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum RmwOperator {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
    FAdd,
    FSub,
}

/// Whether an access is atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atomicity {
    /// The access is not atomic.
    Plain,
    /// It is, with that order.
    Atomic(Ordering),
}

/// How an atomic access is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Ordering {
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
    SequentiallyConsistent,
}

impl Operation {
    /// Whether nothing comes after it in its block.
    pub fn ends_block(&self) -> bool {
        matches!(
            self,
            Operation::Return(_)
                | Operation::Branch(_)
                | Operation::ConditionalBranch(..)
                | Operation::Switch(..)
                | Operation::IndirectBranch(..)
                | Operation::Unreachable
                | Operation::Resume(_)
                | Operation::Invoke(..)
        )
    }

    /// The blocks that may come next.
    pub fn successors(&self) -> Vec<BlockId> {
        match self {
            Operation::Branch(to) => vec![*to],
            Operation::ConditionalBranch(_, a, b) | Operation::Invoke(_, a, b) => vec![*a, *b],
            Operation::Switch(_, default, cases) => {
                std::iter::once(*default).chain(cases.iter().map(|case| case.1)).collect()
            }
            Operation::IndirectBranch(_, cases) => cases.iter().map(|case| case.1).collect(),
            _ => Vec::new(),
        }
    }

    /// Calls `visit` with every operand, values in metadata not included.
    pub fn operands(&self, visit: &mut dyn FnMut(&Operand)) {
        let mut values = |all: &[&Value]| all.iter().for_each(|v| visit(&v.operand));
        match self {
            Operation::Return(Some(v))
            | Operation::ConditionalBranch(v, ..)
            | Operation::Negate(v)
            | Operation::Cast(_, v, _)
            | Operation::ExtractValue(v, _)
            | Operation::Freeze(v)
            | Operation::VaArg(v, _)
            | Operation::Resume(v)
            | Operation::Load { pointer: v, .. } => values(&[v]),
            Operation::Switch(v, _, cases) | Operation::IndirectBranch(v, cases) => {
                values(&[v]);
                cases.iter().for_each(|case| values(&[&case.0]));
            }
            Operation::Binary(_, _, a, b)
            | Operation::Compare(_, a, b)
            | Operation::CompareFloat(_, a, b)
            | Operation::InsertValue(a, b, _)
            | Operation::ExtractElement(a, b)
            | Operation::Store { value: a, pointer: b, .. }
            | Operation::ReadModifyWrite { value: a, pointer: b, .. } => values(&[a, b]),
            Operation::Select(a, b, c)
            | Operation::InsertElement(a, b, c)
            | Operation::Shuffle(a, b, c)
            | Operation::CompareExchange { pointer: a, expected: b, new: c, .. } => values(&[a, b, c]),
            Operation::Phi(_, incoming) => incoming.iter().for_each(|i| visit(&i.0)),
            Operation::Alloca { count, .. } => count.iter().for_each(|v| visit(&v.operand)),
            Operation::Element { base, indices, .. } => {
                values(&[base]);
                indices.iter().for_each(|v| values(&[v]));
            }
            Operation::Call(call) | Operation::Invoke(call, ..) => {
                call.arguments.iter().for_each(|a| values(&[&a.value]));
                visit(&call.callee);
            }
            Operation::Declare { .. }
            | Operation::Nothing
            | Operation::Unsupported(_)
            | Operation::LandingPad { .. }
            | Operation::Fence(_)
            | Operation::Return(None)
            | Operation::Branch(_)
            | Operation::Unreachable => {}
        }
    }
}
