//! Starting threads and waiting for their ends.

use super::park;
use crate::runtime::execution::ENDED;
use crate::runtime::fiber::{Abandoned, rethrow};
use crate::runtime::memory::Memory;
use crate::runtime::names::ThreadCell;
use crate::runtime::{Kind, Mode, Operation, Outcome, View, perform, with};
use selvedge_trace::AccessKind;
use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

static JOIN: Kind = Kind::until("join", has_ended, join).telling();
static IS_FINISHED: Kind = Kind::plain("is_finished", is_finished);
static END: Kind = Kind::plain("end of thread", end_of_thread);

/// Whether the thread that is waited for has ended.
pub(super) fn has_ended(memory: &Memory, operation: &Operation) -> bool {
    memory.get(operation.at) == ENDED
}

/// Waits for the end of a thread.
pub(super) fn join(view: &mut View, operation: &Operation) -> Outcome {
    view.touch(operation.at, AccessKind::Observe);
    if !has_ended(view.memory, operation) {
        return Outcome::Wait;
    }
    view.acquire_clock(operation.at);
    Outcome::Done(0)
}

/// As a rule a thread ends in the model together with its last operation, because those who join cannot tell. Those who
/// ask whether it has ended can: then its end is an operation.
fn is_finished(view: &mut View, operation: &Operation) -> Outcome {
    let ended = view.read(operation.at) == ENDED;
    if ended {
        view.acquire_clock(operation.at);
    }
    Outcome::Done(u64::from(ended))
}

fn end_of_thread(view: &mut View, operation: &Operation) -> Outcome {
    view.touch(operation.at, AccessKind::Post);
    Outcome::Done(0)
}

/// The end of the present thread, as an operation.
pub(crate) fn end() {
    perform(current().operation(&END, ThreadCell::Life));
}

/// Starts a thread, like [`std::thread::spawn`].
///
/// ```
/// selvedge::check(|| {
///     let handle = selvedge::thread::spawn(|| 7);
///     assert_eq!(handle.join().unwrap(), 7);
/// });
/// ```
///
/// # Panics
/// With a message for the user when nothing is being checked.
#[track_caller]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let packet = Packet::default();
    let thread = start(Builder::default(), body(f, packet.clone()));
    JoinHandle { thread, packet }
}

/// Starts a thread whose closure and result need not be `Send`: all threads of a check run on one thread of the operating
/// system. Code that the real `spawn` would refuse is checked as it is; the threads of std would not run it.
///
/// ```
/// use std::rc::Rc;
/// selvedge::check(|| {
///     let shared = Rc::new(7);
///     let other = selvedge::thread::spawn_local({ let shared = Rc::clone(&shared); move || *shared });
///     assert_eq!(other.join().unwrap(), 7);
/// });
/// ```
///
/// # Panics
/// With a message for the user when nothing is being checked.
#[track_caller]
pub fn spawn_local<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + 'static,
    T: 'static,
{
    let packet = Packet::default();
    let thread = start(Builder::default(), body(f, packet.clone()));
    JoinHandle { thread, packet }
}

/// What a thread leaves for whoever joins it.
pub(super) type Packet<T> = Arc<Mutex<Option<super::Result<T>>>>;

/// The body of a thread: runs the closure and leaves its result. A panic is noted as that of the thread as well.
pub(super) fn body<'a, F, T>(f: F, packet: Packet<T>) -> Box<dyn FnOnce() + 'a>
where
    F: FnOnce() -> T + 'a,
    T: 'a,
{
    Box::new(move || {
        let (result, again) = match catch_unwind(AssertUnwindSafe(f)) {
            Ok(value) => (Ok(value), None),
            Err(payload) if payload.is::<Abandoned>() => (Err(copy(&*payload)), Some(payload)),
            // Whoever joins receives the payload itself, as in std; the end of the thread needs its message.
            Err(payload) => {
                let message = copy(&*payload);
                (Err(payload), Some(message))
            }
        };
        if let Ok(mut packet) = packet.lock() {
            *packet = Some(result);
        }
        drop(packet);
        if let Some(payload) = again {
            rethrow(payload);
        }
    })
}

/// A payload with the same message.
fn copy(payload: &(dyn Any + Send)) -> Box<dyn Any + Send> {
    if let Some(text) = payload.downcast_ref::<&'static str>() {
        return Box::new(*text);
    }
    match payload.downcast_ref::<String>() {
        Some(text) => Box::new(text.clone()),
        None => Box::new("a panic without a message"),
    }
}

/// Hands a thread to the runtime.
#[track_caller]
pub(super) fn start(Builder { name, stack_size }: Builder, body: Box<dyn FnOnce()>) -> Thread {
    let started = with(|x| match x.mode {
        Mode::Running | Mode::Finishing | Mode::Abandoning => {
            Some((x.spawn(name.clone(), stack_size, body), x.epoch))
        }
        Mode::Idle => None,
    });
    let Some((id, epoch)) = started else {
        panic!(
            "selvedge: a thread was started outside of `selvedge::check`: threads of this library work only there"
        )
    };
    Thread { id: ThreadId { id, epoch }, name: name.map(Arc::from) }
}

/// The right to wait for the end of a thread, like [`std::thread::JoinHandle`].
///
/// ```
/// use selvedge::thread::{self, JoinHandle};
/// selvedge::check(|| {
///     let handle: JoinHandle<u8> = thread::spawn(|| 7);
///     assert_eq!(handle.join().unwrap(), 7);
/// });
/// ```
pub struct JoinHandle<T> {
    thread: Thread,
    packet: Packet<T>,
}

impl<T> JoinHandle<T> {
    /// The handle of a thread that was started.
    pub(super) fn new(thread: Thread, packet: Packet<T>) -> JoinHandle<T> {
        JoinHandle { thread, packet }
    }

    /// Waits for the end of the thread.
    ///
    /// ```
    /// use selvedge::thread;
    /// selvedge::check(|| { assert_eq!(thread::spawn(|| 7).join().unwrap(), 7); });
    /// ```
    ///
    /// # Errors
    /// When it panicked. The panic is reported as a failure of the checked program in any case.
    #[track_caller]
    pub fn join(self) -> super::Result<T> {
        wait_for_end(&self.thread);
        let result = self.packet.lock().ok().and_then(|mut packet| packet.take());
        result.unwrap_or_else(|| Err(Box::new("the thread was given up with its execution")))
    }

    /// The thread.
    ///
    /// ```
    /// use selvedge::thread;
    /// selvedge::check(|| { assert_eq!(thread::spawn(|| ()).thread().name(), None); });
    /// ```
    pub fn thread(&self) -> &Thread {
        &self.thread
    }

    /// Whether the thread has ended.
    ///
    /// ```
    /// use selvedge::thread;
    /// selvedge::check(|| {
    ///     let handle = thread::spawn(|| ());
    ///     while !handle.is_finished() {
    ///         thread::yield_now();
    ///     }
    /// });
    /// ```
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        is_at_end(&self.thread)
    }
}

/// Whether a thread has ended, as an operation.
#[track_caller]
pub(super) fn is_at_end(thread: &Thread) -> bool {
    with(|x| x.refute(|assumptions| assumptions.ends_are_observed = true));
    perform(thread.operation(&IS_FINISHED, ThreadCell::Life)) != 0
}

/// Waits for the end of a thread, as an operation.
#[track_caller]
pub(super) fn wait_for_end(thread: &Thread) {
    perform(thread.operation(&JOIN, ThreadCell::Life));
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

/// A thread, like [`std::thread::Thread`].
///
/// ```
/// use selvedge::thread;
/// selvedge::check(|| {
///     let worker = thread::Builder::new().name("worker".to_owned()).spawn(thread::park).unwrap();
///     assert_eq!(worker.thread().name(), Some("worker"));
///     worker.thread().unpark();
///     worker.join().unwrap();
/// });
/// ```
#[derive(Clone)]
pub struct Thread {
    id: ThreadId,
    name: Option<Arc<str>>,
}

impl Thread {
    /// The name that was given with [`Builder::name`]; that of the main closure is `main`.
    ///
    /// ```
    /// use selvedge::thread;
    /// selvedge::check(|| { assert_eq!(thread::current().name(), Some("main")); });
    /// ```
    pub fn name(&self) -> Option<&str> {
        match (self.id.id.0, &self.name) {
            (0, None) => Some("main"),
            (_, name) => name.as_deref(),
        }
    }

    /// The identity of the thread.
    ///
    /// ```
    /// use selvedge::thread;
    /// selvedge::check(|| {
    ///     assert_ne!(thread::spawn(|| ()).thread().id(), thread::current().id());
    /// });
    /// ```
    pub fn id(&self) -> ThreadId {
        self.id
    }

    /// Lets the next or present [`park`](super::park()) of the thread return.
    ///
    /// ```
    /// use selvedge::thread;
    /// selvedge::check(|| {
    ///     let waiter = thread::spawn(thread::park);
    ///     waiter.thread().unpark();
    ///     waiter.join().unwrap();
    /// });
    /// ```
    #[track_caller]
    pub fn unpark(&self) {
        perform(self.operation(&park::UNPARK, ThreadCell::Token));
    }

    /// Its number in the explorer.
    pub(super) fn number(&self) -> selvedge_trace::ThreadId {
        self.id.id
    }

    /// An operation on a cell of the thread.
    #[track_caller]
    pub(super) fn operation(&self, kind: &'static Kind, cell: ThreadCell) -> Operation {
        let place = std::panic::Location::caller();
        let at = with(|x| x.names.cell(self.id.id, cell));
        Operation { epoch: self.id.epoch, place, ..Operation::on(kind, at) }
    }
}

impl fmt::Debug for Thread {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Thread")
            .field("id", &self.id.id.0)
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}

/// The identity of a thread, the same in all executions.
///
/// ```
/// use selvedge::thread;
/// selvedge::check(|| {
///     let other = thread::spawn(|| thread::current().id());
///     let id = other.thread().id();
///     assert_eq!(other.join().unwrap(), id);
///     assert_ne!(thread::current().id(), id);
/// });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ThreadId {
    id: selvedge_trace::ThreadId,
    epoch: u32,
}

impl fmt::Debug for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "ThreadId({})", self.id.0 + 1)
    }
}

/// The present thread, like [`std::thread::current`].
///
/// ```
/// selvedge::check(|| assert_eq!(selvedge::thread::current().name(), Some("main")));
/// ```
pub fn current() -> Thread {
    with(|x| {
        let (id, epoch) = (selvedge_trace::ThreadId(x.current), x.epoch);
        let name = match x.mode {
            Mode::Idle => None,
            Mode::Running | Mode::Finishing | Mode::Abandoning => x.this_thread().name.clone(),
        };
        Thread { id: ThreadId { id, epoch }, name: name.map(Arc::from) }
    })
}

/// Starts threads with names, like [`std::thread::Builder`].
///
/// ```
/// use selvedge::thread;
/// selvedge::check(|| {
///     let handle = thread::Builder::new().name("reader".to_owned()).spawn(|| 1).unwrap();
///     assert_eq!(handle.join().unwrap(), 1);
/// });
/// ```
#[derive(Debug, Default)]
pub struct Builder {
    name: Option<String>,
    stack_size: Option<usize>,
}

impl Builder {
    /// A builder of threads without a name.
    ///
    /// ```
    /// use selvedge::thread;
    /// selvedge::check(|| { assert!(thread::Builder::new().spawn(|| ()).is_ok()); });
    /// ```
    pub fn new() -> Builder {
        Builder::default()
    }

    /// Names the thread; reports show it.
    ///
    /// ```
    /// use selvedge::thread;
    /// selvedge::check(|| {
    ///     let handle = thread::Builder::new().name("reader".to_owned()).spawn(|| ()).unwrap();
    ///     assert_eq!(handle.thread().name(), Some("reader"));
    /// });
    /// ```
    #[must_use]
    pub fn name(mut self, name: String) -> Builder {
        self.name = Some(name);
        self
    }

    /// The size of the thread's stack in bytes; 2 MiB unless set here or by [`Checker::stack_size`](crate::Checker::stack_size).
    ///
    /// ```
    /// use selvedge::thread;
    /// selvedge::check(|| {
    ///     assert!(thread::Builder::new().stack_size(1 << 16).spawn(|| ()).is_ok());
    /// });
    /// ```
    #[must_use]
    pub fn stack_size(mut self, size: usize) -> Builder {
        self.stack_size = Some(size);
        self
    }

    /// Starts a thread.
    ///
    /// ```
    /// use selvedge::thread;
    /// selvedge::check(|| {
    ///     assert_eq!(thread::Builder::new().spawn(|| 7).unwrap().join().unwrap(), 7);
    /// });
    /// ```
    ///
    /// # Errors
    /// Never.
    ///
    /// # Panics
    /// With a message for the user when nothing is being checked.
    #[track_caller]
    pub fn spawn<F, T>(self, f: F) -> std::io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let packet = Packet::default();
        let thread = start(self, body(f, packet.clone()));
        Ok(JoinHandle { thread, packet })
    }
}
