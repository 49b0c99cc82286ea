//! Rule: a function fits on a screen, and its parameters say what they mean.
//!
//! A function of more than 60 lines is divided where the paper, or the plain description of what it does, names a step. A `match` whose arms
//! fit on a line each is a table and counts as one line. `bool` parameters are enums with two names, and a thread is a `ThreadId`.

use proc_macro2::{LineColumn, Span};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Arm, Attribute, Block, ExprMatch, FnArg, ImplItemFn, ItemFn, ItemMod, Pat, Signature, Type};

use super::Complaint;
use crate::source_tree::SourceFile;

const MOST_LINES: usize = 60;

/// Complains about long functions and about parameters whose type says too little. Tests are left out.
pub fn check(files: &[SourceFile]) -> Vec<Complaint> {
    files.iter().filter(|file| file.is_rust() && !is_test(file)).flat_map(of_file).collect()
}

fn is_test(file: &SourceFile) -> bool {
    let mut folders = file.path.iter().skip(2);
    folders.next().is_some_and(|folder| folder != "src") || file.path.ends_with("tests.rs")
}

fn of_file(file: &SourceFile) -> Vec<Complaint> {
    let Ok(syntax) = syn::parse_file(&file.text) else { return Vec::new() };
    let mut functions = Functions { file, complaints: Vec::new() };
    functions.visit_file(&syntax);
    functions.complaints
}

struct Functions<'f> {
    file: &'f SourceFile,
    complaints: Vec<Complaint>,
}

impl Functions<'_> {
    fn look_at(&mut self, signature: &Signature, body: &Block) {
        let at = signature.ident.span().start().line;
        let name = &signature.ident;
        if lines_of(body) > MOST_LINES {
            let message = format!("`{name}` has more than {MOST_LINES} lines");
            self.complaints.push(Complaint::at(self.file, at, message));
        }
        for input in &signature.inputs {
            let FnArg::Typed(parameter) = input else { continue };
            let Pat::Ident(pattern) = &*parameter.pat else { continue };
            let better = match (pattern.ident.to_string().as_str(), name_of(&parameter.ty).as_deref()) {
                (_, Some("bool")) => "an enum of two names",
                ("thread", Some("usize")) => "a `ThreadId`",
                _ => continue,
            };
            let message = format!("the parameter `{}` of `{name}` should be {better}", pattern.ident);
            self.complaints.push(Complaint::at(self.file, at, message));
        }
    }
}

impl<'a> Visit<'a> for Functions<'_> {
    fn visit_item_mod(&mut self, module: &'a ItemMod) {
        if !is_only_for_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'a ItemFn) {
        if !is_only_for_tests(&function.attrs) {
            self.look_at(&function.sig, &function.block);
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'a ImplItemFn) {
        self.look_at(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }
}

/// Whether something has the attribute `#[cfg(test)]` or `#[test]`.
fn is_only_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let is_cfg_test = || attribute.parse_args::<syn::Ident>().is_ok_and(|word| word == "test");
        attribute.path().is_ident("test") || (attribute.path().is_ident("cfg") && is_cfg_test())
    })
}

fn name_of(ty: &Type) -> Option<String> {
    let Type::Path(path) = ty else { return None };
    path.path.get_ident().map(ToString::to_string)
}

/// The lines between the braces, without those of tables.
fn lines_of(body: &Block) -> usize {
    let mut tables = Tables { spared: 0 };
    tables.visit_block(body);
    within(body.span()).saturating_sub(tables.spared)
}

/// The lines of a span, first and last aside.
fn within(span: Span) -> usize {
    let line = |position: LineColumn| position.line;
    (line(span.end()) - line(span.start())).saturating_sub(1)
}

/// Counts the lines of outermost tables.
struct Tables {
    spared: usize,
}

impl<'a> Visit<'a> for Tables {
    fn visit_expr_match(&mut self, table: &'a ExprMatch) {
        let is_row = |arm: &Arm| arm.body.span().start().line == arm.body.span().end().line;
        match table.arms.iter().all(is_row) {
            true => self.spared += within(table.span()),
            false => visit::visit_expr_match(self, table),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(text: &str) -> Vec<String> {
        let file = SourceFile::new("crates/a/src/a.rs", text);
        check(&[file]).into_iter().map(|complaint| complaint.message).collect()
    }

    #[test]
    fn a_function_of_60_lines_is_fine_and_one_more_is_not() {
        let function = |lines: usize| format!("fn f() {{\n{}}}\n", "    g();\n".repeat(lines));
        assert_eq!(complaints(&function(60)), [] as [&str; 0]);
        assert_eq!(complaints(&function(61)), ["`f` has more than 60 lines"]);
        assert_eq!(complaints(&format!("impl A {{ {} }}", function(61))).len(), 1);
        assert_eq!(complaints(&format!("#[cfg(test)] mod tests {{ {} }}", function(61))).len(), 0);
    }

    #[test]
    fn a_table_counts_as_a_line_and_a_match_with_blocks_does_not() {
        let table = format!("fn f() {{\nmatch x {{\n{}}}\n}}", "    1 => g(),\n".repeat(100));
        assert_eq!(complaints(&table), [] as [&str; 0]);
        let blocks = format!("fn f() {{\nmatch x {{\n{}}}\n}}", "    1 => {\n g() }\n".repeat(100));
        assert_eq!(complaints(&blocks), ["`f` has more than 60 lines"]);
    }

    #[test]
    fn parameters_have_types_that_mean_something() {
        let found = complaints("fn f(is_last: bool, thread: usize, count: usize) {}");
        assert_eq!(
            found,
            [
                "the parameter `is_last` of `f` should be an enum of two names",
                "the parameter `thread` of `f` should be a `ThreadId`"
            ]
        );
    }
}
