//! `selvedge audit`: whether a recorded execution was permitted.

use super::args::AuditArgs;
use super::read_prefix;
use crate::error::CliError;
use crate::{native, output};
use selvedge_audit::audit;
use selvedge_audit::log::Log;
use selvedge_build::BuildError;
use selvedge_llvm::fingerprint;
use selvedge_machine::LeftShifts;
use selvedge_report::scope::counted;

/// Audits a log; the exit code.
pub fn run(args: &AuditArgs) -> Result<u8, CliError> {
    let bytes = std::fs::read(&args.log).map_err(|error| CliError::Read { path: args.log.clone(), error })?;
    let log = Log::read(&bytes)
        .map_err(|error| CliError::Schedule { path: args.log.clone(), what: error.to_string() })?;
    let prefix = read_prefix(&args.schedule)?;
    let program = native::load(&args.program, LeftShifts::Unknown)?;
    if fingerprint(program.text().unwrap_or_default()) != prefix.program {
        let tested = native::load(&args.program, LeftShifts::Instrumented)?;
        if fingerprint(tested.text().unwrap_or_default()) != prefix.program {
            return Err(BuildError::OtherProgram.into());
        }
    }
    match audit(&log, &prefix) {
        Ok(audited) => {
            let (events, orders) =
                (counted(audited.events as u64, "event"), counted(audited.orders as u64, "constraint"));
            let how_far = if audited.is_whole { "the whole prefix" } else { "a part of the prefix" };
            output::print(&format!("permitted: {events}, {orders}, {how_far}\n"))?;
            Ok(0)
        }
        Err(violation) => {
            output::print(&format!("not permitted: {violation}\n"))?;
            Ok(1)
        }
    }
}
