//! Spinning: a thread that says that it waits for others is taken at its word.
//!
//! At `spin_loop` and `yield_now` a thread has read some locations since it last yielded. As long as none of them
//! changes, it would read the same values and come back to the same place; so it waits until one does. A call of
//! `yield_now` (or `sleep`) may also be mere politeness: it waits only when it comes to the same place
//! again after the same reads, with a few other rounds in between, perhaps, as in a loop that asks several channels and yields after each; then
//! it waits until something changes that it has read in any of them. When nobody else can move, a thread that spins goes on a number of times all the same, in case
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

/// A yield that nobody called: the thread has done the same several times, without success.
pub static RETRY: Kind = Kind::waiting("retry", run).telling();

/// How many rounds a thread may take to come to the same place after the same reads.
const LONGEST_CYCLE: usize = 8;

/// The latest rounds of a thread: what it did between a yield and the next.
#[derive(Debug, Default)]
pub struct Rounds {
    /// The latest last; only so many as `known` says, the others are room to be used again.
    latest: Vec<Round>,
    known: usize,
    /// How many rounds in a row the thread has gone on because nobody else could move, and did what it had done before.
    lonely: u64,
}

/// What a thread did between a yield and the next.
#[derive(Debug)]
struct Round {
    /// Where the second is.
    place: Place,
    reads: Vec<SpinRead>,
}

impl Rounds {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.known = 0;
        self.lonely = 0;
    }

    /// The thread goes on after a yield, though that had to wait, or because it need not.
    pub fn go_on(&mut self, outcome: Outcome) {
        self.lonely = if outcome == Outcome::Wait { self.lonely + 1 } else { 0 };
    }

    /// Notes a round; `reads` is empty then.
    fn note(&mut self, place: Place, reads: &mut Vec<SpinRead>) {
        if self.known > LONGEST_CYCLE {
            self.latest.rotate_left(1);
            self.known -= 1;
        }
        if self.known == self.latest.len() {
            self.latest.push(Round { place, reads: Vec::new() });
        }
        let round = &mut self.latest[self.known];
        round.place = place;
        std::mem::swap(&mut round.reads, reads);
        reads.clear();
        self.known += 1;
    }

    /// The rounds, up to the latest, since the last one before that was the same; nothing if there is none.
    fn cycle(&self) -> &[Round] {
        let Some((latest, before)) = self.latest[..self.known].split_last() else { return &[] };
        let same =
            before.iter().rposition(|round| round.place == latest.place && round.reads == latest.reads);
        same.map_or(&[], |same| &self.latest[same + 1..self.known])
    }
}

/// Whether an operation is one of these.
#[inline]
pub fn is_yield(operation: &Operation) -> bool {
    std::ptr::eq(operation.kind, &SPIN)
        || std::ptr::eq(operation.kind, &YIELD)
        || std::ptr::eq(operation.kind, &SLEEP)
        || is_retry(operation)
}

/// Whether nobody called a yield.
#[inline]
pub fn is_retry(operation: &Operation) -> bool {
    std::ptr::eq(operation.kind, &RETRY)
}

/// Whether a spinning thread may go on when nobody else can move.
pub fn may_go_on_alone(operation: &Operation, semantics: Semantics) -> bool {
    operation.b < semantics.lonely_rounds
}

/// Completes a yield with what was read since the last one, or since the thread did just the same. Its `a` is the number of the list
/// of reads plus one, or 0 if it need not wait; its `b` counts the rounds before it in which it was alone and did what it
/// had done before.
pub fn prepare(
    operation: Operation,
    rounds: &mut Rounds,
    reads: &mut Vec<SpinRead>,
    lists: &mut Vec<Box<[SpinRead]>>,
    semantics: Semantics,
) -> Operation {
    rounds.note(operation.place, reads);
    let cycle = rounds.cycle();
    let is_same = !cycle.is_empty();
    let since = match is_same {
        true => cycle,
        false => &rounds.latest[rounds.known - 1..rounds.known],
    };
    let has_read = since.iter().any(|round| !round.reads.is_empty());
    let waits = !semantics.every_attempt && has_read && (is_same || std::ptr::eq(operation.kind, &SPIN));
    if waits {
        lists.push(since.iter().flat_map(|round| &round.reads).copied().collect());
    }
    if !is_same {
        rounds.lonely = 0;
    }
    Operation { a: if waits { lists.len() as u64 } else { 0 }, b: rounds.lonely, ..operation }
}

/// Whether a completed yield has to wait.
pub fn waits(operation: &Operation) -> bool {
    operation.a != 0
}

/// The `a` of a yield that waits until nobody else can move.
const UNTIL_ALONE: u64 = u64::MAX;

/// The same yield, which waits until nobody else can move.
pub fn until_alone(operation: Operation) -> Operation {
    Operation { a: UNTIL_ALONE, ..operation }
}

/// The same yield, which does not wait.
pub fn at_once(operation: Operation) -> Operation {
    Operation { a: 0, ..operation }
}

/// What has to change before a completed yield goes on; nothing if it need not wait for that.
pub fn reads<'a>(operation: &Operation, lists: &'a [Box<[SpinRead]>]) -> &'a [SpinRead] {
    let list = (operation.a as usize).checked_sub(1).and_then(|number| lists.get(number));
    list.map_or(&[], |list| list)
}

/// Whether a yield waits after its first round.
pub fn waits_at_once(operation: &Operation) -> bool {
    std::ptr::eq(operation.kind, &SPIN)
}

/// Whether two yields are the same call.
pub fn is_same_yield(left: &Operation, right: &Operation) -> bool {
    std::ptr::eq(left.kind, right.kind) && left.place == right.place
}

fn run(view: &mut View, operation: &Operation) -> Outcome {
    if operation.a == UNTIL_ALONE {
        return Outcome::Wait;
    }
    let list = reads(operation, view.spins);
    if list.is_empty() {
        return Outcome::Done(0);
    }
    view.guarded();
    let mut changed = false;
    for read in list {
        view.touch(read.location, AccessKind::Read);
        changed |= view.memory.get(read.cell) != read.value;
    }
    if changed { Outcome::Done(0) } else { Outcome::Wait }
}
