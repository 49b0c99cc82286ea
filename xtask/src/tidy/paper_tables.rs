//! Rule: what the last column of a table *paper | here* names exists.
//!
//! A table at the head of a file leads from the paper's symbols to our code; a name that has gone leads nowhere. So each identifier in
//! backticks there must be a word in the code of its crate.

use std::collections::{HashMap, HashSet};

use super::Complaint;
use crate::source_tree::SourceFile;

/// Complains about names in tables that are no words of the crate's code.
pub fn check(files: &[SourceFile]) -> Vec<Complaint> {
    let mut words: HashMap<String, HashSet<&str>> = HashMap::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        let code = file.lines().map(|(_, line)| line).filter(|line| !line.trim_start().starts_with("//"));
        words.entry(crate_of(file)).or_default().extend(code.flat_map(identifiers));
    }
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        let known = &words[&crate_of(file)];
        for (number, line) in file.lines() {
            let missing = named(line).filter(|name| !known.contains(name));
            let message =
                |name: &str| format!("the table names `{name}`, which is nowhere in the code of this crate");
            complaints.extend(missing.map(|name| Complaint::at(file, number, message(name))));
        }
    }
    complaints
}

fn crate_of(file: &SourceFile) -> String {
    file.path.iter().take(2).map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The identifiers in backticks in the last column of a row. Those of one or two letters are the paper's; crates, commands and files have other
/// rules.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let row = line.strip_prefix("//! |").and_then(|row| row.strip_suffix('|')).unwrap_or_default();
    let column = row.rsplit(" | ").next().unwrap_or_default();
    let is_code = |quoted: &&str| !quoted.starts_with("selvedge") && !quoted.ends_with(".rs");
    let quoted = column.split('`').skip(1).step_by(2).filter(is_code);
    quoted.flat_map(identifiers).filter(|word| word.len() > 2 && word.starts_with(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_has_gone_is_found_and_others_are_not() {
        let file = "//! | paper | here |\n//! |---|---|\n//! | `E` | `Gone::at`, before `here.x` |\nlet here = at;\n";
        let found: Vec<_> =
            check(&[SourceFile::new("crates/a/src/a.rs", file)]).into_iter().map(|c| c.to_string()).collect();
        assert_eq!(
            found,
            ["crates/a/src/a.rs:3: the table names `Gone`, which is nowhere in the code of this crate"]
        );
    }
}
