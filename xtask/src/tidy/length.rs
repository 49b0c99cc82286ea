//! Rule: no Rust file is longer than 800 lines; a file is a room, not a warehouse.

use super::Complaint;
use crate::source_tree::SourceFile;

const MOST_LINES: usize = 800;

/// Complains about long Rust files.
pub fn check(files: &[SourceFile]) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        let lines = file.text.lines().count();
        if lines > MOST_LINES {
            let message = format!("{lines} lines; split the file, {MOST_LINES} is the most");
            complaints.push(Complaint::about(&file.path, message));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_800_lines_is_fine_and_one_more_is_not() {
        assert_eq!(check(&[SourceFile::new("a.rs", &"\n".repeat(800))]), []);
        assert_eq!(check(&[SourceFile::new("a.rs", &"\n".repeat(801))]).len(), 1);
    }

    #[test]
    fn only_rust_is_measured() {
        assert_eq!(check(&[SourceFile::new("a.md", &"\n".repeat(801))]), []);
    }
}
