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

/// Programs of a million statements and elements: what takes long is done before any search begins.
#[test]
fn time_limits_hold_while_programs_are_prepared() {
    let statements = format!("shared x = 0;\nthread t {{\n{}}}\n", "x = 1;\n".repeat(1_000_000));
    let program = Scratch::holding("million.sel", &statements);
    for command in ["check", "prove"] {
        for format in ["text", "json"] {
            let ran = selvedge_with(&[command, program.path(), "--format", format, "--max-time", "0.1"]);
            assert_eq!(ran.code, 3, "{command}: {}{}", ran.stdout, ran.stderr);
            assert!(ran.stdout.contains("inconclusive"), "{}", ran.stdout);
        }
    }
    let c = format!("int x;\nint main(void) {{\n{}return 0;\n}}\n", "x = x + 1;\n".repeat(30_000));
    let program = Scratch::holding("long.c", &c);
    let arguments = ["check", program.path(), "--property", "unreach-call", "--max-time", "0.01"];
    let ran = selvedge_with(&arguments);
    assert_eq!((ran.code, ran.stdout.lines().last()), (3, Some("VERDICT: unknown")), "{}", ran.stderr);
}

#[test]
fn what_is_nested_too_deeply_is_refused_with_its_place() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(100_000), close.repeat(100_000));
    for (name, body, place) in [
        ("parentheses.sel", format!("x = {};", deep("(", ")")), ":2:"),
        ("branches.sel", deep("if x == 0 { ", "}"), ":2:"),
        ("loops.sel", deep("loop { ", "}"), ":2:"),
    ] {
        let program = Scratch::holding(name, &format!("shared x = 0;\nthread t {{ {body} }}\n"));
        for command in ["check", "prove"] {
            let ran = selvedge_with(&[command, program.path()]);
            assert_eq!(ran.code, 2, "{name}: {}", ran.stdout);
            assert!(ran.stderr.contains("levels of nesting") && ran.stderr.contains(place), "{}", ran.stderr);
        }
    }
}

/// The broken producers and consumers: the violation is near, and the schedules are many turns away.
#[test]
fn the_search_for_schedules_of_an_unsafe_program_ends_by_itself() {
    let text = "const N = 5;\nshared count = 0;\nmutex m;\n\
        thread producer[24] { loop { lock(m); assert(count < N); count++; unlock(m); } }\n\
        thread consumer[24] { loop { lock(m); assert(count > 0); count--; unlock(m); } }\n";
    let program = Scratch::holding("many-broken.sel", text);
    // No limit of time: what is counted ends it.
    let ran = selvedge_with(&["prove", program.path(), "-q"]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("unsafe: there are violations"), "{}", ran.stdout);
}
