//! Rule: every Rust file opens with a `//!` header that says what it is.

use super::Complaint;
use crate::source_tree::SourceFile;

/// Complains about Rust files without a header.
pub fn check(files: &[SourceFile]) -> Vec<Complaint> {
    let headless = files.iter().filter(|file| file.is_rust() && !has_header(&file.text));
    headless
        .map(|file| Complaint::at(file, 1, "the file must begin with a `//!` header: what it is and why"))
        .collect()
}

fn has_header(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    first.strip_prefix("//!").is_some_and(|words| !words.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_a_header_is_fine() {
        assert_eq!(check(&[SourceFile::new("a.rs", "//! Threads.\nfn f() {}\n")]), []);
        assert_eq!(check(&[SourceFile::new("a.md", "# no Rust\n")]), []);
    }

    #[test]
    fn a_file_that_begins_otherwise_is_not() {
        for text in ["", "fn f() {}\n", "\n//! late\n", "// plain\n", "//!\n"] {
            assert_eq!(check(&[SourceFile::new("a.rs", text)]).len(), 1, "{text:?}");
        }
    }
}
