//! From a program to a binary: the LLVM IR that is verified, with hooks and run time, optimised by clang.

use crate::BuildError;
use crate::instrument::instrument;
use crate::table::Table;
use selvedge_llvm::{Module, clang};
use selvedge_schedule::prefix::Prefix;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};
use tempfile::TempDir;

/// What to do when an execution leaves the schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDivergence {
    /// The program ends with exit code 70.
    #[default]
    Stop,
    /// One thread runs at a time from there on.
    Serialise,
    /// The execution goes on, unverified.
    Free,
}

/// How a binary behaves.
#[derive(Clone, Debug)]
pub struct Options {
    /// When an execution leaves the schedule.
    pub on_divergence: OnDivergence,
    /// After so many seconds without an event the watchdog says who waits for whom; 0 for never.
    pub stall: u32,
    /// For tests, what the run time does wrong.
    pub mutation: Option<Mutation>,
}

impl Default for Options {
    fn default() -> Options {
        Options { on_divergence: OnDivergence::Stop, stall: 10, mutation: None }
    }
}

/// A defect of the run time, to see that others find it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// One of the waits is left out.
    MissingWait(usize),
}

/// A program as clang makes it: what is verified, and what binaries are made of.
#[derive(Clone, Debug)]
pub struct Compiled {
    path: PathBuf,
    text: String,
    module: Module,
    clang: PathBuf,
    cflags: Vec<String>,
    /// The run time, once it was compiled: all binaries of the program have the same.
    run_time: Arc<OnceLock<Arc<Object>>>,
}

/// An object file, and the directory that holds it.
#[derive(Debug)]
struct Object {
    folder: TempDir,
}

impl Object {
    fn path(&self) -> PathBuf {
        self.folder.path().join("selvedge_rt.o")
    }
}

impl Compiled {
    /// Compiles a program to LLVM IR as the verifier does, or reads it.
    ///
    /// # Errors
    /// When that does not work.
    pub fn compile(path: &Path, clang: Option<&Path>, cflags: &[String]) -> Result<Compiled, BuildError> {
        let text = match path.extension().is_some_and(|extension| extension == "ll") {
            true => std::fs::read_to_string(path)
                .map_err(|error| BuildError::File { path: path.to_owned(), error })?,
            false => clang::compile(path, clang, cflags)?,
        };
        Compiled::of(path, text, clang, cflags)
    }

    /// A program whose LLVM IR is there already.
    ///
    /// # Errors
    /// When the text cannot be read, or there is no clang.
    pub fn of(
        path: &Path,
        text: String,
        clang: Option<&Path>,
        cflags: &[String],
    ) -> Result<Compiled, BuildError> {
        let module = selvedge_llvm::read(&text)
            .map_err(|error| BuildError::Module { path: path.to_owned(), error })?;
        let clang = clang.map_or_else(clang::find, |clang| Ok(clang.to_owned()))?;
        let run_time = Arc::new(OnceLock::new());
        Ok(Compiled { path: path.to_owned(), text, module, clang, cflags: cflags.to_vec(), run_time })
    }

    /// The fingerprint of the program, which its schedules name.
    pub fn fingerprint(&self) -> String {
        selvedge_llvm::fingerprint(&self.text)
    }

    /// The LLVM IR.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The compiler.
    pub fn compiler(&self) -> &Path {
        &self.clang
    }

    /// The module.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Makes a binary that keeps to a prefix.
    ///
    /// # Errors
    /// When the prefix is for another program, cannot be enforced, or clang does not make a binary.
    pub fn build(&self, prefix: &Prefix, options: &Options, output: &Path) -> Result<(), BuildError> {
        if prefix.program != self.fingerprint() {
            return Err(BuildError::OtherProgram);
        }
        self.refuse_sections()?;
        let mut text = instrument(&self.text, &self.module, prefix)?;
        let folder =
            tempfile::tempdir().map_err(|error| BuildError::File { path: std::env::temp_dir(), error })?;
        let mut inputs: Vec<OsString> =
            vec!["-x".into(), "ir".into(), folder.path().join("program.ll").into()];
        inputs.extend(["-x".into(), "none".into()]);
        if !prefix.events.is_empty() {
            text += &Table::of(prefix, options)?.definitions();
            let object = self.run_time(options)?;
            inputs.push(object.path().into());
            return self.link(&folder, &text, inputs, output);
        }
        self.link(&folder, &text, inputs, output)
    }

    fn link(
        &self,
        folder: &TempDir,
        text: &str,
        inputs: Vec<OsString>,
        output: &Path,
    ) -> Result<(), BuildError> {
        write(&folder.path().join("program.ll"), text)?;
        let mut arguments: Vec<OsString> = vec!["-O2".into(), "-w".into(), "-pthread".into()];
        if self.is_cpp() {
            arguments.push("--driver-mode=g++".into());
        }
        arguments.extend(inputs);
        arguments.extend(["-o".into(), output.as_os_str().to_owned()]);
        self.clang(&arguments)
    }

    /// Atomic sections exist for verifiers only.
    fn refuse_sections(&self) -> Result<(), BuildError> {
        let has_section = |name: &str| name.starts_with("__VERIFIER_atomic_");
        match self.module.functions.iter().map(|f| self.module.name(f.symbol)).find(|name| has_section(name))
        {
            Some(name) => Err(BuildError::Unsupported {
                place: self.path.display().to_string(),
                what: format!("`{name}`, an atomic section,"),
            }),
            None => Ok(()),
        }
    }

    fn is_cpp(&self) -> bool {
        self.text.contains("language: DW_LANG_C_plus_plus") || self.text.contains("@__gxx_personality_v0")
    }

    /// The run time as an object; one with a defect is made for one binary only.
    fn run_time(&self, options: &Options) -> Result<Arc<Object>, BuildError> {
        match (options.mutation, self.run_time.get()) {
            (None, Some(known)) => Ok(known.clone()),
            (None, None) => {
                let made = Arc::new(self.compile_run_time(options)?);
                Ok(self.run_time.get_or_init(|| made).clone())
            }
            (Some(_), _) => Ok(Arc::new(self.compile_run_time(options)?)),
        }
    }

    fn compile_run_time(&self, options: &Options) -> Result<Object, BuildError> {
        let object = Object { folder: temporary_folder()? };
        let source = object.folder.path().join("selvedge_rt.c");
        write(&source, &selvedge_rt::source())?;
        let mut arguments: Vec<OsString> =
            ["-O2", "-w", "-pthread", "-gdwarf-4", "-g1", "-std=gnu11", "-fexceptions", "-c"]
                .map(OsString::from)
                .to_vec();
        if self.text.contains(selvedge_rt::START_CPP.0) {
            arguments.push("-DSELVEDGE_CPP".into());
        }
        if let Some(Mutation::MissingWait(wait)) = options.mutation {
            arguments.push(format!("-DSELVEDGE_MUTATION={wait}").into());
        }
        arguments.extend(self.cflags.iter().filter(|flag| flag.starts_with("-m")).map(OsString::from));
        arguments.extend([source.into(), "-o".into(), object.path().into()]);
        self.run_clang(&arguments)?;
        Ok(object)
    }

    fn clang(&self, arguments: &[OsString]) -> Result<(), BuildError> {
        let given = self.cflags.iter().filter(|flag| !flag.starts_with("-O")).map(OsString::from);
        let mut all: Vec<OsString> = given.chain(["-Qunused-arguments".into()]).collect();
        all.extend_from_slice(arguments);
        self.run_clang(&all)
    }

    fn run_clang(&self, arguments: &[OsString]) -> Result<(), BuildError> {
        let done = Command::new(&self.clang).args(arguments).output();
        let message = match done {
            Ok(done) if done.status.success() => return Ok(()),
            Ok(done) => String::from_utf8_lossy(&done.stderr).trim_end().to_owned(),
            Err(error) => error.to_string(),
        };
        Err(BuildError::Link { message })
    }
}

fn write(path: &Path, text: &str) -> Result<(), BuildError> {
    std::fs::write(path, text).map_err(|error| BuildError::File { path: path.to_owned(), error })
}

fn temporary_folder() -> Result<TempDir, BuildError> {
    tempfile::tempdir().map_err(|error| BuildError::File { path: std::env::temp_dir(), error })
}
