//! `selvedge bench --native`: C programs, and how fast they are explored and interpreted.
//!
//! The first table has C versions of the benchmark programs; each is explored again and again until a second of processor time is
//! over. Beside executions per second stand the best figures that are known of two tools that re-execute programs:
//! Nidhugg 6 000, GenMC 45 000 on programs of this kind. The second table has programs without threads: how many
//! instructions are interpreted. Times are those of the processor, so that other load matters less.

use super::programs;
use crate::args::{BenchArgs, ProgramArgs};
use crate::error::CliError;
use crate::native;
use crate::output;
use selvedge_explore::{Algorithm, Limits, Silent, explore};
use selvedge_machine::{LeftShifts, Options};
use selvedge_report::statistics::rate;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Executions per second of Nidhugg, the best known.
const NIDHUGG: f64 = 6_000.0;

/// Executions per second of GenMC, the best known.
const GENMC: f64 = 45_000.0;

/// The processor time that a program is explored for, at least.
const ENOUGH: Duration = Duration::from_secs(1);

/// A program with its parameter.
#[derive(Clone, Copy)]
struct Subject {
    name: &'static str,
    text: &'static str,
    size: u32,
}

const fn subject(name: &'static str, text: &'static str, size: u32) -> Subject {
    Subject { name, text, size }
}

const CONCURRENT: [Subject; 8] = [
    subject("readers-writers", include_str!("../../../selvedge-testkit/twins/readers-writers.c"), 14),
    subject("last-zero", include_str!("../../../selvedge-testkit/twins/last-zero.c"), 12),
    subject("ring", include_str!("../../../selvedge-testkit/twins/ring.c"), 14),
    subject("ring-extended", include_str!("../../../selvedge-testkit/twins/ring-extended.c"), 5),
    subject("branching", include_str!("../../../selvedge-testkit/twins/branching.c"), 7),
    subject("float-read", include_str!("../../../selvedge-testkit/twins/float-read.c"), 7),
    subject("indexer", include_str!("../../../selvedge-testkit/twins/indexer.c"), 15),
    subject("shared-pointer", include_str!("../../../selvedge-testkit/twins/shared-pointer.c"), 60),
];

const SEQUENTIAL: [Subject; 2] = [
    subject("sieve", include_str!("../../../../benches/native/sieve.c"), 200_000),
    subject("matrix", include_str!("../../../../benches/native/matrix.c"), 60),
];

/// What repeated exploration of a program amounts to.
#[derive(Default)]
struct Totals {
    traces: u64,
    longest: u64,
    executions: u64,
    operations: u64,
    instructions: u64,
    time: Duration,
}

/// Runs both tables; the exit code.
pub fn run(args: &BenchArgs) -> Result<u8, CliError> {
    let folder = Folder::new()?;
    let (concurrent, sequential) = selected(&args.names)?;
    output::print(&format!(
        "{:<20} {:<10} {:>9} {:>6} {:>12} {:>10} {:>8} {:>14}\n",
        "program", "algorithm", "traces", "steps", "executions/s", "Nidhugg", "GenMC", "operations/s"
    ))?;
    for subject in &concurrent {
        for &algorithm in &args.algorithms {
            let totals = folder.measure(subject, algorithm)?;
            let seconds = totals.time.as_secs_f64();
            let executions = totals.executions as f64 / seconds;
            output::print(&format!(
                "{:<20} {:<10} {:>9} {:>6} {:>12} {:>9.0}x {:>7.1}x {:>14}\n",
                format!("{}({})", subject.name, subject.size),
                algorithm.name(),
                totals.traces,
                totals.longest,
                rate(totals.executions, seconds),
                executions / NIDHUGG,
                executions / GENMC,
                rate(totals.operations, seconds),
            ))?;
        }
    }
    output::print(&format!("\n{:<20} {:>14} {:>16}\n", "program", "instructions", "instructions/s"))?;
    for subject in &sequential {
        let totals = folder.measure(subject, Algorithm::Source)?;
        let name = format!("{}({})", subject.name, subject.size);
        let speed = rate(totals.instructions, totals.time.as_secs_f64());
        output::print(&format!(
            "{name:<20} {:>14} {speed:>16}\n",
            totals.instructions / totals.executions.max(1)
        ))?;
    }
    Ok(0)
}

/// The programs of both tables that the user asks for by `NAME` or `NAME:N`; all when nothing is asked for.
fn selected(names: &[String]) -> Result<(Vec<Subject>, Vec<Subject>), CliError> {
    let mut selected = (Vec::new(), Vec::new());
    if names.is_empty() {
        return Ok((CONCURRENT.to_vec(), SEQUENTIAL.to_vec()));
    }
    for name in names {
        let (program, size) = programs::split(name)?;
        let sized = |subject: &Subject| Subject { size: size.unwrap_or(subject.size), ..*subject };
        let of = |table: &[Subject]| table.iter().find(|subject| subject.name == program).map(sized);
        match (of(&CONCURRENT), of(&SEQUENTIAL)) {
            (Some(subject), _) => selected.0.push(subject),
            (_, Some(subject)) => selected.1.push(subject),
            (None, None) => {
                return Err(programs::unknown(program, CONCURRENT.iter().chain(&SEQUENTIAL).map(|s| s.name)));
            }
        }
    }
    Ok(selected)
}

/// A folder for the programs, which clang reads as files.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Result<Folder, CliError> {
        let folder = tempfile::Builder::new().prefix("selvedge-bench-").tempdir();
        folder.map(Folder).map_err(|error| CliError::Write { path: std::env::temp_dir(), error })
    }

    /// Writes a program.
    pub fn write(&self, name: &str, text: &str) -> Result<PathBuf, CliError> {
        let path = self.0.path().join(format!("{name}.c"));
        match std::fs::write(&path, text) {
            Ok(()) => Ok(path),
            Err(error) => Err(CliError::Write { path, error }),
        }
    }

    /// Explores a program until enough time is over.
    fn measure(&self, subject: &Subject, algorithm: Algorithm) -> Result<Totals, CliError> {
        let path = self.write(subject.name, subject.text)?;
        let args = ProgramArgs::of(&path, vec![format!("-DN={}", subject.size)]);
        let native = native::load(&args, LeftShifts::Unknown)?;
        let mut totals = Totals::default();
        let mut machine = native.machine(Options::default())?;
        while totals.time < ENOUGH {
            let clock = Clock::start();
            let (exploration, explored) = explore(machine.again(), algorithm, Limits::default(), &mut Silent);
            totals.time += clock.elapsed();
            totals.traces = exploration.statistics.maximal();
            totals.longest = exploration.statistics.longest;
            totals.executions += exploration.statistics.executions();
            totals.operations += exploration.statistics.transitions;
            totals.instructions += explored.instructions();
            machine = explored;
        }
        Ok(totals)
    }
}

/// A clock of processor time, or of time if the system does not tell.
struct Clock {
    started: Instant,
    used: Option<Duration>,
}

impl Clock {
    fn start() -> Clock {
        Clock { started: Instant::now(), used: processor_time(Path::new("/proc/thread-self/schedstat")) }
    }

    fn elapsed(&self) -> Duration {
        match (self.used, processor_time(Path::new("/proc/thread-self/schedstat"))) {
            (Some(before), Some(now)) if now > before => now - before,
            _ => self.started.elapsed(),
        }
    }
}

/// The processor time of this thread so far.
fn processor_time(statistics: &Path) -> Option<Duration> {
    let text = std::fs::read_to_string(statistics).ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_programs_are_different() {
        let names = || CONCURRENT.iter().chain(&SEQUENTIAL).map(|subject| subject.name);
        for name in names() {
            assert_eq!(names().filter(|other| *other == name).count(), 1, "{name}");
        }
    }

    #[test]
    fn time_that_nobody_tells_is_no_time() {
        assert_eq!(processor_time(Path::new("/nowhere")), None);
    }
}
