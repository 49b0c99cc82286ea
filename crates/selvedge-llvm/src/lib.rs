//! A reader of the textual LLVM IR that clang 14 to 19 writes, without linking against LLVM.
//!
//! [`read`] turns a text into a [`Module`]: [types](types::Types), global variables, functions with their
//! [instructions](instruction::Instruction), and the [debug information](metadata::Metadata) that says where
//! everything comes from. Typed pointers (`i32*`) and opaque ones (`ptr`) give the same module. What an attribute says
//! is skipped unless the meaning of a program depends on it. An instruction that the reader does not know becomes
//! [`Operation::Unsupported`](instruction::Operation::Unsupported), so that only programs that reach it are refused.
//!
//! [`clang`] runs the compiler that writes such texts. This crate gives programs no meaning.

pub mod clang;
pub mod constant;
mod error;
mod fingerprint;
pub mod headers;
mod inline;
pub mod instruction;
mod lexer;
pub mod library;
pub mod link;
pub mod metadata;
pub mod module;
mod parse;
pub mod site;
pub mod types;

pub use error::ReadError;
pub use fingerprint::fingerprint;
pub use module::{Function, Global, Module};
pub use parse::read;
pub use site::{Site, SiteName};
