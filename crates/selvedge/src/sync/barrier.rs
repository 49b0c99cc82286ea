//! The barrier.
//!
//! Arrivals commute as long as no more threads come than the barrier holds: each round, everybody arrives once, and what
//! they did before happens before what anybody does after. If a program turns out to have more, the order of arrivals
//! decides who goes on together, and the search begins again with arrivals that do not commute.

use super::condvar::waiter;
use crate::name::Named;
use crate::runtime::names::ThreadCell;
use crate::runtime::{Alternatives, Kind, Object, Operation, Outcome, View, perform, with};
use selvedge_trace::{AccessKind, LocationId, ThreadId};
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock};

static ARRIVE: Kind = Kind::plain("wait", arrive).telling();
static PASS: Kind = Kind::waiting("wait", pass).telling();
static IS_LEADER: Kind =
    Kind { alternatives: Alternatives::Several, ..Kind::plain("is_leader", is_leader).telling() };

/// The location, of two, that orders the arrivals of a round.
fn of_round(at: LocationId, round: u64) -> LocationId {
    LocationId(at.0 + (round & 1) as u32)
}

/// The first location counts those who have arrived, the second the rounds. The width is `a`.
fn arrive(view: &mut View, operation: &Operation) -> Outcome {
    let (arrived, rounds) = (operation.at, LocationId(operation.at.0 + 1));
    let round = view.memory.get(rounds);
    match view.assumptions.arrivals_are_ordered {
        false => view.touch(of_round(arrived, round), AccessKind::Post),
        true => view.touch(arrived, AccessKind::Write),
    }
    view.release_clock(arrived);
    let own = view.cell(view.thread, ThreadCell::Waiting);
    view.memory.set(own, u64::from(arrived.0) + 1);
    let count = view.memory.get(arrived) + 1;
    if count < operation.a {
        view.memory.set(arrived, count);
        return Outcome::Done(round);
    }
    view.memory.set(arrived, 0);
    view.memory.set(rounds, round + 1);
    while let (Some(thread), _) = waiter(view, arrived, 0) {
        let waiting = view.cell(thread, ThreadCell::Waiting);
        if view.assumptions.arrivals_are_ordered && thread != view.thread {
            view.touch(waiting, AccessKind::Post);
        }
        view.memory.set(waiting, 0);
    }
    Outcome::Done(round)
}

fn pass(view: &mut View, operation: &Operation) -> Outcome {
    let waiting = view.cell(view.thread, ThreadCell::Waiting);
    if view.memory.get(waiting) != 0 {
        return Outcome::Wait;
    }
    match view.assumptions.arrivals_are_ordered {
        false => view.touch(of_round(operation.at, operation.a), AccessKind::Observe),
        true => view.touch(waiting, AccessKind::Observe),
    }
    view.acquire_clock(operation.at);
    Outcome::Done(0)
}

/// Any one of those who went on together may be the leader: whoever asks may find that it is, if nobody has, and does
/// if all others have found that they are not. The location holds how many have asked, or a large number once
/// the leader is known; `a` is the width.
fn is_leader(view: &mut View, operation: &Operation) -> Outcome {
    const KNOWN: u64 = 1 << 32;
    let location = view.names.element(operation.at, operation.b);
    view.memory.ensure(location);
    view.varies();
    let asked = view.memory.get(location);
    if asked >= KNOWN {
        view.read(location);
        return Outcome::Done(0);
    }
    view.touch(location, AccessKind::Write);
    let is_last = asked + 1 == operation.a;
    view.alternatives = if is_last { 1 } else { 2 };
    let leads = is_last || view.choice == 1;
    view.memory.set(location, if leads { KNOWN } else { asked + 1 });
    Outcome::Done(u64::from(leads))
}

/// A barrier, like [`std::sync::Barrier`].
///
/// ```
/// use selvedge::sync::{Arc, Barrier};
/// use selvedge::thread;
///
/// let report = selvedge::Checker::new().run(|| {
///     let barrier = Arc::new(Barrier::new(3));
///     let others = [0, 1].map(|_| thread::spawn({ let barrier = barrier.clone(); move || { barrier.wait(); } }));
///     barrier.wait();
///     others.map(|other| other.join().unwrap());
/// });
/// assert_eq!(report.executions, 1);
/// ```
pub struct Barrier {
    object: Object,
    width: usize,
    users: Arc<Mutex<Vec<ThreadId>>>,
}

impl Barrier {
    /// A barrier for so many threads.
    ///
    /// ```
    /// use selvedge::sync::Barrier;
    /// selvedge::check(|| {
    ///     let barrier = Barrier::new(1);
    ///     assert!(barrier.wait().is_leader());
    /// });
    /// ```
    #[track_caller]
    pub fn new(n: usize) -> Barrier {
        // One for no threads lets everybody through, like one for a single thread.
        Barrier { object: Object::with_locations("Barrier", &[0, 0]), width: n.max(1), users: Arc::default() }
    }

    /// Waits until as many threads as the barrier holds have come.
    ///
    /// ```
    /// use selvedge::sync::Barrier;
    /// selvedge::check(|| {
    ///     let barrier = Barrier::new(1);
    ///     assert!(barrier.wait().is_leader());
    /// });
    /// ```
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        self.note_user();
        let width = self.width as u64;
        let arrive = self.object.operation(&ARRIVE);
        let round = perform(Operation { a: width, ..arrive });
        let pass = self.object.operation(&PASS);
        perform(Operation { a: round, ..pass });
        let question = Operation { a: width, b: round, ..self.object.operation(&IS_LEADER) };
        BarrierWaitResult { question, answer: OnceLock::new() }
    }

    fn note_user(&self) {
        let Ok(mut users) = self.users.lock() else { return };
        with(|x| {
            let thread = ThreadId(x.current);
            if !users.contains(&thread) {
                users.push(thread);
            }
            if users.len() > self.width {
                x.refute(|assumptions| assumptions.arrivals_are_ordered = true);
            }
        });
    }
}

impl fmt::Debug for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Barrier").finish_non_exhaustive()
    }
}

impl Named for Barrier {
    fn object(&self) -> Object {
        self.object
    }
}

/// Whether a thread is the leader of those that went on together, like [`std::sync::BarrierWaitResult`].
/// Only asking is an operation.
///
/// ```
/// use selvedge::sync::Barrier;
/// selvedge::check(|| assert!(Barrier::new(1).wait().is_leader()));
/// ```
pub struct BarrierWaitResult {
    question: Operation,
    answer: OnceLock<bool>,
}

impl BarrierWaitResult {
    /// Whether the thread is the leader; any one may be.
    ///
    /// ```
    /// use selvedge::sync::Barrier;
    /// selvedge::check(|| {
    ///     let barrier = Barrier::new(1);
    ///     assert!(barrier.wait().is_leader());
    /// });
    /// ```
    #[track_caller]
    pub fn is_leader(&self) -> bool {
        if let Some(&known) = self.answer.get() {
            return known;
        }
        let place = std::panic::Location::caller();
        let leads = perform(Operation { place, ..self.question }) != 0;
        *self.answer.get_or_init(|| leads)
    }
}

impl fmt::Debug for BarrierWaitResult {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("BarrierWaitResult").finish_non_exhaustive()
    }
}
