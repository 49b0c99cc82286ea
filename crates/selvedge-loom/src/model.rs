//! Models: what to explore, and how far, with loom's builder and its environment variables.

use selvedge::{Checker, Report};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// The number of branches that loom allows in an execution unless told otherwise.
const USUAL_BRANCHES: usize = 1000;

/// How a model is explored. [`Builder::new`] reads the environment variables of loom.
///
/// ```
/// let mut builder = selvedge_loom::model::Builder::new();
/// builder.preemption_bound = Some(2);
/// builder.check(|| { selvedge_loom::thread::spawn(|| ()).join().unwrap(); });
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Builder {
    /// Not used: there is no limit on the number of threads.
    pub max_threads: usize,
    /// The greatest number of operations in an execution, if it is another than 1000: `LOOM_MAX_BRANCHES`. With 1000, loom's default, it is
    /// selvedge's default, which is greater. Longer executions are cut, and the model fails because of that.
    pub max_branches: usize,
    /// The exploration stops after so many executions: `LOOM_MAX_PERMUTATIONS`. The model then passes, as in loom.
    pub max_permutations: Option<usize>,
    /// The exploration stops after that time: `LOOM_MAX_DURATION`, in seconds. The model then passes, as in loom.
    pub max_duration: Option<Duration>,
    /// Only what has an execution with so many preemptions is explored: `LOOM_MAX_PREEMPTIONS`.
    pub preemption_bound: Option<usize>,
    /// A file that keeps what is left to do: `LOOM_CHECKPOINT_FILE`. Not together with a bound on preemptions.
    pub checkpoint_file: Option<PathBuf>,
    /// Not used: checkpoints are written every few seconds. `LOOM_CHECKPOINT_INTERVAL`.
    pub checkpoint_interval: usize,
    /// Not used: everything is explored, see [`crate::explore`].
    pub expect_explicit_explore: bool,
    /// Not used: reports always name places in the source. `LOOM_LOCATION`.
    pub location: bool,
    /// Writes the claim to the standard error at the end: `LOOM_LOG`.
    pub log: bool,
}

/// The value of a variable.
///
/// # Panics
/// When the value makes no sense.
fn variable<T: FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    match text.parse() {
        Ok(value) => Some(value),
        Err(_) => panic!("selvedge: `{name}={text}` is not a number"),
    }
}

impl Builder {
    /// A builder with what the environment variables say.
    ///
    /// ```
    /// assert_eq!(selvedge_loom::model::Builder::new().max_threads, selvedge_loom::MAX_THREADS);
    /// ```
    ///
    /// # Panics
    /// When the value of a variable makes no sense.
    pub fn new() -> Builder {
        Builder {
            max_threads: crate::MAX_THREADS,
            max_branches: variable("LOOM_MAX_BRANCHES").unwrap_or(USUAL_BRANCHES),
            max_permutations: variable("LOOM_MAX_PERMUTATIONS"),
            max_duration: variable("LOOM_MAX_DURATION").map(Duration::from_secs),
            preemption_bound: variable("LOOM_MAX_PREEMPTIONS"),
            checkpoint_file: std::env::var_os("LOOM_CHECKPOINT_FILE").map(PathBuf::from),
            checkpoint_interval: variable("LOOM_CHECKPOINT_INTERVAL").unwrap_or(20_000),
            expect_explicit_explore: false,
            location: std::env::var_os("LOOM_LOCATION").is_some(),
            log: std::env::var_os("LOOM_LOG").is_some(),
        }
    }

    /// Keeps what is left to do in a file.
    ///
    /// ```
    /// let mut builder = selvedge_loom::model::Builder::new();
    /// builder.checkpoint_file("progress.txt");
    /// assert!(builder.checkpoint_file.is_some());
    /// ```
    pub fn checkpoint_file(&mut self, file: &str) -> &mut Self {
        self.checkpoint_file = Some(file.into());
        self
    }

    /// Explores a closure, and panics with a report if something is wrong with it.
    ///
    /// ```
    /// selvedge_loom::model::Builder::new().check(|| ());
    /// ```
    ///
    /// # Panics
    /// With the report.
    #[track_caller]
    pub fn check<F>(&self, f: F)
    where
        F: Fn() + Sync + Send + 'static,
    {
        let checker = self.checker();
        let report = checker.run(f);
        if self.log {
            eprintln!("{}", report.scope);
        }
        checker.conclude(&report);
    }

    /// Explores a closure and says what was found, without a panic. Loom has nothing like this.
    ///
    /// ```
    /// let report = selvedge_loom::model::Builder::new().run(|| ());
    /// assert_eq!(report.executions, 1);
    /// ```
    ///
    /// # Panics
    /// When called inside of a model.
    #[track_caller]
    pub fn run(&self, f: impl Fn() + 'static) -> Report {
        self.checker().run(f)
    }

    fn checker(&self) -> Checker {
        let mut checker = Checker::new();
        if let Some(bound) = self.preemption_bound {
            checker = checker.preemptions(u32::try_from(bound).unwrap_or(u32::MAX));
        }
        if self.max_branches != USUAL_BRANCHES {
            checker = checker.max_depth(self.max_branches);
        }
        if let Some(permutations) = self.max_permutations {
            checker = checker.max_executions(permutations as u64);
        }
        if let Some(duration) = self.max_duration {
            checker = checker.max_time(duration);
        }
        if let Some(file) = &self.checkpoint_file {
            checker = checker.checkpoint(file);
        }
        checker
    }
}

impl Default for Builder {
    fn default() -> Self {
        Builder::new()
    }
}

/// Explores a closure as the environment variables of loom say, and panics with a report if something is wrong with it.
///
/// ```
/// selvedge_loom::model(|| {
///     let other = selvedge_loom::thread::spawn(|| 7);
///     assert_eq!(other.join().unwrap(), 7);
/// });
/// ```
///
/// # Panics
/// With the report.
#[track_caller]
pub fn model<F>(f: F)
where
    F: Fn() + Sync + Send + 'static,
{
    Builder::new().check(f);
}
