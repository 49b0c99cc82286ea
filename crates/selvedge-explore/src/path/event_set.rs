//! Sets of events of the path, as bits.

use selvedge_trace::EventId;

/// A set of events. Sets of paths of up to 128 events need no memory of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventSet {
    first: [u64; 2],
    rest: Vec<u64>,
}

impl EventSet {
    /// The empty set, with room for a path of that many events.
    pub fn with_room_for(events: usize) -> EventSet {
        EventSet { first: [0; 2], rest: vec![0; events.div_ceil(64).saturating_sub(2)] }
    }

    /// Adds an event.
    #[inline]
    pub fn insert(&mut self, e: EventId) {
        let bit = 1 << (e.index() % 64);
        match e.index() / 64 {
            word @ 0..2 => self.first[word] |= bit,
            word => self.rest[word - 2] |= bit,
        }
    }

    /// Whether an event is in the set.
    #[inline]
    pub fn contains(&self, e: EventId) -> bool {
        let word = match e.index() / 64 {
            word @ 0..2 => self.first[word],
            word => self.rest[word - 2],
        };
        word & (1 << (e.index() % 64)) != 0
    }

    /// The earliest event of the set.
    pub fn first(&self) -> Option<EventId> {
        let mut words = self.first.iter().chain(&self.rest).enumerate();
        let (number, word) = words.find(|(_, word)| **word != 0)?;
        Some(EventId::at(number * 64 + word.trailing_zeros() as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_inserted_and_knows_the_earliest() {
        let mut set = EventSet::with_room_for(300);
        assert_eq!(set.first(), None);
        for e in [299, 64, 130] {
            set.insert(EventId::at(e));
        }
        let members: Vec<usize> = (0..300).filter(|&e| set.contains(EventId::at(e))).collect();
        assert_eq!(members, [64, 130, 299]);
        assert_eq!(set.first(), Some(EventId::at(64)));
    }
}
