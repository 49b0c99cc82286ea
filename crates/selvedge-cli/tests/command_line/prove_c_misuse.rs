//! `selvedge prove` on C programs that do what has no meaning: none of them is safe.

use crate::{Scratch, selvedge_with};

/// Proves a program that begins with the usual headers in one line.
fn prove(name: &str, text: &str) -> crate::Ran {
    let headers = "#include <assert.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <string.h>\n\
        int __VERIFIER_nondet_int(void);\n";
    let program = Scratch::holding(&format!("misuse-{name}.c"), &format!("{headers}{text}"));
    selvedge_with(&["prove", "-q", program.path()])
}

fn is_safe(name: &str, text: &str) {
    let ran = prove(name, text);
    assert!(ran.stdout.contains("safe: ") && ran.code == 0, "{text}: {ran:?}");
}

fn is_wrong(name: &str, text: &str) {
    let ran = prove(name, text);
    assert!(ran.stdout.contains("assertion failed") && ran.code == 1, "{text}: {ran:?}");
}

fn is_refused(name: &str, text: &str, why: &str) {
    let ran = prove(name, text);
    assert!(
        ran.stderr.contains(&format!("not supported by proofs: {why}")) && ran.code == 2,
        "{text}: {ran:?}"
    );
}

#[test]
fn memory_is_copied_and_set_in_whole_elements_within_its_bounds() {
    is_safe(
        "whole",
        "int a[4] = {1, 2, 3, 4}, b[4]; int main(void) {\n memcpy(b, a, 16); memset(&a[1], 1, 8);\n\
         assert(b[3] == 4 && a[0] == 1 && a[1] == 0x01010101 && a[2] == a[1] && a[3] == 4); }",
    );
    let part = "a part of a variable that is copied or set";
    is_refused("few", "int main(void) { int x = 5; memset(&x, 1, 2); assert(x == 0x01010101); }", part);
    is_refused("inside", "int main(void) { int x = 5; memset((char *)&x + 1, 0, 1); assert(x == 5); }", part);
    is_refused("copy", "int a = 1, b = 2; int main(void) { memcpy(&a, &b, 2); assert(a == 2); }", part);
    is_wrong("set-beyond", "int a[4], z[4]; int main(void) { memset(a, 0, 100); }");
    is_wrong("copy-beyond", "int a[4], z[4]; int main(void) { memcpy(a, z, 20); }");
    is_wrong("before", "int a[4], z[4]; int main(void) { memcpy(a - 1, z, 8); }");
    is_wrong(
        "beyond-sometimes",
        "int a[4]; int main(void) { if (__VERIFIER_nondet_int() == 7) memset(a, 0, sizeof(a) + 1); }",
    );
    is_wrong("constant", "const int k = 3; int main(void) { int v = 4; memcpy((void *)&k, &v, 4); }");
    is_wrong("null", "int *p; int main(void) { memset(p, 0, 4); }");
}

#[test]
fn overlapping_memory_is_read_before_it_is_changed() {
    is_wrong(
        "forwards",
        "int a[4] = {1, 2, 3, 4}; int main(void) { memmove(&a[1], &a[0], 12); assert(a[3] == 1); }",
    );
    is_safe(
        "moved",
        "int a[4]; int main(void) { int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();\n\
         a[0] = n; a[1] = m; memmove(&a[1], &a[0], 12); assert(a[1] == n && a[2] == m && a[3] == 0); }",
    );
    is_refused(
        "overlap",
        "int a[4]; int main(void) { memcpy(&a[1], &a[0], 12); }",
        "`memcpy` between overlapping parts of a variable",
    );
}

#[test]
fn the_library_accesses_no_variable_of_a_function_that_has_returned() {
    is_wrong(
        "set-dead",
        "int *p; void set(void) { int l = 3; p = &l; } int main(void) { set(); memset(p, 0, 4); }",
    );
    is_wrong(
        "lock-dead",
        "pthread_mutex_t *make(void) { pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, *p = &m; return p; }\n\
         int main(void) { pthread_mutex_t *q = make(); pthread_mutex_lock(q); }",
    );
}

#[test]
fn variables_of_a_function_that_has_returned_are_not_those_of_its_next_call() {
    is_wrong(
        "next-call",
        "int *p; void f(int first) { int x = 0; if (first) p = &x; else *p = 3; }\n\
         int main(void) { for (int i = 0; i < __VERIFIER_nondet_int(); i++) f(i == 0); }",
    );
    is_safe(
        "same-call",
        "int *p; void f(void) { int x = 0; p = &x; *p = 3; assert(x == 3); }\n\
         int main(void) { while (__VERIFIER_nondet_int()) f(); }",
    );
}

#[test]
fn no_other_thread_uses_variables_of_a_function_that_has_returned() {
    let late = "local variables that other threads may use after the function has returned";
    is_refused(
        "late",
        "pthread_t t; void *f(void *u) { int *p = u; assert(*p == 5); *p = 6; return 0; }\n\
         void start(void) { int l = 5; pthread_create(&t, 0, f, &l); }\n\
         int main(void) { start(); pthread_join(t, 0); }",
        late,
    );
    is_refused(
        "late-lock",
        "pthread_t t; void *f(void *u) { pthread_mutex_lock(u); return 0; }\n\
         void start(void) { pthread_mutex_t m; pthread_mutex_init(&m, 0); pthread_create(&t, 0, f, &m); }\n\
         int main(void) { start(); pthread_join(t, 0); }",
        late,
    );
    is_refused(
        "of-a-thread",
        "int *_Atomic p; void *f(void *u) { int x = 0; p = &x; return 0; }\n\
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); int *q = p; if (q) *q = 3; pthread_join(t, 0); }",
        "an access to a part of `%2` that is no variable",
    );
    is_safe(
        "joined",
        "void *f(void *u) { int *p = u; *p = 6; return 0; }\n\
         void run(void) { pthread_t t; int l = 5; pthread_create(&t, 0, f, &l); pthread_join(t, 0); assert(l == 6); }\n\
         int main(void) { run(); }",
    );
}

#[test]
fn locks_are_released_by_those_who_hold_them() {
    let start = "int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);\n\
         pthread_join(a, 0); pthread_join(b, 0); }";
    let rwlock = "pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER; int x;\n";
    let writer =
        "void *f(void *u) { pthread_rwlock_wrlock(&r); x++; pthread_rwlock_unlock(&r); return 0; }\n";
    let reader = "void *g(void *u) { pthread_rwlock_rdlock(&r); int t = x; assert(t == x); pthread_rwlock_unlock(&r); return 0; }\n";
    let trying = "void *g(void *u) { if (!pthread_rwlock_tryrdlock(&r)) { int t = x; assert(t == x); pthread_rwlock_unlock(&r); } return 0; }\n";
    is_safe("rwlock", &format!("{rwlock}{writer}{reader}{start}"));
    is_safe("tried", &format!("{rwlock}{writer}{trying}{start}"));
    is_wrong(
        "free",
        "pthread_rwlock_t r; int main(void) { pthread_rwlock_init(&r, 0); pthread_rwlock_unlock(&r); }",
    );
    let twice = writer.replace("return", "pthread_rwlock_unlock(&r); return");
    is_wrong("twice", &format!("{rwlock}{twice}{reader}{start}"));
    let other = "void *g(void *u) { pthread_rwlock_unlock(&r); return 0; }\n\
        void *f(void *u) { pthread_rwlock_LOCK(&r); return 0; }\n\
        int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_join(a, 0);\n\
        pthread_create(&b, 0, g, 0); pthread_join(b, 0); }";
    for lock in ["wrlock", "rdlock"] {
        is_wrong(&format!("other-{lock}"), &format!("{rwlock}{}", other.replace("LOCK", lock)));
    }
    let spin = "pthread_spinlock_t r; int x;\n\
        void *f(void *u) { pthread_spin_lock(&r); x++; pthread_spin_unlock(&r); return 0; }\n\
        void *g(void *u) { EARLY pthread_spin_lock(&r); x++; pthread_spin_unlock(&r); return 0; }\n\
        int main(void) { pthread_t a, b; pthread_spin_init(&r, 0); pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);\n\
        pthread_join(a, 0); pthread_join(b, 0); assert(x == 2); }";
    is_safe("spin", &spin.replace("EARLY", ""));
    is_wrong("spin-free", &spin.replace("EARLY", "pthread_spin_unlock(&r);"));
}

#[test]
fn a_thread_is_joined_or_detached_once() {
    let joins = |statements: &str| {
        format!(
            "void *f(void *u) {{ return 0; }} int main(void) {{ pthread_t a; pthread_attr_t d; pthread_attr_init(&d);\n {statements} }}"
        )
    };
    is_safe("join", &joins("pthread_create(&a, 0, f, 0); pthread_join(a, 0);"));
    is_safe("detach", &joins("pthread_create(&a, 0, f, 0); pthread_detach(a);"));
    is_wrong("join-twice", &joins("pthread_create(&a, 0, f, 0); pthread_join(a, 0); pthread_join(a, 0);"));
    is_wrong("join-detached", &joins("pthread_create(&a, 0, f, 0); pthread_detach(a); pthread_join(a, 0);"));
    is_refused(
        "attribute",
        &joins("pthread_attr_setdetachstate(&d, 1); pthread_create(&a, &d, f, 0); pthread_join(a, 0);"),
        "awaiting a thread where attributes make threads detached",
    );
    is_refused(
        "two-joiners",
        "void *f(void *u) { return 0; } void *g(void *u) { pthread_join((pthread_t)u, 0); return 0; }\n\
         int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, (void *)a); pthread_join(a, 0); pthread_join(b, 0); }",
        "a thread that several threads await or detach",
    );
}

#[test]
fn memory_that_nobody_wrote_holds_anything() {
    let thread = "void *t(void *u) { x = 1; return 0; }\n";
    let run = "pthread_t a; pthread_create(&a, 0, t, 0); pthread_join(a, 0);";
    is_wrong(
        "malloc",
        "#include <stdlib.h>\nint main(void) { int *p = malloc(4); assert(*p == 0); return 0; }",
    );
    is_safe(
        "calloc",
        "#include <stdlib.h>\nint main(void) { int *p = calloc(1, 4); assert(*p == 0); return 0; }",
    );
    is_wrong(
        "shared-malloc",
        &format!(
            "#include <stdlib.h>\nint *p; int x; void *t(void *u) {{ assert(*p != 5); *p = 1; return 0; }}\n\
             int main(void) {{ p = malloc(4); {run} x = *p; return 0; }}"
        ),
    );
    is_safe(
        "shared-calloc",
        &format!(
            "#include <stdlib.h>\nint *p; void *t(void *u) {{ assert(*p == 0); return 0; }}\n\
             int main(void) {{ p = calloc(1, 4); {run} return 0; }}"
        ),
    );
    // An address that nobody wrote may be that of a variable, or of none.
    let addresses = |assertion: &str| {
        format!(
            "int x; int **shared; {thread}int main(void) {{ int *p; shared = &p; pthread_t a, b;\n\
             pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t2, 0); pthread_join(b, 0); {assertion} return 0; }}"
        )
        .replace(thread, &format!("{thread}int *kept; void *t2(void *u) {{ kept = *shared; if (x > 5) *shared = &x; return 0; }}\n"))
    };
    is_wrong("null", &addresses("assert(kept == 0);"));
    is_wrong("not-null", &addresses("assert(kept != &x);"));
    is_wrong("stray", &addresses("assert(kept == 0 || kept == &x);"));
}

#[test]
fn numbers_in_allocated_memory_are_no_addresses() {
    let program = |assertion: &str| {
        format!(
            "#include <stdlib.h>\nlong *p; void *t(void *u) {{ *p = 0; return 0; }}\n\
             int main(void) {{ pthread_t a; p = malloc(sizeof(long)); *p = 5; pthread_create(&a, 0, t, 0);\n\
             long v = *p; {assertion} pthread_join(a, 0); return 0; }}"
        )
    };
    is_wrong("long", &program("assert(v == 0);"));
    is_safe("long-or", &program("assert(v == 0 || v == 5);"));
    is_wrong(
        "number-as-address",
        "void *p = (void *)5; void *t(void *u) { p = 0; return 0; }\n\
         int main(void) { pthread_t a; pthread_create(&a, 0, t, 0); void *v = p; assert(v == 0);\n\
         pthread_join(a, 0); return 0; }",
    );
}

#[test]
fn strings_that_are_known_are_copied() {
    let program = |size: u32, assertion: &str| {
        format!(
            "#include <stdlib.h>\nchar *v; void *t(void *u) {{ strcpy(v, \"abc\"); return 0; }}\n\
             int main(void) {{ pthread_t a; v = malloc({size}); v[0] = 'x'; pthread_create(&a, 0, t, 0);\n\
             pthread_join(a, 0); {assertion} return 0; }}"
        )
    };
    is_safe("strcpy", &program(4, "assert(v[0] == 'a' && v[2] == 'c' && v[3] == 0);"));
    is_wrong("strcpy-wrong", &program(4, "assert(v[0] == 'x');"));
    is_refused("strcpy-small", &program(3, ""), "an access out of the bounds of allocated memory");
}

/// Which threads there are may depend on an input, if it has a bound.
#[test]
fn threads_that_were_not_started_are_not_awaited() {
    let program = |joined: &str| {
        format!(
            "int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
             void *t(void *u) {{ pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }}\n\
             int main(void) {{ pthread_t a[3]; int n = __VERIFIER_nondet_int(); if (n < 1 || n > 2) return 0;\n\
             for (int i = 0; i < n; i++) pthread_create(&a[i], 0, t, 0);\n\
             for (int i = 0; i < {joined}; i++) pthread_join(a[i], 0);\n\
             assert(x <= 2); return 0; }}"
        )
    };
    is_safe("bounded-threads", &program("n"));
    is_wrong("too-few-threads", &program("2"));
}

#[test]
fn freed_memory_is_not_used_and_not_freed_again() {
    let blocks = |statements: &str| {
        format!(
            "#include <stdlib.h>\nint main(void) {{ int x = 1, *p = malloc(8); *p = 1; {statements} return 0; }}"
        )
    };
    is_safe("freed", &blocks("free(p); free(0); p = malloc(8); *p = 2; assert(*p == 2); free(p);"));
    is_wrong("read-after-free", &blocks("free(p); x = *p;"));
    is_wrong("write-after-free", &blocks("free(p); p[1] = 3;"));
    is_wrong("copy-after-free", &blocks("free(p); memcpy(&x, p, 4);"));
    is_wrong("free-twice", &blocks("free(p); if (x == 1) free(p);"));
    is_wrong("free-local", &blocks("free(&x);"));
    is_wrong("free-within", &blocks("free(p + 1);"));
    is_wrong("free-sometimes", &blocks("if (__VERIFIER_nondet_int()) free(p); x = *p;"));
}

#[test]
fn memory_is_freed_when_no_other_thread_may_use_it() {
    let shared = |thread: &str, before: &str, after: &str| {
        format!(
            "#include <stdlib.h>\nint *p; void *t(void *u) {{ {thread} return 0; }}\n\
             int main(void) {{ pthread_t a; p = calloc(1, 4); pthread_create(&a, 0, t, 0); {before} pthread_join(a, 0); {after} return 0; }}"
        )
    };
    is_safe("joined", &shared("*p = 1;", "", "assert(*p == 1); free(p);"));
    is_safe("own", &shared("int *q = malloc(4); *q = 1; assert(*q == 1); free(q);", "*p = 2;", "free(p);"));
    is_wrong("joined-twice", &shared("*p = 1;", "", "free(p); free(p);"));
    let others = "memory that is freed when other threads may use it";
    is_refused("running", &shared("*p = 1;", "free(p);", ""), others);
    is_refused("by-both", &shared("free(p);", "free(p);", ""), others);
    is_refused("by-thread", &shared("free(p);", "*p = 1;", ""), others);
    is_refused(
        "started-later",
        "#include <stdlib.h>\nint *p; void *t(void *u) { *p = 1; return 0; }\n\
         int main(void) { pthread_t a; p = calloc(1, 4); free(p); pthread_create(&a, 0, t, 0); pthread_join(a, 0); return 0; }",
        "starting a thread that may use memory which was freed",
    );
}

/// With a property, too: what is compared may be the same address, and what is used after it was freed has no meaning.
#[test]
fn freed_memory_matters_to_properties() {
    let property = |name: &str, text: &str| {
        let headers = "#include <stdlib.h>\nvoid reach_error(void);\n";
        let program = Scratch::holding(&format!("freed-{name}.c"), &format!("{headers}{text}"));
        selvedge_with(&["prove", "--property", "unreach-call", program.path()])
    };
    let reused = property(
        "reused",
        "int main(void) { char *p = malloc(4); free(p); char *q = malloc(4); if (p == q) reach_error(); }",
    );
    assert!(reused.stderr.contains("a comparison of the addresses of freed memory"), "{reused:?}");
    let used = property("used", "int main(void) { int *p = calloc(1, 4); free(p); if (*p) reach_error(); }");
    assert!(used.stdout.contains("VERDICT: unknown"), "{used:?}");
    let freed =
        property("freed", "int main(void) { int *p = calloc(1, 4); if (*p) reach_error(); free(p); }");
    assert!(freed.stdout.contains("VERDICT: true"), "{freed:?}");
}

#[test]
fn branches_and_addresses_do_not_depend_on_uninitialised_values() {
    let local = |statements: &str| format!("int g; int main(void) {{ int u; {statements} return 0; }}");
    is_safe(
        "copied",
        &local("int w = u; struct {{ int a, b; }} s, r; s.a = 1; r = s; g = w;")
            .replace("{{", "{")
            .replace("}}", "}"),
    );
    is_wrong("branch", &local("if (u > 3) g = 1;"));
    is_wrong("sum", &local("if (u + 1 == 3) g = 1;"));
    is_wrong("switch", &local("switch (u) { case 1: g = 1; }"));
    is_wrong("address", &local("int *p; g = *p;"));
    is_safe("decided", &local("unsigned v; if (v < 0u) g = 1; if (g) u = 1;"));
}

#[test]
fn locks_are_not_used_after_they_were_destroyed() {
    let declared = "sem_t s; pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; pthread_spinlock_t k;\n\
        pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n";
    let main = |body: &str| format!("{declared}int main(void) {{ {body} }}");
    for (name, body) in [
        ("semaphore", "sem_init(&s, 0, 1); sem_destroy(&s); sem_wait(&s);"),
        ("twice", "sem_init(&s, 0, 1); sem_destroy(&s); sem_destroy(&s);"),
        ("readers", "pthread_rwlock_destroy(&l); pthread_rwlock_rdlock(&l);"),
        ("held", "pthread_rwlock_wrlock(&l); pthread_rwlock_destroy(&l);"),
        ("spin", "pthread_spin_init(&k, 0); pthread_spin_lock(&k); pthread_spin_destroy(&k);"),
        ("condition", "pthread_cond_destroy(&c); if (__VERIFIER_nondet_int()) pthread_cond_signal(&c);"),
    ] {
        is_wrong(name, &main(body));
    }
    is_safe(
        "again",
        &main("sem_init(&s, 0, 0); sem_destroy(&s); sem_init(&s, 0, 1); sem_wait(&s); sem_destroy(&s);"),
    );
    is_safe(
        "in-time",
        &main("pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l); pthread_rwlock_destroy(&l);"),
    );
    is_refused(
        "used-by-others",
        &format!(
            "{declared}void *f(void *u) {{ sem_post(&s); return 0; }}\n\
             int main(void) {{ pthread_t t; sem_init(&s, 0, 0); pthread_create(&t, 0, f, 0); sem_wait(&s); sem_destroy(&s);\n\
             pthread_join(t, 0); }}"
        ),
        "a lock or condition variable that is destroyed when other threads may use it",
    );
}
