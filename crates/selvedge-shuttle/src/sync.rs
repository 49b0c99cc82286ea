//! Synchronisation: the names of std.

#[cfg(not(feature = "std-arc"))]
pub use selvedge::sync::{Arc, Weak};
#[cfg(feature = "std-arc")]
pub use std::sync::{Arc, Weak};

pub use selvedge::sync::{
    Barrier, BarrierWaitResult, Condvar, LazyLock, LockResult, Mutex, MutexGuard, Once, OnceLock, OnceState,
    PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError, TryLockResult, WaitTimeoutResult,
    atomic, mpsc,
};
