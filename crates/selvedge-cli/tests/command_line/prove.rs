//! `selvedge prove` and `selvedge certify`.

use super::selvedge;

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
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("assertion failed: `z == 1` in a at"), "{}", ran.stdout);
    std::fs::write(&program, text.replace("shared x, z", "shared x, z = 1")).expect("can be written");
    let certificate = temporary("loops.proof");
    let ran = selvedge(&format!("prove {program} --max-time 60 --certificate {certificate}"));
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = selvedge(&format!("certify {certificate} {program}"));
    assert_eq!(ran.code, 0, "{ran:?}");
}

/// Programs that a user would write: all that are not called broken are proved, the others have a violation.
#[test]
fn endless_examples_have_the_right_verdict() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/endless");
    let files = std::fs::read_dir(folder).expect("the folder is there");
    let mut names: Vec<String> =
        files.map(|file| file.expect("can be read").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    assert!(names.len() >= 30, "{names:?}");
    for name in names {
        let ran = selvedge(&format!("prove examples/endless/{name} --max-time 240 -q"));
        let expected = if name.contains("_broken") { 1 } else { 0 };
        assert_eq!(ran.code, expected, "{name}: {}\n{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn a_program_that_ends_may_be_explored_instead() {
    let ran = selvedge("prove examples/treiber_stack.sel --max-time 240 --format json");
    assert_eq!(ran.code, 0, "{ran:?}");
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).expect("is JSON");
    assert_eq!(report["verdict"], "safe");
    let is_proved = !report["proof"].is_null();
    assert!(is_proved || report["explored_executions"].as_u64().is_some_and(|n| n > 5), "{report:#}");
}

#[test]
fn json_tells_all_that_was_found() {
    let ran = selvedge(
        "prove benches/imc/producer_consumer_broken.sel --iterations 2 --until-complete --format json",
    );
    assert_eq!(ran.code, 1, "{ran:?}");
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).expect("is JSON");
    assert_eq!(report["verdict"], "partially safe");
    assert_eq!(report["schedules"][0]["turns"][0]["thread"], "producer");
    assert_eq!(report["schedules"][0]["turns"][1]["thread"], "consumer");
    assert_eq!(report["schedules"][0]["again_from"], 1);
    assert!(report["schedules"][0]["checked_with_queries"].as_u64().is_some_and(|queries| queries > 0));
    assert!(report["schedules"][0]["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
    assert_eq!(report["violations"][0]["kind"], "assertion");
    assert!(report["violations"][0]["schedule"].as_array().is_some_and(|steps| !steps.is_empty()));
    assert!(report["reason"].is_null());
    let ran = selvedge("prove benches/imc/double_lock.sel --iterations 1 --format json");
    assert_eq!(ran.code, 3, "{ran:?}");
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).expect("is JSON");
    assert_eq!(report["verdict"], "inconclusive");
    assert_eq!(report["reason"], "only some schedules were looked at, as --iterations asks");
}

/// Runs at random what the search for a proof cannot decide: numbers that grow without end.
#[test]
fn a_violation_far_from_the_beginning_is_found_by_running() {
    let program = temporary("far.sel");
    let text =
        "shared x, y;\nthread a { loop { x = x + 1; y = y + x; } }\nthread b { loop { assert(y < 500); } }\n";
    std::fs::write(&program, text).expect("can be written");
    let ran = selvedge(&format!("prove {program} --max-time 30"));
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("assertion failed: `y < 500`"), "{}", ran.stdout);
}

/// A solver that does what this shell command does.
fn solver_that_runs(name: &str, command: &str) -> String {
    let path = temporary(name);
    // A shell writes it: a file that this process holds open for writing while another test starts a program is held
    // open by that program too for a moment, and cannot be run (ETXTBSY).
    let install = "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod +x \"$0\"";
    let ran = std::process::Command::new("sh").args(["-c", install, &path, command]).status();
    assert!(ran.expect("there is a shell").success(), "cannot be made a program");
    path
}

/// A solver that is z3 with what it is asked changed on the way.
fn solver_behind(name: &str, filter: &str) -> String {
    solver_that_runs(name, &format!("sed -u '{filter}' | z3 \"$@\""))
}

/// A program that has schedules, which are found soon, and that cannot be proved: numbers grow until they wrap around.
const GROWS: &str = "shared number[2] = 0, inside = 0;
thread p[2] { loop {
    number[self] = number[1 - self] + 1;
    await(number[1 - self] == 0 || number[self] < number[1 - self]);
    inside++; assert(inside == 1); inside--;
    number[self] = 0;
} }
";

#[test]
fn what_was_proved_before_a_solver_fails_is_kept_and_written() {
    let program = temporary("grows.sel");
    std::fs::write(&program, GROWS).expect("can be written");
    for (name, filter, told) in [
        ("z3-dies-late", "9000q", "the solver ended in the middle of its work"),
        ("z3-babbles", "9000,999999999s/(check-sat)/(echo \"perhaps\")/", "perhaps"),
    ] {
        let (schedule, certificate) =
            (temporary(&format!("{name}.schedule")), temporary(&format!("{name}.proof")));
        let solver = solver_behind(name, filter);
        let ran = selvedge(&format!(
            "prove {program} --solver {solver} --schedule {schedule} --certificate {certificate}"
        ));
        assert_eq!(ran.code, 3, "{name}: {ran:?}");
        assert!(
            ran.stdout.contains("\ninconclusive: ") && ran.stdout.contains(told),
            "{name}: {}",
            ran.stdout
        );
        assert!(ran.stdout.contains("a set of schedules was found that is safe"), "{name}: {}", ran.stdout);
        assert!(std::fs::read_to_string(&schedule).is_ok_and(|text| !text.is_empty()), "{name}");
        let ran = selvedge(&format!("certify {certificate} {program}"));
        assert_eq!(ran.code, 0, "{name}: {ran:?}");
    }
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

/// What a call prints, without its times.
fn told(arguments: &str) -> String {
    let ran = selvedge(arguments);
    let word = |word: &str| match word.parse::<f64>() {
        Ok(_) if word.contains('.') => "TIME".to_owned(),
        _ => word.to_owned(),
    };
    let line = |line: &str| line.split(' ').map(word).collect::<Vec<_>>().join(" ");
    format!("{}: {}", ran.code, ran.stdout.lines().map(line).collect::<Vec<_>>().join("\n"))
}

/// Nothing but `--max-time` looks at the clock, so a busy machine changes nothing.
#[test]
fn the_same_program_gives_the_same_output() {
    let calls = [
        "prove benches/imc/race.sel --iterations 2",
        "prove benches/imc/race.c",
        "prove examples/turns.c",
        "prove examples/treiber_stack.sel",
        "prove examples/endless/level_broken.sel",
        "prove crates/selvedge-testkit/corpus/c/lost_update.c",
    ];
    for call in calls {
        let alone = told(call);
        let over = std::sync::atomic::AtomicBool::new(false);
        let busy = std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    while !over.load(std::sync::atomic::Ordering::Relaxed) {
                        std::hint::spin_loop();
                    }
                });
            }
            let busy = told(call);
            over.store(true, std::sync::atomic::Ordering::Relaxed);
            busy
        });
        assert_eq!(alone, busy, "{call}");
    }
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
    assert!(ran.stdout.contains(&format!("all states that {schedule} permits")), "{}", ran.stdout);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("permits and of nothing else"), "{}", ran.stdout);
    let ran = selvedge(&format!("check examples/peterson.sel --schedule {schedule}"));
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("the schedule is for another program"), "{}", ran.stderr);
}

#[test]
fn a_program_with_calls_that_runs_for_ever_is_explored_under_its_schedule() {
    let (program, schedule) = (temporary("calls.sel"), temporary("calls.schedule"));
    let text = "shared x = 0;\nmutex m;\nfn add(by) { lock(m); x = x + by; assert(x <= 1); unlock(m); }\n\
                thread up { loop { add(1); } }\nthread down { loop { add(-1); } }\n";
    std::fs::write(&program, text).expect("can be written");
    let ran = selvedge(&format!("prove {program} --iterations 1 --schedule {schedule}"));
    assert_eq!(ran.code, 3, "{ran:?}");
    let ran = selvedge(&format!("check {program} --schedule {schedule}"));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("verified: ") && ran.stdout.contains(" states "), "{}", ran.stdout);
}

/// What holds of the buffer depends on which of its places are filled, and no proof is found soon that says so.
#[test]
fn a_program_with_few_states_is_safe_with_or_without_a_proof() {
    let program = temporary("ring.sel");
    let text = "const N = 4;\nshared buf[N] = 0, head = 0, tail = 0;\n\
        thread p { loop { let t = tail; let n = (t + 1) % N; if n != head { buf[t] = 7; tail = n; } } }\n\
        thread q { loop { let h = head; if h != tail { let v = buf[h]; assert(v == 7); buf[h] = 0; head = (h + 1) % N; } } }\n";
    std::fs::write(&program, text).expect("can be written");
    let ran = selvedge(&format!("prove {program} --max-time 120 --format json"));
    assert_eq!(ran.code, 0, "{ran:?}");
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).expect("is JSON");
    let is_visited = report["visited_states"].as_u64() == Some(405);
    assert!(is_visited || !report["proof"].is_null(), "{report:#}");
    std::fs::write(&program, text.replace("buf[t] = 7; tail = n;", "tail = n; buf[t] = 7;"))
        .expect("can be written");
    let ran = selvedge(&format!("prove {program} --max-time 120"));
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("assertion failed: `v == 7`"), "{}", ran.stdout);
}

#[test]
fn a_missing_solver_is_an_error_that_names_the_package() {
    let ran = selvedge("prove examples/peterson.sel --solver /no/such/z3");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("install the package `z3`"), "{}", ran.stderr);
}

#[test]
fn a_solver_that_fails_in_the_middle_leaves_the_program_unproved() {
    let path = solver_that_runs("z3-dies", "exec timeout 1 z3 \"$@\"");
    let program = temporary("dies.sel");
    std::fs::write(&program, GROWS).expect("can be written");
    let ran = selvedge(&format!("prove {program} --solver {path}"));
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(
        ran.stdout.contains("inconclusive: the solver ended in the middle of its work"),
        "{}",
        ran.stdout
    );
}

/// Products that the solver cannot decide, in a program with few states: they are visited.
#[test]
fn a_program_with_few_states_needs_no_solver_that_knows() {
    let program = temporary("few.sel");
    let text = "shared x = 1, y = 1;\n\
                thread t { loop { x = (x * y + 3) % 7; y = (y * x * x + 1) % 5; } }\n\
                thread u { loop { assert(x * x * x != 125 || y * y * y < 200); } }\n";
    std::fs::write(&program, text).expect("can be written");
    let ran = selvedge(&format!("prove {program} --query-time 1"));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("safe: "), "{}", ran.stdout);
}

/// A shell command that answers the two questions that test a new solver, and knows nothing else.
const IGNORANT: &str = "while read line; do case \"$line\" in '(check-sat)') n=$((n+1)); \
     case $n in 1) echo unsat;; 2) echo sat;; *) echo unknown;; esac;; esac; done";

#[test]
fn a_solver_that_never_knows_leaves_the_program_unproved() {
    let solver = solver_that_runs("z3-ignorant", IGNORANT);
    let program = temporary("ignorant.sel");
    std::fs::write(&program, GROWS).expect("can be written");
    let ran = selvedge(&format!("prove {program} --solver {solver}"));
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stdout.contains("inconclusive: the solver does not know"), "{}", ran.stdout);
}

/// A program of the benchmarks that also counts its rounds without end, so that it has too many states to visit all of them.
fn counting_rounds(name: &str) -> String {
    let text = std::fs::read_to_string(format!("../../benches/imc/{name}.sel")).expect("can be read");
    let counting = text.replace("shared inside = 0;", "shared inside = 0, rounds = 0;");
    let path = temporary(&format!("{name}_counting.sel"));
    std::fs::write(&path, counting.replace("inside--;", "inside--; rounds++;")).expect("can be written");
    path
}

#[test]
fn a_proof_that_cannot_be_checked_again_is_no_verdict() {
    // The first process finds proofs, those of the checker know nothing.
    let first = "if mkdir \"$0.first\" 2>/dev/null; then exec z3 \"$@\"; fi";
    let solver = solver_that_runs("z3-tires", &format!("{first}; {IGNORANT}"));
    let (first, certificate) = (format!("{solver}.first"), temporary("tires.proof"));
    let is_fresh = || drop(std::fs::remove_dir(&first));
    let program = &counting_rounds("double_lock");
    is_fresh();
    let ran = selvedge(&format!("prove {program} --solver {solver} --certificate {certificate}"));
    assert_eq!(ran.code, 3, "{ran:?}");
    let told = "inconclusive: a proof was found, but it could not be checked again: the solver cannot tell";
    assert!(ran.stdout.contains(told), "{}", ran.stdout);
    assert!(ran.stdout.contains("no schedule was found that is certain to be safe"), "{}", ran.stdout);
    let ran = selvedge(&format!("certify {certificate} {program} --solver {solver}"));
    assert!(ran.code == 3 && ran.stdout.contains("inconclusive: "), "{ran:?}");
    let ran = selvedge(&format!("certify {certificate} {program}"));
    assert_eq!(ran.code, 0, "{ran:?}");
    is_fresh();
    let ran = selvedge(&format!("prove {} --solver {solver}", counting_rounds("double_lock_broken")));
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("\nunsafe: ") && ran.stdout.contains("NOT checked again"), "{}", ran.stdout);
    is_fresh();
    let ran = selvedge(&format!("prove {program} --solver {solver} --no-certify"));
    assert!(ran.code == 0 && ran.stdout.contains("; not checked again (--no-certify)"), "{ran:?}");
    is_fresh();
}

#[test]
fn a_time_limit_ends_in_no_verdict() {
    let program = temporary("limit.sel");
    std::fs::write(&program, GROWS).expect("can be written");
    let ran = selvedge(&format!("prove {program} --max-time 1.5 -q"));
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stdout.contains("inconclusive: the time limit was reached"), "{}", ran.stdout);
}

/// A program whose transition system takes long to make: it has many steps.
fn slow_to_build() -> String {
    let mut text = "shared x;\nthread t {\n  let i = 0;\n  x = 1;\n".to_owned();
    for number in 0..15_000 {
        text += &format!("  i = i * 3 + {number}; x = i;\n");
    }
    text + "}\n"
}

#[test]
fn a_time_limit_ends_what_comes_before_the_search() {
    let program = temporary("slow.sel");
    std::fs::write(&program, slow_to_build()).expect("can be written");
    let started = std::time::Instant::now();
    let ran = selvedge(&format!("prove {program} --max-time 0.2 -q"));
    assert!(ran.code == 3 && ran.stdout.contains("inconclusive: the time limit was reached"), "{ran:?}");
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

#[test]
fn a_signal_ends_the_search_with_what_is_known() {
    use std::io::{BufRead, Read};
    let program = temporary("signal.sel");
    std::fs::write(&program, GROWS).expect("can be written");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args(["prove", &program])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut output = std::io::BufReader::new(child.stdout.take().expect("there is a pipe"));
    let mut told = String::new();
    output.read_line(&mut told).expect("it tells that it begins");
    let id = child.id().to_string();
    let sent = std::process::Command::new("kill").args(["-TERM", &id]).status();
    assert!(sent.expect("there is a shell").success());
    output.read_to_string(&mut told).expect("is text");
    assert_eq!(child.wait().expect("it ends").code(), Some(3), "{told}");
    assert!(told.contains("\ninconclusive: interrupted"), "{told}");
}

#[test]
fn the_table_of_iterative_model_checking_has_our_figures_beside_the_published_ones() {
    let ran = selvedge("bench --paper imc prod-cons-4p-4c-1000b double-lock-broken --max-time 60");
    assert_eq!(ran.code, 0, "{ran:?}");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[2].contains("4 h 29 m 53 s") && lines[2].contains("> 72 h") && lines[2].contains(" safe "));
    assert!(lines[3].contains("partially safe"), "{}", lines[3]);
}
