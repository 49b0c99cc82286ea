//! A clang for the tests of C and C++: found, or installed with the packages of Debian and Ubuntu.

use std::process::{Command, Stdio};

/// The versions that the tests can use.
const VERSIONS: std::ops::RangeInclusive<u32> = 14..=19;

/// Whether there is a clang now.
pub fn provide() -> bool {
    if let Some(found) = find() {
        println!("{found} is there");
        return true;
    }
    println!("there is no clang 14 to 19: installing one");
    let installed = run("apt-get", &["update", "-qq"]) && run("apt-get", &["install", "-y", "-qq", "clang"]);
    if !installed {
        eprintln!("clang cannot be installed; the tests of C and C++ need version 14 to 19");
    }
    installed && find().is_some()
}

fn find() -> Option<String> {
    let numbered = VERSIONS.rev().map(|version| format!("clang-{version}"));
    std::iter::once("clang".to_owned()).chain(numbered).find(|program| is_usable(program))
}

fn is_usable(program: &str) -> bool {
    let Ok(output) = Command::new(program).arg("--version").output() else { return false };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let version = text.split("version ").nth(1).and_then(|rest| rest.split('.').next()?.parse().ok());
    version.is_some_and(|version| VERSIONS.contains(&version))
}

fn run(program: &str, arguments: &[&str]) -> bool {
    let status = Command::new(program).args(arguments).stdin(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_does_not_exist_is_not_usable() {
        assert!(!is_usable("no-such-compiler"));
        assert!(!run("no-such-compiler", &[]));
    }
}
