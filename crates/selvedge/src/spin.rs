//! Spinning: a thread that says that it waits for others is taken at its word.
//!
//! At `spin_loop` and `yield_now` a thread has read some locations since it last yielded. As long as none of them
//! changes, it would read the same values and come back to the same place; so it waits until one does. A call of
//! `yield_now` (or `sleep`) may also be mere politeness: it waits only when it comes to the same place
//! again after the same reads. When nobody else can move, a thread that spins goes on a number of times all the same, in case
//! it counts its attempts and then does something else; only after that it is a livelock.
//!
//! What is lost: a thread that counts its attempts may give up while others still move. So a claim says when threads have
//! waited like this, and a check that wants to see every attempt can have it: then nobody waits here.

use crate::runtime::assumptions::Semantics;
use crate::runtime::operation::SpinRead;
use crate::runtime::{Kind, Operation, Outcome, Place, View};
use selvedge_trace::AccessKind;

/// `spin_loop`: waits at once.
pub static SPIN: Kind = Kind::waiting("spin_loop", run).telling();
/// `yield_now`: waits the second time.
pub static YIELD: Kind = Kind::waiting("yield_now", run).telling();
/// `sleep`: like `yield_now`.
pub static SLEEP: Kind = Kind::waiting("sleep", run).telling();

/// What a thread did between its latest two yields.
#[derive(Debug, Default)]
pub struct Round {
    place: Option<Place>,
    reads: Vec<SpinRead>,
    repeated: u64,
}

impl Round {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.place = None;
        self.reads.clear();
        self.repeated = 0;
    }
}

/// Whether an operation is one of these.
#[inline]
pub fn is_yield(operation: &Operation) -> bool {
    std::ptr::eq(operation.kind, &SPIN)
        || std::ptr::eq(operation.kind, &YIELD)
        || std::ptr::eq(operation.kind, &SLEEP)
}

/// Whether a spinning thread may go on when nobody else can move.
pub fn may_go_on_alone(operation: &Operation, semantics: Semantics) -> bool {
    operation.b < semantics.lonely_rounds
}

/// Completes a yield with what was read since the last one. Its `a` is the number of the list of reads plus
/// one, or 0 if it need not wait; its `b` counts the rounds in which nothing changed.
pub fn prepare(
    operation: Operation,
    round: &mut Round,
    reads: &mut Vec<SpinRead>,
    lists: &mut Vec<Box<[SpinRead]>>,
    semantics: Semantics,
) -> Operation {
    let is_same = round.place == Some(operation.place) && round.reads == *reads;
    round.repeated = if is_same { round.repeated + 1 } else { 0 };
    round.place = Some(operation.place);
    std::mem::swap(&mut round.reads, reads);
    reads.clear();
    let waits = !semantics.every_attempt
        && !round.reads.is_empty()
        && (is_same || std::ptr::eq(operation.kind, &SPIN));
    if waits {
        lists.push(round.reads.as_slice().into());
    }
    Operation { a: if waits { lists.len() as u64 } else { 0 }, b: round.repeated, ..operation }
}

/// Whether a completed yield has to wait.
pub fn waits(operation: &Operation) -> bool {
    operation.a != 0
}

fn run(view: &mut View, operation: &Operation) -> Outcome {
    let Some(list) = (operation.a as usize).checked_sub(1).and_then(|number| view.spins.get(number)) else {
        return Outcome::Done(0);
    };
    view.guarded();
    let mut changed = false;
    for read in list {
        view.touch(read.location, AccessKind::Read);
        changed |= view.memory.get(read.cell) != read.value;
    }
    if changed { Outcome::Done(0) } else { Outcome::Wait }
}
