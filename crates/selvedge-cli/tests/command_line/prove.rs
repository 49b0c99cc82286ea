//! `selvedge prove` and `selvedge certify`.

use super::selvedge;
use std::os::unix::fs::PermissionsExt;

fn temporary(name: &str) -> String {
    std::env::temp_dir().join(format!("selvedge-prove-{}-{name}", std::process::id())).display().to_string()
}

#[test]
fn an_endless_program_is_proved_and_the_proof_can_be_checked() {
    let certificate = temporary("proof");
    let ran =
        selvedge(&format!("prove benches/imc/producer_consumer.sel -D N=1000 --certificate {certificate}"));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("\nsafe: under all schedules and for all inputs"), "{}", ran.stdout);
    let ran = selvedge(&format!("certify {certificate} benches/imc/producer_consumer.sel -D N=1000"));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.starts_with("certified: safe under all schedules ("), "{}", ran.stdout);
    let ran = selvedge(&format!("certify {certificate} benches/imc/producer_consumer.sel -D N=5"));
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("it is about another program"), "{}", ran.stderr);
}

#[test]
fn a_thread_that_loops_on_its_own_hides_nothing() {
    let program = temporary("loops.sel");
    let text =
        "shared x, z;\nthread a { await(x == 1); assert(z == 1); }\nthread b { x = 1; loop { skip; } }\n";
    std::fs::write(&program, text).expect("can be written");
    let ran = selvedge(&format!("prove {program} --max-time 60"));
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(
        ran.stdout.contains("thread b may run on for ever without a step that others can see"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_program_with_a_deadlock_is_partially_safe() {
    let ran = selvedge("prove benches/imc/double_lock_broken.sel");
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stdout.contains("    1. t1 (lines 7 to 13)\n    2. t2 (lines 19 to 25)\n  and again from 1\n")
    );
    assert!(ran.stdout.contains("deadlock: 2 threads wait for ever"));
    assert!(ran.stdout.contains("\npartially safe: there are violations, but a set of schedules was found"));
}

#[test]
fn the_same_program_gives_the_same_output() {
    let run = || {
        let ran = selvedge("prove benches/imc/race.sel --iterations 2");
        let times = |line: &&str| !line.contains(" s") && !line.contains("queries");
        ran.stdout.lines().filter(times).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(run(), run());
}

#[test]
fn schedules_and_drawings_are_written_and_schedules_restrict_exploration() {
    let (schedule, drawing, dot) = (temporary("schedule"), temporary("tree.svg"), temporary("tree.dot"));
    let ran = selvedge(&format!(
        "prove examples/bank_account.sel --iterations 1 --schedule {schedule} --drawing {drawing}"
    ));
    assert_eq!(ran.code, 3, "{ran:?}");
    let svg = std::fs::read_to_string(&drawing).expect("it was written");
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    let ran = selvedge(&format!("prove examples/bank_account.sel --iterations 1 --drawing {dot}"));
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(std::fs::read_to_string(&dot).expect("it was written").starts_with("digraph"));
    assert_eq!(selvedge("check examples/bank_account.sel").code, 1);
    let ran = selvedge(&format!("check examples/bank_account.sel --schedule {schedule}"));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("permits and of nothing else"), "{}", ran.stdout);
    let ran = selvedge(&format!("check examples/peterson.sel --schedule {schedule}"));
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("the schedule is for another program"), "{}", ran.stderr);
}

#[test]
fn a_missing_solver_is_an_error_that_names_the_package() {
    let ran = selvedge("prove examples/peterson.sel --solver /no/such/z3");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("install the package `z3`"), "{}", ran.stderr);
}

#[test]
fn a_solver_that_fails_in_the_middle_leaves_the_program_unproved() {
    let path = temporary("z3-dies");
    // z3 for a second, then nothing.
    std::fs::write(&path, "#!/bin/sh\nexec timeout 1 z3 \"$@\"\n").expect("can be written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("can be made a program");
    let ran = selvedge(&format!("prove examples/treiber_stack.sel --solver {path}"));
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(
        ran.stdout.contains("inconclusive: the solver ended in the middle of its work"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_time_limit_ends_in_no_verdict() {
    let ran = selvedge("prove examples/treiber_stack.sel --max-time 0.5 -q");
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stdout.contains("inconclusive: the time limit was reached"), "{}", ran.stdout);
}

#[test]
fn the_table_of_iterative_model_checking_has_our_figures_beside_the_published_ones() {
    let ran = selvedge("bench --paper imc prod-cons-4p-4c-1000b double-lock-broken --max-time 60");
    assert_eq!(ran.code, 0, "{ran:?}");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[1].contains("4 h 29 m 53 s") && lines[1].contains("> 72 h") && lines[1].contains(" safe "));
    assert!(lines[2].contains("partially safe"), "{}", lines[2]);
}
