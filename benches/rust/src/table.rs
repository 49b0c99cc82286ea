//! The table.

use crate::programs::Program;
use crate::tools::Outcome;

/// The head of the table, in Markdown.
pub fn header() -> String {
    "| program | selvedge | runs per second | loom | runs per second | shuttle (depth first) | runs per second |\n\
     |---|---|---|---|---|---|---|"
        .to_owned()
}

/// A row.
pub fn row(program: Program, results: &[Option<Outcome>]) -> String {
    let cells: Vec<String> = results.iter().map(cell).collect();
    format!("| {} | {} |", name(program), cells.join(" | "))
}

/// What a program is called.
pub fn name(program: Program) -> String {
    match program {
        Program::ReadersWriters(n) => format!("1 writer, {} readers", n - 1),
        Program::FibBench(n) => format!("fib-bench({n})"),
        Program::Counters(threads, rounds) => format!("mutex counter, {threads} threads × {rounds}"),
        Program::Pushes(n) => format!("{n} pushes by compare-exchange"),
        Program::Independent(n) => format!("{n} independent threads"),
        Program::Announced(n) => format!("{n} readers that announce themselves, 1 writer"),
        Program::Published(which) => which.name().to_owned(),
        Program::Exchanged(n) => format!("spin lock by compare-exchange, {n} threads"),
    }
}

fn cell(result: &Option<Outcome>) -> String {
    let Some(Outcome { executions, runs, time, is_complete }) = result else {
        return "not possible | –".to_owned();
    };
    let rate = *runs as f64 / time.as_secs_f64();
    let more = if *is_complete { "" } else { "> " };
    let seconds = time.as_secs_f64();
    let time = if seconds < 1e-3 { format!("{:.0} µs", seconds * 1e6) } else { format!("{seconds:.3} s") };
    format!("{more}{executions}, {more}{time} | {rate:.0}")
}
