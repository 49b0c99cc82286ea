//! Reading programs: from a file to well-formed IR.

use crate::diagnostics::Rejection;
use crate::error::CliError;
use selvedge_ir::Program;
use selvedge_report::{Source, Subject};
use selvedge_sections::Sources;
use selvedge_verify::assumptions::Origin;
use std::collections::BTreeMap;
use std::path::Path;

/// A program with its text.
pub struct Loaded {
    /// The program.
    pub program: Program,
    /// The instructions of the LLVM IR that it was made of, if it was.
    pub sources: Sources,
    /// Where it comes from.
    pub origin: Origin,
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

/// An input language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    /// The modelling language.
    Sel,
    /// dlang [Metzler2014, appendix A].
    Dlang,
}

/// Reads and compiles a file; its extension says in which language it is.
pub fn file(path: &Path, defines: BTreeMap<String, i64>) -> Result<Loaded, CliError> {
    let language = match path.extension().and_then(|extension| extension.to_str()) {
        Some("sel") => Language::Sel,
        Some("d") if defines.is_empty() => Language::Dlang,
        Some("d") => return Err(CliError::NoDefines { path: path.to_owned() }),
        _ => return Err(CliError::UnknownLanguage { path: path.to_owned() }),
    };
    let text =
        std::fs::read_to_string(path).map_err(|error| CliError::Read { path: path.to_owned(), error })?;
    compile_in(language, path.display().to_string(), text, defines)
}

/// Compiles a text of the modelling language.
pub fn compile(name: String, text: String, defines: BTreeMap<String, i64>) -> Result<Loaded, CliError> {
    compile_in(Language::Sel, name, text, defines)
}

fn compile_in(
    language: Language,
    name: String,
    text: String,
    defines: BTreeMap<String, i64>,
) -> Result<Loaded, CliError> {
    let compiled = match language {
        Language::Sel => selvedge_lang::compile(&name, &text, &defines),
        Language::Dlang => selvedge_lang::compile_dlang(&name, &text),
    };
    match compiled {
        Err(diagnostics) => Err(CliError::Rejected(Rejection { name, text, diagnostics })),
        Ok(program) => Ok(Loaded { defines, ..checked(program, name, text)? }),
    }
}

/// A program that a front end has made, if it is well formed.
pub fn checked(program: Program, name: String, text: String) -> Result<Loaded, CliError> {
    match selvedge_ir::check::check(&program) {
        Ok(()) => {
            let (sources, origin, defines) = (Sources::default(), Origin::Model, BTreeMap::new());
            Ok(Loaded { program, sources, origin, name, text, defines })
        }
        Err(faults) => {
            let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
            Err(CliError::IllFormed(faults.join("; ")))
        }
    }
}
