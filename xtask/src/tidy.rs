//! The house rules, one file each. A rule looks at the files of the repository and returns complaints.

mod citations;
mod dependencies;
mod exceptions;
mod forbidden;
mod functions;
mod headers;
mod length;
mod links;
mod paper_tables;
mod printing;

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::source_tree::{self, SourceFile};

/// A broken rule, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The file.
    path: PathBuf,
    /// The line, counted from 1; nothing when it is about the whole file.
    line: Option<usize>,
    /// What is wrong and what to do.
    message: String,
}

impl Complaint {
    fn at(file: &SourceFile, line: usize, message: impl Into<String>) -> Self {
        Complaint { path: file.path.clone(), line: Some(line), message: message.into() }
    }

    fn about(path: impl Into<PathBuf>, message: impl Into<String>) -> Self {
        Complaint { path: path.into(), line: None, message: message.into() }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path.display(), self.message),
            None => write!(f, "{}: {}", self.path.display(), self.message),
        }
    }
}

/// Checks the house rules and prints what is wrong.
pub fn run(root: &Path) -> ExitCode {
    match complaints(root) {
        Ok(complaints) if complaints.is_empty() => {
            println!("tidy: all rules are kept");
            ExitCode::SUCCESS
        }
        Ok(complaints) => {
            for complaint in &complaints {
                eprintln!("{complaint}");
            }
            eprintln!("tidy: {} complaints", complaints.len());
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("tidy could not look at the repository: {error}");
            ExitCode::FAILURE
        }
    }
}

fn complaints(root: &Path) -> Result<Vec<Complaint>, Box<dyn std::error::Error>> {
    let files = source_tree::read(root)?;
    let mut complaints = dependencies::check(&dependencies::read(root)?);
    complaints.extend(headers::check(&files));
    complaints.extend(citations::check(&files));
    complaints.extend(forbidden::check(&files));
    complaints.extend(links::check(&files, |path| root.join(path).exists()));
    complaints.extend(length::check(&files));
    complaints.extend(exceptions::apply(functions::check(&files)));
    complaints.extend(paper_tables::check(&files));
    complaints.extend(printing::check(&files));
    Ok(complaints)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complaint_begins_with_its_place() {
        let file = SourceFile::new("crates/a/src/lib.rs", "");
        assert_eq!(Complaint::at(&file, 7, "no").to_string(), "crates/a/src/lib.rs:7: no");
        assert_eq!(Complaint::about("README.md", "no").to_string(), "README.md: no");
    }
}
