//! Random walk: at each state one of the enabled decisions, each with the same probability.
//!
//! Guarantee: none. Every execution has a probability greater than 0, and the same seed gives the same sample. A sample
//! consists of [blocks](crate::sampling) of executions.

use crate::algorithm::About;
use crate::sampling::{BLOCK, Stream, begun, sample};
use crate::{Program, Promise, Search};
use selvedge_trace::{Decision, ThreadId};

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

#[cfg(test)]
mod tests {
    use super::*;

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
