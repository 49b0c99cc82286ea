//! The tree of a program after expansion, in the words of [Metzler2014, Fig. A.1].
//!
//! Spans are places in the original text, so several nodes may have the same one.

use std::collections::BTreeSet;

use selvedge_ir::{BinaryOp, Span};

use crate::ast::Name;

/// `program`
#[derive(Debug)]
pub struct System {
    /// How many processes are announced.
    pub proc_count: Number,
    /// The variables.
    pub declarations: Vec<Declaration>,
    /// The processes.
    pub processes: Vec<Process>,
    /// The names that are used with an index somewhere.
    pub indexed: BTreeSet<String>,
}

/// `INT`
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// Its value.
    pub value: i64,
    /// Where it is.
    pub span: Span,
}

/// `declaration`
#[derive(Debug)]
pub struct Declaration {
    /// The threads that see it.
    pub sort: Sort,
    /// Its name.
    pub name: Name,
    /// How many elements it has.
    pub length: Number,
    /// The values of the first elements.
    pub init_values: Vec<Number>,
}

/// The threads that see a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// All processes.
    Shared,
    /// Each process has its own.
    Local,
    /// All processes, and it never changes.
    Const,
}

/// `process_block`
#[derive(Debug)]
pub struct Process {
    /// What it does.
    pub block: Vec<Statement>,
    /// From bracket to bracket.
    pub span: Span,
}

/// `statement`
#[derive(Debug)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// The part of it that is a transition: without blocks.
    pub span: Span,
}

/// What a statement does.
#[derive(Debug)]
pub enum StatementKind {
    /// `target := value`
    Assignment {
        /// The target.
        target: Access,
        /// The value.
        value: Expr,
    },
    /// `comp-swap(target, expected, desired)`
    CompSwap {
        /// The target.
        target: Access,
        /// The value it must have.
        expected: Expr,
        /// The value it gets.
        desired: Expr,
    },
    /// `indexer(…)`
    Indexer(Box<Indexer>),
    /// `if condition`, with or without branches.
    Conditional {
        /// The condition.
        condition: Condition,
        /// What follows from it.
        branches: Option<Branches>,
    },
    /// `while condition { block }`
    Loop {
        /// The condition.
        condition: Condition,
        /// What is repeated.
        block: Vec<Statement>,
    },
}

/// The blocks of a conditional.
#[derive(Debug)]
pub struct Branches {
    /// The block for when the condition holds.
    pub then: Vec<Statement>,
    /// The block for when it does not; may be missing.
    pub otherwise: Vec<Statement>,
}

/// The arguments of `indexer`, by their names in the grammar.
#[derive(Debug)]
pub struct Indexer {
    /// How many messages there are.
    pub max: Access,
    /// The length of the table.
    pub size: Access,
    /// The number of the message.
    pub m: Access,
    /// The message.
    pub w: Access,
    /// Where it should go.
    pub h: Access,
    /// The element of the table.
    pub target: Access,
    /// The distance between two messages of a process.
    pub nprocs: Number,
}

/// `bool_expr`
#[derive(Debug)]
pub struct Condition {
    /// `<`, `>` or `==`.
    pub op: BinaryOp,
    /// The left side.
    pub left: Expr,
    /// The right side.
    pub right: Expr,
}

/// `var` or `array`
#[derive(Debug)]
pub struct Access {
    /// The variable.
    pub name: Name,
    /// Which element.
    pub index: Option<Box<Expr>>,
}

/// `int_expr`
#[derive(Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it is.
    pub span: Span,
    /// A bound of the height of its tree in the IR.
    pub height: u32,
}

/// What an expression is.
#[derive(Debug)]
pub enum ExprKind {
    /// A number.
    Int(i64),
    /// A variable or an element of it.
    Access(Access),
    /// An operator with its operands.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
}
