//! The functions that check a closure.

use crate::config::Config;
use crate::runner::Runner;
use crate::scheduler::{
    DfsScheduler, PctScheduler, RandomScheduler, ReplayScheduler, RoundRobinScheduler, Scheduler,
    UrwRandomScheduler,
};
use std::path::Path;

#[track_caller]
fn run(scheduler: impl Scheduler + 'static, f: impl Fn() + Send + Sync + 'static) {
    Runner::new(scheduler, Config::default()).run(f);
}

/// Performs one execution.
///
/// ```
/// selvedge_shuttle::check(|| { selvedge_shuttle::thread::spawn(|| ()).join().unwrap(); });
/// ```
///
/// # Panics
/// With the report, if something is wrong.
#[track_caller]
pub fn check<F: Fn() + Send + Sync + 'static>(f: F) {
    run(RoundRobinScheduler::new(1), f);
}

/// Explores each trace once, or so many of them.
///
/// ```
/// selvedge_shuttle::check_dfs(|| { selvedge_shuttle::thread::spawn(|| ()).join().unwrap(); }, None);
/// ```
///
/// # Panics
/// With the report, if something is wrong.
#[track_caller]
pub fn check_dfs<F: Fn() + Send + Sync + 'static>(f: F, max_iterations: Option<usize>) {
    run(DfsScheduler::new(max_iterations, false), f);
}

/// Takes a random sample of executions. The seed is that of `SHUTTLE_RANDOM_SEED`, or always the same.
///
/// ```
/// selvedge_shuttle::check_random(|| { selvedge_shuttle::thread::spawn(|| ()).join().unwrap(); }, 10);
/// ```
///
/// # Panics
/// With the report, if something is wrong.
#[track_caller]
pub fn check_random<F: Fn() + Send + Sync + 'static>(f: F, iterations: usize) {
    run(RandomScheduler::new(iterations), f);
}

/// Takes a random sample of executions with a seed.
///
/// ```
/// selvedge_shuttle::check_random_with_seed(|| (), 7, 10);
/// ```
///
/// # Panics
/// With the report, if something is wrong.
#[track_caller]
pub fn check_random_with_seed<F: Fn() + Send + Sync + 'static>(f: F, seed: u64, iterations: usize) {
    run(RandomScheduler::new_from_seed(seed, iterations), f);
}

/// Takes a sample of executions by a uniform random walk.
///
/// ```
/// selvedge_shuttle::check_urw(|| (), 10);
/// ```
///
/// # Panics
/// With the report, if something is wrong.
#[track_caller]
pub fn check_urw<F: Fn() + Send + Sync + 'static>(f: F, iterations: usize) {
    run(UrwRandomScheduler::new(iterations), f);
}

/// Takes a sample of executions by probabilistic concurrency testing. Bugs of several depths are aimed at, whatever `depth` is.
///
/// ```
/// selvedge_shuttle::check_pct(|| (), 10, 3);
/// ```
///
/// # Panics
/// With the report, if something is wrong.
#[track_caller]
pub fn check_pct<F: Fn() + Send + Sync + 'static>(f: F, iterations: usize, depth: usize) {
    run(PctScheduler::new(depth, iterations), f);
}

/// Takes a random sample of executions of a closure that may not be deterministic; that is noticed in every check here.
///
/// ```
/// selvedge_shuttle::check_uncontrolled_nondeterminism(|| (), 10);
/// ```
///
/// # Panics
/// With both histories, if the same decisions lead to different operations.
#[track_caller]
pub fn check_uncontrolled_nondeterminism<F: Fn() + Send + Sync + 'static>(f: F, max_iterations: usize) {
    run(RandomScheduler::new(max_iterations), f);
}

/// Repeats the execution of a schedule that a report names.
///
/// ```
/// selvedge_shuttle::replay(|| { selvedge_shuttle::thread::spawn(|| ()).join().unwrap(); }, "0");
/// ```
///
/// # Panics
/// With the report, if something is wrong; when the text is no schedule, or does not fit the closure.
#[track_caller]
pub fn replay<F: Fn() + Send + Sync + 'static>(f: F, encoded_schedule: &str) {
    run(ReplayScheduler::new_from_encoded(encoded_schedule), f);
}

/// Repeats the execution of a schedule in a file.
///
/// ```should_panic
/// selvedge_shuttle::replay_from_file(|| (), "no-such-file");
/// ```
///
/// # Panics
/// As [`replay`] does, and when there is no such file.
#[track_caller]
pub fn replay_from_file<F: Fn() + Send + Sync + 'static, P: AsRef<Path>>(f: F, path: P) {
    let path = path.as_ref();
    match ReplayScheduler::new_from_file(path) {
        Ok(scheduler) => run(scheduler, f),
        Err(error) => panic!("selvedge: the schedule {} cannot be read: {error}", path.display()),
    }
}
