//! What statements become in the IR: how many transitions, in which order, in which region.
//!
//! Refresh the expected output with `UPDATE_EXPECT=1 cargo test -p selvedge-lang --test lowering`.

use std::collections::BTreeMap;

use expect_test::{Expect, expect};

/// Compiles the body of a thread and compares its code in the text form of the IR, without spans.
fn check(body: &str, expected: &Expect) {
    let text = format!(
        "const N = 3; shared x, y, z, a[4], f = false; mutex m, ms[2]; condvar c; barrier b(2);
         fn g(p) {{ return p; }}
         thread t {{ {body} }}"
    );
    let program = match selvedge_lang::compile("test.sel", &text, &BTreeMap::new()) {
        Ok(program) => program,
        Err(errors) => panic!("{errors:#?}"),
    };
    assert_eq!(selvedge_ir::check::check(&program), Ok(()));
    let printed = selvedge_ir::print::print(&program);
    let lines = printed.lines().map(|line| line.split(" ; ").next().unwrap_or(line).trim_end());
    let code = lines.skip_while(|line| !line.starts_with("function @t(")).skip(1);
    let code: Vec<&str> = code.take_while(|line| *line != "}").collect();
    expected.assert_eq(&(code.join("\n") + "\n"));
}

#[test]
fn a_statement_is_one_instruction_however_much_it_reads() {
    check(
        "a[(self + 1) % N] = a[self] + x;",
        &expect![[r#"
            b0:
              @a[(self + 1) % 3] = @a[self] + @x
              return
        "#]],
    );
}

#[test]
fn a_compound_assignment_is_one_instruction() {
    check(
        "x += y; x++; a[x] -= 2;",
        &expect![[r#"
            b0:
              @x = @x + @y
              @x = @x + 1
              @a[@x] = @a[@x] - 2
              return
        "#]],
    );
}

#[test]
fn a_single_effect_needs_no_region() {
    check(
        "let v = fetch_add(x, 1); swap(x, y); if cas(x, 0, 1) { skip; }",
        &expect![[r#"
              register %v: int
              register %%0: bool
            b0:
              %v = rmw add @x, 1
              rmw swap @x, @y
              %%0 = cmpxchg @x, 0, 1
              branch %%0, b2, b3
            b1:
              return
            b2:
              goto b1
            b3:
              goto b1
        "#]],
    );
}

#[test]
fn an_effect_beside_other_accesses_is_a_region() {
    check(
        "x = fetch_add(y, 1) + z;",
        &expect![[r#"
              register %%0: int
            b0:
              atomic begin
              %%0 = rmw add @y, 1
              @x = %%0 + @z
              atomic end
              return
        "#]],
    );
}

#[test]
fn a_condition_with_effects_branches_outside_of_the_region() {
    check(
        "if cas(x, 0, 1) && y == 1 { z = 1; }",
        &expect![[r#"
              register %%0: bool
              register %%1: bool
            b0:
              atomic begin
              %%0 = cmpxchg @x, 0, 1
              %%1 = %%0 && (@y == 1)
              atomic end
              branch %%1, b2, b3
            b1:
              return
            b2:
              @z = 1
              goto b1
            b3:
              goto b1
        "#]],
    );
}

#[test]
fn an_assertion_with_an_effect_is_a_region() {
    check(
        "assert(swap(x, 1) == y);",
        &expect![[r#"
              register %%0: int
            b0:
              atomic begin
              %%0 = rmw swap @x, 1
              assert %%0 == @y
              atomic end
              return
        "#]],
    );
}

#[test]
fn what_is_read_before_an_effect_is_put_aside() {
    check(
        "x = y + fetch_add(y, 1);",
        &expect![[r#"
              register %%0: int
              register %%1: int
            b0:
              atomic begin
              %%0 = @y
              %%1 = rmw add @y, 1
              @x = %%0 + %%1
              atomic end
              return
        "#]],
    );
}

#[test]
fn lazy_operators_stay_lazy() {
    check(
        "let v = x == 0 || cas(y, 0, 1); let w = v ? swap(x, 2) : z;",
        &expect![[r#"
              register %v: bool
              register %w: int
              register %%0: bool
              register %%1: bool
              register %%2: int
              register %%3: int
            b0:
              atomic begin
              %%0 = @x == 0
              branch %%0, b2, b1
            b1:
              %%1 = cmpxchg @y, 0, 1
              %%0 = %%1
              goto b2
            b2:
              %v = %%0
              atomic end
              atomic begin
              branch %v, b3, b4
            b3:
              %%3 = rmw swap @x, 2
              %%2 = %%3
              goto b5
            b4:
              %%2 = @z
              goto b5
            b5:
              %w = %%2
              atomic end
              return
        "#]],
    );
}

#[test]
fn an_effect_behind_a_local_condition_needs_no_region() {
    check(
        "let v = 1; if v && try_lock(m) { unlock(m); }",
        &expect![[r#"
              register %v: int
              register %%0: bool
              register %%1: bool
            b0:
              %v = 1
              %%0 = bool(%v)
              branch %%0, b2, b3
            b1:
              return
            b2:
              %%1 = trylock @m
              %%0 = %%1
              goto b3
            b3:
              branch %%0, b4, b5
            b4:
              unlock @m
              goto b1
            b5:
              goto b1
        "#]],
    );
}

#[test]
fn regions_do_not_nest() {
    check(
        "atomic { x = fetch_add(y, 1); atomic { z = 1; } }",
        &expect![[r#"
              register %%0: int
            b0:
              atomic begin
              %%0 = rmw add @y, 1
              @x = %%0
              @z = 1
              atomic end
              return
        "#]],
    );
}

#[test]
fn ways_out_of_a_region_end_it() {
    check(
        "loop { atomic { if x == 0 { break; } if y == 0 { continue; } if z == 0 { return; } } }",
        &expect![[r#"
            b0:
              goto b1
            b1:
              atomic begin
              branch @x == 0, b4, b5
            b2:
              return
            b3:
              branch @y == 0, b7, b8
            b4:
              atomic end
              goto b2
            b5:
              goto b3
            b6:
              branch @z == 0, b10, b11
            b7:
              atomic end
              goto b1
            b8:
              goto b6
            b9:
              atomic end
              goto b1
            b10:
              atomic end
              return
            b11:
              goto b9
        "#]],
    );
}

#[test]
fn a_loop_inside_a_region_does_not_end_it() {
    check(
        "atomic { while x > 0 { if y == 0 { break; } x--; } }",
        &expect![[r#"
            b0:
              atomic begin
              goto b1
            b1:
              branch @x > 0, b2, b3
            b2:
              branch @y == 0, b5, b6
            b3:
              atomic end
              return
            b4:
              @x = @x - 1
              goto b1
            b5:
              goto b3
            b6:
              goto b4
        "#]],
    );
}

#[test]
fn choices_come_before_their_statement() {
    check(
        "x = nondet(0..2) + nondet(0..N); while nondet(0..2) { skip; }",
        &expect![[r#"
              register %%0: int
              register %%1: int
              register %%2: int
            b0:
              %%0 = choose 0 .. 2
              %%1 = choose 0 .. 3
              @x = %%0 + %%1
              goto b1
            b1:
              %%2 = choose 0 .. 2
              branch bool(%%2), b2, b3
            b2:
              goto b1
            b3:
              return
        "#]],
    );
}

#[test]
fn the_place_of_a_compound_assignment_is_evaluated_once() {
    check(
        "a[fetch_add(x, 1)] += y; a[nondet(0..4)] *= 2; x += fetch_add(x, 1);",
        &expect![[r#"
              register %%0: int
              register %%1: int
              register %%2: int
              register %%3: int
            b0:
              atomic begin
              %%0 = rmw add @x, 1
              @a[%%0] = @a[%%0] + @y
              atomic end
              %%1 = choose 0 .. 4
              @a[%%1] = @a[%%1] * 2
              atomic begin
              %%2 = @x
              %%3 = rmw add @x, 1
              @x = %%2 + %%3
              atomic end
              return
        "#]],
    );
}

#[test]
fn bounds_of_a_loop_are_one_transition() {
    check(
        "for i in x..y { z = i; } let n = 2; for i in 0..n { skip; }",
        &expect![[r#"
              register %i: int
              register %n: int
              register %i.1: int
              register %%0: int
              register %%1: int
            b0:
              atomic begin
              %i = @x
              %%0 = @y
              atomic end
              goto b1
            b1:
              branch %i < %%0, b2, b4
            b2:
              @z = %i
              goto b3
            b3:
              %i = %i + 1
              goto b1
            b4:
              %n = 2
              %i.1 = 0
              %%1 = %n
              goto b5
            b5:
              branch %i.1 < %%1, b6, b8
            b6:
              goto b7
            b7:
              %i.1 = %i.1 + 1
              goto b5
            b8:
              return
        "#]],
    );
}

#[test]
fn arguments_with_effects_are_one_transition() {
    check(
        "g(x); let v = g(fetch_add(x, 1) + y); a[0] = g(v);",
        &expect![[r#"
              register %%0: int
              register %v: int
              register %%1: int
              register %%2: int
              register %%3: int
            b0:
              call @g(@x)
              atomic begin
              %%2 = rmw add @x, 1
              %%3 = %%2 + @y
              atomic end
              %%0 = call @g(%%3)
              %v = %%0
              %%1 = call @g(%v)
              @a[0] = %%1
              return
        "#]],
    );
}

#[test]
fn conversions_are_explicit() {
    check(
        "f = x; x = f; if x { skip; } let v = f == 1; assert(!x && f);",
        &expect![[r#"
              register %v: bool
            b0:
              @f = bool(@x)
              @x = int(@f)
              branch bool(@x), b2, b3
            b1:
              %v = int(@f) == 1
              assert not(bool(@x)) && @f
              return
            b2:
              goto b1
            b3:
              goto b1
        "#]],
    );
}

#[test]
fn shadowed_variables_have_names_of_their_own() {
    check(
        "let v = 1; { let v = 2; x = v; } x = v; let w[2] = [1, 2]; { let w = 3; x = w; }",
        &expect![[r#"
              register %v: int
              register %v.1: int
              register %w.1: int
              array $w: int[] = [1, 2]
            b0:
              %v = 1
              %v.1 = 2
              @x = %v.1
              @x = %v
              %w.1 = 3
              @x = %w.1
              return
        "#]],
    );
}

#[test]
fn arrays_in_loops_are_reset() {
    check(
        "while x { let s[2] = [1, 2]; let l[20] = true; s[0] = l[1]; }",
        &expect![[r#"
              register %%0: int
              array $s: int[] = [1, 2]
              array $l: bool[] = [1 x 20]
            b0:
              goto b1
            b1:
              branch bool(@x), b2, b3
            b2:
              $s[0] = 1
              $s[1] = 2
              %%0 = 0
              goto b4
            b3:
              return
            b4:
              branch %%0 < 20, b5, b7
            b5:
              $l[%%0] = true
              goto b6
            b6:
              %%0 = %%0 + 1
              goto b4
            b7:
              $s[0] = int($l[1])
              goto b1
        "#]],
    );
}

#[test]
fn code_behind_a_return_is_dropped() {
    check(
        "x = 1; return; x = 2;",
        &expect![[r#"
            b0:
              @x = 1
              return
        "#]],
    );
}

#[test]
fn synchronisation_is_one_instruction_each() {
    check(
        "lock(ms[x]); wait(c, ms[0]); signal(c); broadcast(c); unlock(ms[1]); wait(b);",
        &expect![[r#"
            b0:
              lock @ms[@x]
              wait @c, @ms[0]
              signal @c
              broadcast @c
              unlock @ms[1]
              arrive @b
              return
        "#]],
    );
}
