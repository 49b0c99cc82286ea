//! Futures: tasks on threads of their own, which can be aborted.

use selvedge::sync::{Arc, Mutex, MutexGuard, PoisonError};
use selvedge::thread;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

pub use selvedge::future::{block_on, yield_now};

/// What is known of a task, whatever its result.
#[derive(Default)]
struct Status {
    is_aborted: bool,
    is_finished: bool,
    /// Who waits for the end of the task.
    waiting: Option<Waker>,
    /// The waker of the task itself.
    task: Option<Waker>,
}

struct Control(Mutex<Status>);

impl Control {
    #[track_caller]
    fn status(&self) -> MutexGuard<'_, Status> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[track_caller]
    fn abort(&self) {
        let task = {
            let mut status = self.status();
            status.is_aborted = true;
            status.task.take()
        };
        if let Some(task) = task {
            task.wake();
        }
    }

    /// The task has ended.
    fn finish(&self) {
        let waiting = {
            let mut status = self.status();
            status.is_finished = true;
            status.task = None;
            status.waiting.take()
        };
        if let Some(waiting) = waiting {
            waiting.wake();
        }
    }
}

/// What a task and its handle share.
struct Shared<T> {
    control: Arc<Control>,
    /// Set before the task is finished and taken afterwards, so that no order of threads depends on this mutex.
    result: std::sync::Mutex<Option<Result<T, JoinError>>>,
}

impl<T> Shared<T> {
    fn exchange(&self, result: Option<Result<T, JoinError>>) -> Option<Result<T, JoinError>> {
        let mut present = self.result.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *present, result)
    }
}

/// Starts a task.
///
/// ```
/// use selvedge_shuttle::future;
/// selvedge_shuttle::check_dfs(|| {
///     let task = future::spawn(async { 5 });
///     assert_eq!(future::block_on(task).unwrap(), 5);
/// }, None);
/// ```
///
/// # Panics
/// When nothing is being checked.
#[track_caller]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    spawn_local(future)
}

/// Starts a task that need not be `Send`.
///
/// ```
/// use selvedge_shuttle::future;
/// use std::rc::Rc;
/// selvedge_shuttle::check_dfs(|| {
///     let seven = Rc::new(7);
///     let task = future::spawn_local(async move { *seven });
///     assert_eq!(future::block_on(task).unwrap(), 7);
/// }, None);
/// ```
///
/// # Panics
/// When nothing is being checked.
#[track_caller]
pub fn spawn_local<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + 'static,
    F::Output: 'static,
{
    let control = Arc::new(Control(Mutex::new(Status::default())));
    let shared = Arc::new(Shared { control, result: std::sync::Mutex::new(None) });
    let of_task = Arc::clone(&shared);
    thread::spawn_local(move || {
        let mut future = Box::pin(future);
        let result = block_on(std::future::poll_fn(|context| {
            {
                let mut status = of_task.control.status();
                if status.is_aborted {
                    return Poll::Ready(Err(JoinError::Cancelled));
                }
                status.task = Some(context.waker().clone());
            }
            future.as_mut().poll(context).map(Ok)
        }));
        // What the future owns is dropped before anybody learns that it has ended.
        drop(future);
        of_task.exchange(Some(result));
        of_task.control.finish();
    });
    JoinHandle { shared }
}

/// The right to wait for the end of a task, or to abort it. A task whose handle is dropped goes on.
///
/// ```
/// use selvedge_shuttle::future::{self, JoinHandle};
/// selvedge_shuttle::check_dfs(|| {
///     let task: JoinHandle<u8> = future::spawn(async { 5 });
///     assert_eq!(future::block_on(task), Ok(5));
/// }, None);
/// ```
pub struct JoinHandle<T> {
    shared: Arc<Shared<T>>,
}

impl<T> JoinHandle<T> {
    /// Ends the task where it next waits.
    ///
    /// ```
    /// use selvedge_shuttle::future;
    /// selvedge_shuttle::check_dfs(|| {
    ///     let task = future::spawn(std::future::pending::<()>());
    ///     task.abort();
    ///     assert!(future::block_on(task).is_err());
    /// }, None);
    /// ```
    #[track_caller]
    pub fn abort(&self) {
        self.shared.control.abort();
    }

    /// Whether the task has ended.
    ///
    /// ```
    /// use selvedge_shuttle::future;
    /// selvedge_shuttle::check_dfs(|| {
    ///     let task = future::spawn(async {});
    ///     let _either = task.is_finished();
    /// }, None);
    /// ```
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        self.shared.control.status().is_finished
    }

    /// A handle that can abort the task, but not wait for it.
    ///
    /// ```
    /// use selvedge_shuttle::future;
    /// selvedge_shuttle::check_dfs(|| {
    ///     let task = future::spawn(std::future::pending::<()>());
    ///     task.abort_handle().abort();
    ///     assert!(future::block_on(task).is_err());
    /// }, None);
    /// ```
    #[track_caller]
    pub fn abort_handle(&self) -> AbortHandle {
        AbortHandle { control: Arc::clone(&self.shared.control) }
    }
}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    #[track_caller]
    fn poll(self: Pin<&mut Self>, context: &mut Context) -> Poll<Self::Output> {
        let mut status = self.shared.control.status();
        let result = if status.is_finished { self.shared.exchange(None) } else { None };
        match result {
            Some(result) => Poll::Ready(result),
            None => {
                status.waiting = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

/// A handle that can abort a task.
///
/// ```
/// use selvedge_shuttle::future::{self, AbortHandle};
/// selvedge_shuttle::check_dfs(|| {
///     let task = future::spawn(async {});
///     let handle: AbortHandle = task.abort_handle();
///     handle.abort();
///     let _ended_or_aborted = future::block_on(task);
///     assert!(handle.is_finished());
/// }, None);
/// ```
#[derive(Clone)]
pub struct AbortHandle {
    control: Arc<Control>,
}

impl AbortHandle {
    /// Ends the task where it next waits.
    ///
    /// ```
    /// use selvedge_shuttle::future;
    /// selvedge_shuttle::check_dfs(|| future::spawn(async {}).abort_handle().abort(), None);
    /// ```
    #[track_caller]
    pub fn abort(&self) {
        self.control.abort();
    }

    /// Whether the task has ended.
    ///
    /// ```
    /// use selvedge_shuttle::future;
    /// selvedge_shuttle::check_dfs(|| { let _either = future::spawn(async {}).abort_handle().is_finished(); }, None);
    /// ```
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        self.control.status().is_finished
    }
}

impl fmt::Debug for AbortHandle {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("AbortHandle").finish_non_exhaustive()
    }
}

/// Why a task has no result.
///
/// ```
/// assert_eq!(selvedge_shuttle::future::JoinError::Cancelled.to_string(), "the task was aborted");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinError {
    /// It was aborted.
    Cancelled,
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the task was aborted")
    }
}

impl std::error::Error for JoinError {}
