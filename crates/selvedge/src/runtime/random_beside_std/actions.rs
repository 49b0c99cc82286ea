//! What threads do in random closures with the look-alikes of other crates.

/// The objects of a closure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// tokio's semaphore with so many permits.
    Semaphore(usize),
    /// tokio's mutex.
    Mutex,
    /// tokio's reader-writer lock.
    RwLock,
    /// tokio's notifications.
    Notify,
    /// tokio's channel for one message: the first thread receives, the last one sends.
    Oneshot,
    /// tokio's channel with so much room: the first thread receives.
    Mpsc(usize),
    /// tokio's channel without a limit.
    Unbounded,
    /// crossbeam's channel: every thread may send, and every thread may receive.
    Channel(Option<usize>),
    /// arc-swap.
    ArcSwap,
    /// parking_lot's locks and condition variable.
    ParkingLot,
    /// crossbeam's `Backoff` and `CachePadded`.
    Backoff,
}

/// What a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Looks at a number, or adds to it.
    Load,
    Add,
    /// Permits of a semaphore: taken and given back, taken for ever, asked for once and given up.
    Acquire(u32),
    Forget(u32),
    GiveUp(u32),
    TryAcquire,
    AddPermit,
    CloseSemaphore,
    Available,
    /// A mutex; `LockAcross` does something else while it is held.
    Lock,
    LockAcross,
    GiveUpLock,
    TryLock,
    /// A reader-writer lock.
    Read,
    ReadAcross,
    Write,
    GiveUpWrite,
    TryRead,
    TryWrite,
    /// Notifications; `NotifiedLater` does something else between the call and the wait.
    Notified,
    NotifiedLater,
    GiveUpNotified,
    NotifyOne,
    NotifyWaiters,
    /// A channel for one message.
    SendOne,
    DropSendOne,
    ReceiveOne,
    TryReceiveOne,
    CloseOne,
    IsOneClosed,
    /// A channel of tokio.
    Send,
    TrySend,
    Receive,
    TryReceive,
    CloseReceiver,
    IsClosed,
    DropSender,
    DropReceiver,
    /// A channel of crossbeam.
    Put,
    TryPut,
    Take,
    TryTake,
    TakeTimeout,
    Len,
    DropPut,
    DropTake,
    /// An `Arc` that is replaced.
    LoadArc,
    StoreArc,
    SwapArc,
    CompareAndSwap,
    Rcu,
    /// parking_lot.
    PlainLock,
    PlainTryLock,
    PlainRead,
    PlainTryRead,
    PlainWrite,
    PlainTryWrite,
    PlainWait,
    PlainWaitFor,
    PlainNotifyOne,
    PlainNotifyAll,
    /// A loop with `Backoff` that waits for a number, and one that exchanges it.
    Snooze,
    SpinExchange,
}

impl Action {
    /// Whether it needs a sender of crossbeam.
    pub fn puts(self) -> bool {
        matches!(self, Action::Put | Action::TryPut | Action::DropPut)
    }

    /// Whether it needs a receiver of crossbeam.
    pub fn takes(self) -> bool {
        use Action::*;
        matches!(self, Take | TryTake | TakeTimeout | Len | DropTake)
    }

    /// Whether it is about tokio's reader-writer lock.
    pub fn of_lock(self) -> bool {
        use Action::*;
        matches!(self, Read | ReadAcross | Write | GiveUpWrite | TryRead | TryWrite)
    }

    /// Whether it is about the channel for one message.
    pub fn of_oneshot(self) -> bool {
        use Action::*;
        matches!(self, SendOne | DropSendOne | ReceiveOne | TryReceiveOne | CloseOne | IsOneClosed)
    }

    /// Whether it is about the `Arc` that is replaced.
    pub fn of_arc(self) -> bool {
        use Action::*;
        matches!(self, LoadArc | StoreArc | SwapArc | CompareAndSwap | Rcu)
    }

    /// Whether it is about a channel of tokio.
    pub fn of_tokio_channel(self) -> bool {
        use Action::*;
        self.sends() || matches!(self, Receive | TryReceive | CloseReceiver | DropReceiver)
    }

    /// Whether it needs a sender of tokio.
    pub fn sends(self) -> bool {
        matches!(self, Action::Send | Action::TrySend | Action::IsClosed | Action::DropSender)
    }
}

impl Family {
    /// Each of them.
    pub const ALL: [Family; 16] = [
        Family::Semaphore(1),
        Family::Semaphore(2),
        Family::Semaphore(0),
        Family::Mutex,
        Family::RwLock,
        Family::Notify,
        Family::Oneshot,
        Family::Mpsc(1),
        Family::Mpsc(2),
        Family::Unbounded,
        Family::Channel(None),
        Family::Channel(Some(1)),
        Family::Channel(Some(0)),
        Family::ArcSwap,
        Family::ParkingLot,
        Family::Backoff,
    ];

    /// Whether the crate itself can be run on one thread.
    pub fn has_reference(self) -> bool {
        !matches!(self, Family::ParkingLot | Family::Backoff)
    }

    /// What can be done with the objects.
    pub fn actions(self) -> &'static [Action] {
        use Action::*;
        match self {
            Family::Semaphore(_) => &[
                Load,
                Add,
                Acquire(1),
                Acquire(2),
                Forget(1),
                GiveUp(1),
                GiveUp(2),
                TryAcquire,
                AddPermit,
                CloseSemaphore,
                Available,
            ],
            Family::Mutex => &[Load, Add, Lock, LockAcross, GiveUpLock, TryLock],
            Family::RwLock => &[Load, Add, Read, ReadAcross, Write, GiveUpWrite, TryRead, TryWrite],
            Family::Notify => &[Load, Add, Notified, NotifiedLater, GiveUpNotified, NotifyOne, NotifyWaiters],
            Family::Oneshot => {
                &[Load, Add, SendOne, DropSendOne, ReceiveOne, TryReceiveOne, CloseOne, IsOneClosed]
            }
            Family::Mpsc(_) | Family::Unbounded => &[
                Load,
                Add,
                Send,
                TrySend,
                Receive,
                TryReceive,
                CloseReceiver,
                IsClosed,
                DropSender,
                DropReceiver,
            ],
            Family::Channel(_) => {
                &[Load, Add, Put, TryPut, Take, TryTake, TakeTimeout, Len, DropPut, DropTake]
            }
            Family::ArcSwap => &[Load, Add, LoadArc, StoreArc, SwapArc, CompareAndSwap, Rcu],
            Family::ParkingLot => &[
                Load,
                PlainLock,
                PlainTryLock,
                PlainRead,
                PlainTryRead,
                PlainWrite,
                PlainTryWrite,
                PlainWait,
                PlainWaitFor,
                PlainNotifyOne,
                PlainNotifyAll,
            ],
            Family::Backoff => &[Load, Add, Snooze, SpinExchange],
        }
    }
}
