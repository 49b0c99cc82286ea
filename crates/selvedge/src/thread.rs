//! Threads, with the names and the behaviour of [`std::thread`].
//!
//! Starting a thread and waiting for its end order what comes before and after, and nothing else. All threads run to
//! their ends, also when the main closure has returned.

pub mod local;
pub mod park;
pub mod scope;
pub mod spawn;

pub use local::{AccessError, LocalKey};
#[allow(deprecated, reason = "std has it, too")]
pub use park::park_timeout_ms;
pub use park::{park, park_timeout};
pub use scope::{Scope, ScopedJoinHandle, scope};
pub use spawn::{Builder, JoinHandle, Thread, ThreadId, current, spawn, spawn_local};
pub use std::thread::Result;

use crate::runtime::performing::ANY_EPOCH;
use crate::runtime::{Operation, perform, with};
use crate::spin::{SLEEP, YIELD};
use selvedge_trace::LocationId;
use std::num::NonZero;
use std::time::Duration;

/// Lets others go first. In a loop, the thread goes on when something that it has read has changed; see
/// [`hint::spin_loop`](crate::hint::spin_loop).
///
/// ```
/// selvedge::check(|| selvedge::thread::yield_now());
/// ```
#[track_caller]
pub fn yield_now() {
    perform(Operation { epoch: ANY_EPOCH, ..Operation::on(&YIELD, LocationId(0)) });
}

/// Takes no time: every order of what others do meanwhile is explored anyway. In a loop it is like [`yield_now`].
///
/// ```
/// selvedge::check(|| selvedge::thread::sleep(std::time::Duration::from_secs(3600)));
/// ```
#[track_caller]
pub fn sleep(_duration: Duration) {
    perform(Operation { epoch: ANY_EPOCH, ..Operation::on(&SLEEP, LocationId(0)) });
}

/// The same with a number of milliseconds.
///
/// ```
/// # #[allow(deprecated)]
/// selvedge::check(|| selvedge::thread::sleep_ms(1));
/// ```
#[track_caller]
#[deprecated(note = "as in std: use `sleep`")]
pub fn sleep_ms(milliseconds: u32) {
    sleep(Duration::from_millis(u64::from(milliseconds)));
}

/// Whether the present thread is unwinding because of a panic, like [`std::thread::panicking`].
///
/// ```
/// selvedge::check(|| assert!(!selvedge::thread::panicking()));
/// ```
pub fn panicking() -> bool {
    std::thread::panicking() && with(|x| x.is_unwinding())
}

/// How many threads make sense: always 2, so that the checked program does not depend on the machine.
///
/// # Errors
/// Never.
///
/// ```
/// assert_eq!(selvedge::thread::available_parallelism().unwrap().get(), 2);
/// ```
pub fn available_parallelism() -> std::io::Result<NonZero<usize>> {
    NonZero::new(2).ok_or_else(|| std::io::ErrorKind::Unsupported.into())
}
