//! Options of a checker: algorithms, samples and bounds, limits, and what operations do.

use super::{Checker, Progress};
use crate::minimizing::Minimization;
use selvedge_claim::terms::Vacuity;
use selvedge_explore::{AfterViolation, Algorithm, Bound, BoundKind};
use std::path::PathBuf;
use std::time::Duration;

impl Checker {
    /// Explores with another algorithm. The `eager` ones look ahead in the source of a program; a closure has none, so
    /// for them every section is one operation long, and they do no better than `source`. `observers` must know that no operation on an
    /// object depends on its content, which a closure does not tell in advance: it does the same as `optimal`. `data-centric`
    /// and `value-centric` must know what every operation observes; channels, futures, waits with a time limit and cells that are checked for
    /// data races do not tell: [`run`](Checker::run) then panics and names the place. What lies under a lock is not told, so that the
    /// second does what the first does.
    ///
    /// ```
    /// use selvedge::{Algorithm, Checker, Verdict};
    /// let report = Checker::new().algorithm(Algorithm::Source).run(|| ());
    /// assert_eq!(report.executions, 1);
    /// ```
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

    /// Explores a sample of so many executions by partial order sampling: each pending operation has a random priority, and draws
    /// a new one when it races with an operation that is performed.
    ///
    /// ```
    /// let report = selvedge::Checker::new().pos(1, 100).run(|| ());
    /// assert_eq!(report.verdict, selvedge::Verdict::Inconclusive);
    /// ```
    #[must_use]
    pub fn pos(self, seed: u64, executions: u64) -> Checker {
        Checker { algorithm: Algorithm::Pos, ..self.random(seed, executions) }
    }

    /// Explores a sample of so many executions by a uniform random walk: a thread goes next with a probability in proportion to the
    /// number of operations that it has left, as far as that is known from the executions before.
    ///
    /// ```
    /// let report = selvedge::Checker::new().urw(1, 100).run(|| ());
    /// assert_eq!(report.verdict, selvedge::Verdict::Inconclusive);
    /// ```
    #[must_use]
    pub fn urw(self, seed: u64, executions: u64) -> Checker {
        Checker { algorithm: Algorithm::Urw, ..self.random(seed, executions) }
    }

    /// Explores only what has an execution with at most so many preemptions: switches away from a thread that could go
    /// on. With the algorithm `lazy-bounded`, unless another bounded one is set afterwards.
    ///
    /// ```
    /// use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
    /// use selvedge::{Checker, sync::Arc, thread};
    /// let report = Checker::new().preemptions(0).run(|| {
    ///     let x = Arc::new(AtomicU32::new(0));
    ///     let y = Arc::clone(&x);
    ///     let other = thread::spawn(move || y.store(y.load(SeqCst) + 1, SeqCst));
    ///     x.store(x.load(SeqCst) + 1, SeqCst);
    ///     other.join().unwrap();
    /// });
    /// assert!(report.scope.contains("without preemptions"), "{}", report.scope);
    /// ```
    #[must_use]
    pub fn preemptions(self, limit: u32) -> Checker {
        self.within(BoundKind::Preemptions, limit)
    }

    /// Explores only what has an execution with at most so many delays: threads that could go on and were passed over by a
    /// round-robin scheduler.
    ///
    /// ```
    /// use selvedge::{Algorithm, Checker, Verdict};
    /// let report = Checker::new().delays(1).run(|| { selvedge::thread::spawn(|| ()); });
    /// assert_ne!(report.verdict, Verdict::Violation);
    /// ```
    #[must_use]
    pub fn delays(self, limit: u32) -> Checker {
        self.within(BoundKind::Delays, limit)
    }

    fn within(mut self, kind: BoundKind, limit: u32) -> Checker {
        self.limits.bound = Some(Bound { kind, limit });
        self.algorithm = Algorithm::LazyBounded;
        self
    }

    /// Explores with 0, 1, 2, … preemptions (or delays) until something is wrong or nothing is left, up to the bound
    /// that was set.
    ///
    /// ```
    /// let report = selvedge::Checker::new().iterative().run(|| {
    ///     selvedge::thread::spawn(|| ()).join().unwrap();
    /// });
    /// assert!(report.scope.ends_with("the largest needs 0 preemptions"), "{}", report.scope);
    /// ```
    #[must_use]
    pub fn iterative(mut self) -> Checker {
        self.growing = Some(self.limits.bound.map_or(BoundKind::Preemptions, |bound| bound.kind));
        self.algorithm = Algorithm::LazyBounded;
        self
    }

    /// Stops after so many executions.
    ///
    /// ```
    /// use selvedge::{Algorithm, Checker, Verdict};
    /// let report = Checker::new().max_executions(1).run(|| { selvedge::choose(3); });
    /// assert_eq!((report.executions, report.verdict), (1, Verdict::Inconclusive));
    /// ```
    #[must_use]
    pub fn max_executions(mut self, executions: u64) -> Checker {
        self.limits.executions = Some(executions);
        self
    }

    /// Stops after that time.
    ///
    /// ```
    /// use selvedge::{Algorithm, Checker, Verdict};
    /// let report = Checker::new().max_time(std::time::Duration::from_secs(60)).run(|| ());
    /// assert_eq!(report.verdict, Verdict::Verified);
    /// ```
    #[must_use]
    pub fn max_time(mut self, time: Duration) -> Checker {
        self.limits.time = Some(time);
        self
    }

    /// Cuts executions after so many operations; 100 000 unless set.
    ///
    /// ```
    /// use selvedge::{Algorithm, Checker, Verdict};
    /// let endless = || {
    ///     let x = selvedge::sync::atomic::AtomicU8::new(0);
    ///     loop { x.fetch_add(1, std::sync::atomic::Ordering::SeqCst); }
    /// };
    /// assert_eq!(Checker::new().max_depth(50).run(endless).verdict, Verdict::Inconclusive);
    /// ```
    #[must_use]
    pub fn max_depth(mut self, operations: usize) -> Checker {
        self.limits.depth = operations;
        self
    }

    /// Accepts a closure of which no execution gets past its assumptions. Otherwise that is inconclusive: nothing was checked to its end.
    ///
    /// ```
    /// use selvedge::{Checker, Verdict};
    /// let impossible = || selvedge::assume(false);
    /// assert_eq!(Checker::new().run(impossible).verdict, Verdict::Inconclusive);
    /// assert_eq!(Checker::new().allow_vacuous().run(impossible).verdict, Verdict::Verified);
    /// ```
    #[must_use]
    pub fn allow_vacuous(mut self) -> Checker {
        self.vacuity = Vacuity::Allowed;
        self
    }

    /// Does not stop at the first violation, but collects those that differ in kind or place.
    ///
    /// ```
    /// use selvedge::{Algorithm, Checker, Verdict};
    /// let report = Checker::new().keep_going().run(|| match selvedge::choose(3) {
    ///     0 => panic!("zero"),
    ///     1 => panic!("one"),
    ///     _ => {}
    /// });
    /// assert_eq!(report.violations.len(), 2);
    /// ```
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
    ///
    /// ```
    /// use selvedge::{Algorithm, Checker, Verdict};
    /// use selvedge::sync::{Condvar, Mutex};
    /// let wait = || drop(Condvar::new().wait(Mutex::new(()).lock().unwrap()));
    /// let report = Checker::new().spurious_wakeups().run(wait);
    /// assert!(report.executions > 0);
    /// ```
    #[must_use]
    pub fn spurious_wakeups(mut self) -> Checker {
        self.semantics.spurious_wakeups = true;
        self
    }

    /// Takes `spin_loop`, `yield_now` and `sleep` for what they are: steps without effect. Without this, a thread that spins waits until
    /// something that it has read changes, which loses what a loop that counts its attempts does when it gives up early. With
    /// this, every number of attempts is explored, so loops must have an end.
    ///
    /// ```
    /// use selvedge::sync::atomic::{AtomicBool, Ordering::SeqCst};
    /// use selvedge::{Checker, Verdict, hint, sync::Arc, thread};
    ///
    /// fn patient() {
    ///     let ready = Arc::new(AtomicBool::new(false));
    ///     let other = thread::spawn({ let ready = ready.clone(); move || ready.store(true, SeqCst) });
    ///     let mut attempts = 0;
    ///     while !ready.load(SeqCst) && attempts < 2 {
    ///         attempts += 1;
    ///         hint::spin_loop();
    ///     }
    ///     assert!(ready.load(SeqCst), "gave up");
    ///     other.join().unwrap();
    /// }
    /// assert_eq!(Checker::new().run(patient).verdict, Verdict::Verified);
    /// assert_eq!(Checker::new().every_attempt().run(patient).verdict, Verdict::Violation);
    /// ```
    #[must_use]
    pub fn every_attempt(mut self) -> Checker {
        self.semantics.every_attempt = true;
        self
    }

    /// Writes checkpoints to a file and goes on from it, as `SELVEDGE_CHECKPOINT` does; that variable wins.
    ///
    /// ```
    /// let file = std::env::temp_dir().join("selvedge-example-of-a-checkpoint");
    /// selvedge::Checker::new().checkpoint(&file).check(|| ());
    /// assert!(!file.exists(), "nothing is left to do");
    /// ```
    #[must_use]
    pub fn checkpoint(mut self, file: impl Into<PathBuf>) -> Checker {
        self.checkpoint = Some(file.into());
        self
    }

    /// Expects that some execution reaches the points of [`reachable!`](crate::reachable) with that name, wherever they are. Those in the closure
    /// itself need not be named.
    ///
    /// ```
    /// fn pick() -> u32 {
    ///     let number = selvedge::choose(3);
    ///     if number == 2 {
    ///         selvedge::reachable!("two");
    ///     }
    ///     number
    /// }
    /// selvedge::Checker::new().reaches("two").check(|| { pick(); });
    /// let report = selvedge::Checker::new().reaches("two").run(|| ());
    /// assert_eq!(report.violations[0].kind, selvedge::FailureKind::Unreached);
    /// ```
    #[must_use]
    pub fn reaches(mut self, point: &str) -> Checker {
        self.reaches.push(point.to_owned());
        self
    }

    /// Looks for shorter counterexamples for so long: threads, rounds of loops and steps are left out as long as the
    /// same thing goes wrong at the same place. With no time at all they are shown as they were found. Unless this is set, those of 50
    /// steps or more are shortened for one second: candidates are executions that were not explored, in which wrong `unsafe` code may
    /// do harm.
    ///
    /// ```
    /// use selvedge::sync::atomic::{AtomicU8, Ordering::SeqCst};
    /// use selvedge::{Checker, sync::Arc, thread};
    /// use std::time::Duration;
    ///
    /// fn counts_while_waiting() {
    ///     let (x, polls) = (Arc::new(AtomicU8::new(0)), AtomicU8::new(0));
    ///     let other = thread::spawn({ let x = x.clone(); move || x.store(1, SeqCst) });
    ///     while x.load(SeqCst) == 0 && polls.fetch_add(1, SeqCst) < 100 {}
    ///     panic!("always");
    /// }
    /// let found = Checker::new().minimize(Duration::ZERO).run(counts_while_waiting);
    /// assert_eq!(found.violations[0].schedule, "0x202");
    /// let shown = Checker::new().run(counts_while_waiting);
    /// assert_eq!(shown.violations[0].schedule, "1.0");
    /// ```
    #[must_use]
    pub fn minimize(mut self, time: Duration) -> Checker {
        self.minimization = Minimization { time, least: 0 };
        self
    }

    /// The size of the stacks of threads in bytes, for those that do not ask for another by
    /// [`thread::Builder::stack_size`](crate::thread::Builder::stack_size); 2 MiB unless set. The system maps what is used.
    ///
    /// ```
    /// use selvedge::{Checker, Verdict};
    /// fn deep(level: u32) -> u32 { if level == 0 { 0 } else { 1 + std::hint::black_box(deep(level - 1)) } }
    /// let report = Checker::new().stack_size(64 << 20).run(|| assert_eq!(deep(50_000), 50_000));
    /// assert_eq!(report.verdict, Verdict::Verified);
    /// ```
    #[must_use]
    pub fn stack_size(mut self, bytes: usize) -> Checker {
        self.semantics.stack_size = Some(bytes);
        self
    }

    /// How long a thread may run without coming to an operation of this library, before it is ended and the check fails: 20 seconds unless
    /// set. [`Duration::MAX`] is for ever. In a replay there is no limit.
    ///
    /// ```
    /// use selvedge::{Checker, FailureKind};
    /// use std::time::Duration;
    /// let report = Checker::new().max_silence(Duration::from_millis(100)).run(|| {
    ///     std::thread::sleep(Duration::from_secs(3600));
    /// });
    /// # if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
    /// assert_eq!(report.violations[0].kind, FailureKind::Hang);
    /// # }
    /// ```
    #[must_use]
    pub fn max_silence(mut self, time: Duration) -> Checker {
        self.semantics.silence = (time != Duration::MAX).then_some(time);
        self
    }

    /// Shows on the standard error, if it is a terminal, how far the search is.
    ///
    /// ```
    /// use selvedge::{Algorithm, Checker, Verdict};
    /// assert_eq!(Checker::new().progress().run(|| ()).verdict, Verdict::Verified);
    /// ```
    #[must_use]
    pub fn progress(mut self) -> Checker {
        self.progress = Progress::Shown;
        self
    }
}
