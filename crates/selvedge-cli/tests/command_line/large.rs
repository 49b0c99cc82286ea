//! Large programs: they are explored, or a limit is named; time limits hold.

use crate::{Scratch, selvedge_with};

/// A chain of so many `else if`.
fn chain(length: usize) -> String {
    let links = (0..length).map(|i| format!(" else if (x == {i}) {{ x = {i}; }}\n"));
    format!("shared x = 0;\nthread t {{\n if (x == -1) {{ x = 1; }}\n{}}}\n", links.collect::<String>())
}

#[test]
fn long_programs_take_no_time_that_grows_with_the_square_of_their_length() {
    let statements = format!("shared x = 0;\nthread t {{\n{}}}\n", "x = 1;\n".repeat(60_000));
    for (name, text) in [("chain.sel", chain(100_000)), ("statements.sel", statements)] {
        let program = Scratch::holding(name, &text);
        let ran = selvedge_with(&["check", program.path(), "-q", "--max-time", "60"]);
        assert!(matches!(ran.code, 0 | 3), "{name}: {}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn a_limit_on_threads_is_named_and_below_it_time_limits_hold() {
    let program = Scratch::holding("too-many.sel", "shared x = 0;\nthread t[100000] { x = 1; }\n");
    for command in ["check", "prove"] {
        let ran = selvedge_with(&[command, program.path()]);
        assert_eq!(ran.code, 2, "{}", ran.stdout);
        assert!(
            ran.stderr.contains("the number of threads of a program can be at most 20000"),
            "{}",
            ran.stderr
        );
    }
    let program = Scratch::holding("many.sel", "shared x = 0;\nthread t[20000] { x = 1; }\n");
    for command in ["check", "prove"] {
        let ran = selvedge_with(&[command, program.path(), "-q", "--max-time", "1"]);
        assert_eq!(ran.code, 3, "{command}: {}{}", ran.stdout, ran.stderr);
        assert!(
            ran.stdout.starts_with("inconclusive") || ran.stdout.contains("\ninconclusive"),
            "{}",
            ran.stdout
        );
    }
}
