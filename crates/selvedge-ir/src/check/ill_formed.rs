//! What can be wrong with a program, in words.

use std::fmt;

use crate::limits::{MAX_DEPTH, MAX_VALUES};
use crate::{BlockId, Span, Type};

/// Something wrong with a program, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{location}: {fault}")]
pub struct IllFormed {
    /// Where.
    pub location: Location,
    /// What.
    pub fault: Fault,
}

/// A part of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The declaration, in words: ``function `f` ``.
    pub declaration: String,
    /// The block, in a function.
    pub block: Option<BlockId>,
    /// The source text of the instruction or declaration.
    pub span: Option<Span>,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.declaration)?;
        if let Some(block) = self.block {
            write!(f, ", block b{}", block.0)?;
        }
        match self.span {
            Some(span) => write!(f, ", bytes {}..{} of file {}", span.start, span.end, span.file.0),
            None => Ok(()),
        }
    }
}

/// The tables of a program and of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Source files.
    File,
    /// Shared memory.
    Object,
    /// Mutexes.
    Mutex,
    /// Condition variables.
    Condvar,
    /// Barriers.
    Barrier,
    /// Functions.
    Function,
    /// Families of threads.
    Family,
    /// Blocks of a function.
    Block,
    /// Registers of a function.
    Register,
    /// Thread-local arrays of a function.
    Array,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::File => "file",
            Kind::Object => "object",
            Kind::Mutex => "mutex",
            Kind::Condvar => "condition variable",
            Kind::Barrier => "barrier",
            Kind::Function => "function",
            Kind::Family => "thread family",
            Kind::Block => "block",
            Kind::Register => "register",
            Kind::Array => "array",
        })
    }
}

fn word(ty: Type) -> &'static str {
    match ty {
        Type::Int => "int",
        Type::Bool => "bool",
    }
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// An id beyond the end of its table.
    #[error("there is no {kind} number {id}; there are {length}, counted from 0")]
    NoSuchId {
        /// The table.
        kind: Kind,
        /// The id.
        id: u32,
        /// The length of the table.
        length: usize,
    },
    /// A name that is not unique.
    #[error("the name `{name}` is taken by another {kind}")]
    NameTaken {
        /// What has the name already.
        kind: Kind,
        /// The name.
        name: String,
    },
    /// Something that is not an array but has not one element.
    #[error("what is not an array has one element, not {length}")]
    NotSingle {
        /// The number of elements.
        length: usize,
    },
    /// The initial value of a boolean is neither 0 nor 1.
    #[error("the initial value {value} is not a boolean, which is 0 or 1")]
    NotABoolean {
        /// The value.
        value: i64,
    },
    /// More initial values than allowed.
    #[error("the program has {count} initial values; at most {MAX_VALUES} are allowed")]
    TooManyValues {
        /// How many there are up to here.
        count: usize,
    },
    /// A barrier that no thread can arrive at.
    #[error("the width of a barrier is at least 1")]
    NoWidth,
    /// A thread or `finally` whose function has parameters.
    #[error("it runs `{function}`, which has parameters")]
    RunsWithParameters {
        /// The function.
        function: String,
    },
    /// A function with more parameters than registers.
    #[error("{parameters} registers should be parameters, but there are only {registers}")]
    TooFewRegisters {
        /// The number of parameters.
        parameters: usize,
        /// The number of registers.
        registers: usize,
    },
    /// A function without blocks.
    #[error("the function has no block to begin at")]
    NoEntry,
    /// A value of the wrong type.
    #[error("{what} must be of type {}, not {}", word(*expected), word(*found))]
    WrongType {
        /// The value, in words.
        what: &'static str,
        /// The type it should have.
        expected: Type,
        /// The type it has.
        found: Type,
    },
    /// A comparison of an integer with a boolean.
    #[error("values of type {} and {} are compared", word(*left), word(*right))]
    MixedComparison {
        /// The type on the left.
        left: Type,
        /// The type on the right.
        right: Type,
    },
    /// An expression that nests too deep.
    #[error("the expression nests more than {MAX_DEPTH} deep")]
    TooDeep,
    /// A call with too many or too few arguments.
    #[error("`{function}` takes {parameters} arguments, not {arguments}")]
    ArgumentCount {
        /// The function that is called.
        function: String,
        /// How many parameters it has.
        parameters: usize,
        /// How many arguments there are.
        arguments: usize,
    },
    /// The result of a function that returns nothing.
    #[error("`{function}` returns nothing, so it has no result")]
    NoResult {
        /// The function that is called.
        function: String,
    },
    /// A return without the value that the function returns.
    #[error("the function returns a value of type {}, which is missing here", word(*expected))]
    MissingValue {
        /// The type.
        expected: Type,
    },
    /// A return with a value from a function that returns nothing.
    #[error("the function returns nothing, but there is a value here")]
    ExtraValue,
    /// A choice whose bounds depend on other threads.
    #[error("the bounds of a choice must not read shared memory")]
    SharedBounds,
    /// Something that may not happen after all threads have ended.
    #[error("`{instr}` is not allowed in what runs after all threads have ended")]
    NotAtTheEnd {
        /// The instruction, in the words of the text form.
        instr: &'static str,
    },
    /// Something that may not happen in an atomic region.
    #[error("`{instr}` is not allowed in an atomic region")]
    NotInARegion {
        /// The instruction, in the words of the text form.
        instr: &'static str,
    },
    /// The end of an atomic region outside of one.
    #[error("an atomic region ends that did not begin")]
    NoRegion,
    /// A path on which an atomic region never ends.
    #[error("the function returns in an atomic region")]
    OpenRegion,
    /// A block that is reached in a region and outside of one.
    #[error("block b{} is reached both in an atomic region and outside of one", target.0)]
    MixedRegion {
        /// The block.
        target: BlockId,
    },
}
