//! A channel without capacity: whoever comes first waits for the other side.
//!
//! Both sides queue up in the order of their arrival. A message is handed to a certain receiver, so that no other can take it.

use crate::sync::Condvar;
use std::collections::VecDeque;
use std::sync::Arc;

/// A sender with its message.
struct Offer<T> {
    number: u64,
    message: T,
    taken: Arc<Condvar>,
}

/// A receiver that waits, or that has not looked yet at what it was handed.
struct Place<T> {
    number: u64,
    message: Option<T>,
    filled: Arc<Condvar>,
}

/// The two queues.
pub(super) struct Rendezvous<T> {
    offers: VecDeque<Offer<T>>,
    places: VecDeque<Place<T>>,
    next: u64,
}

impl<T> Rendezvous<T> {
    pub fn new() -> Rendezvous<T> {
        Rendezvous { offers: VecDeque::new(), places: VecDeque::new(), next: 0 }
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Hands a message to the first receiver who waits; gives it back if there is none.
    #[track_caller]
    pub fn hand_over(&mut self, message: T) -> Result<(), T> {
        let Some(place) = self.places.iter_mut().find(|place| place.message.is_none()) else {
            return Err(message);
        };
        place.message = Some(message);
        place.filled.notify_one();
        Ok(())
    }

    /// Offers a message; the condition variable is notified when it is taken, or all receivers are gone.
    #[track_caller]
    pub fn offer(&mut self, message: T) -> (u64, Arc<Condvar>) {
        let (number, taken) = (self.number(), Arc::new(Condvar::new()));
        self.offers.push_back(Offer { number, message, taken: Arc::clone(&taken) });
        (number, taken)
    }

    /// The first message that is offered.
    #[track_caller]
    pub fn take(&mut self) -> Option<T> {
        let offer = self.offers.pop_front()?;
        offer.taken.notify_one();
        Some(offer.message)
    }

    pub fn is_offered(&self, number: u64) -> bool {
        self.offers.iter().any(|offer| offer.number == number)
    }

    /// Takes an offer back.
    pub fn withdraw(&mut self, number: u64) -> Option<T> {
        let position = self.offers.iter().position(|offer| offer.number == number)?;
        self.offers.remove(position).map(|offer| offer.message)
    }

    /// Waits for a message; the condition variable is notified when there is one, or all senders are gone.
    #[track_caller]
    pub fn wait(&mut self) -> (u64, Arc<Condvar>) {
        let (number, filled) = (self.number(), Arc::new(Condvar::new()));
        self.places.push_back(Place { number, message: None, filled: Arc::clone(&filled) });
        (number, filled)
    }

    pub fn is_filled(&self, number: u64) -> bool {
        self.places.iter().any(|place| place.number == number && place.message.is_some())
    }

    /// Waits no longer; returns what was handed over.
    pub fn leave(&mut self, number: u64) -> Option<T> {
        let position = self.places.iter().position(|place| place.number == number)?;
        self.places.remove(position)?.message
    }

    /// One side is gone.
    #[track_caller]
    pub fn notify_all(&self) {
        self.offers.iter().for_each(|offer| offer.taken.notify_one());
        self.places.iter().for_each(|place| place.filled.notify_one());
    }
}
