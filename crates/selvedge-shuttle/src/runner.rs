//! Runners: a search and its limits.

use crate::config::{Config, FailurePersistence, MaxSteps};
use crate::scheduler::{Description, Scheduler, Search};
use selvedge::{Checker, Report, Verdict};
use std::fs::OpenOptions;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Explores closures as a scheduler says, within the limits of a configuration.
///
/// ```
/// use selvedge_shuttle::{Config, Runner, scheduler::PctScheduler};
/// let executions = Runner::new(PctScheduler::new(3, 20), Config::new()).run(|| ());
/// assert_eq!(executions, 20);
/// ```
#[derive(Clone, Debug)]
pub struct Runner {
    search: Description,
    config: Config,
}

impl Runner {
    /// A runner.
    ///
    /// ```
    /// use selvedge_shuttle::{Config, Runner, scheduler::DfsScheduler};
    /// let _runner = Runner::new(DfsScheduler::new(None, false), Config::new());
    /// ```
    pub fn new(scheduler: impl Scheduler + 'static, config: Config) -> Runner {
        Runner { search: scheduler.search(), config }
    }

    /// Explores a closure. Returns the number of executions.
    ///
    /// ```
    /// use selvedge_shuttle::{Config, Runner, scheduler::DfsScheduler};
    /// assert_eq!(Runner::new(DfsScheduler::new(None, false), Config::new()).run(|| ()), 1);
    /// ```
    ///
    /// # Panics
    /// With the report, if something is wrong.
    #[track_caller]
    pub fn run<F: Fn() + Send + Sync + 'static>(self, f: F) -> usize {
        let report = self.report(f);
        self.persist(&report);
        let is_cut = report.statistics.cut > 0;
        match report.verdict {
            Verdict::Violation => panic!("{report}"),
            Verdict::Inconclusive if report.divergence.is_some() => panic!("{report}"),
            Verdict::Inconclusive if is_cut && matches!(self.config.max_steps, MaxSteps::FailAfter(_)) => {
                panic!("{report}")
            }
            Verdict::Inconclusive | Verdict::Verified => {}
        }
        usize::try_from(report.executions).unwrap_or(usize::MAX)
    }

    /// Explores a closure and says what was found, without a panic. Shuttle has nothing like this.
    ///
    /// ```
    /// use selvedge_shuttle::{Config, Runner, scheduler::DfsScheduler};
    /// let report = Runner::new(DfsScheduler::new(None, false), Config::new()).report(|| ());
    /// assert!(report.to_string().starts_with("verified"));
    /// ```
    ///
    /// # Panics
    /// When called inside of a checked closure, or with a schedule that does not fit.
    #[track_caller]
    pub fn report(&self, f: impl Fn() + 'static) -> Report {
        let mut checker = Checker::new();
        if let Some(time) = self.config.max_time {
            checker = checker.max_time(time);
        }
        checker = match self.config.max_steps {
            MaxSteps::None => checker.max_depth(usize::MAX),
            MaxSteps::FailAfter(steps) | MaxSteps::ContinueAfter(steps) => checker.max_depth(steps),
        };
        match &self.search.0 {
            Search::Exhaustive(None) => checker.run(f),
            Search::Exhaustive(Some(executions)) => checker.max_executions(*executions).run(f),
            Search::Random { seed, executions } => checker.random(*seed, *executions).run(f),
            Search::Urw { seed, executions } => checker.urw(*seed, *executions).run(f),
            Search::Pct { seed, executions } => checker.pct(*seed, *executions).run(f),
            Search::Replay(schedule) => checker.replay(schedule, f),
        }
    }

    /// Keeps the schedule of a failure, if that is wanted.
    fn persist(&self, report: &Report) {
        if let (FailurePersistence::File(directory), Some(violation)) =
            (&self.config.failure_persistence, report.violations.first())
        {
            let directory = directory.clone().unwrap_or_default();
            match write_new(&directory, &violation.schedule) {
                Ok(path) => eprintln!("the schedule is in {}", path.display()),
                Err(error) => eprintln!("the schedule cannot be written to {}: {error}", directory.display()),
            }
        }
    }
}

/// Writes a schedule to the first name that is free.
fn write_new(directory: &Path, schedule: &str) -> std::io::Result<PathBuf> {
    let mut number = 0;
    loop {
        let path = directory.join(format!("schedule{number:03}.txt"));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                writeln!(file, "{schedule}")?;
                return Ok(path);
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Explores a closure as several schedulers say, one after the other.
///
/// ```
/// use selvedge_shuttle::{Config, PortfolioRunner, scheduler::{PctScheduler, RandomScheduler}};
/// let mut runner = PortfolioRunner::new(true, Config::new());
/// runner.add(RandomScheduler::new(10));
/// runner.add(PctScheduler::new(3, 10));
/// runner.run(|| ());
/// ```
#[derive(Clone, Debug)]
pub struct PortfolioRunner {
    runners: Vec<Runner>,
    after_failure: AfterFailure,
    config: Config,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AfterFailure {
    Stop,
    GoOn,
}

impl PortfolioRunner {
    /// A runner without schedulers.
    ///
    /// ```
    /// selvedge_shuttle::PortfolioRunner::new(true, selvedge_shuttle::Config::new()).run(|| ());
    /// ```
    pub fn new(stop_on_first_failure: bool, config: Config) -> PortfolioRunner {
        let after_failure = if stop_on_first_failure { AfterFailure::Stop } else { AfterFailure::GoOn };
        PortfolioRunner { runners: Vec::new(), after_failure, config }
    }

    /// One more scheduler.
    ///
    /// ```
    /// use selvedge_shuttle::{Config, PortfolioRunner, scheduler::RandomScheduler};
    /// PortfolioRunner::new(true, Config::new()).add(RandomScheduler::new(10));
    /// ```
    pub fn add(&mut self, scheduler: impl Scheduler + 'static) {
        self.runners.push(Runner::new(scheduler, self.config.clone()));
    }

    /// Explores a closure.
    ///
    /// ```
    /// selvedge_shuttle::PortfolioRunner::new(true, selvedge_shuttle::Config::new()).run(|| ());
    /// ```
    ///
    /// # Panics
    /// With the first report, if something is wrong.
    #[track_caller]
    pub fn run<F: Fn() + Send + Sync + 'static>(self, f: F) {
        let f = Arc::new(f);
        let mut first = None;
        for runner in self.runners {
            let f = Arc::clone(&f);
            let outcome = catch_unwind(AssertUnwindSafe(|| runner.run(move || f())));
            if let Err(panic) = outcome {
                first.get_or_insert(panic);
                if self.after_failure == AfterFailure::Stop {
                    break;
                }
            }
        }
        if let Some(panic) = first {
            resume_unwind(panic);
        }
    }
}
