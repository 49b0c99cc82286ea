//! Events of concurrent executions and the order between them.
//!
//! A thread performs *operations*; an [`Event`] is an operation performed. Its [`Footprint`] lists which
//! locations it accessed and how, and two events of different threads are *dependent* when they accessed the
//! same location in [conflicting](AccessKind::conflicts_with) ways. [`HappensBefore`] keeps the partial order
//! that program order and dependence generate, with vector clocks, while events are pushed and popped at the
//! end of one execution. Two executions with the same partial order are the same Mazurkiewicz trace, whose
//! canonical form is a [`Trace`].
//!
//! This crate runs nothing and explores nothing: it knows neither programs nor algorithms.

pub mod access;
pub mod canonical;
pub mod footprint;
pub mod happens_before;
pub mod ids;
pub mod stutter;

pub use access::{Access, AccessKind};
pub use canonical::Trace;
pub use footprint::{Blocking, Finding, Footprint, LocationMask, Variation};
pub use happens_before::{Event, HappensBefore};
pub use ids::{Decision, EventId, LocationId, ThreadId};
