//! Synchronisation, with the names and the behaviour of [`std::sync`].


pub mod atomic;




pub mod mutex;








pub use mutex::{Mutex, MutexGuard};



pub use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};
