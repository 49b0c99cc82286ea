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
        let words = events.iter().flat_map(|&e| {
            let event = order.event(e);
            [event.thread().0, event.decision.choice].into_iter().chain(order.clock(e).iter().copied())
        });
        Trace(words.collect())
    }
}
