//! Verdicts claim no more than was explored: no verdict without an execution, none beyond a bound.

use crate::{Ran, Scratch, selvedge, selvedge_with};
use selvedge_explore::BoundKind;
use selvedge_machine::{Checks, Options};
use selvedge_testkit::random::Random;
use selvedge_testkit::table_c::{Template, Vocabulary, brute_force, machine};

/// A model whose only execution ends at a false assumption.
const IMPOSSIBLE: &str = "thread t { assume(false); assert(false); }\n";
/// The same in C.
const IMPOSSIBLE_IN_C: &str = "extern void __VERIFIER_assume(int);\nextern void reach_error(void);\n\
    int main(void) { __VERIFIER_assume(0); reach_error(); return 0; }\n";

fn last(ran: &Ran) -> &str {
    ran.stdout.lines().last().unwrap_or("")
}

#[test]
fn a_program_that_never_gets_past_its_assumptions_is_not_verified() {
    for (name, text) in [("impossible.sel", IMPOSSIBLE), ("impossible.c", IMPOSSIBLE_IN_C)] {
        let program = Scratch::holding(name, text);
        for algorithm in ["optimal", "source", "lazy-stateful", "value-centric", "exhaustive", "lazy-bounded"]
        {
            let ran = selvedge_with(&["check", program.path(), "-q", "--algorithm", algorithm]);
            assert_eq!(ran.code, 3, "{name}, {algorithm}: {}{}", ran.stdout, ran.stderr);
            assert!(ran.stdout.contains("every execution ends at a false assumption"), "{}", ran.stdout);
        }
        let ran = selvedge_with(&["check", program.path(), "-q", "--allow-vacuous"]);
        assert_eq!(ran.code, 0, "{}", ran.stdout);
        assert!(last(&ran).contains("nothing was checked to its end"), "{}", ran.stdout);
        let ran = selvedge_with(&["prove", program.path(), "-q"]);
        assert_eq!(ran.code, 3, "{}", ran.stdout);
        assert!(ran.stdout.contains("gets past its assumptions"), "{}", ran.stdout);
        let ran = selvedge_with(&["prove", program.path(), "-q", "--allow-vacuous"]);
        assert_eq!(ran.code, 0, "{}", ran.stdout);
    }
}

#[test]
fn a_property_of_a_program_without_executions_is_unknown() {
    let program = Scratch::holding("impossible-property.c", IMPOSSIBLE_IN_C);
    for command in ["check", "prove"] {
        let ran = selvedge_with(&[command, program.path(), "-q", "--property", "unreach-call"]);
        assert_eq!((last(&ran), ran.code), ("VERDICT: unknown", 3), "{}", ran.stdout);
        let ran =
            selvedge_with(&[command, program.path(), "-q", "--property", "unreach-call", "--allow-vacuous"]);
        assert_eq!((last(&ran), ran.code), ("VERDICT: true", 0), "{}", ran.stdout);
    }
}

#[test]
fn programs_that_end_or_whose_inputs_fit_their_assumptions_are_not_vacuous() {
    let ends = "#include <stdlib.h>\nint main(void) { exit(0); }\n";
    let narrow = "extern void __VERIFIER_assume(int);\nextern void reach_error(void);\n\
        extern int __VERIFIER_nondet_int(void);\nint main(void) {\n    int n = __VERIFIER_nondet_int();\n    \
        __VERIFIER_assume(n > 100000 && n < 100004);\n    if (n < 100000) reach_error();\n    return 0;\n}\n";
    for (name, text) in [("ends.c", ends), ("narrow.c", narrow)] {
        let program = Scratch::holding(name, text);
        for command in ["check", "prove"] {
            let ran = selvedge_with(&[command, program.path(), "-q", "--property", "unreach-call"]);
            assert_eq!((last(&ran), ran.code), ("VERDICT: true", 0), "{command} {name}: {}", ran.stdout);
        }
    }
}

#[test]
fn an_empty_program_is_not_safe_without_a_word() {
    let program = Scratch::holding("empty.sel", "// Nothing.\n");
    for command in ["check", "prove"] {
        let ran = selvedge_with(&[command, program.path(), "-q"]);
        assert_eq!(ran.code, 3, "{}", ran.stdout);
        assert!(ran.stdout.contains("the program has no threads"), "{}", ran.stdout);
        let ran = selvedge_with(&[command, program.path(), "-q", "--allow-vacuous"]);
        assert_eq!(ran.code, 0, "{}", ran.stdout);
    }
    let program = Scratch::holding("empty.d", "");
    assert_eq!(selvedge_with(&["check", program.path()]).code, 2);
}

#[test]
fn a_choice_by_cut_executions_does_not_claim_everything() {
    for program in ["examples/lost_update.c", "examples/bank_account.sel"] {
        let ran = selvedge(&format!("check {program} --algorithm auto --max-depth 2"));
        assert!(!ran.stdout.contains("explores everything"), "{}", ran.stdout);
        assert!(ran.stdout.contains("not all of which came to their ends"), "{}", ran.stdout);
        assert_eq!(ran.code, 3, "{}", ran.stdout);
    }
}

#[test]
fn a_property_is_true_only_without_a_bound() {
    let program = "examples/lost_update.c";
    let decide = |options: &str| selvedge(&format!("check {program} -q --property unreach-call {options}"));
    for options in
        ["--preemptions 0", "--delays 0", "--iterative --preemptions 0", "--preemptions 0 --unroll 5"]
    {
        let ran = decide(options);
        assert_eq!((last(&ran), ran.code), ("VERDICT: unknown", 3), "{options}: {}", ran.stdout);
        assert!(ran.stdout.contains("the property is about those that need more, too"), "{}", ran.stdout);
    }
    for (options, claim) in [
        ("--preemptions 1", "with at most 1 preemption,"),
        ("--iterative", "with 1 preemption, none with fewer,"),
        ("--iterative --delays 3", "with 1 delay, none with fewer,"),
        ("", "found in execution"),
    ] {
        let ran = decide(options);
        assert_eq!((last(&ran), ran.code), ("VERDICT: false(unreach-call)", 1), "{options}: {}", ran.stdout);
        assert!(ran.stdout.contains(claim), "{options}: {}", ran.stdout);
    }
    let program = "crates/selvedge-testkit/corpus/c/mutex_counter.c";
    for options in ["--preemptions 9", "--iterative"] {
        let ran = selvedge(&format!("check {program} -q --property unreach-call {options}"));
        assert_eq!((last(&ran), ran.code), ("VERDICT: true", 0), "{options}: {}", ran.stdout);
    }
}

#[test]
fn a_property_that_cannot_be_decided_is_refused() {
    for property in ["termination", "valid-memcleanup", "no-deadlock"] {
        for command in ["check", "prove"] {
            let ran = selvedge(&format!("{command} examples/lost_update.c --property {property}"));
            assert_eq!(ran.code, 2, "{command} --property {property}");
            assert!(ran.stderr.contains("invalid value"), "{}", ran.stderr);
        }
    }
}

/// A program that allocates, waits for a signal, and has more than one thread.
const RESTING: &str = "#include <pthread.h>\n#include <stdlib.h>\n\
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\npthread_cond_t c = PTHREAD_COND_INITIALIZER;\nint *ready;\n\
    void *wait(void *u) {\n    pthread_mutex_lock(&m);\n    while (!*ready) pthread_cond_wait(&c, &m);\n    \
    pthread_mutex_unlock(&m);\n    return 0;\n}\nint main(void) {\n    ready = calloc(1, sizeof *ready);\n    \
    pthread_t t;\n    pthread_create(&t, 0, wait, 0);\n    pthread_mutex_lock(&m);\n    *ready = 1;\n    \
    pthread_cond_signal(&c);\n    pthread_mutex_unlock(&m);\n    pthread_join(t, 0);\n    return 0;\n}\n";

#[test]
fn check_and_prove_name_the_same_assumptions() {
    let program = Scratch::holding("resting.c", RESTING);
    let unsought = "; not looked for: data races, leaks, signed overflow, copies of uninitialised memory";
    let signalled = "; assuming that allocation never fails and threads wake up only when signalled";
    let spurious = "; assuming that allocation never fails; with spurious wake-ups";
    for command in ["check", "prove"] {
        for (options, premises) in [
            (&[][..], format!("{signalled}{unsought}")),
            (&["--spurious-wakeups"][..], format!("{spurious}{unsought}")),
            (&["--property", "unreach-call"][..], spurious.to_owned()),
        ] {
            let ran = selvedge_with(&[&[command, program.path(), "-q"], options].concat());
            assert_eq!(ran.code, 0, "{command} {options:?}: {}{}", ran.stdout, ran.stderr);
            let claim = ran.stdout.lines().find(|line| line.contains("under sequential consistency"));
            assert!(claim.is_some_and(|claim| claim.ends_with(&premises)), "{command}: {}", ran.stdout);
        }
    }
    let certificate = Scratch::new("resting-certificate");
    let ran = selvedge_with(&["prove", program.path(), "-q", "--certificate", certificate.path()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = selvedge_with(&["certify", certificate.path(), program.path()]);
    let premises = format!(", under sequential consistency{signalled}{unsought}");
    assert!(ran.code == 0 && last(&ran).ends_with(&premises), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_proof_says_that_uninitialised_values_were_taken_for_any_value() {
    let text = "#include <pthread.h>\nint g;\nvoid *f(void *u) {\n    int x;\n    if (g) x = 1;\n    if (x) g = 2;\n    \
        return 0;\n}\nint main(void) {\n    pthread_t t;\n    pthread_create(&t, 0, f, 0);\n    g = 1;\n    \
        pthread_join(t, 0);\n    return 0;\n}\n";
    let program = Scratch::holding("maybe-uninitialised.c", text);
    assert_eq!(selvedge_with(&["check", program.path(), "-q"]).code, 1);
    let ran = selvedge_with(&["prove", program.path(), "-q"]);
    assert!(
        last(&ran).ends_with(", uses of values that may be uninitialised") && ran.code == 0,
        "{}",
        ran.stdout
    );
    let program = Scratch::holding("resting-initialised.c", RESTING);
    let ran = selvedge_with(&["prove", program.path(), "-q"]);
    assert!(!ran.stdout.contains("may be uninitialised"), "{}", ran.stdout);
}

#[test]
fn a_loop_whose_assumption_seldom_holds_is_not_vacuous() {
    let text = "shared acc[4] = 10;\nmutex m[4];\nthread t[2] { loop {\n    let i = nondet(0..3); let j = nondet(0..3); assume(i < j);\n    \
        lock(m[i]); lock(m[j]);\n    if acc[i] > 0 { acc[i] = acc[i] - 1; acc[j] = acc[j] + 1; }\n    assert(acc[i] >= 0);\n    \
        unlock(m[j]); unlock(m[i]);\n} }\n";
    let program = Scratch::holding("seldom.sel", text);
    let ran = selvedge_with(&["prove", program.path(), "-q", "--max-time", "120"]);
    assert!(ran.code == 0 && ran.stdout.contains("safe: "), "{}{}", ran.stdout, ran.stderr);
}

/// So many programs, many more of them if there is time.
fn count(usual: u64, long: u64) -> u64 {
    if std::env::var_os("SELVEDGE_LONG").is_some() { long } else { usual }
}

/// What `--property` says within a bound is what brute force says: `false` if an execution within the bound fails, `true` only if none fails at all.
#[test]
fn properties_within_bounds_are_as_brute_force_finds_them() {
    let template = Template::compile(std::path::Path::new(env!("CARGO_TARGET_TMPDIR"))).expect("it compiles");
    let checks = Checks { assertions: true, ..Checks::NONE };
    let (mut compared, mut beyond) = (0, 0);
    for seed in 0..count(400, 20_000) {
        let mut random = Random::new(seed);
        let (text, table) = template.vary(&mut random, Vocabulary::Plain);
        let (kind, option) = match random.below(3) {
            0 => (BoundKind::Delays, "--delays"),
            _ => (BoundKind::Preemptions, "--preemptions"),
        };
        let options = Options { checks, ..Options::default() };
        let mut machine = machine(&text, options).expect("it can be read");
        let Some(truth) = brute_force(&mut machine, kind, 3_000) else { continue };
        let limit = random.below(3) as u32;
        let program = Scratch::holding("bounded.ll", &text);
        let bound = limit.to_string();
        let mut arguments = vec!["check", program.path(), "-q", "--property", "unreach-call", option, &bound];
        if random.below(2) == 0 {
            arguments.push("--iterative");
        }
        let ran = selvedge_with(&arguments);
        let fails_within = truth.least.is_some_and(|least| least <= limit);
        let told = format!("seed {seed}, {table}, {arguments:?}, {:?}:\n{}", truth.least, ran.stdout);
        match last(&ran) {
            "VERDICT: true" => assert!(truth.least.is_none() && ran.code == 0, "{told}"),
            "VERDICT: unknown" => assert!(!fails_within && ran.code == 3, "{told}"),
            "VERDICT: false(unreach-call)" => assert!(fails_within && ran.code == 1, "{told}"),
            _ => panic!("{told}{}", ran.stderr),
        }
        if let (true, Some(least)) =
            (arguments.contains(&"--iterative"), truth.least.filter(|_| fails_within))
        {
            let noun = kind.noun();
            let claim = match least {
                0 => format!("without {noun}s,"),
                1 => format!("with 1 {noun}, none with fewer,"),
                _ => format!("with {least} {noun}s, none with fewer,"),
            };
            assert!(ran.stdout.contains(&claim), "{told}");
        }
        compared += 1;
        beyond += u64::from(truth.least.is_some() && !fails_within);
    }
    println!("{compared} programs compared, {beyond} of them fail only beyond the bound");
    assert!(compared > 100 && beyond > 5, "{compared} programs compared, {beyond} beyond the bound");
}
