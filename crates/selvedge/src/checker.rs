//! The checker: what to explore, how, and how far.

use crate::replaying;
use crate::report::Report;
use crate::runtime::execution::{Assumptions, Semantics};
use crate::runtime::panics::{self, Noise};
use crate::runtime::program::{Closure, Halt, HaltPayload};
use crate::runtime::{Mode, with};
use crate::telling::divergence;
use selvedge_explore::{
    AfterViolation, Algorithm, Exploration, Limits, Monitor, Promise, Statistics, explore,
};
use selvedge_report::Verdict;
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::time::{Duration, Instant};

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
    progress: Progress,
}

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
            progress: Progress::Silent,
        }
    }
}

impl Checker {
    /// A checker with the algorithm `optimal` and without limits.
    pub fn new() -> Checker {
        Checker::default()
    }

    /// Explores with another algorithm. The `eager` ones look ahead in the source of a program; a closure has none, so
    /// for them every section is one operation long, and they do no better than `source`.
    #[must_use]
    pub fn algorithm(mut self, algorithm: Algorithm) -> Checker {
        self.algorithm = algorithm;
        self
    }

    /// Explores a random sample of so many executions: at each state any enabled thread. A quick look at programs
    /// that are too big; the verdict is never "verified".
    ///
    /// ```
    /// let report = selvedge::Checker::new().random(1, 100).run(|| {
    ///     let x = selvedge::sync::Mutex::new(0);
    ///     *x.lock().unwrap() += 1;
    /// });
    /// assert_eq!((report.executions, report.verdict), (100, selvedge::Verdict::Inconclusive));
    /// ```
    #[must_use]
    pub fn random(mut self, seed: u64, executions: u64) -> Checker {
        self.algorithm = Algorithm::Random;
        self.limits.seed = seed;
        self.limits.executions = Some(executions);
        self
    }

    /// Explores a sample of so many executions by probabilistic concurrency testing: random priorities that change a few
    /// times. It finds bugs that take few changes of threads with a probability that can be computed.
    ///
    /// ```
    /// let report = selvedge::Checker::new().pct(1, 100).run(|| ());
    /// assert_eq!(report.verdict, selvedge::Verdict::Inconclusive);
    /// ```
    #[must_use]
    pub fn pct(mut self, seed: u64, executions: u64) -> Checker {
        self.algorithm = Algorithm::Pct;
        self.limits.seed = seed;
        self.limits.executions = Some(executions);
        self
    }

    /// Stops after so many executions.
    #[must_use]
    pub fn max_executions(mut self, executions: u64) -> Checker {
        self.limits.executions = Some(executions);
        self
    }

    /// Stops after that time.
    #[must_use]
    pub fn max_time(mut self, time: Duration) -> Checker {
        self.limits.time = Some(time);
        self
    }

    /// Cuts executions after so many operations; 100 000 unless set.
    #[must_use]
    pub fn max_depth(mut self, operations: usize) -> Checker {
        self.limits.depth = operations;
        self
    }

    /// Does not stop at the first violation, but collects those that differ in kind or place.
    #[must_use]
    pub fn keep_going(mut self) -> Checker {
        self.limits.after_violation = AfterViolation::KeepGoing;
        self
    }

    /// Lets `compare_exchange_weak` fail also when the value is right.
    ///
    /// ```
    /// use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
    /// let report = selvedge::Checker::new().spurious_failures().run(|| {
    ///     let x = AtomicU32::new(0);
    ///     let _ = x.compare_exchange_weak(0, 1, SeqCst, SeqCst);
    /// });
    /// assert_eq!(report.executions, 2);
    /// ```
    #[must_use]
    pub fn spurious_failures(mut self) -> Checker {
        self.semantics.spurious_failures = true;
        self
    }

    /// Lets [`Condvar::wait`](crate::sync::Condvar::wait) return also when nobody notified, as std does: code that waits in an
    /// `if` instead of a `while` is found.
    #[must_use]
    pub fn spurious_wakeups(mut self) -> Checker {
        self.semantics.spurious_wakeups = true;
        self
    }

    /// Shows on the standard error, if it is a terminal, how far the search is.
    #[must_use]
    pub fn progress(mut self) -> Checker {
        self.progress = Progress::Shown;
        self
    }

    /// Explores the closure and panics with the report if something is wrong with it, or if executions had to be cut. A limit
    /// that was set and reached is no reason to panic: it is written to the standard error.
    ///
    /// # Panics
    /// With the report.
    #[track_caller]
    pub fn check(&self, f: impl Fn() + 'static) {
        let report = self.run(f);
        let is_limited = replaying::requested().is_some()
            || self.limits.executions.is_some()
            || self.limits.time.is_some()
            || self.algorithm.promise() == Promise::Sample;
        match report.verdict {
            Verdict::Verified => {}
            Verdict::Inconclusive if is_limited && report.divergence.is_none() => eprintln!("{report}"),
            Verdict::Violation | Verdict::Inconclusive => panic!("{report}"),
        }
    }

    /// Explores the closure and says what it found.
    ///
    /// # Panics
    /// When called inside of a checked closure.
    #[track_caller]
    pub fn run(&self, f: impl Fn() + 'static) -> Report {
        let body: Rc<dyn Fn()> = Rc::new(f);
        assert!(
            with(|x| x.mode) == Mode::Idle,
            "selvedge: a check inside of a checked closure is not possible"
        );
        panics::install();
        if let Some(schedule) = replaying::requested() {
            return replaying::replay(self, &body, &schedule);
        }
        let started = Instant::now();
        let mut assumptions = Assumptions::default();
        loop {
            with(|x| x.begin_search(assumptions, self.semantics));
            match self.explore(&body) {
                Ok(exploration) => {
                    let noise = panics::set_noise(Noise::Quiet);
                    let report = Report::new(self, &exploration, &body, started.elapsed());
                    panics::set_noise(noise);
                    return report;
                }
                Err(Halt::Refuted) => assumptions = with(|x| x.assumptions),
                Err(Halt::Diverged(found)) => {
                    return Report::diverged(divergence::tell(&found), started.elapsed());
                }
            }
        }
    }

    /// One search.
    fn explore(&self, body: &Rc<dyn Fn()>) -> Result<Exploration<crate::runtime::failure::Failure>, Halt> {
        let mut watch = Watch { started: Instant::now(), progress: self.progress };
        without_noise(|| {
            let closure = Closure::new(Rc::clone(body));
            let (exploration, mut closure) = explore(closure, self.algorithm, self.limits, &mut watch);
            // With several executions, each was compared with the ones before.
            if exploration.statistics.executions() == 1 && exploration.violations.is_empty() {
                closure.run_twice();
            }
            exploration
        })
    }
}

/// Runs something that runs closures, without the noise of their panics.
pub(crate) fn without_noise<R>(run: impl FnOnce() -> R) -> Result<R, Halt> {
    let noise = panics::set_noise(Noise::Quiet);
    let outcome = catch_unwind(AssertUnwindSafe(run));
    panics::set_noise(noise);
    outcome.map_err(|payload| match payload.downcast::<HaltPayload>() {
        Ok(halt) => halt.0,
        Err(payload) => resume_unwind(payload),
    })
}

/// Watches a search.
struct Watch {
    started: Instant,
    progress: Progress,
}

impl Monitor<Closure> for Watch {
    fn progress(&mut self, statistics: &Statistics, fraction: f64) -> ControlFlow<()> {
        if self.progress == Progress::Shown && std::io::stderr().is_terminal() {
            let seconds = self.started.elapsed().as_secs();
            let percent = fraction * 100.0;
            eprint!("\r{} executions, {seconds} s, about {percent:.1} %  ", statistics.executions());
        }
        ControlFlow::Continue(())
    }
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
