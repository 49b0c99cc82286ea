//! Concurrent programs as data.
//!
//! A [`Program`] declares shared [`Object`]s, mutexes, condition variables and barriers, and [`ThreadFamily`]s
//! whose code is a [`Function`]: a control-flow graph of [`Instr`]uctions over typed registers. Conditions and
//! values are [`Expr`]essions, kept as trees so that an interpreter can compile them and a symbolic engine can
//! translate them. Everything carries the [`Span`] of the source text it came from.
//!
//! This crate does not run programs and knows no exploration algorithm and no input language. Front ends make
//! programs, [`check`](check::check) says whether one is well formed, [`print`](print::print) and
//! [`parse`](parse::parse) turn it into text and back.

pub mod check;
pub mod expr;
pub mod function;
pub mod ids;
pub mod instr;
pub mod limits;
mod operators;
pub mod parse;
pub mod print;
pub mod program;
pub mod span;

#[cfg(test)]
mod random;
mod symbols;

pub use expr::{BinaryOp, Expr, Type, UnaryOp};
pub use function::{Block, Function, LocalArray, Register, Terminator, TerminatorKind};
pub use ids::{
    ArrayId, BarrierId, BlockId, CondvarId, FamilyId, FileId, FunctionId, MutexId, ObjectId, RegisterId,
};
pub use instr::{CondvarRef, Instr, InstrKind, MutexRef, Place, RmwOp, ThreadRef};
pub use program::{Barrier, Object, Program, Start, SyncArray, ThreadFamily};
pub use span::Span;
