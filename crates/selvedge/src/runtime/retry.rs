//! Loops without a hint: a thread that does the same again and again, without success, yields.
//!
//! A failed compare-exchange or `try_lock` that is repeated with the same operands and the same result says by itself that the thread waits, and so does
//! a lock that is taken and given back, or a change that is taken back. But a loop may count its attempts and give up, which cannot be
//! seen from outside; so it takes many rounds. Plain loads and stores say nothing: a thread that reads a variable ten times may want to see ten values.
//!
//! The yield comes before the operation with which a round begins. From then on the thread yields there in each round, as if
//! it had said so, and [spinning](crate::spin) decides whether it waits.

use super::execution::Execution;
use super::operation::Operation;
use super::stutter::{is_same_standing, operation_at};
use crate::spin;
use selvedge_trace::ThreadId;

/// How many operations a round may have.
const LONGEST_ROUND: usize = 6;
/// How many rounds in a row do the same before the thread yields. Loops that give up after fewer attempts are explored as they are.
const ROUNDS: usize = 16;

impl Execution {
    /// Whether an operation of the present thread begins another round of a loop that waits, and the thread has not yielded before it.
    #[inline]
    pub(super) fn is_retried(&self, operation: &Operation) -> bool {
        let script = &self.history.scripts[self.current as usize];
        let performed = script.position;
        if performed == 0 || self.semantics.every_attempt || spin::is_yield(operation) {
            return false;
        }
        let has_yielded = operation_at(script, performed - 1).is_some_and(spin::is_yield);
        !has_yielded
            && (1..=LONGEST_ROUND.min(performed)).any(|length| {
                operation_at(script, performed - length).is_some_and(|before| before.place == operation.place)
                    && self.repeats(operation, length)
            })
    }

    /// Whether the latest operations of the present thread, so many, make a round that is repeated.
    fn repeats(&self, operation: &Operation, length: usize) -> bool {
        let thread = ThreadId(self.current);
        let script = &self.history.scripts[thread.index()];
        let (end, start) = (script.position, script.position - length);
        let is_same = |before: &Operation| before.matches(operation);
        if !operation_at(script, start).is_some_and(is_same)
            || (start..end).any(|i| operation_at(script, i).is_none_or(spin::is_yield))
        {
            return false;
        }
        let before = start.checked_sub(1).and_then(|i| operation_at(script, i));
        if before.is_some_and(|before| spin::is_retry(before) && before.place == operation.place) {
            return true;
        }
        let repeated = length * (ROUNDS - 1);
        self.is_futile(thread, start, end)
            && (length..=end).contains(&(repeated + length))
            && (end - repeated..end).all(|i| is_same_standing(script, i - length, i))
            && self.does_the_same(thread, end - repeated - length..end - length, end - repeated..end)
    }

    /// Whether a round says that its thread waits: it does more than to load and store.
    fn is_futile(&self, thread: ThreadId, start: usize, end: usize) -> bool {
        let script = &self.history.scripts[thread.index()];
        (start..end).any(|i| {
            operation_at(script, i)
                .is_some_and(|operation| !matches!(operation.kind.name, "load" | "unsync_load" | "store"))
        })
    }
}
