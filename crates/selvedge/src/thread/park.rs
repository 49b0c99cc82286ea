//! Parking and unparking.

use super::spawn::current;
use crate::runtime::names::ThreadCell;
use crate::runtime::{Alternatives, Kind, Operation, Outcome, View, Waits, perform};
use selvedge_trace::AccessKind;
use std::time::Duration;

static PARK: Kind = Kind::waiting("park", run_park).telling();
static PARK_TIMEOUT: Kind = Kind {
    alternatives: Alternatives::Several,
    waits: Waits::Never,
    ..Kind::plain("park_timeout", run_timeout).telling()
};
pub(super) static UNPARK: Kind = Kind::plain("unpark", run_unpark).telling();

/// Waits for a token and takes it.
fn run_park(view: &mut View, operation: &Operation) -> Outcome {
    view.guarded();
    view.touch(operation.at, AccessKind::Write);
    if view.memory.get(operation.at) == 0 {
        return Outcome::Wait;
    }
    view.memory.set(operation.at, 0);
    view.acquire_clock(operation.at);
    Outcome::Done(0)
}

/// Takes a token if there is one; otherwise the time is up.
fn run_timeout(view: &mut View, operation: &Operation) -> Outcome {
    view.varies();
    if view.memory.get(operation.at) == 0 {
        view.read(operation.at);
        return Outcome::Done(0);
    }
    view.write(operation.at, 0);
    view.acquire_clock(operation.at);
    Outcome::Done(0)
}

fn run_unpark(view: &mut View, operation: &Operation) -> Outcome {
    view.write(operation.at, 1);
    view.release_clock(operation.at);
    Outcome::Done(0)
}

/// Waits until somebody calls [`unpark`](super::Thread::unpark), like [`std::thread::park`]. It does not
/// return without a reason.
///
/// ```
/// use selvedge::thread;
/// selvedge::check(|| {
///     let sleeper = thread::spawn(thread::park);
///     sleeper.thread().unpark();
///     sleeper.join().unwrap();
/// });
/// ```
#[track_caller]
pub fn park() {
    perform(current().operation(&PARK, ThreadCell::Token));
}

/// The same, but the time may be up before somebody calls `unpark`: both are explored.
///
/// ```
/// use std::time::Duration;
/// selvedge::check(|| selvedge::thread::park_timeout(Duration::from_millis(1)));
/// ```
#[track_caller]
pub fn park_timeout(_duration: Duration) {
    perform(current().operation(&PARK_TIMEOUT, ThreadCell::Token));
}

/// The same with a number of milliseconds.
///
/// ```
/// # #[allow(deprecated)]
/// selvedge::check(|| selvedge::thread::park_timeout_ms(1));
/// ```
#[track_caller]
#[deprecated(note = "as in std: use `park_timeout`")]
pub fn park_timeout_ms(milliseconds: u32) {
    park_timeout(Duration::from_millis(u64::from(milliseconds)));
}
