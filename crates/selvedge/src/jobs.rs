//! Checks on several threads of the operating system.

use crate::checker::Checker;
use crate::reach::Knowledge;
use crate::replaying;
use crate::report::Report;
use crate::sampling::{self, SharedBody, Takers};
use selvedge_explore::Promise;
use std::sync::{Arc, Once};

/// The variable that says on how many threads `#[selvedge::test]` takes samples.
const VARIABLE: &str = "SELVEDGE_JOBS";

/// A checker that takes its sample on several threads of the operating system, made by [`Checker::jobs`].
///
/// ```
/// use selvedge::Checker;
/// let report = Checker::new().random(1, 1000).jobs(2).run(|| {
///     selvedge::thread::spawn(|| ()).join().unwrap();
/// });
/// assert_eq!(report.executions, 1000);
/// ```
#[derive(Clone, Debug)]
pub struct Jobs {
    checker: Checker,
    jobs: usize,
}

impl Checker {
    /// Takes the sample of [`random`](Checker::random) or [`pct`](Checker::pct) on so many threads of the operating system. The
    /// report is the same for any number. This comes last, because the closure must be one that threads can share.
    ///
    /// The other algorithms work on one thread. With `optimal`, `source` and `dpor`, every execution adds to what is left to do at the states before it, and
    /// what need not be repeated there is known only when everything before is done, so that parts of the search are not independent. Those of `sleep` and
    /// `exhaustive` are, but these need many times the executions of `optimal` as a rule.
    ///
    /// ```
    /// use selvedge::Checker;
    /// let check = |jobs| Checker::new().pct(1, 200).jobs(jobs).run(|| panic!("always")).to_string();
    /// assert_eq!(check(1), check(2));
    /// ```
    ///
    /// # Panics
    /// With another algorithm and more than one thread.
    #[track_caller]
    pub fn jobs(self, jobs: usize) -> Jobs {
        assert!(
            jobs <= 1 || self.samples(),
            "selvedge: {jobs} jobs are possible with `random` and `pct`; what `{}` explores next depends on what it has \
             explored before, so it works on one thread",
            self.algorithm.name()
        );
        Jobs { checker: self, jobs }
    }

    fn samples(&self) -> bool {
        self.algorithm.promise() == Promise::Sample
    }

    #[doc(hidden)]
    pub fn jobs_of_environment(self) -> Jobs {
        static SAID: Once = Once::new();
        let jobs = match std::env::var(VARIABLE) {
            Err(_) => 1,
            Ok(text) => match text.parse() {
                Ok(jobs) if jobs > 0 => jobs,
                _ => panic!("selvedge: {VARIABLE}={text} is no number of threads"),
            },
        };
        match self.samples() {
            true => Jobs { checker: self, jobs },
            false => {
                if jobs > 1 {
                    SAID.call_once(|| {
                        eprintln!("selvedge: {VARIABLE} counts for `random` and `pct` only; others work on one thread")
                    });
                }
                Jobs { checker: self, jobs: 1 }
            }
        }
    }
}

impl Jobs {
    #[doc(hidden)]
    #[must_use]
    pub fn jobs_of_environment(self) -> Jobs {
        self
    }

    /// Like [`Checker::check`].
    ///
    /// ```
    /// selvedge::Checker::new().random(7, 100).jobs(2).check(|| ());
    /// ```
    ///
    /// # Panics
    /// With the report, if something is wrong.
    #[track_caller]
    pub fn check(&self, f: impl Fn() + Send + Sync + 'static) {
        self.checker.conclude(&self.run(f));
    }

    /// Like [`Checker::run`].
    ///
    /// ```
    /// let report = selvedge::Checker::new().random(7, 100).jobs(2).run(|| ());
    /// assert_eq!(report.executions, 100);
    /// ```
    ///
    /// # Panics
    /// Like [`Checker::run`].
    #[track_caller]
    pub fn run(&self, f: impl Fn() + Send + Sync + 'static) -> Report {
        if self.jobs <= 1 || replaying::requested().is_some() {
            return self.checker.run(f);
        }
        self.checker.prepare();
        let expected = self.checker.expected(std::any::type_name_of_val(&f));
        let body: SharedBody = Arc::new(f);
        let (report, reached) = sampling::sample(&self.checker, &Takers::Others(self.jobs, body));
        expected.conclude(report, &reached, Knowledge::Whole)
    }
}
