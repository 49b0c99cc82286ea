//! The receiving end.

use super::{Channel, RecvError, RecvTimeoutError, TryRecvError, kinds};
use crate::runtime::{Operation, Place, perform, perform_at_drop, with};
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

/// The receiving end of a channel, like [`std::sync::mpsc::Receiver`].
///
/// ```
/// use selvedge::sync::mpsc::{self, Receiver};
/// selvedge::check(|| {
///     let (sender, receiver): (_, Receiver<u8>) = mpsc::channel();
///     assert!(receiver.try_recv().is_err());
///     sender.send(1).unwrap();
///     drop(sender);
///     assert_eq!(receiver.iter().collect::<Vec<_>>(), [1]);
/// });
/// ```
pub struct Receiver<T> {
    pub(super) channel: Arc<Channel<T>>,
    /// There is one receiver at a time, as in std.
    pub(super) not_sync: PhantomData<Cell<()>>,
}

impl<T> Receiver<T> {
    /// Waits for the next message.
    ///
    /// ```
    /// use selvedge::sync::mpsc;
    /// use std::time::Duration;
    /// selvedge::check(|| {
    ///     let (sender, receiver) = mpsc::channel();
    ///     sender.send(1).unwrap();
    ///     assert_eq!(receiver.recv(), Ok(1));
    /// });
    /// ```
    ///
    /// # Errors
    /// When there is none, and no sender.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        self.recv_at(Location::caller())
    }

    /// If somebody may try to send only if a receiver waits: this one does from now on.
    fn await_sender(&self, place: Place) {
        if self.channel.bound == Some(0) && with(|x| x.assumptions.receivers_are_awaited) {
            perform(Operation { place, ..self.channel.object.operation(&kinds::AWAIT) });
        }
    }

    fn recv_at(&self, place: Place) -> Result<T, RecvError> {
        self.await_sender(place);
        match perform(Operation { place, ..self.channel.object.operation(&kinds::RECV) }) {
            kinds::MOVED => self.channel.pop().ok_or(RecvError),
            _ => Err(RecvError),
        }
    }

    /// The next message, if it is there.
    ///
    /// ```
    /// use selvedge::sync::mpsc;
    /// use std::time::Duration;
    /// selvedge::check(|| {
    ///     let (sender, receiver) = mpsc::channel();
    ///     sender.send(1).unwrap();
    ///     assert_eq!(receiver.try_recv(), Ok(1));
    ///     assert!(receiver.try_recv().is_err());
    /// });
    /// ```
    ///
    /// # Errors
    /// When it is not.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        match perform(self.channel.object.operation(&kinds::TRY_RECV)) {
            kinds::MOVED => self.channel.pop().ok_or(TryRecvError::Disconnected),
            kinds::LATER => Err(TryRecvError::Empty),
            _ => Err(TryRecvError::Disconnected),
        }
    }

    /// Waits for the next message until the time is up: both are explored.
    ///
    /// ```
    /// use selvedge::sync::mpsc;
    /// use std::time::Duration;
    /// selvedge::check(|| {
    ///     let (sender, receiver) = mpsc::channel();
    ///     sender.send(1).unwrap();
    ///     assert_eq!(receiver.recv_timeout(Duration::from_secs(1)), Ok(1));
    ///     assert!(receiver.recv_timeout(Duration::from_secs(1)).is_err());
    /// });
    /// ```
    ///
    /// # Errors
    /// When the time is up, or when there is no message and no sender.
    #[track_caller]
    pub fn recv_timeout(&self, _timeout: Duration) -> Result<T, RecvTimeoutError> {
        self.await_sender(Location::caller());
        match perform(self.channel.object.operation(&kinds::RECV_TIMEOUT)) {
            kinds::MOVED => self.channel.pop().ok_or(RecvTimeoutError::Disconnected),
            kinds::LATER => Err(RecvTimeoutError::Timeout),
            _ => Err(RecvTimeoutError::Disconnected),
        }
    }

    /// All messages, waiting for each, until there is no sender.
    ///
    /// ```
    /// use selvedge::sync::mpsc;
    /// use std::time::Duration;
    /// selvedge::check(|| {
    ///     let (sender, receiver) = mpsc::channel();
    ///     sender.send(1).unwrap();
    ///     drop(sender);
    ///     assert_eq!(receiver.iter().count(), 1);
    /// });
    /// ```
    #[track_caller]
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { receiver: self, place: Location::caller() }
    }

    /// The messages that are there.
    ///
    /// ```
    /// use selvedge::sync::mpsc;
    /// use std::time::Duration;
    /// selvedge::check(|| {
    ///     let (sender, receiver) = mpsc::channel();
    ///     sender.send(1).unwrap();
    ///     assert_eq!(receiver.try_iter().count(), 1);
    /// });
    /// ```
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter { receiver: self }
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        perform_at_drop(self.channel.at_drop(&kinds::DROP_RECEIVER));
        while let Some(message) = self.channel.pop() {
            drop(message);
        }
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}

/// The messages of a channel, from [`Receiver::iter`].
///
/// ```
/// selvedge::check(|| {
///     let (sender, receiver) = selvedge::sync::mpsc::channel();
///     sender.send(1).unwrap();
///     drop(sender);
///     assert_eq!(receiver.iter().count(), 1);
/// });
/// ```
#[derive(Debug)]
pub struct Iter<'a, T> {
    receiver: &'a Receiver<T>,
    /// Where the loop is.
    place: Place,
}

impl<T> Iterator for Iter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.receiver.recv_at(self.place).ok()
    }
}

/// The messages of a channel that are there, from [`Receiver::try_iter`].
///
/// ```
/// selvedge::check(|| {
///     let (sender, receiver) = selvedge::sync::mpsc::channel();
///     sender.send(1).unwrap();
///     assert_eq!(receiver.try_iter().count(), 1);
/// });
/// ```
#[derive(Debug)]
pub struct TryIter<'a, T> {
    receiver: &'a Receiver<T>,
}

impl<T> Iterator for TryIter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.receiver.try_recv().ok()
    }
}

/// The messages of a channel, from a receiver that is given away.
///
/// ```
/// selvedge::check(|| {
///     let (sender, receiver) = selvedge::sync::mpsc::channel();
///     sender.send(1).unwrap();
///     drop(sender);
///     assert_eq!(receiver.into_iter().count(), 1);
/// });
/// ```
#[derive(Debug)]
pub struct IntoIter<T> {
    receiver: Receiver<T>,
    /// Where the loop is.
    place: Place,
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.receiver.recv_at(self.place).ok()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    #[track_caller]
    fn into_iter(self) -> IntoIter<T> {
        IntoIter { receiver: self, place: Location::caller() }
    }
}

impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    #[track_caller]
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}
