//! Bad input and bad usage: exit code 2 and an explanation on standard error.

use crate::{Scratch, selvedge, selvedge_with};
use expect_test::expect;

/// What a refused command says.
fn refused(arguments: &[&str]) -> String {
    let ran = selvedge_with(arguments);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    ran.stderr.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[test]
fn all_mistakes_of_a_program_are_shown() {
    let text = "shared x = 0;\nthread t { y = 1; x = zz; }\nthread u { lock(x); }\n";
    let program = Scratch::holding("mistakes.sel", text);
    expect![[r#"
        Error: `y` is not declared
           ╭─[ SCRATCH:2:12 ]
           │
         2 │ thread t { y = 1; x = zz; }
           │            ┬
           │            ╰── not found
           │
           │ Help: declare it: `let y = …;` for this thread, `shared y = …;` for all
        ───╯
        Error: `zz` is not declared
           ╭─[ SCRATCH:2:23 ]
           │
         2 │ thread t { y = 1; x = zz; }
           │                       ─┬
           │                        ╰── not found
           │
           │ Help: declare it: `let zz = …;` for this thread, `shared zz = …;` for all
        ───╯
        Error: `lock` needs a mutex, `x` is a shared variable
           ╭─[ SCRATCH:3:17 ]
           │
         1 │ shared x = 0;
           │        ┬
           │        ╰── declared here
           │
         3 │ thread u { lock(x); }
           │                 ┬
           │                 ╰── not a mutex
        ───╯
        3 errors in SCRATCH
    "#]]
    .assert_eq(&program.hidden_in(&refused(&["check", program.path()])));
}

#[test]
fn mistakes_at_the_edges_of_a_text_are_shown() {
    for text in ["", "\n", "thread é", "thread t {\n", "shared x = 0;\r\nthread t { x = \r\n", "/*\u{2028}é"]
    {
        let program = Scratch::holding("edges.sel", text);
        let told = refused(&["check", program.path(), "-D", "M=1"]);
        assert!(told.contains("Error: ") && told.contains("in "), "{text:?}: {told}");
    }
}

#[test]
fn a_missing_file_is_named() {
    let told = refused(&["check", "examples/nothing.sel"]);
    assert!(told.starts_with("error: cannot read `examples/nothing.sel`: "), "{told}");
}

#[test]
fn a_directory_is_no_program() {
    let told = refused(&["check", "examples"]);
    assert!(told.contains("(.sel), in dlang (.d), in C and C++"), "{told}");
}

#[test]
fn bytes_that_are_no_text_are_no_program() {
    let program = Scratch::new("bytes.sel");
    std::fs::write(&program.0, [0xff, 0xfe, 0x00]).expect("the file can be written");
    let told = program.hidden_in(&refused(&["check", program.path()]));
    assert!(told.starts_with("error: cannot read `SCRATCH`: "), "{told}");
}

#[test]
fn an_unknown_algorithm_lists_the_known_ones() {
    expect![[r#"
        error: invalid value 'best' for '--algorithm <ALGORITHM>'
          [possible values: exhaustive, sleep, dpor-no-sleep, dpor, source, eager, eager-short, eager-adaptive, lazy, lazy-stateful, optimal, observers, nidhugg, naive-bounded, classic-bounded, nidhugg-bounded, source-bounded, lazy-bounded, data-centric, value-centric, random, pct, pos, urw, auto]

        For more information, try '--help'.
    "#]]
    .assert_eq(&refused(&["check", "examples/peterson.sel", "--algorithm", "best"]));
}

#[test]
fn a_define_must_be_a_name_and_an_integer() {
    let told = refused(&["check", "examples/peterson.sel", "-D", "N"]);
    assert!(told.contains("write NAME=VALUE, as in N=20"), "{told}");
    let told = refused(&["check", "examples/readers_writers.sel", "-D", "N=many"]);
    assert!(told.contains("`many` is no integer of 64 bits"), "{told}");
}

#[test]
fn a_define_of_no_constant_lists_the_constants() {
    let told = refused(&["check", "examples/readers_writers.sel", "-D", "M=3"]);
    assert!(told.contains("`M`") && told.contains("`N`"), "{told}");
    assert!(told.ends_with("1 error in examples/readers_writers.sel\n"), "{told}");
}

#[test]
fn limits_must_be_positive() {
    for limit in ["--max-executions=0", "--max-time=0", "--max-time=-1", "--max-depth=0"] {
        let told = refused(&["check", "examples/peterson.sel", limit]);
        assert!(told.contains("invalid value"), "{limit}: {told}");
    }
}

#[test]
fn a_trace_that_cannot_be_written_is_an_error() {
    let ran = selvedge("check examples/bank_account.sel --save-trace examples/no/such/place");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.starts_with("error: cannot write `examples/no/such/place`: "), "{}", ran.stderr);
}

#[test]
fn help_teaches_algorithms_and_exit_codes() {
    let ran = selvedge("check --help");
    assert_eq!(ran.code, 0);
    for taught in ["Source-DPOR: each trace once", "Exit codes:", "inconclusive", "Examples:"] {
        assert!(ran.stdout.contains(taught), "{taught}");
    }
}
