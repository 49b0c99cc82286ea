//! The syntax tree: what the parser saw, names not yet looked up.
//!
//! Expressions are at most [`EXPRESSION_HEIGHT`](crate::limits::EXPRESSION_HEIGHT) high, so that walking them by
//! recursion is safe.

use selvedge_ir::{BinaryOp, Span, UnaryOp};

/// A name and where it stands.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A declaration at the top of a program.
#[derive(Debug)]
pub struct Declaration {
    /// What is declared; `finally` for the code that runs last.
    pub name: Name,
    /// How it is declared.
    pub kind: DeclarationKind,
    /// The declarator, or the head of a declaration with a body.
    pub span: Span,
}

/// The kinds of declarations.
#[derive(Debug)]
pub enum DeclarationKind {
    /// `const NAME = value`
    Const(Expr),
    /// `shared name[length] = initial`
    Shared {
        /// The length, for an array.
        length: Option<Expr>,
        /// The initial value or values.
        initial: Option<Initial>,
    },
    /// `mutex name[length]`
    Mutex(Option<Expr>),
    /// `condvar name[length]`
    Condvar(Option<Expr>),
    /// `barrier name(width)`
    Barrier(Expr),
    /// `fn name(parameters) { … }`
    Function {
        /// The parameters.
        parameters: Vec<Name>,
        /// The code.
        body: Block,
    },
    /// `thread name[count] { … }`
    Thread {
        /// How many, for an array.
        count: Option<Expr>,
        /// The code.
        body: Block,
    },
    /// `finally { … }`
    Finally(Block),
}

/// An initial value.
#[derive(Debug)]
pub enum Initial {
    /// One value, for a scalar or for all elements.
    One(Expr),
    /// A list of values, one for each element, and where it stands.
    List(Vec<Expr>, Span),
}

/// Statements in braces, or a single one.
#[derive(Debug)]
pub struct Block {
    /// The statements.
    pub statements: Vec<Statement>,
}

/// A statement.
#[derive(Debug)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// Its text without the `;`; for statements with a body, their head.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Debug)]
pub enum StatementKind {
    /// `let name[length] = initial`
    Let {
        /// The new variable.
        name: Name,
        /// The length, for an array.
        length: Option<Expr>,
        /// The initial value.
        initial: Option<Initial>,
    },
    /// `place = value`, `place += value`
    Assign {
        /// Where to.
        place: Expr,
        /// The operator of a compound assignment.
        op: Option<BinaryOp>,
        /// The value.
        value: Expr,
    },
    /// A call as a statement.
    Evaluate(Expr),
    /// `if … else if … else …`
    If {
        /// The conditions in order, with what to do.
        arms: Vec<Arm>,
        /// What to do when no condition holds.
        otherwise: Option<Block>,
    },
    /// `while condition { … }`
    While {
        /// The condition.
        condition: Expr,
        /// The body.
        body: Block,
    },
    /// `loop { … }`
    Loop(Block),
    /// `for variable in low..high { … }`
    For {
        /// The loop variable.
        variable: Name,
        /// Its first value.
        low: Expr,
        /// The bound that it does not reach.
        high: Expr,
        /// The body.
        body: Block,
    },
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `return value`
    Return(Option<Expr>),
    /// `atomic { … }`
    Atomic(Block),
    /// `{ … }`
    Block(Block),
    /// `spawn thread`
    Spawn(Expr),
    /// `join thread`
    Join(Expr),
    /// `skip`
    Skip,
}

/// A condition and what to do when it holds.
#[derive(Debug)]
pub struct Arm {
    /// The condition.
    pub condition: Expr,
    /// What to do.
    pub body: Block,
    /// `if condition`
    pub span: Span,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its text.
    pub span: Span,
    /// The height of the tree: 1 for a leaf.
    pub height: u32,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number.
    Int(i64),
    /// `true` or `false`
    Bool(bool),
    /// `self`
    SelfIndex,
    /// A name on its own.
    Name(String),
    /// `name[index]`
    Index {
        /// The array.
        name: Name,
        /// Which element.
        index: Box<Expr>,
    },
    /// `-x`, `!x`, `~x`
    Unary {
        /// The operator.
        op: UnaryOp,
        /// The operand.
        operand: Box<Expr>,
    },
    /// `x + y`
    Binary {
        /// The operator.
        op: BinaryOp,
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
    /// `condition ? then : otherwise`
    Conditional {
        /// The condition.
        condition: Box<Expr>,
        /// The value if it holds.
        then: Box<Expr>,
        /// The value if it does not.
        otherwise: Box<Expr>,
    },
    /// `callee(arguments)`, builtin or declared.
    Call {
        /// What is called.
        callee: Name,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// `low..high`, only as argument of `nondet`.
    Range {
        /// The least value.
        low: Box<Expr>,
        /// The bound above.
        high: Box<Expr>,
    },
}
