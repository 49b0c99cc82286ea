//! Footprints: everything about an operation that decides with which others it commutes.

use crate::{Access, AccessKind, LocationId};

/// What an operation accesses, whether it may have to wait, and whether that depends on the state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    accesses: Vec<Access>,
    mask: LocationMask,
    observes: bool,
    /// Whether the operation may have to wait.
    pub blocking: Blocking,
    /// Whether the accesses of the operation depend on shared memory.
    pub variation: Variation,
    /// What it found, if the operation accesses one number.
    pub finding: Option<Finding>,
}

/// What an operation on one number of a location found there before it did anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Where the number is: it alone, of all locations and their parts, has this name.
    pub place: u64,
    /// The number.
    pub number: u64,
    /// The number that a compare-exchange replaces: finding it, it is a `Write`, finding any other, a `Read`. It has no choice and never waits.
    pub expected: Option<u64>,
}

/// Whether an operation may be disabled, which decides how a race with it is reversed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blocking {
    /// It can always be performed, or waits only for what it [observes](AccessKind::Observe).
    #[default]
    Never,
    /// It takes one mutex, its only [`AccessKind::Acquire`], and waits for nothing else but what it observes.
    Acquire,
    /// It waits for an arbitrary condition on what it accesses.
    Guard,
}

/// Whether what an operation accesses depends on shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variation {
    /// The accesses and the number of choices are the same in every state.
    #[default]
    Fixed,
    /// The same, and the operation ends the life of what it accesses: in states after another such operation both it and other accesses fail, and
    /// only read.
    Freeing,
    /// They are those of the state in which the footprint was taken: a compare-exchange that failed, an
    /// element whose index was read from shared memory.
    Varying,
}

/// Which locations are read and written, folded into 64 bits each: a quick test for independence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocationMask {
    reads: u64,
    writes: u64,
}

impl LocationMask {
    /// Adds an access.
    pub fn add(&mut self, access: Access) {
        let bit = 1 << (access.location.0 % 64);
        match access.kind.is_read() {
            true => self.reads |= bit,
            false => self.writes |= bit,
        }
    }

    /// Whether the accesses may conflict; `false` is certain.
    #[inline]
    pub fn may_conflict(self, other: LocationMask) -> bool {
        (self.writes & (other.reads | other.writes)) | (self.reads & other.writes) != 0
    }

    /// Whether nothing is written.
    pub fn is_read_only(self) -> bool {
        self.writes == 0
    }

    fn may_hold(self, location: LocationId) -> bool {
        (self.reads | self.writes) & (1 << (location.0 % 64)) != 0
    }
}

impl Footprint {
    /// Makes this the footprint of an operation that accesses nothing.
    pub fn clear(&mut self) {
        self.accesses.clear();
        self.mask = LocationMask::default();
        self.observes = false;
        self.blocking = Blocking::Never;
        self.variation = Variation::Fixed;
        self.finding = None;
    }

    /// Adds an access; accesses to one location are combined.
    #[inline]
    pub fn record(&mut self, location: LocationId, kind: AccessKind) {
        let access = Access { location, kind };
        if self.mask.may_hold(location)
            && let Some(known) = self.accesses.iter_mut().find(|a| a.location == location)
        {
            known.kind = known.kind.then(kind);
            self.mask.add(*known);
            return;
        }
        self.mask.add(access);
        self.observes |= kind == AccessKind::Observe;
        self.accesses.push(access);
    }

    /// Turns every access into a read: the footprint of an operation that was given up half-way. What it only replaced it has neither
    /// looked at nor changed.
    pub fn make_read_only(&mut self) {
        self.finding = None;
        self.mask = LocationMask::default();
        self.accesses.retain(|access| access.kind != AccessKind::Overwrite);
        for access in &mut self.accesses {
            if access.kind != AccessKind::Observe {
                access.kind = AccessKind::Read;
            }
            self.mask.add(*access);
        }
    }

    /// The accesses, one for each location.
    pub fn accesses(&self) -> &[Access] {
        &self.accesses
    }

    /// Whether some access is an observation.
    pub fn observes(&self) -> bool {
        self.observes
    }

    /// The accesses folded into a mask.
    pub fn mask(&self) -> LocationMask {
        self.mask
    }
}

/// Whether some access of the one list conflicts with some access of the other.
pub fn conflicting(left: &[Access], right: &[Access]) -> bool {
    left.iter().any(|a| right.iter().any(|b| a.location == b.location && a.kind.conflicts_with(b.kind)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_to_one_location_are_combined() {
        let mut footprint = Footprint::default();
        footprint.record(LocationId(3), AccessKind::Read);
        footprint.record(LocationId(67), AccessKind::Read);
        footprint.record(LocationId(3), AccessKind::Write);
        let kinds: Vec<_> = footprint.accesses().iter().map(|a| (a.location.0, a.kind)).collect();
        assert_eq!(kinds, [(3, AccessKind::Write), (67, AccessKind::Read)]);
    }

    #[test]
    fn an_abandoned_operation_conflicts_with_no_read() {
        let (mut writer, mut reader) = (Footprint::default(), Footprint::default());
        writer.record(LocationId(0), AccessKind::Write);
        reader.record(LocationId(0), AccessKind::Read);
        assert!(writer.mask().may_conflict(reader.mask()));
        assert!(conflicting(writer.accesses(), reader.accesses()));
        writer.make_read_only();
        assert!(!writer.mask().may_conflict(reader.mask()));
        assert!(!conflicting(writer.accesses(), reader.accesses()));
    }
}
