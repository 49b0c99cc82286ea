//! Probabilistic concurrency testing [BurckhardtKMN2010, section 2].
//!
//! Guarantee: with n threads and executions of at most k steps, an execution finds a bug of depth d with a probability of at
//! least 1/(n k^(d-1)). The same seed gives the same sample.
//!
//! | paper | here |
//! |---|---|
//! | priorities `d..d+n` | random words with the highest bit set |
//! | change points `k_1..k_(d-1)` | `changes`: steps at which the running thread gets a low priority |
//! | `k` | the most steps so far, in an execution of the [block](crate::sampling::BLOCK), at which several threads could go on |
//! | `d` | drawn for each execution: each power of two up to `k` with the same probability, then up to as many changes less than twice that |
//!
//! DIVERGENCES: `d` is not a parameter, so the bound holds for the share of executions with that depth, at least
//! 1/(d (1 + log k)): a bug that takes many changes, like one that shows only if two threads take turns all the time, would never be found by a fixed small one. A
//! step at which only one thread can go on is no point of change, because a change has no effect there, and no two changes have the same
//! point. Threads may appear later and draw their priority then; choices of an operation
//! are drawn with the same probability; a thread that spins and waits is not enabled, so that it yields.

use crate::algorithm::About;
use crate::sampling::{BLOCK, Stream, begun, sample};
use crate::{Program, Promise, Search};
use selvedge_trace::{Decision, ThreadId};

/// What is known of the algorithm before it runs.
pub const ABOUT: About =
    About::new("pct", "a sample: random priorities that change a few times; not exhaustive", Promise::Sample);

/// Explores a sample.
pub fn run<P: Program>(search: &mut Search<P>) {
    let mut schedule = Schedule::new(search.limits().seed);
    sample(search, |search| {
        if let Some(execution) = begun(search) {
            schedule.begin(search.limits().seed, execution);
        }
        let thread = schedule.highest(search)?;
        let choices = search.path.program.choices(thread);
        Some(Decision { thread, choice: schedule.random.below(choices as usize) as u32 })
    });
}

/// The least number of steps that is taken for the length of an execution.
const SHORTEST: usize = 8;

/// The priorities of one execution.
struct Schedule {
    random: Stream,
    priorities: Vec<u64>,
    changes: Vec<usize>,
    /// The steps so far at which several threads could go on.
    contested: usize,
    most_contested: usize,
}

impl Schedule {
    fn new(seed: u64) -> Schedule {
        let random = Stream::new(seed);
        Schedule { random, priorities: Vec::new(), changes: Vec::new(), contested: 0, most_contested: 0 }
    }

    fn begin(&mut self, seed: u64, execution: u64) {
        self.most_contested = self.most_contested.max(self.contested);
        self.contested = 0;
        if execution.is_multiple_of(BLOCK) {
            self.random = Stream::of_block(seed, execution / BLOCK);
            self.most_contested = 0;
        }
        self.priorities.clear();
        let length = self.most_contested.max(SHORTEST);
        let count = number_of_changes(length, &mut self.random);
        self.changes.clear();
        for _ in 0..count {
            let step = self.random.below(length);
            if !self.changes.contains(&step) {
                self.changes.push(step);
            }
        }
    }

    /// The enabled thread with the highest priority, which is lowered if this is a point of change.
    fn highest<P: Program>(&mut self, search: &mut Search<P>) -> Option<ThreadId> {
        while self.priorities.len() < search.path.order.thread_count() {
            self.priorities.push(self.random.bits() | 1 << 63);
        }
        let threads = (0..self.priorities.len()).map(ThreadId::at);
        let mut enabled: smallvec::SmallVec<[ThreadId; 8]> =
            threads.filter(|&thread| search.path.program.is_enabled(thread)).collect();
        if enabled.len() > 1 {
            let highest = *enabled.iter().max_by_key(|thread| self.priorities[thread.index()])?;
            if let Some(number) = self.changes.iter().position(|&change| change == self.contested) {
                self.priorities[highest.index()] = number as u64;
            }
            self.contested += 1;
        }
        enabled.sort_unstable_by_key(|thread| self.priorities[thread.index()]);
        enabled.last().copied()
    }
}

/// How many changes to make in an execution of so many steps: few or many with the same probability.
fn number_of_changes(length: usize, random: &mut Stream) -> usize {
    let scale = random.below(length.ilog2() as usize + 1);
    let least = (1 << scale) >> 1;
    least + random.below((1 << scale) - least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_changes_up_to_half_of_the_steps_is_drawn() {
        let mut random = Stream::new(1);
        let drawn: std::collections::BTreeSet<usize> =
            (0..1000).map(|_| number_of_changes(20, &mut random)).collect();
        assert_eq!(drawn, (0..16).collect());
    }
}
