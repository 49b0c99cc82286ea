//! Random walk: at each state one of the enabled decisions, each with the same probability.
//!
//! Guarantee: none. Every execution has a probability greater than 0, and the same seed gives the same sample. A sample
//! consists of blocks of executions that know nothing of each other, so that they can be taken one by one.

use crate::algorithm::About;
use crate::{Program, Promise, Search};
use selvedge_trace::{Decision, ThreadId};

/// Executions of a sample when the user sets no limit.
pub const SAMPLE: u64 = 10_000;

/// Executions of a block of a sample.
pub const BLOCK: u64 = 64;

/// What is known of the algorithm before it runs.
pub const ABOUT: About =
    About::new("random", "a sample: at each state any enabled thread; not exhaustive", Promise::Sample);

/// Explores a sample.
pub fn run<P: Program>(search: &mut Search<P>) {
    let mut random = Stream::new(search.limits().seed);
    let mut enabled = Vec::new();
    sample(search, |search| {
        if let Some(number) = begun(search)
            && number.is_multiple_of(BLOCK)
        {
            random = Stream::of_block(search.limits().seed, number / BLOCK);
        }
        enabled.clear();
        for thread in (0..search.path.order.thread_count()).map(ThreadId::at) {
            if search.path.program.is_enabled(thread) {
                enabled.push((thread, search.path.program.choices(thread)));
            }
        }
        pick(&enabled, &mut random)
    });
}

/// One of the decisions of these threads, each of which has so many, without a list of all: there may be billions.
fn pick(enabled: &[(ThreadId, u32)], random: &mut Stream) -> Option<Decision> {
    let count = enabled.iter().map(|&(_, choices)| choices as usize).sum();
    let mut number = if count > 0 { random.below(count) } else { return None };
    for &(thread, choices) in enabled {
        match number.checked_sub(choices as usize) {
            Some(rest) => number = rest,
            None => return Some(Decision { thread, choice: number as u32 }),
        }
    }
    None
}

/// The number, in the sample, of the execution that begins now, if one does.
pub fn begun<P: Program>(search: &Search<P>) -> Option<u64> {
    search.path.is_empty().then(|| search.limits().first_execution + search.statistics.executions())
}

/// Performs as many executions as the limits allow, each with the decisions that `pick` makes.
pub fn sample<P: Program>(search: &mut Search<P>, mut pick: impl FnMut(&mut Search<P>) -> Option<Decision>) {
    let executions = search.limits().executions.unwrap_or(SAMPLE);
    while !search.stopped() && search.statistics.executions() < executions {
        while !search.stopped() && !search.at_depth_limit() {
            let Some(decision) = pick(search) else { break };
            search.step(decision);
            search.poll(|_| std::iter::empty());
        }
        if !search.stopped() {
            search.end();
        }
        while !search.path.is_empty() {
            search.path.pop();
        }
    }
    search.end_of_sample();
}

/// A stream of random numbers determined by its seed (SplitMix64).
#[derive(Clone, Debug, Default)]
pub struct Stream(u64);

impl Stream {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Stream {
        Stream(seed)
    }

    /// The stream of a block of the sample of a seed; that of the seed itself for the first.
    pub fn of_block(seed: u64, block: u64) -> Stream {
        match block {
            0 => Stream(seed),
            _ => Stream(Stream(seed.wrapping_add(block.wrapping_mul(0xd1b5_4a32_d192_ed03))).bits()),
        }
    }

    /// The next number.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.bits() % bound.max(1) as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_means_the_same_numbers_for_ever() {
        let mut stream = Stream::new(7);
        let numbers: Vec<usize> = (0..6).map(|_| stream.below(10)).collect();
        let mut again = Stream::new(7);
        assert_eq!(numbers, (0..6).map(|_| again.below(10)).collect::<Vec<_>>());
        assert!(numbers.iter().any(|&n| n != numbers[0]));
    }

    #[test]
    fn every_decision_may_be_picked() {
        let enabled = [(ThreadId(1), 2), (ThreadId(4), 1)];
        let mut stream = Stream::new(1);
        let picked: std::collections::BTreeSet<_> =
            (0..50).filter_map(|_| pick(&enabled, &mut stream)).map(|d| (d.thread.0, d.choice)).collect();
        assert_eq!(picked.into_iter().collect::<Vec<_>>(), [(1, 0), (1, 1), (4, 0)]);
        assert_eq!(pick(&[], &mut stream), None);
    }
}
