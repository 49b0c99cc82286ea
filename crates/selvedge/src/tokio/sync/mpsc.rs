//! Channels for several senders and one receiver.

use super::semaphore::{Semaphore, TryAcquireError};
use crate::future::block_on;
use crate::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::task::{Context, Poll, Waker};

struct State<T> {
    queue: VecDeque<T>,
    senders: usize,
    is_closed: bool,
    waker: Option<Waker>,
}

struct Channel<T> {
    state: Mutex<State<T>>,
    /// A permit for each message that still fits; nothing if all do.
    room: Option<Semaphore>,
    capacity: usize,
}

/// Whether a sender has taken room for its message. Then it can be put there, though the receiver is closed meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    WithPermit,
    WithoutPermit,
}

/// A sender that waits for room. Given up, it may give back the permit that a closed receiver waits for.
struct Waits<'a, T>(&'a Channel<T>);

impl<T> Drop for Waits<'_, T> {
    fn drop(&mut self) {
        self.0.wake();
    }
}

impl<T> Channel<T> {
    #[track_caller]
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[track_caller]
    fn put(&self, message: T, standing: Standing) -> Result<(), error::SendError<T>> {
        let waker = {
            let mut state = self.state();
            if state.is_closed && standing == Standing::WithoutPermit {
                return Err(error::SendError(message));
            }
            state.queue.push_back(message);
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
        Ok(())
    }

    /// Wakes the receiver.
    fn wake(&self) {
        let waker = self.state().waker.take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Whether senders fail; those that need room learn it there.
    #[track_caller]
    fn is_closed(&self) -> bool {
        match &self.room {
            Some(room) => room.is_closed(),
            None => self.state().is_closed,
        }
    }

    /// Whether some sender has a permit, and its message is still to come.
    #[track_caller]
    fn is_awaited(&self) -> bool {
        self.room.as_ref().is_some_and(|room| room.available_permits() < self.capacity)
    }

    #[track_caller]
    fn add_sender(self: &Channel<T>) {
        self.state().senders += 1;
    }

    fn remove_sender(&self) {
        let waker = {
            let mut state = self.state();
            state.senders -= 1;
            if state.senders == 0 { state.waker.take() } else { None }
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// A message; nothing if there will be none.
    #[track_caller]
    fn poll(&self, context: &mut Context) -> Poll<Option<T>> {
        let message = {
            let mut state = self.state();
            match state.queue.pop_front() {
                Some(message) => Some(message),
                None if state.senders == 0 => return Poll::Ready(None),
                None => {
                    state.waker = Some(context.waker().clone());
                    if !state.is_closed {
                        return Poll::Pending;
                    }
                    None
                }
            }
        };
        let Some(message) = message else {
            return if self.is_awaited() { Poll::Pending } else { Poll::Ready(None) };
        };
        self.make_room();
        Poll::Ready(Some(message))
    }

    #[track_caller]
    fn make_room(&self) {
        if let Some(room) = &self.room {
            room.add_permits(1);
        }
    }

    #[track_caller]
    fn try_recv(&self) -> Result<T, error::TryRecvError> {
        let message = {
            let mut state = self.state();
            match state.queue.pop_front() {
                Some(message) => message,
                None if state.senders == 0 || state.is_closed => {
                    return Err(error::TryRecvError::Disconnected);
                }
                None => return Err(error::TryRecvError::Empty),
            }
        };
        self.make_room();
        Ok(message)
    }

    #[track_caller]
    fn close(&self) {
        self.state().is_closed = true;
        if let Some(room) = &self.room {
            room.close();
        }
    }
}

#[track_caller]
fn made<T>(capacity: Option<usize>) -> Arc<Channel<T>> {
    let state = State { queue: VecDeque::new(), senders: 1, is_closed: false, waker: None };
    let room = capacity.map(Semaphore::new);
    Arc::new(Channel { state: Mutex::new(state), room, capacity: capacity.unwrap_or(0) })
}

/// A channel with room for so many messages, like `tokio::sync::mpsc::channel`.
///
/// ```
/// use selvedge::{future, tokio::sync::mpsc};
/// selvedge::check(|| {
///     let (sender, mut receiver) = mpsc::channel(1);
///     let task = future::spawn(async move {
///         for number in 0..2 {
///             sender.send(number).await.unwrap();
///         }
///     });
///     future::block_on(async {
///         let mut received = Vec::new();
///         while let Some(number) = receiver.recv().await {
///             received.push(number);
///         }
///         assert_eq!(received, [0, 1]);
///         task.await;
///     });
/// });
/// ```
///
/// # Panics
/// When there is no room at all.
#[track_caller]
pub fn channel<T>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    assert!(capacity > 0, "a channel needs room for a message");
    let channel = made(Some(capacity));
    (Sender { channel: Arc::clone(&channel) }, Receiver { channel })
}

/// A channel with room for every message, like `tokio::sync::mpsc::unbounded_channel`.
///
/// ```
/// use selvedge::{future, tokio::sync::mpsc};
/// selvedge::check(|| {
///     let (sender, mut receiver) = mpsc::unbounded_channel();
///     let task = future::spawn(async move { sender.send(1).unwrap() });
///     assert_eq!(future::block_on(receiver.recv()), Some(1));
///     future::block_on(task);
/// });
/// ```
#[track_caller]
pub fn unbounded_channel<T>() -> (UnboundedSender<T>, UnboundedReceiver<T>) {
    let channel = made(None);
    (UnboundedSender { channel: Arc::clone(&channel) }, UnboundedReceiver { channel })
}

macro_rules! sender {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        pub struct $name<T> {
            channel: Arc<Channel<T>>,
        }

        impl<T> Clone for $name<T> {
            #[track_caller]
            fn clone(&self) -> Self {
                self.channel.add_sender();
                $name { channel: Arc::clone(&self.channel) }
            }
        }

        impl<T> Drop for $name<T> {
            fn drop(&mut self) {
                self.channel.remove_sender();
            }
        }

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }

        impl<T> $name<T> {
            /// Whether the receiver is closed.
            ///
            /// ```
            /// selvedge::check(|| {
            ///     let (sender, receiver) = selvedge::tokio::sync::mpsc::unbounded_channel::<u8>();
            ///     drop(receiver);
            ///     assert!(sender.is_closed());
            /// });
            /// ```
            #[track_caller]
            pub fn is_closed(&self) -> bool {
                self.channel.is_closed()
            }
        }
    };
}

sender! {
    /// The sending side of a bounded channel.
    ///
    /// ```
    /// use selvedge::{future, tokio::sync::mpsc};
    /// selvedge::check(|| {
    ///     let (sender, _receiver) = mpsc::channel(1);
    ///     future::block_on(sender.send(1)).unwrap();
    ///     assert!(sender.clone().try_send(2).is_err());
    /// });
    /// ```
    Sender
}

impl<T> Sender<T> {
    /// Sends a message; waits for room.
    ///
    /// ```
    /// use selvedge::{future, tokio::sync::mpsc};
    /// selvedge::check(|| {
    ///     let (sender, receiver) = mpsc::channel(1);
    ///     drop(receiver);
    ///     assert!(future::block_on(sender.send(1)).is_err());
    /// });
    /// ```
    ///
    /// # Errors
    /// With the message, when the receiver is closed.
    pub async fn send(&self, message: T) -> Result<(), error::SendError<T>> {
        if let Some(room) = &self.channel.room {
            let waits = Waits(&self.channel);
            let taken = room.wait_for(1).await;
            std::mem::forget(waits);
            if taken.is_err() {
                return Err(error::SendError(message));
            }
        }
        self.channel.put(message, Standing::WithPermit)
    }

    /// Sends a message; waits for room on the present thread.
    ///
    /// ```
    /// selvedge::check(|| {
    ///     let (sender, _receiver) = selvedge::tokio::sync::mpsc::channel(1);
    ///     sender.blocking_send(1).unwrap();
    /// });
    /// ```
    ///
    /// # Errors
    /// With the message, when the receiver is closed.
    #[track_caller]
    pub fn blocking_send(&self, message: T) -> Result<(), error::SendError<T>> {
        block_on(self.send(message))
    }

    /// Sends a message if there is room.
    ///
    /// ```
    /// selvedge::check(|| {
    ///     let (sender, _receiver) = selvedge::tokio::sync::mpsc::channel(1);
    ///     assert!(sender.try_send(1).is_ok() && sender.try_send(2).is_err());
    /// });
    /// ```
    ///
    /// # Errors
    /// With the message, when there is no room, or the receiver is closed.
    #[track_caller]
    pub fn try_send(&self, message: T) -> Result<(), error::TrySendError<T>> {
        let taken = self.channel.room.as_ref().map_or(Ok(()), |room| room.try_take(1));
        match taken {
            Ok(()) => {
                let put = self.channel.put(message, Standing::WithPermit);
                put.map_err(|error| error::TrySendError::Closed(error.0))
            }
            Err(TryAcquireError::Closed) => Err(error::TrySendError::Closed(message)),
            Err(TryAcquireError::NoPermits) => Err(error::TrySendError::Full(message)),
        }
    }
}

sender! {
    /// The sending side of an unbounded channel.
    ///
    /// ```
    /// selvedge::check(|| {
    ///     let (sender, _receiver) = selvedge::tokio::sync::mpsc::unbounded_channel();
    ///     sender.clone().send(1).unwrap();
    /// });
    /// ```
    UnboundedSender
}

impl<T> UnboundedSender<T> {
    /// Sends a message.
    ///
    /// ```
    /// selvedge::check(|| {
    ///     let (sender, receiver) = selvedge::tokio::sync::mpsc::unbounded_channel();
    ///     drop(receiver);
    ///     assert!(sender.send(1).is_err());
    /// });
    /// ```
    ///
    /// # Errors
    /// With the message, when the receiver is closed.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), error::SendError<T>> {
        self.channel.put(message, Standing::WithoutPermit)
    }
}

macro_rules! receiver {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        pub struct $name<T> {
            channel: Arc<Channel<T>>,
        }

        impl<T> $name<T> {
            /// Waits for a message; nothing when all senders are gone.
            ///
            /// ```
            /// use selvedge::{future, tokio::sync::mpsc};
            /// selvedge::check(|| {
            ///     let (sender, mut receiver) = mpsc::unbounded_channel::<u8>();
            ///     drop(sender);
            ///     assert_eq!(future::block_on(receiver.recv()), None);
            /// });
            /// ```
            pub async fn recv(&mut self) -> Option<T> {
                poll_fn(|context| self.poll_recv(context)).await
            }

            /// Asks for a message.
            ///
            /// ```
            /// use selvedge::{future, tokio::sync::mpsc};
            /// selvedge::check(|| {
            ///     let mut receiver = mpsc::unbounded_channel::<u8>().1;
            ///     assert_eq!(future::block_on(std::future::poll_fn(|context| receiver.poll_recv(context))), None);
            /// });
            /// ```
            #[track_caller]
            pub fn poll_recv(&mut self, context: &mut Context) -> Poll<Option<T>> {
                self.channel.poll(context)
            }

            /// Waits on the present thread.
            ///
            /// ```
            /// selvedge::check(|| {
            ///     let (sender, mut receiver) = selvedge::tokio::sync::mpsc::unbounded_channel::<u8>();
            ///     drop(sender);
            ///     assert_eq!(receiver.blocking_recv(), None);
            /// });
            /// ```
            #[track_caller]
            pub fn blocking_recv(&mut self) -> Option<T> {
                block_on(self.recv())
            }

            /// A message, if there is one.
            ///
            /// ```
            /// selvedge::check(|| assert!(selvedge::tokio::sync::mpsc::unbounded_channel::<u8>().1.try_recv().is_err()));
            /// ```
            ///
            /// # Errors
            /// When there is none.
            #[track_caller]
            pub fn try_recv(&mut self) -> Result<T, error::TryRecvError> {
                self.channel.try_recv()
            }

            /// Takes no more messages; those that were sent can still be received.
            ///
            /// ```
            /// selvedge::check(|| selvedge::tokio::sync::mpsc::unbounded_channel::<u8>().1.close());
            /// ```
            #[track_caller]
            pub fn close(&mut self) {
                self.channel.close();
            }
        }

        impl<T> Drop for $name<T> {
            fn drop(&mut self) {
                self.channel.close();
                let left = std::mem::take(&mut self.channel.state().queue);
                drop(left);
            }
        }

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}

receiver! {
    /// The receiving side of a bounded channel.
    ///
    /// ```
    /// selvedge::check(|| {
    ///     let (sender, mut receiver) = selvedge::tokio::sync::mpsc::channel(1);
    ///     sender.try_send(1).unwrap();
    ///     assert_eq!(receiver.try_recv(), Ok(1));
    /// });
    /// ```
    Receiver
}

receiver! {
    /// The receiving side of an unbounded channel.
    ///
    /// ```
    /// selvedge::check(|| {
    ///     let (sender, mut receiver) = selvedge::tokio::sync::mpsc::unbounded_channel();
    ///     sender.send(1).unwrap();
    ///     assert_eq!(receiver.try_recv(), Ok(1));
    /// });
    /// ```
    UnboundedReceiver
}

pub mod error {
    //! Why a message was not sent or received.

    use std::fmt;

    pub use std::sync::mpsc::TryRecvError;

    /// The receiver is closed; the message comes back.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub struct SendError<T>(pub T);

    impl<T> fmt::Debug for SendError<T> {
        fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.debug_struct("SendError").finish_non_exhaustive()
        }
    }

    impl<T> fmt::Display for SendError<T> {
        fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("the receiver is closed")
        }
    }

    impl<T> std::error::Error for SendError<T> {}

    /// Why a message was not sent; it comes back.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum TrySendError<T> {
        /// There is no room.
        Full(T),
        /// The receiver is closed.
        Closed(T),
    }
}
