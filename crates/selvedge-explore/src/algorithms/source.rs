//! Source-DPOR [AbdullaAJS2017, algorithm 1].
//!
//! Guarantee: every Mazurkiewicz trace is explored to its end exactly once. Some executions may be sleep-set blocked.
//!
//! | paper | here |
//! |---|---|
//! | `E`, `E'` | the path, the path before `reversal.at` |
//! | `v = notdep(e, E).p` | `reversal` |
//! | `I_[E'](v)` | [`Path::initials`] and [`Path::last_is_initial`] |
//! | `backtrack`, `sleep` | [`Sets`] |
//!
//! DIVERGENCES: operations may block and their accesses may vary, see [`crate::path::reversal`]; a decision is a
//! thread with a choice. A sleeping initial counts like one in the backtrack set, because everything that
//! begins with it has been explored.

use crate::algorithm::About;
use crate::frames::backtrack::{self, Rule, Sets, Sleep};
use crate::{Excursions, Path, Promise, Reversal, Search};
use selvedge_trace::Decision;

/// What is known of the algorithm before it runs.
pub const ABOUT: About = About::new(
    "source",
    "Source-DPOR: each trace once, few sleep-set-blocked executions",
    Promise::EveryTraceOnce,
)
.with_checkpoints()
.with_prefixes();

/// Explores with source sets.
pub fn run<P: Excursions>(search: &mut Search<P>) {
    backtrack::run(search, &mut SourceSets::default());
}

/// The rule that puts an initial of each reversal into the backtrack set.
#[derive(Default)]
pub struct SourceSets {
    initials: Vec<Decision>,
}

impl<P: Excursions> Rule<P> for SourceSets {
    const SLEEP: Sleep = Sleep::On;

    fn reverse(&mut self, path: &mut Path<P>, reversal: &Reversal, sets: &mut Sets) {
        let at = reversal.at;
        path.initials(reversal, &mut self.initials);
        let sleep = sets.sleep.at(at.index());
        let is_covered = |initial: &Decision| {
            sets.contains(at, initial.thread) || sleep.iter().any(|sleeper| sleeper.holds(*initial))
        };
        if self.initials.iter().any(is_covered)
            || is_covered(&reversal.decision) && path.last_is_initial(reversal)
        {
            return;
        }
        let initial = self.initials.first().unwrap_or(&reversal.decision);
        sets.add(at, initial.thread);
    }
}
