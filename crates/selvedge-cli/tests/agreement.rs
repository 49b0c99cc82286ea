//! `check` and `prove` never contradict each other on the same program of C: random programs, through the program that users run.
//!
//! `SELVEDGE_LONG=1` compares 5000 programs, `SELVEDGE_SEEDS=from..to` others.

use selvedge_testkit::outcomes::Outcomes;
use selvedge_testkit::provable_c;
use selvedge_testkit::random::Random;
use selvedge_testkit::tickets::Tickets;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

fn seeds() -> Range<u64> {
    if let Ok(range) = std::env::var("SELVEDGE_SEEDS") {
        let (from, to) = range.split_once("..").expect("SELVEDGE_SEEDS is FROM..TO");
        return from.parse().expect("a number")..to.parse().expect("a number");
    }
    match std::env::var_os("SELVEDGE_LONG") {
        Some(_) => 0..5000,
        None => 0..120,
    }
}

/// What a command says of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Safe,
    Unsafe,
    /// A branch or an address depends on an uninitialised value, and nothing else was found.
    Uninitialised,
    Unknown,
    /// The program, or what is asked for, is not supported.
    Refused,
    /// The compiler crashed: clang 14 does on a few programs with -O2.
    NotCompiled,
}

/// Runs a command on a program; what it says, and what it prints.
fn said(command: &str, path: &Path, options: &[&str], cflags: &str) -> (Said, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args([command, "--max-time", "3", "--format", "json"])
        .args(options)
        .arg(path)
        .args(["--", cflags])
        .output()
        .expect("the program starts");
    let told =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let said = match output.status.code() {
        Some(0) => Said::Safe,
        Some(1) if told.contains("\"uninitialised-use\"") => Said::Uninitialised,
        Some(1) => Said::Unsafe,
        Some(2) if told.contains("which is a bug of clang") => Said::NotCompiled,
        Some(2) => {
            assert!(told.contains("not supported"), "{}: {told}", path.display());
            Said::Refused
        }
        Some(3) => Said::Unknown,
        code => panic!("{command} {} ended with {code:?}: {told}", path.display()),
    };
    (said, told)
}

/// A random program in a file.
fn written(folder: &Path, seed: u64) -> PathBuf {
    let path = folder.join(format!("{seed}.c"));
    std::fs::write(&path, provable_c::program(&mut Random::new(seed))).expect("a file is written");
    path
}

/// Compares what the commands say of a program; in words.
fn compared(path: &Path, options: &[&str], cflags: &str) -> &'static str {
    let (check, by_check) = said("check", path, options, cflags);
    let (prove, by_prove) = said("prove", path, options, cflags);
    match (check, prove) {
        (Said::Safe, Said::Safe) => "both safe",
        (Said::Unsafe, Said::Unsafe) => "both unsafe",
        (Said::Uninitialised, Said::Unsafe) => "both unsafe, uninitialised",
        // A proof is about any value of what is not known to be uninitialised; the guide says so. Then nothing else is wrong.
        (Said::Uninitialised, Said::Safe) => {
            assert!(
                by_prove.contains("not looked for: ")
                    && by_prove.contains("values that may be uninitialised"),
                "{}: the claim does not name what was not looked for: {by_prove}",
                path.display()
            );
            let (otherwise, told) = said("check", path, &["--property", "unreach-call"], cflags);
            assert!(
                otherwise != Said::Unsafe,
                "{}: prove says safe, check finds more: {told}",
                path.display()
            );
            "uninitialised, any value is safe"
        }
        (Said::NotCompiled, Said::NotCompiled) => "crash of clang",
        (Said::Refused, _) => panic!("{} is refused: {by_check}", path.display()),
        (_, Said::Refused) => "refused by prove",
        (Said::Unknown, Said::Unknown) => "both unknown",
        (Said::Unknown, _) => "unknown to check",
        (_, Said::Unknown) => "unknown to prove",
        _ => panic!(
            "{} {options:?} {cflags}: check says {check:?}, prove {prove:?}\n{by_check}\n{by_prove}",
            path.display()
        ),
    }
}

#[test]
fn check_and_prove_never_contradict_each_other() {
    let folder = std::env::temp_dir().join(format!("selvedge-agreement-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is room for temporary files");
    let tickets = Tickets::new(seeds());
    let outcomes = Outcomes::of_seeds(&seeds());
    let work = || {
        while let Some(seed) = tickets.take() {
            let path = written(&folder, seed);
            let cflags = ["-O0", "-O0", "-O1", "-O2"][seed as usize % 4];
            let options: &[&str] = if seed % 3 == 2 { &["--property", "unreach-call"] } else { &[] };
            outcomes.count(compared(&path, options, cflags));
            // A program that contradicts stays for whoever looks for the reason.
            let _ = std::fs::remove_file(path);
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            if let Err(panic) = worker.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
    println!("{outcomes}");
    outcomes.assert_at_least(&[("both safe", 10), ("both unsafe", 10), ("both unsafe, uninitialised", 1)]);
    outcomes.assert_at_most("refused", 40);
    outcomes.assert_at_most("crash of clang", 2);
}
