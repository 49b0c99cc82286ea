//! Climbing: a few random executions first, then priorities, then everything, within one budget of time.
//!
//! A bug that many executions have is found by the first levels in a moment, however large the program is; only the last level can say
//! that there is none. The report tells how far it came.

use crate::Checker;
use crate::reach::{self, Knowledge, Point};
use crate::report::Report;
use crate::sampling::{self, Takers};
use selvedge_claim::Verdict;
use selvedge_explore::{Algorithm, Limits};
use std::fmt::Write;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The levels that take a sample, each with the number of executions.
const SAMPLES: [(Algorithm, u64); 2] = [(Algorithm::Random, 128), (Algorithm::Pct, 128)];

/// The most that one sample takes of the budget: a part of so many.
const SHARE: u32 = 4;

/// Explores a closure level by level. Returns the report and the points that were reached on the way.
pub fn climb(
    checker: &Checker,
    budget: Duration,
    body: &Rc<dyn Fn()>,
) -> (Report, Vec<&'static Point>, Knowledge) {
    let started = Instant::now();
    let left = |limit: Duration| limit.saturating_sub(started.elapsed());
    let (mut levels, mut points) = (String::new(), Vec::new());
    for (number, (algorithm, executions)) in SAMPLES.into_iter().enumerate() {
        let time = Some((budget / SHARE).min(left(budget)));
        let limits = Limits { executions: Some(executions), time, ..checker.limits };
        let mut level = checker.clone();
        (level.algorithm, level.limits) = (algorithm, limits);
        let (mut report, reached) = sampling::sample(&level, &Takers::Present(body));
        points.extend(reached);
        if report.verdict == Verdict::Violation || report.divergence.is_some() {
            let _ = write!(
                report.scope,
                "; level {} of {}: `{}`",
                number + 1,
                SAMPLES.len() + 1,
                algorithm.name()
            );
            return (report, points, Knowledge::Whole);
        }
        let separator = if levels.is_empty() { "" } else { " and " };
        let _ = write!(levels, "{separator}{} of `{}`", report.executions, algorithm.name());
    }
    let mut last = checker.clone();
    last.limits.time = Some(left(budget));
    let (mut report, known) = last.search(body);
    points.extend(reach::reached_so_far());
    let (level, algorithm) = (SAMPLES.len() + 1, checker.algorithm.name());
    let _ = write!(report.scope, "; level {level} of {level}: `{algorithm}`, after {levels}");
    (report, points, known)
}
