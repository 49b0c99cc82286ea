//! The fair semaphore that the locks and channels are made of.
//!
//! As tokio's, it gives permits to the first who waits as they come, also if these are not yet enough: as long as somebody waits, there are none for
//! others, `try_acquire` included.

use crate::sync::{Mutex, MutexGuard, PoisonError};
use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

struct Waiter {
    number: u64,
    /// How many permits it has got so far, and how many it still needs.
    has: usize,
    needs: usize,
    waker: Waker,
}

struct State {
    permits: usize,
    is_closed: bool,
    queue: VecDeque<Waiter>,
    next: u64,
}

/// A semaphore, like `tokio::sync::Semaphore`.
///
/// ```
/// use selvedge::tokio::sync::Semaphore;
/// use selvedge::{future, sync::Arc};
/// selvedge::check(|| {
///     let semaphore = Arc::new(Semaphore::new(1));
///     let task = future::spawn({
///         let semaphore = semaphore.clone();
///         async move { drop(semaphore.acquire().await.unwrap()) }
///     });
///     future::block_on(async {
///         let permit = semaphore.acquire().await.unwrap();
///         assert_eq!(semaphore.available_permits(), 0);
///         drop(permit);
///         task.await;
///     });
///     assert_eq!(semaphore.available_permits(), 1);
/// });
/// ```
pub struct Semaphore {
    state: Mutex<State>,
}

impl Semaphore {
    /// A semaphore with so many permits.
    ///
    /// ```
    /// selvedge::check(|| assert_eq!(selvedge::tokio::sync::Semaphore::new(2).available_permits(), 2));
    /// ```
    #[track_caller]
    pub fn new(permits: usize) -> Semaphore {
        let state = State { permits, is_closed: false, queue: VecDeque::new(), next: 0 };
        Semaphore { state: Mutex::new(state) }
    }

    #[track_caller]
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The permits that no task has.
    ///
    /// ```
    /// selvedge::check(|| assert_eq!(selvedge::tokio::sync::Semaphore::new(2).available_permits(), 2));
    /// ```
    #[track_caller]
    pub fn available_permits(&self) -> usize {
        self.state().permits
    }

    /// Adds permits, or gives some back.
    ///
    /// ```
    /// selvedge::check(|| selvedge::tokio::sync::Semaphore::new(0).add_permits(1));
    /// ```
    #[track_caller]
    pub fn add_permits(&self, permits: usize) {
        let woken = {
            let mut state = self.state();
            state.permits += permits;
            grant(&mut state)
        };
        woken.into_iter().for_each(Waker::wake);
    }

    /// Closes the semaphore: nobody waits any longer.
    ///
    /// ```
    /// selvedge::check(|| {
    ///     let semaphore = selvedge::tokio::sync::Semaphore::new(1);
    ///     semaphore.close();
    ///     assert!(semaphore.is_closed() && semaphore.try_acquire().is_err());
    /// });
    /// ```
    #[track_caller]
    pub fn close(&self) {
        let woken: Vec<Waker> = {
            let mut state = self.state();
            state.is_closed = true;
            state.queue.iter().map(|waiter| waiter.waker.clone()).collect()
        };
        woken.into_iter().for_each(Waker::wake);
    }

    /// Whether the semaphore is closed.
    ///
    /// ```
    /// selvedge::check(|| assert!(!selvedge::tokio::sync::Semaphore::new(1).is_closed()));
    /// ```
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.state().is_closed
    }

    /// Waits for a permit.
    ///
    /// ```
    /// use selvedge::{future, tokio::sync::Semaphore};
    /// selvedge::check(|| {
    ///     let semaphore = Semaphore::new(1);
    ///     assert!(future::block_on(semaphore.acquire()).is_ok());
    /// });
    /// ```
    ///
    /// # Errors
    /// When the semaphore is closed.
    pub async fn acquire(&self) -> Result<SemaphorePermit<'_>, AcquireError> {
        self.acquire_many(1).await
    }

    /// Waits for so many permits.
    ///
    /// ```
    /// use selvedge::{future, tokio::sync::Semaphore};
    /// selvedge::check(|| {
    ///     let semaphore = Semaphore::new(2);
    ///     let permit = future::block_on(semaphore.acquire_many(2)).unwrap();
    ///     permit.forget();
    ///     assert_eq!(semaphore.available_permits(), 0);
    /// });
    /// ```
    ///
    /// # Errors
    /// When the semaphore is closed.
    pub async fn acquire_many(&self, permits: u32) -> Result<SemaphorePermit<'_>, AcquireError> {
        self.wait_for(permits as usize).await?;
        Ok(SemaphorePermit { semaphore: self, permits: permits as usize })
    }

    /// Waits for so many permits, which the caller gives back by [`add_permits`](Semaphore::add_permits).
    pub(super) fn wait_for(&self, permits: usize) -> Acquire<'_> {
        Acquire { semaphore: self, permits, number: None }
    }

    /// A permit, if there is one.
    ///
    /// ```
    /// selvedge::check(|| {
    ///     let semaphore = selvedge::tokio::sync::Semaphore::new(1);
    ///     let first = semaphore.try_acquire();
    ///     assert!(first.is_ok() && semaphore.try_acquire().is_err());
    /// });
    /// ```
    ///
    /// # Errors
    /// When there is none, or the semaphore is closed.
    #[track_caller]
    pub fn try_acquire(&self) -> Result<SemaphorePermit<'_>, TryAcquireError> {
        self.try_take(1)?;
        Ok(SemaphorePermit { semaphore: self, permits: 1 })
    }

    #[track_caller]
    pub(super) fn try_take(&self, permits: usize) -> Result<(), TryAcquireError> {
        let mut state = self.state();
        if state.is_closed {
            return Err(TryAcquireError::Closed);
        }
        match state.permits >= permits {
            true => {
                state.permits -= permits;
                Ok(())
            }
            false => Err(TryAcquireError::NoPermits),
        }
    }
}

/// Grants permits to those who wait, in their order; returns whom to wake.
fn grant(state: &mut State) -> Vec<Waker> {
    let mut woken = Vec::new();
    if state.is_closed {
        return woken;
    }
    for waiter in state.queue.iter_mut().filter(|waiter| waiter.needs > 0) {
        let granted = waiter.needs.min(state.permits);
        state.permits -= granted;
        waiter.has += granted;
        waiter.needs -= granted;
        if waiter.needs > 0 {
            break;
        }
        woken.push(waiter.waker.clone());
    }
    woken
}

impl fmt::Debug for Semaphore {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Semaphore").finish_non_exhaustive()
    }
}

/// A wait for permits.
pub(super) struct Acquire<'a> {
    semaphore: &'a Semaphore,
    permits: usize,
    /// The place in the queue.
    number: Option<u64>,
}

impl Future for Acquire<'_> {
    type Output = Result<(), AcquireError>;

    #[track_caller]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<Self::Output> {
        let (semaphore, permits) = (self.semaphore, self.permits);
        let mut state = semaphore.state();
        let Some(number) = self.number else {
            if state.is_closed {
                return Poll::Ready(Err(AcquireError(())));
            }
            if state.permits >= permits {
                state.permits -= permits;
                return Poll::Ready(Ok(()));
            }
            let has = std::mem::take(&mut state.permits);
            let number = state.next;
            state.next += 1;
            let waker = context.waker().clone();
            state.queue.push_back(Waiter { number, has, needs: permits - has, waker });
            self.number = Some(number);
            return Poll::Pending;
        };
        let Some(position) = state.queue.iter().position(|waiter| waiter.number == number) else {
            unreachable!("a future that waits has its place")
        };
        if state.queue[position].needs > 0 && !state.is_closed {
            state.queue[position].waker.clone_from(context.waker());
            return Poll::Pending;
        }
        let waiter = state.queue.remove(position);
        self.number = None;
        if state.is_closed {
            // Permits that came before the end are of no use any more.
            state.permits += waiter.map_or(0, |waiter| waiter.has);
            return Poll::Ready(Err(AcquireError(())));
        }
        Poll::Ready(Ok(()))
    }
}

impl Drop for Acquire<'_> {
    fn drop(&mut self) {
        let Some(number) = self.number else { return };
        let woken = {
            let mut state = self.semaphore.state();
            if let Some(position) = state.queue.iter().position(|waiter| waiter.number == number)
                && let Some(waiter) = state.queue.remove(position)
            {
                state.permits += waiter.has;
            }
            // Those behind may have waited for this one only.
            grant(&mut state)
        };
        woken.into_iter().for_each(Waker::wake);
    }
}

/// Permits, given back when dropped.
///
/// ```
/// use selvedge::tokio::sync::{Semaphore, SemaphorePermit};
/// selvedge::check(|| {
///     let semaphore = Semaphore::new(1);
///     let permit: SemaphorePermit = semaphore.try_acquire().unwrap();
///     drop(permit);
///     assert_eq!(semaphore.available_permits(), 1);
/// });
/// ```
#[derive(Debug)]
pub struct SemaphorePermit<'a> {
    semaphore: &'a Semaphore,
    permits: usize,
}

impl SemaphorePermit<'_> {
    /// Does not give the permits back.
    ///
    /// ```
    /// selvedge::check(|| selvedge::tokio::sync::Semaphore::new(1).try_acquire().unwrap().forget());
    /// ```
    pub fn forget(mut self) {
        self.permits = 0;
    }
}

impl Drop for SemaphorePermit<'_> {
    fn drop(&mut self) {
        if self.permits > 0 {
            self.semaphore.add_permits(self.permits);
        }
    }
}

/// The semaphore is closed.
///
/// ```
/// use selvedge::{future, tokio::sync::{AcquireError, Semaphore}};
/// selvedge::check(|| {
///     let semaphore = Semaphore::new(0);
///     semaphore.close();
///     let closed: AcquireError = future::block_on(semaphore.acquire()).unwrap_err();
///     assert_eq!(closed.to_string(), "the semaphore is closed");
/// });
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct AcquireError(());

impl fmt::Display for AcquireError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the semaphore is closed")
    }
}

impl std::error::Error for AcquireError {}

/// Why there is no permit.
///
/// ```
/// assert_eq!(selvedge::tokio::sync::TryAcquireError::NoPermits.to_string(), "there are no permits");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TryAcquireError {
    /// The semaphore is closed.
    Closed,
    /// All are taken.
    NoPermits,
}

impl fmt::Display for TryAcquireError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            TryAcquireError::Closed => "the semaphore is closed",
            TryAcquireError::NoPermits => "there are no permits",
        })
    }
}

impl std::error::Error for TryAcquireError {}
