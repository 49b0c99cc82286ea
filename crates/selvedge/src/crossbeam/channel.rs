//! Channels with several receivers, with the names of `crossbeam::channel`.
//!
//! A channel is a queue under a mutex with two condition variables; in one without capacity the two sides meet (`rendezvous.rs`).

mod rendezvous;

use crate::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use rendezvous::Rendezvous;
use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

struct State<T> {
    queue: VecDeque<T>,
    /// Who waits at a channel without capacity.
    rendezvous: Rendezvous<T>,
    senders: usize,
    receivers: usize,
}

struct Channel<T> {
    state: Mutex<State<T>>,
    capacity: Option<usize>,
    /// A message came, or the last sender went.
    filled: Condvar,
    /// A message was taken, or the last receiver went.
    emptied: Condvar,
}

impl<T> Channel<T> {
    #[track_caller]
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_rendezvous(&self) -> bool {
        self.capacity == Some(0)
    }

    fn has_room(&self, state: &State<T>) -> bool {
        self.capacity.is_none_or(|capacity| state.queue.len() < capacity)
    }

    #[track_caller]
    fn put(&self, state: &mut State<T>, message: T) {
        state.queue.push_back(message);
        self.filled.notify_one();
    }

    #[track_caller]
    fn take(&self, state: &mut State<T>) -> Option<T> {
        if self.is_rendezvous() {
            return state.rendezvous.take();
        }
        let message = state.queue.pop_front()?;
        if self.capacity.is_some() {
            self.emptied.notify_all();
        }
        Some(message)
    }

    /// Waits until a message is taken.
    #[track_caller]
    fn meet_receiver(&self, mut state: MutexGuard<'_, State<T>>, message: T) -> Result<(), SendError<T>> {
        if state.receivers == 0 {
            return Err(SendError(message));
        }
        let Err(message) = state.rendezvous.hand_over(message) else { return Ok(()) };
        let (number, taken) = state.rendezvous.offer(message);
        while state.rendezvous.is_offered(number) && state.receivers > 0 {
            state = taken.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.rendezvous.withdraw(number).map_or(Ok(()), |message| Err(SendError(message)))
    }

    /// Waits until a message is handed over.
    #[track_caller]
    fn meet_sender(&self, mut state: MutexGuard<'_, State<T>>) -> Result<T, RecvError> {
        let (number, filled) = state.rendezvous.wait();
        while !state.rendezvous.is_filled(number) && state.senders > 0 {
            state = filled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.rendezvous.leave(number).ok_or(RecvError)
    }

    /// Waits until a message is handed over, or the time is up.
    #[track_caller]
    fn meet_sender_for(
        &self,
        mut state: MutexGuard<'_, State<T>>,
        timeout: Duration,
    ) -> Result<T, RecvTimeoutError> {
        let (number, filled) = state.rendezvous.wait();
        let mut is_up = false;
        while !state.rendezvous.is_filled(number) && state.senders > 0 && !is_up {
            let (after, result) = filled.wait_timeout(state, timeout).unwrap_or_else(PoisonError::into_inner);
            (state, is_up) = (after, result.timed_out());
        }
        let why_not =
            if state.senders == 0 { RecvTimeoutError::Disconnected } else { RecvTimeoutError::Timeout };
        state.rendezvous.leave(number).ok_or(why_not)
    }
}

#[track_caller]
fn channel<T>(capacity: Option<usize>) -> (Sender<T>, Receiver<T>) {
    let state = State { queue: VecDeque::new(), rendezvous: Rendezvous::new(), senders: 1, receivers: 1 };
    let channel = Arc::new(Channel {
        state: Mutex::new(state),
        capacity,
        filled: Condvar::new(),
        emptied: Condvar::new(),
    });
    (Sender { channel: Arc::clone(&channel) }, Receiver { channel })
}

/// A channel with room for every message.
///
/// ```
/// use selvedge::crossbeam::channel::unbounded;
/// use selvedge::thread;
/// selvedge::check(|| {
///     let (sender, receiver) = unbounded();
///     let other = thread::spawn(move || sender.send(7).unwrap());
///     assert_eq!(receiver.recv(), Ok(7));
///     assert!(receiver.recv().is_err());
///     other.join().unwrap();
/// });
/// ```
#[track_caller]
pub fn unbounded<T>() -> (Sender<T>, Receiver<T>) {
    channel(None)
}

/// A channel with room for so many messages; with none, a sender waits until its message is taken.
///
/// ```
/// use selvedge::crossbeam::channel::bounded;
/// use selvedge::thread;
/// selvedge::check(|| {
///     let (sender, receiver) = bounded(0);
///     let other = thread::spawn(move || sender.send("meet").unwrap());
///     assert_eq!(receiver.recv(), Ok("meet"));
///     other.join().unwrap();
/// });
/// ```
#[track_caller]
pub fn bounded<T>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    channel(Some(capacity))
}

/// The sending side of a channel.
///
/// ```
/// use selvedge::crossbeam::channel::{Sender, unbounded};
/// selvedge::check(|| {
///     let (sender, receiver) = unbounded();
///     let other: Sender<u8> = sender.clone();
///     other.send(1).unwrap();
///     assert_eq!((receiver.len(), receiver.is_empty()), (1, false));
/// });
/// ```
pub struct Sender<T> {
    channel: Arc<Channel<T>>,
}

impl<T> Sender<T> {
    /// Sends a message; waits for room.
    ///
    /// ```
    /// selvedge::check(|| {
    ///     let (sender, receiver) = selvedge::crossbeam::channel::unbounded();
    ///     drop(receiver);
    ///     assert!(sender.send(1).is_err());
    /// });
    /// ```
    ///
    /// # Errors
    /// With the message, when there is no receiver.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        let mut state = self.channel.state();
        if self.channel.is_rendezvous() {
            return self.channel.meet_receiver(state, message);
        }
        while state.receivers > 0 && !self.channel.has_room(&state) {
            state = self.channel.emptied.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.receivers == 0 {
            return Err(SendError(message));
        }
        self.channel.put(&mut state, message);
        Ok(())
    }

    /// Sends a message if there is room; in a channel without capacity, if a receiver waits.
    ///
    /// ```
    /// use selvedge::crossbeam::channel::bounded;
    /// selvedge::check(|| {
    ///     let (sender, _receiver) = bounded(1);
    ///     assert!(sender.try_send(1).is_ok() && sender.try_send(2).is_err());
    /// });
    /// ```
    ///
    /// # Errors
    /// With the message, when there is no room, or no receiver.
    #[track_caller]
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        let mut state = self.channel.state();
        if state.receivers == 0 {
            return Err(TrySendError::Disconnected(message));
        }
        if self.channel.is_rendezvous() {
            return state.rendezvous.hand_over(message).map_err(TrySendError::Full);
        }
        if !self.channel.has_room(&state) {
            return Err(TrySendError::Full(message));
        }
        self.channel.put(&mut state, message);
        Ok(())
    }
}

impl<T> Clone for Sender<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        self.channel.state().senders += 1;
        Sender { channel: Arc::clone(&self.channel) }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        let mut state = self.channel.state();
        state.senders -= 1;
        if state.senders == 0 {
            self.channel.filled.notify_all();
            state.rendezvous.notify_all();
        }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad("Sender { .. }")
    }
}

/// The receiving side of a channel; each message goes to one of its clones.
///
/// ```
/// use selvedge::crossbeam::channel::{Receiver, unbounded};
/// use selvedge::thread;
/// selvedge::check(|| {
///     let (sender, receiver) = unbounded();
///     let other: Receiver<u8> = receiver.clone();
///     let other = thread::spawn(move || other.recv().is_ok());
///     sender.send(1).unwrap();
///     drop(sender);
///     assert_ne!(receiver.recv().is_ok(), other.join().unwrap());
/// });
/// ```
pub struct Receiver<T> {
    channel: Arc<Channel<T>>,
}

impl<T> Receiver<T> {
    /// Waits for a message.
    ///
    /// ```
    /// selvedge::check(|| {
    ///     let (sender, receiver) = selvedge::crossbeam::channel::unbounded();
    ///     sender.send(1).unwrap();
    ///     assert_eq!(receiver.recv(), Ok(1));
    /// });
    /// ```
    ///
    /// # Errors
    /// When there is no message and no sender.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        let mut state = self.channel.state();
        loop {
            if let Some(message) = self.channel.take(&mut state) {
                return Ok(message);
            }
            if state.senders == 0 {
                return Err(RecvError);
            }
            if self.channel.is_rendezvous() {
                return self.channel.meet_sender(state);
            }
            state = self.channel.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A message, if there is one.
    ///
    /// ```
    /// use selvedge::crossbeam::channel::{TryRecvError, unbounded};
    /// selvedge::check(|| {
    ///     let (_sender, receiver) = unbounded::<u8>();
    ///     assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    /// });
    /// ```
    ///
    /// # Errors
    /// When there is none.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        let mut state = self.channel.state();
        match self.channel.take(&mut state) {
            Some(message) => Ok(message),
            None if state.senders == 0 => Err(TryRecvError::Disconnected),
            None => Err(TryRecvError::Empty),
        }
    }

    /// A message, or the time is up: if there is none now, a later one is as good as none.
    ///
    /// ```
    /// use std::time::Duration;
    /// selvedge::check(|| {
    ///     let (_sender, receiver) = selvedge::crossbeam::channel::unbounded::<u8>();
    ///     assert!(receiver.recv_timeout(Duration::from_secs(1)).is_err());
    /// });
    /// ```
    ///
    /// # Errors
    /// When there is none.
    #[track_caller]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        let mut state = self.channel.state();
        match self.channel.take(&mut state) {
            Some(message) => Ok(message),
            None if state.senders == 0 => Err(RecvTimeoutError::Disconnected),
            // Whether somebody waits is seen here only.
            None if self.channel.is_rendezvous() => self.channel.meet_sender_for(state, timeout),
            None => Err(RecvTimeoutError::Timeout),
        }
    }

    /// The number of messages.
    ///
    /// ```
    /// selvedge::check(|| assert_eq!(selvedge::crossbeam::channel::unbounded::<u8>().1.len(), 0));
    /// ```
    #[track_caller]
    pub fn len(&self) -> usize {
        self.channel.state().queue.len()
    }

    /// Whether there is no message.
    ///
    /// ```
    /// selvedge::check(|| assert!(selvedge::crossbeam::channel::unbounded::<u8>().1.is_empty()));
    /// ```
    #[track_caller]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The messages up to the end of the last sender.
    ///
    /// ```
    /// selvedge::check(|| {
    ///     let (sender, receiver) = selvedge::crossbeam::channel::unbounded();
    ///     sender.send(1).unwrap();
    ///     drop(sender);
    ///     assert_eq!(receiver.iter().sum::<u8>(), 1);
    /// });
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = T> {
        std::iter::from_fn(|| self.recv().ok())
    }

    /// The messages that are there.
    ///
    /// ```
    /// selvedge::check(|| assert_eq!(selvedge::crossbeam::channel::unbounded::<u8>().1.try_iter().count(), 0));
    /// ```
    pub fn try_iter(&self) -> impl Iterator<Item = T> {
        std::iter::from_fn(|| self.try_recv().ok())
    }
}

impl<T> Clone for Receiver<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        self.channel.state().receivers += 1;
        Receiver { channel: Arc::clone(&self.channel) }
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let unread = {
            let mut state = self.channel.state();
            state.receivers -= 1;
            if state.receivers > 0 {
                return;
            }
            self.channel.emptied.notify_all();
            state.rendezvous.notify_all();
            std::mem::take(&mut state.queue)
        };
        // As in crossbeam, messages go with the last receiver; what they own may be waited for.
        drop(unread);
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad("Receiver { .. }")
    }
}
