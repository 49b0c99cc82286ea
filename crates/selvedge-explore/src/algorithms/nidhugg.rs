//! Nidhugg-DPOR [Sachinoglou2018, algorithm 5]: persistent sets in the frame of Source-DPOR.
//!
//! Guarantee: every Mazurkiewicz trace is explored to its end exactly once. Some executions may be sleep-set blocked.
//!
//! | slides | here |
//! |---|---|
//! | `u = notdep(e, E).p` | `reversal` |
//! | `CI`, the initials of `u` that happen before `p` | initials of the past of the reversed operation |
//!
//! DIVERGENCES: where `CI` is empty the slides add *some* initial; ours adds the thread of the reversed operation, which is one.
//! With that the algorithm is `dpor` as we have it, which adds an initial of the past of the reversed operation
//! in order not to lose traces: see [`super::dpor`].

use crate::algorithm::About;
use crate::{Excursions, Promise, Search};

/// What is known of the algorithm before it runs.
pub const ABOUT: About =
    About::new("nidhugg", "Nidhugg-DPOR: persistent sets and sleep sets", Promise::EveryTraceOnce)
        .with_checkpoints()
        .with_prefixes();

/// Explores with persistent sets and sleep sets.
pub fn run<P: Excursions>(search: &mut Search<P>) {
    super::dpor::run(search);
}
