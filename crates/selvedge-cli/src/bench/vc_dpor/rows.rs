//! The programs of the paper's tables with what is known of their code, and the published figures of each size.

use crate::error::CliError;

/// The names of the algorithms of the paper, in its order, and of ours.
pub const ALGORITHMS: [(&str, &str); 5] = [
    ("VC-DPOR", "value-centric"),
    ("Source", "source"),
    ("Optimal", "optimal"),
    ("Optimal*", "observers"),
    ("DC-DPOR", "data-centric"),
];

/// What is known of the program that the paper ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// It is this one: counts agree.
    Same,
    /// Not enough; in words, what is different here.
    Differs(&'static str),
}

/// A program of the paper.
#[derive(Debug)]
pub struct Program {
    /// What it is called.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
    /// The number of threads that work on it, where a constant of the program says that.
    pub workers: Option<u32>,
    /// Whether the paper ran the same.
    pub code: Code,
    /// The size at which we run it if none is published.
    own_size: u32,
}

/// What the paper has for a program at a size under an algorithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Published {
    /// The number of executions and the time.
    Ended { executions: u64, seconds: f64 },
    /// No result within its time limit, 4 hours.
    TimeLimit,
}

/// A program at a size.
#[derive(Debug)]
pub struct Subject {
    /// The program.
    pub program: &'static Program,
    /// Its parameter.
    pub size: u32,
    /// The published results, in the order of [`ALGORITHMS`]; nothing if the tables have no such row.
    pub published: Option<[Published; 5]>,
}

const ROUNDS: Code = Code::Differs(
    "the paper does not show how its loops are bounded; ours give up when they would have to wait",
);
const PLOT: Code = Code::Differs(
    "published as a plot, without numbers; there a main thread starts the two workers, ours has no main thread",
);
const REBUILT: Code = Code::Differs("the paper does not show its code; ours is written from its description");
const BURNS: Code = Code::Differs(
    "the published rows of two threads cannot be read in our copy of the paper; ours has two (burns3(1), of three, has 840 traces)",
);
const DIJKSTRA: Code = Code::Differs("the paper names it, but no row is published");
const PARKER: Code = Code::Differs("published with a lock of the original that we know in another version");

macro_rules! program {
    ($name:literal, $code:expr) => {
        program!($name, $code, 0)
    };
    ($name:literal, $code:expr, $own_size:literal) => {
        program!($name, "vc-dpor", $name, None, $code, $own_size)
    };
    ($name:literal, $file:literal * $workers:literal, $code:expr) => {
        program!($name, "vc-dpor", $file, Some($workers), $code, 0)
    };
    ($name:literal, $folder:literal, $file:literal, $workers:expr, $code:expr, $own_size:expr) => {
        Program {
            name: $name,
            text: include_str!(concat!("../../../../../benches/", $folder, "/", $file, ".sel")),
            workers: $workers,
            code: $code,
            own_size: $own_size,
        }
    };
}

static PROGRAMS: &[Program] = &[
    program!("float-read", Code::Same),
    program!("singleton", Code::Same),
    program!("redundant-co", Code::Same),
    program!("opt-lock", Code::Same),
    program!("stack-true", "overhead", "stack", None, Code::Same, 0),
    program!("fib-bench", PLOT, 4),
    program!("fib-bench-1", PLOT, 4),
    program!("fib-bench-2", PLOT, 4),
    program!("fib-bench-3", PLOT, 4),
    program!("peterson", Code::Same),
    program!("dekker", ROUNDS),
    program!("lamport", Code::Same),
    program!("kessels", ROUNDS),
    program!("szymanski", Code::Same),
    program!("burns", BURNS, 2),
    program!("dijkstra", DIJKSTRA, 3),
    program!("parker", PARKER),
    program!("eratosthenes", REBUILT),
    program!("rod-cut-bu3", "rod-cut-bu" * 2, Code::Same),
    program!("rod-cut-bu4", "rod-cut-bu" * 3, Code::Same),
    program!("rod-cut-td3", "rod-cut-td" * 2, REBUILT),
    program!("rod-cut-td4", "rod-cut-td" * 3, REBUILT),
    program!("lis-bu3", "lis-bu" * 2, REBUILT),
    program!("lis-bu4", "lis-bu" * 3, REBUILT),
    program!("coin-all-td3", "coin-all-td" * 2, REBUILT),
    program!("coin-all-td4", "coin-all-td" * 3, REBUILT),
    program!("coin-min-td3", "coin-min-td" * 2, REBUILT),
    program!("coin-min-td4", "coin-min-td" * 3, REBUILT),
    program!("bin-nocon-bu3", "bin-nocon-bu" * 2, REBUILT),
    program!("bin-nocon-td3", "bin-nocon-td" * 2, REBUILT),
];

/// All programs, each at its published sizes; those without any, at a size of ours.
pub fn subjects() -> Result<Vec<Subject>, CliError> {
    let wrong = |line: usize| CliError::PublishedTable { table: "published_vc_dpor.csv", line: line + 1 };
    // The first line names the source, the second the columns.
    let lines = include_str!("../published_vc_dpor.csv").lines().enumerate().skip(2);
    let rows =
        lines.map(|(i, line)| parse(line).ok_or_else(|| wrong(i))).collect::<Result<Vec<_>, CliError>>()?;
    let mut subjects = Vec::new();
    for program in PROGRAMS {
        let first = subjects.len();
        let of_program = rows.iter().filter(|(name, ..)| *name == program.name);
        subjects.extend(of_program.map(|&(_, size, published)| Subject {
            program,
            size,
            published: Some(published),
        }));
        if subjects.len() == first {
            subjects.push(Subject { program, size: program.own_size, published: None });
        }
    }
    Ok(subjects)
}

/// The name, the size and the results of a line.
fn parse(line: &str) -> Option<(&str, u32, [Published; 5])> {
    let fields: Vec<&str> = line.split(',').collect();
    let [name, size, results @ ..] = fields.as_slice() else { return None };
    let results = results.chunks(2).map(|result| match *result {
        ["-", "-"] => Some(Published::TimeLimit),
        [executions, seconds] => {
            Some(Published::Ended { executions: executions.parse().ok()?, seconds: seconds.parse().ok()? })
        }
        _ => None,
    });
    let published = results.collect::<Option<Vec<_>>>()?.try_into().ok()?;
    Some((name, size.parse().ok()?, published))
}

impl Subject {
    /// Whether a user means it with `NAME` or `NAME:N`.
    pub fn is_called(&self, name: &str) -> bool {
        match name.split_once(':') {
            None => name == self.program.name,
            Some((name, size)) => name == self.program.name && size == self.size.to_string(),
        }
    }

    /// The published number of executions under one of [`ALGORITHMS`].
    pub fn published_count(&self, algorithm: usize) -> Option<u64> {
        match self.published?[algorithm] {
            Published::Ended { executions, .. } => Some(executions),
            Published::TimeLimit => None,
        }
    }
}

/// The subjects that the user asks for, in the order of the table; all when nothing is asked for.
pub fn selected(names: &[String]) -> Result<Vec<Subject>, CliError> {
    let mut subjects = subjects()?;
    if let Some(name) = names.iter().find(|name| !subjects.iter().any(|s| s.is_called(name))) {
        let (published, own): (Vec<_>, Vec<_>) = subjects.iter().partition(|s| s.published.is_some());
        let (published, own) = (listed(&published), listed(&own));
        return Err(CliError::NotInTable { name: name.clone(), published, own });
    }
    subjects.retain(|subject| names.is_empty() || names.iter().any(|name| subject.is_called(name)));
    Ok(subjects)
}

fn listed(subjects: &[&Subject]) -> String {
    let names: Vec<_> = subjects.iter().map(|s| format!("{}:{}", s.program.name, s.size)).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_row_is_of_a_program() {
        let lines = include_str!("../published_vc_dpor.csv").lines().skip(2).count();
        let subjects = subjects().expect("the table is well-formed");
        assert_eq!(subjects.iter().filter(|subject| subject.published.is_some()).count(), lines);
        let own = subjects.iter().filter(|subject| subject.published.is_none());
        assert!(own.clone().count() > 0 && own.clone().all(|subject| subject.size > 0));
        assert!(own.clone().all(|subject| subject.program.code != Code::Same));
    }

    #[test]
    fn source_and_optimal_count_the_same() {
        for subject in subjects().expect("the table is well-formed") {
            let counts = [1, 2].map(|algorithm| subject.published_count(algorithm));
            assert!(
                counts[1].is_none() || counts[0] == counts[1],
                "{}({})",
                subject.program.name,
                subject.size
            );
        }
    }

    #[test]
    fn ill_formed_lines_are_not_read() {
        let result = "9,0.05,-,-,-,-,2305,1.27,10,0.04";
        assert!(parse(&format!("float-read,9,{result}")).is_some());
        for line in
            ["", "float-read", "float-read,9", "float-read,9,9,0.05", "float-read,9,9,x,-,-,-,-,-,-,-,-"]
        {
            assert!(parse(line).is_none(), "{line}");
        }
        assert!(parse(&format!("float-read,x,{result}")).is_none());
        assert!(parse(&format!("float-read,9,{result},1")).is_none());
    }
}
