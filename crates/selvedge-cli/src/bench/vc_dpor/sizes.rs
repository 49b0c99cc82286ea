//! Table 5 of the paper: how large the programs are, as published, with our versions beside them.

use super::programs::{Code, PROGRAMS, Program};
use crate::bench::report::{Columns, Outcome, Report};
use crate::error::CliError;
use crate::load;
use std::collections::BTreeMap;

const TABLE: &str = "published_vc_dpor_programs.csv";

const COLUMNS: Columns = &[
    ("program", 19),
    ("", 0),
    ("lines", 6),
    ("published", 10),
    ("variables", 10),
    ("published", 10),
    ("locks", 6),
    ("published", 10),
    ("threads", 8),
    ("published", 10),
];

const LEGEND: &str = "\
published: [ChatterjeePT2019], table 5, of C programs; U: as many as the size N says. Ours: names of variables and mutexes, and threads for N = 3
";

/// Adds the table to the report.
pub fn run(report: &mut Report) -> Result<(), CliError> {
    report.begin("Value-centric reduction: table 5, the programs", COLUMNS)?;
    let lines = include_str!("../published_vc_dpor_programs.csv").lines().enumerate().skip(2);
    for (i, line) in lines {
        let wrong = || CliError::PublishedTable { table: TABLE, line: i + 1 };
        let fields: Vec<&str> = line.split(',').collect();
        let &[name, lines, variables, locks, threads] = fields.as_slice() else { return Err(wrong()) };
        let published = [lines, variables, locks, threads];
        let program = PROGRAMS.iter().find(|program| program.name == name).ok_or_else(wrong)?;
        report.row(cells(program, published)?, Outcome::Description)?;
    }
    report.legend(LEGEND)
}

fn cells(program: &Program, published: [&str; 4]) -> Result<Vec<String>, CliError> {
    let ours = match program.code {
        Code::Absent(_) => ["–"; 4].map(str::to_owned),
        _ => sizes(program)?.map(|size| size.to_string()),
    };
    let pairs = ours.into_iter().zip(published).flat_map(|(ours, published)| [ours, published.to_owned()]);
    Ok([program.name.to_owned(), String::new()].into_iter().chain(pairs).collect())
}

/// Lines, variables, locks and threads of our version.
fn sizes(program: &Program) -> Result<[usize; 4], CliError> {
    let mut defines = BTreeMap::from([("N".to_owned(), 3)]);
    defines.extend(program.workers.map(|workers| ("WORKERS".to_owned(), i64::from(workers))));
    let loaded = load::compile(format!("{}.sel", program.name), program.text.to_owned(), defines)?;
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    let lines = program.text.lines().filter(is_code).count();
    let program = &loaded.program;
    Ok([lines, program.objects.len(), program.mutexes.len(), program.thread_count()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_version_of_a_lock_has_the_published_variables_and_locks() {
        let of = |name: &str| PROGRAMS.iter().find(|program| program.name == name).expect("it is there");
        assert_eq!(sizes(of("ticket-lock")).expect("it compiles")[1..], [3, 1, 3]);
        assert_eq!(sizes(of("fkp2014")).expect("it compiles")[1..], [2, 1, 3]);
        assert_eq!(cells(of("x2tv6"), ["75", "4", "0", "2"]).expect("it is published")[2..4], ["–", "75"]);
    }
}
