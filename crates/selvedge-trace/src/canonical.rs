//! The canonical form of a Mazurkiewicz trace.

use crate::HappensBefore;

/// A Mazurkiewicz trace: equal for two executions exactly when they have the same events, the same choices and
/// the same happens-before relation.
///
/// The events are listed thread by thread with their vector clocks. A clock says how many events of each
/// thread happen before, so that the clocks determine the partial order and the other way round.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Trace(Box<[u32]>);

impl Trace {
    /// The trace of the execution whose order is given.
    pub fn of(order: &HappensBefore) -> Trace {
        let mut events: Vec<_> = order.events().collect();
        events.sort_by_key(|&e| (order.event(e).thread(), e));
        let mut words = Vec::new();
        for e in events {
            let event = order.event(e);
            words.extend([event.thread().0, event.decision.choice]);
            // Threads that appear later must not change the form of what came before.
            let clock = order.clock(e);
            let last = clock.iter().rposition(|&count| count > 0).map_or(0, |position| position + 1);
            words.push(last as u32);
            words.extend_from_slice(&clock[..last]);
        }
        Trace(words.into())
    }
}
