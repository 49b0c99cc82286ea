//! `selvedge build`: a stand-alone binary that keeps to a schedule.

use super::args::{BinaryArgs, BuildArgs};
use super::find::Subject;
use super::{program_schedule, read_prefix};
use crate::error::CliError;
use crate::output;
use selvedge_build::explain::{Uncontrolled, uncontrolled};
use selvedge_build::{Compiled, Options};
use selvedge_machine::builtin::Builtin;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

/// What a binary keeps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A trace prefix.
    Prefix,
    /// A program schedule.
    Program,
}

/// Makes the binary; the exit code.
pub fn run(args: &BuildArgs) -> Result<u8, CliError> {
    let subject = Subject::load(&args.binary, &args.cflags)?;
    if args.explain {
        output::print(&explanation(&not_controlled(&subject.compiled)))?;
    }
    let output = args.output.clone().unwrap_or_else(|| args.binary.path.with_extension(""));
    make(&args.binary, &subject, &args.cflags, &output)?;
    Ok(0)
}

/// Makes a binary as the arguments say. Without a schedule a program that ends gets a trace prefix, and one that runs forever a program schedule.
pub fn make(
    args: &BinaryArgs,
    subject: &Subject,
    cflags: &[String],
    output: &Path,
) -> Result<Kind, CliError> {
    let compiled = &subject.compiled;
    let found = not_controlled(compiled);
    if args.strict && !found.is_empty() {
        return Err(CliError::NotControlled { what: explanation(&found) });
    }
    let text = args.schedule.as_ref().map(|path| {
        std::fs::read_to_string(path).map_err(|error| CliError::Read { path: path.clone(), error })
    });
    let text = text.transpose()?;
    let prefix = match (&args.schedule, &text) {
        (_, Some(text)) if program_schedule::is_one(text) => None,
        (Some(path), _) => Some(read_prefix(path)?),
        (None, _) => subject.find(args.max_time)?,
    };
    let Some(prefix) = prefix else {
        program_schedule::make(args, compiled, cflags, text.as_deref(), output)?;
        return Ok(Kind::Program);
    };
    let options = Options { on_divergence: args.on_divergence.into(), stall: args.stall, mutation: None };
    compiled.build(&prefix, &options, output)?;
    Ok(Kind::Prefix)
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
