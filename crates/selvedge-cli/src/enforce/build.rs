//! `selvedge build`: a stand-alone binary that keeps to a schedule.

use super::args::{BinaryArgs, BuildArgs};
use super::{program_schedule, read_prefix};
use crate::error::CliError;
use crate::output;
use selvedge_build::explain::{Uncontrolled, uncontrolled};
use selvedge_build::{Compiled, Options};
use selvedge_machine::builtin::Builtin;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

/// Makes the binary; the exit code.
pub fn run(args: &BuildArgs) -> Result<u8, CliError> {
    let compiled = compile(&args.binary, &args.cflags)?;
    let found = not_controlled(&compiled);
    if args.explain {
        output::print(&explanation(&found))?;
    }
    let output = args.output.clone().unwrap_or_else(|| args.binary.path.with_extension(""));
    make(&args.binary, &compiled, &args.cflags, &output)?;
    Ok(0)
}

pub fn compile(args: &BinaryArgs, cflags: &[String]) -> Result<Compiled, CliError> {
    // Better our message than clang's.
    std::fs::metadata(&args.path).map_err(|error| CliError::Read { path: args.path.clone(), error })?;
    Ok(Compiled::compile(&args.path, args.clang.as_deref(), cflags)?)
}

/// Makes a binary as the arguments say.
pub fn make(
    args: &BinaryArgs,
    compiled: &Compiled,
    cflags: &[String],
    output: &Path,
) -> Result<(), CliError> {
    let found = not_controlled(compiled);
    if args.strict && !found.is_empty() {
        return Err(CliError::NotControlled { what: explanation(&found) });
    }
    let Some(path) = &args.schedule else {
        return program_schedule::make(args, compiled, cflags, None, output);
    };
    let text = std::fs::read_to_string(path).map_err(|error| CliError::Read { path: path.clone(), error })?;
    if program_schedule::is_one(&text) {
        return program_schedule::make(args, compiled, cflags, Some(&text), output);
    }
    let prefix = read_prefix(path)?;
    let options = Options { on_divergence: args.on_divergence.into(), stall: args.stall, mutation: None };
    Ok(compiled.build(&prefix, &options, output)?)
}

fn not_controlled(compiled: &Compiled) -> BTreeSet<Uncontrolled> {
    uncontrolled(compiled.module(), |name| Builtin::from_name(name).is_some())
}

fn explanation(found: &BTreeSet<Uncontrolled>) -> String {
    if found.is_empty() {
        return "everything that the program does is controlled\n".to_owned();
    }
    let mut text = String::from("not controlled:\n");
    for uncontrolled in found {
        let _ = writeln!(text, "  {uncontrolled}");
    }
    text
}
