//! Random C programs in which threads observe each other in every way that C has: by loads and stores of several widths, through
//! pointers to memory that comes and goes, by locks and all that waits. They print what each thread has seen and what memory
//! holds in the end.

use crate::random::Random;
use std::fmt::Write;

/// What all programs share.
const WORLD: &str = r#"#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern _Bool __VERIFIER_nondet_bool(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
struct pair { int a, b; };
volatile int x[2];
volatile union { int i; unsigned char c[4]; unsigned short s[2]; } u;
atomic_int y[2];
struct pair g, h;
long long w;
int z;
volatile int flag, input;
int *_Atomic p;
int *volatile q;
int seen[4];
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, r;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
pthread_barrier_t b;
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
pthread_spinlock_t k;
pthread_once_t o = PTHREAD_ONCE_INIT;
sem_t s;

static void once(void) { z += 100; }

static void *child(void *value) {
    x[0] = (int)(long)value;
    return (void *)(long)y[0];
}

"#;

/// What a thread may do; `{i}` is 0 or 1, `{n}` a small number.
const OPERATIONS: [&str; 57] = [
    "x[{i}] = {n};",
    "x[{i}] = v;",
    "v = v * 3 + x[{i}];",
    "if (x[{i}] == {n}) v += 50;",
    "u.i = {n};",
    "u.c[{i}] = {n};",
    "u.s[{i}] = v;",
    "v = v * 3 + u.c[{i}];",
    "v = v * 3 + u.i;",
    "v += atomic_fetch_add(&y[{i}], {n});",
    "v = v * 3 + atomic_exchange(&y[{i}], {n});",
    "{ int e = 0; if (atomic_compare_exchange_strong(&y[{i}], &e, {n})) v++; else v = v * 3 + e; }",
    "atomic_store(&y[{i}], {n});",
    "v = v * 3 + y[{i}];",
    "y[{i}] |= {n};",
    "g = h;",
    "h.a = {n};",
    "g.b = v;",
    "memcpy(&h, &g, sizeof g);",
    "v = v * 3 + g.b;",
    "w = (long long){n} << 32 | {n};",
    "v = v * 3 + (int)(w >> 32) + (int)w;",
    "pthread_mutex_lock(&m); z = z * 2 + {n}; pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); z = {n}; v = v * 3 + x[{i}]; pthread_mutex_unlock(&m);",
    "if (pthread_mutex_trylock(&m) == 0) { z++; pthread_mutex_unlock(&m); } else v += 10;",
    "pthread_mutex_lock(&r); pthread_mutex_lock(&r); v = v * 3 + z; pthread_mutex_unlock(&r); pthread_mutex_unlock(&r);",
    "pthread_spin_lock(&k); v = v * 3 + x[{i}]; pthread_spin_unlock(&k);",
    "pthread_once(&o, once); v = v * 3 + z;",
    "{ int *a = malloc(sizeof *a); *a = {n}; int *old = atomic_exchange(&p, a); if (old) { v = v * 3 + *old; free(old); } }",
    "{ int *a = p; if (a) v = v * 3 + *a; }",
    "{ int *a = p; if (a) *a = {n}; }",
    "{ int a = {n}; q = &a; x[{i}] = 7; a++; q = 0; v = v * 3 + a; }",
    "{ int *a = q; if (a) *a = {n}; }",
    "flag = {n};",
    "while (!flag) ; v = v * 3 + flag;",
    "pthread_mutex_lock(&m); while (!z) pthread_cond_wait(&c, &m); v = v * 3 + z; pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); z = {n}; pthread_cond_signal(&c); pthread_mutex_unlock(&m);",
    "pthread_cond_broadcast(&c);",
    "{ pthread_t t; void *a; pthread_create(&t, 0, child, (void *)(long){n}); v = v * 3 + x[0]; pthread_join(t, &a); v += (int)(long)a; }",
    "if (__VERIFIER_nondet_bool()) v += 20; else x[{i}] = {n};",
    "{ int a = __VERIFIER_nondet_int(); if (a > {n}) v += 30; input = a; }",
    "if (input > {n}) v += 40;",
    "__VERIFIER_atomic_begin(); x[{i}] += {n}; v = v * 3 + x[0] + x[1]; __VERIFIER_atomic_end();",
    "__VERIFIER_atomic_begin(); x[0] = {n}; x[1] = {n}; __VERIFIER_atomic_end();",
    "__VERIFIER_atomic_begin(); __VERIFIER_assume(x[{i}] != {n}); y[{i}] = {n}; __VERIFIER_atomic_end();",
    "__VERIFIER_assume(x[{i}] != {n});",
    "assert(x[{i}] != {n});",
    "if (y[{i}] == {n}) exit(0);",
    "while (atomic_exchange(&y[{i}], 1)) ; v = v * 3 + x[{i}]; y[{i}] = 0;",
    "{ int e = y[{i}]; while (!atomic_compare_exchange_weak(&y[{i}], &e, e + {n})) ; v = v * 3 + e; }",
    "pthread_mutex_lock(&m); if (x[{i}] == {n}) { pthread_mutex_lock(&r); v += 60; pthread_mutex_unlock(&r); } pthread_mutex_unlock(&m);",
    "pthread_rwlock_rdlock(&l); v = v * 3 + z; pthread_rwlock_unlock(&l);",
    "pthread_rwlock_wrlock(&l); z += {n}; pthread_rwlock_unlock(&l);",
    "if (sem_trywait(&s) == 0) v += 5;",
    "sem_wait(&s); v = v * 3 + x[{i}];",
    "sem_post(&s);",
    "pthread_barrier_wait(&b); v = v * 3 + x[{i}];",
];

/// A program.
pub fn program(random: &mut Random) -> String {
    let threads = 2 + random.below(2);
    let most = if threads == 2 { 4 } else { 3 };
    // A few kinds, so that they meet.
    let kinds: Vec<&str> = (0..4).map(|_| *random.pick(&OPERATIONS)).collect();
    let mut out = String::from(WORLD);
    for thread in 0..threads {
        let _ = writeln!(out, "void *t{thread}(void *unused) {{\n    int v = {};", thread + 1);
        for _ in 0..1 + random.below(most) {
            let (i, n) = (random.below(2).to_string(), (1 + random.below(2)).to_string());
            let operation = random.pick(&kinds).replace("{i}", &i).replace("{n}", &n);
            let _ = writeln!(out, "    {operation}");
        }
        let _ = writeln!(out, "    seen[{thread}] = v;\n    return 0;\n}}\n");
    }
    out.push_str("int main(void) {\n    pthread_t t[3];\n    pthread_mutexattr_t recursive;\n");
    out.push_str("    pthread_mutexattr_init(&recursive);\n");
    out.push_str("    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);\n");
    out.push_str("    pthread_mutex_init(&r, &recursive);\n    pthread_spin_init(&k, 0);\n");
    out.push_str("    pthread_barrier_init(&b, 0, 2);\n    sem_init(&s, 0, 1);\n");
    if random.below(2) == 0 {
        out.push_str("    p = malloc(sizeof *p);\n    *p = 1;\n");
    }
    for thread in 0..threads {
        let _ = writeln!(out, "    pthread_create(&t[{thread}], 0, t{thread}, 0);");
    }
    if random.below(3) == 0 {
        out.push_str("    seen[3] = x[0];\n");
    }
    let _ = writeln!(out, "    for (int i = 0; i < {threads}; i++) pthread_join(t[i], 0);");
    out.push_str("    printf(\"%d %d %d %d %d %d %d %d %d %lld %d\\n\", x[0], x[1], u.i, y[0], y[1], g.a, g.b, h.a, h.b, w, z);\n");
    out.push_str("    printf(\"%d %d %d %d %d\\n\", seen[0], seen[1], seen[2], seen[3], p ? *p : -1);\n");
    out.push_str("    return 0;\n}\n");
    out
}
