//! `selvedge check --schedule` believes nothing that a schedule says, and `selvedge certify` nothing that a certificate does.

use super::{Scratch, selvedge};

/// Two threads that can both go on for ever.
const TURNS: &str = "shared x;\nthread a { loop { x = 1; } }\nthread b { loop { x = 2; } }\n";

/// A program and the schedule that is found for it.
fn scheduled(name: &str, text: &str) -> (Scratch, Scratch) {
    let program = Scratch::holding(&format!("{name}.sel"), text);
    let schedule = Scratch::new(&format!("{name}.schedule"));
    let (path, to) = (program.path(), schedule.path());
    let ran = selvedge(&format!("prove {path} --iterations 1 --schedule {to} --max-time 60"));
    assert!(std::fs::exists(&schedule.0).is_ok_and(|exists| exists), "{ran:?}");
    (program, schedule)
}

/// The same with another text of the schedule.
fn check_changed(program: &Scratch, schedule: &Scratch, change: impl Fn(&str) -> String) -> super::Ran {
    let text = schedule.text();
    let changed = change(&text);
    assert_ne!(text, changed);
    let other = Scratch::holding("changed.schedule", &changed);
    selvedge(&format!("check {} --schedule {}", program.path(), other.path()))
}

#[test]
fn a_schedule_that_starves_a_thread_is_not_verified() {
    let (program, schedule) = scheduled("turns", TURNS);
    let ran = selvedge(&format!("check {} --schedule {}", program.path(), schedule.path()));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains(", fair, "), "{}", ran.stdout);
    // One section of the first thread alone, which leads back to where it begins.
    let ran = check_changed(&program, &schedule, |text| {
        let head = text.split("section 0").next().expect("there is one");
        let first = text.lines().find(|line| line.contains("event 0 0 ")).expect("the first thread begins");
        format!("{head}section 0 from 0 to 0\n  when true\n{first}\nend\n")
    });
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(
        ran.stdout.contains("the schedule is not fair: it can go on for ever without b"),
        "{}",
        ran.stdout
    );
}

#[test]
fn conditions_of_sections_are_evaluated() {
    let (program, schedule) = scheduled("conditions", TURNS);
    let false_conditions = |text: &str| {
        let lines = text.lines().map(|line| if line.starts_with("  when ") { "  when false" } else { line });
        lines.collect::<Vec<&str>>().join("\n") + "\n"
    };
    let ran = check_changed(&program, &schedule, false_conditions);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stdout.contains("the schedule does not foresee what"), "{}", ran.stdout);
    let ran = check_changed(&program, &schedule, |text| text.replacen("  when true", "  when (<= |y| 3)", 1));
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("the condition of section 0 cannot be read"), "{}", ran.stderr);
}

#[test]
fn what_nodes_claim_is_checked() {
    let (program, schedule) = scheduled("claims", TURNS);
    let ran = check_changed(&program, &schedule, |text| {
        text.replacen("section 0", "  holds (<= |x| 1)\nsection 0", 1)
    });
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stdout.contains("the schedule claims of node"), "{}", ran.stdout);
}

#[test]
fn schedules_and_certificates_do_not_depend_on_the_path_of_the_program() {
    let (program, schedule) = scheduled("here", TURNS);
    let commented = format!("// Comments and places do not matter.\n{TURNS}");
    let elsewhere = Scratch::holding("elsewhere.sel", &commented);
    let ran = selvedge(&format!("check {} --schedule {}", elsewhere.path(), schedule.path()));
    assert_eq!(ran.code, 0, "{ran:?}");
    let certificate = Scratch::new("here.certificate");
    let ran = selvedge(&format!("prove {} --certificate {}", program.path(), certificate.path()));
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = selvedge(&format!("certify {} {}", certificate.path(), elsewhere.path()));
    assert_eq!(ran.code, 0, "{ran:?}");
    let other = Scratch::holding("other.sel", &TURNS.replace("x = 2", "x = 3"));
    let ran = selvedge(&format!("certify {} {}", certificate.path(), other.path()));
    assert_eq!(ran.code, 2, "{ran:?}");
    let ran = selvedge(&format!("check {} --schedule {}", other.path(), schedule.path()));
    assert_eq!(ran.code, 2, "{ran:?}");
}

#[test]
fn files_of_older_versions_are_refused_with_a_hint() {
    let old = Scratch::holding("old.schedule", "selvedge schedule 2\nprogram 00\nnodes 1\nend\n");
    let ran = selvedge(&format!("check examples/peterson.sel --schedule {}", old.path()));
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("write it again with `selvedge prove --schedule`"), "{}", ran.stderr);
    let old =
        Scratch::holding("old.certificate", "selvedge certificate 1\nprogram 00\nclaim all schedules\nend\n");
    let ran = selvedge(&format!("certify {} examples/peterson.sel", old.path()));
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("write it again with `selvedge prove --certificate`"), "{}", ran.stderr);
}

/// Every round of a barrier used to be a state of its own.
#[test]
fn schedules_of_programs_with_barriers_are_confirmed() {
    let schedule = Scratch::new("ring.schedule");
    for program in ["benches/imc/barrier_ring.sel", "examples/endless/barrier_phases.sel"] {
        let ran = selvedge(&format!(
            "prove {program} --iterations 1 --schedule {} --max-time 100",
            schedule.path()
        ));
        assert_eq!(ran.code, 3, "{ran:?}");
        let ran = selvedge(&format!("check {program} --schedule {} --max-time 100", schedule.path()));
        assert_eq!(ran.code, 0, "{program}: {ran:?}");
        assert!(
            ran.stdout.contains("verified: ")
                && ran.stdout.contains(" states ")
                && ran.stdout.contains(", fair, "),
            "{}",
            ran.stdout
        );
    }
}

/// Inputs with more values than could be tried, kept for later: states cannot be visited, but the claims of the nodes are inductive.
#[test]
fn schedules_of_programs_with_wide_inputs_are_proved_by_induction() {
    let text = "shared x, full = 0;\n\
                thread put { loop { let v = nondet(0..1000000000); await(full == 0); x = v; full = 1; } }\n\
                thread get { let last = 0; loop { await(full == 1); last = x; assert(last >= 0); full = 0; } }\n";
    let (program, schedule) = scheduled("wide", text);
    let ran = selvedge(&format!("check {} --schedule {} --max-time 100", program.path(), schedule.path()));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("by induction with"), "{}", ran.stdout);
    // A claim that does not hold is no proof.
    let weak = |text: &str| {
        let lines = text.lines().filter(|line| !line.starts_with("  holds "));
        lines.collect::<Vec<&str>>().join("\n") + "\n"
    };
    let weaker = Scratch::holding("weaker.schedule", &weak(&schedule.text()));
    let ran = selvedge(&format!("check {} --schedule {} --max-time 5", program.path(), weaker.path()));
    assert_eq!(ran.code, 3, "{ran:?}");
}

#[test]
fn a_program_whose_states_were_visited_has_a_certificate_that_lists_them() {
    let text = "const N = 4;\nshared buf[N] = 0, head = 0, tail = 0;\n\
        thread p { loop { let t = tail; let n = (t + 1) % N; if n != head { buf[t] = 7; tail = n; } } }\n\
        thread q { loop { let h = head; if h != tail { let v = buf[h]; assert(v == 7); buf[h] = 0; head = (h + 1) % N; } } }\n";
    let program = Scratch::holding("few.sel", text);
    let certificate = Scratch::new("few.certificate");
    // A solver that knows nothing: all that is left is to visit the states.
    let ignorant = Scratch::new("z3-ignorant");
    let script = "#!/bin/sh\nwhile read line; do case \"$line\" in '(check-sat)') n=$((n+1)); \
                  case $n in 1) echo unsat;; 2) echo sat;; *) echo unknown;; esac;; esac; done\n";
    let install = "printf '%s' \"$1\" > \"$0\" && chmod +x \"$0\"";
    let ran = std::process::Command::new("sh").args(["-c", install, ignorant.path(), script]).status();
    assert!(ran.expect("there is a shell").success());
    let ran = selvedge(&format!(
        "prove {} --certificate {} --solver {}",
        program.path(),
        certificate.path(),
        ignorant.path()
    ));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("the certificate lists all "), "{}", ran.stdout);
    let ran = selvedge(&format!("certify {} {}", certificate.path(), program.path()));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.starts_with("certified: safe under all schedules (405 states"), "{}", ran.stdout);
    let text = certificate.text();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.remove(20);
    let missing = Scratch::holding("missing.certificate", &(lines.join("\n") + "\n"));
    let ran = selvedge(&format!("certify {} {}", missing.path(), program.path()));
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("that is not listed"), "{}", ran.stderr);
}

/// The bound of what one thread writes is an input of another step: which values are too large depends on the state.
const WIDE: &str = "shared cap = 0, x = 0, z = 0;\nmutex m, k;\n\
    thread a { let u = nondet(0..1000000); cap = u + 200000;\n\
      loop { let v = nondet(0..100000); x = v; z = 1; await(z == 0); MORE } }\n\
    thread b { loop { await(z == 1); assert(x <= cap); z = 0; LOCKS } }\n";

#[test]
fn steps_with_many_inputs_have_interpolants() {
    let safe = Scratch::holding("many.sel", &WIDE.replace("MORE", "").replace("LOCKS", ""));
    let ran = selvedge(&format!("prove {} --max-time 100", safe.path()));
    assert_eq!(ran.code, 0, "{ran:?}");
    // A deadlock that needs two of so many inputs that running the program does not find it.
    let more = "if u % 1000 == 777 && v % 1000 == 555 { lock(m); lock(k); unlock(k); unlock(m); }";
    let wrong = WIDE.replace("MORE", more).replace("LOCKS", "lock(k); lock(m); unlock(m); unlock(k);");
    let wrong = Scratch::holding("many_broken.sel", &wrong);
    let ran = selvedge(&format!("prove {} --max-time 100", wrong.path()));
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("deadlock"), "{}", ran.stdout);
}

#[test]
fn a_solver_that_fails_does_not_keep_few_states_from_being_visited() {
    let text = "shared x = 0, y = 0;\nthread t[2] { loop { x = (x + 1) % 26; } }\nthread u { loop { y = (y + 1) % 26; assert(x < 26); } }\n";
    let program = Scratch::holding("killed.sel", text);
    let killed = Scratch::new("z3-killed");
    // It passes the two questions that test it, and then it is gone.
    let script = "#!/bin/sh\nwhile read line; do case \"$line\" in '(check-sat)') n=$((n+1)); \
                  case $n in 1) echo unsat;; 2) echo sat;; *) kill -9 $$;; esac;; esac; done\n";
    let install = "printf '%s' \"$1\" > \"$0\" && chmod +x \"$0\"";
    let ran = std::process::Command::new("sh").args(["-c", install, killed.path(), script]).status();
    assert!(ran.expect("there is a shell").success());
    let ran = selvedge(&format!("prove {} --solver {}", program.path(), killed.path()));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("found by visiting all"), "{}", ran.stdout);
}

/// The numbers of the threads are constants that bounds are rounded to, and there are many of them.
#[test]
fn many_threads_keep_their_bounds() {
    let ran = selvedge("prove benches/imc/producer_consumer.sel -D P=32 -D C=32 -D N=1000 --max-time 100 -q");
    assert_eq!(ran.code, 0, "{ran:?}");
}
