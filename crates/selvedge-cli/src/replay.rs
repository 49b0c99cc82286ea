//! `selvedge replay`: step through a saved counterexample again.

use crate::args::ReplayArgs;
use crate::error::CliError;
use crate::{check_native, load, native, output};
use selvedge_report::{Counterexample, SavedTrace, Verdict, text};

/// Performs a saved trace and tells it; the exit code.
pub fn run(args: &ReplayArgs) -> Result<u8, CliError> {
    let path = &args.trace;
    let saved =
        std::fs::read_to_string(path).map_err(|error| CliError::Read { path: path.clone(), error })?;
    let unusable = |error| CliError::Trace { path: path.clone(), error };
    let trace = SavedTrace::from_text(&saved).map_err(unusable)?;
    if native::is_native(&args.program.path) {
        return check_native::replay(path, &trace, &args.program);
    }
    let mut defines = trace.defines.clone();
    defines.extend(args.program.defines());
    let loaded = load::file(args.program.only_file()?, defines)?;
    let violation = trace.perform(&loaded.program).map_err(unusable)?;
    let subject = loaded.subject();
    let example = Counterexample::of(&subject, &violation)?;
    let told = text::counterexample(&example, subject.source, output::page());
    output::print(&format!("replaying {} on {}\n\n{told}", path.display(), subject.source.name))?;
    Ok(Verdict::Violation.exit_code())
}
