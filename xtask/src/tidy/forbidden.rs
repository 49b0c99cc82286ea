//! Rule: nothing unfinished, no debugging output and no switched-off test is committed.

use super::Complaint;
use crate::source_tree::SourceFile;

/// What must not occur in a Rust file, and why. Written in pieces, so that this file keeps the rule too.
const FORBIDDEN: [(&str, &str); 4] = [
    (concat!("#[", "ignore"), "a test that does not run proves nothing; mend it or delete it"),
    (concat!("todo", "!("), "finish it, or return an error that says it is unsupported"),
    (concat!("unimplemented", "!("), "finish it, or return an error that says it is unsupported"),
    (concat!("dbg", "!("), "debugging output is not committed"),
];

/// Complains about each line with something forbidden.
pub fn check(files: &[SourceFile]) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        for (number, line) in file.lines() {
            let found = FORBIDDEN.iter().filter(|(needle, _)| line.contains(needle));
            complaints
                .extend(found.map(|(needle, why)| Complaint::at(file, number, format!("`{needle}`: {why}"))));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_forbidden_thing_is_found_on_its_line() {
        for (needle, _) in FORBIDDEN {
            let complaints = check(&[SourceFile::new("a.rs", &format!("//! A.\n  {needle}\n"))]);
            assert_eq!(complaints.len(), 1, "{needle}");
            assert_eq!(complaints[0].line, Some(2));
        }
    }

    #[test]
    fn this_file_keeps_the_rule() {
        assert_eq!(check(&[SourceFile::new("forbidden.rs", include_str!("forbidden.rs"))]), []);
    }
}
