//! Naive bounded partial-order reduction, Naive-BPOR [Sachinoglou2018, algorithm 6]: a heuristic.
//!
//! Source sets, and every execution that exceeds the bound is given up. No guarantee: a trace may have an execution within
//! the bound while the one that would be explored is not. With bound 0 the slides' example loses such a trace; the tests
//! show it.

use crate::algorithm::About;
use crate::bounds::bounded_search::{self, BoundedRule, RacePlace, Races};
use crate::frames::backtrack::{Rule, Sets, Sleep};
use crate::{BoundPromise, Excursions, Path, Promise, Reversal, Search};
use selvedge_trace::ThreadId;

use super::source::SourceSets;

/// What is known of the algorithm before it runs.
pub const ABOUT: About =
    About::new("naive-bounded", "source sets, cut at a bound: a heuristic", Promise::EveryTraceOnce)
        .within_bound(BoundPromise::Heuristic);

/// Explores, giving up what exceeds the bound.
pub fn run<P: Excursions>(search: &mut Search<P>) {
    bounded_search::run(search, &mut Naive::default());
}

#[derive(Default)]
struct Naive(SourceSets);

impl<P: Excursions> BoundedRule<P> for Naive {
    const RACES: Races = Races::Plain;
    const SLEEP: Sleep = Sleep::On;

    fn reverse(
        &mut self,
        path: &mut Path<P>,
        reversal: &Reversal,
        _enabled: &[ThreadId],
        _place: RacePlace,
        sets: &mut Sets,
    ) {
        self.0.reverse(path, reversal, sets);
    }
}
