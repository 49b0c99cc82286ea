//! C and C++ programs as the arguments name them, and their source files.

use crate::args::ProgramArgs;
use crate::compile_database;
use crate::error::CliError;
use selvedge_machine::LeftShifts;
use selvedge_machine::code::Code;
use selvedge_report::native::Files;
use selvedge_verify::Native;

pub use selvedge_verify::c::native::{is_native, shortened};

/// Compiles and reads a file, with tests for left shifts if these are to be instrumented.
pub fn load(args: &ProgramArgs, left_shifts: LeftShifts) -> Result<Native, CliError> {
    if let Some(folder) = &args.project {
        let parts = compile_database::parts(folder, &args.path, &args.cflags)?;
        return Ok(Native::load_project(&parts, args.clang.as_deref(), left_shifts)?);
    }
    if let Some(other) = args.more.iter().find(|path| !is_native(path)) {
        return Err(CliError::UnknownPart { path: other.clone() });
    }
    let paths: Vec<_> = [&args.path].into_iter().chain(&args.more).cloned().collect();
    Ok(Native::load_all(&paths, args.clang.as_deref(), &args.cflags, left_shifts)?)
}

/// The source files that a program says it comes from.
pub fn files(native: &Native, code: &Code) -> SourceFiles {
    let file = |name: &String| {
        let name = native.known_name(name);
        (name.clone(), std::fs::read_to_string(&name).ok())
    };
    SourceFiles { files: code.files.iter().map(file).collect() }
}

/// Source files with their texts.
pub struct SourceFiles {
    files: Vec<(String, Option<String>)>,
}

impl Files for SourceFiles {
    fn text(&self, file: u32) -> Option<&str> {
        self.files.get(file as usize)?.1.as_deref()
    }

    fn name(&self, file: u32) -> String {
        self.files.get(file as usize).map_or(String::new(), |file| file.0.clone())
    }
}
