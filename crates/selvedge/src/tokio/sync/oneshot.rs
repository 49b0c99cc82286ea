//! Channels for one message.

use crate::future::block_on;
use crate::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

struct State<T> {
    message: Option<T>,
    has_sender: bool,
    is_closed: bool,
    waker: Option<Waker>,
}

struct Channel<T>(Mutex<State<T>>);

impl<T> Channel<T> {
    #[track_caller]
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A channel for one message, like `tokio::sync::oneshot::channel`.
///
/// ```
/// use selvedge::{future, tokio::sync::oneshot};
/// selvedge::check(|| {
///     let (sender, receiver) = oneshot::channel();
///     let task = future::spawn(async move { sender.send(3) });
///     assert_eq!(future::block_on(receiver), Ok(3));
///     assert!(future::block_on(task).is_ok());
/// });
/// ```
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let state = State { message: None, has_sender: true, is_closed: false, waker: None };
    let channel = Arc::new(Channel(Mutex::new(state)));
    (Sender { channel: Arc::clone(&channel), is_spent: false }, Receiver { channel })
}

/// The sending side.
///
/// ```
/// selvedge::check(|| {
///     let (sender, receiver) = selvedge::tokio::sync::oneshot::channel();
///     drop(receiver);
///     assert_eq!(sender.send(1), Err(1));
/// });
/// ```
pub struct Sender<T> {
    channel: Arc<Channel<T>>,
    /// The message was sent, or refused.
    is_spent: bool,
}

impl<T> Sender<T> {
    /// Sends the message.
    ///
    /// ```
    /// selvedge::check(|| {
    ///     let (sender, mut receiver) = selvedge::tokio::sync::oneshot::channel();
    ///     sender.send(1).unwrap();
    ///     assert_eq!(receiver.try_recv(), Ok(1));
    /// });
    /// ```
    ///
    /// # Errors
    /// With the message, when the receiver is closed.
    #[track_caller]
    pub fn send(mut self, message: T) -> Result<(), T> {
        let (sent, waker) = {
            let mut state = self.channel.state();
            state.has_sender = false;
            let is_closed = state.is_closed;
            match is_closed {
                true => (Err(message), None),
                false => {
                    state.message = Some(message);
                    (Ok(()), state.waker.take())
                }
            }
        };
        self.is_spent = true;
        if let Some(waker) = waker {
            waker.wake();
        }
        sent
    }

    /// Whether the receiver is closed.
    ///
    /// ```
    /// selvedge::check(|| {
    ///     let (sender, receiver) = selvedge::tokio::sync::oneshot::channel::<u8>();
    ///     drop(receiver);
    ///     assert!(sender.is_closed());
    /// });
    /// ```
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.channel.state().is_closed
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        if self.is_spent {
            return;
        }
        let waker = {
            let mut state = self.channel.state();
            state.has_sender = false;
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

/// The receiving side: a future with the message.
///
/// ```
/// use selvedge::tokio::sync::oneshot;
/// selvedge::check(|| {
///     let (sender, receiver) = oneshot::channel::<u8>();
///     drop(sender);
///     assert!(receiver.blocking_recv().is_err());
/// });
/// ```
pub struct Receiver<T> {
    channel: Arc<Channel<T>>,
}

impl<T> Receiver<T> {
    /// The message, if it is there.
    ///
    /// ```
    /// use selvedge::tokio::sync::oneshot::{self, error::TryRecvError};
    /// selvedge::check(|| {
    ///     let (_sender, mut receiver) = oneshot::channel::<u8>();
    ///     assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    /// });
    /// ```
    ///
    /// # Errors
    /// When it is not.
    #[track_caller]
    pub fn try_recv(&mut self) -> Result<T, error::TryRecvError> {
        let mut state = self.channel.state();
        match state.message.take() {
            Some(message) => Ok(message),
            None if state.has_sender && !state.is_closed => Err(error::TryRecvError::Empty),
            None => Err(error::TryRecvError::Closed),
        }
    }

    /// Waits on the present thread.
    ///
    /// ```
    /// selvedge::check(|| {
    ///     let (sender, receiver) = selvedge::tokio::sync::oneshot::channel();
    ///     sender.send(1).unwrap();
    ///     assert_eq!(receiver.blocking_recv(), Ok(1));
    /// });
    /// ```
    ///
    /// # Errors
    /// When the sender is gone.
    #[track_caller]
    pub fn blocking_recv(self) -> Result<T, error::RecvError> {
        block_on(self)
    }

    /// Takes no message any longer; one that was sent can still be received.
    ///
    /// ```
    /// selvedge::check(|| {
    ///     let (sender, mut receiver) = selvedge::tokio::sync::oneshot::channel();
    ///     receiver.close();
    ///     assert_eq!(sender.send(1), Err(1));
    /// });
    /// ```
    #[track_caller]
    pub fn close(&mut self) {
        self.channel.state().is_closed = true;
    }
}

impl<T> Future for Receiver<T> {
    type Output = Result<T, error::RecvError>;

    #[track_caller]
    fn poll(self: Pin<&mut Self>, context: &mut Context) -> Poll<Self::Output> {
        let mut state = self.channel.state();
        match state.message.take() {
            Some(message) => Poll::Ready(Ok(message)),
            None if state.has_sender && !state.is_closed => {
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
            None => Poll::Ready(Err(error::RecvError(()))),
        }
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let unread = {
            let mut state = self.channel.state();
            state.is_closed = true;
            state.message.take()
        };
        drop(unread);
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}

pub mod error {
    //! Why there is no message.

    use std::fmt;

    /// The sender is gone.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct RecvError(pub(super) ());

    impl fmt::Display for RecvError {
        fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("the sender is gone")
        }
    }

    impl std::error::Error for RecvError {}

    /// Why there is no message now.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum TryRecvError {
        /// It may still come.
        Empty,
        /// The sender is gone.
        Closed,
    }

    impl fmt::Display for TryRecvError {
        fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str(match self {
                TryRecvError::Empty => "there is no message yet",
                TryRecvError::Closed => "the sender is gone",
            })
        }
    }

    impl std::error::Error for TryRecvError {}
}
