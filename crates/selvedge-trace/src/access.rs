//! Accesses to locations and when two of them conflict.

use crate::LocationId;

/// One access of an operation to a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Access {
    /// The location.
    pub location: LocationId,
    /// How it is accessed.
    pub kind: AccessKind,
}

/// How a location is accessed.
///
/// Memory uses `Read`, `Write` and `Overwrite`, mutexes `Acquire` and `Release` (and `Read` for a failed attempt). `Post`
/// and `Observe` express pure ordering: thread end and join, wake-up and waking, arrival at a barrier and going
/// on. Posts commute with each other; an observation cannot happen before the posts that it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessKind {
    /// The value is read.
    Read,
    /// The operation waits for the posts to this location; never reversible.
    Observe,
    /// One of possibly many contributions that observers wait for.
    Post,
    /// The value is changed, or looked at and replaced.
    Write,
    /// The value is replaced, whatever it was. With others it commutes no better than a `Write`; but who never looks at the
    /// location cannot tell in which order two of these were performed.
    Overwrite,
    /// A mutex is taken.
    Acquire,
    /// A mutex is freed.
    Release,
    /// A mutex that is held is freed and taken again, in one operation.
    Retake,
}

impl AccessKind {
    /// Whether the access leaves the location as it was.
    pub fn is_read(self) -> bool {
        matches!(self, AccessKind::Read | AccessKind::Observe)
    }

    /// Whether the access commutes with no other access to the location.
    pub fn is_write(self) -> bool {
        !self.is_read() && self != AccessKind::Post
    }

    /// Whether two accesses to one location by different threads do not commute.
    pub fn conflicts_with(self, other: AccessKind) -> bool {
        !(self.is_read() && other.is_read() || self == AccessKind::Post && other == AccessKind::Post)
    }

    /// The kind of an operation that accesses a location first in this way and then in the other. Taking and
    /// freeing a mutex in one operation is a `Write`: the mutex is free before and after.
    #[must_use]
    pub fn then(self, other: AccessKind) -> AccessKind {
        use AccessKind::{Acquire, Overwrite, Read, Release, Retake, Write};
        match (self, other) {
            (a, b) if a == b => a,
            (Read, Overwrite) => Write,
            (Overwrite, Write) => Overwrite,
            (Read, b) if b.is_write() => b,
            (a, Read) if a.is_write() => a,
            (Acquire, Retake) | (Write, Acquire) => Acquire,
            (Release | Retake, Acquire) | (Release, Retake) => Retake,
            (Retake, Release) | (Release, Write) => Release,
            _ => Write,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::AccessKind::*;

    #[test]
    fn conflict_is_symmetric_and_spares_reads_and_posts() {
        let kinds = [Read, Observe, Post, Write, Overwrite, Acquire, Release, Retake];
        for a in kinds {
            for b in kinds {
                assert_eq!(a.conflicts_with(b), b.conflicts_with(a));
            }
        }
        assert!(!Read.conflicts_with(Read));
        assert!(!Post.conflicts_with(Post));
        assert!(!Observe.conflicts_with(Observe));
        assert!(Post.conflicts_with(Observe));
        assert!(Write.conflicts_with(Write));
        assert!(Overwrite.conflicts_with(Overwrite) && Overwrite.conflicts_with(Read));
        assert!(Acquire.conflicts_with(Read));
    }

    #[test]
    fn reading_and_writing_is_writing() {
        assert_eq!(Read.then(Write), Write);
        assert_eq!(Acquire.then(Read), Acquire);
        assert_eq!(Read.then(Read), Read);
        assert_eq!(Read.then(Overwrite), Write);
        assert_eq!(Write.then(Overwrite), Write);
    }

    #[test]
    fn what_is_read_after_it_was_replaced_does_not_depend_on_the_past() {
        assert_eq!(Overwrite.then(Read), Overwrite);
        assert_eq!(Overwrite.then(Write), Overwrite);
        assert_eq!(Overwrite.then(Overwrite), Overwrite);
    }

    #[test]
    fn operations_on_a_mutex_combine_by_its_state_before_and_after() {
        assert_eq!(Acquire.then(Release), Write);
        assert_eq!(Write.then(Acquire), Acquire);
        assert_eq!(Release.then(Acquire), Retake);
        assert_eq!(Retake.then(Release), Release);
        assert_eq!(Acquire.then(Retake), Acquire);
    }
}
