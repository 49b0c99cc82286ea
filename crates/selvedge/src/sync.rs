//! Synchronisation, with the names and the behaviour of [`std::sync`].

pub mod arc;
pub mod atomic;
pub mod barrier;
pub mod condvar;
pub mod lazy_lock;
pub mod mpsc;
pub mod mutex;
pub mod notify;
pub mod once;
pub mod once_lock;
mod poison;
pub mod rwlock;
pub(crate) mod woken;

pub use arc::{Arc, Weak};
pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use lazy_lock::LazyLock;
pub use mutex::{Mutex, MutexGuard};
pub use notify::Notify;
pub use once::{Once, OnceState};
pub use once_lock::OnceLock;
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};
