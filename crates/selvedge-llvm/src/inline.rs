//! Inline definitions of C: clang leaves them out, for the definition that counts is to be in another file. If there is no other file,
//! they are all there is.
//!
//! The text of LLVM IR does not tell them from functions that are only declared, so we look for them in the source.

use std::collections::BTreeSet;
use std::path::Path;

/// Whether a module in text form may lack a function that its source, if that is C, defines inline.
pub fn is_left_out(text: &str, source: &Path) -> bool {
    let is_c = source.extension().is_some_and(|extension| extension == "c" || extension == "i");
    is_c && std::fs::read(source).is_ok_and(|source| lacks_inline(text, &String::from_utf8_lossy(&source)))
}

fn lacks_inline(text: &str, source: &str) -> bool {
    let declared = functions(text, "declare ");
    inline_heads(source).any(|head| words(head).any(|word| declared.contains(word)))
}

/// Whether a module in text form defines all functions that another does, and more.
pub fn defines_more(text: &str, other: &str) -> bool {
    let (these, those) = (functions(text, "define "), functions(other, "define "));
    these.len() > those.len() && these.is_superset(&those)
}

/// The names of the functions on lines that begin with a word.
fn functions<'t>(text: &'t str, word: &str) -> BTreeSet<&'t str> {
    let lines = text.lines().filter(|line| line.starts_with(word));
    lines.filter_map(|line| line.split_once('@')?.1.split_once('(')).map(|(name, _)| name).collect()
}

/// What stands between each `inline` and the body of its function.
fn inline_heads(source: &str) -> impl Iterator<Item = &str> {
    let starts = source.match_indices("inline").map(|(at, _)| at);
    starts.filter_map(|at| {
        let rest = &source[at..];
        let end = rest.find(['{', ';'])?;
        let is_body = rest[end..].starts_with('{');
        // The definitions of the C library's headers are in its binary as well.
        (is_body && !rest[..end].contains("gnu_inline")).then_some(&rest[..end])
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inline_definition_that_is_only_declared_is_left_out() {
        let source = "inline int twice(int x) { return 2 * x; }\nint main(void) { return twice(1); }\n";
        assert!(lacks_inline("declare i32 @twice(i32) #1\n", source));
        assert!(!lacks_inline("define i32 @twice(i32 %0) {\n", source));
        assert!(!lacks_inline("declare i32 @twice(i32)\n", "inline int twice(int x);\n"));
    }

    #[test]
    fn another_module_must_lack_nothing() {
        let (f, g) = ("define i32 @f(i32 %0) {\n}\n", "define void @g() {\n}\n");
        assert!(defines_more(&format!("{f}{g}"), f));
        assert!(!defines_more(g, f));
        assert!(!defines_more(f, f));
    }
}
