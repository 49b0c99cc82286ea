//! The order of an execution in which floating writes are ordered only if the later one is observed.
//!
//! A floating write that is not observed commutes with others of its kind, but not with those that look at the location:
//! that is what a [`AccessKind::Post`] does. One that is observed is ordered with all others, like a [`AccessKind::Write`].

use crate::{Excursions, Observations, Path};
use selvedge_trace::{Access, AccessKind, EventId, Footprint, HappensBefore, LocationId};

/// The events on the path with what they access whatever comes after them, and their order at the end of an execution.
#[derive(Debug)]
pub struct ObservedOrder {
    alone: Vec<Access>,
    ends: Vec<u32>,
    /// The order as of the latest end of an execution; while it is [swapped](Self::swap), that of the path.
    order: HappensBefore,
    /// How many of the first events of `order` are still on the path.
    kept: usize,
    observing: Observing,
    accesses: Vec<Access>,
    footprint: Footprint,
}

impl Default for ObservedOrder {
    fn default() -> Self {
        ObservedOrder {
            alone: Vec::new(),
            ends: Vec::new(),
            order: HappensBefore::new(0),
            kept: 0,
            observing: Observing::default(),
            accesses: Vec::new(),
            footprint: Footprint::default(),
        }
    }
}

impl ObservedOrder {
    /// Follows an event.
    pub fn push<P: Excursions + Observations>(&mut self, path: &Path<P>, e: EventId) {
        for &access in path.order.accesses(e) {
            let kind = match access.kind {
                AccessKind::Overwrite if path.program.floats(access.location) => AccessKind::Post,
                AccessKind::Overwrite => AccessKind::Write,
                kind => kind,
            };
            self.alone.push(Access { kind, ..access });
        }
        self.ends.push(self.alone.len() as u32);
    }

    /// Takes the last event back.
    pub fn pop(&mut self) {
        self.ends.pop();
        self.alone.truncate(self.ends.last().map_or(0, |&end| end as usize));
        self.kept = self.kept.min(self.ends.len());
    }

    /// What an event accesses, whatever comes after it.
    pub fn accesses_alone(&self, e: EventId) -> &[Access] {
        &self.alone[self.range(e)]
    }

    fn range(&self, e: EventId) -> std::ops::Range<usize> {
        let start = e.index().checked_sub(1).map_or(0, |before| self.ends[before]);
        start as usize..self.ends[e.index()] as usize
    }

    /// Finds the observed events of the execution on the path, and the order that comes of it.
    pub fn complete<P: Excursions + Observations>(&mut self, path: &Path<P>) {
        self.accesses.clear();
        self.accesses.extend_from_slice(&self.alone);
        self.observing.clear();
        for access in self.accesses.iter_mut().rev() {
            access.kind = self.observing.kind(&path.program, *access);
        }
        let unchanged = |&e: &usize| {
            let e = EventId::at(e);
            self.order.accesses(e) == &self.accesses[self.range(e)]
        };
        let kept = (0..self.kept).find(|e| !unchanged(e)).unwrap_or(self.kept);
        while self.order.len() > kept {
            self.order.pop();
        }
        self.order.grow(path.order.thread_count());
        for e in (kept..path.len()).map(EventId::at) {
            let event = path.order.event(e);
            self.footprint.clear();
            self.accesses[self.range(e)].iter().for_each(|a| self.footprint.record(a.location, a.kind));
            (self.footprint.blocking, self.footprint.variation) = (event.blocking, event.variation);
            self.order.push(event.decision, &self.footprint);
        }
        self.kept = path.len();
    }

    /// Exchanges this order and that of the path.
    pub fn swap<P: Excursions + Observations>(&mut self, path: &mut Path<P>) {
        std::mem::swap(&mut self.order, &mut path.order);
        path.leaves_conflicts_open = !path.leaves_conflicts_open;
    }

    /// While this order is [swapped](Self::swap): the happens-before relation of the path.
    pub fn order_alone(&self) -> &HappensBefore {
        &self.order
    }

    /// Whether two events that race are ordered only because the later one is observed.
    pub fn is_race_of_floating_writes(&self, e: EventId, later: EventId) -> bool {
        !selvedge_trace::footprint::conflicting(self.accesses_alone(e), self.accesses_alone(later))
    }

    /// The events that observe a floating write where another one, with which it races, floats.
    pub fn observers(&self, e: EventId, later: EventId) -> Vec<EventId> {
        let mut observers = Vec::new();
        for access in self.accesses_alone(later) {
            let floats = |a: &Access| a.location == access.location && a.kind == AccessKind::Post;
            if access.kind != AccessKind::Post || !self.accesses_alone(e).iter().any(floats) {
                continue;
            }
            for o in (later.index() + 1..self.ends.len()).map(EventId::at) {
                let Some(kind) = self.kind_at(o, access.location) else { continue };
                if looks(kind) && !observers.contains(&o) {
                    observers.push(o);
                }
                if kind != AccessKind::Read {
                    break;
                }
            }
        }
        observers
    }

    /// How an event accesses a location, whatever comes after it.
    pub fn kind_at(&self, e: EventId, location: LocationId) -> Option<AccessKind> {
        self.accesses_alone(e).iter().find(|a| a.location == location).map(|a| a.kind)
    }

    /// Whether one of the events from a position up to `end` replaces the value of a location.
    pub fn is_overwritten(&self, location: LocationId, from: u32, end: EventId) -> bool {
        (from..end.0).any(|e| self.kind_at(EventId(e), location) == Some(AccessKind::Post))
    }

    /// Where an event replaces a value.
    pub fn floats(&self, e: EventId) -> impl Iterator<Item = LocationId> {
        self.accesses_alone(e).iter().filter(|a| a.kind == AccessKind::Post).map(|a| a.location)
    }

    /// How a location is accessed first after an event and before another.
    pub fn next_access(&self, after: EventId, end: EventId, location: LocationId) -> Option<AccessKind> {
        (after.0 + 1..end.0).find_map(|e| self.kind_at(EventId(e), location))
    }

    /// Adds what was counted here.
    pub fn add_counters(&self, order: &mut HappensBefore) {
        order.dependency_checks += self.order.dependency_checks;
        order.race_checks += self.order.race_checks;
    }
}

/// Whether an access to a value sees it.
pub fn looks(kind: AccessKind) -> bool {
    matches!(kind, AccessKind::Read | AccessKind::Write)
}

/// A walk from the end of a sequence to its beginning that knows which events look at what comes next.
#[derive(Debug, Default)]
pub struct Observing {
    looked_at: Vec<bool>,
    touched: Vec<u32>,
}

impl Observing {
    /// Goes to the end.
    pub fn clear(&mut self) {
        for location in self.touched.drain(..) {
            self.looked_at[location as usize] = false;
        }
    }

    /// Goes over an access. Returns its kind, which for a floating write depends on whether it is observed.
    pub fn kind<P: Excursions + Observations>(&mut self, program: &P, access: Access) -> AccessKind {
        let Access { location, kind } = access;
        let floats = kind == AccessKind::Post && program.floats(location);
        if !floats && !looks(kind) {
            return kind;
        }
        let index = location.0 as usize;
        if index >= self.looked_at.len() {
            self.looked_at.resize(index + 1, false);
        }
        let is_observed = std::mem::replace(&mut self.looked_at[index], looks(kind));
        if looks(kind) {
            self.touched.push(location.0);
        }
        if floats && is_observed { AccessKind::Write } else { kind }
    }
}
