//! C and C++ programs as they are read: compiled by clang, then lowered.

use crate::VerifyError;
use selvedge_llvm::link::{Unit, link, needed};
use selvedge_llvm::{Module, clang};
use selvedge_machine::{LeftShifts, Machine, Options, lower};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Whether a file is C, C++ or LLVM IR, by its extension.
pub fn is_native(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("c" | "i" | "cpp" | "cc" | "cxx" | "C" | "ii" | "ll"))
}

/// Whether a file is LLVM IR, which no compiler has to make first.
pub(crate) fn is_ir(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "ll")
}

/// A C or C++ program.
#[derive(Clone, Debug)]
pub struct Native {
    module: Arc<Module>,
    path: PathBuf,
    /// The LLVM IR; nothing if it was read by others.
    text: Option<Arc<str>>,
    /// Further files of the program.
    others: Vec<PathBuf>,
}

impl Native {
    /// Compiles and reads a file, with tests for left shifts if these are to be instrumented.
    ///
    /// # Errors
    /// When it is not there, or not accepted.
    pub fn load(
        path: &Path,
        clang: Option<&Path>,
        cflags: &[String],
        left_shifts: LeftShifts,
    ) -> Result<Native, VerifyError> {
        Native::load_all(&[path.to_owned()], clang, cflags, left_shifts)
    }

    /// Compiles, reads and links files, at least one; the first gives the program its name.
    ///
    /// # Errors
    /// When one is not there, or not accepted, or when they do not fit together.
    pub fn load_all(
        paths: &[PathBuf],
        clang: Option<&Path>,
        cflags: &[String],
        left_shifts: LeftShifts,
    ) -> Result<Native, VerifyError> {
        let part = |path: &PathBuf| Part { path: path.clone(), cflags: cflags.to_vec() };
        let units = units(&paths.iter().map(part).collect::<Vec<_>>(), clang, left_shifts)?;
        Native::linked(paths, &units)
    }

    /// Compiles the files of a project, and links the first with those that define what it needs.
    ///
    /// # Errors
    /// When one is not there, or not accepted, or when they do not fit together.
    pub fn load_project(
        parts: &[Part],
        clang: Option<&Path>,
        left_shifts: LeftShifts,
    ) -> Result<Native, VerifyError> {
        let units = units(parts, clang, left_shifts)?;
        let needed = needed(&units);
        let paths: Vec<PathBuf> = needed.iter().map(|&number| parts[number].path.clone()).collect();
        let units: Vec<Unit> = needed.iter().map(|&number| units[number].clone()).collect();
        Native::linked(&paths, &units)
    }

    fn linked(paths: &[PathBuf], units: &[Unit]) -> Result<Native, VerifyError> {
        let text = match units {
            [only] => only.text.clone(),
            several => link(several)?,
        };
        let (path, others) = paths.split_first().ok_or(VerifyError::NoFile)?;
        let module =
            selvedge_llvm::read(&text).map_err(|error| VerifyError::Module { path: path.clone(), error })?;
        let native = Native::of(Arc::new(module), path);
        Ok(Native { text: Some(text.into()), others: others.to_vec(), ..native })
    }

    /// A program that was read already, from a file of this name.
    pub fn of(module: Arc<Module>, path: &Path) -> Native {
        Native { module, path: path.to_owned(), text: None, others: Vec::new() }
    }

    /// The LLVM IR that was verified, from which a binary can be made; nothing if the module was read by others.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// The program, ready to run.
    ///
    /// # Errors
    /// When the machine does not know something that it needs.
    pub fn machine(&self, options: Options) -> Result<Machine, VerifyError> {
        let code = lower::lower(&self.module, &options)
            .map_err(|error| VerifyError::Lower { path: self.path.clone(), error })?;
        Ok(Machine::new(self.module.clone(), Arc::new(code), options))
    }

    /// The module.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name of the file.
    pub fn name(&self) -> String {
        let names = [&self.path].into_iter().chain(&self.others).map(|path| path.display().to_string());
        names.collect::<Vec<_>>().join(" ")
    }

    /// A source file of the program by the name under which people know it: as it was given, or without the directory in which we
    /// are.
    pub fn known_name(&self, file: &str) -> String {
        let wanted = std::fs::canonicalize(file).ok();
        let is_it = |path: &&PathBuf| wanted.is_some() && std::fs::canonicalize(path).ok() == wanted;
        match [&self.path].into_iter().chain(&self.others).find(is_it) {
            Some(path) => path.display().to_string(),
            None => shortened(file),
        }
    }
}

/// A file of a project.
#[derive(Clone, Debug)]
pub struct Part {
    /// The file.
    pub path: PathBuf,
    /// Its arguments of clang.
    pub cflags: Vec<String>,
}

/// The LLVM IR of files.
fn units(parts: &[Part], clang: Option<&Path>, left_shifts: LeftShifts) -> Result<Vec<Unit>, VerifyError> {
    let unit = |part: &Part| {
        let text = text_of(&part.path, clang, &part.cflags, left_shifts)?;
        Ok(Unit { file: part.path.display().to_string(), text })
    };
    parts.iter().map(unit).collect()
}

/// The LLVM IR of a file, with tests for left shifts if these are to be instrumented.
fn text_of(
    path: &Path,
    clang: Option<&Path>,
    cflags: &[String],
    left_shifts: LeftShifts,
) -> Result<String, VerifyError> {
    let unreadable = |error| VerifyError::Read { path: path.to_owned(), error };
    if is_ir(path) {
        return std::fs::read_to_string(path).map_err(unreadable);
    }
    // Better our message than clang's.
    std::fs::metadata(path).map_err(unreadable)?;
    let tests: &[&str] = match left_shifts {
        LeftShifts::Instrumented => &clang::SHIFT_TESTS,
        LeftShifts::Unknown => &[],
    };
    let tests = tests.iter().map(|flag| flag.to_string());
    let cflags: Vec<String> = tests.chain(cflags.iter().cloned()).collect();
    Ok(clang::compile(path, clang, &cflags)?)
}

/// A path without the directory in which we are.
pub fn shortened(name: &str) -> String {
    let here = std::env::current_dir().ok();
    let path = Path::new(name);
    let relative = here.as_ref().and_then(|here| path.strip_prefix(here).ok());
    relative.unwrap_or(path).display().to_string()
}
