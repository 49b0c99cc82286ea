//! The mutex whose guard may be held across an `await`.

use super::semaphore::Semaphore;
use crate::future::block_on;
use std::cell::UnsafeCell;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// A mutex, like `tokio::sync::Mutex`: its guard may be held across an `await`, and tasks get it in the order in which they began to wait.
///
/// ```
/// use selvedge::{future, sync::Arc, tokio::sync::Mutex};
/// selvedge::check(|| {
///     let count = Arc::new(Mutex::new(0));
///     let task = future::spawn({
///         let count = count.clone();
///         async move {
///             let mut count = count.lock().await;
///             future::yield_now().await;
///             *count += 1;
///         }
///     });
///     future::block_on(async {
///         *count.lock().await += 1;
///         task.await;
///     });
///     assert_eq!(*count.try_lock().unwrap(), 2);
/// });
/// ```
pub struct Mutex<T: ?Sized> {
    semaphore: Semaphore,
    content: UnsafeCell<T>,
}

#[allow(unsafe_code, reason = "like tokio's")]
// SAFETY: the content is accessed through guards, of which the semaphore allows one.
unsafe impl<T: ?Sized + Send> Send for Mutex<T> {}
#[allow(unsafe_code, reason = "like tokio's")]
// SAFETY: as above.
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}

impl<T> Mutex<T> {
    /// A mutex that is free.
    ///
    /// ```
    /// selvedge::check(|| assert_eq!(selvedge::tokio::sync::Mutex::new(1).into_inner(), 1));
    /// ```
    #[track_caller]
    pub fn new(content: T) -> Mutex<T> {
        Mutex { semaphore: Semaphore::new(1), content: UnsafeCell::new(content) }
    }

    /// The content, at the end of the mutex's life.
    ///
    /// ```
    /// selvedge::check(|| assert_eq!(selvedge::tokio::sync::Mutex::new(1).into_inner(), 1));
    /// ```
    pub fn into_inner(self) -> T {
        self.content.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Waits until the mutex is free, and takes it.
    ///
    /// ```
    /// use selvedge::{future, tokio::sync::Mutex};
    /// selvedge::check(|| future::block_on(async { *Mutex::new(1).lock().await += 1 }));
    /// ```
    pub async fn lock(&self) -> MutexGuard<'_, T> {
        match self.semaphore.wait_for(1).await {
            Ok(()) => MutexGuard { mutex: self },
            Err(_) => unreachable!("the semaphore of a mutex is never closed"),
        }
    }

    /// Waits on the present thread.
    ///
    /// ```
    /// selvedge::check(|| *selvedge::tokio::sync::Mutex::new(1).blocking_lock() += 1);
    /// ```
    #[track_caller]
    pub fn blocking_lock(&self) -> MutexGuard<'_, T> {
        block_on(self.lock())
    }

    /// Takes the mutex if it is free.
    ///
    /// ```
    /// selvedge::check(|| assert!(selvedge::tokio::sync::Mutex::new(1).try_lock().is_ok()));
    /// ```
    ///
    /// # Errors
    /// When it is not.
    #[track_caller]
    pub fn try_lock(&self) -> Result<MutexGuard<'_, T>, TryLockError> {
        self.semaphore.try_take(1).map(|()| MutexGuard { mutex: self }).map_err(|_| TryLockError(()))
    }

    /// The content: an exclusive reference needs no lock.
    ///
    /// ```
    /// selvedge::check(|| *selvedge::tokio::sync::Mutex::new(1).get_mut() += 1);
    /// ```
    pub fn get_mut(&mut self) -> &mut T {
        self.content.get_mut()
    }
}

impl<T: Default> Default for Mutex<T> {
    #[track_caller]
    fn default() -> Self {
        Mutex::new(T::default())
    }
}

impl<T: ?Sized> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Mutex").finish_non_exhaustive()
    }
}

/// The right to use the content of a [`Mutex`].
///
/// ```
/// use selvedge::tokio::sync::{Mutex, MutexGuard};
/// selvedge::check(|| {
///     let mutex = Mutex::new(1);
///     let guard: MutexGuard<u8> = mutex.try_lock().unwrap();
///     assert!(mutex.try_lock().is_err());
///     drop(guard);
/// });
/// ```
pub struct MutexGuard<'a, T: ?Sized> {
    mutex: &'a Mutex<T>,
}

#[allow(unsafe_code, reason = "like tokio's")]
// SAFETY: a shared guard gives shared access to the content only.
unsafe impl<T: ?Sized + Send + Sync> Sync for MutexGuard<'_, T> {}

#[allow(unsafe_code, reason = "the guard has the only permit")]
impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the guard has the only permit.
        unsafe { &*self.mutex.content.get() }
    }
}

#[allow(unsafe_code, reason = "the guard has the only permit")]
impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the guard has the only permit, and is borrowed exclusively.
        unsafe { &mut *self.mutex.content.get() }
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        self.mutex.semaphore.add_permits(1);
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// The lock is taken.
///
/// ```
/// use selvedge::tokio::sync::{Mutex, TryLockError};
/// selvedge::check(|| {
///     let mutex = Mutex::new(1);
///     let _guard = mutex.try_lock();
///     let taken: TryLockError = mutex.try_lock().unwrap_err();
///     assert_eq!(taken.to_string(), "the lock is taken");
/// });
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct TryLockError(pub(super) ());

impl fmt::Display for TryLockError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the lock is taken")
    }
}

impl std::error::Error for TryLockError {}
