//! A channel without room as a model: whoever comes first waits for the other side, in the order of arrival.
//!
//! crossbeam's own needs two threads to meet, so that it cannot be run on one.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// Who waits, and what was handed over to whom.
#[derive(Default)]
pub struct Meeting {
    offers: VecDeque<(usize, usize)>,
    waiting: VecDeque<usize>,
    delivered: BTreeMap<usize, usize>,
    next: usize,
    wakers: Vec<Waker>,
    pub senders: usize,
    pub receivers: usize,
}

/// A meeting that both sides have.
pub type Shared = Rc<RefCell<Meeting>>;

impl Meeting {
    /// One sender and one receiver.
    pub fn new() -> Meeting {
        Meeting { senders: 1, receivers: 1, ..Meeting::default() }
    }

    /// Everybody looks again.
    pub fn wake(&mut self) {
        self.wakers.drain(..).for_each(Waker::wake);
    }

    fn number(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    /// Hands a message to the first who waits.
    pub fn try_put(&mut self, message: usize) -> Option<()> {
        let receiver = self.waiting.pop_front()?;
        self.delivered.insert(receiver, message);
        self.wake();
        Some(())
    }

    /// Takes the first message that is offered.
    pub fn try_take(&mut self) -> Option<usize> {
        let (_, message) = self.offers.pop_front()?;
        self.wake();
        Some(message)
    }

    /// Offers a message and waits; `offer` is its number from the second call on.
    pub fn poll_put(&mut self, offer: &mut Option<usize>, message: usize, context: &Context) -> Poll<bool> {
        if let Some(number) = *offer {
            let Some(position) = self.offers.iter().position(|(offered, _)| *offered == number) else {
                return Poll::Ready(true);
            };
            if self.receivers == 0 {
                self.offers.remove(position);
                return Poll::Ready(false);
            }
        } else {
            if self.receivers == 0 {
                return Poll::Ready(false);
            }
            if self.try_put(message).is_some() {
                return Poll::Ready(true);
            }
            let number = self.number();
            self.offers.push_back((number, message));
            *offer = Some(number);
        }
        self.wakers.push(context.waker().clone());
        Poll::Pending
    }

    /// Waits for a message; `place` is the receiver's number from the second call on. Nothing comes if all senders are gone.
    pub fn poll_take(&mut self, place: &mut Option<usize>, context: &Context) -> Poll<Option<usize>> {
        match *place {
            Some(number) => {
                if let Some(message) = self.delivered.remove(&number) {
                    return Poll::Ready(Some(message));
                }
                if self.senders == 0 {
                    self.leave(number);
                    return Poll::Ready(None);
                }
            }
            None => {
                if let Some(message) = self.try_take() {
                    return Poll::Ready(Some(message));
                }
                if self.senders == 0 {
                    return Poll::Ready(None);
                }
                let number = self.number();
                self.waiting.push_back(number);
                *place = Some(number);
            }
        }
        self.wakers.push(context.waker().clone());
        Poll::Pending
    }

    /// A receiver waits no longer.
    pub fn leave(&mut self, number: usize) {
        self.waiting.retain(|waiting| *waiting != number);
    }
}
