//! `selvedge prove` on C programs.

use crate::{Scratch, selvedge, selvedge_with};

/// The programs of iterative model checking, in C, with what each must come to.
const TWINS: [(&str, &str, &str); 12] = [
    ("producer_consumer", "-DN=5 -DP=1 -DC=1", "safe"),
    ("producer_consumer", "-DN=1000 -DP=1 -DC=1", "safe"),
    ("producer_consumer", "-DN=5 -DP=2 -DC=2", "safe"),
    ("producer_consumer", "-DN=1000 -DP=2 -DC=2", "safe"),
    ("producer_consumer_broken", "", "partially safe"),
    ("double_lock", "", "safe"),
    ("double_lock_broken", "", "partially safe"),
    ("race", "", "partially safe"),
    ("file_system", "", "safe"),
    ("file_system_declared", "", "safe"),
    ("file_system_useful", "", "safe"),
    ("barrier_ring", "", "safe"),
];

#[test]
fn the_programs_in_c_have_the_verdicts_of_their_twins() {
    for (name, cflags, verdict) in TWINS {
        let ran = selvedge(&format!("prove benches/imc/{name}.c -q -- {cflags}"));
        assert!(ran.stdout.contains(&format!("\n{verdict}: ")), "{name} {cflags}: {ran:?}");
        assert_eq!(ran.code, i32::from(verdict != "safe"));
        let defines = cflags.replace("-D", "-D ");
        let ran = selvedge(&format!("prove benches/imc/{name}.sel -q {defines}"));
        assert!(ran.stdout.contains(&format!("\n{verdict}: ")), "{name}.sel {cflags}: {ran:?}");
    }
}

#[test]
fn what_a_proof_finds_wrong_exploration_finds_too() {
    for name in ["double_lock_broken", "producer_consumer_broken"] {
        let ran = selvedge(&format!("check benches/imc/{name}.c -q --unroll 8 --algorithm source"));
        assert_eq!(ran.code, 1, "{name}: {ran:?}");
    }
}

#[test]
fn a_counterexample_is_told_in_the_lines_and_names_of_the_source() {
    let ran = selvedge("prove examples/lost_update.c -q");
    let told = [
        "│ main                             │ first#1       │ second#2\n",
        "   1    18 │ pthread_create(&a, 0, first, 0)  │",
        " 7 │                                  │ x++           │\n",
        "│   reads x = 0 │",
        "│ assert(x == 2)                   │               │\n           │   reads x = 1                    │",
        "assertion failed: `x == 2` in main at examples/lost_update.c:22:5\n  22 │     assert(x == 2);\n",
        "\npartially safe: ",
    ];
    for part in told {
        assert!(ran.stdout.contains(part), "{part}\n{}", ran.stdout);
    }
}

#[test]
fn a_c_program_is_explored_under_its_schedule() {
    let schedule = Scratch::new("c-schedule");
    let path = schedule.path();
    let ran = selvedge(&format!("prove examples/lost_update.c --iterations 1 --schedule {path}"));
    assert_eq!(ran.code, 3, "{ran:?}");
    let ran = selvedge(&format!("check examples/lost_update.c --schedule {path}"));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains(", of what the schedule "), "{}", ran.stdout);
    let ran = selvedge(&format!("check examples/lost_update.c --unroll 3 --schedule {path}"));
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("--unroll cannot be used"), "{}", ran.stderr);
}

#[test]
fn a_proof_of_a_c_program_can_be_checked() {
    let certificate = Scratch::new("c-proof");
    let path = certificate.path();
    let ran = selvedge(&format!("prove benches/imc/double_lock.c --certificate {path}"));
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = selvedge(&format!("certify {path} benches/imc/double_lock.c"));
    assert!(ran.stdout.starts_with("certified: safe under all schedules ("), "{ran:?}");
    let ran = selvedge(&format!("certify {path} benches/imc/file_system.c"));
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("it is about another program"), "{}", ran.stderr);
}

#[test]
fn one_property_can_be_proved() {
    let text = "#include <pthread.h>\n#include <stdlib.h>\nextern void reach_error(void);\nint x, on;\n\
        void *t(void *u) { while (on) { x = 1; x = 2; } return 0; }\n\
        int main(void) { pthread_t a; on = 1; pthread_create(&a, 0, t, 0);\n    if (x > LIMIT) reach_error();\n    if (x == 2) abort();\n\
        pthread_join(a, 0); }\n";
    let program = Scratch::holding("property.c", text);
    let prove = |limit: &str| {
        selvedge_with(&[
            "prove",
            "-q",
            "--property",
            "unreach-call",
            program.path(),
            "--",
            &format!("-DLIMIT={limit}"),
        ])
    };
    let ran = prove("2");
    assert!(ran.stdout.ends_with("VERDICT: true\n") && ran.code == 0, "{ran:?}");
    let ran = prove("1");
    assert!(ran.stdout.ends_with("VERDICT: false(unreach-call)\n") && ran.code == 1, "{ran:?}");
    let ran = selvedge("prove --property no-data-race examples/lost_update.c");
    assert!(ran.stderr.contains("only --property unreach-call can be proved") && ran.code == 2, "{ran:?}");
    let ran = selvedge("prove --property unreach-call examples/peterson.sel");
    assert!(ran.stderr.contains("--property is for C and C++ only") && ran.code == 2, "{ran:?}");
}

#[test]
fn what_cannot_be_translated_is_refused_with_the_reason_and_the_line() {
    let refusals = [
        ("double d; int main(void) {\n  d = 1; }", "2:3: not supported by proofs: floating point"),
        (
            "int f(int n) { return n ?\n  f(n - 1) : 0; } int main(void) { return f(3); }",
            "2:3: not supported by proofs: recursion: `f` calls itself",
        ),
        (
            "int g(void); int main(void) {\n return g(); }",
            "2:2: the function `g` has no body and is not known",
        ),
        (
            "#include <pthread.h>\nint __VERIFIER_nondet_int(void); void *t(void *u) { return 0; }\nint main(void) { pthread_t a; int n = __VERIFIER_nondet_int();\n\
             for (int i = 0; i < n; i++)\n    pthread_create(&a, 0, t, 0); }",
            "not supported by proofs: ",
        ),
        (
            "#include <stdlib.h>\nint main(void) { char *p = malloc(4); free(p); char *q = malloc(4);\n  return p == q; }",
            "3:3: not supported by proofs: a comparison of the addresses of freed memory",
        ),
        (
            "int a(int x) { return x; } int b(int x) { return -x; } int __VERIFIER_nondet_int(void);\nint main(void) {\n int (*f)(int) = __VERIFIER_nondet_int() ? a : b;\n return f(1); }",
            "not supported by proofs: ",
        ),
    ];
    for (number, (text, expected)) in refusals.into_iter().enumerate() {
        let program = Scratch::holding(&format!("refused-{number}.c"), text);
        let ran = selvedge_with(&["prove", program.path()]);
        assert_eq!(ran.code, 2, "{text}: {ran:?}");
        assert!(ran.stderr.contains(expected), "{expected}: {}", ran.stderr);
    }
}

#[test]
fn threads_may_wake_up_without_a_signal_if_asked() {
    let program = "crates/selvedge-testkit/corpus/c/spurious_wakeup.c";
    assert_eq!(selvedge(&format!("prove -q {program}")).code, 0);
    assert_eq!(selvedge(&format!("prove -q --spurious-wakeups {program}")).code, 1);
}

/// Programs that are wrong, each for a reason that a careless translation overlooks.
#[test]
fn what_is_wrong_is_not_called_safe() {
    let wrong = [
        // Products of 64 bits wrap around.
        (
            "",
            "int main(void) { unsigned a = uint(), b = uint(); assert((long)((unsigned long)a * b) >= 0); }",
        ),
        // Results of earlier rounds are still used.
        (
            "-O1",
            "int main(void) { unsigned char prev = 1, cur = truth();\n#pragma clang loop unroll(disable)\n\
             for (int i = 0; i < 3; i++) { unsigned char n = (cur ^ 5) | ((prev ^ 3) << 4); prev = cur; cur = n; }\n\
             assert(prev == cur); }",
        ),
        // A division fails although its result tells nothing, or is not used.
        ("", "int main(void) { unsigned char x = byte(), y = byte(); assert(x / y <= 255); }"),
        ("", "int main(void) { unsigned char x = byte(), y = byte(); return x % y >= 0 ? 0 : 1; }"),
        ("", "int main(void) { int x = truth(); (void)(1 / x); }"),
        ("", "int main(void) { int y = -truth(); return (-2147483647 - 1) / (y ? y : 1) == 0; }"),
        // What the program says itself counts.
        ("", "int g; void perror(const char *s) { g = 1; } int main(void) { perror(0); assert(g == 0); }"),
        (
            "",
            "void assume_abort_if_not(int c) { if (!c) abort(); } int main(void) { assume_abort_if_not(truth()); }",
        ),
        // What nobody wrote is anything.
        ("", "int main(void) { int a[2]; int i = truth(); assert(a[i] == 0); }"),
        (
            "",
            "int g = 5; void *f(void *u) { assert(g == 5); return 0; }\n\
             int main(void) { pthread_t a; int u; g = u; pthread_create(&a, 0, f, 0); pthread_join(a, 0); g = 1; }",
        ),
        (
            "",
            "void *f(void *u) { assert(*(int *)u == 0); *(int *)u = 1; return 0; }\n\
             int main(void) { pthread_t a; int u; pthread_create(&a, 0, f, &u); pthread_join(a, 0); return u; }",
        ),
    ];
    let header = "#include <assert.h>\n#include <pthread.h>\nvoid abort(void); void perror(const char *);\n\
        unsigned __VERIFIER_nondet_uint(void); _Bool __VERIFIER_nondet_bool(void); unsigned char __VERIFIER_nondet_uchar(void);\n\
        #define uint __VERIFIER_nondet_uint\n#define truth __VERIFIER_nondet_bool\n#define byte __VERIFIER_nondet_uchar\n";
    for (number, (cflags, text)) in wrong.into_iter().enumerate() {
        let program = Scratch::holding(&format!("wrong-{number}.c"), &format!("{header}{text}\n"));
        let mut arguments = vec!["prove", "-q", program.path()];
        if !cflags.is_empty() {
            arguments.extend(["--", cflags]);
        }
        let ran = selvedge_with(&arguments);
        assert_eq!(ran.code, 1, "{text}: {ran:?}");
    }
    let program = Scratch::holding(
        "own-rand.c",
        "#include <assert.h>\nint rand(void) { return 7; } int main(void) { assert(rand() == 7); }\n",
    );
    assert_eq!(selvedge_with(&["prove", "-q", program.path()]).code, 0);
    let program = Scratch::holding(
        "written.c",
        "#include <stdio.h>\nint main(void) {\n  return printf(\"hi\") == 2; }\n",
    );
    let ran = selvedge_with(&["prove", "-q", program.path()]);
    assert!(
        ran.stderr.contains("not supported by proofs: the result of `printf`") && ran.code == 2,
        "{ran:?}"
    );
}
