//! Dynamic partial-order reduction with persistent sets [FlanaganGodefroid2005, figures 3 and 4].
//!
//! Guarantee: every Mazurkiewicz trace is explored at least once; with sleep sets, to its end exactly once.
//!
//! | paper | here |
//! |---|---|
//! | `S`, `pre(S, i)` | the path, the state before `reversal.at` |
//! | `i -> p` | `past`: the events since `i` that happen before the later operation |
//! | `E` in line 7 | the initials of `past`, or the thread of the later operation |
//! | clock vectors `C` | [`selvedge_trace::HappensBefore`] |
//!
//! DIVERGENCES: the paper adds *any* thread with an event since `i` that happens before the later thread. With sleep
//! sets that loses traces: in ring(4) the state after thread 3 gets thread 1, which is asleep there, and the trace
//! 3, 2, 1, 0 is never explored. So the thread added is always one with which the past of the later operation
//! can begin, as in the account of the algorithm in [AbdullaAJS2017, section 3]. Races are looked for when the
//! later operation is performed, or found to be blocked for good, and all immediate races are reversed.
//! See [`crate::path::reversal`] for operations that wait or whose accesses vary.

use crate::algorithm::About;
use crate::frames::backtrack::{self, Rule, Sets, Sleep};
use crate::{Excursions, Path, Promise, Reversal, Search};
use selvedge_trace::{EventId, ThreadId};

/// What is known of the algorithm before it runs.
pub const ABOUT: About = About::new(
    "dpor",
    "Flanagan and Godefroid 2005, persistent sets and sleep sets",
    Promise::EveryTraceOnce,
)
.with_checkpoints()
.with_prefixes();

/// Explores with persistent sets and sleep sets.
pub fn run<P: Excursions>(search: &mut Search<P>) {
    backtrack::run(search, &mut WithSleep::default());
}

/// Persistent sets without sleep sets.
pub mod without_sleep {
    use super::*;

    /// What is known of the algorithm before it runs.
    pub const ABOUT: About =
        About::new("dpor-no-sleep", "Flanagan and Godefroid 2005, persistent sets only", Promise::EveryTrace)
            .with_checkpoints()
            .with_prefixes();

    /// Explores with persistent sets alone.
    pub fn run<P: Excursions>(search: &mut Search<P>) {
        backtrack::run(search, &mut WithoutSleep::default());
    }
}

#[derive(Default)]
struct WithSleep(PersistentSets);

#[derive(Default)]
struct WithoutSleep(PersistentSets);

impl<P: Excursions> Rule<P> for WithSleep {
    const SLEEP: Sleep = Sleep::On;

    fn reverse(&mut self, path: &mut Path<P>, reversal: &Reversal, sets: &mut Sets) {
        self.0.reverse(path, reversal, sets);
    }
}

impl<P: Excursions> Rule<P> for WithoutSleep {
    const SLEEP: Sleep = Sleep::Off;

    fn reverse(&mut self, path: &mut Path<P>, reversal: &Reversal, sets: &mut Sets) {
        self.0.reverse(path, reversal, sets);
    }
}

/// Chooses threads such that those explored at a state are a persistent set.
#[derive(Default)]
pub struct PersistentSets {
    past: Vec<EventId>,
}

impl PersistentSets {
    fn reverse<P: Excursions>(&mut self, path: &mut Path<P>, reversal: &Reversal, sets: &mut Sets) {
        let first = self.choose(path, reversal, sets);
        first.into_iter().for_each(|thread| sets.add(reversal.at, thread));
    }

    /// The same at a state at which these threads were enabled; if the one to be added was not, all are.
    pub fn reverse_among<P: Excursions>(
        &mut self,
        path: &mut Path<P>,
        reversal: &Reversal,
        enabled: &[ThreadId],
        sets: &mut Sets,
    ) {
        if let Some(thread) = self.choose(path, reversal, sets) {
            sets.add_or_all(reversal.at, thread, enabled);
        }
    }

    /// The thread to be added, if none that would do is there.
    fn choose<P: Excursions>(
        &mut self,
        path: &mut Path<P>,
        reversal: &Reversal,
        sets: &Sets,
    ) -> Option<ThreadId> {
        self.fill_past(path, reversal);
        let is_initial =
            |e: &&EventId| !self.past.iter().any(|f| f < *e && path.order.happens_before(*f, **e));
        let initials = || self.past.iter().filter(is_initial).map(|&e| path.order.event(e).thread());
        let alone = self.past.is_empty().then_some(reversal.decision.thread);
        let candidates = || initials().chain(alone);
        let is_there = candidates().any(|thread| sets.contains(reversal.at, thread));
        if is_there { None } else { candidates().min() }
    }

    /// Collects the events of the sequence that happen before the reversed operation, latest first.
    fn fill_past<P: Excursions>(&mut self, path: &mut Path<P>, reversal: &Reversal) {
        self.past.clear();
        for &e in reversal.sequence.iter().rev() {
            if path.order.event(e).thread() == reversal.decision.thread
                || path.order.depends(e, reversal.mask, &reversal.accesses)
                || self.past.iter().any(|&later| path.order.happens_before(e, later))
            {
                self.past.push(e);
            }
        }
    }
}
