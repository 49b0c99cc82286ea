//! The checker: what to explore, how, and how far.

mod options;
mod searching;

use crate::checkpointing;
use crate::climbing;
use crate::minimizing::Minimization;
use crate::reach::{self, Expected, Knowledge};
use crate::replaying;
use crate::report::Report;
use crate::runtime::assumptions::Semantics;
use crate::runtime::panics;
use crate::runtime::{Mode, with};
use crate::sampling::{self, Takers};
use selvedge_claim::terms::Vacuity;
use selvedge_claim::{Terms, Verdict};
use selvedge_explore::{Algorithm, BoundKind, Limits, Promise, Statistics};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

pub(crate) use searching::without_noise;

/// Checks a closure in every interleaving that matters.
///
/// ```
/// use selvedge::{Algorithm, Checker, Verdict};
/// use std::time::Duration;
///
/// let report = Checker::new()
///     .algorithm(Algorithm::Source)
///     .max_time(Duration::from_secs(10))
///     .run(|| { selvedge::thread::spawn(|| ()).join().unwrap(); });
/// assert_eq!(report.verdict, Verdict::Verified);
/// assert_eq!(report.executions, 1);
/// ```
#[derive(Clone, Debug)]
pub struct Checker {
    pub(crate) algorithm: Algorithm,
    pub(crate) limits: Limits,
    pub(crate) semantics: Semantics,
    pub(crate) minimization: Minimization,
    progress: Progress,
    growing: Option<BoundKind>,
    checkpoint: Option<PathBuf>,
    vacuity: Vacuity,
    reaches: Vec<String>,
    /// The time for all levels, if there are several.
    climbing: Option<Duration>,
}

/// The exit code of tests that failed.
const FAILED: i32 = 101;

/// Whether a line on the standard error says how far the search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Silent,
    Shown,
}

impl Default for Checker {
    fn default() -> Self {
        Checker {
            algorithm: Algorithm::Optimal,
            limits: Limits::default(),
            semantics: Semantics::default(),
            minimization: Minimization::default(),
            progress: Progress::Silent,
            growing: None,
            checkpoint: None,
            vacuity: Vacuity::Refused,
            reaches: Vec::new(),
            climbing: None,
        }
    }
}

impl Checker {
    /// A checker with the algorithm `optimal` and without limits.
    ///
    /// ```
    /// use selvedge::{Algorithm, Checker, Verdict};
    /// assert_eq!(Checker::new().run(|| ()).verdict, Verdict::Verified);
    /// ```
    pub fn new() -> Checker {
        Checker::default()
    }

    /// A checker that climbs within a budget of time: a few random executions, a few of [`pct`](Checker::pct), then every
    /// interleaving that matters, with the algorithm `optimal`. The first level that finds something ends the check; only the last
    /// can verify. The scope of the report says which level was reached.
    ///
    /// ```
    /// use selvedge::{Checker, Verdict, thread};
    /// use std::time::Duration;
    ///
    /// let report = Checker::auto(Duration::from_secs(10)).run(|| { thread::spawn(|| ()).join().unwrap(); });
    /// assert_eq!(report.verdict, Verdict::Verified);
    /// assert!(report.scope.ends_with("; level 3 of 3: `optimal`, after 128 of `random` and 128 of `pct`"));
    ///
    /// let report = Checker::auto(Duration::from_secs(10)).run(|| { thread::spawn(|| panic!("no")); });
    /// assert!(report.scope.ends_with("; level 1 of 3: `random`"));
    /// ```
    pub fn auto(budget: Duration) -> Checker {
        let limits = Limits { time: Some(budget), ..Limits::default() };
        Checker { limits, climbing: Some(budget), ..Checker::default() }
    }

    /// Explores the closure and panics with the report if something is wrong with it, or if executions had to be cut. A limit
    /// that was set and reached is no reason to panic: it is written to the standard error.
    ///
    /// ```
    /// use selvedge::{Algorithm, Checker, Verdict};
    /// Checker::new().max_executions(1000).check(|| ());
    /// ```
    ///
    /// # Panics
    /// With the report.
    #[track_caller]
    pub fn check(&self, f: impl Fn() + 'static) {
        self.conclude(&self.run(f));
    }

    /// Panics if a report of this checker says that something is wrong, as [`check`](Checker::check) does.
    ///
    /// ```
    /// let checker = selvedge::Checker::new();
    /// let report = checker.run(|| ());
    /// checker.conclude(&report);
    /// ```
    ///
    /// # Panics
    /// With the report.
    #[track_caller]
    pub fn conclude(&self, report: &Report) {
        if panics::hook_is_lost() {
            eprintln!(
                "{report}\n\nselvedge: the process ends here: a panic inside of the message of a panic, from which Rust does not come back"
            );
            std::process::exit(FAILED);
        }
        let is_limited = replaying::requested().is_some()
            || self.limits.executions.is_some()
            || self.limits.time.is_some()
            || self.algorithm.promise() == Promise::Sample;
        match report.verdict {
            Verdict::Verified => report.warnings.iter().for_each(|warning| eprintln!("selvedge: {warning}")),
            Verdict::Inconclusive
                if is_limited && report.divergence.is_none() && !self.saw_no_end(report) =>
            {
                eprintln!("{report}");
            }
            Verdict::Violation | Verdict::Inconclusive => panic!("{report}"),
        }
    }

    /// Explores the closure and says what it found.
    ///
    /// ```
    /// use selvedge::{Algorithm, Checker, Verdict};
    /// let report = Checker::new().run(|| panic!("always"));
    /// assert_eq!(report.violations[0].message, "always");
    /// ```
    ///
    /// # Panics
    /// When called inside of a checked closure, or with an algorithm that does not work on closures.
    #[track_caller]
    pub fn run(&self, f: impl Fn() + 'static) -> Report {
        let expected = self.expected(std::any::type_name_of_val(&f));
        let body: Rc<dyn Fn()> = Rc::new(f);
        self.prepare();
        if let Some(schedule) = replaying::requested() {
            return replaying::replay(self, &body, &schedule);
        }
        if let Some(budget) = self.climbing {
            let (report, reached, known) = climbing::climb(self, budget, &body);
            return expected.conclude(report, &reached, known);
        }
        if self.algorithm.promise() == Promise::Sample {
            let (report, reached) = sampling::sample(self, &Takers::Present(&body));
            return expected.conclude(report, &reached, Knowledge::Whole);
        }
        let (report, known) = self.search(&body);
        expected.conclude(report, &reach::reached_so_far(), known)
    }

    /// Performs one execution, aloud, as `SELVEDGE_REPLAY` does.
    ///
    /// ```
    /// use selvedge::{Checker, Verdict, sync::{Arc, Mutex}, thread};
    /// fn racy() {
    ///     let x = Arc::new(Mutex::new(0));
    ///     let other = thread::spawn({ let x = x.clone(); move || *x.lock().unwrap() = 1 });
    ///     assert_eq!(*x.lock().unwrap(), 0);
    ///     other.join().unwrap();
    /// }
    /// let found = Checker::new().run(racy);
    /// let again = Checker::new().replay(&found.violations[0].schedule, racy);
    /// assert_eq!(again.verdict, Verdict::Violation);
    /// ```
    ///
    /// # Panics
    /// When the text is no schedule, or does not fit the closure.
    #[track_caller]
    pub fn replay(&self, schedule: &str, f: impl Fn() + 'static) -> Report {
        self.prepare();
        let body: Rc<dyn Fn()> = Rc::new(f);
        replaying::replay(self, &body, schedule)
    }

    /// Whether no execution came to an end, and nobody said that this is all right.
    fn saw_no_end(&self, report: &Report) -> bool {
        let Statistics { complete, deadlocked, failed, .. } = report.statistics;
        self.vacuity == Vacuity::Refused
            && replaying::requested().is_none()
            && complete + deadlocked + failed == 0
    }

    /// The points that a check of a closure expects.
    pub(crate) fn expected(&self, closure: &'static str) -> Expected<'_> {
        Expected { closure, names: &self.reaches }
    }

    /// Complains about what cannot be checked, and gets ready.
    ///
    /// # Panics
    /// With the complaint.
    #[track_caller]
    pub(crate) fn prepare(&self) {
        assert!(
            with(|x| x.mode) == Mode::Idle,
            "selvedge: a check inside of a checked closure is not possible"
        );
        let algorithm = self.algorithm.name();
        assert!(
            !(self.algorithm.asks_what_is_observed() && self.semantics.spurious_wakeups),
            "selvedge: not supported by `{algorithm}`: waits that may end without a notification; choose `optimal`"
        );
        if checkpointing::requested(self.checkpoint.as_deref()).is_some() {
            self.check_that_checkpoints_work();
        }
        panics::install();
    }

    /// What a claim is about and rests on.
    pub(crate) fn terms(&self) -> Terms {
        Terms { vacuity: self.vacuity, ..Terms::default() }
    }

    /// What operations do, and what they tell the algorithm.
    fn semantics(&self) -> Semantics {
        Semantics { observations: self.algorithm.asks_what_is_observed(), ..self.semantics }
    }
}

/// Whether this code runs in a closure that is being checked. For code that is run without a check, too.
///
/// ```
/// assert!(!selvedge::is_checking());
/// selvedge::check(|| assert!(selvedge::is_checking()));
/// ```
pub fn is_checking() -> bool {
    crate::runtime::execution::current_thread().is_some()
}

/// Explores a closure in every interleaving that matters, and panics with a report if something is wrong.
///
/// ```
/// use selvedge::sync::{Arc, Mutex};
/// use selvedge::thread;
///
/// selvedge::check(|| {
///     let counter = Arc::new(Mutex::new(0));
///     let other = thread::spawn({ let counter = counter.clone(); move || *counter.lock().unwrap() += 1 });
///     *counter.lock().unwrap() += 1;
///     other.join().unwrap();
///     assert_eq!(*counter.lock().unwrap(), 2);
/// });
/// ```
///
/// # Panics
/// With the report, if something is wrong.
#[track_caller]
pub fn check(f: impl Fn() + 'static) {
    Checker::new().check(f);
}
