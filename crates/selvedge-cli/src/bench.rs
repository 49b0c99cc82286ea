//! `selvedge bench`: the benchmark programs at growing sizes, as one table.
//!
//! Every row runs in a process of its own, so that its peak memory is its own.

mod programs;
mod row;
mod table;

use crate::args::BenchArgs;
use crate::error::CliError;
use crate::output;
use programs::{Benchmark, Size};
use row::Row;
use selvedge_explore::Algorithm;
use std::fs::File;
use std::io::Write;
use table::{Outcome, RowResult};

/// The exit code when a count differs from the expected one.
const COUNTS_DIFFER: u8 = 1;

/// Runs the benchmarks; the exit code.
pub fn run(args: &BenchArgs) -> Result<u8, CliError> {
    if let Some(row) = &args.row {
        return row::answer(row, args.max_time);
    }
    let selected = programs::selected(&args.names)?;
    let mut bench = Bench { args, csv: csv(args)?, differing: 0 };
    output::print(&table::header())?;
    for (benchmark, sizes) in selected {
        for &algorithm in &args.algorithms {
            bench.series(benchmark, &sizes, algorithm)?;
        }
    }
    bench.summary()
}

fn csv(args: &BenchArgs) -> Result<Option<File>, CliError> {
    let Some(path) = &args.csv else { return Ok(None) };
    let write_error = |error| CliError::Write { path: path.clone(), error };
    let mut file = File::create(path).map_err(write_error)?;
    file.write_all(table::csv_header().as_bytes()).map_err(write_error)?;
    Ok(Some(file))
}

struct Bench<'a> {
    args: &'a BenchArgs,
    csv: Option<File>,
    differing: u32,
}

impl Bench<'_> {
    /// One program with one algorithm at growing sizes, until a row takes too long.
    fn series(
        &mut self,
        benchmark: &'static Benchmark,
        sizes: &[Size],
        algorithm: Algorithm,
    ) -> Result<(), CliError> {
        for (i, &size) in sizes.iter().enumerate() {
            let row = Row { benchmark, size, algorithm };
            let result = RowResult { row, report: row.run_in_own_process(self.args.max_time)? };
            self.record(&result)?;
            let skipped = &sizes[i + 1..];
            if result.outcome() == Outcome::TimeLimit && !skipped.is_empty() {
                let sizes: Vec<String> = skipped.iter().map(ToString::to_string).collect();
                let (name, sizes) = (benchmark.name, sizes.join(", "));
                output::print(&format!(
                    "{name} with {}: larger sizes skipped ({sizes})\n",
                    algorithm.name()
                ))?;
                return Ok(());
            }
        }
        Ok(())
    }

    fn record(&mut self, result: &RowResult) -> Result<(), CliError> {
        output::print(&table::line(result))?;
        if result.outcome() == Outcome::Differs {
            self.differing += 1;
        }
        if let (Some(file), Some(path)) = (&mut self.csv, &self.args.csv) {
            file.write_all(table::csv_line(result).as_bytes())
                .map_err(|error| CliError::Write { path: path.clone(), error })?;
        }
        Ok(())
    }

    fn summary(&self) -> Result<u8, CliError> {
        match self.differing {
            0 => Ok(0),
            n => {
                let rows = if n == 1 { "row differs" } else { "rows differ" };
                output::print(&format!("WRONG: {n} {rows} from the expected number of traces\n"))?;
                Ok(COUNTS_DIFFER)
            }
        }
    }
}
