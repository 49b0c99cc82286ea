//! The published figures of the case study, as data, and what is right or wrong in each configuration.

use crate::error::CliError;
use selvedge_explore::Algorithm;

/// The versions of the kernel, in the order of the slides.
pub const VERSIONS: [&str; 5] = ["v3.0", "v3.19", "v4.3", "v4.7", "v4.9.6"];

/// The configurations: the code as it is, and with one of the macros that break or stop something.
pub const CONFIGURATIONS: [&str; 11] = [
    PLAIN,
    "ASSERT_0",
    "FORCE_FAILURE_1",
    "FORCE_FAILURE_2",
    "FORCE_FAILURE_3",
    "FORCE_FAILURE_4",
    "FORCE_FAILURE_5",
    "FORCE_FAILURE_6",
    "LIVENESS_CHECK_1",
    "LIVENESS_CHECK_2",
    "LIVENESS_CHECK_3",
];

/// The code as it is.
pub const PLAIN: &str = "plain";

/// How far a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Everything.
    Unbounded,
    /// At most so many preemptions.
    Within(u32),
    /// Bounds that grow until the bug is found.
    Growing,
}

/// What a search has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing wrong.
    Nothing,
    /// The bug; with growing bounds, with so many preemptions.
    Bug(Option<u32>),
    /// The search was given up.
    Cut,
}

/// A published result.
#[derive(Clone, Copy, Debug)]
pub struct Published {
    /// The executions, sleep-set-blocked ones among them, if they are told.
    pub executions: Option<u64>,
    /// What was found.
    pub found: Found,
}

/// What is searched, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search {
    /// The version of the kernel.
    pub version: &'static str,
    /// The configuration.
    pub configuration: &'static str,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// How far.
    pub extent: Extent,
}

impl Search {
    /// Whether the configuration has the bug that the macro puts there, as the authors of the case study expect it.
    pub fn has_bug(&self) -> bool {
        match self.configuration {
            "FORCE_FAILURE_3" | "FORCE_FAILURE_5" => self.version != "v3.0",
            configuration => configuration == "ASSERT_0" || configuration.starts_with("FORCE_FAILURE"),
        }
    }
}

/// The published results.
pub fn table() -> Result<Vec<(Search, Published)>, CliError> {
    let wrong = |line: usize| CliError::PublishedTable { table: "rcu/published.csv", line: line + 1 };
    // The first line names the source, the second the columns.
    let lines = include_str!("published.csv").lines().enumerate().skip(2);
    lines.map(|(i, line)| parse(line).ok_or_else(|| wrong(i))).collect()
}

fn parse(line: &str) -> Option<(Search, Published)> {
    let fields: Vec<&str> = line.split(',').collect();
    let [version, configuration, algorithm, extent, executions, error] = fields[..] else { return None };
    let extent = match extent {
        "none" => Extent::Unbounded,
        "growing" => Extent::Growing,
        limit => Extent::Within(limit.parse().ok()?),
    };
    let found = match error {
        "none" => Found::Nothing,
        "found" => Found::Bug(None),
        "cut" => Found::Cut,
        limit => Found::Bug(Some(limit.parse().ok()?)),
    };
    let search = Search {
        version: VERSIONS.into_iter().find(|known| *known == version)?,
        configuration: CONFIGURATIONS.into_iter().find(|known| *known == configuration)?,
        algorithm: Algorithm::from_name(algorithm)?,
        extent,
    };
    let executions = if executions.is_empty() { None } else { Some(executions.parse().ok()?) };
    Some((search, Published { executions, found }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_errors_are_in_configurations_with_a_bug() {
        let table = table().expect("it is well formed");
        assert_eq!(table.len(), 189);
        for (search, published) in table {
            if matches!(published.found, Found::Bug(_)) {
                assert!(search.has_bug(), "{search:?}");
            }
            if search.extent == Extent::Unbounded && published.found == Found::Nothing {
                assert!(!search.has_bug(), "{search:?}");
            }
        }
    }
}
