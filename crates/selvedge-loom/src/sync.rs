//! Synchronisation: the names of loom, and those that only std has.

pub use selvedge::sync::{
    Arc, Barrier, BarrierWaitResult, Condvar, LockResult, Mutex, MutexGuard, Notify, RwLock, RwLockReadGuard,
    RwLockWriteGuard, TryLockResult, WaitTimeoutResult,
};
/// Beside loom's: what std has, for code that uses it.
pub use selvedge::sync::{LazyLock, Once, OnceLock, OnceState, PoisonError, TryLockError, Weak};

pub mod atomic {
    //! Atomics, with loom's `with_mut` and `unsync_load`.

    #[allow(deprecated, reason = "loom has it")]
    pub use selvedge::sync::atomic::spin_loop_hint;
    pub use selvedge::sync::atomic::{
        AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicPtr, AtomicU8, AtomicU16,
        AtomicU32, AtomicU64, AtomicUsize, Ordering, compiler_fence, fence,
    };
}

pub mod mpsc {
    //! Channels; `sync_channel` and the iterators, which loom has not, are there, too.

    pub use selvedge::sync::mpsc::{
        IntoIter, Iter, Receiver, RecvError, RecvTimeoutError, SendError, Sender, SyncSender, TryIter,
        TryRecvError, TrySendError, channel, sync_channel,
    };
}
