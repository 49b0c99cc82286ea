//! Schedules with few context switches: an equivalent execution that is easier to read.

use crate::bound::{Bound, BoundKind};
use crate::least_cost::{Answer, LeastCost, Pending, Question};
use crate::{Path, Program};
use selvedge_trace::Decision;

/// The schedule of an equivalent execution with the fewest context switches, or one that could be found in time.
/// The last decision stays the last if everything else happens before it.
pub fn fewest_switches<P: Program>(program: P, schedule: &[Decision]) -> (Vec<Decision>, P) {
    let mut path = Path::new(program);
    for &decision in schedule {
        path.push(decision);
    }
    let switches = schedule.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count() as u32;
    let mut least = LeastCost::default();
    for limit in 0..switches {
        let bound = Bound { kind: BoundKind::Switches, limit };
        let question =
            Question { order: &path.order, pending: Pending::Unknown, could_go_on: &mut |_, _| true };
        match least.ask(question, bound) {
            Answer::Within => {
                let fewer = least.sequence().iter().map(|&e| path.order.event(e).decision).collect();
                return (fewer, path.program);
            }
            Answer::Over => {}
            Answer::Unknown => break,
        }
    }
    (schedule.to_vec(), path.program)
}
