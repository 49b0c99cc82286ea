//! Algorithms with equivalences coarser than happens-before: roots, claims, and the choice of an algorithm.

use crate::{Scratch, selvedge, selvedge_with};
use expect_test::expect;

/// Standard output of a check, and how it ended.
fn checked(program: &Scratch, arguments: &[&str]) -> (String, i32) {
    let all: Vec<&str> = ["check", program.path()].into_iter().chain(arguments.iter().copied()).collect();
    let ran = selvedge_with(&all);
    (ran.stdout + &ran.stderr, ran.code)
}

const SPAWNING: &str = "shared x = 0;
thread a { let r = x; x = 1; }
thread main { spawn b; spawn a; join a; join b; }
thread b { let r = x; x = 2; }
";

#[test]
fn the_root_is_the_first_spawned_or_what_the_user_says() {
    let program = Scratch::holding("spawning.sel", SPAWNING);
    for (arguments, root) in [
        (vec![], "root b"),
        (vec!["--root", "main"], "root main"),
        (vec!["--root", "a"], "root a"),
        (vec!["--root", "2"], "root b"),
    ] {
        let all: Vec<&str> = ["--algorithm", "value-centric"].into_iter().chain(arguments).collect();
        let (told, code) = checked(&program, &all);
        assert!(told.contains(&format!("algorithm value-centric, {root}\n")) && code == 0, "{all:?}: {told}");
    }
    let (json, _) = checked(&program, &["--algorithm", "data-centric", "--format", "json"]);
    assert!(json.contains("\"root\": 2"), "{json}");
}

/// Probes leave the program wherever they stop; the root is that of its beginning.
#[test]
fn the_root_does_not_depend_on_where_probes_stop() {
    let text = "shared x = 0;
        thread a { x = 1; x = 1; }
        thread main { spawn b; spawn a; }
        thread b { for i in 0..9 { let r = x; x = 1; } let s = x; let t = x; assert(s >= t); }";
    let program = Scratch::holding("probed.sel", text);
    let (told, code) = checked(&program, &["--algorithm", "auto"]);
    assert!(told.contains("algorithm value-centric, root b\n  chose value-centric") && code == 0, "{told}");
}

#[test]
fn a_root_that_is_not_there_is_refused() {
    let program = Scratch::holding("spawning.sel", SPAWNING);
    let wrong = |arguments: &[&str]| {
        let (told, code) = checked(&program, arguments);
        assert_eq!(code, 2, "{told}");
        told
    };
    expect![[r"
        error: there is no thread `c` to be the root: the threads are 0 a, 1 main, 2 b
    "]]
    .assert_eq(&wrong(&["--algorithm", "value-centric", "--root", "c"]));
    expect![[r"
        error: there is no thread `3` to be the root: the threads are 0 a, 1 main, 2 b
    "]]
    .assert_eq(&wrong(&["--algorithm", "auto", "--root", "3"]));
    expect![[r"
        error: `optimal` has no root thread; --root is for value-centric and data-centric
    "]]
    .assert_eq(&wrong(&["--root", "1"]));
    let c = selvedge("check crates/selvedge-testkit/twins/float-read.c --algorithm value-centric --root 99");
    assert!(c.code == 2 && c.stderr.contains("there is no thread `99` to be the root"), "{}", c.stderr);
}

#[test]
fn claims_say_what_was_covered() {
    let claim = |arguments: &str| {
        let ran = selvedge(&format!("check benches/vc-dpor/float-read.sel -D N=3 {arguments}"));
        ran.stdout.lines().find(|line| line.starts_with("verified")).map(str::to_owned)
    };
    let claims = ["observers", "data-centric", "value-centric"].map(|a| claim(&format!("--algorithm {a}")));
    expect![[r#"
        [
            Some(
                "verified: every local state of every thread, every failure and deadlock (in all 13 observer classes) under sequential consistency",
            ),
            Some(
                "verified: every local state of every thread, every failure and deadlock (in all 4 observation classes) under sequential consistency",
            ),
            Some(
                "verified: every local state of every thread, every failure and deadlock (in 3 executions, no two of them value-happens-before equivalent) under sequential consistency",
            ),
        ]
    "#]]
    .assert_debug_eq(&claims);
}

#[test]
fn what_stands_for_longer_executions_is_cut_at_the_limit() {
    let text =
        "shared x = 0; thread t0 { x = 1; assume(false); } thread t1 { await(x == 0); assert(false); }";
    let program = Scratch::holding("limit.sel", text);
    for algorithm in ["data-centric", "value-centric"] {
        let (told, code) = checked(&program, &["--algorithm", algorithm, "--max-depth", "1", "--keep-going"]);
        assert!(code == 3 && told.contains("cut after 1 operations (--max-depth)"), "{told}");
        let (told, code) = checked(&program, &["--algorithm", algorithm, "--max-depth", "2"]);
        assert_eq!(code, 1, "{told}");
    }
}

#[test]
fn an_algorithm_is_chosen_by_what_it_costs_to_the_end() {
    for (program, chosen) in [
        (
            "benches/vc-dpor/float-read.sel -D N=9",
            "chose value-centric: it explores everything in 9 executions",
        ),
        ("benches/overhead/fetch-add.sel", "chose optimal: it explores everything in 1680 executions"),
        ("benches/overhead/fetch-add.sel -D THREADS=4", "chose optimal: no probe came to an end"),
        ("examples/peterson_broken.sel", "chose optimal: it finds a violation within"),
        (
            "benches/seeds/ring.sel -D N=5 --preemptions 1",
            "chose lazy-bounded: nothing else that `auto` tries",
        ),
    ] {
        let ran = selvedge(&format!("check {program} --algorithm auto"));
        assert!(ran.stdout.contains(chosen), "{program}: {}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn an_algorithm_whose_probe_was_cut_is_not_chosen_for_it() {
    let text =
        "shared x = 0; thread t { loop { x = 1; } } thread u { let a = x; let b = x; assert(a == b); }";
    let program = Scratch::holding("endless.sel", text);
    let (told, code) = checked(&program, &["--algorithm", "auto", "--max-depth", "60"]);
    assert!(code == 1 && told.contains("chose optimal"), "{told}");
}

#[test]
fn probes_keep_to_the_limits() {
    let (program, limits) = ("benches/seeds/ring.sel -D N=18", "--max-executions 1");
    let told = selvedge(&format!("check {program} --algorithm auto {limits}")).stdout;
    assert!(told.contains("inconclusive: 1 execution explored"), "{told}");
    let started = std::time::Instant::now();
    let program = "benches/vc-dpor/opt-lock.sel -D N=4";
    let ran = selvedge(&format!("check {program} --algorithm auto --max-time 1"));
    assert_eq!(ran.code, 3, "{}", ran.stdout);
    assert!(started.elapsed().as_secs() < 5, "probes took {:?}", started.elapsed());
}
