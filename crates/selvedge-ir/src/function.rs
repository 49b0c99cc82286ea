//! Functions: control-flow graphs over typed registers and thread-local arrays.

use crate::{BlockId, Expr, Instr, Span, Type};

/// The code of a thread, or a function that threads call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name; unique in the program.
    pub name: String,
    /// How many of the first registers are parameters.
    pub parameters: usize,
    /// What it returns, if anything.
    pub returns: Option<Type>,
    /// The registers; all but the parameters begin as 0 at each call.
    pub registers: Vec<Register>,
    /// The arrays; fresh at each call.
    pub arrays: Vec<LocalArray>,
    /// The blocks; execution begins at the first.
    pub blocks: Vec<Block>,
    /// Its declaration in the source text.
    pub span: Span,
}

/// A thread-local variable or temporary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// The name in the source text, or one made up by the front end; unique in the function.
    pub name: String,
    /// The type.
    pub ty: Type,
}

/// A thread-local array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalArray {
    /// The name; unique among the arrays of the function.
    pub name: String,
    /// The type of the elements.
    pub ty: Type,
    /// The initial values of the elements at each call.
    pub initial: Vec<i64>,
}

/// A sequence of instructions without branches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The instructions, in order.
    pub instrs: Vec<Instr>,
    /// Where to go then.
    pub terminator: Terminator,
}

/// The end of a block, and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terminator {
    /// Where to go.
    pub kind: TerminatorKind,
    /// The statement of the source text.
    pub span: Span,
}

/// Where to go at the end of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TerminatorKind {
    /// To another block.
    Goto(BlockId),
    /// To one of two blocks. A condition that reads shared memory is a transition of its own.
    Branch {
        /// A boolean.
        condition: Expr,
        /// The next block when it is true.
        then: BlockId,
        /// The next block when it is false.
        otherwise: BlockId,
    },
    /// Back to the caller; from the function of a thread: the thread ends.
    Return(Option<Expr>),
}
