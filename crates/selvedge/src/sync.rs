//! Synchronisation, with the names and the behaviour of [`std::sync`].


pub mod atomic;
pub mod barrier;
pub mod condvar;




pub mod mutex;








pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use mutex::{Mutex, MutexGuard};



pub use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};
