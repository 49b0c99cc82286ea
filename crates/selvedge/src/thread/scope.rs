//! Scoped threads.

use super::spawn::{Builder, JoinHandle, Thread, body, has_ended, is_at_end, join, start, wait_for_end};
use crate::runtime::fiber::rethrow;
use crate::runtime::names::ThreadCell;
use crate::runtime::{Kind, perform, with};
use std::fmt;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

/// The end of a scope, which waits for each of its threads.
static SCOPE: Kind = Kind::until("scope", has_ended, join).telling();

/// A scope in which threads may borrow, like [`std::thread::Scope`].
///
/// ```
/// use selvedge::thread::{self, Scope};
/// fn start<'scope>(scope: &'scope Scope<'scope, '_>) { scope.spawn(|| {}); }
/// selvedge::check(|| thread::scope(|scope| start(scope)));
/// ```
pub struct Scope<'scope, 'env: 'scope> {
    threads: Arc<Mutex<Vec<(Thread, Joined)>>>,
    owner: selvedge_trace::ThreadId,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// Whether somebody has waited for a thread, and whether it panicked.
#[derive(Clone, Debug, Default)]
struct Joined(Arc<Mutex<Fate>>);

#[derive(Debug, Default)]
struct Fate {
    is_joined: bool,
    panicked: bool,
}

/// Runs a closure that may start threads that borrow, and waits for all of them, like [`std::thread::scope`].
///
/// ```
/// use selvedge::sync::atomic::{AtomicUsize, Ordering};
/// use selvedge::thread;
///
/// selvedge::check(|| {
///     let x = AtomicUsize::new(0);
///     thread::scope(|scope| {
///         scope.spawn(|| x.fetch_add(1, Ordering::Relaxed));
///         scope.spawn(|| x.fetch_add(1, Ordering::Relaxed));
///     });
///     assert_eq!(x.load(Ordering::Relaxed), 2);
/// });
/// ```
///
/// # Panics
/// When the closure panics, or a thread that nobody joined.
#[track_caller]
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let owner = with(|x| selvedge_trace::ThreadId(x.current));
    let scope = Scope { threads: Arc::default(), owner, scope: PhantomData, env: PhantomData };
    let result = {
        // Whatever happens, nobody leaves while a thread may still borrow: not even when the execution is given up.
        let _ends = Ends(&scope.threads);
        catch_unwind(AssertUnwindSafe(|| f(&scope)))
    };
    let panicked = with_threads(&scope.threads, |threads| {
        threads.iter().any(|(_, joined)| joined.0.lock().is_ok_and(|fate| fate.panicked && !fate.is_joined))
    });
    match result {
        Err(payload) => rethrow(payload),
        Ok(_) if panicked => panic!("a scoped thread panicked"),
        Ok(value) => value,
    }
}

type Threads = Mutex<Vec<(Thread, Joined)>>;

fn with_threads<R>(threads: &Threads, look: impl FnOnce(&mut Vec<(Thread, Joined)>) -> R) -> R {
    match threads.lock() {
        Ok(mut threads) => look(&mut threads),
        Err(poisoned) => look(&mut poisoned.into_inner()),
    }
}

/// Waits for all threads of a scope when it is dropped.
struct Ends<'a>(&'a Threads);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        let mut next = 0;
        while let Some(thread) = with_threads(self.0, |threads| threads.get(next).map(|t| t.0.clone())) {
            perform(thread.operation(&SCOPE, ThreadCell::Life));
            next += 1;
        }
    }
}

impl<'scope> Scope<'scope, '_> {
    /// Starts a thread that may borrow what outlives the scope.
    ///
    /// ```
    /// use selvedge::thread;
    /// selvedge::check(|| {
    ///     let words = ["a", "b"];
    ///     thread::scope(|scope| { scope.spawn(|| assert_eq!(words.len(), 2)); });
    /// });
    /// ```
    #[track_caller]
    pub fn spawn<F, T>(&'scope self, f: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        self.start(Builder::new(), f)
    }

    #[track_caller]
    fn start<F, T>(&'scope self, builder: Builder, f: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        let packet = Arc::new(Mutex::new(None));
        let joined = Joined::default();
        let fate = joined.clone();
        let noting = move || {
            let result = catch_unwind(AssertUnwindSafe(f));
            if result.is_err()
                && let Ok(mut fate) = fate.0.lock()
            {
                fate.panicked = true;
            }
            result.unwrap_or_else(|payload| rethrow(payload))
        };
        let owner = self.owner;
        let thread = start(builder, outlive(body(noting, Arc::clone(&packet))));
        with(|x| x.thread(thread.number()).scope_owner = Some(owner));
        with_threads(&self.threads, |threads| threads.push((thread.clone(), joined.clone())));
        ScopedJoinHandle { thread, packet, joined, scope: PhantomData }
    }
}

/// Forgets that a closure borrows from a scope.
#[allow(unsafe_code, reason = "scoped threads need it, in std as well")]
fn outlive<'scope>(body: Box<dyn FnOnce() + 'scope>) -> Box<dyn FnOnce() + 'static> {
    // SAFETY: the closure runs on a fiber that ends, normally or by unwinding, before `scope` returns or unwinds: its
    // guard waits for the ends of all threads. If the execution is given up, the guard, run by the unwinding of
    // the thread that called `scope`, has these fibers unwound before it goes on.
    unsafe { std::mem::transmute(body) }
}

/// The right to wait for the end of a scoped thread, like [`std::thread::ScopedJoinHandle`].
///
/// ```
/// use selvedge::thread::{self, ScopedJoinHandle};
/// selvedge::check(|| {
///     thread::scope(|scope| {
///         let handle: ScopedJoinHandle<i32> = scope.spawn(|| 7);
///         assert_eq!(handle.join().unwrap(), 7);
///     });
/// });
/// ```
pub struct ScopedJoinHandle<'scope, T> {
    thread: Thread,
    packet: Arc<Mutex<Option<super::Result<T>>>>,
    joined: Joined,
    scope: PhantomData<&'scope ()>,
}

impl<T> ScopedJoinHandle<'_, T> {
    /// Waits for the end of the thread.
    ///
    /// ```
    /// use selvedge::thread;
    /// selvedge::check(|| {
    ///     let words = ["a", "b"];
    ///     let length = thread::scope(|scope| scope.spawn(|| words.len()).join().unwrap());
    ///     assert_eq!(length, 2);
    /// });
    /// ```
    ///
    /// # Errors
    /// When it panicked.
    #[track_caller]
    pub fn join(self) -> super::Result<T> {
        wait_for_end(&self.thread);
        if let Ok(mut fate) = self.joined.0.lock() {
            fate.is_joined = true;
        }
        let result = self.packet.lock().ok().and_then(|mut packet| packet.take());
        result.unwrap_or_else(|| Err(Box::new("the thread was given up with its execution")))
    }

    /// The thread.
    ///
    /// ```
    /// use selvedge::thread;
    /// selvedge::check(|| {
    ///     thread::scope(|scope| assert_eq!(scope.spawn(|| ()).thread().name(), None));
    /// });
    /// ```
    pub fn thread(&self) -> &Thread {
        &self.thread
    }

    /// Whether the thread has ended.
    ///
    /// ```
    /// use selvedge::thread;
    /// selvedge::check(|| {
    ///     thread::scope(|scope| {
    ///         let handle = scope.spawn(|| ());
    ///         while !handle.is_finished() {
    ///             thread::yield_now();
    ///         }
    ///     });
    /// });
    /// ```
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        is_at_end(&self.thread)
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").finish_non_exhaustive()
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

impl Builder {
    /// Starts a scoped thread.
    ///
    /// ```
    /// use selvedge::thread;
    /// selvedge::check(|| {
    ///     thread::scope(|scope| {
    ///         let handle = thread::Builder::new().name("helper".to_owned()).spawn_scoped(scope, || 7).unwrap();
    ///         assert_eq!(handle.join().unwrap(), 7);
    ///     });
    /// });
    /// ```
    ///
    /// # Errors
    /// Never.
    #[track_caller]
    pub fn spawn_scoped<'scope, F, T>(
        self,
        scope: &'scope Scope<'scope, '_>,
        f: F,
    ) -> std::io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        Ok(scope.start(self, f))
    }

    /// Starts a thread that may borrow, as std's does.
    ///
    /// ```
    /// use selvedge::thread;
    /// selvedge::check(|| {
    ///     let words = ["a", "b"];
    ///     // SAFETY: it is joined while `words` is alive.
    ///     let counter = unsafe { thread::Builder::new().spawn_unchecked(|| words.len()) };
    ///     assert_eq!(counter.unwrap().join().unwrap(), 2);
    /// });
    /// ```
    ///
    /// # Safety
    /// As in std: the thread must have been joined when something ends from which it borrows.
    ///
    /// # Errors
    /// Never.
    #[track_caller]
    #[allow(unsafe_code, reason = "like std's")]
    pub unsafe fn spawn_unchecked<F, T>(self, f: F) -> std::io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send,
        T: Send,
    {
        let packet = Arc::new(Mutex::new(None));
        // What the caller promises is what the guard of a scope takes care of. If the execution is given up, threads are unwound
        // before those who started them.
        let thread = start(self, outlive(body(f, Arc::clone(&packet))));
        with(|x| x.thread(thread.number()).scope_owner = Some(selvedge_trace::ThreadId(x.current)));
        Ok(JoinHandle::new(thread, packet))
    }
}
