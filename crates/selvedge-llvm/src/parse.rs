//! From tokens to a module.

mod constants;
mod cursor;
mod functions;
mod globals;
mod instructions;
mod memory;
mod metadata;
mod types;

use crate::{Module, ReadError, lexer};
use cursor::Cursor;

/// Reads a module.
///
/// # Errors
/// When the text is not the LLVM IR that clang writes. Instructions that the reader does not know are no errors.
pub fn read(text: &str) -> Result<Module, ReadError> {
    let tokens = lexer::tokens(text)?;
    let mut module = Module::default();
    module.pointer_size = 8;
    let mut parser = Parser { cursor: Cursor::new(tokens), module };
    parser.module()?;
    Ok(parser.module)
}

/// A module in the making.
struct Parser {
    cursor: Cursor,
    module: Module,
}
