//! dlang: what statements become in the IR, and what the compiler says about wrong programs.
//!
//! Refresh the expected output with `UPDATE_EXPECT=1 cargo test -p selvedge-lang --test dlang`.

use std::fmt::Write;

use expect_test::{Expect, expect};
use selvedge_ir::Span;

const DECLARATIONS: &str = "x 1, a 4, local v 1 3, local l 2 5, const c 1 7, const d 3 1 2 3, table 128";

/// Compiles the body of a process and compares its code in the text form of the IR, without spans.
fn lowers(body: &str, expected: &Expect) {
    let text = format!("<1, {DECLARATIONS}> [{body}]");
    let program = match selvedge_lang::compile_dlang("test.d", &text) {
        Ok(program) => program,
        Err(errors) => panic!("{errors:#?}"),
    };
    assert_eq!(selvedge_ir::check::check(&program), Ok(()));
    let printed = selvedge_ir::print::print(&program);
    let lines = printed.lines().map(|line| line.split(" ; ").next().unwrap_or(line).trim_end());
    let code = lines.skip_while(|line| !line.starts_with("function @p0(")).skip(1);
    let code: Vec<&str> = code.take_while(|line| *line != "}").collect();
    expected.assert_eq(&(code.join("\n") + "\n"));
}

/// Compiles a wrong program and compares place, message, label, help and notes of each diagnostic.
fn refuses(text: &str, expected: &Expect) {
    let place = |span: Span| {
        let (line, column) = span.line_column(text);
        format!("{line}:{column} `{}`", span.text(text))
    };
    let mut output = String::new();
    for error in selvedge_lang::compile_dlang("test.d", text).expect_err("the program is wrong") {
        writeln!(output, "{}: {} ({})", place(error.span), error.message, error.label).expect("a string");
        if let Some(help) = error.help {
            writeln!(output, "  help: {help}").expect("a string");
        }
        for (span, note) in error.notes {
            writeln!(output, "  note: {} {note}", place(span)).expect("a string");
        }
    }
    expected.assert_eq(&output);
}

#[test]
fn an_assignment_is_one_instruction_and_constants_are_folded() {
    lowers(
        "a[c - 4] := a[x] + x * c a[1 + 1] := d[1] + d[x]",
        &expect![[r#"
          array $d: int[] = [1, 2, 3]
        b0:
          @a[3] = (@a[@x] + @x) * 7
          @a[2] = 2 + $d[@x]
          return
    "#]],
    );
}

#[test]
fn local_variables_begin_with_their_values() {
    lowers(
        "v := v + 1 l[v] := x",
        &expect![[r#"
          register %v: int
          array $l: int[] = [5, 0]
        b0:
          %v = 3
          %v = %v + 1
          $l[%v] = @x
          return
    "#]],
    );
}

#[test]
fn a_condition_without_branches_is_a_read() {
    lowers(
        "if x == 0 if a[1] < v",
        &expect![[r#"
          register %%outcome: bool
          register %v: int
        b0:
          %v = 3
          %%outcome = @x == 0
          %%outcome = @a[1] < %v
          return
    "#]],
    );
}

#[test]
fn conditionals_and_loops_branch() {
    lowers(
        "while v < 5 { if x > 0 then { v := 5 } else { v := v + 1 } }",
        &expect![[r#"
          register %v: int
        b0:
          %v = 3
          goto b1
        b1:
          branch %v < 5, b2, b3
        b2:
          branch @x > 0, b4, b5
        b3:
          return
        b4:
          %v = 5
          goto b6
        b5:
          %v = %v + 1
          goto b6
        b6:
          goto b1
    "#]],
    );
}

#[test]
fn a_remainder_has_the_sign_of_its_divisor() {
    lowers(
        "a[v - 1 % c] := 0 - 1 % 4 v := x / 2 v := 1 % 0",
        &expect![[r#"
          register %v: int
        b0:
          %v = 3
          @a[(((%v - 1) % 7) + 7) % 7] = 3
          %v = @x / 2
          %v = ((1 % 0) + 0) % 0
          return
    "#]],
    );
}

#[test]
fn comp_swap_is_one_instruction() {
    lowers(
        "comp-swap(a[v], x, x + 1) cas(v, 3, 4)",
        &expect![[r#"
          register %v: int
        b0:
          %v = 3
          cmpxchg @a[%v], @x, @x + 1
          %v = select(%v == 3, 4, %v)
          return
    "#]],
    );
}

#[test]
fn a_length_of_one_may_be_used_with_an_index() {
    lowers(
        "x[v - 3] := v[0] + x",
        &expect![[r#"
          array $v: int[] = [3]
        b0:
          @x[$v[0] - 3] = $v[0] + @x[0]
          return
    "#]],
    );
}

#[test]
fn the_indexer_is_a_loop_with_one_visible_instruction() {
    let text = "<2, const max 1 4, const size 1 128, local m 1, local w 1, local h 1, table 128>
        [table[0] := 1] [indexer(max=max, size=size, m=m, w=w, h=h, target=table[h], nprocs=11)]";
    let program = selvedge_lang::compile_dlang("test.d", text).expect("it compiles");
    let printed = selvedge_ir::print::print(&program);
    let code: Vec<&str> = printed.lines().map(|line| line.split(" ; ").next().unwrap_or(line)).collect();
    let start = code.iter().position(|line| line.starts_with("function @p1")).expect("there are two");
    expect![[r#"
        function @p1() {
          register %m: int
          register %w: int
          register %h: int
          register %%outcome: bool
        b0:
          goto b1
        b1:
          branch %m < 4, b2, b5
        b2:
          %m = %m + 1
          %w = (%m * 11) + 1
          %h = (%w * 7) % 128
          goto b3
        b3:
          %%outcome = cmpxchg @table[%h], 0, %w
          branch %%outcome, b1, b4
        b4:
          %h = (%h + 1) % 128
          goto b3
        b5:
          return
        }
        family @p0 runs @p0 at once
        family @p1 runs @p1 at once
    "#]]
    .assert_eq(&(code[start..].join("\n") + "\n"));
}

#[test]
fn unknown_names_are_explained() {
    refuses(
        "<1, count 1> [cuont := 1 zebra := count-1 count := zebra-1]",
        &expect![[r#"
            1:15 `cuont`: `cuont` is not declared (not found)
              help: did you mean `count`?
            1:26 `zebra`: `zebra` is not declared (not found)
              help: declare it: `<…, zebra 1>` for a single value
            1:35 `count-1`: `count-1` is not declared (not found)
              help: names may contain `-`; a difference is written `count - 1`
            1:52 `zebra-1`: `zebra-1` is not declared (not found)
              help: declare it: `<…, zebra-1 1>` for a single value
        "#]],
    );
}

#[test]
fn declarations_are_checked() {
    let text = "<3, x 1, x 2, y 0, z 2 1 2 3, local big 999999999, const c 1 4>
        [c := 1 z := 2 y := 1]";
    refuses(
        text,
        &expect![[r#"
        1:2 `3`: 3 processes are announced, but there are 1 (should be 1)
        1:10 `x`: `x` is declared twice (declared again here)
          note: 1:5 `x` first declared here
        1:17 `0`: the length of `y` must be from 1 to 16000000 (this is 0)
        1:28 `3`: 3 initial values for `z`, whose length is 2 (one too many)
          note: 1:22 `2` its length
        1:41 `999999999`: the length of `big` must be from 1 to 65536 (this is 999999999)
        2:10 `c`: `c` is a constant (cannot be written)
          note: 1:58 `c` declared here
        2:17 `z`: `z` has 2 elements (which of them?)
          help: the first is `z[0]`
          note: 1:20 `z` declared here
    "#]],
    );
}

#[test]
fn a_mistake_in_a_repetition_is_reported_where_it_is_written() {
    refuses(
        "<3, a 3>\n<{3\n  [a[$] := b$ + a]\n}>",
        &expect![[r#"
        3:12 `b$`: `b0` is not declared (not found)
          help: declare it: `<…, b0 1>` for a single value
        3:17 `a`: `a` has 3 elements (which of them?)
          help: the first is `a[0]`
          note: 1:5 `a` declared here
    "#]],
    );
}

#[test]
fn the_arguments_of_the_indexer_are_checked() {
    let text = "<1, max 1, local size 1, m 1, local w 2, const h 1, local t 8>
        [indexer(max, size, m, w, h, t[0], 11)]";
    refuses(
        text,
        &expect![[r#"
        2:18 `max`: `max` must be `const` or `local` here: the bounds of `indexer` do not change (not this)
          note: 1:5 `max` declared here
        2:29 `m`: `m` must be a single `local` variable here: each process has its own (not this)
          note: 1:26 `m` declared here
        2:32 `w`: `w` has 2 elements (which of them?)
          help: the first is `w[0]`
          note: 1:37 `w` declared here
        2:35 `h`: `h` is a constant (cannot be written)
          note: 1:48 `h` declared here
        2:38 `t`: `t` must be shared here: it is the table of all processes (not this)
          note: 1:59 `t` declared here
    "#]],
    );
    refuses(
        "<1, x 1> [indexer(max=x, m=x)]",
        &expect![[r#"
        1:26 `m`: expected the argument `size`, found `m` (expected the argument `size`)
    "#]],
    );
}

#[test]
fn habits_of_other_languages_are_explained() {
    refuses(
        "<1, x 1> [x = 1 x := -1 if x == 1 { x := 2 } x := 3;]",
        &expect![[r#"
            1:13 `=`: assignments are written `:=` (write `:=`)
            1:22 `-`: there are no negative numbers (a sign)
              help: write `0 - …` in parentheses
            1:35 `{`: expected `then` before the block, found `{` (expected `then` before the block)
            1:52 `;`: `;` has no meaning here (unknown character)
        "#]],
    );
}

#[test]
fn then_needs_a_block_and_a_block_a_statement() {
    refuses(
        "<1, x 1> [if x == 0 then x := 1]",
        &expect![[r#"
        1:26 `x`: expected `{` and a block, found `x` (expected `{` and a block)
    "#]],
    );
    refuses(
        "<2, x 1> [if x == 0 then { }] []",
        &expect![[r#"
        1:28 `}`: expected a statement, found `}` (expected a statement)
        1:32 `]`: expected a statement, found `]` (expected a statement)
    "#]],
    );
}

#[test]
fn huge_repetitions_are_refused() {
    refuses(
        "<1, x 1> <{1000000000 [x := $] }>",
        &expect![[r#"
        1:10 `<{1000000000 [x := $] }>`: with all repetitions the text has at most 4194304 bytes (too many repetitions)
    "#]],
    );
    refuses(
        "<200000, x 1> <{200000 [x:=1]}>",
        &expect![[r#"
        1:2 `200000`: a program has at most 20000 processes (there are 200000)
    "#]],
    );
    let locals: String = (0..300).map(|i| format!(", local b{i} 65536")).collect();
    let uses: String = (0..300).map(|i| format!("b{i}[0] := 1 ")).collect();
    let errors =
        selvedge_lang::compile_dlang("test.d", &format!("<1{locals}> [{uses}]")).expect_err("too many");
    assert!(errors[0].message.contains("16000000 elements"), "{errors:?}");
}

#[test]
fn remainders_in_divisors_are_limited() {
    let divisor = format!("{}x{}", "(x % ".repeat(12), ")".repeat(12));
    refuses(
        &format!("<1, x 1> [x := {divisor}]"),
        &expect![[r#"
            1:36 `(x % (x % (x % (x % (x % (x % (x % (x % x))))))))`: the divisors of this statement are too large (too many operators)
              help: compute them in assignments to `local` variables
        "#]],
    );
}

#[test]
fn programs_at_the_limits_fit_on_the_stack() {
    let chain = format!("x := 1{}", " % x".repeat(60));
    let sum = format!("x := 1{}", " + x".repeat(190));
    let parentheses = format!("x := {}x{}", "(1 + a[".repeat(30), "])".repeat(30));
    let blocks = format!("{}x := 1{}", "while x < 1 {".repeat(60), "}".repeat(60));
    for body in [chain, sum, parentheses, blocks] {
        let program = selvedge_lang::compile_dlang("t.d", &format!("<1, x 1, a 3> [{body}]"));
        let program = program.unwrap_or_else(|errors| panic!("{body}: {errors:?}"));
        assert_eq!(selvedge_ir::check::check(&program), Ok(()));
    }
}
