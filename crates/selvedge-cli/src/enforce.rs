//! `selvedge build`, `selvedge run` and `selvedge audit`: native programs that keep to a schedule.

pub mod args;
pub mod audit;
pub mod build;
mod find;
pub mod program_schedule;
pub mod run;

use crate::error::CliError;
use selvedge_schedule::prefix::Prefix;
use std::path::Path;

/// Reads a trace prefix.
fn read_prefix(path: &Path) -> Result<Prefix, CliError> {
    let text =
        std::fs::read_to_string(path).map_err(|error| CliError::Read { path: path.to_owned(), error })?;
    Prefix::parse(&text)
        .map_err(|error| CliError::Schedule { path: path.to_owned(), what: error.to_string() })
}
