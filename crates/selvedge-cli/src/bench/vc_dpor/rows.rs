//! The rows of the paper's tables: programs at sizes, with the published figures.

use super::programs::{Code, PROGRAMS, Program};
use crate::bench::programs::split;
use crate::error::CliError;

/// The names of the algorithms of the paper, in its order, and of ours.
pub const ALGORITHMS: [(&str, &str); 5] = [
    ("VC-DPOR", "value-centric"),
    ("Source", "source"),
    ("Optimal", "optimal"),
    ("Optimal*", "observers"),
    ("DC-DPOR", "data-centric"),
];

/// What the paper has for a program at a size under an algorithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Published {
    /// The number of executions and the time, if it can be read.
    Ended { executions: u64, seconds: Option<f64> },
    /// No result within its time limit, 4 hours.
    TimeLimit,
    /// Our copy of the paper cannot be read there.
    Unreadable,
}

/// A program at a size.
#[derive(Debug)]
pub struct Subject {
    /// The program.
    pub program: &'static Program,
    /// Its parameter, if it can be read.
    pub size: Option<u32>,
    /// The published results, in the order of [`ALGORITHMS`]; nothing if the tables have no such row.
    pub published: Option<[Published; 5]>,
}

/// All programs, each at its published sizes; those without any, at sizes of ours.
pub fn subjects() -> Result<Vec<Subject>, CliError> {
    let wrong = |line: usize| CliError::PublishedTable { table: "published_vc_dpor.csv", line: line + 1 };
    // The first line names the source, the second the columns.
    let lines = include_str!("../published_vc_dpor.csv").lines().enumerate().skip(2);
    let rows =
        lines.map(|(i, line)| parse(line).ok_or_else(|| wrong(i))).collect::<Result<Vec<_>, CliError>>()?;
    let mut subjects = Vec::new();
    for program in PROGRAMS {
        let of_program = rows.iter().filter(|(name, ..)| *name == program.name);
        subjects.extend(of_program.map(|&(_, size, published)| Subject {
            program,
            size,
            published: Some(published),
        }));
        subjects.extend(program.own_sizes.iter().map(|&size| Subject {
            program,
            size: Some(size),
            published: None,
        }));
    }
    Ok(subjects)
}

/// The name, the size and the results of a line.
fn parse(line: &str) -> Option<(&str, Option<u32>, [Published; 5])> {
    let fields: Vec<&str> = line.split(',').collect();
    let [name, size, results @ ..] = fields.as_slice() else { return None };
    let size = if *size == "?" { None } else { Some(size.parse().ok()?) };
    let results = results.chunks(2).map(|result| match *result {
        ["-", "-"] => Some(Published::TimeLimit),
        ["?", _] => Some(Published::Unreadable),
        [executions, "?"] => Some(Published::Ended { executions: executions.parse().ok()?, seconds: None }),
        [executions, seconds] => Some(Published::Ended {
            executions: executions.parse().ok()?,
            seconds: Some(seconds.parse().ok()?),
        }),
        _ => None,
    });
    let published = results.collect::<Option<Vec<_>>>()?.try_into().ok()?;
    Some((name, size, published))
}

impl Subject {
    /// The published number of executions under one of [`ALGORITHMS`].
    #[cfg(test)]
    pub fn published_count(&self, algorithm: usize) -> Option<u64> {
        match self.published?[algorithm] {
            Published::Ended { executions, .. } => Some(executions),
            Published::TimeLimit | Published::Unreadable => None,
        }
    }

    /// The program with its size.
    pub fn name(&self) -> String {
        let size = self.size.map_or("?".to_owned(), |size| size.to_string());
        format!("{}({size})", self.program.name)
    }
}

/// What the user asks for by `NAME` or `NAME:N`, in the order of the tables; all when nothing is asked for. A size need not be
/// published.
pub fn selected(names: &[String]) -> Result<Vec<Subject>, CliError> {
    let mut asked: Vec<(&Program, Option<u32>)> = Vec::new();
    for name in names {
        let (program, size) = split(name)?;
        let known = PROGRAMS.iter().find(|known| known.name == program);
        let known = known.ok_or_else(|| CliError::NotInTable { name: name.clone(), known: listed() })?;
        asked.push((known, size));
    }
    let is_asked = |subject: &Subject| {
        let fits = |size: &Option<u32>| size.is_none() || *size == subject.size;
        asked.iter().any(|(program, size)| program.name == subject.program.name && fits(size))
    };
    let mut subjects = subjects()?;
    subjects.retain(|subject| asked.is_empty() || is_asked(subject));
    for &(program, size) in asked.iter().filter(|(program, size)| size.is_some() && has_text(program)) {
        let is_there = |subject: &Subject| subject.program.name == program.name && subject.size == size;
        if !subjects.iter().any(is_there) {
            subjects.push(Subject { program, size, published: None });
        }
    }
    Ok(subjects)
}

fn has_text(program: &Program) -> bool {
    !matches!(program.code, Code::Absent(_))
}

fn listed() -> String {
    PROGRAMS.iter().map(|program| program.name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rows_of_the_four_tables_are_there() {
        let subjects = subjects().expect("the table is well-formed");
        assert_eq!(subjects.iter().filter(|subject| subject.published.is_some()).count(), 153);
        let own = subjects.iter().filter(|subject| subject.published.is_none());
        assert!(own.clone().count() > 0 && own.clone().all(|subject| subject.size.is_some()));
        assert!(own.clone().all(|subject| matches!(subject.program.code, Code::Differs(_))));
    }

    #[test]
    fn source_and_optimal_count_the_same() {
        for subject in subjects().expect("the table is well-formed") {
            let counts = [1, 2].map(|algorithm| subject.published_count(algorithm));
            assert!(counts[1].is_none() || counts[0] == counts[1], "{}", subject.name());
        }
    }

    #[test]
    fn any_size_of_a_program_can_be_asked_for() {
        let ask = |name: &str| selected(&[name.to_owned()]).map(|subjects| subjects.len());
        assert_eq!(ask("singleton").ok(), Some(3));
        assert_eq!(ask("singleton:9").ok(), Some(1));
        assert_eq!(ask("singleton:4").ok(), Some(1));
        assert_eq!(ask("x2tv6:9").ok(), Some(0));
        assert!(ask("singletons").is_err() && ask("singleton:x").is_err());
    }

    #[test]
    fn ill_formed_lines_are_not_read() {
        let result = "9,0.05,-,-,-,-,2305,1.27,10,0.04";
        assert!(parse(&format!("float-read,9,{result}")).is_some());
        assert!(parse("float-read,?,?,0.05,?,?,-,-,2305,?,10,0.04").is_some());
        for line in
            ["", "float-read", "float-read,9", "float-read,9,9,0.05", "float-read,9,9,x,-,-,-,-,-,-,-,-"]
        {
            assert!(parse(line).is_none(), "{line}");
        }
        assert!(parse(&format!("float-read,x,{result}")).is_none());
        assert!(parse(&format!("float-read,9,{result},1")).is_none());
    }
}
