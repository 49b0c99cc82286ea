//! Nondeterministic values and assumptions.

use crate::runtime::fiber::Published;
use crate::runtime::performing::{self, ANY_EPOCH};
use crate::runtime::{Alternatives, Kind, Operation, Outcome, View, perform};
use selvedge_trace::LocationId;

static CHOOSE: Kind =
    Kind { alternatives: Alternatives::Several, operands, ..Kind::plain("choose", run).telling() };

fn run(view: &mut View, operation: &Operation) -> Outcome {
    view.alternatives = operation.a as u32;
    Outcome::Done(u64::from(view.choice))
}

fn operands(operation: &Operation, _: &dyn Fn(u64) -> String) -> String {
    operation.a.to_string()
}

/// A number below `bound`; each is explored.
///
/// ```
/// let report = selvedge::Checker::new().run(|| assert!(selvedge::choose(3) < 3));
/// assert_eq!(report.executions, 3);
/// ```
///
/// # Panics
/// When `bound` is 0: there is no such number.
#[track_caller]
pub fn choose(bound: u32) -> u32 {
    assert!(bound > 0, "a choice among no values");
    let operation = Operation::on(&CHOOSE, LocationId(0));
    perform(Operation { a: u64::from(bound), epoch: ANY_EPOCH, ..operation }) as u32
}

/// Goes on only if the condition holds; otherwise this execution does not count.
///
/// ```
/// let report = selvedge::Checker::new().run(|| {
///     let n = selvedge::choose(10);
///     selvedge::assume(n % 2 == 1);
///     assert_ne!(n, 4);
/// });
/// assert_eq!(report.executions, 10);
/// ```
pub fn assume(condition: bool) {
    if !condition {
        performing::stop(Published::Dropped);
    }
}
