//! Random C programs whose threads wait in every way that C has: for condition variables with and without a time limit, with and
//! without a predicate, for semaphores, mutexes, reader-writer locks, barriers and threads. Who is created first, and by whom, is random.
//!
//! A program is a text in which names of its own begin with [`PREFIX`], so that many of them fit into one file: see
//! [`batch_c`](crate::batch_c).

use crate::random::Random;
use std::fmt::Write;

/// How the names of a program's own functions begin.
pub const PREFIX: &str = "PROGRAM_";

/// The declarations that all programs share.
pub const WORLD: &str = r#"#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

volatile int ready, x[2];
int z, seen[4];
int *volatile p;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, r = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
pthread_barrier_t b;
pthread_spinlock_t k;
pthread_cond_t *volatile h;
sem_t s;
const struct timespec late = {1, 0};
#define LOCK pthread_mutex_lock(&m)
#define UNLOCK pthread_mutex_unlock(&m)
#define WAIT(i) pthread_cond_wait(&c[i], &m)
#define TIMED(i) pthread_cond_timedwait(&c[i], &m, &late)
static long futex(volatile int *word, int operation, int value, const struct timespec *limit) {
    long result = syscall(SYS_futex, word, operation, value, limit, 0, FUTEX_BITSET_MATCH_ANY);
    return result < 0 ? -errno : result;
}
#define OTHER(i) (pthread_mutex_lock(&r), pthread_cond_timedwait(&c[i], &r, &late), pthread_mutex_unlock(&r))

"#;

/// Operations that wait; `{i}` is 0 or 1, `{n}` a small number.
const WAITS: [&str; 26] = [
    "LOCK; if (!ready) WAIT({i}); v = v * 3 + ready; UNLOCK;",
    "LOCK; if (!ready) WAIT({i}); assert(ready); UNLOCK;",
    "LOCK; while (!ready) WAIT({i}); v = v * 3 + ready; UNLOCK;",
    "LOCK; while (x[{i}] != {n} && !ready) WAIT({i}); v = v * 3 + x[{i}]; UNLOCK;",
    "LOCK; WAIT({i}); v = v * 3 + ready; UNLOCK;",
    "LOCK; if (!ready) TIMED({i}); assert(ready); UNLOCK;",
    "LOCK; if (!ready) v += 7 * !!TIMED({i}); v = v * 3 + ready; UNLOCK;",
    "LOCK; for (int k = 0; k < 2 && !ready; k++) TIMED({i}); v = v * 3 + ready; UNLOCK;",
    "LOCK; while (!ready && !TIMED({i})) ; v = v * 3 + ready; UNLOCK;",
    "LOCK; v += 7 * !!TIMED({i}); UNLOCK;",
    "LOCK; TIMED({i}); x[{i}] = {n}; UNLOCK;",
    "OTHER({i}); v = v * 3 + ready;",
    "if (sem_timedwait(&s, &late) == 0) v = v * 3 + x[{i}]; else v += 7;",
    "if (sem_trywait(&s) == 0) v = v * 3 + x[{i}];",
    "sem_wait(&s); v = v * 3 + ready;",
    "if (pthread_mutex_timedlock(&m, &late) == 0) { z++; UNLOCK; } else v += 10;",
    "if (pthread_mutex_trylock(&m) == 0) { z += 2; UNLOCK; } else v += 10;",
    "if (pthread_rwlock_timedwrlock(&l, &late) == 0) { z++; pthread_rwlock_unlock(&l); } else v += 20;",
    "if (pthread_rwlock_timedrdlock(&l, &late) == 0) { v = v * 3 + z; pthread_rwlock_unlock(&l); }",
    "pthread_barrier_wait(&b); v = v * 3 + ready;",
    "while (!ready) ; v = v * 3 + x[{i}];",
    "v = v * 3 + futex(&x[{i}], FUTEX_WAIT_PRIVATE, 0, 0) + ready;",
    "v = v * 3 + futex(&x[{i}], FUTEX_WAIT, {n}, &late) + x[{i}];",
    "v = v * 3 + futex(&x[{i}], FUTEX_WAIT_BITSET_PRIVATE, 0, &late);",
    "v = v * 3 + futex(&x[{i}], FUTEX_WAIT, 0, 0);",
    "while (!x[{i}]) futex(&x[{i}], FUTEX_WAIT_PRIVATE, 0, 0); v = v * 3 + x[{i}];",
];

/// Operations that others wait for.
const EVENTS: [&str; 18] = [
    "LOCK; ready = {n}; pthread_cond_signal(&c[{i}]); UNLOCK;",
    "LOCK; ready = {n}; UNLOCK; pthread_cond_signal(&c[{i}]);",
    "LOCK; ready = {n}; pthread_cond_broadcast(&c[{i}]); UNLOCK;",
    "ready = {n}; pthread_cond_broadcast(&c[{i}]);",
    "ready = 1 - ready; pthread_cond_signal(&c[{i}]);",
    "pthread_cond_signal(&c[{i}]);",
    "pthread_cond_broadcast(&c[{i}]);",
    "LOCK; pthread_cond_signal(&c[{i}]); ready = {n}; UNLOCK;",
    "sem_post(&s);",
    "LOCK; z += {n}; UNLOCK;",
    "pthread_rwlock_wrlock(&l); z = {n}; pthread_rwlock_unlock(&l);",
    "x[{i}] = {n};",
    "v = v * 3 + x[{i}];",
    "LOCK; x[{i}] = {n}; pthread_cond_signal(&c[{i}]); UNLOCK;",
    "x[{i}] = {n}; v = v * 3 + futex(&x[{i}], FUTEX_WAKE_PRIVATE, {n}, 0);",
    "v = v * 3 + futex(&x[{i}], FUTEX_WAKE, {n}, 0);",
    "v = v * 3 + futex(&x[{i}], FUTEX_WAKE_PRIVATE, {n} - 1, 0);",
    "x[{i}] = 1 - x[{i}]; v = v * 3 + futex(&x[{i}], FUTEX_WAKE_BITSET, INT_MAX, 0);",
];

/// Operations on memory that comes and goes.
const MEMORY: [&str; 6] = [
    "{ int *a = p; if (a) v = v * 3 + *a; }",
    "{ int *a = p; p = 0; free(a); }",
    "free(p);",
    "{ int *a = p; if (a) *a = {n}; }",
    "{ int *a = p; if (a) while (*a == 1) ; v = v * 3 + 2; }",
    "{ int *a = malloc(sizeof *a); *a = {n}; p = a; }",
];

/// Operations that end the life of something that others may use, and begin it again.
const DESTRUCTIONS: [&str; 11] = [
    "if (h) { LOCK; pthread_cond_timedwait(h, &m, &late); v = v * 3 + ready; UNLOCK; }",
    "if (h) { LOCK; if (!ready) pthread_cond_wait(h, &m); v = v * 3 + ready; UNLOCK; }",
    "{ pthread_cond_t *d = h; h = 0; if (d) pthread_cond_destroy(d); free(d); }",
    "sem_destroy(&s);",
    "pthread_cond_destroy(&c[{i}]);",
    "pthread_rwlock_destroy(&l);",
    "pthread_spin_destroy(&k); pthread_spin_init(&k, 0);",
    "pthread_spin_lock(&k); z += {n}; pthread_spin_unlock(&k);",
    "if (pthread_spin_trylock(&k) == 0) { v += z; pthread_spin_unlock(&k); }",
    "sem_destroy(&s); sem_init(&s, 0, {n});",
    "{ int held; sem_getvalue(&s, &held); v = v * 3 + held; }",
];

/// The functions of a program; its last one is `PROGRAM_main`.
pub fn program(random: &mut Random) -> String {
    let threads = 1 + random.below(3);
    let mut kinds: Vec<&str> = (0..2).map(|_| *random.pick(&WAITS)).collect();
    kinds.extend((0..2).map(|_| *random.pick(&EVENTS)));
    if random.percent(15) {
        kinds.extend((0..2).map(|_| *random.pick(&MEMORY)));
    }
    if random.percent(12) {
        kinds.extend((0..2).map(|_| *random.pick(&DESTRUCTIONS)));
    }
    // One condition variable, as a rule, so that signals meet waits.
    let one = random.percent(70).then(|| random.below(2));
    let most = if threads == 3 { 1 } else { 2 };
    let nested = (threads > 1 && random.percent(25)).then_some(threads - 1);
    let mut out = String::new();
    for thread in (0..threads).rev() {
        let _ = writeln!(out, "void *{PREFIX}t{thread}(void *unused) {{\n    int v = {};", thread + 1);
        let creates = nested.filter(|_| thread == 0);
        let place = random.below(2);
        for number in 0..1 + random.below(most) {
            if let Some(child) = creates.filter(|_| number == place) {
                let _ = writeln!(out, "    {}", nested_thread(random, child));
            }
            let _ = writeln!(out, "    {}", operation(random, &kinds, one));
        }
        let _ = writeln!(out, "    seen[{thread}] = v;\n    return 0;\n}}\n");
    }
    main(random, &kinds, one, nested.unwrap_or(threads), &mut out);
    out
}

fn nested_thread(random: &mut Random, child: usize) -> String {
    let create = format!("pthread_t t; pthread_create(&t, 0, {PREFIX}t{child}, 0);");
    match random.percent(50) {
        true => format!("{{ {create} pthread_join(t, 0); }}"),
        false => create,
    }
}

fn operation(random: &mut Random, kinds: &[&str], one: Option<usize>) -> String {
    let i = one.unwrap_or_else(|| random.below(2)).to_string();
    let n = (1 + random.below(2)).to_string();
    random.pick(kinds).replace("{i}", &i).replace("{n}", &n)
}

/// Creates the threads in a random order, with operations of its own before, between and after.
fn main(random: &mut Random, kinds: &[&str], one: Option<usize>, threads: usize, out: &mut String) {
    let _ = writeln!(out, "int {PREFIX}main(void) {{\n    pthread_t t[3];\n    int v = 9;");
    let _ = writeln!(out, "    sem_init(&s, 0, {});\n    pthread_barrier_init(&b, 0, 2);", random.below(2));
    if kinds.iter().any(|kind| MEMORY.contains(kind)) {
        out.push_str("    p = malloc(sizeof *p);\n    *p = 1;\n");
    }
    if kinds.iter().any(|kind| DESTRUCTIONS.contains(kind)) {
        out.push_str("    h = malloc(sizeof *h);\n    pthread_cond_init(h, 0);\n");
    }
    let mut order: Vec<usize> = (0..threads).collect();
    for i in (1..threads).rev() {
        order.swap(i, random.below(i + 1));
    }
    for (place, thread) in order.iter().enumerate() {
        if place > 0 && random.percent(15) {
            let _ = writeln!(out, "    {}", operation(random, kinds, one));
        }
        let _ = writeln!(out, "    pthread_create(&t[{thread}], 0, {PREFIX}t{thread}, 0);");
    }
    if threads == 1 || random.percent(30) {
        let _ = writeln!(out, "    {}", operation(random, kinds, one));
    }
    if random.percent(90) {
        let _ = writeln!(out, "    for (int i = 0; i < {threads}; i++) pthread_join(t[i], 0);");
    }
    out.push_str("    printf(\"%d %d %d %d\", v, ready, x[0], x[1]);\n");
    out.push_str("    printf(\" %d %d %d %d\\n\", z, seen[0], seen[1], seen[2]);\n    return 0;\n}\n");
}
