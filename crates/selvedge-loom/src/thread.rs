//! Threads.

pub use selvedge::thread::{
    AccessError, Builder, JoinHandle, LocalKey, Thread, ThreadId, current, panicking, park, yield_now,
};
/// Beside loom's: what std has, for code that uses it.
pub use selvedge::thread::{Scope, ScopedJoinHandle, park_timeout, scope, sleep};

/// Starts a thread. As in loom, neither the closure nor its result need be `Send`.
///
/// ```
/// use std::rc::Rc;
/// selvedge_loom::model(|| {
///     let shared = Rc::new(7);
///     let other = selvedge_loom::thread::spawn({ let shared = Rc::clone(&shared); move || *shared });
///     assert_eq!(other.join().unwrap(), 7);
/// });
/// ```
///
/// # Panics
/// With a message for the user when nothing is being checked.
#[track_caller]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + 'static,
    T: 'static,
{
    selvedge::thread::spawn_local(f)
}
