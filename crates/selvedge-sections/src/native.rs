//! Binaries of C programs that follow a table.
//!
//! [`build`] takes the LLVM IR that was verified, puts hooks at the instructions of the [table](crate::Table) ([`instrument`]), writes the table as constants of C
//! ([`constants`]) and compiles both with the run time.
//!
//! Accesses at hooks are volatile, so that the optimiser leaves them between their hooks. Two accesses that depend on each other are ordered by the
//! release store of one thread and the acquire load of another, whatever the processor does; a schedule leaves no dependent accesses
//! unordered, so the execution is sequentially consistent.

pub mod constants;
pub mod instrument;

use crate::{Sources, Steps, Table};
use instrument::Instrumented;
use selvedge_llvm::{Module, Site};
use selvedge_schedule::Thread;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The run time, in the order in which its parts are compiled. The table comes first.
const RUN_TIME: [(&str, &str); 5] = [
    ("state.h", include_str!("native/state.h")),
    ("progress.c", include_str!("native/progress.c")),
    ("report.c", include_str!("native/report.c")),
    ("follow.c", include_str!("native/follow.c")),
    ("threads.c", include_str!("native/threads.c")),
];

/// Why there is no binary.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// An instruction cannot be controlled.
    #[error("{place}: `{kind}` cannot be controlled{why}")]
    Instruction {
        /// Where it is.
        place: String,
        /// What it is.
        kind: String,
        /// Why not.
        why: &'static str,
    },
    /// A file cannot be written.
    #[error("{0}: {1}")]
    File(PathBuf, io::Error),
    /// Clang does not make a binary.
    #[error("clang: {0}")]
    Clang(String),
}

/// A defect of the run time, to see that others find it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// One of the waits is left out.
    MissingWait(usize),
}

/// What a binary is made of.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'p> {
    /// The LLVM IR.
    pub text: &'p str,
    /// The module that it is.
    pub module: &'p Module,
    /// Which instructions the steps are.
    pub sources: &'p Sources,
    /// The steps.
    pub steps: &'p Steps,
    /// The table.
    pub table: &'p Table,
    /// The threads.
    pub threads: &'p [Thread],
    /// After so many seconds a thread that waits says for whom; 0 for never.
    pub stall: u32,
}

/// Makes a binary. `folder` is for files on the way, `flags` are for clang, too.
///
/// # Errors
/// When an instruction cannot be controlled, or clang does not make a binary.
pub fn build(
    parts: &Parts,
    mutation: Option<Mutation>,
    clang: &Path,
    flags: &[String],
    folder: &Path,
    output: &Path,
) -> Result<(), BuildError> {
    let Instrumented { text, sites, seen } = instrument::instrument(parts)?;
    let names: Vec<String> = sites.iter().map(|site| site_name(parts, *site)).collect();
    let mut source = format!("enum {{ STALL = {} }};\n", parts.stall);
    source += &constants::constants(parts.table, parts.threads, &names, &seen);
    RUN_TIME.iter().for_each(|(name, text)| source += &format!("#line 1 \"selvedge/{name}\"\n{text}"));
    let (program, run_time) = (folder.join("program.ll"), folder.join("run_time.c"));
    for (path, text) in [(&program, &text), (&run_time, &source)] {
        std::fs::write(path, text).map_err(|error| BuildError::File(path.clone(), error))?;
    }
    let mut command = Command::new(clang);
    command.args(flags.iter().filter(|flag| !flag.starts_with("-O")));
    command.args(["-Qunused-arguments", "-O2", "-w", "-pthread", "-x", "ir"]).arg(&program);
    command.args(["-x", "c", "-std=gnu11"]).arg(&run_time).args(["-x", "none"]);
    if let Some(Mutation::MissingWait(wait)) = mutation {
        command.arg(format!("-DSELVEDGE_MUTATION={wait}"));
    }
    let done = command.arg("-o").arg(output).output();
    match done {
        Ok(done) if done.status.success() => Ok(()),
        Ok(done) => Err(BuildError::Clang(String::from_utf8_lossy(&done.stderr).trim_end().to_owned())),
        Err(error) => Err(BuildError::Clang(error.to_string())),
    }
}

fn site_name(parts: &Parts, site: Option<Site>) -> String {
    site.map_or_else(String::new, |site| parts.module.site_name(site).to_string())
}
