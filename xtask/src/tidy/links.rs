//! Rule: a relative link in a Markdown file leads to a file or directory that exists.
//!
//! Links in code, links with a scheme and links within the page are not looked at.

use std::path::{Component, Path, PathBuf};

use super::Complaint;
use crate::source_tree::SourceFile;

/// Complains about links to what does not exist, as `exists` says of paths from the root of the repository.
pub fn check(files: &[SourceFile], exists: impl Fn(&Path) -> bool) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.is_markdown()) {
        for (number, line) in prose(file) {
            for target in targets(&line) {
                let Some(path) = relative_path(target) else { continue };
                let found = resolve(&file.path, path);
                if !found.is_some_and(|found| exists(&found)) {
                    complaints.push(Complaint::at(file, number, format!("the link leads nowhere: {target}")));
                }
            }
        }
    }
    complaints
}

/// The lines outside of code blocks, without the code in them.
fn prose(file: &SourceFile) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    let mut fence: Option<&str> = None;
    for (number, line) in file.lines() {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => lines.push((number, without_code(line))),
            (Some(_), _) => {}
        }
    }
    lines
}

fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// What the inline links `[text](target "title")` and the definition `[name]: target` of a line lead to.
fn targets(line: &str) -> Vec<&str> {
    let inline = line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    let definition = line.trim_start().strip_prefix('[').and_then(|rest| rest.split_once("]: "));
    let definition = definition.filter(|(name, _)| !name.contains(']')).map(|(_, target)| target);
    inline.chain(definition).filter_map(first_word).collect()
}

fn first_word(target: &str) -> Option<&str> {
    target.split_whitespace().next().map(|word| word.trim_start_matches('<').trim_end_matches('>'))
}

/// The path of a link that leads to a file of the repository.
fn relative_path(target: &str) -> Option<&str> {
    let path = target.split(['#', '?']).next().unwrap_or_default();
    let has_scheme = path.split('/').next().is_some_and(|first| first.contains(':'));
    (!path.is_empty() && !has_scheme).then_some(path)
}

/// The path from the root of the repository, or nothing if the link leaves the repository.
fn resolve(from: &Path, link: &str) -> Option<PathBuf> {
    let start = match link.strip_prefix('/') {
        Some(_) => Path::new(""),
        None => from.parent().unwrap_or(Path::new("")),
    };
    let mut resolved = PathBuf::new();
    for component in start.join(link.trim_start_matches('/')).components() {
        match component {
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
            Component::ParentDir => {
                if !resolved.pop() {
                    return None;
                }
            }
            Component::Normal(name) => resolved.push(name),
        }
    }
    Some(resolved)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(text: &str) -> Vec<String> {
        let there = ["README.md", "docs/guide.md", "crates"];
        let exists = |path: &Path| there.iter().any(|known| path == Path::new(known));
        check(&[SourceFile::new("docs/index.md", text)], exists).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn links_to_what_exists_are_fine() {
        for text in [
            "[a](guide.md)",
            "[a](./guide.md#part) and ![b](../README.md \"title\")",
            "[a](/crates/)",
            "[a]: guide.md",
            "[a](https://example.org/x.md) [b](mailto:a@b.c) [c](#here)",
        ] {
            assert_eq!(complaints(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn links_that_lead_nowhere_are_not() {
        for link in ["missing.md", "../guide.md", "/index.md", "../../README.md", "missing.md#part"] {
            let expected = format!("docs/index.md:1: the link leads nowhere: {link}");
            assert_eq!(complaints(&format!("see [a](guide.md) and [b]({link})")), [expected.as_str()]);
            assert_eq!(complaints(&format!("[b]: {link}")), [expected.as_str()]);
        }
    }

    #[test]
    fn code_has_no_links() {
        assert_eq!(complaints("```rust\na[0](missing)\n```\n`a[0](missing)`\n"), [""; 0]);
        assert_eq!(complaints("```\n~~~\n```\n`x` [a](missing.md)\n").len(), 1);
    }
}
