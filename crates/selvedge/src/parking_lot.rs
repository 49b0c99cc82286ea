//! Locks with the names of the crate `parking_lot`: no poisoning, and guards that a condition variable borrows.
//!
//! Fairness, timed locks, upgradable reads and mapped guards are not here. `Condvar::notify_one` and `notify_all` do not tell whether a thread
//! was woken.

use crate::sync;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{PoisonError, TryLockError};
use std::time::{Duration, Instant};

pub use crate::sync::Once;

/// A mutex without poisoning, like `parking_lot::Mutex`.
///
/// ```
/// use selvedge::parking_lot::Mutex;
/// use selvedge::{sync::Arc, thread};
/// selvedge::check(|| {
///     let total = Arc::new(Mutex::new(0));
///     let other = thread::spawn({ let total = total.clone(); move || *total.lock() += 1 });
///     *total.lock() += 1;
///     other.join().unwrap();
///     assert_eq!(*total.lock(), 2);
/// });
/// ```
#[derive(Debug, Default)]
pub struct Mutex<T: ?Sized> {
    lock: sync::Mutex<T>,
}

impl<T> Mutex<T> {
    /// A mutex that is free.
    ///
    /// ```
    /// selvedge::check(|| assert_eq!(selvedge::parking_lot::Mutex::new(1).into_inner(), 1));
    /// ```
    #[track_caller]
    pub fn new(content: T) -> Mutex<T> {
        Mutex { lock: sync::Mutex::new(content) }
    }

    /// The content, at the end of the mutex's life.
    ///
    /// ```
    /// selvedge::check(|| assert_eq!(selvedge::parking_lot::Mutex::new(1).into_inner(), 1));
    /// ```
    pub fn into_inner(self) -> T {
        self.lock.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Waits until the mutex is free, and takes it.
    ///
    /// ```
    /// selvedge::check(|| *selvedge::parking_lot::Mutex::new(1).lock() += 1);
    /// ```
    #[track_caller]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        MutexGuard { guard: Some(self.lock.lock().unwrap_or_else(PoisonError::into_inner)) }
    }

    /// Takes the mutex if it is free.
    ///
    /// ```
    /// selvedge::check(|| assert!(selvedge::parking_lot::Mutex::new(1).try_lock().is_some()));
    /// ```
    #[track_caller]
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        let guard = match self.lock.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(MutexGuard { guard: Some(guard) })
    }

    /// The content: an exclusive reference needs no lock.
    ///
    /// ```
    /// selvedge::check(|| *selvedge::parking_lot::Mutex::new(1).get_mut() += 1);
    /// ```
    pub fn get_mut(&mut self) -> &mut T {
        self.lock.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> From<T> for Mutex<T> {
    #[track_caller]
    fn from(content: T) -> Self {
        Mutex::new(content)
    }
}

/// The right to use the content of a [`Mutex`].
///
/// ```
/// use selvedge::parking_lot::{Mutex, MutexGuard};
/// selvedge::check(|| {
///     let mutex = Mutex::new(1);
///     let guard: MutexGuard<u8> = mutex.lock();
///     assert_eq!(*guard, 1);
/// });
/// ```
pub struct MutexGuard<'a, T: ?Sized> {
    /// Nothing while a condition variable has it.
    guard: Option<sync::MutexGuard<'a, T>>,
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.guard {
            Some(guard) => guard,
            None => unreachable!("a condition variable has the guard only while it is borrowed"),
        }
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        match &mut self.guard {
            Some(guard) => guard,
            None => unreachable!("a condition variable has the guard only while it is borrowed"),
        }
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// A condition variable that borrows the guard, like `parking_lot::Condvar`.
///
/// ```
/// use selvedge::parking_lot::{Condvar, Mutex};
/// use selvedge::{sync::Arc, thread};
/// selvedge::check(|| {
///     let shared = Arc::new((Mutex::new(false), Condvar::new()));
///     let other = thread::spawn({
///         let shared = shared.clone();
///         move || {
///             *shared.0.lock() = true;
///             shared.1.notify_one();
///         }
///     });
///     let mut started = shared.0.lock();
///     while !*started {
///         shared.1.wait(&mut started);
///     }
///     drop(started);
///     other.join().unwrap();
/// });
/// ```
#[derive(Debug, Default)]
pub struct Condvar {
    condvar: sync::Condvar,
}

impl Condvar {
    /// A condition variable.
    ///
    /// ```
    /// selvedge::check(|| selvedge::parking_lot::Condvar::new().notify_one());
    /// ```
    #[track_caller]
    pub fn new() -> Condvar {
        Condvar { condvar: sync::Condvar::new() }
    }

    /// Waits for a notification; the mutex is free in the meantime.
    ///
    /// ```
    /// use selvedge::parking_lot::{Condvar, Mutex};
    /// let report = selvedge::Checker::new().run(|| Condvar::new().wait(&mut Mutex::new(()).lock()));
    /// assert!(report.to_string().contains("deadlock"));
    /// ```
    #[track_caller]
    pub fn wait<T: ?Sized>(&self, guard: &mut MutexGuard<'_, T>) {
        if let Some(taken) = guard.guard.take() {
            guard.guard = Some(self.condvar.wait(taken).unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Waits while a condition holds.
    ///
    /// ```
    /// use selvedge::parking_lot::{Condvar, Mutex};
    /// selvedge::check(|| Condvar::new().wait_while(&mut Mutex::new(3).lock(), |x| *x < 3));
    /// ```
    #[track_caller]
    pub fn wait_while<T: ?Sized>(
        &self,
        guard: &mut MutexGuard<'_, T>,
        mut condition: impl FnMut(&mut T) -> bool,
    ) {
        while condition(&mut **guard) {
            self.wait(guard);
        }
    }

    /// Waits for a notification, or until the time is up: both are explored.
    ///
    /// ```
    /// use selvedge::parking_lot::{Condvar, Mutex};
    /// use std::time::Duration;
    /// selvedge::check(|| assert!(Condvar::new().wait_for(&mut Mutex::new(()).lock(), Duration::ZERO).timed_out()));
    /// ```
    #[track_caller]
    pub fn wait_for<T: ?Sized>(&self, guard: &mut MutexGuard<'_, T>, timeout: Duration) -> WaitTimeoutResult {
        let Some(taken) = guard.guard.take() else { unreachable!("the guard is borrowed by one call") };
        let (taken, result) =
            self.condvar.wait_timeout(taken, timeout).unwrap_or_else(PoisonError::into_inner);
        guard.guard = Some(taken);
        WaitTimeoutResult(result.timed_out())
    }

    /// Waits for a notification, or until a moment: both are explored.
    ///
    /// ```
    /// use selvedge::parking_lot::{Condvar, Mutex};
    /// use std::time::Instant;
    /// selvedge::check(|| assert!(Condvar::new().wait_until(&mut Mutex::new(()).lock(), Instant::now()).timed_out()));
    /// ```
    #[track_caller]
    pub fn wait_until<T: ?Sized>(
        &self,
        guard: &mut MutexGuard<'_, T>,
        _moment: Instant,
    ) -> WaitTimeoutResult {
        self.wait_for(guard, Duration::ZERO)
    }

    /// Wakes one thread that waits.
    ///
    /// ```
    /// selvedge::check(|| selvedge::parking_lot::Condvar::new().notify_one());
    /// ```
    #[track_caller]
    pub fn notify_one(&self) {
        self.condvar.notify_one();
    }

    /// Wakes all threads that wait.
    ///
    /// ```
    /// selvedge::check(|| selvedge::parking_lot::Condvar::new().notify_all());
    /// ```
    #[track_caller]
    pub fn notify_all(&self) {
        self.condvar.notify_all();
    }
}

/// Whether a wait ended because the time was up.
///
/// ```
/// use selvedge::parking_lot::WaitTimeoutResult;
/// let ask: fn(&WaitTimeoutResult) -> bool = WaitTimeoutResult::timed_out;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Whether the time was up.
    ///
    /// ```
    /// use selvedge::parking_lot::WaitTimeoutResult;
    /// let ask: fn(&WaitTimeoutResult) -> bool = WaitTimeoutResult::timed_out;
    /// ```
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

/// A reader-writer lock without poisoning, like `parking_lot::RwLock`.
///
/// ```
/// use selvedge::parking_lot::RwLock;
/// selvedge::check(|| {
///     let lock = RwLock::new(5);
///     {
///         let (one, two) = (lock.read(), lock.read());
///         assert_eq!((*one, *two), (5, 5));
///         assert!(lock.try_write().is_none());
///     }
///     *lock.write() += 1;
///     assert_eq!(lock.into_inner(), 6);
/// });
/// ```
#[derive(Debug, Default)]
pub struct RwLock<T: ?Sized> {
    lock: sync::RwLock<T>,
}

/// The right to read the content of a [`RwLock`].
pub type RwLockReadGuard<'a, T> = sync::RwLockReadGuard<'a, T>;
/// The right to change the content of a [`RwLock`].
pub type RwLockWriteGuard<'a, T> = sync::RwLockWriteGuard<'a, T>;

impl<T> RwLock<T> {
    /// A lock that is free.
    ///
    /// ```
    /// selvedge::check(|| assert_eq!(*selvedge::parking_lot::RwLock::new(1).read(), 1));
    /// ```
    #[track_caller]
    pub fn new(content: T) -> RwLock<T> {
        RwLock { lock: sync::RwLock::new(content) }
    }

    /// The content, at the end of the lock's life.
    ///
    /// ```
    /// selvedge::check(|| assert_eq!(selvedge::parking_lot::RwLock::new(1).into_inner(), 1));
    /// ```
    pub fn into_inner(self) -> T {
        self.lock.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Waits until no thread writes.
    ///
    /// ```
    /// selvedge::check(|| assert_eq!(*selvedge::parking_lot::RwLock::new(1).read(), 1));
    /// ```
    #[track_caller]
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        self.lock.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no thread reads or writes.
    ///
    /// ```
    /// selvedge::check(|| *selvedge::parking_lot::RwLock::new(1).write() += 1);
    /// ```
    #[track_caller]
    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        self.lock.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads, if no thread writes.
    ///
    /// ```
    /// selvedge::check(|| assert!(selvedge::parking_lot::RwLock::new(1).try_read().is_some()));
    /// ```
    #[track_caller]
    pub fn try_read(&self) -> Option<RwLockReadGuard<'_, T>> {
        match self.lock.try_read() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Writes, if no thread reads or writes.
    ///
    /// ```
    /// selvedge::check(|| assert!(selvedge::parking_lot::RwLock::new(1).try_write().is_some()));
    /// ```
    #[track_caller]
    pub fn try_write(&self) -> Option<RwLockWriteGuard<'_, T>> {
        match self.lock.try_write() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// The content: an exclusive reference needs no lock.
    ///
    /// ```
    /// selvedge::check(|| *selvedge::parking_lot::RwLock::new(1).get_mut() += 1);
    /// ```
    pub fn get_mut(&mut self) -> &mut T {
        self.lock.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}
