//! Checkpoints on disk: a long search goes on after an interruption.
//!
//! `SELVEDGE_CHECKPOINT=file` makes a check write what it has left to do every few seconds, go on from there the next
//! time, and remove the file when it is done. The file holds numbers: the names of threads and objects in the order in which the
//! search met them, the algorithm, what it takes for granted, and the [`Checkpoint`] of the explorer.

mod numbers;

use crate::runtime::assumptions::Assumptions;
use crate::runtime::names::Names;
use crate::runtime::with;
use numbers::{Reader, Writer};
use selvedge_explore::{Algorithm, Checkpoint};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The variable that asks for checkpoints.
const VARIABLE: &str = "SELVEDGE_CHECKPOINT";

/// What every file begins with; the number is the version of the format.
const HEADER: &str = "selvedge checkpoint 3";

/// The time between two checkpoints.
const INTERVAL: Duration = Duration::from_secs(2);

/// A file for checkpoints.
#[derive(Debug)]
pub struct CheckpointFile {
    path: PathBuf,
    latest: Instant,
}

/// A search that was interrupted.
#[derive(Debug)]
pub struct Interrupted {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// What it takes for granted.
    pub assumptions: Assumptions,
    /// The names of threads and objects.
    pub names: Names,
    /// What is left to do.
    pub checkpoint: Checkpoint,
}

/// The file that the user asks for, by the variable or else by the checker.
pub fn requested(by_checker: Option<&Path>) -> Option<CheckpointFile> {
    let by_variable = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    let path = by_variable.or_else(|| by_checker.map(Path::to_path_buf))?;
    Some(CheckpointFile { path, latest: Instant::now() })
}

impl CheckpointFile {
    /// The search that was interrupted, if there is a file.
    ///
    /// # Errors
    /// In words, when the file cannot be used.
    pub fn read(&self) -> Result<Option<Interrupted>, String> {
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("{} cannot be read: {error}", self.path.display())),
        };
        let body =
            text.strip_prefix(HEADER).ok_or_else(|| self.unusable("is no checkpoint of this version"))?;
        let mut reader = Reader::new(body).ok_or_else(|| self.unusable("is damaged"))?;
        let interrupted = read(&mut reader).filter(|_| reader.is_at_end());
        interrupted.map(Some).ok_or_else(|| self.unusable("is damaged"))
    }

    fn unusable(&self, what: &str) -> String {
        format!("{} {what}; remove it to begin anew", self.path.display())
    }

    /// Whether it is time for the next checkpoint.
    pub fn is_due(&self) -> bool {
        self.latest.elapsed() >= INTERVAL
    }

    /// Writes a checkpoint of the search in progress.
    pub fn write(&mut self, algorithm: Algorithm, checkpoint: &Checkpoint) {
        self.latest = Instant::now();
        let body = with(|x| write(algorithm, &x.assumptions, &x.names, checkpoint));
        // First all of it beside the old one: an interruption must not leave half a file.
        let beside = self.path.with_extension("new");
        let written = std::fs::write(&beside, format!("{HEADER}\n{body}\n"));
        if let Err(error) = written.and_then(|()| std::fs::rename(&beside, &self.path)) {
            eprintln!("selvedge: the checkpoint {} cannot be written: {error}", self.path.display());
        }
    }

    /// The search is done.
    pub fn remove(&self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

fn write(algorithm: Algorithm, assumptions: &Assumptions, names: &Names, checkpoint: &Checkpoint) -> String {
    let mut writer = Writer::default();
    writer.number(number_of(algorithm));
    for flag in assumptions.flags() {
        writer.number(u64::from(flag));
    }
    writer.number(u64::from(assumptions.attempts));
    names.write(&mut writer);
    writer.checkpoint(checkpoint);
    writer.text()
}

fn number_of(algorithm: Algorithm) -> u64 {
    Algorithm::ALL.iter().position(|&other| other == algorithm).map_or(u64::MAX, |number| number as u64)
}

fn read(reader: &mut Reader) -> Option<Interrupted> {
    let algorithm = *Algorithm::ALL.get(reader.small()? as usize)?;
    let mut flags = [false; Assumptions::FLAGS];
    for flag in &mut flags {
        *flag = reader.number()? != 0;
    }
    let attempts = reader.small()?;
    let names = Names::read(reader)?;
    let checkpoint = reader.checkpoint()?;
    Some(Interrupted { algorithm, assumptions: Assumptions::from_flags(flags, attempts), names, checkpoint })
}

pub use numbers::{Reader as NumberReader, Writer as NumberWriter};
