//! Probabilistic concurrency testing [BurckhardtKMN2010, section 2].
//!
//! Guarantee: with n threads and executions of at most k steps, an execution finds a bug of depth d with a probability of at
//! least 1/(n k^(d-1)). The same seed gives the same sample.
//!
//! | paper | here |
//! |---|---|
//! | priorities `d..d+n` | random words with the highest bit set |
//! | change points `k_1..k_(d-1)` | `changes`: steps at which the running thread gets a low priority |
//! | `k` | the longest execution so far of the [block](super::random::BLOCK) |
//! | `d` | 1 to 5, in turn |
//!
//! DIVERGENCES: `d` is not a parameter; threads may appear later and draw their priority then; choices of an operation
//! are drawn with the same probability; a thread that spins and waits is not enabled, so that it yields.

use super::random::{BLOCK, Stream, begun, sample};
use crate::{Program, Search};
use selvedge_trace::{Decision, ThreadId};

/// The greatest depth of bugs that is aimed at.
const DEPTHS: u64 = 5;

/// Explores a sample.
pub fn run<P: Program>(search: &mut Search<P>) {
    let mut schedule = Schedule::new(search.limits().seed);
    sample(search, |search| {
        if let Some(execution) = begun(search) {
            schedule.begin(search.limits().seed, execution);
        }
        schedule.longest = schedule.longest.max(search.path.len() + 1);
        let thread = schedule.highest(search)?;
        schedule.change(search.path.len(), thread);
        let choices = search.path.program.choices(thread);
        Some(Decision { thread, choice: schedule.random.below(choices as usize) as u32 })
    });
}

/// The priorities of one execution.
struct Schedule {
    random: Stream,
    priorities: Vec<u64>,
    changes: Vec<u64>,
    longest: usize,
}

impl Schedule {
    fn new(seed: u64) -> Schedule {
        Schedule { random: Stream::new(seed), priorities: Vec::new(), changes: Vec::new(), longest: 0 }
    }

    fn begin(&mut self, seed: u64, execution: u64) {
        if execution.is_multiple_of(BLOCK) {
            self.random = Stream::of_block(seed, execution / BLOCK);
            self.longest = 0;
        }
        self.priorities.clear();
        self.changes.clear();
        for _ in 0..execution % DEPTHS {
            let step = self.random.below(self.longest.max(8));
            self.changes.push(step as u64);
        }
    }

    /// The enabled thread with the highest priority.
    fn highest<P: Program>(&mut self, search: &mut Search<P>) -> Option<ThreadId> {
        while self.priorities.len() < search.path.order.thread_count() {
            self.priorities.push(self.random.bits() | 1 << 63);
        }
        let threads = (0..self.priorities.len()).map(ThreadId::at);
        let enabled = threads.filter(|&thread| search.path.program.is_enabled(thread));
        enabled.max_by_key(|thread| self.priorities[thread.index()])
    }

    /// Lowers the priority of the thread that is about to run, after its step, if this is a point of change.
    fn change(&mut self, step: usize, thread: ThreadId) {
        if let Some(number) = self.changes.iter().position(|&change| change == step as u64) {
            self.priorities[thread.index()] = number as u64;
        }
    }
}
