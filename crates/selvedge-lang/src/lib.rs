//! The input languages: the modelling language `.sel` and dlang, `.d`.
//!
//! [`compile()`] turns a source text into a [`Program`](selvedge_ir::Program) of the IR, or into a list of
//! [`Diagnostic`]s. The way there: `lexer` (text to tokens), `parser` (tokens to the tree of `ast`), `resolve`
//! (declarations to the table of `scope`), `check` (names and types; the result is the tree of `typed`), `lower`
//! (typed tree to control-flow graphs). [`compile_dlang`] does the same for dlang, whose own stages are in `dlang`.
//!
//! Only the parser and the checker can fail; lowering cannot. This crate does not run programs, does not read
//! files and does not format diagnostics. No input makes it panic: see `limits`.

mod compile;
mod diagnostic;

mod limits;
mod token;

mod ast;
mod lexer;
mod parser;

mod constants;
mod initial;
mod resolve;
mod scope;
mod spelling;

mod check;
mod typed;

mod lower;

mod dlang;

pub use compile::compile;
pub use diagnostic::Diagnostic;
pub use dlang::compile_dlang;
