//! The way from source text to IR, one stage after the other.
//!
//! A text with syntax errors is not checked: what the parser skipped would only look like further mistakes.

use std::collections::BTreeMap;

use selvedge_ir::{Program, Span};

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::{check, lexer, limits, lower, parser, resolve};

/// Compiles the text of a `.sel` file.
///
/// `file_name` is only remembered in the program. `defines` replaces the values of constants.
///
/// # Errors
/// What is wrong with the text, in the order of the text; never an empty list.
pub fn compile(
    file_name: &str,
    text: &str,
    defines: &BTreeMap<String, i64>,
) -> Result<Program, Vec<Diagnostic>> {
    if text.len() > limits::SOURCE_BYTES {
        let message = format!("the program is longer than {} bytes", limits::SOURCE_BYTES);
        return Err(vec![Diagnostic::new(Span::new(0, 0), message, "too long")]);
    }
    let mut diagnostics = Diagnostics::default();
    let tokens = lexer::tokens(text, &mut diagnostics);
    let declarations = parser::parse(text, &tokens, &mut diagnostics);
    if !diagnostics.is_empty() {
        return Err(diagnostics.into_sorted());
    }
    let globals = resolve::declare(&declarations, defines, &mut diagnostics);
    let bodies = check::check(&declarations, &globals, &mut diagnostics);
    if !diagnostics.is_empty() {
        return Err(diagnostics.into_sorted());
    }
    Ok(lower::lower(file_name, globals, bodies))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_define_replaces_the_value_of_a_constant() {
        let defines = BTreeMap::from([("N".to_string(), 7)]);
        let program = compile("t.sel", "const N = 3; thread t[N] { skip; }", &defines).expect("compiles");
        assert_eq!(program.thread_count(), 7);
    }

    #[test]
    fn a_define_without_constant_names_the_constants_there_are() {
        let defines = BTreeMap::from([("M".to_string(), 7)]);
        let errors = compile("t.sel", "const N = 3, K = 4;", &defines).expect_err("M is no constant");
        assert_eq!(errors.len(), 1);
        assert!(errors[0].message.contains("`N`, `K`"), "{}", errors[0].message);
    }

    #[test]
    fn programs_at_the_limits_fit_on_the_stack() {
        let depth = limits::NESTING as usize - 4;
        let height = limits::EXPRESSION_HEIGHT as usize - 2;
        let chain = format!("x = 1{};", " + x".repeat(height));
        let logic = format!("if x{} {{ skip; }}", " && cas(x, 0, 1)".repeat(height / 2));
        let parentheses = format!(
            "x = {}x{};",
            "1 | 1 ^ 1 & 1 << 1 + 1 * ~(1 + -(".repeat(depth / 4),
            "))".repeat(depth / 4)
        );
        let blocks = format!("{}x = 1;{}", "if x { ".repeat(depth - 2), "}".repeat(depth - 2));
        for body in [chain, logic, parentheses, blocks] {
            let text = format!("shared x = 0; thread t {{ {body} }}");
            let compiled = compile("t.sel", &text, &BTreeMap::new());
            assert!(compiled.is_ok(), "{body}: {compiled:?}");
        }
    }

    #[test]
    fn a_text_of_many_megabytes_is_refused() {
        let text = " ".repeat(limits::SOURCE_BYTES + 1);
        assert!(compile("t.sel", &text, &BTreeMap::new()).is_err());
    }
}
