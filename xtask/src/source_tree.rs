//! The text files of the repository that the house rules are about, read once.
//!
//! Build output and hidden directories are left out; the order is that of the paths.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A file and its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The path from the root of the repository.
    pub path: PathBuf,
    /// The content.
    pub text: String,
}

impl SourceFile {
    /// A file that exists only in a test.
    #[cfg(test)]
    pub fn new(path: &str, text: &str) -> Self {
        SourceFile { path: path.into(), text: text.into() }
    }

    /// Whether it is a Rust file.
    pub fn is_rust(&self) -> bool {
        self.path.extension().is_some_and(|extension| extension == "rs")
    }

    /// Whether it is a Markdown file.
    pub fn is_markdown(&self) -> bool {
        self.path.extension().is_some_and(|extension| extension == "md")
    }

    /// The lines, numbered from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(position, line)| (position + 1, line))
    }
}

/// Reads the Rust files under `crates` and `xtask`, and all Markdown files.
///
/// # Errors
/// When a directory or file cannot be read; the message names it.
pub fn read(root: &Path) -> io::Result<Vec<SourceFile>> {
    let mut files = Vec::new();
    let mut todo = vec![PathBuf::new()];
    while let Some(directory) = todo.pop() {
        let full = root.join(&directory);
        for entry in fs::read_dir(&full).map_err(|error| named(&full, &error))? {
            let entry = entry?;
            let path = directory.join(entry.file_name());
            let kind = entry.file_type()?;
            if kind.is_dir() && is_source(&path) {
                todo.push(path);
            } else if kind.is_file() && is_checked(&path) {
                let full = root.join(&path);
                let text = fs::read_to_string(&full).map_err(|error| named(&full, &error))?;
                files.push(SourceFile { path, text });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Whether a directory may hold sources.
fn is_source(directory: &Path) -> bool {
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    !name.starts_with('.') && name != "target"
}

fn is_checked(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    extension == "md" || (extension == "rs" && (path.starts_with("crates") || path.starts_with("xtask")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_output_and_hidden_directories_are_left_out() {
        assert!(is_source(Path::new("crates/selvedge-ir")));
        assert!(!is_source(Path::new("target")));
        assert!(!is_source(Path::new(".git")));
    }

    #[test]
    fn rust_files_count_only_where_our_code_is() {
        assert!(is_checked(Path::new("crates/a/src/lib.rs")));
        assert!(is_checked(Path::new("docs/guide.md")));
        assert!(!is_checked(Path::new("benches/made_up.rs")));
        assert!(!is_checked(Path::new("Cargo.toml")));
    }

    #[test]
    fn the_tree_of_this_repository_has_this_file() {
        let root = crate::root();
        let files = read(&root).expect("the repository can be read");
        assert!(files.iter().any(|file| file.path == Path::new("xtask/src/source_tree.rs")));
        assert!(files.is_sorted_by(|a, b| a.path < b.path));
    }
}
