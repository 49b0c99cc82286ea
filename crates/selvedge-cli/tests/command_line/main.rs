//! The program `selvedge` as its users see it: what it prints and how it ends.
//!
//! Golden outputs are refreshed with `UPDATE_EXPECT=1 cargo test -p selvedge-cli`.

mod bench;
mod bounds;
mod check;
mod coarser;
mod dlang;
mod enforce;
mod json;
mod large;
mod native;
mod places;
mod prefixes;
mod prove;
mod prove_c;
mod prove_c_misuse;
mod rejection;
mod replay;
mod schedules;
mod verdicts;

use std::path::{Path, PathBuf};
use std::process::Command;

/// What a command printed and how it ended.
#[derive(Debug)]
struct Ran {
    stdout: String,
    stderr: String,
    code: i32,
}

impl Ran {
    /// Standard output without times, and the exit code.
    fn told(&self) -> String {
        assert_eq!(self.stderr, "");
        format!("{}exit code {}\n", without_times(&self.stdout), self.code)
    }
}

/// Runs `selvedge` with arguments separated by spaces, in the root of the workspace.
fn selvedge(arguments: &str) -> Ran {
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    selvedge_with(&arguments)
}

fn selvedge_with(arguments: &[&str]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .env_remove("COLUMNS")
        .output()
        .expect("the program starts");
    Ran {
        stdout: String::from_utf8(output.stdout).expect("the output is text"),
        stderr: String::from_utf8(output.stderr).expect("the output is text"),
        code: output.status.code().expect("the program ends by itself"),
    }
}

/// Times and memory are on one line of their own. The counters of work done, on the line before, are left out as
/// well: they change whenever an algorithm becomes cleverer.
fn without_times(text: &str) -> String {
    let line = |line: &str| match line.split_whitespace().next() {
        Some("time") => "  time         TIME\n".to_owned(),
        Some("transitions") => "  transitions  COUNTERS\n".to_owned(),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// A file for one test, removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
        Scratch(directory.join(format!("{}-{name}", std::process::id())))
    }

    fn holding(name: &str, text: &str) -> Scratch {
        let scratch = Scratch::new(name);
        std::fs::write(&scratch.0, text).expect("the file can be written");
        scratch
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("the path is text")
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.0).expect("the file was written")
    }

    /// A text with the path of this file made the same everywhere.
    fn hidden_in(&self, text: &str) -> String {
        text.replace(self.path(), "SCRATCH")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
