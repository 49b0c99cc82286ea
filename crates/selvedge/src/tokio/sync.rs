//! Synchronisation of tasks, with the names of `tokio::sync`.
//!
//! [`Semaphore`] is fair: permits go to tasks in the order in which they began to wait; [`Mutex`], [`RwLock`] and bounded channels are made of it, as
//! in tokio. A future that is dropped gives back its place, or the permits it was granted.

pub mod mpsc;
mod mutex;
mod notify;
pub mod oneshot;
mod rwlock;
pub mod semaphore;

pub use mutex::{Mutex, MutexGuard, TryLockError};
pub use notify::{Notified, Notify};
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use semaphore::{AcquireError, Semaphore, SemaphorePermit, TryAcquireError};
