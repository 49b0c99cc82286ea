//! tmp
use crate::Checker;
use crate::runtime::failure::Failure;
use crate::runtime::program::Closure;
use selvedge_explore::{Exploration, Statistics};
use std::time::Duration;
/// tmp
#[derive(Debug)]
pub struct Report {
    /// e
    pub executions: u64,
    /// s
    pub statistics: Statistics,
    /// v
    pub violations: Vec<String>,
    /// t
    pub elapsed: Duration,
    /// r
    pub runs: u64,
}
impl Report {
    pub(crate) fn new(_c: &Checker, e: Exploration<Failure>, c: Closure, elapsed: Duration) -> Report {
        Report {
            executions: e.statistics.executions(),
            statistics: e.statistics,
            violations: e.violations.iter().map(|v| format!("{v:?}")).collect(),
            elapsed,
            runs: c.runs,
        }
    }
}
