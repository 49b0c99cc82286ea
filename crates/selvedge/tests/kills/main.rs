//! Programs that would end the process, or block it for ever, if a check did not take care: each runs in a process of its own, which
//! must end as an ordinary test with the usual report.

mod ends;
mod programs;
mod random;

use programs::{PROGRAMS, Program};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The variable that says which program the child is to run.
const VARIABLE: &str = "SELVEDGE_KILLS_PROGRAM";

/// The longest that a child may take.
const PATIENCE: Duration = Duration::from_secs(600);

fn all() -> impl Iterator<Item = &'static Program> {
    PROGRAMS.iter().chain(ends::PROGRAMS)
}

/// What the child does: it runs one program as an ordinary test.
#[test]
fn child() {
    let Ok(wanted) = std::env::var(VARIABLE) else { return };
    if let Some(seeds) = wanted.strip_prefix("random ") {
        return random::run(seeds);
    }
    let (_, _, run) = all().find(|(name, ..)| *name == wanted).expect("a program");
    run();
}

/// How a child ended, with everything that it printed.
fn run_child(name: &str) -> (Option<i32>, String) {
    let mut child = Command::new(std::env::current_exe().expect("a test has a file"))
        .args(["--exact", "child", "--nocapture", "--test-threads=1"])
        .env(VARIABLE, name)
        .env("RUST_BACKTRACE", "0")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a process");
    let (out, err) = (child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
    let read = |mut from: Box<dyn std::io::Read + Send>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = from.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        })
    };
    let (out, err) = (read(Box::new(out)), read(Box::new(err)));
    let started = Instant::now();
    let status = loop {
        match child.try_wait().expect("it exists") {
            Some(status) => break status.code(),
            None if started.elapsed() > PATIENCE => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let text = out.join().unwrap_or_default() + &err.join().unwrap_or_default();
    (status, text)
}

#[test]
fn no_program_kills_the_process() {
    let mut wrong = String::new();
    for (name, expected, _) in all() {
        if std::env::var("SELVEDGE_KILLS_ONLY").is_ok_and(|only| only != *name) {
            continue;
        }
        let (code, text) = run_child(name);
        let problem = match expected {
            programs::Expected::Passes => (code != Some(0)).then_some("it should pass"),
            programs::Expected::Ends(parts) => {
                let misses = parts.iter().any(|part| !text.contains(part));
                (code != Some(101) || misses).then_some("it should end in words")
            }
            programs::Expected::Fails(parts) => {
                let misses = parts.iter().any(|part| !text.contains(part));
                (code != Some(101) || misses || !text.contains("1 failed"))
                    .then_some("it should fail in words")
            }
        };
        if let Some(problem) = problem {
            wrong.push_str(&format!("{name}: {problem} ({expected:?}); it ended with {code:?}:\n{text}\n\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The programs of these seeds, fifty for each process.
#[test]
fn no_random_program_kills_the_process() {
    let (from, to) = random::seeds();
    for start in (from..to).step_by(50) {
        let range = format!("{start}..{}", to.min(start + 50));
        let (code, text) = run_child(&format!("random {range}"));
        assert_eq!(code, Some(0), "seeds {range}:\n{text}");
    }
}
