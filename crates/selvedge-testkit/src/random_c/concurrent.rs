//! Random concurrent programs: threads access shared memory themselves and in functions that they call, with structures, arrays and
//! cells of the heap of their own.
//!
//! They run natively, too: compiled with `-DNATIVE`, shared variables are atomic, as our interleavings take them to be, and atomic
//! functions and sections hold a lock. That lock makes them atomic because only they touch `w`, and none touches `x` more than once.

use crate::random::Random;
use std::fmt::Write;

const SHARED: &str = r#"#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef NATIVE
typedef atomic_int shared;
static pthread_mutex_t whole = PTHREAD_MUTEX_INITIALIZER;
#define ENTER pthread_mutex_lock(&whole)
#define LEAVE pthread_mutex_unlock(&whole)
#define BEGIN ENTER
#define END LEAVE
#else
typedef volatile int shared;
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
#define ENTER (void)0
#define LEAVE (void)0
#define BEGIN __VERIFIER_atomic_begin()
#define END __VERIFIER_atomic_end()
#endif

struct pair { int a, b; };
shared x[2];
atomic_int y[2];
int z, w[2], seen[3];
struct pair *_Atomic heap;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
sem_t s;

static int get(int i) { return x[i & 1]; }
static void put(int i, int value) { x[i & 1] = value; }
static int both(int i, int factor) { int a = get(i); return a * factor + get(i + 1); }
static void replace(shared *at, int value, int *old) { *old = *at; *at = value; }
static int replaced(int i, int value) { int old; replace(&x[i & 1], value, &old); return old - value; }
static struct pair made(int i, int b) { struct pair p = {get(i), b}; return p; }
static void fill(struct pair *p, int i) { p->b += p->a; p->a += get(i); }
static int sum(const int *numbers, int n) { int t = x[0]; while (n--) t += numbers[n]; return t; }
static int deep(int n, int a) { if (n <= 0) return a; int k = x[n & 1]; return k + deep(n - 1, a + n); }

void __VERIFIER_atomic_add(int *at, int d, int *old) {
    ENTER;
    *old = *at;
    *at = *old + d;
    LEAVE;
}

int __VERIFIER_atomic_exchange(int *at, int expected, int next) {
    ENTER;
    int found = *at;
    if (found == expected) *at = next;
    LEAVE;
    return found == expected;
}

int __VERIFIER_atomic_move(int from, int to, int d) {
    ENTER;
    int a = w[from & 1] + d;
    w[to & 1] = a;
    x[to & 1] = a;
    LEAVE;
    return a;
}

static int section(int i, int a) {
    BEGIN;
    int t = w[0] + w[1];
    if (t < a) w[i & 1] = t + get(i);
    END;
    return t;
}

static int twice(int i, int a) { return section(i, a) * 2 + __VERIFIER_atomic_exchange(&w[i & 1], a, a + 1); }

"#;

/// A concurrent program of two or three threads that prints its final state.
pub fn concurrent(random: &mut Random) -> String {
    let threads = 2 + random.below(2);
    // A few kinds of operations, so that they meet.
    let kinds: Vec<usize> = (0..4).map(|_| random.below(KINDS)).collect();
    let most = if threads == 2 { 3 } else { 2 };
    let mut out = String::from(SHARED);
    for thread in 0..threads {
        let _ = writeln!(out, "void *t{thread}(void *unused) {{\n    int v = {};", thread + 1);
        for _ in 0..5 - threads + random.below(most) {
            let kind = *random.pick(&kinds);
            let operation = operation(random, kind, thread);
            let _ = writeln!(out, "    {operation}");
        }
        let _ = writeln!(out, "    seen[{thread}] = v;\n    return 0;\n}}\n");
    }
    out.push_str("int main(void) {\n    pthread_t t[3];\n    sem_init(&s, 0, 1);\n");
    for thread in 0..threads {
        let _ = writeln!(out, "    pthread_create(&t[{thread}], 0, t{thread}, 0);");
    }
    let _ = writeln!(out, "    for (int i = 0; i < {threads}; i++) pthread_join(t[i], 0);");
    let format = ["%d"; STATE.len()].join(" ");
    let _ = writeln!(out, "    printf(\"{format}\\n\", {});\n    return 0;\n}}", STATE.join(", "));
    out
}

/// What concurrent programs print.
pub const STATE: [&str; 10] =
    ["x[0]", "x[1]", "y[0]", "y[1]", "z", "w[0]", "w[1]", "seen[0]", "seen[1]", "seen[2]"];

/// A concurrent program that asserts that it does not end in a state, given as what it would print.
pub fn with_assertion(program: &str, state: &str) -> String {
    let equal = |(name, value): (&str, &str)| format!("{name} == {value}");
    let equal: Vec<String> = STATE.into_iter().zip(state.split_whitespace()).map(equal).collect();
    let assertion = format!("assert(!({}));", equal.join(" && "));
    let lines = program.lines().map(|line| if line.contains("printf") { assertion.as_str() } else { line });
    let text: Vec<&str> = std::iter::once("#include <assert.h>").chain(lines).collect();
    text.join("\n") + "\n"
}

/// A program divided into files at random places: headers with their names, and the file that includes them.
pub fn divided(program: &str, random: &mut Random) -> (Vec<(String, String)>, String) {
    let lines: Vec<&str> = program.lines().collect();
    let last_directive = lines.iter().rposition(|line| line.starts_with('#')).unwrap_or(0);
    let main = lines.iter().position(|line| line.starts_with("int main")).unwrap_or(lines.len());
    let seams: Vec<usize> =
        (last_directive + 1..main).filter(|&at| lines[at].is_empty() || lines[at - 1] == "}").collect();
    let mut cuts: Vec<usize> = (0..1 + random.below(3)).map(|_| *random.pick(&seams)).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let starts = std::iter::once(0).chain(cuts.iter().copied());
    let header = |(number, (from, &to)): (usize, (usize, &usize))| {
        (format!("part{number}.h"), lines[from..to].join("\n") + "\n")
    };
    let headers: Vec<(String, String)> = starts.zip(&cuts).enumerate().map(header).collect();
    let includes: String = headers.iter().map(|(name, _)| format!("#include \"{name}\"\n")).collect();
    let rest = cuts.last().map_or(0, |last| *last);
    (headers, includes + &lines[rest..].join("\n") + "\n")
}

/// How many operations there are.
const KINDS: usize = 28;

fn operation(random: &mut Random, kind: usize, thread: usize) -> String {
    let (i, n) = (usize::from(random.percent(30)), 1 + random.below(3));
    if kind < 12 { direct(kind, thread, i, n) } else { called(kind - 12, i, n) }
}

/// An operation of the thread itself.
fn direct(kind: usize, thread: usize, i: usize, n: usize) -> String {
    match kind {
        0 => format!("x[{i}] = v;"),
        1 => format!("v += x[{i}];"),
        2 => format!("v += atomic_fetch_add(&y[{i}], {n});"),
        3 => format!("{{ int e = 0; if (atomic_compare_exchange_strong(&y[{i}], &e, v)) v++; }}"),
        4 => format!("pthread_mutex_lock(&m); z = z * 2 + {n}; pthread_mutex_unlock(&m);"),
        5 => {
            "if (pthread_mutex_trylock(&m) == 0) { z++; pthread_mutex_unlock(&m); } else v += 10;".to_owned()
        }
        6 => format!("if (x[{i}] == {thread}) y[{i}] = {n}; else x[{}] = {n};", 1 - i),
        7 => "pthread_rwlock_rdlock(&l); v += z; pthread_rwlock_unlock(&l);".to_owned(),
        8 => format!("pthread_rwlock_wrlock(&l); z += {n}; pthread_rwlock_unlock(&l);"),
        9 => "if (sem_trywait(&s) == 0) v += 5;".to_owned(),
        10 => "sem_post(&s);".to_owned(),
        _ => format!("v = atomic_exchange(&y[{i}], v);"),
    }
}

/// An operation in functions that the thread calls.
fn called(kind: usize, i: usize, n: usize) -> String {
    match kind {
        0 => format!("v += get(v + {i});"),
        1 => format!("put({i}, v * {n});"),
        2 => format!("v += both({i}, {n});"),
        3 => format!("{{ int old; replace(&x[{i}], v, &old); v = v * 2 + old; }}"),
        4 => format!("v += replaced({i}, v + {n});"),
        5 => format!("v += deep({}, v);", 1 + n / 3),
        6 => format!("{{ struct pair p = made({i}, v); v = p.a * {n} + p.b; }}"),
        7 => format!("{{ struct pair p = {{v, {n}}}; fill(&p, {i}); v = p.a * 3 + p.b; }}"),
        8 => format!("{{ int a[3] = {{v, {n}, get({i})}}; v = sum(a, {n}); }}"),
        9 => format!("{{ int old; __VERIFIER_atomic_add(&w[{i}], v, &old); v = v * 2 + old; }}"),
        10 => format!(
            "{{ struct pair p = {{v, v}}; __VERIFIER_atomic_add(&w[{i}], p.a, &p.b); v = p.a + {n} * p.b; }}"
        ),
        11 => format!("if (__VERIFIER_atomic_exchange(&w[{i}], v - {n}, v)) v++; else v = {n};"),
        12 => format!("v += __VERIFIER_atomic_move({i}, v, {n});"),
        13 => format!("v = {}({i}, v + {n});", ["section", "twice"][n / 3]),
        14 => format!(
            "{{ struct pair *p = malloc(sizeof *p); p->a = v; p->b = {n}; fill(p, {i}); v = p->a + p->b; free(p); }}"
        ),
        _ => format!(
            "{{ struct pair *p = malloc(sizeof *p); p->a = v; p->b = {n}; p = atomic_exchange(&heap, p); if (p) {{ v += p->b; free(p); }} }}"
        ),
    }
}
