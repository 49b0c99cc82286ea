//! `selvedge build` and `selvedge run`.

use super::{Ran, selvedge_with};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const PROGRAM: &str = "#include <pthread.h>\n#include <stdio.h>\nstatic int x;\nstatic void *work(void *a) { x = 1; return a; }\n\
                       int main(int n, char **v) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0);\n\
                       printf(\"%d %s\\n\", x, n > 1 ? v[1] : \"\"); return n; }\n";

/// A program in a directory of its own, with the prefix that permits everything.
fn program(text: &str) -> (tempfile::TempDir, String, String) {
    let folder = tempfile::tempdir().expect("there is room");
    let name = |file: &str| folder.path().join(file).display().to_string();
    let (program, prefix) = (name("program.c"), name("program.prefix"));
    std::fs::write(&program, text).expect("it can be written");
    let compiled = selvedge_build::Compiled::compile(Path::new(&program), None, &[]).expect("it compiles");
    let prefix_text =
        format!("selvedge prefix 1\nprogram {}\nthread 0 main\nrest free\nend\n", compiled.fingerprint());
    std::fs::write(&prefix, prefix_text).expect("it can be written");
    (folder, program, prefix)
}

#[test]
fn a_program_runs_with_its_arguments_and_its_exit_code() {
    let (_folder, program, prefix) = program(PROGRAM);
    let Ran { stdout, stderr, code } =
        selvedge_with(&["run", &program, "--schedule", &prefix, "--", "argument"]);
    assert_eq!((stdout.as_str(), stderr.as_str(), code), ("1 argument\n", "", 2));
}

#[test]
fn a_schedule_of_another_program_is_refused() {
    let (_folder, program, prefix) = program(PROGRAM);
    std::fs::write(&program, PROGRAM.replace("x = 1", "x = 2")).expect("it can be written");
    let Ran { stderr, code, .. } = selvedge_with(&["build", &program, "--schedule", &prefix]);
    assert!(stderr.starts_with("error: the schedule is for another program"), "{stderr}");
    assert_eq!(code, 2);
    let Ran { stderr, code, .. } = selvedge_with(&["build", &program, "--schedule", &program]);
    assert!(stderr.contains("line 1 of the schedule"), "{stderr}");
    assert_eq!(code, 2);
}

#[test]
fn pitfall_11_what_is_not_controlled_is_listed_and_refused_if_asked_for() {
    let text = PROGRAM.replace("x = 1;", "x = 1; signal(2, 0); fork(); flockfile(stdout);");
    let (folder, program, prefix) = program(&format!("#include <signal.h>\n#include <unistd.h>\n{text}"));
    let output = folder.path().join("binary").display().to_string();
    let build = ["build", &program, "--schedule", &prefix, "-o", &output];
    let Ran { stdout, stderr, code } = selvedge_with(&[&build[..], &["--explain"]].concat());
    assert_eq!((stderr.as_str(), code), ("", 0));
    assert_eq!(
        stdout,
        "not controlled:\n  `flockfile`: a function without source\n  `signal`: signal handlers run at any time\n  \
         `fork`: the new process runs without schedule\n"
    );
    let Ran { stderr, code, .. } = selvedge_with(&[&build[..], &["--strict"]].concat());
    assert!(stderr.starts_with("error: --strict refuses the program: not controlled:\n"), "{stderr}");
    assert_eq!(code, 2);
}

#[test]
fn a_program_that_deadlocks_runs_for_ever_under_the_first_schedule() {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/imc/double_lock_broken.c");
    let folder = tempfile::tempdir().expect("there is room");
    let name = |file: &str| folder.path().join(file).display().to_string();
    let (binary, schedule) = (name("binary"), name("schedule"));
    let Ran { stderr, code, .. } = selvedge_with(&["build", program, "-o", &binary]);
    assert_eq!((stderr.as_str(), code), ("", 0));
    let mut child = std::process::Command::new(&binary).spawn().expect("it can be run");
    std::thread::sleep(std::time::Duration::from_secs(2));
    let ended = child.try_wait().expect("it is a child");
    let _ = child.kill();
    let _ = child.wait();
    assert_eq!(ended, None);
    let divergence = ["build", program, "-o", &binary, "--on-divergence", "free"];
    let Ran { stderr, code, .. } = selvedge_with(&divergence);
    assert!(stderr.contains("--on-divergence can only be `stop`"), "{stderr}");
    assert_eq!(code, 2);
    let Ran { stderr, code, .. } = selvedge_with(&["run", program, "--stats"]);
    assert!(stderr.contains("--stats is for trace prefixes"), "{stderr}");
    assert_eq!(code, 2);
    std::fs::write(&schedule, "selvedge schedule 3\nend\n").expect("it can be written");
    let Ran { stderr, code, .. } = selvedge_with(&["build", program, "--schedule", &schedule]);
    assert!(stderr.contains("another version"), "{stderr}");
    assert_eq!(code, 2);
}

/// How long a program has in which something goes wrong natively, and how long it is run enforced.
const PATIENCE: Duration = Duration::from_secs(20);
const ENFORCED: Duration = Duration::from_secs(2);

/// A program of this directory: its file, and a directory for binaries.
fn enforced(name: &str) -> (String, tempfile::TempDir) {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/enforced").join(name);
    (program.display().to_string(), tempfile::tempdir().expect("there is room"))
}

/// Whether a run of a binary ends as it should, soon.
fn succeeds(binary: &str, log: Option<&str>) -> bool {
    let mut command = Command::new(binary);
    if let Some(log) = log {
        command.env("SELVEDGE_RECORD", log).env("SELVEDGE_DELAYS", "3");
    }
    let mut child = command.stderr(Stdio::null()).spawn().expect("it runs");
    let started = Instant::now();
    loop {
        match child.try_wait().expect("it is ours") {
            Some(status) => return status.success(),
            None if started.elapsed() > Duration::from_secs(5) => {
                let _ = child.kill().and_then(|()| child.wait());
                return false;
            }
            None => std::thread::sleep(Duration::from_micros(200)),
        }
    }
}

/// A program that goes wrong natively within seconds, and never when it is enforced.
fn fails_natively_and_not_when_enforced(name: &str) {
    let (program, folder) = enforced(name);
    let file = |name: &str| folder.path().join(name).display().to_string();
    let (native, held, prefix, log) = (file("native"), file("held"), file("prefix"), file("log"));
    let clang = selvedge_llvm::clang::find().expect("there is a clang");
    let compiled = Command::new(clang).args(["-O2", "-pthread", &program, "-o", &native]).status();
    assert!(compiled.expect("it compiles").success());
    let started = Instant::now();
    while succeeds(&native, None) {
        assert!(started.elapsed() < PATIENCE, "{name} does not fail natively");
    }
    let Ran { stdout, .. } = selvedge_with(&["check", &program, "--prefix", &prefix, "--keep-going"]);
    assert!(stdout.contains("a safe execution was found"), "{stdout}");
    let Ran { stderr, code, .. } = selvedge_with(&["build", &program, "--schedule", &prefix, "-o", &held]);
    assert_eq!((stderr.as_str(), code), ("", 0));
    let started = Instant::now();
    let mut runs = 0;
    while started.elapsed() < ENFORCED {
        runs += 1;
        assert!(succeeds(&held, (runs % 2 == 0).then_some(&log)), "{name} fails enforced, in run {runs}");
    }
    assert!(runs > 3, "{runs} runs");
    let Ran { stdout, stderr, code } = selvedge_with(&["audit", &log, &prefix, &program]);
    assert!(stdout.starts_with("permitted: ") && stderr.is_empty() && code == 0, "{stdout}{stderr}");
}

#[test]
fn a_deadlock_of_two_mutexes_never_happens_when_enforced() {
    fails_natively_and_not_when_enforced("double_lock.c");
}

#[test]
fn an_update_under_the_wrong_lock_is_never_lost_when_enforced() {
    fails_natively_and_not_when_enforced("wrong_lock.c");
}

#[test]
fn a_wake_up_is_never_lost_when_enforced() {
    fails_natively_and_not_when_enforced("lost_wakeup.c");
}

#[test]
fn an_object_is_never_seen_too_early_when_enforced() {
    fails_natively_and_not_when_enforced("double_checked.c");
}

#[test]
fn philosophers_never_starve_when_enforced() {
    fails_natively_and_not_when_enforced("philosophers.c");
}

#[test]
fn a_schedule_is_found_if_none_is_given() {
    let (program, _folder) = enforced("double_lock.c");
    for _ in 0..3 {
        let Ran { stdout, stderr, code } = selvedge_with(&["run", &program, "--stats"]);
        assert_eq!((stdout.as_str(), code), ("", 0), "{stderr}");
        assert!(stderr.starts_with("selvedge: ") && stderr.contains(" events; of "), "{stderr}");
    }
}
