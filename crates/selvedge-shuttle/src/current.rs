//! The task that runs. Labels, tags and clocks, which shuttle has for tools, are not here.

use selvedge::thread;

/// A task: a thread of the checked program.
///
/// ```
/// selvedge_shuttle::check_dfs(|| assert_eq!(selvedge_shuttle::current::me(), selvedge_shuttle::current::me()), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TaskId(thread::ThreadId);

/// The task that runs.
///
/// ```
/// use selvedge_shuttle::{current, thread};
/// selvedge_shuttle::check_dfs(|| {
///     let other = thread::spawn(current::me);
///     assert_ne!(other.join().unwrap(), current::me());
/// }, None);
/// ```
///
/// # Panics
/// When nothing is being checked.
pub fn me() -> TaskId {
    TaskId(thread::current().id())
}

/// The task that runs; there always is one.
///
/// ```
/// selvedge_shuttle::check_dfs(|| assert!(selvedge_shuttle::current::get_current_task().is_some()), None);
/// ```
///
/// # Panics
/// When nothing is being checked.
pub fn get_current_task() -> Option<TaskId> {
    Some(me())
}

/// The task that runs, if this code is being checked.
///
/// ```
/// use selvedge_shuttle::current;
/// assert!(current::try_get_current_task().is_none());
/// selvedge_shuttle::check_dfs(|| assert!(current::try_get_current_task().is_some()), None);
/// ```
pub fn try_get_current_task() -> Option<TaskId> {
    selvedge::is_checking().then(me)
}

/// Would let shuttle count steps from here on; the limit of operations here is for all of the execution.
///
/// ```
/// selvedge_shuttle::check_dfs(|| selvedge_shuttle::current::reset_step_count(), None);
/// ```
pub fn reset_step_count() {}
