//! Partial order sampling [YuanYG2018, the algorithm POS].
//!
//! Guarantee: none that does not depend on the program; the probability of a partial order of n events is at least that of the
//! random walk as a rule, and for few threads much higher, because events that conflict with none do not take part in the lottery
//! again and again. The same seed gives the same sample.
//!
//! | paper | here |
//! |---|---|
//! | priority of a pending event | `scores`, one for each thread |
//! | racing events get new priorities | `forget_racing` |
//!
//! DIVERGENCES: choices of an operation are drawn with the same probability.

use crate::algorithm::About;
use crate::sampling::{BLOCK, Stream, begun, sample};
use crate::{Program, Promise, Search};
use selvedge_trace::footprint::conflicting;
use selvedge_trace::{Decision, Footprint, ThreadId};

/// What is known of the algorithm before it runs.
pub const ABOUT: About = About::new(
    "pos",
    "a sample: random priorities of operations, drawn anew at races; not exhaustive",
    Promise::Sample,
);

/// Explores a sample.
pub fn run<P: Program>(search: &mut Search<P>) {
    let mut lottery = Lottery { random: Stream::new(search.limits().seed), ..Lottery::default() };
    sample(search, |search| {
        if let Some(number) = begun(search) {
            lottery.begin(search.limits().seed, number);
        }
        let thread = lottery.highest(search)?;
        let choices = search.path.program.choices(thread);
        let decision = Decision { thread, choice: lottery.random.below(choices as usize) as u32 };
        lottery.forget_racing(search, decision);
        Some(decision)
    });
}

/// The scores of one execution.
#[derive(Default)]
struct Lottery {
    random: Stream,
    scores: Vec<Option<u64>>,
    taken: Footprint,
    other: Footprint,
}

impl Lottery {
    fn begin(&mut self, seed: u64, execution: u64) {
        if execution.is_multiple_of(BLOCK) {
            self.random = Stream::of_block(seed, execution / BLOCK);
        }
        self.scores.clear();
    }

    /// The enabled thread with the highest score; threads without one draw it.
    fn highest<P: Program>(&mut self, search: &mut Search<P>) -> Option<ThreadId> {
        self.scores.resize(search.path.order.thread_count(), None);
        let mut best = None;
        for thread in (0..self.scores.len()).map(ThreadId::at) {
            if search.path.program.is_enabled(thread) {
                let random = &mut self.random;
                let score = *self.scores[thread.index()].get_or_insert_with(|| random.bits());
                best = best.max(Some((score, thread)));
            }
        }
        best.map(|(_, thread)| thread)
    }

    /// What races with the next step draws anew, and so does the thread that takes it.
    fn forget_racing<P: Program>(&mut self, search: &mut Search<P>, decision: Decision) {
        self.scores[decision.thread.index()] = None;
        search.path.program.pending(decision, &mut self.taken);
        for thread in (0..self.scores.len()).map(ThreadId::at) {
            if self.scores[thread.index()].is_some() {
                search.path.program.pending(Decision { thread, choice: 0 }, &mut self.other);
                if conflicting(self.taken.accesses(), self.other.accesses()) {
                    self.scores[thread.index()] = None;
                }
            }
        }
    }
}
