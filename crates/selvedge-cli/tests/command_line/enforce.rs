//! `selvedge build` and `selvedge run`.

use super::{Ran, selvedge_with};
use std::path::Path;

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
    assert!(stderr.contains("this is no trace prefix"), "{stderr}");
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
