//! Equivalences between executions that are coarser than happens-before.
//!
//! Equivalent executions have the same events, and each thread goes through the same local states in both. So one execution of
//! each class shows every local state, and with it every failure of a thread. Which threads wait for ever at the
//! end, and where, is part of where they stand; what they look at while they wait counts as read. So deadlocks are preserved.
//! What differs is the content of memory that nobody reads any more: if its last content matters, somebody
//! has to read it, for instance `finally`.

/// An equivalence between executions. Each is computed by its definition in the test kit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Equivalence {
    /// Happens-before, but two operations that replace a value without looking at it are ordered only if the later one is
    /// observed [AronisJLS2018, section 3].
    Observers,
    /// Every read observes the same write [ChalupaCPSV2018, section 3].
    Observation,
    /// Every read reads the same value, with the same causes, and the events of all threads but one, the root, are ordered
    /// alike [ChatterjeePT2019, section 3].
    ValueHappensBefore,
}
