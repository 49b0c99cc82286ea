//! Classic bounded partial-order reduction, Classic-BPOR [Sachinoglou2018, algorithm 7], after
//! [CoonsMusuvathiMcKinley2013, figure 4].
//!
//! Guarantee: of every maximal trace that has an execution within the bound on preemptions one is explored, perhaps
//! several.
//!
//! | slides | here |
//! |---|---|
//! | `i = max(...)` for each process `q` | [`Races::OfEveryThread`] |
//! | `j`, the beginning of the block of `i` | [`RacePlace::Block`] |
//! | `enabled(pre(E, i))` | `enabled` |
//!
//! DIVERGENCES: races are looked for when the later operation is performed, or found to be left standing at the end. No sleep sets.

use crate::algorithm::About;
use crate::bounds::bounded_search::{self, BoundedRule, RacePlace, Races};
use crate::frames::backtrack::Sets;
use crate::{BoundPromise, Excursions, Path, Promise, Reversal, Search};
use selvedge_trace::ThreadId;

/// What is known of the algorithm before it runs.
pub const ABOUT: About =
    About::new("classic-bounded", "bounded: persistent sets with conservative branches", Promise::EveryTrace)
        .within_bound(BoundPromise::EveryTrace);

/// Explores within a bound on preemptions.
pub fn run<P: Excursions>(search: &mut Search<P>) {
    bounded_search::run(search, &mut Classic);
}

struct Classic;

impl<P: Excursions> BoundedRule<P> for Classic {
    const RACES: Races = Races::OfEveryThread;

    fn reverse(
        &mut self,
        _path: &mut Path<P>,
        reversal: &Reversal,
        enabled: &[ThreadId],
        _place: RacePlace,
        sets: &mut Sets,
    ) {
        sets.add_or_all(reversal.at, reversal.decision.thread, enabled);
    }
}
