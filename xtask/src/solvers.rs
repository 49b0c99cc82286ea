//! The solvers for the tests of proofs, z3 and cvc5: found, or installed with the packages of Debian and Ubuntu.

use std::process::{Command, Stdio};

/// The solvers, each with the package of the same name.
const SOLVERS: [&str; 2] = ["z3", "cvc5"];

/// Whether all solvers are there now.
pub fn provide() -> bool {
    let missing: Vec<&str> = SOLVERS.into_iter().filter(|solver| !is_there(solver)).collect();
    if missing.is_empty() {
        println!("{} are there", SOLVERS.join(" and "));
        return true;
    }
    println!("installing {}", missing.join(" and "));
    let installed = run("apt-get", &["update", "-qq"])
        && run("apt-get", &[&["install", "-y", "-qq"], &missing[..]].concat());
    if !installed {
        eprintln!("{} cannot be installed; the tests of proofs need them", missing.join(" and "));
    }
    installed && SOLVERS.into_iter().all(is_there)
}

fn is_there(solver: &str) -> bool {
    run(solver, &["--version"])
}

fn run(program: &str, arguments: &[&str]) -> bool {
    let status = Command::new(program).args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solver_that_does_not_exist_is_not_there() {
        assert!(!is_there("no-such-solver"));
    }
}
