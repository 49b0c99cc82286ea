//! dlang, the input language of the thesis on lazy partial-order reduction [Metzler2014, appendix A].
//!
//! The way from a text to the IR: `expansion` (repetition blocks), `lexer`, `parser` (to the tree of `ast`), `lower`
//! (names, with the table of `variables`, and control-flow graphs). After each stage mistakes end the compilation.
//! docs/dlang.md tells users what the language means and where it differs from the thesis.

mod ast;
mod expansion;
mod lexer;
mod lower;
mod parser;
mod variables;

use selvedge_ir::{Program, Span};

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::limits;

/// Compiles the text of a `.d` file.
///
/// `file_name` is only remembered in the program.
///
/// # Errors
/// What is wrong with the text, in the order of the text; never an empty list.
pub fn compile_dlang(file_name: &str, text: &str) -> Result<Program, Vec<Diagnostic>> {
    if text.len() > limits::SOURCE_BYTES {
        let message = format!("the program is longer than {} bytes", limits::SOURCE_BYTES);
        return Err(vec![Diagnostic::new(Span::new(0, 0), message, "too long")]);
    }
    let mut diagnostics = Diagnostics::default();
    let expansion = expansion::expand(text, &mut diagnostics);
    if !diagnostics.is_empty() {
        return Err(diagnostics.into_sorted());
    }
    let lexed = lexer::tokens(&expansion, &mut diagnostics);
    let system = parser::parse(text, &lexed, &mut diagnostics);
    let (Some(system), true) = (system, diagnostics.is_empty()) else {
        return Err(diagnostics.into_sorted());
    };
    let program = lower::lower(file_name, &system, &mut diagnostics);
    match diagnostics.is_empty() {
        true => Ok(program),
        false => Err(diagnostics.into_sorted()),
    }
}
