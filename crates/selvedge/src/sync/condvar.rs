//! The condition variable.
//!
//! Waiting frees the mutex and notes who waits; going on takes the mutex again, after a notification has been posted. Which
//! of several waiters a notification wakes is a choice, and all are explored. One that finds nobody is a read.

use super::mutex::{Mutex, MutexGuard, free, take};
use super::woken::{self, Wakeups};
use crate::name::Named;
use crate::runtime::names::ThreadCell;
use crate::runtime::{Alternatives, Kind, Object, Operation, Outcome, Tells, View, Waits, perform};
use selvedge_trace::{AccessKind, LocationId, ThreadId};
use std::fmt;
use std::sync::{LockResult, PoisonError};
use std::time::Duration;

static WAIT: Kind = Kind::plain("wait", begin_wait).telling();
static WAKE: Kind = Kind { tells: Tells::AllUnlessSpurious, ..Kind::waiting("wait", end_wait) };
static WAKE_TIMEOUT: Kind = Kind::waiting("wait_timeout", end_timeout);
static NOTIFY_ONE: Kind = Kind {
    alternatives: Alternatives::Several,
    waits: Waits::Never,
    ..Kind::plain("notify_one", notify_one).telling()
};
static NOTIFY_ALL: Kind = Kind::plain("notify_all", notify_all).telling();

/// Frees the mutex, which is `also`, and waits for the condition variable.
fn begin_wait(view: &mut View, operation: &Operation) -> Outcome {
    free(view, LocationId(operation.also), operation.a != 0);
    view.touch(operation.at, AccessKind::Write);
    let waiting = view.cell(view.thread, ThreadCell::Waiting);
    view.memory.set(waiting, u64::from(operation.at.0) + 1);
    Outcome::Done(0)
}

/// Whether a thread comes to wait for a condition variable, with the mutex.
pub(crate) fn begins_to_wait(operation: &Operation) -> bool {
    std::ptr::eq(operation.kind, &WAIT)
}

/// Takes the mutex again after a notification.
fn end_wait(view: &mut View, operation: &Operation) -> Outcome {
    if view.semantics.spurious_wakeups {
        woken::note(Wakeups::Spurious);
        return end_timeout(view, operation);
    }
    woken::note(Wakeups::Notified);
    let waiting = view.cell(view.thread, ThreadCell::Waiting);
    if view.memory.get(waiting) != 0 {
        return Outcome::Wait;
    }
    view.touch(waiting, AccessKind::Observe);
    take(view, LocationId(operation.also))
}

/// The same, or the time is up; the result is 1 for the latter. It does not wait for the notification, so it races with
/// it; what it waits for besides the mutex depends on the state.
fn end_timeout(view: &mut View, operation: &Operation) -> Outcome {
    let waiting = view.cell(view.thread, ThreadCell::Waiting);
    let is_notified = view.memory.get(waiting) == 0;
    view.varies();
    match is_notified {
        true => view.touch(waiting, AccessKind::Read),
        false => view.touch(operation.at, AccessKind::Write),
    }
    let outcome = take(view, LocationId(operation.also));
    view.guarded();
    match outcome {
        Outcome::Wait => Outcome::Wait,
        Outcome::Done(_) => {
            if !is_notified {
                view.memory.set(waiting, 0);
            }
            Outcome::Done(u64::from(!is_notified))
        }
    }
}

/// The `n`-th thread, and the number of threads, that wait for a location.
pub(super) fn waiter(view: &View, at: LocationId, n: u32) -> (Option<ThreadId>, u32) {
    let waits = |t: &ThreadId| view.memory.get(view.cell(*t, ThreadCell::Waiting)) == u64::from(at.0) + 1;
    let threads = (0..view.names.thread_count()).map(ThreadId::at).filter(waits);
    (threads.clone().nth(n as usize), threads.count() as u32)
}

fn wake(view: &mut View, thread: ThreadId) {
    let waiting = view.cell(thread, ThreadCell::Waiting);
    view.touch(waiting, AccessKind::Post);
    view.memory.set(waiting, 0);
}

fn notify_one(view: &mut View, operation: &Operation) -> Outcome {
    view.varies();
    let (chosen, count) = waiter(view, operation.at, view.choice);
    view.alternatives = count.max(1);
    match chosen {
        Some(thread) => {
            view.touch(operation.at, AccessKind::Write);
            wake(view, thread);
        }
        None => view.touch(operation.at, AccessKind::Read),
    }
    Outcome::Done(u64::from(count))
}

fn notify_all(view: &mut View, operation: &Operation) -> Outcome {
    view.varies();
    view.touch(operation.at, AccessKind::Read);
    let mut woken = 0;
    while let (Some(thread), _) = waiter(view, operation.at, 0) {
        view.touch(operation.at, AccessKind::Write);
        wake(view, thread);
        woken += 1;
    }
    Outcome::Done(woken)
}

/// A condition variable, like [`std::sync::Condvar`]. It does not wake up without a reason unless
/// [`Checker::spurious_wakeups`](crate::Checker::spurious_wakeups) says so.
///
/// ```
/// use selvedge::sync::{Arc, Condvar, Mutex};
/// use selvedge::thread;
///
/// selvedge::check(|| {
///     let pair = Arc::new((Mutex::new(false), Condvar::new()));
///     let other = thread::spawn({
///         let pair = pair.clone();
///         move || {
///             *pair.0.lock().unwrap() = true;
///             pair.1.notify_one();
///         }
///     });
///     let mut ready = pair.0.lock().unwrap();
///     while !*ready {
///         ready = pair.1.wait(ready).unwrap();
///     }
///     drop(ready);
///     other.join().unwrap();
/// });
/// ```
pub struct Condvar {
    object: Object,
}

impl Condvar {
    /// A condition variable for which nobody waits.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Condvar, Mutex};
    /// use std::time::Duration;
    /// selvedge::check(|| { Condvar::new().notify_all(); });
    /// ```
    #[track_caller]
    pub fn new() -> Condvar {
        Condvar { object: Object::with_locations("Condvar", &[0]) }
    }

    /// Frees the mutex, waits for a notification, and takes the mutex again.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Condvar, Mutex};
    /// use std::time::Duration;
    /// selvedge::check(|| {
    ///     let pair = Arc::new((Mutex::new(false), Condvar::new()));
    ///     let other = pair.clone();
    ///     let worker = selvedge::thread::spawn(move || {
    ///         *other.0.lock().unwrap() = true;
    ///         other.1.notify_one();
    ///     });
    ///     let mut ready = pair.0.lock().unwrap();
    ///     while !*ready {
    ///         ready = pair.1.wait(ready).unwrap();
    ///     }
    ///     drop(ready);
    ///     worker.join().unwrap();
    /// });
    /// ```
    ///
    /// # Errors
    /// With the guard, when the mutex is poisoned.
    #[track_caller]
    pub fn wait<'a, T: ?Sized>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let (mutex, _) = self.wait_as(guard, &WAKE);
        mutex.guard()
    }

    /// Waits while the condition holds.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Condvar, Mutex};
    /// use std::time::Duration;
    /// selvedge::check(|| {
    ///     let pair = Arc::new((Mutex::new(false), Condvar::new()));
    ///     let other = pair.clone();
    ///     let worker = selvedge::thread::spawn(move || {
    ///         *other.0.lock().unwrap() = true;
    ///         other.1.notify_one();
    ///     });
    ///     drop(pair.1.wait_while(pair.0.lock().unwrap(), |ready| !*ready).unwrap());
    ///     worker.join().unwrap();
    /// });
    /// ```
    ///
    /// # Errors
    /// With the guard, when the mutex is poisoned.
    #[track_caller]
    pub fn wait_while<'a, T: ?Sized>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<MutexGuard<'a, T>> {
        while condition(&mut guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// Waits for a notification, or until the time is up: both are explored.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Condvar, Mutex};
    /// use std::time::Duration;
    /// selvedge::check(|| {
    ///     let (mutex, condvar) = (Mutex::new(()), Condvar::new());
    ///     let (_guard, result) = condvar.wait_timeout(mutex.lock().unwrap(), Duration::from_secs(1)).unwrap();
    ///     assert!(result.timed_out());
    /// });
    /// ```
    ///
    /// # Errors
    /// With the guard, when the mutex is poisoned.
    #[track_caller]
    pub fn wait_timeout<'a, T: ?Sized>(
        &self,
        guard: MutexGuard<'a, T>,
        _duration: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let (mutex, timed_out) = self.wait_as(guard, &WAKE_TIMEOUT);
        let result = WaitTimeoutResult(timed_out != 0);
        match mutex.guard() {
            Ok(guard) => Ok((guard, result)),
            Err(poisoned) => Err(PoisonError::new((poisoned.into_inner(), result))),
        }
    }

    /// The same with a number of milliseconds.
    ///
    /// ```
    /// use selvedge::sync::{Condvar, Mutex};
    /// selvedge::check(|| {
    ///     let mutex = Mutex::new(());
    ///     # #[allow(deprecated)]
    ///     let (_guard, notified) = Condvar::new().wait_timeout_ms(mutex.lock().unwrap(), 1).unwrap();
    ///     assert!(!notified);
    /// });
    /// ```
    ///
    /// # Errors
    /// With the guard, when the mutex is poisoned.
    #[track_caller]
    #[deprecated(note = "as in std: use `wait_timeout`")]
    pub fn wait_timeout_ms<'a, T: ?Sized>(
        &self,
        guard: MutexGuard<'a, T>,
        milliseconds: u32,
    ) -> LockResult<(MutexGuard<'a, T>, bool)> {
        match self.wait_timeout(guard, Duration::from_millis(u64::from(milliseconds))) {
            Ok((guard, result)) => Ok((guard, !result.timed_out())),
            Err(poisoned) => {
                let (guard, result) = poisoned.into_inner();
                Err(PoisonError::new((guard, !result.timed_out())))
            }
        }
    }

    /// Waits while the condition holds, or until the time is up.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Condvar, Mutex};
    /// use std::time::Duration;
    /// selvedge::check(|| {
    ///     let (mutex, condvar) = (Mutex::new(5), Condvar::new());
    ///     let guard = mutex.lock().unwrap();
    ///     let (_, result) = condvar.wait_timeout_while(guard, Duration::from_secs(1), |n| *n == 5).unwrap();
    ///     assert!(result.timed_out());
    /// });
    /// ```
    ///
    /// # Errors
    /// With the guard, when the mutex is poisoned.
    #[track_caller]
    pub fn wait_timeout_while<'a, T: ?Sized>(
        &self,
        mut guard: MutexGuard<'a, T>,
        duration: Duration,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        loop {
            if !condition(&mut guard) {
                return Ok((guard, WaitTimeoutResult(false)));
            }
            let (again, result) = self.wait_timeout(guard, duration)?;
            guard = again;
            if result.timed_out() {
                let still = condition(&mut guard);
                return Ok((guard, WaitTimeoutResult(still)));
            }
        }
    }

    #[track_caller]
    fn wait_as<'a, T: ?Sized>(&self, guard: MutexGuard<'a, T>, kind: &'static Kind) -> (&'a Mutex<T>, u64) {
        let (mutex, changed) = guard.into_mutex();
        let also = mutex.location().0;
        let begin = self.object.operation(&WAIT);
        perform(Operation { also, a: changed, ..begin });
        let end = self.object.operation(kind);
        let result = perform(Operation { also, ..end });
        (mutex, result)
    }

    /// Wakes one of those who wait.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Condvar, Mutex};
    /// use std::time::Duration;
    /// selvedge::check(|| {
    ///     let pair = Arc::new((Mutex::new(false), Condvar::new()));
    ///     let other = pair.clone();
    ///     let worker = selvedge::thread::spawn(move || {
    ///         *other.0.lock().unwrap() = true;
    ///         other.1.notify_one();
    ///     });
    ///     let mut ready = pair.0.lock().unwrap();
    ///     while !*ready {
    ///         ready = pair.1.wait(ready).unwrap();
    ///     }
    ///     drop(ready);
    ///     worker.join().unwrap();
    /// });
    /// ```
    #[track_caller]
    pub fn notify_one(&self) {
        perform(self.object.operation(&NOTIFY_ONE));
    }

    /// Wakes all who wait.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Condvar, Mutex};
    /// use std::time::Duration;
    /// selvedge::check(|| {
    ///     let pair = Arc::new((Mutex::new(false), Condvar::new()));
    ///     let other = pair.clone();
    ///     let worker = selvedge::thread::spawn(move || {
    ///         *other.0.lock().unwrap() = true;
    ///         other.1.notify_all();
    ///     });
    ///     let mut ready = pair.0.lock().unwrap();
    ///     while !*ready {
    ///         ready = pair.1.wait(ready).unwrap();
    ///     }
    ///     drop(ready);
    ///     worker.join().unwrap();
    /// });
    /// ```
    #[track_caller]
    pub fn notify_all(&self) {
        perform(self.object.operation(&NOTIFY_ALL));
    }
}

impl Default for Condvar {
    #[track_caller]
    fn default() -> Self {
        Condvar::new()
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Condvar").finish_non_exhaustive()
    }
}

impl Named for Condvar {
    fn object(&self) -> Object {
        self.object
    }
}

/// Whether a wait ended because the time was up.
///
/// ```
/// use selvedge::sync::{Condvar, Mutex};
/// use std::time::Duration;
/// selvedge::check(|| {
///     let mutex = Mutex::new(());
///     let (_guard, result) = Condvar::new().wait_timeout(mutex.lock().unwrap(), Duration::ZERO).unwrap();
///     assert!(result.timed_out());
/// });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Whether the time was up.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Condvar, Mutex};
    /// use std::time::Duration;
    /// selvedge::check(|| {
    ///     let (mutex, condvar) = (Mutex::new(()), Condvar::new());
    ///     let (_guard, result) = condvar.wait_timeout(mutex.lock().unwrap(), Duration::from_secs(1)).unwrap();
    ///     assert!(result.timed_out());
    /// });
    /// ```
    pub fn timed_out(&self) -> bool {
        self.0
    }
}
