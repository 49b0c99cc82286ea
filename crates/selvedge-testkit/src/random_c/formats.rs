//! Random sequential programs about numbers as text: every combination of flags, width, precision and length of `printf`, and the functions
//! that read numbers at texts which are nearly numbers.

use crate::random::Random;
use std::fmt::Write;

const HEADER: &str = r#"#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void told(int length, const char *text) {
    printf("%d [%s]\n", length, text);
}

static void listed(const char *format, ...) {
    char text[800];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    told(length, text);
}

static void as_double(const char *text) {
    char *end = (char *)text;
    errno = 0;
    double number = strtod(text, &end);
    printf("%a %g %d %d\n", number, number, (int)(end - text), errno);
    errno = 0;
    float single = strtof(text, &end);
    printf("%a %d %d %a\n", single, (int)(end - text), errno, atof(text));
}

static void as_integer(const char *text, int base) {
    char *end = (char *)text;
    errno = 0;
    long number = strtol(text, &end, base);
    printf("%ld %d %d ", number, (int)(end - text), errno);
    errno = 0;
    unsigned long count = strtoul(text, &end, base);
    printf("%lu %d %d ", count, (int)(end - text), errno);
    printf("%lld %llu %d %ld\n", strtoll(text, 0, base), strtoull(text, 0, base), atoi(text), atol(text));
}

static void classes(int c) {
    printf("%d%d%d%d%d%d%d%d%d%d%d%d %d %d\n", !!isdigit(c), !!isalpha(c), !!isalnum(c), !!isspace(c), !!isupper(c),
           !!islower(c), !!ispunct(c), !!isxdigit(c), !!isprint(c), !!isblank(c), !!iscntrl(c), !!isgraph(c),
           tolower(c), toupper(c));
}

int main(void) {
    char text[800], word[40], more[40];
    int i, j, n;
    long l;
    short h;
    unsigned u;
    float f;
    double d;
"#;

/// A program of so many calls.
pub fn formats(random: &mut Random, calls: usize) -> String {
    let mut out = String::from(HEADER);
    for _ in 0..calls {
        let line = match random.below(12) {
            0..=3 => integer(random),
            4..=6 => float(random),
            7 => text(random),
            8 => format!("as_double({});", quoted(&number_text(random))),
            9 => {
                let base = [0, 0, 10, 10, 16, 8, 2, 36, 1, 37][random.below(10)];
                format!("as_integer({}, {base});", quoted(&number_text(random)))
            }
            10 => format!("classes({});", random.below(257) as i32 - 1),
            _ => scanned(random),
        };
        let _ = writeln!(out, "    {line}");
    }
    out.push_str("    return 0;\n}\n");
    out
}

/// A conversion without its letter, and the arguments that it takes before the value.
fn specification(random: &mut Random, flags: &[&str]) -> (String, String) {
    let mut format = String::from("%");
    let mut arguments = String::new();
    for flag in flags {
        if random.below(3) == 0 {
            format.push_str(flag);
        }
    }
    match random.below(4) {
        0 => {
            let _ = write!(format, "{}", 1 + random.below(20));
        }
        1 => {
            format.push('*');
            let _ = write!(arguments, ", {}", random.below(30) as i32 - 12);
        }
        _ => {}
    }
    match random.below(5) {
        0 | 1 => {
            let _ = write!(format, ".{}", random.below(12));
        }
        2 => format.push('.'),
        3 => {
            format.push_str(".*");
            let _ = write!(arguments, ", {}", random.below(14) as i32 - 3);
        }
        _ => {}
    }
    (format, arguments)
}

fn call(random: &mut Random, format: &str, arguments: &str) -> String {
    match random.below(3) {
        0 => format!("listed(\"{format}\"{arguments});"),
        1 => format!("told(sprintf(text, \"{format}\"{arguments}), text);"),
        _ => {
            let room = 1 + random.below(60);
            format!("told(snprintf(text, {room}, \"{format}\"{arguments}), text);")
        }
    }
}

fn integer(random: &mut Random) -> String {
    let kind = ["d", "i", "u", "x", "X", "o"][random.below(6)];
    let flags: &[&str] = match kind {
        "d" | "i" => &["-", "+", " ", "0"],
        "u" => &["-", "0"],
        _ => &["-", "#", "0"],
    };
    let (specification, arguments) = specification(random, flags);
    let (length, ty) = [
        ("", "int"),
        ("l", "long"),
        ("ll", "long long"),
        ("h", "int"),
        ("hh", "int"),
        ("z", "size_t"),
        ("j", "long"),
    ][random.below(7)];
    let value = match random.below(5) {
        0 => "0".to_owned(),
        1 => format!("{}", random.below(300) as i64 - 150),
        2 => "-1".to_owned(),
        3 => format!("{}LL * {}", random.below(1 << 30) as i64 - (1 << 29), 1 + random.below(1 << 30)),
        _ => {
            ["2147483647", "-2147483647 - 1", "9223372036854775807", "-9223372036854775807 - 1", "4294967295"]
                [random.below(5)]
            .to_owned()
        }
    };
    call(random, &format!("{specification}{length}{kind}"), &format!("{arguments}, ({ty})({value})"))
}

fn float(random: &mut Random) -> String {
    let kind = ["f", "F", "e", "E", "g", "G", "a", "A"][random.below(8)];
    let (specification, arguments) = specification(random, &["-", "+", " ", "0", "#"]);
    const SIMPLE: [&str; 12] =
        ["0.0", "-0.0", "1.0", "-1.0", "0.5", "1.5", "2.5", "0.125", "1e5", "1e6", "123.0", "0.0001"];
    // With `%#g` some libraries leave out zeros where rounding makes a digit more.
    let is_simple = specification.contains('#') && matches!(kind, "g" | "G");
    let value = match if is_simple { 0 } else { random.below(8) } {
        0 => SIMPLE[random.below(SIMPLE.len())].to_owned(),
        1 => ["__builtin_inf()", "-__builtin_inf()", "__builtin_nan(\"\")", "-__builtin_nan(\"\")"]
            [random.below(4)]
        .to_owned(),
        2 => format!("{}e{}", random.below(100_000), random.below(600) as i32 - 300),
        3 => format!("0x1.{:x}p{}", random.below(1 << 30), random.below(2140) as i32 - 1074),
        4 => format!("{}.0 / {}", random.below(10_000), [2, 4, 8, 16, 32][random.below(5)]),
        5 => format!("0x0.{:013x}p-1022", random.below(1 << 40)),
        _ => format!("-{}.0 / {}", random.below(1_000_000), 1 + random.below(1000)),
    };
    call(random, &format!("{specification}{kind}"), &format!("{arguments}, {value}"))
}

fn text(random: &mut Random) -> String {
    let (specification, arguments) = specification(random, &["-"]);
    match random.below(5) {
        0 => {
            let plain = specification.split('.').next().unwrap_or("%");
            let plain = if plain.contains('*') { "%3" } else { plain };
            let letter = ["x", " ", "%", "0"][random.below(4)];
            call(random, &format!("<{plain}c>%%"), &format!(", '{letter}'"))
        }
        1 => call(random, &format!("{specification}s|"), &format!("{arguments}, (char *)(long)(errno * 0)")),
        _ => {
            let word = &"a word or two"[..random.below(14)];
            call(random, &format!("{specification}s|"), &format!("{arguments}, {}", quoted(word)))
        }
    }
}

/// A text that is a number, or nearly so.
fn number_text(random: &mut Random) -> String {
    const PIECES: [&str; 34] = [
        "0",
        "1",
        "7",
        "9",
        "12",
        "255",
        "99999999999",
        "x",
        "0x",
        "0X",
        "e",
        "E",
        "p",
        "+",
        "-",
        ".",
        " ",
        "\t",
        "inf",
        "INF",
        "infinity",
        "nan",
        "NaN",
        "(",
        ")",
        "a",
        "f",
        "z",
        "e10",
        "e-320",
        "p-1075",
        "p+4",
        "e400",
        "\u{b}",
    ];
    match random.below(6) {
        0 => {
            let sign = ["", "-", "+", "  -", "\t+"][random.below(5)];
            let base = ["", "0x", "0X", "0"][random.below(4)];
            let after = ["", "p", "p-", "p3", "p-1080", "p-1060", "p1020", "."][random.below(8)];
            format!("{sign}{base}{:x}.{:x}{after}", random.below(1 << 40), random.below(1 << 40))
        }
        1 => {
            let digits = random.below(usize::MAX >> 1);
            format!("{digits}.{}e{}", random.below(1 << 40), random.below(700) as i32 - 350)
        }
        2 => format!(
            "{}{}{}",
            ["", "-", "+"][random.below(3)],
            random.below(usize::MAX >> 1),
            random.below(30)
        ),
        3 => format!(
            "{}{}",
            ["", "-", " +"][random.below(3)],
            [
                "inf",
                "Infinity",
                "infinit",
                "nan",
                "NAN(",
                "nan(a_1)",
                "nan(-)",
                "in",
                "i",
                "9223372036854775808",
                "-9223372036854775809",
                "18446744073709551616",
                "0x1fffffffffffff.8",
                "0x1fffffffffffff8p1"
            ][random.below(14)]
        ),
        _ => (0..1 + random.below(5)).map(|_| PIECES[random.below(PIECES.len())]).collect(),
    }
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\t', "\\t").replace('\u{b}', "\\v");
    format!("\"{escaped}\"")
}

/// A call of `sscanf` and what it stored.
fn scanned(random: &mut Random) -> String {
    const INPUTS: [&str; 18] = [
        "12 34",
        " -5x",
        "0x1f 7",
        "077",
        "abc def",
        "",
        "   ",
        "3.5e2 next",
        "inf",
        "1,2,3",
        "99999999999 1",
        "+ 4",
        "5%6",
        "%7",
        "a1b2",
        "12:34:56",
        "0x",
        "-0xg",
    ];
    const FORMATS: [(&str, &str); 20] = [
        ("%d %d%n", "&i, &j, &n"),
        ("%i%n", "&i, &n"),
        ("%x", "&u"),
        ("%o", "&u"),
        ("%s %s", "word, more"),
        ("%3s%n", "word, &n"),
        ("%c%c", "word, more"),
        ("%f", "&f"),
        ("%lf %s", "&d, word"),
        ("%d,%d", "&i, &j"),
        ("%ld %hd", "&l, &h"),
        ("%*d %d", "&j"),
        ("%2d%d", "&i, &j"),
        ("%d%%%d", "&i, &j"),
        ("%u:%u", "&u, &i"),
        ("a%db%d", "&i, &j"),
        ("%[a-c0-9] %s", "word, more"),
        ("%[^:]:%2c", "word, more"),
        ("%3f%n", "&f, &n"),
        ("%3i%n", "&i, &n"),
    ];
    let (format, to) = FORMATS[random.below(FORMATS.len())];
    let input = INPUTS[random.below(INPUTS.len())];
    // A prefix without digits is no floating-point number, but some libraries take it for one.
    let input = if input.contains("0x") && format.contains('f') { "0x1f 7" } else { input };
    format!(
        "i = j = n = -7, l = -7, h = -7, u = 7, f = -7, d = -7; strcpy(word, \"w\"); strcpy(more, \"m\"); told(sscanf(\"{input}\", \"{format}\", {to}), \"\"); printf(\"%d %d %d %ld %d %u %g %g %.2s %.2s\\n\", i, j, n, l, h, u, f, d, word, more);"
    )
}
