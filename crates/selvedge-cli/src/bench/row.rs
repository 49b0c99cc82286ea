//! One row of the benchmark, run in a process of its own.

use super::programs::{self, Benchmark, Size};
use super::timing::timed;
use crate::error::CliError;
use crate::{load, output};
use selvedge_explore::{Algorithm, Limits};
use selvedge_report::json::{self, JsonReport};
use selvedge_report::report::Run;
use selvedge_report::{Report, Terms};
use std::collections::BTreeMap;
use std::fmt;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A program at a size with an algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The program.
    pub benchmark: &'static Benchmark,
    /// Its parameter.
    pub size: Size,
    /// The algorithm.
    pub algorithm: Algorithm,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.benchmark.name, self.size, self.algorithm.name())
    }
}

impl Row {
    fn parse(text: &str) -> Result<Row, CliError> {
        let wrong =
            || CliError::Row { row: text.to_owned(), reason: "not of the form NAME:N:ALGORITHM".into() };
        let mut parts = text.split(':');
        let (Some(name), Some(size), Some(algorithm)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(wrong());
        };
        let benchmark = programs::named(name)?;
        let size = size.parse().map_err(|_| wrong())?;
        let algorithm = Algorithm::from_name(algorithm).ok_or_else(wrong)?;
        Ok(Row { benchmark, size, algorithm })
    }

    /// The number of traces, where it is known.
    pub fn expected(&self) -> Option<u64> {
        (self.benchmark.traces)(self.size)
    }

    /// Runs the row in a process of its own.
    pub fn run_in_own_process(&self, max_time: Duration) -> Result<JsonReport, CliError> {
        let (row, seconds) = (self.to_string(), max_time.as_secs_f64().to_string());
        in_own_process(&row, |command| {
            command.args(["bench", "--row", &row, "--max-time", &seconds]);
        })
    }

    /// Runs the row here.
    pub fn run(&self, max_time: Duration) -> Result<JsonReport, CliError> {
        let name = format!("{}.sel", self.benchmark.name);
        let defines = BTreeMap::from([("N".to_owned(), i64::from(self.size))]);
        let loaded = load::compile(name, self.benchmark.text.to_owned(), defines)?;
        let limits = Limits { time: Some(max_time), ..Limits::default() };
        let (exploration, elapsed) = timed(&loaded.program, self.algorithm, limits);
        let (algorithm, terms) = (self.algorithm, Terms::default());
        let run = Run { algorithm, chosen_because: None, limits, reached: None, elapsed, terms };
        Ok(json::json(&Report::new(loaded.subject(), run, &exploration)?))
    }
}

/// Runs `selvedge` in a process of its own, with the arguments that are added, and reads the report that it answers with.
pub fn in_own_process(row: &str, arguments: impl FnOnce(&mut Command)) -> Result<JsonReport, CliError> {
    let failed = |reason: String| CliError::Row { row: row.to_owned(), reason };
    let program = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    let mut command = Command::new(program);
    arguments(&mut command);
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| failed(error.to_string()))?;
    let answer = String::from_utf8_lossy(&output.stdout);
    JsonReport::from_text(&answer).map_err(|_| failed(format!("it ended with {}", output.status)))
}

/// Runs a row here and answers with JSON; the exit code.
pub fn answer(row: &str, max_time: Duration) -> Result<u8, CliError> {
    let report = Row::parse(row)?.run(max_time)?;
    output::print(&report.to_text())?;
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_they_are_written() {
        let row = Row::parse("ring-extended:3:dpor-no-sleep").expect("it is a row");
        assert_eq!(row.to_string(), "ring-extended:3:dpor-no-sleep");
        for wrong in ["ring", "ring:x:optimal", "ring:3:best", "rings:3:optimal"] {
            assert!(Row::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_row_counts_the_traces() {
        let row = Row::parse("ring:3:optimal").expect("it is a row");
        assert_eq!(row.run(Duration::from_secs(60)).expect("it runs").maximal(), 6);
    }
}
