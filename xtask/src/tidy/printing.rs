//! Rule: engines, front ends and algorithms do not print. They return what there is to say.

use super::Complaint;
use crate::source_tree::SourceFile;

/// What may print: the program, the libraries that speak to users through the output of tests, tests, and chores.
const MAY_PRINT: [&str; 6] = [
    "crates/selvedge",
    "crates/selvedge-cli",
    "crates/selvedge-loom",
    "crates/selvedge-shuttle",
    "crates/selvedge-testkit",
    "xtask",
];

/// The macros that print.
const PRINTING: [&str; 2] = [concat!("print", "!("), concat!("println", "!(")];

/// Complains about printing elsewhere.
pub fn check(files: &[SourceFile]) -> Vec<Complaint> {
    let is_checked = |file: &&SourceFile| {
        let is_source = file.is_rust() && file.path.iter().any(|folder| folder == "src");
        is_source && !MAY_PRINT.iter().any(|folder| file.path.starts_with(folder))
    };
    let mut complaints = Vec::new();
    for file in files.iter().filter(is_checked) {
        let code = file.lines().filter(|(_, line)| !line.trim_start().starts_with("//"));
        let found = code.filter(|(_, line)| PRINTING.iter().any(|printing| line.contains(printing)));
        let message = "only the command line and the Rust library print; return what there is to say";
        complaints.extend(found.map(|(number, _)| Complaint::at(file, number, message)));
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str) -> Vec<Option<usize>> {
        let text = format!("// {0}\n{0}\ne{0}\nlet x = 1;\n", concat!("println", "!(\"x\")"));
        check(&[SourceFile::new(path, &text)]).into_iter().map(|complaint| complaint.line).collect()
    }

    #[test]
    fn an_engine_does_not_print_and_the_command_line_does() {
        assert_eq!(lines("crates/selvedge-machine/src/run.rs"), [Some(2), Some(3)]);
        assert_eq!(lines("crates/selvedge-cli/src/output.rs"), []);
        assert_eq!(lines("crates/selvedge-machine/tests/run.rs"), []);
    }
}
