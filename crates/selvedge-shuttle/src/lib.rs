//! The names of shuttle 0.9 for `selvedge`: tests that were written for shuttle run with one changed line in `Cargo.toml`.
//!
//! `shuttle = { package = "selvedge-shuttle", … }` is that line. [`check_dfs`] explores each Mazurkiewicz trace once, where shuttle's explores
//! every interleaving; [`check_random`] and [`check_pct`] take samples; [`replay`] repeats a schedule that a report names. Schedulers of one's
//! own are not possible: those of [`scheduler`] say what a [`Runner`] is to explore. The guide is `docs/from-shuttle.md` in the repository.
//!
//! ```
//! use selvedge_shuttle as shuttle;
//! use shuttle::sync::{Arc, Mutex};
//!
//! shuttle::check_dfs(|| {
//!     let x = Arc::new(Mutex::new(0));
//!     let other = shuttle::thread::spawn({ let x = x.clone(); move || *x.lock().unwrap() += 1 });
//!     *x.lock().unwrap() += 1;
//!     other.join().unwrap();
//!     assert_eq!(*x.lock().unwrap(), 2);
//! }, None);
//! ```

pub mod check;
pub mod config;
pub mod current;
pub mod future;
pub mod lazy_static;
pub mod rand;
pub mod runner;
pub mod scheduler;
pub mod sync;

pub use check::{
    check, check_dfs, check_pct, check_random, check_random_with_seed, check_uncontrolled_nondeterminism,
    check_urw, replay, replay_from_file,
};
pub use config::{
    Config, ContinuationFunctionBehavior, FailurePersistence, MaxSteps, UngracefulShutdownConfig,
};
pub use runner::{PortfolioRunner, Runner};
pub use selvedge::{hint, lazy_static, thread, thread_local};

/// The variable by which shuttle writes an annotated schedule. It has no effect here.
pub const ANNOTATION_FILE: &str = "SHUTTLE_ANNOTATION_FILE";
/// The variable by which shuttle captures backtraces. It has no effect here: reports name places in the source.
pub const CAPTURE_BACKTRACE: &str = "SHUTTLE_CAPTURE_BACKTRACE";
/// The variable by which shuttle is silent about warnings. It has no effect here.
pub const SILENCE_WARNINGS: &str = "SHUTTLE_SILENCE_WARNINGS";
