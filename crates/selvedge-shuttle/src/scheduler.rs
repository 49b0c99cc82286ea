//! Schedulers: each says what a [`Runner`](crate::Runner) is to explore.
//!
//! In shuttle, a scheduler picks the next thread. Here the explorer of `selvedge` does, so a scheduler only describes the search, and the
//! trait [`Scheduler`] is sealed.

use std::io;
use std::path::Path;

pub use crate::current::TaskId;

/// What is explored.
#[derive(Clone, Debug)]
pub(crate) enum Search {
    /// Each trace once, or so many of them.
    Exhaustive(Option<u64>),
    /// A random sample.
    Random { seed: u64, executions: u64 },
    /// A sample by a uniform random walk.
    Urw { seed: u64, executions: u64 },
    /// A sample by probabilistic concurrency testing.
    Pct { seed: u64, executions: u64 },
    /// One schedule.
    Replay(String),
}

pub(crate) mod sealed {
    //! Only the schedulers of this crate are schedulers.

    /// Something that describes a search.
    pub trait Describes {
        #[doc(hidden)]
        fn search(&self) -> super::Description;
    }
}

/// A search as a scheduler describes it.
#[derive(Clone, Debug)]
pub struct Description(pub(crate) Search);

/// Something that says what to explore. Own implementations are not possible.
///
/// ```
/// use selvedge_shuttle::{Config, Runner, scheduler::{DfsScheduler, Scheduler}};
/// fn explored(scheduler: impl Scheduler + 'static) -> usize {
///     Runner::new(scheduler, Config::new()).run(|| ())
/// }
/// assert_eq!(explored(DfsScheduler::new(None, false)), 1);
/// ```
pub trait Scheduler: sealed::Describes {}

impl<T: sealed::Describes + ?Sized> Scheduler for T {}

impl<T: sealed::Describes + ?Sized> sealed::Describes for Box<T> {
    fn search(&self) -> Description {
        (**self).search()
    }
}

/// The seed of `SHUTTLE_RANDOM_SEED`, or always the same.
///
/// # Panics
/// When the variable is not a number.
fn usual_seed() -> u64 {
    match std::env::var("SHUTTLE_RANDOM_SEED") {
        Err(_) => 1,
        Ok(text) => match text.parse() {
            Ok(seed) => seed,
            Err(_) => panic!("selvedge: `SHUTTLE_RANDOM_SEED={text}` is not a number"),
        },
    }
}

macro_rules! scheduler {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        #[derive(Clone, Debug)]
        pub struct $name(Search);

        impl sealed::Describes for $name {
            fn search(&self) -> Description {
                Description(self.0.clone())
            }
        }
    };
}

scheduler! {
    /// Explores each Mazurkiewicz trace once.
    ///
    /// ```
    /// let _all = selvedge_shuttle::scheduler::DfsScheduler::new(None, false);
    /// ```
    DfsScheduler
}

impl DfsScheduler {
    /// Explores all traces, or so many. Random data are the same in all executions, so that they are always allowed.
    ///
    /// ```
    /// let _some = selvedge_shuttle::scheduler::DfsScheduler::new(Some(100), false);
    /// ```
    pub fn new(max_iterations: Option<usize>, _allow_random_data: bool) -> Self {
        DfsScheduler(Search::Exhaustive(max_iterations.map(|iterations| iterations as u64)))
    }
}

scheduler! {
    /// Takes a random sample.
    ///
    /// ```
    /// let _sample = selvedge_shuttle::scheduler::RandomScheduler::new(100);
    /// ```
    RandomScheduler
}

impl RandomScheduler {
    /// A sample of so many executions, with the seed of `SHUTTLE_RANDOM_SEED`, or always the same.
    ///
    /// ```
    /// let _sample = selvedge_shuttle::scheduler::RandomScheduler::new(100);
    /// ```
    pub fn new(max_iterations: usize) -> Self {
        RandomScheduler::new_from_seed(usual_seed(), max_iterations)
    }

    /// A sample with a seed.
    ///
    /// ```
    /// let _sample = selvedge_shuttle::scheduler::RandomScheduler::new_from_seed(7, 100);
    /// ```
    pub fn new_from_seed(seed: u64, max_iterations: usize) -> Self {
        RandomScheduler(Search::Random { seed, executions: max_iterations as u64 })
    }
}

scheduler! {
    /// Takes a sample by a uniform random walk.
    ///
    /// ```
    /// let _sample = selvedge_shuttle::scheduler::UrwRandomScheduler::new(100);
    /// ```
    UrwRandomScheduler
}

impl UrwRandomScheduler {
    /// A sample of so many executions.
    ///
    /// ```
    /// let _sample = selvedge_shuttle::scheduler::UrwRandomScheduler::new(100);
    /// ```
    pub fn new(max_iterations: usize) -> Self {
        UrwRandomScheduler::new_from_seed(usual_seed(), max_iterations)
    }

    /// A sample with a seed.
    ///
    /// ```
    /// let _sample = selvedge_shuttle::scheduler::UrwRandomScheduler::new_from_seed(7, 100);
    /// ```
    pub fn new_from_seed(seed: u64, max_iterations: usize) -> Self {
        UrwRandomScheduler(Search::Urw { seed, executions: max_iterations as u64 })
    }
}

scheduler! {
    /// Takes a sample by probabilistic concurrency testing.
    ///
    /// ```
    /// let _sample = selvedge_shuttle::scheduler::PctScheduler::new(3, 100);
    /// ```
    PctScheduler
}

impl PctScheduler {
    /// A sample of so many executions. Bugs of several depths are aimed at, whatever `max_depth` is.
    ///
    /// ```
    /// let _sample = selvedge_shuttle::scheduler::PctScheduler::new(3, 100);
    /// ```
    pub fn new(max_depth: usize, max_iterations: usize) -> Self {
        PctScheduler::new_from_seed(usual_seed(), max_depth, max_iterations)
    }

    /// A sample with a seed.
    ///
    /// ```
    /// let _sample = selvedge_shuttle::scheduler::PctScheduler::new_from_seed(7, 3, 100);
    /// ```
    pub fn new_from_seed(seed: u64, _max_depth: usize, max_iterations: usize) -> Self {
        PctScheduler(Search::Pct { seed, executions: max_iterations as u64 })
    }
}

scheduler! {
    /// Performs a few executions in the order in which the explorer begins: threads in the order of their starts.
    ///
    /// ```
    /// let _one = selvedge_shuttle::scheduler::RoundRobinScheduler::new(1);
    /// ```
    RoundRobinScheduler
}

impl RoundRobinScheduler {
    /// So many executions.
    ///
    /// ```
    /// let _one = selvedge_shuttle::scheduler::RoundRobinScheduler::new(1);
    /// ```
    pub fn new(max_iterations: usize) -> Self {
        RoundRobinScheduler(Search::Exhaustive(Some(max_iterations as u64)))
    }
}

impl Default for RoundRobinScheduler {
    fn default() -> Self {
        RoundRobinScheduler::new(1)
    }
}

scheduler! {
    /// Repeats a schedule.
    ///
    /// ```
    /// let _again = selvedge_shuttle::scheduler::ReplayScheduler::new_from_encoded("0x3.1");
    /// ```
    ReplayScheduler
}

impl ReplayScheduler {
    /// Repeats the schedule that a report names.
    ///
    /// ```
    /// let _again = selvedge_shuttle::scheduler::ReplayScheduler::new_from_encoded("0x3.1");
    /// ```
    pub fn new_from_encoded(encoded_schedule: &str) -> Self {
        ReplayScheduler(Search::Replay(encoded_schedule.trim().to_owned()))
    }

    /// Repeats the schedule in a file.
    ///
    /// ```
    /// assert!(selvedge_shuttle::scheduler::ReplayScheduler::new_from_file("no-such-file").is_err());
    /// ```
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn new_from_file<P: AsRef<Path>>(path: P) -> Result<Self, io::Error> {
        Ok(ReplayScheduler::new_from_encoded(&std::fs::read_to_string(path)?))
    }

    /// Repeats a schedule.
    ///
    /// ```
    /// use selvedge_shuttle::scheduler::{ReplayScheduler, Schedule};
    /// let _again = ReplayScheduler::new_from_schedule(Schedule::from("0x3.1"));
    /// ```
    pub fn new_from_schedule(schedule: Schedule) -> Self {
        ReplayScheduler::new_from_encoded(&schedule.0)
    }

    /// Threads go on in their order after the schedule: that is always so here.
    ///
    /// ```
    /// selvedge_shuttle::scheduler::ReplayScheduler::new_from_encoded("0").set_allow_incomplete();
    /// ```
    pub fn set_allow_incomplete(&mut self) {}
}

/// A schedule, as a report names it.
///
/// ```
/// assert!(selvedge_shuttle::scheduler::Schedule::from("").is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule(String);

impl From<&str> for Schedule {
    fn from(text: &str) -> Self {
        Schedule(text.to_owned())
    }
}

impl Schedule {
    /// Whether there is nothing in it.
    ///
    /// ```
    /// assert!(!selvedge_shuttle::scheduler::Schedule::from("0").is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

macro_rules! wrapper {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        #[derive(Clone, Debug)]
        pub struct $name<S>(S);

        impl<S: Scheduler> $name<S> {
            /// The same search.
            ///
            /// ```
            #[doc = concat!("use selvedge_shuttle::scheduler::{RandomScheduler, ", stringify!($name), "};")]
            #[doc = concat!("let _same = ", stringify!($name), "::new(RandomScheduler::new(100));")]
            /// ```
            pub fn new(scheduler: S) -> Self {
                $name(scheduler)
            }
        }

        impl<S: Scheduler> sealed::Describes for $name<S> {
            fn search(&self) -> Description {
                self.0.search()
            }
        }
    };
}

wrapper! {
    /// Looks for closures that are not deterministic; every search does so here.
    ///
    /// ```
    /// use selvedge_shuttle::scheduler::{RandomScheduler, UncontrolledNondeterminismCheckScheduler};
    /// let _same = UncontrolledNondeterminismCheckScheduler::new(RandomScheduler::new(100));
    /// ```
    UncontrolledNondeterminismCheckScheduler
}

wrapper! {
    /// Writes an annotated schedule in shuttle; here nothing is added.
    ///
    /// ```
    /// use selvedge_shuttle::scheduler::{AnnotationScheduler, RandomScheduler};
    /// let _same = AnnotationScheduler::new(RandomScheduler::new(100));
    /// ```
    AnnotationScheduler
}
