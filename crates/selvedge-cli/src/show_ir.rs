//! `selvedge ir`: print the intermediate representation of a program.

use crate::args::IrArgs;
use crate::error::CliError;
use crate::{load, output};

/// Prints the program; the exit code.
pub fn run(args: &IrArgs) -> Result<u8, CliError> {
    let loaded = load::file(&args.program.path, args.program.defines())?;
    output::print(&selvedge_ir::print::print(&loaded.program))?;
    Ok(0)
}
