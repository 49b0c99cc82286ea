//! The reader-writer lock: a reader takes one permit of a fair semaphore, a writer all.

use super::TryLockError;
use super::semaphore::Semaphore;
use std::cell::UnsafeCell;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// The number of readers at the same time.
const READERS: usize = 1 << 20;

/// A reader-writer lock, like `tokio::sync::RwLock`: a writer that waits comes before readers that came later.
///
/// ```
/// use selvedge::{future, sync::Arc, tokio::sync::RwLock};
/// selvedge::check(|| {
///     let lock = Arc::new(RwLock::new(5));
///     let task = future::spawn({ let lock = lock.clone(); async move { *lock.write().await += 1 } });
///     future::block_on(async {
///         let seen = *lock.read().await;
///         assert!(seen == 5 || seen == 6);
///         task.await;
///         assert_eq!(*lock.read().await, 6);
///     });
/// });
/// ```
pub struct RwLock<T: ?Sized> {
    semaphore: Semaphore,
    content: UnsafeCell<T>,
}

#[allow(unsafe_code, reason = "like tokio's")]
// SAFETY: the content is accessed through guards, which the semaphore keeps apart.
unsafe impl<T: ?Sized + Send> Send for RwLock<T> {}
#[allow(unsafe_code, reason = "like tokio's")]
// SAFETY: as above; readers share the content.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLock<T> {}

impl<T> RwLock<T> {
    /// A lock that is free.
    ///
    /// ```
    /// selvedge::check(|| assert_eq!(selvedge::tokio::sync::RwLock::new(1).into_inner(), 1));
    /// ```
    #[track_caller]
    pub fn new(content: T) -> RwLock<T> {
        RwLock { semaphore: Semaphore::new(READERS), content: UnsafeCell::new(content) }
    }

    /// The content, at the end of the lock's life.
    ///
    /// ```
    /// selvedge::check(|| assert_eq!(selvedge::tokio::sync::RwLock::new(1).into_inner(), 1));
    /// ```
    pub fn into_inner(self) -> T {
        self.content.into_inner()
    }
}

impl<T: ?Sized> RwLock<T> {
    async fn take(&self, permits: usize) {
        if self.semaphore.wait_for(permits).await.is_err() {
            unreachable!("the semaphore of a lock is never closed");
        }
    }

    /// Waits until no task writes or waits to write.
    ///
    /// ```
    /// use selvedge::{future, tokio::sync::RwLock};
    /// selvedge::check(|| future::block_on(async { assert_eq!(*RwLock::new(1).read().await, 1) }));
    /// ```
    pub async fn read(&self) -> RwLockReadGuard<'_, T> {
        self.take(1).await;
        RwLockReadGuard { lock: self }
    }

    /// Waits until no task reads or writes.
    ///
    /// ```
    /// use selvedge::{future, tokio::sync::RwLock};
    /// selvedge::check(|| future::block_on(async { *RwLock::new(1).write().await += 1 }));
    /// ```
    pub async fn write(&self) -> RwLockWriteGuard<'_, T> {
        self.take(READERS).await;
        RwLockWriteGuard { lock: self }
    }

    /// Reads, if that is possible now.
    ///
    /// ```
    /// selvedge::check(|| assert!(selvedge::tokio::sync::RwLock::new(1).try_read().is_ok()));
    /// ```
    ///
    /// # Errors
    /// When it is not.
    #[track_caller]
    pub fn try_read(&self) -> Result<RwLockReadGuard<'_, T>, TryLockError> {
        self.semaphore.try_take(1).map(|()| RwLockReadGuard { lock: self }).map_err(|_| TryLockError(()))
    }

    /// Writes, if that is possible now.
    ///
    /// ```
    /// selvedge::check(|| assert!(selvedge::tokio::sync::RwLock::new(1).try_write().is_ok()));
    /// ```
    ///
    /// # Errors
    /// When it is not.
    #[track_caller]
    pub fn try_write(&self) -> Result<RwLockWriteGuard<'_, T>, TryLockError> {
        let taken = self.semaphore.try_take(READERS);
        taken.map(|()| RwLockWriteGuard { lock: self }).map_err(|_| TryLockError(()))
    }
}

impl<T: ?Sized> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("RwLock").finish_non_exhaustive()
    }
}

/// The right to read the content of a [`RwLock`].
///
/// ```
/// use selvedge::tokio::sync::{RwLock, RwLockReadGuard};
/// selvedge::check(|| {
///     let lock = RwLock::new(1);
///     let (one, two): (RwLockReadGuard<u8>, _) = (lock.try_read().unwrap(), lock.try_read().unwrap());
///     assert_eq!(*one + *two, 2);
/// });
/// ```
pub struct RwLockReadGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
}

#[allow(unsafe_code, reason = "readers share the content")]
impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: while a reader has a permit, no writer has all.
        unsafe { &*self.lock.content.get() }
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        self.lock.semaphore.add_permits(1);
    }
}

/// The right to change the content of a [`RwLock`].
///
/// ```
/// use selvedge::tokio::sync::{RwLock, RwLockWriteGuard};
/// selvedge::check(|| {
///     let lock = RwLock::new(1);
///     let guard: RwLockWriteGuard<u8> = lock.try_write().unwrap();
///     assert!(lock.try_read().is_err());
///     drop(guard);
/// });
/// ```
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
}

#[allow(unsafe_code, reason = "a writer has all permits")]
impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the writer has all permits.
        unsafe { &*self.lock.content.get() }
    }
}

#[allow(unsafe_code, reason = "a writer has all permits")]
impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the writer has all permits, and is borrowed exclusively.
        unsafe { &mut *self.lock.content.get() }
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        self.lock.semaphore.add_permits(READERS);
    }
}
