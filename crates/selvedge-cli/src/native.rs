//! C and C++ programs as they are read: compiled by clang, lowered, with their source files.

use crate::args::ProgramArgs;
use crate::error::CliError;
use selvedge_llvm::{Module, clang};
use selvedge_machine::code::Code;
use selvedge_machine::{LeftShifts, Machine, Options, lower};
use selvedge_report::native::Files;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Whether a file is C, C++ or LLVM IR, by its extension.
pub fn is_native(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("c" | "i" | "cpp" | "cc" | "cxx" | "C" | "ii" | "ll"))
}

/// A C or C++ program.
pub struct Native {
    module: Arc<Module>,
    path: PathBuf,
}

impl Native {
    /// Compiles and reads a file.
    pub fn load(args: &ProgramArgs) -> Result<Native, CliError> {
        Native::load_with(args, LeftShifts::Unknown)
    }

    /// Compiles and reads a file to look for overflow, with tests for left shifts if that is possible.
    pub fn load_with(args: &ProgramArgs, left_shifts: LeftShifts) -> Result<Native, CliError> {
        let path = &args.path;
        let tests: &[&str] = if left_shifts == LeftShifts::Instrumented { &clang::SHIFT_TESTS } else { &[] };
        let cflags: Vec<String> =
            tests.iter().map(|flag| flag.to_string()).chain(args.cflags.clone()).collect();
        let text = match path.extension().is_some_and(|extension| extension == "ll") {
            true => {
                std::fs::read_to_string(path).map_err(|error| CliError::Read { path: path.clone(), error })?
            }
            false => {
                // Better our message than clang's.
                std::fs::metadata(path).map_err(|error| CliError::Read { path: path.clone(), error })?;
                clang::compile(path, args.clang.as_deref(), &cflags)?
            }
        };
        let module =
            selvedge_llvm::read(&text).map_err(|error| CliError::Module { path: path.clone(), error })?;
        Ok(Native { module: Arc::new(module), path: path.clone() })
    }

    /// The program, ready to run.
    pub fn machine(&self, options: Options) -> Result<Machine, CliError> {
        let code = lower::lower(&self.module, &options)
            .map_err(|error| CliError::Lower { path: self.path.clone(), error })?;
        Ok(Machine::new(self.module.clone(), Arc::new(code), options))
    }

    /// The source files that the program says it comes from.
    pub fn files(&self, code: &Code) -> SourceFiles {
        let own = std::fs::canonicalize(&self.path).ok();
        let file = |name: &String| {
            let is_own = own.is_some() && std::fs::canonicalize(name).ok() == own;
            let name = if is_own { self.path.display().to_string() } else { shortened(name) };
            (name.clone(), std::fs::read_to_string(&name).ok())
        };
        SourceFiles { files: code.files.iter().map(file).collect() }
    }

    /// The name of the file.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }
}

/// A path without the directory in which we are.
fn shortened(name: &str) -> String {
    let here = std::env::current_dir().ok();
    let path = Path::new(name);
    let relative = here.as_ref().and_then(|here| path.strip_prefix(here).ok());
    relative.unwrap_or(path).display().to_string()
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
