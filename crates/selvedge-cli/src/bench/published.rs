//! The tables that papers publish about the benchmark programs, as data: facts only, errors included.
//!
//! Of a table only the rows about our programs are kept, in the order of the paper. What the paper leaves open, or what
//! cannot be read in it, is absent and never guessed.

use super::programs::{self, Benchmark, Size};
use crate::args::Paper;
use crate::error::CliError;
use selvedge_explore::Algorithm;
use std::fmt::Write;

/// A row of a published table.
#[derive(Clone, Debug)]
pub struct PublishedRow {
    /// The program.
    pub benchmark: &'static Benchmark,
    /// Its parameter.
    pub size: Size,
    /// The paper's name of the algorithm.
    pub published_as: &'static str,
    /// What it is called here.
    pub algorithm: Algorithm,
    /// The time.
    pub seconds: Option<f64>,
    /// The number of traces, right or wrong.
    pub traces: Option<u64>,
    /// Pairs of operations compared.
    pub dependency_checks: Option<u64>,
    /// Pairs of dependent events looked at.
    pub race_checks: Option<u64>,
    /// Trace constraint systems made in vain.
    pub unsatisfiable_systems: Option<u64>,
}

/// The algorithms of the EPOR paper and what they are here.
const EPOR_ALGORITHMS: [(&str, Algorithm); 3] =
    [("SDPOR", Algorithm::Source), ("EPOR-SH", Algorithm::EagerShort), ("EPOR", Algorithm::Eager)];

/// The algorithms of the LazyPOR thesis and what they are here: its DPOR has no sleep sets.
const LAZYPOR_ALGORITHMS: [(&str, Algorithm); 2] =
    [("ZPOR", Algorithm::Lazy), ("DPOR", Algorithm::DporWithoutSleep)];

/// The table of a paper.
pub fn table(paper: Paper) -> Result<Vec<PublishedRow>, CliError> {
    let (name, text, algorithms) = match paper {
        // They have tables of other shapes.
        Paper::Bounding | Paper::VcDpor | Paper::Imc | Paper::Irs | Paper::Rcu | Paper::All => {
            return Ok(Vec::new());
        }
        Paper::Epor => ("published_epor.csv", include_str!("published_epor.csv"), &EPOR_ALGORITHMS[..]),
        Paper::Lazypor => {
            ("published_lazypor.csv", include_str!("published_lazypor.csv"), &LAZYPOR_ALGORITHMS[..])
        }
    };
    let wrong = |line: usize| CliError::PublishedTable { table: name, line: line + 1 };
    // The first line names the source, the second the columns.
    let rows = text.lines().enumerate().skip(2);
    rows.map(|(i, line)| parse(line, algorithms).ok_or_else(|| wrong(i))).collect()
}

fn parse(line: &str, algorithms: &[(&'static str, Algorithm)]) -> Option<PublishedRow> {
    let fields: Vec<&str> = line.split(',').collect();
    let [program, size, algorithm, seconds, counters @ ..] = fields.as_slice() else { return None };
    let [traces, dependency_checks, race_checks, unsatisfiable_systems] = counters else { return None };
    let (published_as, algorithm) = *algorithms.iter().find(|(name, _)| name == algorithm)?;
    // Branching has no end under lazy reduction as published, unless states are stored; so they are measured with it.
    let stores_states = algorithm == Algorithm::Lazy && *program == "branching";
    let algorithm = if stores_states { Algorithm::LazyStateful } else { algorithm };
    Some(PublishedRow {
        benchmark: programs::named(program).ok()?,
        size: size.parse().ok()?,
        published_as,
        algorithm,
        seconds: if seconds.is_empty() { None } else { Some(seconds.parse().ok()?) },
        traces: counter(traces)?,
        dependency_checks: counter(dependency_checks)?,
        race_checks: counter(race_checks)?,
        unsatisfiable_systems: counter(unsatisfiable_systems)?,
    })
}

/// A counter that may be absent; nothing when the field is neither empty nor a number.
fn counter(field: &str) -> Option<Option<u64>> {
    if field.is_empty() { Some(None) } else { field.parse().ok().map(Some) }
}

/// The rows that the user asks for by `NAME` or `NAME:N`, in the order of the paper; all when nothing is asked for.
pub fn selected(paper: Paper, names: &[String]) -> Result<Vec<PublishedRow>, CliError> {
    let mut table = table(paper)?;
    if let Some(name) = names.iter().find(|name| !table.iter().any(|row| row.is_called(name))) {
        return Err(CliError::NotPublished { name: name.clone(), known: programs_and_sizes(&table) });
    }
    table.retain(|row| names.is_empty() || names.iter().any(|name| row.is_called(name)));
    Ok(table)
}

/// The programs of a table with their least and greatest sizes.
fn programs_and_sizes(table: &[PublishedRow]) -> String {
    let mut text = String::new();
    for rows in table.chunk_by(|a, b| a.benchmark.name == b.benchmark.name) {
        if let [first, .., last] = rows {
            let separator = if text.is_empty() { "" } else { ", " };
            let _ = write!(text, "{separator}{} ({} to {})", first.benchmark.name, first.size, last.size);
        }
    }
    text
}

impl PublishedRow {
    fn is_called(&self, name: &str) -> bool {
        match name.split_once(':') {
            None => name == self.benchmark.name,
            Some((name, size)) => name == self.benchmark.name && size == self.size.to_string(),
        }
    }

    /// The number of traces that there are.
    pub fn correct(&self) -> Option<u64> {
        (self.benchmark.traces)(self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epor() -> Vec<PublishedRow> {
        table(Paper::Epor).expect("the table is well-formed")
    }

    #[test]
    fn the_table_names_its_source() {
        let source = include_str!("published_epor.csv").lines().next().expect("it has lines");
        assert!(source.contains("[Metzler2020]") && source.contains("[MetzlerSBHS2016]"), "{source}");
    }

    #[test]
    fn every_program_has_all_its_sizes_with_all_algorithms() {
        let mut sizes: Vec<(&str, Size)> = Vec::new();
        for rows in epor().chunks(EPOR_ALGORITHMS.len()) {
            sizes.push((rows[0].benchmark.name, rows[0].size));
            for (row, (published_as, _)) in rows.iter().zip(EPOR_ALGORITHMS) {
                assert_eq!((row.benchmark.name, row.size), (rows[0].benchmark.name, rows[0].size));
                assert_eq!(row.published_as, published_as);
            }
        }
        let programs: [(&str, Vec<Size>); 7] = [
            ("readers-writers", (2..=20).collect()),
            ("indexer", (11..=16).collect()),
            ("last-zero", (2..=16).collect()),
            ("shared-pointer", (10..=100).step_by(10).collect()),
            ("ring", (2..=21).collect()),
            ("branching", (2..=11).collect()),
            ("ring-extended", (2..=8).collect()),
        ];
        let published = programs.iter().flat_map(|(name, sizes)| sizes.iter().map(|&size| (*name, size)));
        assert_eq!(sizes, published.collect::<Vec<_>>());
    }

    #[test]
    fn a_row_is_published_whole_or_not_at_all() {
        for row in epor() {
            let counters = [row.traces, row.dependency_checks, row.race_checks, row.unsatisfiable_systems];
            assert!(counters.iter().all(|counter| counter.is_some() == row.seconds.is_some()), "{row:?}");
        }
        let absent = epor().iter().filter(|row| row.seconds.is_none()).count();
        assert_eq!(absent, 7);
    }

    /// The errata of the paper: eager reduction as published loses traces and explores others twice.
    #[test]
    fn published_counts_are_the_expected_ones_but_for_the_known_errors() {
        let wrong: Vec<_> = epor()
            .iter()
            .filter(|row| row.traces.is_some() && row.traces != row.correct())
            .map(|row| (row.benchmark.name, row.size, row.published_as, row.traces, row.correct()))
            .collect();
        let known = [
            ("indexer", 16, "EPOR-SH", Some(32805), Some(32768)),
            ("indexer", 16, "EPOR", Some(32805), Some(32768)),
            ("last-zero", 10, "EPOR", Some(2578), Some(2560)),
            ("branching", 9, "EPOR-SH", Some(31775), Some(31780)),
            ("branching", 9, "EPOR", Some(30921), Some(31780)),
            ("branching", 10, "EPOR-SH", Some(100_327), Some(100_651)),
            ("branching", 10, "EPOR", Some(99920), Some(100_651)),
            ("branching", 11, "EPOR-SH", Some(316_881), Some(318_363)),
            ("branching", 11, "EPOR", Some(318_978), Some(318_363)),
            ("ring-extended", 3, "EPOR-SH", Some(72), Some(90)),
        ];
        assert_eq!(wrong, known);
    }

    #[test]
    fn every_row_has_a_correct_count() {
        for paper in [Paper::Epor, Paper::Lazypor] {
            let rows = table(paper).expect("the table is well-formed");
            assert!(rows.iter().all(|row| row.correct().is_some()), "{paper:?}");
        }
    }

    #[test]
    fn the_thesis_counts_no_fewer_executions_than_there_are_traces() {
        let rows = table(Paper::Lazypor).expect("the table is well-formed");
        assert_eq!(rows.len(), 2 * (20 + 20 + 20 + 7));
        assert!(rows.iter().all(|row| row.traces.is_none_or(|traces| Some(traces) >= row.correct())));
        let found = |name, size| {
            let row = rows.iter().find(|row| row.benchmark.name == name && row.size == size);
            row.and_then(|row| row.traces)
        };
        assert_eq!((found("indexer", 17), found("branching", 7)), (Some(262_144), Some(33_153_882)));
    }

    #[test]
    fn ill_formed_lines_are_not_read() {
        assert!(parse("ring,2,EPOR,0.001,2,2,1,2", &EPOR_ALGORITHMS).is_some());
        assert!(parse("ring,18,SDPOR,,,,,", &EPOR_ALGORITHMS).is_some());
        let wrong =
            ["", "ring,2,EPOR,0.001,2,2,1", "rings,2,EPOR,,,,,", "ring,2,DPOR,,,,,", "ring,2,EPOR,x,,,,"];
        for line in wrong {
            assert!(parse(line, &EPOR_ALGORITHMS).is_none(), "{line}");
        }
    }

    #[test]
    fn names_select_rows_in_the_order_of_the_paper() {
        let names = ["ring:3".to_owned(), "indexer".to_owned(), "ring:2".to_owned()];
        let rows = selected(Paper::Epor, &names).expect("all exist");
        assert_eq!(rows.len(), 3 * (6 + 2));
        assert_eq!((rows[0].benchmark.name, rows[18].benchmark.name, rows[18].size), ("indexer", "ring", 2));
    }
}
