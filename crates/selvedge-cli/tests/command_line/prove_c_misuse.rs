//! `selvedge prove` on C programs that do what has no meaning: none of them is safe.

use crate::{Scratch, selvedge_with};

/// Proves a program that begins with the usual headers in one line.
fn prove(name: &str, text: &str) -> crate::Ran {
    let headers = "#include <assert.h>\n#include <pthread.h>\n#include <string.h>\n\
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
    assert!(ran.stderr.contains(&format!("not supported: {why}")) && ran.code == 2, "{text}: {ran:?}");
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
