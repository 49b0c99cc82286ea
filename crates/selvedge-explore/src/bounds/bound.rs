//! Bounds on executions: preemptions and delays.
//!
//! *Preemptions* [MusuvathiQadeer2007, section 2]: a step costs 1 if it is another thread's than the step before and the thread of the
//! step before could have gone on. *Delays* [EmmiQadeerRakamaric2011, section 3]: a deterministic scheduler keeps running a thread as long
//! as it can go on and then takes the next one, round and round; a step costs as many threads as could have gone on and
//! were passed over, from the thread of the step before (at the beginning, the first thread) to the one that makes it.
//! Threads come and go: each has the place of its number in the order from the beginning, and is passed over for free while it is not
//! spawned, waits, or has ended. A spawn is a step like any other: the scheduler keeps running the thread that spawns.

use crate::Program;
use selvedge_trace::ThreadId;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoundKind {
    /// Switches away from a thread that could go on.
    Preemptions,
    /// Deviations from a deterministic scheduler.
    Delays,
    /// Switches, whether the thread could go on or not.
    Switches,
}

impl BoundKind {
    /// What is counted, one of them.
    pub fn noun(self) -> &'static str {
        match self {
            BoundKind::Preemptions => "preemption",
            BoundKind::Delays => "delay",
            BoundKind::Switches => "context switch",
        }
    }

    /// What a step of `next` costs after one of `last`, given which threads can go on.
    pub fn price(
        self,
        threads: usize,
        last: Option<ThreadId>,
        next: ThreadId,
        mut can_go_on: impl FnMut(ThreadId) -> bool,
    ) -> u32 {
        match self {
            BoundKind::Preemptions => u32::from(last.is_some_and(|last| last != next && can_go_on(last))),
            BoundKind::Switches => u32::from(last.is_some_and(|last| last != next)),
            BoundKind::Delays => {
                let start = last.map_or(0, ThreadId::index);
                let distance = (next.index() + threads - start) % threads;
                let passed = (0..distance).map(|i| ThreadId::at((start + i) % threads));
                passed.filter(|&thread| can_go_on(thread)).count() as u32
            }
        }
    }

    /// What a step of `next` costs at the present state of a program, after one of `last`.
    pub fn price_now<P: Program>(self, program: &mut P, last: Option<ThreadId>, next: ThreadId) -> u32 {
        let threads = program.thread_count();
        self.price(threads, last, next, |thread| program.is_enabled(thread))
    }
}

/// A bound on executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// What is counted.
    pub kind: BoundKind,
    /// How many are allowed.
    pub limit: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(kind: BoundKind, last: Option<u32>, next: u32, enabled: &[u32]) -> u32 {
        kind.price(4, last.map(ThreadId), ThreadId(next), |t| enabled.contains(&t.0))
    }

    #[test]
    fn a_preemption_is_a_switch_away_from_a_thread_that_could_go_on() {
        let price = |last, next, enabled: &[u32]| price(BoundKind::Preemptions, last, next, enabled);
        assert_eq!(price(None, 2, &[0, 1, 2, 3]), 0);
        assert_eq!(price(Some(1), 1, &[0, 1]), 0);
        assert_eq!(price(Some(1), 0, &[0, 1]), 1);
        assert_eq!(price(Some(1), 0, &[0]), 0);
    }

    #[test]
    fn delays_are_the_threads_passed_over() {
        let price = |last, next, enabled: &[u32]| price(BoundKind::Delays, last, next, enabled);
        assert_eq!(price(None, 0, &[0, 1, 2, 3]), 0);
        assert_eq!(price(None, 2, &[0, 1, 2, 3]), 2);
        assert_eq!(price(None, 2, &[2, 3]), 0);
        assert_eq!(price(Some(1), 1, &[1]), 0);
        assert_eq!(price(Some(1), 0, &[0, 1, 2, 3]), 3);
        assert_eq!(price(Some(1), 0, &[0, 3]), 1);
        assert_eq!(price(Some(3), 0, &[0, 1, 2]), 0);
    }
}
