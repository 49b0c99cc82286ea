//! `selvedge bench`: the benchmark programs at growing sizes, as one table.
//!
//! Every row runs in a process of its own, so that its peak memory is its own. With `--paper` the rows are those of a
//! published table: see [`comparison`]. Files of the user's own are run by [`own`].

mod bounding;
mod comparison;
mod imc;
mod irs;
mod measurement;
mod native;
mod own;
mod page;
mod plot;
mod programs;
mod published;
mod rcu;
mod report;
mod row;
mod sink;
mod table;
mod timing;
mod vc_dpor;

use crate::args::{BenchArgs, Paper};
use crate::error::CliError;
use crate::output;
use measurement::{Comparison, Constant, Measurement};
use programs::{Benchmark, Size};
use report::Report;
use row::Row;
use selvedge_explore::Algorithm;
use sink::Sinks;
use table::RowResult;

/// The exit code when a count differs from the expected one.
const COUNTS_DIFFER: u8 = 1;

/// Runs the benchmarks; the exit code.
pub fn run(args: &BenchArgs) -> Result<u8, CliError> {
    if let Some(row) = &args.row {
        return row::answer(row, args.max_time);
    }
    if args.list {
        output::print(&programs::list())?;
        return Ok(0);
    }
    if args.names.iter().any(|name| own::is_file(name)) && args.paper.is_none() && !args.native {
        return own::run(args);
    }
    if !args.constants.is_empty() || !args.cflags.is_empty() {
        return Err(CliError::OnlyOwnFiles);
    }
    if args.native {
        return native::run(args);
    }
    if let Some(paper) = args.paper {
        return compare(paper, args);
    }
    let selected = programs::selected(&args.names)?;
    let mut bench = Bench { args, sinks: Sinks::create(args)?, differing: 0 };
    output::print(&table::header())?;
    for (benchmark, sizes) in selected {
        for &algorithm in &args.algorithms {
            bench.series(benchmark, &sizes, algorithm)?;
        }
    }
    bench.sinks.finish()?;
    summary(bench.differing)
}

/// Compares with published tables, of one paper or of all; the exit code.
fn compare(paper: Paper, args: &BenchArgs) -> Result<u8, CliError> {
    let writes_executions = args.csv.is_some() || args.json.is_some() || args.plot.is_some();
    if matches!(paper, Paper::Imc | Paper::Irs) && writes_executions {
        return Err(CliError::NoExecutions);
    }
    let papers = match paper {
        Paper::All => &[Paper::Epor, Paper::Lazypor, Paper::Bounding, Paper::VcDpor, Paper::Imc][..],
        _ => &[paper],
    };
    let mut report = Report::create(args)?;
    for &paper in papers {
        match paper {
            Paper::Bounding => bounding::run(args, &mut report)?,
            Paper::VcDpor => vc_dpor::run(args, &mut report)?,
            Paper::Imc => imc::run(args, &mut report)?,
            Paper::Rcu => rcu::run(args, &mut report)?,
            Paper::Irs => irs::run(args, &mut report)?,
            Paper::Epor | Paper::Lazypor | Paper::All => comparison::run(paper, args, &mut report)?,
        }
    }
    summary(report.finish()?)
}

struct Bench<'a> {
    args: &'a BenchArgs,
    sinks: Sinks,
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
            let measured = self.measure(row)?;
            let comparison = measured.comparison;
            output::print(&table::line(&measured))?;
            self.sinks.record(measured)?;
            match comparison {
                Comparison::Differs => self.differing += 1,
                Comparison::TimeLimit => {
                    output::print(&table::skipped(&row, &sizes[i + 1..]))?;
                    return Ok(());
                }
                Comparison::Equal | Comparison::NotComparable => {}
            }
        }
        Ok(())
    }

    /// Runs a row as often as asked for.
    fn measure(&self, row: Row) -> Result<Measurement, CliError> {
        let run = || row.run_in_own_process(self.args.max_time);
        let result = RowResult { row, report: run()? };
        let comparison = result.comparison();
        let repetitions = match comparison {
            Comparison::TimeLimit => Vec::new(),
            _ => (1..self.args.repeat).map(|_| run()).collect::<Result<_, _>>()?,
        };
        let size = Constant { name: "N".to_owned(), value: row.size.into() };
        let measured =
            Measurement::of(row.benchmark.name.to_owned(), vec![size], &result.report, &repetitions);
        Ok(Measurement { expected: row.expected(), comparison, ..measured })
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
