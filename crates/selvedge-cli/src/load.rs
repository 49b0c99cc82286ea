//! Reading programs: from a file to well-formed IR.

use crate::diagnostics::Rejection;
use crate::error::CliError;
use selvedge_ir::Program;
use selvedge_report::{Source, Subject};
use std::collections::BTreeMap;
use std::path::Path;

/// A program with its text.
pub struct Loaded {
    /// The program.
    pub program: Program,
    name: String,
    text: String,
    defines: BTreeMap<String, i64>,
}

impl Loaded {
    /// The program as the subject of a report.
    pub fn subject(&self) -> Subject<'_> {
        let source = Source { name: &self.name, text: &self.text };
        Subject { program: &self.program, source, defines: &self.defines }
    }
}

/// Reads and compiles a file; its extension says in which language it is.
pub fn file(path: &Path, defines: BTreeMap<String, i64>) -> Result<Loaded, CliError> {
    if path.extension().is_none_or(|extension| extension != "sel") {
        return Err(CliError::UnknownLanguage { path: path.to_owned() });
    }
    let text =
        std::fs::read_to_string(path).map_err(|error| CliError::Read { path: path.to_owned(), error })?;
    compile(path.display().to_string(), text, defines)
}

/// Compiles a text of the modelling language.
pub fn compile(name: String, text: String, defines: BTreeMap<String, i64>) -> Result<Loaded, CliError> {
    match selvedge_lang::compile(&name, &text, &defines) {
        Err(diagnostics) => Err(CliError::Rejected(Rejection { name, text, diagnostics })),
        Ok(program) => match selvedge_ir::check::check(&program) {
            Ok(()) => Ok(Loaded { program, name, text, defines }),
            Err(faults) => {
                let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
                Err(CliError::IllFormed(faults.join("; ")))
            }
        },
    }
}
