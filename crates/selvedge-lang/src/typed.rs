//! The checked program: names looked up, types known, conversions explicit, every rule of the language kept.
//!
//! Each expression knows whether evaluating it changes shared memory ([`Expr::effects`]), which is what lowering
//! needs to decide on atomic regions.

use std::collections::BTreeSet;

use selvedge_ir::{
    ArrayId, BarrierId, BinaryOp, CondvarId, FamilyId, FunctionId, LocalArray, MutexId, ObjectId, Register,
    RegisterId, RmwOp, Span, Type, UnaryOp,
};

/// A checked function, in the order of [`Globals::functions`](crate::scope::Globals::functions).
#[derive(Debug)]
pub struct Body {
    /// Parameters, then variables.
    pub registers: Vec<Register>,
    /// Arrays.
    pub arrays: Vec<LocalArray>,
    /// How many of the registers are temporaries, named `%0`, `%1`, …
    pub temporaries: u32,
    /// The code.
    pub statements: Vec<Statement>,
}

/// All checked functions.
#[derive(Debug)]
pub struct Bodies {
    /// The functions.
    pub functions: Vec<Body>,
    /// The families named by a `spawn`.
    pub spawned: BTreeSet<FamilyId>,
}

/// A statement.
#[derive(Debug)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// Its text, or its head if it has a body.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Debug)]
pub enum StatementKind {
    /// Stores a value of the type of the place.
    Assign { target: Place, value: Expr },
    /// Stores `target op value`; the place is evaluated once.
    Update { target: Place, op: BinaryOp, value: Expr },
    /// Performs an effect and drops its value.
    Evaluate(Expr),
    /// Calls a function.
    Call { result: Option<RegisterId>, function: FunctionId, arguments: Vec<Expr> },
    /// Gives an array its initial values again.
    Reset(ArrayId),
    /// An operation of synchronisation.
    Synchronise(Synchronisation),
    /// A violation if false.
    Assert(Expr),
    /// Drops the execution if false.
    Assume(Expr),
    /// Waits until true.
    Await(Expr),
    /// Does what belongs to the first condition that holds, or else `otherwise`.
    If { arms: Vec<Arm>, otherwise: Vec<Statement> },
    /// Repeats as long as the condition holds.
    While { condition: Expr, body: Vec<Statement> },
    /// Repeats until left.
    Loop(Vec<Statement>),
    /// Counts.
    For { variable: RegisterId, low: Expr, high: Expr, body: Vec<Statement> },
    /// Leaves the innermost loop.
    Break,
    /// Goes on with the next round of the innermost loop.
    Continue,
    /// Leaves the function.
    Return(Option<Expr>),
    /// One transition.
    Atomic(Vec<Statement>),
}

/// A condition and what to do when it holds.
#[derive(Debug)]
pub struct Arm {
    /// The condition.
    pub condition: Expr,
    /// What to do.
    pub body: Vec<Statement>,
    /// `if condition`
    pub span: Span,
}

/// An element of an array of mutexes, condition variables or threads.
#[derive(Clone, Debug)]
pub struct Member<Id> {
    /// The array.
    pub id: Id,
    /// Which element.
    pub index: Expr,
}

/// An operation of synchronisation without value. Its operands have no effects.
#[derive(Debug)]
pub enum Synchronisation {
    /// Takes a mutex.
    Lock(Member<MutexId>),
    /// Frees a mutex.
    Unlock(Member<MutexId>),
    /// Waits for a signal.
    Wait(Member<CondvarId>, Member<MutexId>),
    /// Wakes one.
    Signal(Member<CondvarId>),
    /// Wakes all.
    Broadcast(Member<CondvarId>),
    /// Waits for the others.
    BarrierWait(BarrierId),
    /// Starts a thread.
    Spawn(Member<FamilyId>),
    /// Waits for the end of a thread.
    Join(Member<FamilyId>),
}

/// Somewhere a value can be stored.
#[derive(Clone, Debug)]
pub enum Place {
    /// A local variable.
    Register(RegisterId),
    /// An element of a local array.
    Element { array: ArrayId, index: Expr },
    /// A shared variable or element.
    Shared { object: ObjectId, index: Expr },
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The type of its value.
    pub ty: Type,
    /// Its value, if known at compile time.
    pub constant: Option<i64>,
    /// Whether evaluating it may change shared memory or a mutex.
    pub effects: bool,
    /// Whether evaluating it may read shared memory.
    pub reads_shared: bool,
    /// Whether it contains a `nondet`.
    pub chooses: bool,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A constant of the type of the expression.
    Constant(i64),
    /// The index of the thread.
    SelfIndex,
    /// A local variable.
    Register(RegisterId),
    /// An element of a local array.
    Element { array: ArrayId, index: Box<Expr> },
    /// A shared variable or element.
    Load { object: ObjectId, index: Box<Expr> },
    /// An operator or a conversion.
    Unary { op: UnaryOp, operand: Box<Expr> },
    /// An operator.
    Binary { op: BinaryOp, left: Box<Expr>, right: Box<Expr> },
    /// One of two values.
    Conditional { condition: Box<Expr>, then: Box<Expr>, otherwise: Box<Expr> },
    /// An effect with a value.
    Effect(Box<Effect>),
    /// A free choice of an integer.
    Choose { low: Box<Expr>, high: Box<Expr> },
}

/// Operations that change shared state and have a value.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Stores `desired` if the value is `expected`.
    CompareExchange { object: ObjectId, index: Expr, expected: Expr, desired: Expr },
    /// Replaces the value; the old one is the result.
    Rmw { object: ObjectId, index: Expr, op: RmwOp, operand: Expr },
    /// Takes the mutex if it is free.
    TryLock(Member<MutexId>),
}

impl Expr {
    /// An expression with what can be known of it from its parts.
    pub fn new(kind: ExprKind, ty: Type) -> Self {
        let constant = kind.constant();
        let parts = kind.parts();
        let effects = matches!(kind, ExprKind::Effect(_)) || parts.iter().any(|part| part.effects);
        let reads_shared = matches!(kind, ExprKind::Load { .. } | ExprKind::Effect(_))
            || parts.iter().any(|part| part.reads_shared);
        let chooses = matches!(kind, ExprKind::Choose { .. }) || parts.iter().any(|part| part.chooses);
        Expr { kind, ty, constant, effects, reads_shared, chooses }
    }

    /// An integer constant.
    pub fn int(value: i64) -> Self {
        Expr::new(ExprKind::Constant(value), Type::Int)
    }

    /// This expression as one of another type.
    #[must_use]
    pub fn convert(self, ty: Type) -> Self {
        let op = match (self.ty, ty) {
            (Type::Int, Type::Bool) => UnaryOp::ToBool,
            (Type::Bool, Type::Int) => UnaryOp::ToInt,
            _ => return self,
        };
        match (&self.kind, self.constant) {
            (ExprKind::Constant(_), Some(value)) => Expr::new(ExprKind::Constant(op.apply(value)), ty),
            _ => Expr::new(ExprKind::Unary { op, operand: Box::new(self) }, ty),
        }
    }
}

impl ExprKind {
    fn constant(&self) -> Option<i64> {
        match self {
            ExprKind::Constant(value) => Some(*value),
            ExprKind::Unary { op, operand } => Some(op.apply(operand.constant?)),
            ExprKind::Binary { op, left, right } => op.apply(left.constant?, right.constant?),
            ExprKind::Conditional { condition, then, otherwise } => match condition.constant? {
                0 => otherwise.constant,
                _ => then.constant,
            },
            _ => None,
        }
    }

    /// The operands, in the order in which they are evaluated.
    fn parts(&self) -> Vec<&Expr> {
        match self {
            ExprKind::Constant(_) | ExprKind::SelfIndex | ExprKind::Register(_) => Vec::new(),
            ExprKind::Element { index, .. } | ExprKind::Load { index, .. } => vec![index],
            ExprKind::Unary { operand, .. } => vec![operand],
            ExprKind::Binary { left, right, .. } => vec![left, right],
            ExprKind::Conditional { condition, then, otherwise } => vec![condition, then, otherwise],
            ExprKind::Choose { low, high } => vec![low, high],
            ExprKind::Effect(effect) => match effect.as_ref() {
                Effect::CompareExchange { index, expected, desired, .. } => vec![index, expected, desired],
                Effect::Rmw { index, operand, .. } => vec![index, operand],
                Effect::TryLock(mutex) => vec![&mutex.index],
            },
        }
    }

    /// The operands for change, in the order in which they are evaluated.
    pub fn parts_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            ExprKind::Constant(_) | ExprKind::SelfIndex | ExprKind::Register(_) => Vec::new(),
            ExprKind::Element { index, .. } | ExprKind::Load { index, .. } => vec![index],
            ExprKind::Unary { operand, .. } => vec![operand],
            ExprKind::Binary { left, right, .. } => vec![left, right],
            ExprKind::Conditional { condition, then, otherwise } => vec![condition, then, otherwise],
            ExprKind::Choose { low, high } => vec![low, high],
            ExprKind::Effect(effect) => match effect.as_mut() {
                Effect::CompareExchange { index, expected, desired, .. } => vec![index, expected, desired],
                Effect::Rmw { index, operand, .. } => vec![index, operand],
                Effect::TryLock(mutex) => vec![&mut mutex.index],
            },
        }
    }
}
