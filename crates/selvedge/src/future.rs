//! Futures: an executor for checked programs.
//!
//! [`block_on`] runs a future on the present thread; [`spawn`] runs one on a thread of its own, so that tasks are interleaved
//! like those of an executor with many workers. A task that is not woken waits: a lost wake-up is a deadlock.
//!
//! ```
//! use selvedge::future;
//! selvedge::check(|| {
//!     let sum = future::block_on(async {
//!         let other = future::spawn(async { 2 });
//!         other.await + 1
//!     });
//!     assert_eq!(sum, 3);
//! });
//! ```

mod atomic_waker;

pub use atomic_waker::AtomicWaker;

use crate::runtime::object::show_number;
use crate::runtime::{Kind, Object, Operation, Outcome, View, perform, perform_at_drop};
use crate::thread;
use selvedge_trace::AccessKind;
use std::fmt;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

static WAIT: Kind = Kind::waiting("block_on", wait);
static WAKE: Kind = Kind::plain("wake", wake);
static FINISH: Kind = Kind::plain("end of task", finish);
static ASK: Kind = Kind::plain("poll", ask);

/// Waits until the task is woken.
pub(crate) fn wait(view: &mut View, operation: &Operation) -> Outcome {
    view.guarded();
    view.touch(operation.at, AccessKind::Write);
    if view.memory.get(operation.at) == 0 {
        return Outcome::Wait;
    }
    view.memory.set(operation.at, 0);
    view.acquire_clock(operation.at);
    Outcome::Done(0)
}

pub(crate) fn wake(view: &mut View, operation: &Operation) -> Outcome {
    view.write(operation.at, 1);
    view.release_clock(operation.at);
    Outcome::Done(0)
}

fn finish(view: &mut View, operation: &Operation) -> Outcome {
    wake(view, operation)
}

fn ask(view: &mut View, operation: &Operation) -> Outcome {
    let done = view.read(operation.at);
    if done != 0 {
        view.acquire_clock(operation.at);
    }
    Outcome::Done(done)
}

/// Whether a task was woken.
struct Signal {
    object: Object,
}

impl Wake for Signal {
    #[track_caller]
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    #[track_caller]
    fn wake_by_ref(self: &Arc<Self>) {
        perform_at_drop(self.object.operation(&WAKE));
    }
}

/// Runs a future to its end on the present thread.
///
/// ```
/// selvedge::check(|| assert_eq!(selvedge::future::block_on(async { 7 }), 7));
/// ```
#[track_caller]
pub fn block_on<F: Future>(future: F) -> F::Output {
    let signal = Arc::new(Signal { object: Object::new("task", 0, show_number) });
    let waker = Waker::from(Arc::clone(&signal));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        perform(signal.object.operation(&WAIT));
    }
}

/// Starts a task: a future that runs on its own.
///
/// ```
/// use selvedge::future;
/// selvedge::check(|| {
///     let task = future::spawn(async { 5 });
///     assert_eq!(future::block_on(task), 5);
/// });
/// ```
#[track_caller]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let task = Arc::new(Task { object: Object::new("task", 0, show_number), state: Mutex::default() });
    let ends = Arc::clone(&task);
    thread::spawn(move || {
        let output = block_on(future);
        let object = ends.object;
        ends.with(|state| state.output = Some(output));
        perform(object.operation(&FINISH));
        if let Some(waker) = ends.with(|state| state.waker.take()) {
            waker.wake();
        }
    });
    JoinHandle { task }
}

/// What a task and those who wait for it share.
struct Task<T> {
    object: Object,
    state: Mutex<State<T>>,
}

struct State<T> {
    output: Option<T>,
    waker: Option<Waker>,
}

impl<T> Default for State<T> {
    fn default() -> Self {
        State { output: None, waker: None }
    }
}

impl<T> Task<T> {
    fn with<R>(&self, look: impl FnOnce(&mut State<T>) -> R) -> R {
        match self.state.lock() {
            Ok(mut state) => look(&mut state),
            Err(poisoned) => look(&mut poisoned.into_inner()),
        }
    }
}

/// The right to wait for the end of a task: a future with its output.
///
/// ```
/// use selvedge::future::{self, JoinHandle};
/// selvedge::check(|| {
///     let task: JoinHandle<u8> = future::spawn(async { 5 });
///     assert_eq!(future::block_on(task), 5);
/// });
/// ```
pub struct JoinHandle<T> {
    task: Arc<Task<T>>,
}

impl<T> Future for JoinHandle<T> {
    type Output = T;

    #[track_caller]
    fn poll(self: Pin<&mut Self>, context: &mut Context) -> Poll<T> {
        let is_done = perform(self.task.object.operation(&ASK)) != 0;
        // What follows belongs to the same step: the task cannot end in between.
        self.task.with(|state| match state.output.take() {
            Some(output) if is_done => Poll::Ready(output),
            output => {
                state.output = output;
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
        })
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

/// Lets other tasks go first, once.
///
/// ```
/// selvedge::check(|| selvedge::future::block_on(selvedge::future::yield_now()));
/// ```
pub async fn yield_now() {
    let mut yielded = false;
    std::future::poll_fn(|context| match std::mem::replace(&mut yielded, true) {
        true => Poll::Ready(()),
        false => {
            context.waker().wake_by_ref();
            Poll::Pending
        }
    })
    .await;
}
