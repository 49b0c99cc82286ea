//! Bounded partial-order reduction with source sets, Source-BPOR [Sachinoglou2018, algorithm 9].
//!
//! Guarantee: of every maximal trace that has an execution within the bound on preemptions one is explored, perhaps
//! several. Source sets for the ordinary branches, persistent sets for the conservative ones.
//!
//! DIVERGENCES: as in [`super::nidhugg_bounded`].

use crate::algorithm::About;
use crate::bounds::bounded_search::{self, BoundedRule, RacePlace, Races};
use crate::frames::backtrack::{Rule, Sets};
use crate::{BoundPromise, Excursions, Path, Promise, Reversal, Search};
use selvedge_trace::ThreadId;

use super::dpor::PersistentSets;
use super::source::SourceSets;

/// What is known of the algorithm before it runs.
pub const ABOUT: About =
    About::new("source-bounded", "bounded: source sets with conservative branches", Promise::EveryTrace)
        .within_bound(BoundPromise::EveryTrace);

/// Explores within a bound on preemptions.
pub fn run<P: Excursions>(search: &mut Search<P>) {
    bounded_search::run(search, &mut Source::default());
}

#[derive(Default)]
struct Source {
    source: SourceSets,
    persistent: PersistentSets,
}

impl<P: Excursions> BoundedRule<P> for Source {
    const RACES: Races = Races::AtBlocks;

    fn reverse(
        &mut self,
        path: &mut Path<P>,
        reversal: &Reversal,
        enabled: &[ThreadId],
        place: RacePlace,
        sets: &mut Sets,
    ) {
        match place {
            RacePlace::Event => self.source.reverse(path, reversal, sets),
            RacePlace::Block => self.persistent.reverse_among(path, reversal, enabled, sets),
        }
    }
}
