//! `selvedge ir`: print the intermediate representation of a program.

use crate::args::IrArgs;
use crate::error::CliError;
use crate::{output, translated};

/// Prints the program; the exit code.
pub fn run(args: &IrArgs) -> Result<u8, CliError> {
    let loaded = translated::program(&args.program, &Default::default())?;
    output::print(&selvedge_ir::print::print(&loaded.program))?;
    Ok(0)
}
