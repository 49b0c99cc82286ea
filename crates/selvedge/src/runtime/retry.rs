//! Loops without a hint: a thread that does the same again and again, without success, yields.
//!
//! A thread that repeats the same operations with the same operands and results waits, as a rule: a compare-exchange or `try_lock` that fails, a lock that is
//! taken and given back, a change that is taken back, a load. But a loop may count its attempts and give up: [`attempts`](super::attempts) finds out.
//!
//! The yield comes before the operation with which a round begins. From then on the thread yields there in each round, as if
//! it had said so, and [spinning](crate::spin) decides whether it waits.

use super::execution::Execution;
use super::operation::Operation;
use super::stutter::{is_same_standing, operation_at};
use crate::spin;
use crate::sync::condvar;
use selvedge_trace::ThreadId;

/// How many operations a round may have.
const LONGEST_ROUND: usize = 6;
/// How many rounds in a row do the same before the thread yields, as long as no loop is known to give up.
const FEWEST_ROUNDS: usize = 3;

/// How an operation repeats what its thread did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retried {
    /// After rounds of so many operations, for the first time.
    First(usize),
    /// The thread has yielded before the round that ends.
    Again,
}

impl Execution {
    /// How many rounds in a row do the same before the thread yields. Loops that give up after fewer are explored as they are.
    pub(super) fn rounds(&self) -> usize {
        FEWEST_ROUNDS.max(self.assumptions.attempts as usize)
    }

    /// Whether an operation of the present thread begins another round of a loop that waits, and the thread has not yielded before it.
    #[inline]
    pub(super) fn retried(&self, operation: &Operation) -> Option<Retried> {
        let script = &self.history.scripts[self.current as usize];
        let performed = script.position;
        // A thread that begins to wait for a condition variable holds the mutex: if it waited there, nobody could make the condition true.
        let holds_mutex = condvar::begins_to_wait(operation);
        if performed == 0 || self.semantics.every_attempt || spin::is_yield(operation) || holds_mutex {
            return None;
        }
        if operation_at(script, performed - 1).is_some_and(spin::is_yield) {
            return None;
        }
        (1..=LONGEST_ROUND.min(performed)).find_map(|length| {
            let before = operation_at(script, performed - length)?;
            if before.place == operation.place { self.repeats(operation, length) } else { None }
        })
    }

    /// Whether the latest operations of the present thread, so many, make a round that is repeated.
    fn repeats(&self, operation: &Operation, length: usize) -> Option<Retried> {
        let thread = ThreadId(self.current);
        let script = &self.history.scripts[thread.index()];
        let (end, start) = (script.position, script.position - length);
        if !operation_at(script, start).is_some_and(|before| before.matches(operation))
            || (start..end).any(|i| operation_at(script, i).is_none_or(spin::is_yield))
        {
            return None;
        }
        let before = start.checked_sub(1).and_then(|i| operation_at(script, i));
        if before.is_some_and(|before| spin::is_retry(before) && before.place == operation.place) {
            return Some(Retried::Again);
        }
        let repeated = length * (self.rounds() - 1);
        let is_repeated = (length..=end).contains(&(repeated + length))
            && (end - repeated..end).all(|i| is_same_standing(script, i - length, i))
            && self.does_the_same(thread, end - repeated - length..end - length, end - repeated..end);
        is_repeated.then_some(Retried::First(length))
    }
}
