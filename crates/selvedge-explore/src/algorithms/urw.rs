//! Uniform random walk [ZhaoEtAl2025, section 3]: each thread goes next with a probability in proportion to the number of operations
//! that it has left.
//!
//! Guarantee: if the numbers of operations were known and nothing had to wait, every interleaving would have the same probability. The
//! same seed gives the same sample.
//!
//! | paper | here |
//! |---|---|
//! | number of events of a thread | `Lengths`: the mean over the executions so far of the [block](crate::sampling::BLOCK) |
//! | events of threads that a thread will start | belong to no thread until these exist |
//!
//! DIVERGENCES: there is no first run that only counts: the first execution of a block is a random walk; choices of an operation are
//! drawn with the same probability.

use crate::algorithm::About;
use crate::sampling::{BLOCK, Stream, begun, sample};
use crate::{Program, Promise, Search};
use selvedge_trace::{Decision, ThreadId};

/// What is known of the algorithm before it runs.
pub const ABOUT: About = About::new(
    "urw",
    "a sample: threads with more left to do go on more often; not exhaustive",
    Promise::Sample,
);

/// Explores a sample.
pub fn run<P: Program>(search: &mut Search<P>) {
    let mut random = Stream::new(search.limits().seed);
    let mut lengths = Lengths::default();
    let mut enabled = Vec::new();
    sample(search, |search| {
        if let Some(number) = begun(search) {
            lengths.begin();
            if number.is_multiple_of(BLOCK) {
                random = Stream::of_block(search.limits().seed, number / BLOCK);
                lengths = Lengths::default();
            }
        }
        enabled.clear();
        for thread in (0..search.path.order.thread_count()).map(ThreadId::at) {
            if search.path.program.is_enabled(thread) {
                enabled.push((thread, lengths.left(thread)));
            }
        }
        let thread = pick(&enabled, &mut random)?;
        lengths.count(thread);
        let choices = search.path.program.choices(thread);
        Some(Decision { thread, choice: random.below(choices as usize) as u32 })
    });
}

fn pick(enabled: &[(ThreadId, u64)], random: &mut Stream) -> Option<ThreadId> {
    let all: u64 = enabled.iter().map(|&(_, left)| left).sum();
    let mut number = random.below(all as usize) as u64;
    for &(thread, left) in enabled {
        match number.checked_sub(left) {
            Some(rest) => number = rest,
            None => return Some(thread),
        }
    }
    None
}

/// How many operations each thread performs.
#[derive(Default)]
struct Lengths {
    /// In the executions of the block that have ended.
    before: Vec<u64>,
    executions: u64,
    /// In the present one.
    now: Vec<u64>,
}

impl Lengths {
    fn begin(&mut self) {
        if self.before.len() < self.now.len() {
            self.before.resize(self.now.len(), 0);
        }
        self.before.iter_mut().zip(&self.now).for_each(|(before, now)| *before += now);
        self.executions += u64::from(!self.now.is_empty());
        self.now.clear();
    }

    fn count(&mut self, thread: ThreadId) {
        if self.now.len() <= thread.index() {
            self.now.resize(thread.index() + 1, 0);
        }
        self.now[thread.index()] += 1;
    }

    /// How many operations a thread that has one has left, at least that one.
    fn left(&self, thread: ThreadId) -> u64 {
        let at = thread.index();
        let before = self.before.get(at).map_or(0, |&before| before.div_ceil(self.executions.max(1)));
        before.saturating_sub(self.now.get(at).copied().unwrap_or(0)).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_more_left_is_more_likely_to_go_on() {
        let (long, short) = (ThreadId(0), ThreadId(1));
        let mut lengths = Lengths::default();
        for thread in [long, long, long, short] {
            assert_eq!(lengths.left(thread), 1, "nothing is known yet");
            lengths.count(thread);
        }
        lengths.begin();
        assert_eq!((lengths.left(long), lengths.left(short)), (3, 1));
        lengths.count(long);
        assert_eq!(lengths.left(long), 2);
        let mut random = Stream::new(1);
        let picked = (0..900).filter(|_| pick(&[(long, 2), (short, 1)], &mut random) == Some(long)).count();
        assert!((550..650).contains(&picked), "{picked}");
    }
}
