//! Data-centric DPOR, DC-DPOR [ChalupaCPSV2018, sections 3 to 5].
//!
//! Two executions are equivalent if in both every read observes the same write: the *observation function*. That is
//! value-centric exploration where no two writes leave the same value, and without sides, which the observed write tells.
//!
//! Guarantee: one execution for each observation function, where threads that wait for ever at the end observe what they wait
//! for; with that, every local state of every thread, every failure and every deadlock.
//!
//! | paper | here |
//! |---|---|
//! | observation function `O` | [`Part::good`](super::value_centric::annotated::Part::good), with one write each |
//! | annotation `A`, realizing it | [`realize`](super::value_centric::realize) |
//! | candidate sets and cores of mutations | the map `chb` |
//!
//! DIVERGENCES: The paper realizes observation functions exactly if the graph of which threads share variables has no cycle, and
//! else orders the events on some edges of it, so that classes are explored several times. Ours is exact for every
//! program: where closure does not decide, a witness is searched for. All that [value-centric](super::value_centric)
//! exploration says of operations that the papers leave out holds here, too.

use super::value_centric::{self, Numbers};
use crate::algorithm::About;
use crate::{Equivalence, Observations, Promise, Search};

/// What is known of the algorithm before it runs.
pub const ABOUT: About = About::new(
    "data-centric",
    "DC-DPOR: one execution for each way in which reads observe writes",
    Promise::EveryClassOnce(Equivalence::Observation),
)
.by_observations();

/// Explores one execution for each observation function.
pub fn run<P: Observations>(search: &mut Search<P>) {
    value_centric::run_with(search, Numbers::DoNotMatter);
}
