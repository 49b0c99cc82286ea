//! Notifications without a value.

use crate::sync::{Mutex, MutexGuard, PoisonError};
use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

struct Waiter {
    number: u64,
    notified: Notification,
    waker: Waker,
}

/// By what a task that waits was notified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notification {
    None,
    ForOne,
    ForAll,
}

#[derive(Default)]
struct State {
    has_permit: bool,
    /// How often all were notified.
    broadcasts: u64,
    waiters: VecDeque<Waiter>,
    next: u64,
}

/// Notifies tasks, like `tokio::sync::Notify`.
///
/// ```
/// use selvedge::{future, sync::Arc, tokio::sync::Notify};
/// selvedge::check(|| {
///     let notify = Arc::new(Notify::new());
///     let task = future::spawn({ let notify = notify.clone(); async move { notify.notified().await } });
///     notify.notify_one();
///     future::block_on(task);
/// });
/// ```
pub struct Notify {
    state: Mutex<State>,
}

impl Notify {
    /// Without a permit.
    ///
    /// ```
    /// selvedge::check(|| selvedge::tokio::sync::Notify::new().notify_one());
    /// ```
    #[track_caller]
    pub fn new() -> Notify {
        Notify { state: Mutex::new(State::default()) }
    }

    #[track_caller]
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notifies the task that has waited longest, or else leaves a permit for the next.
    ///
    /// ```
    /// use selvedge::{future, tokio::sync::Notify};
    /// selvedge::check(|| {
    ///     let notify = Notify::new();
    ///     notify.notify_one();
    ///     future::block_on(notify.notified());
    /// });
    /// ```
    #[track_caller]
    pub fn notify_one(&self) {
        let woken = notify_first(&mut self.state());
        if let Some(waker) = woken {
            waker.wake();
        }
    }

    /// Notifies all tasks that wait now; leaves no permit.
    ///
    /// ```
    /// use selvedge::{future, tokio::sync::Notify};
    /// selvedge::check(|| {
    ///     let notify = Notify::new();
    ///     let before = notify.notified();
    ///     notify.notify_waiters();
    ///     future::block_on(before);
    /// });
    /// ```
    #[track_caller]
    pub fn notify_waiters(&self) {
        let woken: Vec<Waker> = {
            let mut state = self.state();
            state.broadcasts += 1;
            let waiting = state.waiters.iter_mut().filter(|waiter| waiter.notified == Notification::None);
            waiting
                .map(|waiter| {
                    waiter.notified = Notification::ForAll;
                    waiter.waker.clone()
                })
                .collect()
        };
        woken.into_iter().for_each(Waker::wake);
    }

    /// A wait for a notification. [`notify_waiters`](Notify::notify_waiters) counts from the call, before the first poll.
    ///
    /// ```
    /// use selvedge::{future, tokio::sync::Notify};
    /// let report = selvedge::Checker::new().run(|| future::block_on(Notify::new().notified()));
    /// assert!(report.to_string().contains("deadlock"));
    /// ```
    #[track_caller]
    pub fn notified(&self) -> Notified<'_> {
        Notified { notify: self, broadcasts: self.state().broadcasts, number: None }
    }
}

/// Notifies the first that waits, or leaves a permit.
fn notify_first(state: &mut State) -> Option<Waker> {
    match state.waiters.iter_mut().find(|waiter| waiter.notified == Notification::None) {
        Some(waiter) => {
            waiter.notified = Notification::ForOne;
            Some(waiter.waker.clone())
        }
        None => {
            state.has_permit = true;
            None
        }
    }
}

impl Default for Notify {
    #[track_caller]
    fn default() -> Self {
        Notify::new()
    }
}

impl fmt::Debug for Notify {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Notify").finish_non_exhaustive()
    }
}

/// A wait for a notification of a [`Notify`].
///
/// ```
/// use selvedge::tokio::sync::{Notified, Notify};
/// selvedge::check(|| {
///     let notify = Notify::new();
///     let _wait: Notified = notify.notified();
/// });
/// ```
pub struct Notified<'a> {
    notify: &'a Notify,
    broadcasts: u64,
    number: Option<u64>,
}

impl Future for Notified<'_> {
    type Output = ();

    #[track_caller]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<()> {
        let notify = self.notify;
        let mut state = notify.state();
        let Some(number) = self.number else {
            // As in tokio, the permit goes first, though a broadcast would be enough.
            if std::mem::take(&mut state.has_permit) || state.broadcasts != self.broadcasts {
                return Poll::Ready(());
            }
            let number = state.next;
            state.next += 1;
            state.waiters.push_back(Waiter {
                number,
                notified: Notification::None,
                waker: context.waker().clone(),
            });
            self.number = Some(number);
            return Poll::Pending;
        };
        let Some(position) = state.waiters.iter().position(|waiter| waiter.number == number) else {
            return Poll::Ready(());
        };
        if state.waiters[position].notified == Notification::None {
            state.waiters[position].waker.clone_from(context.waker());
            return Poll::Pending;
        }
        state.waiters.remove(position);
        self.number = None;
        self.broadcasts = u64::MAX;
        Poll::Ready(())
    }
}

impl Drop for Notified<'_> {
    /// A notification for one that comes to a wait which is given up goes to the next.
    fn drop(&mut self) {
        let Some(number) = self.number else { return };
        let woken = {
            let mut state = self.notify.state();
            let Some(position) = state.waiters.iter().position(|waiter| waiter.number == number) else {
                return;
            };
            let waiter = state.waiters.remove(position);
            match waiter.is_some_and(|waiter| waiter.notified == Notification::ForOne) {
                true => notify_first(&mut state),
                false => None,
            }
        };
        if let Some(waker) = woken {
            waker.wake();
        }
    }
}

impl fmt::Debug for Notified<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Notified").finish_non_exhaustive()
    }
}
