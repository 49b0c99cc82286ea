//! Chores of the repository: `cargo xtask tidy` checks the house rules that no compiler knows, and
//! `cargo xtask test` is the whole test command.

mod clang;
mod solvers;
mod source_tree;
mod test_command;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use test_command::Effort;

const USAGE: &str = "\
usage: cargo xtask tidy            check the house rules
       cargo xtask test [--long]   format, lints, documentation, house rules, tests";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["tidy"] => tidy::run(&root()),
        ["test"] => test_command::run(&root(), Effort::Usual),
        ["test", "--long"] => test_command::run(&root(), Effort::Long),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// The root of the repository. Cargo sets the variable when it runs us; the compiled-in path is for those who
/// start the binary by hand.
fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let here = PathBuf::from(here);
    here.parent().map(Path::to_path_buf).unwrap_or(here)
}
