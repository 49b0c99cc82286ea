//! Rule: every paper that is cited is in the bibliography, and every entry of the bibliography is cited.
//!
//! A citation is a key in square brackets: letters, the first one a capital, and a year, perhaps with a small
//! letter; a comma and a place in the paper may follow the key. An entry of `BIBLIOGRAPHY.md` has its key in brackets between double asterisks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::Complaint;
use crate::source_tree::SourceFile;

const BIBLIOGRAPHY: &str = "BIBLIOGRAPHY.md";

/// Complains about citations without entry, entries without citation, and entries that occur twice.
pub fn check(files: &[SourceFile]) -> Vec<Complaint> {
    let (bibliography, others): (Vec<&SourceFile>, Vec<&SourceFile>) =
        files.iter().partition(|file| file.path == Path::new(BIBLIOGRAPHY));
    let mut complaints = Vec::new();
    let mut entries = BTreeMap::new();
    for file in bibliography {
        for (number, line) in file.lines() {
            for key in keys(line).filter(|key| line.contains(&format!("**[{key}]**"))) {
                if entries
                    .insert(key, Complaint::at(file, number, format!("[{key}] is never cited")))
                    .is_some()
                {
                    complaints.push(Complaint::at(file, number, format!("[{key}] has two entries")));
                }
            }
        }
    }
    let mut cited = BTreeSet::new();
    for file in others {
        for (number, line) in file.lines() {
            for key in keys(line) {
                cited.insert(key);
                if !entries.contains_key(key) {
                    complaints.push(Complaint::at(file, number, format!("[{key}] is not in {BIBLIOGRAPHY}")));
                }
            }
        }
    }
    complaints
        .extend(entries.into_iter().filter(|(key, _)| !cited.contains(key)).map(|(_, complaint)| complaint));
    complaints
}

/// The keys in square brackets of a line.
fn keys(line: &str) -> impl Iterator<Item = &str> {
    line.split('[')
        .skip(1)
        .filter_map(|rest| rest.split_once(']'))
        .map(|(cited, _)| cited.split_once(',').map_or(cited, |(key, _)| key))
        .filter(|key| is_key(key))
}

/// Whether this is a capital, letters, a year of this century or the last one, and perhaps a small letter.
fn is_key(key: &str) -> bool {
    let key = match key.as_bytes() {
        [rest @ .., last] if last.is_ascii_lowercase() => rest,
        all => all,
    };
    let Some((name, year)) = key.split_last_chunk::<4>() else { return false };
    let is_name = name.len() >= 2 && name[0].is_ascii_uppercase() && name.iter().all(u8::is_ascii_alphabetic);
    is_name && matches!(&year[..2], b"19" | b"20") && year.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A citation, put together here so that this file cites nothing.
    fn cite(key: &str) -> String {
        format!("[{key}]")
    }

    fn complaints(code: &str, bibliography: &str) -> Vec<String> {
        let files = [SourceFile::new("BIBLIOGRAPHY.md", bibliography), SourceFile::new("a.rs", code)];
        check(&files).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn keys_are_letters_and_a_year() {
        for key in ["AbdullaAJS2014", "Mazurkiewicz1987", "Foo2014b"] {
            assert!(is_key(key), "{key}");
        }
        for text in ["", "2014", "F2014", "foo2014", "Foo1814", "Foo201", "Foo2014bc", "Foo 2014", "Foo2014B"]
        {
            assert!(!is_key(text), "{text}");
        }
    }

    #[test]
    fn all_keys_of_a_line_are_found() {
        let line = format!("see {}, a[0] and {}{}", cite("Foo2014"), cite("Bar1999a"), cite("x"));
        assert_eq!(keys(&line).collect::<Vec<_>>(), ["Foo2014", "Bar1999a"]);
        assert_eq!(keys(&format!("#[{}", cite("Foo2014"))).collect::<Vec<_>>(), ["Foo2014"]);
    }

    #[test]
    fn a_cited_entry_is_fine() {
        let entry = format!("- **{}** A. Foo: On Things.", cite("Foo2014"));
        assert_eq!(complaints(&cite("Foo2014"), &entry), [""; 0]);
    }

    #[test]
    fn a_citation_without_entry_is_not() {
        let found = complaints(&format!("//! A.\n//! {}", cite("Foo2014")), "no entry");
        assert_eq!(found, [format!("a.rs:2: {} is not in BIBLIOGRAPHY.md", cite("Foo2014"))]);
    }

    #[test]
    fn an_entry_without_citation_is_not() {
        let entry = format!("\n**{}** A. Foo.", cite("Foo2014"));
        assert_eq!(
            complaints("", &entry),
            [format!("BIBLIOGRAPHY.md:2: {} is never cited", cite("Foo2014"))]
        );
    }

    #[test]
    fn an_entry_that_occurs_twice_is_not() {
        let entry = format!("**{}** A. Foo.\n", cite("Foo2014"));
        let found = complaints(&cite("Foo2014"), &entry.repeat(2));
        assert_eq!(found, [format!("BIBLIOGRAPHY.md:2: {} has two entries", cite("Foo2014"))]);
    }
}
