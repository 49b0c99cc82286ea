//! Bounded partial-order reduction with persistent sets, Nidhugg-BPOR [Sachinoglou2018, algorithm 8].
//!
//! Guarantee: of every maximal trace that has an execution within the bound on preemptions one is explored, perhaps
//! several.
//!
//! DIVERGENCES: no sleep sets, see [`crate::bounds::bounded_search`]. Where no thread of the set that the slides choose from was
//! enabled, all that were are explored.

use crate::algorithm::About;
use crate::bounds::bounded_search::{self, BoundedRule, RacePlace, Races};
use crate::frames::backtrack::Sets;
use crate::{BoundPromise, Excursions, Path, Promise, Reversal, Search};
use selvedge_trace::ThreadId;

use super::dpor::PersistentSets;

/// What is known of the algorithm before it runs.
pub const ABOUT: About = About::new(
    "nidhugg-bounded",
    "bounded: fewer persistent sets with conservative branches",
    Promise::EveryTrace,
)
.within_bound(BoundPromise::EveryTrace);

/// Explores within a bound on preemptions.
pub fn run<P: Excursions>(search: &mut Search<P>) {
    bounded_search::run(search, &mut Nidhugg::default());
}

#[derive(Default)]
struct Nidhugg(PersistentSets);

impl<P: Excursions> BoundedRule<P> for Nidhugg {
    const RACES: Races = Races::AtBlocks;

    fn reverse(
        &mut self,
        path: &mut Path<P>,
        reversal: &Reversal,
        enabled: &[ThreadId],
        _place: RacePlace,
        sets: &mut Sets,
    ) {
        self.0.reverse_among(path, reversal, enabled, sets);
    }
}
