//! What the compiler says about wrong programs: place, message, label, help and notes of each diagnostic.
//!
//! Refresh the expected output with `UPDATE_EXPECT=1 cargo test -p selvedge-lang --test diagnostics`.

use std::collections::BTreeMap;
use std::fmt::Write;

use expect_test::{Expect, expect};
use selvedge_ir::Span;

fn render(text: &str) -> String {
    let place = |span: Span| {
        let (line, column) = span.line_column(text);
        format!("{line}:{column} `{}`", span.text(text))
    };
    let mut output = String::new();
    let errors =
        selvedge_lang::compile("test.sel", text, &BTreeMap::new()).expect_err("the program is wrong");
    for error in errors {
        writeln!(output, "{}: {} ({})", place(error.span), error.message, error.label).expect("a string");
        if let Some(help) = error.help {
            writeln!(output, "  help: {help}").expect("a string");
        }
        for (span, note) in error.notes {
            writeln!(output, "  note: {} {note}", place(span)).expect("a string");
        }
    }
    output
}

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&render(text));
}

#[test]
fn an_unknown_name_gets_a_suggestion() {
    let text = "shared count = 0;\n\
                thread t { cuont = 1; }";
    check(
        text,
        &expect![[r#"
        2:12 `cuont`: `cuont` is not declared (not found)
          help: did you mean `count`?
    "#]],
    );
}

#[test]
fn an_unknown_name_without_neighbour_gets_a_declaration() {
    let text = "thread t { let v = zebra + 1; }";
    check(
        text,
        &expect![[r#"
        1:20 `zebra`: `zebra` is not declared (not found)
          help: declare it: `let zebra = …;` for this thread, `shared zebra = …;` for all
    "#]],
    );
}

#[test]
fn a_name_is_declared_once() {
    let text = "shared x = 0;\n\
                mutex x;";
    check(
        text,
        &expect![[r#"
        2:7 `x`: `x` is declared twice (declared again here)
          note: 1:8 `x` first declared here
    "#]],
    );
}

#[test]
fn a_local_name_is_declared_once_per_block() {
    let text = "thread t { let v = 1; { let v = 2; } let v = 3; }";
    check(
        text,
        &expect![[r#"
        1:42 `v`: `v` is declared twice in this block (declared again here)
          help: choose another name
          note: 1:16 `v` first declared here
    "#]],
    );
}

#[test]
fn there_is_one_finally() {
    let text = "finally { skip; }\n\
                finally { skip; }";
    check(
        text,
        &expect![[r#"
        2:1 `finally`: there are two `finally` (the second one)
          help: put the statements of both into one
          note: 1:1 `finally` the first one
    "#]],
    );
}

#[test]
fn words_of_the_language_cannot_be_declared() {
    let text = "shared lock = 0;\n\
                thread atomic { skip; }";
    check(
        text,
        &expect![[r#"
        1:8 `lock`: `lock` is a word of the language (cannot be declared)
          help: choose another name
        2:8 `atomic`: `atomic` is a word of the language (cannot be declared)
          help: choose another name
    "#]],
    );
}

#[test]
fn an_unknown_function_gets_a_suggestion() {
    let text = "fn max(a, b) { return a; }\n\
                thread t { let v = mx(1, 2); lok(3); }";
    check(
        text,
        &expect![[r#"
        2:20 `mx`: there is no function `mx` (not a function)
          help: did you mean `max`?
        2:30 `lok`: there is no function `lok` (not a function)
          help: did you mean `lock`?
    "#]],
    );
}

#[test]
fn a_mutex_is_no_number() {
    let text = "mutex m;\n\
                thread t { let v = m + 1; m = 3; }";
    check(
        text,
        &expect![[r#"
        2:20 `m`: `m` is a mutex, not a variable (has no value)
          help: use `lock(m)`, `unlock(m)` or `try_lock(m)`
          note: 1:7 `m` declared here
        2:27 `m`: `m` is a mutex, not a variable (has no value)
          help: use `lock(m)`, `unlock(m)` or `try_lock(m)`
          note: 1:7 `m` declared here
    "#]],
    );
}

#[test]
fn lock_needs_a_mutex() {
    let text = "shared x = 0;\n\
                thread t { lock(x); let y = 1; unlock(y); lock(1 + 2); }";
    check(
        text,
        &expect![[r#"
        2:17 `x`: `lock` needs a mutex, `x` is a shared variable (not a mutex)
          note: 1:8 `x` declared here
        2:39 `y`: `unlock` needs a mutex, this is a local variable (not a mutex)
          note: 2:25 `y` declared here
        2:48 `1 + 2`: `lock` needs a mutex, this is an expression (not a mutex)
    "#]],
    );
}

#[test]
fn a_scalar_has_no_index() {
    let text = "shared x = 0;\n\
                thread t { x[0] = 1; }";
    check(
        text,
        &expect![[r#"
        2:12 `x[0]`: `x` is not an array (has no elements)
          help: write `x` without index, or declare it as an array
    "#]],
    );
}

#[test]
fn an_array_needs_an_index() {
    let text = "shared a[3]; mutex m[2];\n\
                thread t { a = 1; lock(m); }";
    check(
        text,
        &expect![[r#"
        2:12 `a`: `a` is an array (an index is missing)
          help: say which element: `a[0]` to `a[2]`
        2:24 `m`: `m` is an array (an index is missing)
          help: say which element: `m[0]` to `m[1]`
    "#]],
    );
}

#[test]
fn constants_and_loop_variables_do_not_change() {
    let text = "const N = 3;\n\
                thread t { N = 4; for i in 0..N { i += 2; } }";
    check(
        text,
        &expect![[r#"
        2:12 `N`: `N` is a constant and cannot be changed (changed here)
          help: declare it as a variable: `shared N = …;`
          note: 1:7 `N` declared here
        2:35 `i`: the loop variable `i` cannot be changed (changed here)
          help: copy it into a variable of your own, or use a `while` loop
          note: 2:23 `i` declared here
    "#]],
    );
}

#[test]
fn a_thread_is_spawned_by_its_name() {
    let text = "shared x = 0; thread w[2] { skip; }\n\
                thread t { spawn x; spawn w; spawn v[0]; join w[2]; }";
    check(
        text,
        &expect![[r#"
        2:18 `x`: `spawn` needs a thread, `x` is a shared variable (not a thread)
          note: 1:8 `x` declared here
        2:27 `w`: `w` is an array (an index is missing)
          help: say which element: `w[0]` to `w[1]`
        2:36 `v`: `v` is not declared (not found)
          help: declare it: `thread v { … }`
        2:49 `2`: `w` has no element 2 (this is 2)
          help: `w` has 2 elements, counted from 0
    "#]],
    );
}

#[test]
fn waiting_for_a_condition_needs_a_mutex() {
    let text = "condvar c; mutex m; shared x = 0;\n\
                thread t { wait(c); wait(m, c); wait(x); signal(m); }";
    check(
        text,
        &expect![[r#"
        2:12 `wait(c)`: `wait` needs the mutex that protects the condition (which mutex?)
          help: write `wait(condition_variable, mutex)`: it frees the mutex while it waits
        2:26 `m`: `wait` needs a condition variable, `m` is a mutex (not a condition variable)
          note: 1:18 `m` declared here
        2:29 `c`: `wait` needs a mutex, `c` is a condition variable (not a mutex)
          note: 1:9 `c` declared here
        2:38 `x`: `wait` needs a condition variable, `x` is a shared variable (not a condition variable)
          note: 1:28 `x` declared here
        2:49 `m`: `signal` needs a condition variable, `m` is a mutex (not a condition variable)
          note: 1:18 `m` declared here
    "#]],
    );
}

#[test]
fn only_places_can_be_assigned() {
    let text = "thread t { 1 + 2 = 3; }";
    check(
        text,
        &expect![[r#"
        1:12 `1 + 2`: only a variable or an element of an array can be assigned to (cannot be assigned to)
    "#]],
    );
}

#[test]
fn cas_needs_a_shared_place() {
    let text = "thread t { let v = 0; cas(v, 0, 1); swap(1, 2); }";
    check(
        text,
        &expect![[r#"
        1:27 `v`: `cas` works on shared variables (a local variable)
          help: a variable of the thread itself needs no atomic operation
        1:42 `1`: `swap` works on shared variables (not a variable)
          help: name a shared variable or an element of a shared array
    "#]],
    );
}

#[test]
fn arithmetic_on_booleans_is_refused() {
    let text = "shared f = false;\n\
                thread t { let v = f + 1; let w = -true; f += 1; }";
    check(
        text,
        &expect![[r#"
        2:20 `f`: `+` needs integers, this is a boolean (a boolean)
          help: write `c ? 1 : 0` to make a number of a boolean
        2:36 `true`: `-` needs integers, this is a boolean (a boolean)
          help: write `c ? 1 : 0` to make a number of a boolean
        2:42 `f`: `+` needs integers, this is a boolean (a boolean)
          help: write `c ? 1 : 0` to make a number of a boolean
    "#]],
    );
}

#[test]
fn bitwise_operators_on_booleans_suggest_logic() {
    let text = "thread t { let a = true & false; let b = 1 | true; let c = ~true; }";
    check(
        text,
        &expect![[r#"
        1:20 `true`: `&` needs integers, this is a boolean (a boolean)
          help: use `&&` for booleans
        1:46 `true`: `|` needs integers, this is a boolean (a boolean)
          help: comparisons bind more strongly than `&`, `^` and `|`: use parentheses
        1:61 `true`: `~` needs integers, this is a boolean (a boolean)
          help: use `!` for booleans
    "#]],
    );
}

#[test]
fn comparisons_do_not_chain() {
    let text = "shared x = 0;\n\
                thread t { assert(0 < x < 3); }";
    check(
        text,
        &expect![[r#"
        2:19 `0 < x`: `<` needs integers, this is a boolean (a boolean)
          help: join two comparisons with `&&`
    "#]],
    );
}

#[test]
fn an_index_is_an_integer() {
    let text = "shared a[2];\n\
                thread t { a[true] = 1; }";
    check(
        text,
        &expect![[r#"
        2:14 `true`: an index is an integer, this is a boolean (a boolean)
          help: write `c ? 1 : 0` to make a number of a boolean
    "#]],
    );
}

#[test]
fn a_constant_index_is_in_range() {
    let text = "const N = 3; shared a[N]; mutex m[2];\n\
                thread t { a[N] = a[-1]; lock(m[2]); }";
    check(
        text,
        &expect![[r#"
        2:14 `N`: `a` has no element 3 (this is 3)
          help: `a` has 3 elements, counted from 0
        2:21 `-1`: `a` has no element -1 (this is -1)
          help: `a` has 3 elements, counted from 0
        2:33 `2`: `m` has no element 2 (this is 2)
          help: `m` has 2 elements, counted from 0
    "#]],
    );
}

#[test]
fn division_by_a_constant_zero_is_refused() {
    let text = "const Z = 0;\n\
                thread t { let v = 1; v = 1 / Z; v %= 0; v = v << 64; }";
    check(
        text,
        &expect![[r#"
        2:31 `Z`: division by zero (this is zero)
        2:39 `0`: division by zero (this is zero)
        2:51 `64`: a shift by 64 is not possible (this is 64)
          help: shift amounts range from 0 to 63
    "#]],
    );
}

#[test]
fn sizes_are_sensible() {
    let text =
        "shared a[-1]; shared b[99999999999]; thread t[200000] { skip; } barrier c(0); shared d[true];";
    check(
        text,
        &expect![[r#"
        1:10 `-1`: the length of an array cannot be negative (this is -1)
        1:24 `99999999999`: the length of an array can be at most 16000000 (this is 99999999999)
        1:47 `200000`: the number of threads of a program can be at most 20000 (this is 200000)
        1:75 `0`: the width of a barrier must be at least 1 (this is 0)
        1:88 `true`: the length of an array is a number, this is a boolean (a boolean)
    "#]],
    );
}

#[test]
fn constants_are_known_at_compile_time() {
    let text = "shared x = 1;\n\
                const A = x; const B = self; const C = D; const D = 2; const E = nondet(0..2); shared y[F];";
    check(
        text,
        &expect![[r#"
        2:11 `x`: `x` is a shared variable, not a constant (not known at compile time)
          note: 1:8 `x` declared here
        2:24 `self`: `self` is not known at compile time (not a constant)
        2:40 `D`: `D` is declared further down (not known yet)
          help: constants can be used only below their declaration
          note: 2:49 `D = 2` declared here
        2:66 `nondet(0..2)`: this is not known at compile time (not a constant)
          help: only numbers, constants and operators are allowed here
        2:89 `F`: `F` is not declared (not found)
          help: declare it above: `const F = 1;`
    "#]],
    );
}

#[test]
fn lists_have_the_right_length() {
    let text = "shared a[2] = [1, 2, 3]; shared b = [1];\n\
                thread t { let c[2] = {1}; let d = 3; let e[d]; }";
    check(
        text,
        &expect![[r#"
        1:15 `[1, 2, 3]`: 3 initial values for an array of length 2 (3 values)
          help: give one value for each element, or a single one for all
          note: 1:8 `a[2] = [1, 2, 3]` its length is 2
        1:37 `[1]`: a list of values needs an array (1 value)
          help: give the length: `name[1] = …`
          note: 1:33 `b = [1]` declared here
        2:23 `{1}`: 1 initial value for an array of length 2 (1 value)
          help: give one value for each element, or a single one for all
          note: 2:16 `c` its length is 2
        2:45 `d`: `d` is a local variable, not a constant (not known at compile time)
          help: lengths and initial values of arrays are constants; assign other values in a loop
          note: 2:32 `d` declared here
    "#]],
    );
}

#[test]
fn functions_take_all_their_arguments() {
    let text = "fn f(a, b) { return a + b; }\n\
                thread t { let v = f(1); cas(v); lock(); }";
    check(
        text,
        &expect![[r#"
        2:20 `f(1)`: `f` takes 2 arguments, not 1 (expected 2 arguments)
          note: 1:1 `fn f(a, b)` declared here
        2:26 `cas(v)`: `cas` takes 3 arguments, not 1 (expected 3 arguments)
          help: write `cas(place, expected, new)`
        2:34 `lock()`: `lock` takes 1 argument, not 0 (expected 1 argument)
          help: write `lock(mutex)`
    "#]],
    );
}

#[test]
fn a_call_is_a_whole_statement() {
    let text = "fn f(a) { return a; }\n\
                thread t { let v = f(1) + 1; if f(2) { skip; } }";
    check(
        text,
        &expect![[r#"
        2:20 `f(1)`: the call of `f` is only a part of this statement (a call must be a whole right-hand side)
          help: call it before, as in `let r = f(…);`, and use `r` here
        2:33 `f(2)`: the call of `f` is only a part of this statement (a call must be a whole right-hand side)
          help: call it before, as in `let r = f(…);`, and use `r` here
    "#]],
    );
}

#[test]
fn a_function_without_value_has_none() {
    let text = "fn f() { skip; }\n\
                thread t { let v = f(); }";
    check(
        text,
        &expect![[r#"
        2:20 `f`: `f` returns no value (has no value)
          note: 1:1 `fn f()` it has no `return` with a value
    "#]],
    );
}

#[test]
fn a_function_returns_a_value_on_all_paths() {
    let text = "fn f(a) { if a { return 1; } }";
    check(
        text,
        &expect![[r#"
        1:1 `fn f(a)`: `f` does not return a value on every path (its end can be reached without `return`)
          help: end it with `return 0;` or another value
    "#]],
    );
}

#[test]
fn a_function_with_value_returns_no_nothing() {
    let text = "fn f(a) { if a { return; } return 1; }";
    check(
        text,
        &expect![[r#"
        1:18 `return`: this function returns a value elsewhere, but not here (a value is missing)
          help: write `return 0;` or another value
    "#]],
    );
}

#[test]
fn threads_return_nothing() {
    let text = "thread t { return 1; }";
    check(
        text,
        &expect![[r#"
        1:19 `1`: only functions return values (nobody receives this)
          help: store the result in a shared variable, or write `return;`
    "#]],
    );
}

#[test]
fn statements_have_no_value() {
    let text = "mutex m;\n\
                thread t { let v = lock(m); 1 + 1; x == 1; }";
    check(
        text,
        &expect![[r#"
        2:20 `lock(m)`: `lock` is a statement and has no value (has no value)
          help: write `lock(…);` as a statement of its own
        2:29 `1 + 1`: this value is not used (has no effect)
          help: assign it to a variable, or remove it
        2:36 `x == 1`: this value is not used (has no effect)
          help: to assign, write `=`; to check, `assert(…)`
    "#]],
    );
}

#[test]
fn break_needs_a_loop() {
    let text = "thread t { break; if true { continue; } }";
    check(
        text,
        &expect![[r#"
        1:12 `break`: `break` outside of a loop (there is no loop around this)
          help: to end the thread or function, use `return`
        1:29 `continue`: `continue` outside of a loop (there is no loop around this)
          help: to end the thread or function, use `return`
    "#]],
    );
}

#[test]
fn self_needs_a_thread() {
    let text = "finally { let v = self; }";
    check(
        text,
        &expect![[r#"
        1:19 `self`: there is no `self` in `finally` (no thread here)
          help: `finally` runs once, after all threads have ended; loop over the indices instead
    "#]],
    );
}

#[test]
fn nondet_needs_a_range() {
    let text = "shared x = 0;\n\
                thread t { let v = nondet(); let w = nondet(3); let u = nondet(0..x); nondet(0..2); }";
    check(
        text,
        &expect![[r#"
        2:20 `nondet()`: `nondet` needs a range of values (which values?)
          help: `nondet(0..10)` is any of 0, 1, …, 9; every one of them is explored, so keep it small
        2:38 `nondet(3)`: `nondet` needs a range of values (which values?)
          help: `nondet(0..10)` is any of 0, 1, …, 9; every one of them is explored, so keep it small
        2:67 `x`: the bounds of `nondet` cannot read shared variables (reads shared memory)
          help: read them into a local variable first: `let n = …;`
        2:71 `nondet(0..2)`: the chosen value is not used (has no effect)
          help: store it: `let v = nondet(0..2);`
    "#]],
    );
}

#[test]
fn an_atomic_block_has_no_choices() {
    let text = "condvar c; mutex m; barrier b(2); fn f() { skip; } thread u { skip; }\n\
                thread t { atomic { let v = nondet(0..2); signal(c); wait(c, m); wait(b); spawn u; join u; f(); } }";
    check(
        text,
        &expect![[r#"
        2:29 `nondet(0..2)`: `nondet` cannot stand in an atomic block: a choice is a step of its own (not in an atomic block)
          help: choose before the block: `let v = nondet(…);`
          note: 2:12 `atomic` the block
        2:43 `signal(c)`: `signal` cannot stand in an atomic block: which thread it wakes is a choice, and a choice is a step of its own (not in an atomic block)
          help: signal after the block, or use `broadcast`
          note: 2:12 `atomic` the block
        2:54 `wait(c, m)`: `wait` cannot stand in an atomic block: waiting takes two steps (not in an atomic block)
          help: wait outside the block, or use `await(condition)` in it
          note: 2:12 `atomic` the block
        2:66 `wait(b)`: `wait` cannot stand in an atomic block: waiting takes two steps (not in an atomic block)
          help: wait outside the block, or use `await(condition)` in it
          note: 2:12 `atomic` the block
        2:75 `spawn u`: `spawn` cannot stand in an atomic block: it is a step of its own (not in an atomic block)
          help: put it before or after the block
          note: 2:12 `atomic` the block
        2:84 `join u`: `join` cannot stand in an atomic block: it is a step of its own (not in an atomic block)
          help: put it before or after the block
          note: 2:12 `atomic` the block
        2:92 `f()`: a function call cannot stand in an atomic block: a function may take many steps (not in an atomic block)
          help: write the statements of the function into the block, or call it outside
          note: 2:12 `atomic` the block
    "#]],
    );
}

#[test]
fn finally_is_sequential() {
    let text = "shared x = 0; mutex m; thread u { skip; }\n\
                finally { lock(m); let v = cas(x, 0, 1); await(x); join u; atomic { x = 1; } }";
    check(
        text,
        &expect![[r#"
        2:11 `lock(m)`: `lock` cannot be used in `finally` (not in `finally`)
          help: `finally` runs alone, after all threads have ended: plain statements and `assert` are enough
        2:28 `cas(x, 0, 1)`: `cas` cannot be used in `finally` (not in `finally`)
          help: `finally` runs alone, after all threads have ended: plain statements and `assert` are enough
        2:42 `await(x)`: `await` cannot be used in `finally` (not in `finally`)
          help: `finally` runs alone, after all threads have ended: plain statements and `assert` are enough
        2:52 `join u`: `join` cannot be used in `finally` (not in `finally`)
          help: `finally` runs alone, after all threads have ended: plain statements and `assert` are enough
        2:60 `atomic`: `atomic` cannot be used in `finally` (not in `finally`)
          help: `finally` runs alone, after all threads have ended: plain statements and `assert` are enough
    "#]],
    );
}

#[test]
fn await_and_lock_operands_only_read() {
    let text = "shared x = 0; mutex m[2];\n\
                thread t { await(cas(x, 0, 1)); lock(m[swap(x, 1)]); }";
    check(
        text,
        &expect![[r#"
        2:18 `cas(x, 0, 1)`: the condition of `await` changes shared memory (must only read)
          help: `await` waits until its condition holds: it must only read
        2:38 `m[swap(x, 1)]`: the index in `lock` changes shared memory (must only read)
          help: compute the index in a `let` statement before
    "#]],
    );
}

#[test]
fn a_missing_semicolon_is_found() {
    let text = "thread t { let v = 1\n\
                  let w = 2; }";
    check(
        text,
        &expect![[r#"
        1:20 `1`: a `;` is missing here (expected `;` after this)
    "#]],
    );
}

#[test]
fn a_missing_brace_is_found() {
    let text = "thread t { if x { y = 1;\n\
                thread u { y = 2; }";
    check(
        text,
        &expect![[r#"
        2:1 `thread`: expected `}`, found a declaration (a `}` is missing before this)
          note: 1:17 `{` to match this
    "#]],
    );
}

#[test]
fn statements_belong_into_threads() {
    let text = "x = 1;\n\
                shared x = 0;";
    check(
        text,
        &expect![[r#"
        1:1 `x`: expected a declaration, found `x` (not a declaration)
          help: a program consists of `const`, `shared`, `mutex`, `condvar`, `barrier`, `fn`, `thread` and `finally`; statements belong into a `thread`
    "#]],
    );
}

#[test]
fn several_syntax_errors_are_found_in_one_run() {
    let text = "thread t { let = 1; x = ; if { } }\n\
                thread u { for i in 3 { skip; } a[0][1] = 2; x = y = 3; let z = x++; }";
    check(
        text,
        &expect![[r#"
        1:16 `=`: expected the name of the variable, found `=` (expected the name of the variable)
        1:25 `;`: expected an expression, found `;` (expected an expression)
        1:30 `{`: expected an expression, found `{` (expected an expression)
        2:23 `{`: expected `..` and the upper bound, found `{` (expected `..` and the upper bound)
        2:37 `[`: there are no arrays of arrays (a second index)
          help: use one array and compute the index, as in `a[row * WIDTH + column]`
        2:52 `=`: an assignment has no value (a second assignment)
          help: assign to one variable after the other, in statements of their own
        2:66 `++`: `++` is a statement of its own (not part of an expression)
          help: write `x++;` in a line of its own
    "#]],
    );
}

#[test]
fn strange_characters_are_named() {
    let text = "thread t { let v = 1 # 2; }";
    check(
        text,
        &expect![[r#"
        1:22 `#`: `#` has no meaning here (unknown character)
    "#]],
    );
}

#[test]
fn numbers_fit_into_64_bits() {
    let text = "const A = 9223372036854775808; const B = 0xfffffffffffffffff; const C = 0b12;";
    check(
        text,
        &expect![[r#"
        1:11 `9223372036854775808`: this number does not fit into 64 bits (too large)
          help: integers range from -9223372036854775808 to 9223372036854775807
        1:42 `0xfffffffffffffffff`: this number does not fit into 64 bits (too large)
          help: integers range from -9223372036854775808 to 9223372036854775807
        1:73 `0b12`: this is not a number (not a number)
          help: numbers are decimal (`42`, `1_000`), hexadecimal (`0x2a`) or binary (`0b1010`)
    "#]],
    );
}

#[test]
fn an_empty_body_is_spelled_out() {
    let text = "thread t { while true; }";
    check(
        text,
        &expect![[r#"
        1:22 `;`: this `;` is the whole body (an empty body)
          help: write `{ }` or `skip;` for a body that does nothing
    "#]],
    );
}
