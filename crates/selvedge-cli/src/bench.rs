//! `selvedge bench`: the benchmark programs at growing sizes, as one table.
//!
//! Every row runs in a process of its own, so that its peak memory is its own. With `--paper` the rows are those of a
//! published table: see [`comparison`].

mod bounding;
mod comparison;
mod imc;
mod native;
mod programs;
mod published;
mod row;
mod table;
mod timing;
mod vc_dpor;

use crate::args::{BenchArgs, Paper};
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
    if args.native {
        return native::run(args);
    }
    if args.paper == Some(Paper::Bounding) {
        return bounding::run(args);
    }
    if args.paper == Some(Paper::VcDpor) {
        return vc_dpor::run(args);
    }
    if args.paper == Some(Paper::Imc) {
        return imc::run(args);
    }
    if let Some(paper) = args.paper {
        return comparison::run(paper, args);
    }
    let selected = programs::selected(&args.names)?;
    let mut bench = Bench { args, csv: csv(args)?, differing: 0 };
    output::print(&table::header())?;
    for (benchmark, sizes) in selected {
        for &algorithm in &args.algorithms {
            bench.series(benchmark, &sizes, algorithm)?;
        }
    }
    summary(bench.differing)
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
            if result.outcome() == Outcome::TimeLimit {
                output::print(&table::skipped(&row, &sizes[i + 1..]))?;
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
}

/// Tells how many rows have a wrong number of traces; the exit code.
fn summary(differing: u32) -> Result<u8, CliError> {
    match differing {
        0 => Ok(0),
        n => {
            let rows = if n == 1 { "row differs" } else { "rows differ" };
            output::print(&format!("WRONG: {n} {rows} from the expected number of traces\n"))?;
            Ok(COUNTS_DIFFER)
        }
    }
}
