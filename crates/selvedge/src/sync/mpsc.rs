//! Channels with many senders and one receiver, like [`std::sync::mpsc`].
//!
//! Sends do not commute with each other: they decide the order of the messages. A `recv` only waits for the message that
//! is its turn, so it commutes with all other sends; a `try_recv` reads whether it is there.
//!
//! ```
//! use selvedge::sync::mpsc;
//! use selvedge::thread;
//!
//! selvedge::check(|| {
//!     let (sender, receiver) = mpsc::channel();
//!     thread::spawn(move || sender.send(5).unwrap());
//!     assert_eq!(receiver.recv(), Ok(5));
//!     assert!(receiver.recv().is_err());
//! });
//! ```

mod kinds;
mod receiver;
mod sender;

pub use receiver::{IntoIter, Iter, Receiver, TryIter};
pub use sender::{Sender, SyncSender};
pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

use crate::runtime::{Object, Operation, Place};
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::{Arc, Mutex};

/// What the ends of a channel share.
struct Channel<T> {
    object: Object,
    messages: Mutex<VecDeque<T>>,
    /// How many messages fit; nothing for any number.
    bound: Option<usize>,
    made: Place,
}

impl<T> Channel<T> {
    #[track_caller]
    fn new(bound: Option<usize>) -> Arc<Channel<T>> {
        let object = Object::with_locations("channel", &[0, 0, 1, 1, 0, 0]);
        Arc::new(Channel { object, messages: Mutex::default(), bound, made: Location::caller() })
    }

    /// The bound as the model wants it: 0 for none; a channel without room holds one message until it is taken.
    fn room(&self) -> u64 {
        self.bound.map_or(0, |bound| bound.max(1) as u64)
    }

    fn push(&self, message: T) {
        if let Ok(mut messages) = self.messages.lock() {
            messages.push_back(message);
        }
    }

    fn pop(&self) -> Option<T> {
        self.messages.lock().ok().and_then(|mut messages| messages.pop_front())
    }

    /// An operation of a destructor, shown where the channel was made.
    fn at_drop(&self, kind: &'static crate::runtime::Kind) -> Operation {
        Operation { place: self.made, ..self.object.operation(kind) }
    }
}

/// A channel that holds any number of messages, like [`std::sync::mpsc::channel`].
///
/// ```
/// selvedge::check(|| {
///     let (sender, receiver) = selvedge::sync::mpsc::channel();
///     sender.send('a').unwrap();
///     assert_eq!(receiver.recv(), Ok('a'));
/// });
/// ```
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let channel = Channel::new(None);
    (Sender { channel: Arc::clone(&channel) }, Receiver { channel, not_sync: PhantomData })
}

/// A channel that holds a limited number of messages, like [`std::sync::mpsc::sync_channel`]. With a bound of 0, a
/// send waits until its message is received.
///
/// ```
/// use selvedge::thread;
/// selvedge::check(|| {
///     let (sender, receiver) = selvedge::sync::mpsc::sync_channel(0);
///     thread::spawn(move || sender.send('a').unwrap());
///     assert_eq!(receiver.recv(), Ok('a'));
/// });
/// ```
#[track_caller]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    let channel = Channel::new(Some(bound));
    (SyncSender { channel: Arc::clone(&channel) }, Receiver { channel, not_sync: PhantomData })
}
