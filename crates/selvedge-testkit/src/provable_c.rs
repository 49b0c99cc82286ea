//! Random C programs of the kind that can be proved: integers of all widths, arrays, structures, locks, atomics, inputs, functions
//! that are called with addresses, threads that are started in loops, uninitialised variables, memory that is freed. They end, in an assertion about
//! their final state.

use crate::random::Random;
use std::fmt::Write;

const TYPES: [&str; 8] =
    ["int", "unsigned", "signed char", "unsigned char", "short", "unsigned short", "long", "unsigned long"];

/// Inputs with their types in C.
const INPUTS: [(&str, &str); 22] = [
    ("bool", "_Bool"),
    ("_Bool", "_Bool"),
    ("char", "char"),
    ("schar", "signed char"),
    ("signed_char", "signed char"),
    ("uchar", "unsigned char"),
    ("unsigned_char", "unsigned char"),
    ("short", "short"),
    ("ushort", "unsigned short"),
    ("unsigned_short", "unsigned short"),
    ("int", "int"),
    ("uint", "unsigned"),
    ("unsigned", "unsigned"),
    ("unsigned_int", "unsigned"),
    ("long", "long"),
    ("ulong", "unsigned long"),
    ("unsigned_long", "unsigned long"),
    ("longlong", "long long"),
    ("ulonglong", "unsigned long long"),
    ("size_t", "unsigned long"),
    ("u32", "unsigned"),
    ("s64", "long"),
];

const HEADER: &str = r#"#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
struct pair { short first; unsigned char second[2]; };
struct pair pairs[3] = {{1, {2, 3}}, {-4, {5, 6}}};
bool flag = true;
atomic_int total;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
int *block;
sem_t s;

static void bump(unsigned char *to, int by) {
    if (by > 2) return;
    *to += by;
}

static int mixed(int a, int b) {
    int r = a;
    while (b > 0 && b < 4) {
        r = r * 3 + b;
        b--;
    }
    return r;
}

void __VERIFIER_atomic_move(int k) {
    if (pairs[0].first > k) {
        pairs[0].first -= k;
        pairs[1].first += k;
    }
}

"#;

/// A program that asserts that its final state, in few bits, is not the one with this number.
pub fn program(random: &mut Random) -> String {
    let mut out = INPUTS
        .iter()
        .map(|(name, ty)| format!("extern {ty} __VERIFIER_nondet_{name}(void);\n"))
        .collect::<String>();
    out.push_str(HEADER);
    let shared: Vec<String> = (0..3)
        .map(|number| {
            let ty = TYPES[random.below(TYPES.len())];
            let _ = writeln!(out, "{ty} g{number} = {};", random.below(300) as i64 - 100);
            format!("g{number}")
        })
        .collect();
    out.push('\n');
    let threads = 1 + random.below(2);
    for thread in 0..threads {
        let _ = writeln!(out, "void *t{thread}(void *given) {{\n    int self = (int)(long)given;");
        body(random, &mut out, &shared);
        out.push_str("    return 0;\n}\n\n");
    }
    out.push_str("int main(void) {\n    pthread_t threads[3];\n    sem_init(&s, 0, 1);\n    int self = 7;\n");
    let has_block = random.below(3) == 0;
    if has_block {
        out.push_str("    block = calloc(2, sizeof(int));\n");
    }
    if random.below(2) == 0 {
        out.push_str("    for (int i = 0; i < 3; i++) pairs[i].second[i % 2] = i * 50;\n");
    }
    let count = if threads == 1 { 2 } else { threads };
    match threads {
        1 => {
            out.push_str("    for (long i = 0; i < 2; i++) pthread_create(&threads[i], 0, t0, (void *)i);\n")
        }
        _ => (0..threads).for_each(|thread| {
            let _ = writeln!(out, "    pthread_create(&threads[{thread}], 0, t{thread}, (void *)(long)g0);");
        }),
    }
    if random.below(3) == 0 {
        out.push_str("    {\n");
        body(random, &mut out, &shared);
        out.push_str("    }\n");
    }
    let joined = if random.below(8) == 0 { count - 1 } else { count };
    let _ = writeln!(out, "    for (int i = 0; i < {joined}; i++) pthread_join(threads[i], 0);");
    destruction(random, &mut out);
    if has_block && random.below(2) == 0 {
        out.push_str("    free(block);\n");
    }
    let value = "(unsigned)g0 * 5u + (unsigned)g1 * 3u + (unsigned)g2 + total + flag + pairs[0].first + pairs[1].second[1]";
    let bits = [3, 7][random.below(2)];
    let _ = writeln!(
        out,
        "    unsigned last = {value};\n    assert((last & {bits}u) != {});",
        random.below(bits + 1)
    );
    out.push_str("    return 0;\n}\n");
    out
}

/// Main may destroy a mutex when the threads have ended, and use it all the same.
fn destruction(random: &mut Random, out: &mut String) {
    if random.below(4) > 0 {
        return;
    }
    out.push_str("    pthread_mutex_destroy(&m);\n");
    match random.below(12) {
        6 => out.push_str("    pthread_rwlock_destroy(&rw);\n    if (g0 > 3) pthread_rwlock_rdlock(&rw);\n"),
        7 => out.push_str("    sem_destroy(&s);\n    if (g2 & 2) sem_post(&s);\n"),
        8 => out.push_str("    pthread_cond_destroy(&c);\n    if (g1 & 1) pthread_cond_broadcast(&c);\n"),
        9 => out.push_str("    sem_destroy(&s);\n    sem_init(&s, 0, 1);\n    sem_wait(&s);\n"),
        10 => out.push_str("    pthread_rwlock_wrlock(&rw);\n    pthread_rwlock_destroy(&rw);\n"),
        0 => out.push_str("    if (g1 > 7) pthread_mutex_lock(&m);\n"),
        1 => out.push_str("    pthread_mutex_init(&m, 0);\n    pthread_mutex_lock(&m);\n"),
        2 => out.push_str("    if (pthread_mutex_trylock(&m) == 0) g1++;\n"),
        3 => out.push_str("    pthread_mutex_lock(&n[1]);\n    pthread_mutex_destroy(&n[g2 & 1 ? 1 : 0]);\n"),
        4 => out.push_str("    pthread_mutex_destroy(&n[0]);\n    pthread_mutex_destroy(&n[1]);\n"),
        _ => {}
    }
}

fn body(random: &mut Random, out: &mut String, shared: &[String]) {
    let mut names: Vec<String> = vec!["self".to_owned()];
    for local in 0..1 + random.below(2) {
        let ty = TYPES[random.below(TYPES.len())];
        let value = expression(random, &names, 2);
        let _ = writeln!(out, "    {ty} v{local} = {value};");
        names.push(format!("v{local}"));
    }
    for _ in 0..1 + random.below(3) {
        statement(random, out, &names, shared, 1);
    }
}

fn statement(random: &mut Random, out: &mut String, names: &[String], shared: &[String], depth: usize) {
    let indent = "    ".repeat(depth);
    let global = &shared[random.below(shared.len())];
    let local = &names[1 + random.below(names.len() - 1)];
    let value = expression(random, names, 2);
    let k = random.below(3);
    let _ = match random.below(if depth > 2 { 9 } else { 26 }) {
        0 | 1 => writeln!(out, "{indent}{global} = {value};"),
        2 => writeln!(out, "{indent}{local} = {global} + {value};"),
        3 => writeln!(out, "{indent}{global} += {value};"),
        4 => writeln!(out, "{indent}pairs[(unsigned){local} % 3].first += {k};"),
        5 => writeln!(out, "{indent}total += {k} + 1;"),
        6 => writeln!(out, "{indent}flag = {value};"),
        7 => writeln!(out, "{indent}bump(&pairs[{k}].second[{}], {value});", random.below(2)),
        8 => writeln!(out, "{indent}{local} = mixed({local}, {value});"),
        9 => writeln!(
            out,
            "{indent}pthread_mutex_lock(&m);\n{indent}{global}++;\n{indent}pthread_mutex_unlock(&m);"
        ),
        10 => writeln!(
            out,
            "{indent}pthread_mutex_lock(&n[{}]);\n{indent}pairs[1].first = {value};\n{indent}pthread_mutex_unlock(&n[{}]);",
            k % 2,
            k % 2
        ),
        11 => writeln!(out, "{indent}__VERIFIER_atomic_move({k});"),
        12 => writeln!(
            out,
            "{indent}__VERIFIER_atomic_begin();\n{indent}{global} = {global} * 2 + __VERIFIER_nondet_bool();\n{indent}__VERIFIER_atomic_end();"
        ),
        13 => writeln!(
            out,
            "{indent}{{ int e = {k}; if (atomic_compare_exchange_strong(&total, &e, 5)) {local}++; }}"
        ),
        14 => writeln!(
            out,
            "{indent}if (pthread_mutex_trylock(&m) == 0) {{ {global}--; pthread_mutex_unlock(&m); }} else {local} ^= 1;"
        ),
        18 => {
            let (input, _) = INPUTS[random.below(INPUTS.len())];
            writeln!(out, "{indent}{local} += __VERIFIER_nondet_{input}() > {};", [0, 1, 100][k])
        }
        19 | 22 => uninitialised(random, out, &indent, local, global),
        23 => blocks(random, out, &indent, local, &value),
        24 => library(random, out, &indent, local),
        20 => writeln!(
            out,
            "{indent}{{ unsigned char *q = aligned_alloc({}, {}); if (q) {{ q[{k}] = {value}; {local} += q[{k}]; }} else {local} ^= 2; }}",
            [8, 16, 3, 0][random.below(4)],
            [16, 5][random.below(2)]
        ),
        15 => {
            let _ = writeln!(out, "{indent}for (int i{depth} = 0; i{depth} < {}; i{depth}++) {{", 1 + k);
            statement(random, out, names, shared, depth + 1);
            writeln!(out, "{indent}}}")
        }
        16 => {
            let _ = writeln!(out, "{indent}if ({value}) {{");
            statement(random, out, names, shared, depth + 1);
            let _ = writeln!(out, "{indent}}} else {{");
            statement(random, out, names, shared, depth + 1);
            writeln!(out, "{indent}}}")
        }
        _ => match k {
            0 => writeln!(out, "{indent}sem_wait(&s);\n{indent}{global} ^= 3;\n{indent}sem_post(&s);"),
            1 => writeln!(out, "{indent}__VERIFIER_assume({local} != 3);"),
            _ => writeln!(out, "{indent}if (__VERIFIER_nondet_bool()) {local} += 2;"),
        },
    };
}

/// Variables that are uninitialised, in part or on some ways, and are copied, compared, stored or used as indices.
fn uninitialised(
    random: &mut Random,
    out: &mut String,
    indent: &str,
    local: &str,
    global: &str,
) -> std::fmt::Result {
    let k = random.below(3);
    match random.below(12) {
        0 => writeln!(out, "{indent}{{ volatile int u; if (u > {k}) {local}++; }}"),
        1 => writeln!(out, "{indent}{{ struct pair u, w; u.first = {k}; w = u; {local} += w.first; }}"),
        2 => writeln!(out, "{indent}{{ unsigned char u; if (u > {}) {local}++; }}", [1, 255, 300][k]),
        3 => writeln!(out, "{indent}{{ int u, w = u; if ({local} == 77) {local} += w - u; }}"),
        4 => writeln!(out, "{indent}{{ int u[2]; u[{local} & 1] = {k}; {local} += u[{local} & 1]; }}"),
        5 => writeln!(out, "{indent}{{ int u[2]; u[{local} & 1] = {k}; if (u[{}]) {local}++; }}", k % 2),
        6 => writeln!(out, "{indent}{{ int u; switch (u + {k}) {{ case 3: {local} = 1; }} }}"),
        7 => {
            writeln!(out, "{indent}{{ unsigned u; {local} += (u & (__VERIFIER_nondet_uint() & 0u)) != 0; }}")
        }
        8 => writeln!(out, "{indent}{{ unsigned u; if (u < {k}u) {local} = 2; }}"),
        9 => writeln!(out, "{indent}{{ int u; if ({local} & 4) {global} = u; }}"),
        _ => {
            writeln!(out, "{indent}{{ int u; if ({local} & 1) u = {k}; if ({local} & 1) {global} += u; }}")
        }
    }
}

/// Memory that is allocated, freed, used afterwards, freed twice, compared with a block that may have the same address.
fn blocks(random: &mut Random, out: &mut String, indent: &str, local: &str, value: &str) -> std::fmt::Result {
    match random.below(9) {
        0 => writeln!(
            out,
            "{indent}{{ int *q = malloc(8); q[0] = {value}; free(q); if ({local} == 5) {local} = q[0]; }}"
        ),
        1 => writeln!(out, "{indent}{{ int *q = malloc(8); q[1] = 3; free(q); if ({local} == 7) free(q); }}"),
        2 => writeln!(
            out,
            "{indent}{{ char *p = malloc(4); free(p); char *q = malloc(4); if (p == q) {local} ^= 4; free(q); }}"
        ),
        3 => writeln!(out, "{indent}{{ int *q = malloc(4); if (*q) {local}++; free(q); }}"),
        4 => writeln!(out, "{indent}{{ int *q = calloc(2, 4); {local} += q[1]; free(q); free(0); }}"),
        5 => writeln!(out, "{indent}{{ int x = 3; if ({local} == 6) free(&x); }}"),
        6 => writeln!(out, "{indent}if (block) block[{local} & 1] += 1;"),
        7 => writeln!(out, "{indent}if ({local} == 9) {{ free(block); block = 0; }}"),
        _ => writeln!(
            out,
            "{indent}{{ short *q = malloc(6); q[0] = {value}; q[2] = q[0]; {local} += q[2]; free(q); }}"
        ),
    }
}

/// Calls of the library that both engines know, or that one of them refuses.
fn library(random: &mut Random, out: &mut String, indent: &str, local: &str) -> std::fmt::Result {
    match random.below(9) {
        0 => writeln!(out, "{indent}memset(&pairs[1], 0, sizeof pairs[1]);"),
        1 => writeln!(out, "{indent}memcpy(&pairs[0], &pairs[2], sizeof pairs[0]);"),
        2 => writeln!(
            out,
            "{indent}pthread_rwlock_wrlock(&rw);\n{indent}total++;\n{indent}pthread_rwlock_unlock(&rw);"
        ),
        3 => writeln!(
            out,
            "{indent}pthread_rwlock_rdlock(&rw);\n{indent}{local} += pairs[0].first;\n{indent}pthread_rwlock_unlock(&rw);"
        ),
        4 => writeln!(out, "{indent}printf(\"%d\\n\", (int){local});"),
        5 => writeln!(out, "{indent}{local} += abs((int){local} % 100);"),
        6 => writeln!(out, "{indent}if (strlen(\"abc\") == 3) {local}++;"),
        7 => writeln!(out, "{indent}if ({local} == 11) abort();"),
        _ => writeln!(out, "{indent}sched_yield();"),
    }
}

fn expression(random: &mut Random, names: &[String], depth: usize) -> String {
    if depth == 0 || random.below(4) == 0 {
        return match random.below(4) {
            0 => format!("{}", random.below(300)),
            1 => format!("-{}", random.below(40)),
            _ => names[random.below(names.len())].clone(),
        };
    }
    let (a, b) = (expression(random, names, depth - 1), expression(random, names, depth - 1));
    let ty = TYPES[random.below(TYPES.len())];
    match random.below(16) {
        0 => format!("(({a}) + ({b}))"),
        1 => format!("(({a}) - ({b}))"),
        2 => format!("(({a}) * ({b}))"),
        3 => format!("(({a}) / (({b}) | 1))"),
        4 => format!("((unsigned)({a}) % ((unsigned)({b}) | 1u))"),
        5 => format!("(({a}) & ({b}))"),
        6 => format!("(({a}) | ({b}))"),
        7 => format!("(({a}) ^ ({b}))"),
        8 => format!("((int)({a}) << (({b}) & 15))"),
        9 => format!("((int)({a}) >> (({b}) & 7))"),
        10 => format!("((unsigned)({a}) >> (({b}) & 31))"),
        11 => format!("(({a}) < ({b}))"),
        12 => format!("((unsigned)({a}) <= (unsigned)({b}))"),
        13 => format!("(({a}) ? ({b}) : ~({a}))"),
        14 => format!("(({a}) && ({b}))"),
        _ => format!("(({ty})({a}))"),
    }
}
