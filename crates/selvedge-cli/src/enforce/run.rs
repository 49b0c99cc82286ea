//! `selvedge run`: a program under a schedule, compiled and run in one go.

use super::args::RunArgs;
use super::build::{Kind, make};
use super::find::Subject;
use super::program_schedule;
use crate::error::CliError;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};

/// Makes the binary and runs it; its exit code.
pub fn run(args: &RunArgs) -> Result<u8, CliError> {
    let subject = Subject::load(&args.binary, &args.cflags)?;
    let folder = tempfile::tempdir()?;
    let name = args.binary.path.file_stem().unwrap_or_default();
    let binary = folder.path().join(name);
    if make(&args.binary, &subject, &args.cflags, &binary)? == Kind::Program {
        program_schedule::refuse_options_of_prefixes(args)?;
    }
    let mut command = Command::new(&binary);
    command.args(&args.arguments);
    if args.stats {
        command.env("SELVEDGE_STATS", "1");
    }
    if let Some(log) = &args.record {
        command.env("SELVEDGE_RECORD", log);
    }
    let status = command.status().map_err(|error| CliError::Read { path: binary.clone(), error })?;
    Ok(exit_code(status))
}

/// The exit code of a program, by the convention of shells if a signal has ended it.
fn exit_code(status: ExitStatus) -> u8 {
    const SIGNALS: i32 = 128;
    let code = status.code().or_else(|| status.signal().map(|signal| SIGNALS + signal));
    code.and_then(|code| u8::try_from(code & 0xff).ok()).unwrap_or(u8::MAX)
}
