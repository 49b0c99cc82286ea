//! The program `selvedge`: it reads the command line, runs a command and ends with its exit code.
//!
//! 0 verified, 1 violation, 2 bad input or usage, 3 inconclusive.

mod args;
mod asked;
mod bench;
mod check;
mod check_native;
mod compile_database;
mod diagnostics;
mod enforce;
mod error;
mod load;
mod native;
mod output;
mod prefix;
mod preparing;
mod progress;
mod prove;
mod replay;
mod scheduled;
mod show_ir;
mod translated;

use args::{Cli, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Check(args) => check::run(&args),
        Command::Prove(args) => prove::run(&args),
        Command::Certify(args) => prove::certify(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Build(args) => enforce::build::run(&args),
        Command::Run(args) => enforce::run::run(&args),
        Command::Audit(args) => enforce::audit::run(&args),
        Command::Ir(args) => show_ir::run(&args),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) => error.tell(),
    }
}
