//! A measurement: a program with an algorithm, run once or several times, as a record for tables, files and plots.

use selvedge_explore::Statistics;
use selvedge_report::Verdict;
use selvedge_report::json::JsonReport;
use serde::Serialize;

/// A row of a table that has been run.
#[derive(Clone, Debug, Serialize)]
pub struct Measurement {
    /// The name or the file of the program.
    pub program: String,
    /// The values of its constants, in the order of the command line.
    pub constants: Vec<Constant>,
    /// The name of the algorithm.
    pub algorithm: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Executions that went on until no thread could go on.
    pub traces: u64,
    /// The number of traces that is known from elsewhere.
    pub expected: Option<u64>,
    /// How the number of traces compares.
    pub comparison: Comparison,
    /// Sleep-set-blocked executions.
    pub sleep_set_blocked: u64,
    /// Operations performed.
    pub transitions: u64,
    /// Pairs of dependent events that were looked at.
    pub race_checks: u64,
    /// Pairs of operations that were compared.
    pub dependency_checks: u64,
    /// The median of the times.
    pub seconds: f64,
    /// The least of the times.
    pub least_seconds: f64,
    /// The greatest of the times.
    pub greatest_seconds: f64,
    /// The most memory that a run used.
    pub peak_memory_bytes: Option<u64>,
}

/// A constant of a program with its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: i64,
}

/// How a number of traces compares with the expected number, or with that of another algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Comparison {
    /// It is the same.
    Equal,
    /// It is another one.
    Differs,
    /// There is no other number, or the algorithm does not count traces.
    NotComparable,
    /// The search did not end.
    TimeLimit,
}

impl Measurement {
    /// The measurement of a program from the reports of its runs: the first, and those of repetitions.
    pub fn of(
        program: String,
        constants: Vec<Constant>,
        report: &JsonReport,
        repetitions: &[JsonReport],
    ) -> Measurement {
        let runs = || std::iter::once(report).chain(repetitions);
        let mut times: Vec<f64> = runs().map(|report| report.seconds).collect();
        times.sort_by(f64::total_cmp);
        Measurement {
            program,
            constants,
            algorithm: report.algorithm.clone(),
            verdict: report.verdict,
            traces: report.maximal(),
            expected: None,
            comparison: match report.verdict {
                Verdict::Inconclusive => Comparison::TimeLimit,
                _ => Comparison::NotComparable,
            },
            sleep_set_blocked: report.executions.sleep_set_blocked,
            transitions: report.transitions,
            race_checks: report.race_checks,
            dependency_checks: report.dependency_checks,
            seconds: times[times.len() / 2],
            least_seconds: times[0],
            greatest_seconds: times[times.len() - 1],
            peak_memory_bytes: runs().filter_map(|report| report.peak_memory_bytes).max(),
        }
    }

    /// The measurement of a search that was run here, of a program that has nothing to fail.
    pub fn of_search(
        program: String,
        constants: Vec<Constant>,
        algorithm: String,
        statistics: &Statistics,
        (seconds, finished): (f64, bool),
    ) -> Measurement {
        let (verdict, comparison) = match finished {
            true => (Verdict::Verified, Comparison::NotComparable),
            false => (Verdict::Inconclusive, Comparison::TimeLimit),
        };
        Measurement {
            program,
            constants,
            algorithm,
            verdict,
            traces: statistics.maximal(),
            expected: None,
            comparison,
            sleep_set_blocked: statistics.sleep_set_blocked,
            transitions: statistics.transitions,
            race_checks: statistics.race_checks,
            dependency_checks: statistics.dependency_checks,
            seconds,
            least_seconds: seconds,
            greatest_seconds: seconds,
            peak_memory_bytes: None,
        }
    }

    /// The size: the value of the only constant `N`, or all constants with their values.
    pub fn size(&self) -> String {
        match self.constants.as_slice() {
            [Constant { name, value }] if name == "N" => value.to_string(),
            constants => {
                let values: Vec<String> =
                    constants.iter().map(|c| format!("{}={}", c.name, c.value)).collect();
                values.join(" ")
            }
        }
    }

    /// The program with its size.
    pub fn name(&self) -> String {
        match self.constants.is_empty() {
            true => self.program.clone(),
            false => format!("{}({})", self.program, self.size()),
        }
    }
}
