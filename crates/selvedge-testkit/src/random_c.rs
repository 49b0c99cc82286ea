//! Random C programs: sequential ones that print what they compute, in the manner of csmith [YangCER2011, section 2], and concurrent
//! ones that print their final state.
//!
//! Sequential programs have no undefined behaviour: arithmetic is unsigned or cannot overflow, divisors are odd, shifts are
//! masked, indices are reduced. So every compiler must agree with us.

mod concurrent;
mod formats;

use crate::random::Random;
pub use concurrent::{STATE, concurrent, divided, with_assertion};
pub use formats::formats;
use std::fmt::Write;

const TYPES: [&str; 6] =
    ["unsigned", "unsigned char", "unsigned short", "unsigned long long", "signed char", "short"];

/// What programs may use: bit-fields, structures by value, recursion, pointers to functions, floating point, pointers, a definition that is only
/// inline (so binaries are compiled with `-fgnu89-inline`), a function without body that is never called.
const HELPERS: &str = r#"struct bits { unsigned x : 3; int y : 7; unsigned long long z : 40; unsigned char w; };
static struct bits h = {1, -2, 3, 4};

static struct s twist(struct s v, unsigned k) {
    v.b ^= k;
    v.c[k % 3u] += v.a;
    return v;
}

extern void unexpected_error(void) __attribute__((weak));

inline unsigned deep(unsigned n, unsigned a) {
    if (n > 15) unexpected_error();
    return n ? deep(n - 1, a * 31u + n) ^ n : a;
}

static unsigned plus(unsigned a, unsigned b) { return a + b; }
static unsigned either(unsigned a, unsigned b) { return a | b; }
static unsigned turned(unsigned a, unsigned b) { return a << (b & 31) | a >> (-b & 31); }
static unsigned (*const ways[3])(unsigned, unsigned) = {plus, either, turned};

static int rounded(unsigned a, unsigned b) {
    double d = (a & 1023) / 3.0 - (b & 1023) * 0.5;
    float f = (float)d;
    return (int)(d * 16) + (f < d) + (int)f;
}

static unsigned stepped(unsigned *p, unsigned a, unsigned b) {
    unsigned *q = p + (a & 3);
    q[b & 3] += a;
    return *q + (unsigned)(q - p);
}

static unsigned long long packed(unsigned long long v) {
    h.x = v;
    h.y = (int)(v & 63) - 32;
    h.z ^= v;
    return h.x + (unsigned long long)h.y + h.z;
}

"#;

/// A sequential program.
pub fn sequential(random: &mut Random) -> String {
    let mut out = String::from("#include <stdio.h>\n#include <string.h>\n\n");
    out.push_str("struct s { unsigned char a; unsigned b; unsigned short c[3]; unsigned long long d; };\n");
    out.push_str(
        "static struct s g = {1, 2, {3, 4, 5}, 6};\nstatic unsigned table[8] = {7, 1, 8, 2, 8, 1, 8, 2};\n\n",
    );
    out.push_str(HELPERS);
    let functions = 2 + random.below(3);
    for function in 0..functions {
        let ty = TYPES[random.below(TYPES.len())];
        let _ =
            writeln!(out, "static {ty} f{function}(unsigned a, unsigned char b, unsigned long long c) {{");
        let mut names: Vec<String> = ["a", "b", "c"].map(str::to_owned).to_vec();
        for local in 0..2 + random.below(3) {
            let ty = TYPES[random.below(TYPES.len())];
            let value = expression(random, &names, 3, function);
            let _ = writeln!(out, "    {ty} v{local} = {value};");
            names.push(format!("v{local}"));
        }
        out.push_str("    struct s l = g;\n    unsigned array[4] = {a, b, 3, 4};\n");
        names.extend(["l.a", "l.b", "l.d", "array[1]", "array[3]"].map(str::to_owned));
        for _ in 0..3 + random.below(4) {
            statement(random, &mut out, &names, function, 1);
        }
        let value = expression(random, &names, 3, function);
        let _ = writeln!(out, "    g.d += l.d + array[2];\n    return {value};\n}}\n");
    }
    out.push_str("int main(void) {\n");
    for call in 0..6 {
        let (function, a, b) = (random.below(functions), random.below(1000), random.below(1 << 30));
        let _ = writeln!(
            out,
            "    printf(\"%llx\\n\", (unsigned long long)f{function}({a}, {call}, {b}ull * {b}ull));"
        );
    }
    out.push_str("    unsigned char *bytes = (unsigned char *)&g;\n    unsigned sum = 0;\n");
    out.push_str("    for (unsigned i = 0; i < 4; i++) sum = sum * 31 + bytes[i + 4];\n");
    out.push_str(
        "    printf(\"%u %u %llu %d %5.2f\\n\", sum, g.c[1], g.d, (int)table[3], (double)g.b / 4);\n",
    );
    out.push_str("    printf(\"%u %d %llu %u\\n\", h.x, h.y, (unsigned long long)h.z, h.w);\n");
    out.push_str("    return 0;\n}\n");
    out
}

fn statement(random: &mut Random, out: &mut String, names: &[String], function: usize, depth: usize) {
    let indent = "    ".repeat(depth);
    let target = &names[3 + random.below(names.len() - 3)];
    let value = expression(random, names, 3, function);
    match random.below(if depth > 2 { 4 } else { 8 }) {
        0 => {
            let _ = writeln!(out, "{indent}table[({value}) & 7] ^= (unsigned)({target});");
        }
        1 => {
            let _ = writeln!(out, "{indent}g.b += (unsigned)({value});");
        }
        2 => {
            let _ = writeln!(
                out,
                "{indent}l.c[({value}) % 3u] = (unsigned short)({target});\n{indent}g.c[1] ^= l.c[2];"
            );
        }
        3 => {
            let _ = writeln!(out, "{indent}{target} = {value};");
        }
        4 => {
            let _ = writeln!(out, "{indent}if ({value}) {{");
            statement(random, out, names, function, depth + 1);
            let _ = writeln!(out, "{indent}}} else {{");
            statement(random, out, names, function, depth + 1);
            let _ = writeln!(out, "{indent}}}");
        }
        5 => {
            let counter = format!("i{depth}{}", out.len());
            let _ = writeln!(
                out,
                "{indent}for (unsigned {counter} = 0; {counter} < {}; {counter}++) {{",
                1 + random.below(9)
            );
            statement(random, out, names, function, depth + 1);
            let _ = writeln!(out, "{indent}}}");
        }
        6 => {
            let _ = writeln!(out, "{indent}switch ({value} & 3) {{\n{indent}case 0:");
            statement(random, out, names, function, depth + 1);
            let _ = writeln!(out, "{indent}case 2:");
            statement(random, out, names, function, depth + 1);
            let _ = writeln!(out, "{indent}    break;\n{indent}default:");
            statement(random, out, names, function, depth + 1);
            let _ = writeln!(out, "{indent}}}");
        }
        _ => {
            let _ = writeln!(out, "{indent}memcpy(&array[1], &table[{}], 8);", random.below(6));
        }
    }
}

fn expression(random: &mut Random, names: &[String], depth: usize, function: usize) -> String {
    if depth == 0 || random.below(5) == 0 {
        return match random.below(3) {
            0 => format!("{}u", random.below(300)),
            1 => format!("table[{}]", random.below(8)),
            _ => names[random.below(names.len())].clone(),
        };
    }
    let a = expression(random, names, depth - 1, function);
    let b = expression(random, names, depth - 1, function);
    match random.below(18) {
        12 => format!("deep((unsigned)({a}) & 15, (unsigned)({b}))"),
        13 => format!("ways[(unsigned)({a}) % 3u]((unsigned)({a}), (unsigned)({b}))"),
        14 => format!("rounded((unsigned)({a}), (unsigned)({b}))"),
        15 => format!("stepped(table, (unsigned)({a}), (unsigned)({b}))"),
        16 => format!("packed({a})"),
        17 => format!("twist(g, (unsigned)({a})).c[(unsigned)({b}) % 3u]"),
        0 => format!("((unsigned)({a}) + (unsigned)({b}))"),
        1 => format!("((unsigned)({a}) * (unsigned)({b}))"),
        2 => format!("((unsigned long long)({a}) - ({b}))"),
        3 => format!("((unsigned)({a}) / ((unsigned)({b}) | 1u))"),
        4 => format!("((unsigned)({a}) % ((unsigned)({b}) | 1u))"),
        5 => format!("((unsigned)({a}) << ((unsigned)({b}) & 31))"),
        6 => format!("((short)({a}) >> ((unsigned)({b}) & 7))"),
        7 => format!("(({a}) < ({b}))"),
        8 => format!("(({a}) ? ({b}) : ~({a}))"),
        9 => format!("(unsigned char)({a} ^ {b})"),
        10 if function > 0 => {
            format!("f{}((unsigned)({a}), (unsigned char)({b}), 5)", random.below(function))
        }
        _ => format!("(({a}) & ({b}))"),
    }
}
