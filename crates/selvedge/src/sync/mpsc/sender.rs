//! The sending ends.

use super::{Channel, SendError, TrySendError, kinds};
use crate::runtime::{Operation, perform, perform_at_drop, with};
use std::fmt;
use std::sync::Arc;

/// The sending end of a channel without bound, like [`std::sync::mpsc::Sender`].
///
/// ```
/// use selvedge::sync::mpsc::{self, Sender};
/// selvedge::check(|| {
///     let (sender, receiver): (Sender<u8>, _) = mpsc::channel();
///     sender.clone().send(1).unwrap();
///     drop(receiver);
///     assert!(sender.send(2).is_err());
/// });
/// ```
pub struct Sender<T> {
    pub(super) channel: Arc<Channel<T>>,
}

impl<T> Sender<T> {
    /// Sends a message.
    ///
    /// ```
    /// use selvedge::sync::mpsc;
    /// selvedge::check(|| {
    ///     let (sender, receiver) = mpsc::channel();
    ///     sender.send(1).unwrap();
    ///     assert_eq!(receiver.recv(), Ok(1));
    /// });
    /// ```
    ///
    /// # Errors
    /// With the message, when there is no receiver.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        match perform(self.channel.object.operation(&kinds::SEND)) {
            kinds::CLOSED => Err(SendError(message)),
            _ => {
                self.channel.push(message);
                Ok(())
            }
        }
    }
}

impl<T> Clone for Sender<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        perform(self.channel.object.operation(&kinds::CLONE_SENDER));
        Sender { channel: Arc::clone(&self.channel) }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        perform_at_drop(self.channel.at_drop(&kinds::DROP_SENDER));
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

/// The sending end of a channel with a bound, like [`std::sync::mpsc::SyncSender`].
///
/// ```
/// use selvedge::sync::mpsc::{self, SyncSender};
/// selvedge::check(|| {
///     let (sender, _receiver): (SyncSender<u8>, _) = mpsc::sync_channel(1);
///     sender.send(1).unwrap();
///     assert!(sender.try_send(2).is_err());
/// });
/// ```
pub struct SyncSender<T> {
    pub(super) channel: Arc<Channel<T>>,
}

impl<T> SyncSender<T> {
    /// Waits for room and sends a message.
    ///
    /// ```
    /// use selvedge::sync::mpsc;
    /// selvedge::check(|| {
    ///     let (sender, receiver) = mpsc::sync_channel(1);
    ///     sender.send(1).unwrap();
    ///     assert_eq!(receiver.recv(), Ok(1));
    /// });
    /// ```
    ///
    /// # Errors
    /// With the message, when there is no receiver.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        let operation = self.channel.object.operation(&kinds::SEND_BOUNDED);
        let result = perform(Operation { a: self.channel.room(), ..operation });
        if result == kinds::CLOSED {
            return Err(SendError(message));
        }
        self.channel.push(message);
        if self.channel.bound == Some(0) {
            let operation = self.channel.object.operation(&kinds::HAND_OVER);
            let handed = perform(Operation { a: result >> 2, ..operation });
            if handed == kinds::CLOSED
                && let Some(message) = self.channel.pop()
            {
                return Err(SendError(message));
            }
        }
        Ok(())
    }

    /// Sends a message if there is room: with a bound of 0, if a receiver waits for it.
    ///
    /// ```
    /// use selvedge::sync::mpsc;
    /// selvedge::check(|| {
    ///     let (sender, _receiver) = mpsc::sync_channel(1);
    ///     assert!(sender.try_send(1).is_ok());
    ///     assert!(sender.try_send(2).is_err());
    /// });
    /// ```
    ///
    /// # Errors
    /// With the message, when there is no room, or no receiver.
    #[track_caller]
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        let kind = match self.channel.bound {
            Some(0) => {
                with(|x| x.refute(|assumptions| assumptions.receivers_are_awaited = true));
                &kinds::TRY_HAND_OVER
            }
            _ => &kinds::TRY_SEND,
        };
        let operation = self.channel.object.operation(kind);
        match perform(Operation { a: self.channel.room(), ..operation }) {
            kinds::CLOSED => Err(TrySendError::Disconnected(message)),
            kinds::LATER => Err(TrySendError::Full(message)),
            _ => {
                self.channel.push(message);
                Ok(())
            }
        }
    }
}

impl<T> Clone for SyncSender<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        perform(self.channel.object.operation(&kinds::CLONE_SENDER));
        SyncSender { channel: Arc::clone(&self.channel) }
    }
}

impl<T> Drop for SyncSender<T> {
    fn drop(&mut self) {
        perform_at_drop(self.channel.at_drop(&kinds::DROP_SENDER));
    }
}

impl<T> fmt::Debug for SyncSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("SyncSender").finish_non_exhaustive()
    }
}
