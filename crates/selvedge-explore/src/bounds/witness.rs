//! A witness: a linear extension of the trace on the path that costs little, handed on from prefix to prefix.
//!
//! An event that is added to a trace can be inserted into the witness right after the latest event of its thread, if all that happens before it
//! comes before that place. Then the witness costs as much as before: its thread is left one event later, and as long as it has no more
//! events it is not counted whether it could go on; what the event changes matters to no thread that is left later, since an operation
//! that waits for the change would happen after the event, which is the last of the trace. Else the event is appended, and its thread
//! was left at a price, unless it had to wait there.
//!
//! Most questions about the least number of preemptions are answered so, without a search ([`LeastCost`](super::least_cost::LeastCost)).

use selvedge_trace::{AccessKind, Blocking, EventId, HappensBefore};

/// A linear extension and its number of preemptions at most; it is changed and restored as events are pushed and popped.
#[derive(Debug, Default)]
pub struct Witness {
    sequence: Vec<EventId>,
    cost: u32,
    changes: Vec<Change>,
}

/// What was changed for an event.
#[derive(Debug)]
struct Change {
    /// The number of events in the trace since then.
    length: usize,
    /// The cost before.
    cost: u32,
    undo: Undo,
}

#[derive(Debug)]
enum Undo {
    /// There was no witness but the path.
    Clear,
    /// The event was inserted here.
    Remove(usize),
    /// The sequence was another one.
    Restore(Vec<EventId>),
}

impl Witness {
    /// Adds the last event of a trace; what the witness costs now. Without a witness of the trace before it, the path is one, at
    /// `path_cost`. `had_to_wait` answers whether the thread of the event could not go on after some events.
    pub fn extend(
        &mut self,
        order: &HappensBefore,
        e: EventId,
        path_cost: u32,
        had_to_wait: impl FnOnce(&[EventId]) -> bool,
    ) -> u32 {
        let (length, cost) = (order.len(), self.cost);
        if self.changes.last().is_none_or(|change| change.length + 1 != length) {
            self.sequence.clear();
            self.sequence.extend(order.events().take(length - 1));
            self.cost = path_cost;
            self.changes.push(Change { length, cost, undo: Undo::Clear });
        }
        let cost = self.cost;
        let at = self.place(order, e);
        if let Place::After { left, .. } = at
            && !(may_wait(order, e) && had_to_wait(&self.sequence[..left]))
        {
            self.cost += 1;
        }
        let at = match at {
            Place::Inside(at) => at,
            Place::After { .. } | Place::First => self.sequence.len(),
        };
        self.sequence.insert(at, e);
        self.changes.push(Change { length, cost, undo: Undo::Remove(at) });
        self.cost
    }

    fn place(&self, order: &HappensBefore, e: EventId) -> Place {
        let Some(previous) = order.previous(e) else { return Place::First };
        let mut fits = true;
        for (i, &other) in self.sequence.iter().enumerate().rev() {
            if other == previous && fits {
                return Place::Inside(i + 1);
            }
            if other == previous {
                return Place::After { left: i + 1 };
            }
            fits &= !order.happens_before(other, e);
        }
        Place::First
    }

    /// Takes another linear extension of the trace.
    pub fn replace(&mut self, sequence: &[EventId], cost: u32) {
        let old = std::mem::replace(&mut self.sequence, sequence.to_vec());
        let undo = Undo::Restore(old);
        self.changes.push(Change { length: sequence.len(), cost: self.cost, undo });
        self.cost = cost;
    }

    /// Takes back what was changed for events after so many.
    pub fn shrink(&mut self, length: usize) {
        while let Some(Change { cost, undo, .. }) = self.changes.pop_if(|change| change.length > length) {
            self.cost = cost;
            match undo {
                Undo::Clear => self.sequence.clear(),
                Undo::Remove(at) => {
                    self.sequence.remove(at);
                }
                Undo::Restore(old) => self.sequence = old,
            }
        }
    }
}

/// Where an event belongs in a witness.
enum Place {
    /// Right after the latest event of its thread, before others.
    Inside(usize),
    /// At the end; its thread was left after so many events.
    After { left: usize },
    /// At the end, as the first event of its thread.
    First,
}

/// Whether an event might have had to wait.
fn may_wait(order: &HappensBefore, e: EventId) -> bool {
    order.event(e).blocking != Blocking::Never
        || order.accesses(e).iter().any(|access| access.kind == AccessKind::Observe)
}
