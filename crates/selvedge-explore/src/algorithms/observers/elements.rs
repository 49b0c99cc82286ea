//! The sequences that are explored: operations one after the other, with what they access as far as it is observed.

use super::observed_order::{ObservedOrder, Observing};
use crate::frames::sleep_set::Sleeper;
use crate::frames::wakeup_tree::Sequence;
use crate::{Excursions, Observations, Reversal};
use selvedge_trace::footprint::conflicting;
use selvedge_trace::{Access, AccessKind, Decision, EventId, HappensBefore, LocationId, LocationMask};

#[derive(Clone, Copy, Debug)]
struct Element {
    decision: Decision,
    mask: LocationMask,
    event: Option<EventId>,
    end: u32,
}

/// A sequence of operations.
#[derive(Debug, Default)]
pub struct Elements {
    elements: Vec<Element>,
    /// What they access, whatever comes after them: floating writes are posts.
    alone: Vec<Access>,
    /// What they access in this sequence: a floating write that is observed is a write.
    accesses: Vec<Access>,
    observing: Observing,
}

impl Elements {
    /// The number of operations.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Makes this the sequence of a reversal.
    pub fn set<P: Excursions + Observations>(
        &mut self,
        program: &P,
        reversal: &Reversal,
        observed: &ObservedOrder,
    ) {
        self.set_events(&reversal.sequence, observed.order_alone(), observed);
        self.alone.extend_from_slice(&reversal.accesses);
        let (decision, mask, end) = (reversal.decision, reversal.mask, self.alone.len() as u32);
        self.elements.push(Element { decision, mask, event: None, end });
        self.observe(program);
    }

    /// Makes this a sequence of events; the observed ones are found later.
    pub fn set_events(&mut self, events: &[EventId], order: &HappensBefore, observed: &ObservedOrder) {
        self.elements.clear();
        self.alone.clear();
        events.iter().for_each(|&e| self.push(e, order, observed));
    }

    /// Appends an event.
    pub fn push(&mut self, e: EventId, order: &HappensBefore, observed: &ObservedOrder) {
        self.alone.extend_from_slice(observed.accesses_alone(e));
        let (event, end) = (order.event(e), self.alone.len() as u32);
        self.elements.push(Element { decision: event.decision, mask: event.mask, event: Some(e), end });
    }

    /// Finds the events that are observed.
    pub fn observe<P: Excursions + Observations>(&mut self, program: &P) {
        self.accesses.clear();
        self.accesses.extend_from_slice(&self.alone);
        self.observing.clear();
        for access in self.accesses.iter_mut().rev() {
            access.kind = self.observing.kind(program, *access);
        }
    }

    /// Whether something sees to it that a sleeping decision cannot come first in an execution that follows this sequence:
    /// an operation that depends on it comes before it, or it is observed and something that it replaces comes before it.
    /// `overwritten` says whether a location was since it fell asleep.
    pub fn wakes(
        &self,
        sleeper: &Sleeper,
        accesses: &[Access],
        overwritten: impl Fn(LocationId) -> bool,
    ) -> bool {
        for (i, element) in (0..).zip(&self.elements) {
            if sleeper.holds(element.decision) {
                return self.first_before(0..i, i).is_some() || self.observed_floats(i).any(overwritten);
            }
            if element.decision.thread == sleeper.thread
                || element.mask.may_conflict(sleeper.mask) && conflicting(self.accesses(i), accesses)
            {
                return true;
            }
        }
        false
    }

    /// How a location is accessed first.
    pub fn first_access(&self, location: LocationId) -> Option<AccessKind> {
        self.alone.iter().find(|a| a.location == location).map(|a| a.kind)
    }

    /// The position of the first of some elements that must come before another.
    fn first_before(&self, mut some: impl Iterator<Item = u32>, element: u32) -> Option<usize> {
        some.position(|i| conflicting(self.accesses(i), self.accesses(element)))
    }

    fn observed_floats(&self, i: u32) -> impl Iterator<Item = LocationId> {
        let both = self.accesses(i).iter().zip(self.accesses_alone(i));
        both.filter(|(a, alone)| a.kind != alone.kind).map(|(a, _)| a.location)
    }

    fn range(&self, i: u32) -> std::ops::Range<usize> {
        let start = i.checked_sub(1).map_or(0, |before| self.elements[before as usize].end);
        start as usize..self.elements[i as usize].end as usize
    }
}

impl Sequence for Elements {
    fn last(&self) -> u32 {
        self.elements.len() as u32 - 1
    }

    fn head(&self, i: u32) -> (Decision, LocationMask) {
        let Element { decision, mask, .. } = self.elements[i as usize];
        (decision, mask)
    }

    fn accesses(&self, i: u32) -> &[Access] {
        &self.accesses[self.range(i)]
    }

    fn accesses_alone(&self, i: u32) -> &[Access] {
        &self.alone[self.range(i)]
    }

    fn precedes(&self, i: u32, later: u32) -> bool {
        let ((a, mask), (b, other)) = (self.head(i), self.head(later));
        a.thread == b.thread
            || mask.may_conflict(other) && conflicting(self.accesses(i), self.accesses(later))
    }

    fn obstacle(&self, remaining: &[u32], position: usize) -> Option<usize> {
        self.observed_floats(remaining[position]).next()?;
        self.first_before(remaining[..position].iter().copied(), remaining[position])
    }

    fn event(&self, i: u32) -> Option<EventId> {
        self.elements[i as usize].event
    }
}
