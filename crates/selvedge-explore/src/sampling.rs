//! Samples: executions that random numbers decide, in blocks that know nothing of each other, so that they can be taken one by one.

pub mod hunt;

use crate::{Program, Search};
use selvedge_trace::Decision;

/// Executions of a sample when the user sets no limit.
pub const SAMPLE: u64 = 10_000;

/// Executions of a block of a sample.
pub const BLOCK: u64 = 64;

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
}
