//! Where measurements go beside the table on the screen: files of CSV and JSON, and a plot.

use super::measurement::Measurement;
use super::{plot, table};
use crate::args::BenchArgs;
use crate::error::CliError;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The files that the arguments ask for. CSV is written line by line, the others when all rows are there.
pub struct Sinks {
    csv: Option<(File, PathBuf)>,
    json: Option<PathBuf>,
    plot: Option<PathBuf>,
    measured: Vec<Measurement>,
}

impl Sinks {
    /// Begins the files. All are made now, so that one that cannot be written is known before the rows have run.
    pub fn create(args: &BenchArgs) -> Result<Sinks, CliError> {
        for path in args.json.iter().chain(&args.plot) {
            write(path, "")?;
        }
        let csv = match &args.csv {
            None => None,
            Some(path) => {
                let mut file = File::create(path).map_err(unwritten(path))?;
                file.write_all(table::csv_header().as_bytes()).map_err(unwritten(path))?;
                Some((file, path.clone()))
            }
        };
        Ok(Sinks { csv, json: args.json.clone(), plot: args.plot.clone(), measured: Vec::new() })
    }

    /// Takes a row.
    pub fn record(&mut self, measured: Measurement) -> Result<(), CliError> {
        if let Some((file, path)) = &mut self.csv {
            file.write_all(table::csv_line(&measured).as_bytes()).map_err(unwritten(path))?;
        }
        self.measured.push(measured);
        Ok(())
    }

    /// Writes what needs all rows.
    pub fn finish(self) -> Result<(), CliError> {
        if let Some(path) = &self.json {
            // Structures of numbers and strings always have a JSON form.
            let text = serde_json::to_string_pretty(&self.measured).unwrap_or_default();
            write(path, &(text + "\n"))?;
        }
        if let Some(path) = &self.plot {
            write(path, &plot::svg(&self.measured)?)?;
        }
        Ok(())
    }
}

/// Writes a file.
pub fn write(path: &Path, text: &str) -> Result<(), CliError> {
    std::fs::write(path, text).map_err(unwritten(path))
}

fn unwritten(path: &Path) -> impl Fn(std::io::Error) -> CliError {
    move |error| CliError::Write { path: path.to_owned(), error }
}
