//! Checks concurrent Rust code: every interleaving that matters, once, from `cargo test`.
//!
//! [`check`] runs a closure again and again, each time with another interleaving of its threads, until all
//! Mazurkiewicz traces (executions up to the order of independent steps) have been explored, each exactly once. The closure uses
//! the types of this crate in place of those of std: [`sync`], [`thread`], [`cell`], [`hint`], [`future`],
//! [`thread_local!`] and [`statics!`]. A [`Checker`] sets algorithms and limits and returns a [`Report`].
//!
//! ```
//! use selvedge::sync::{Arc, atomic::{AtomicUsize, Ordering}};
//! use selvedge::thread;
//!
//! let report = selvedge::Checker::new().run(|| {
//!     let x = Arc::new(AtomicUsize::new(0));
//!     let other = thread::spawn({ let x = x.clone(); move || x.store(x.load(Ordering::SeqCst) + 1, Ordering::SeqCst) });
//!     x.store(x.load(Ordering::SeqCst) + 1, Ordering::SeqCst);
//!     other.join().unwrap();
//!     assert_eq!(x.load(Ordering::SeqCst), 2);
//! });
//! assert!(report.to_string().contains("left: 1"));
//! ```
//!
//! The memory model is sequential consistency: orderings are accepted, and count only for the detection of data races on
//! [`cell`]s. The guide is `docs/rust.md` in the repository.

pub mod alloc;
#[cfg(feature = "arc-swap")]
pub mod arc_swap;
pub mod cell;
pub mod checker;
mod checkpointing;
pub mod choose;
mod climbing;
#[cfg(feature = "crossbeam")]
pub mod crossbeam;
pub mod future;
pub mod hint;
pub mod jobs;
mod minimizing;
pub mod name;
mod noticed;
#[doc(hidden)]
pub mod outcome;
#[cfg(feature = "parking-lot")]
pub mod parking_lot;
pub mod reach;
mod replaying;
pub mod report;
mod runtime;
mod sampling;
mod spin;
pub mod statics;
pub mod sync;
mod telling;
pub mod thread;
#[cfg(feature = "tokio")]
pub mod tokio;

pub use checker::{Checker, check, is_checking};
pub use choose::{assume, choose};
pub use jobs::Jobs;
pub use name::name;
pub use reach::Coverage;
pub use report::{Report, Violation};
pub use runtime::failure::FailureKind;
pub use selvedge_claim::Verdict;
pub use selvedge_explore::{Algorithm, Statistics};
/// ```
/// use selvedge::sync::{Mutex, atomic::{AtomicU32, Ordering::SeqCst}};
/// /// How often somebody asked.
/// #[selvedge::per_execution]
/// static ASKED: AtomicU32 = AtomicU32::new(0);
/// #[selvedge::per_execution]
/// pub static LOG: Mutex<Vec<u32>> = Mutex::new(Vec::new());
///
/// selvedge::check(|| {
///     LOG.lock().unwrap().push(ASKED.fetch_add(1, SeqCst));
///     assert_eq!(*LOG.lock().unwrap(), [0]);
/// });
/// ```
pub use selvedge_macros::per_execution;
/// ```
/// #[selvedge::test(max_executions(1000))]
/// fn a_thread_returns_its_value() {
///     assert_eq!(selvedge::thread::spawn(|| 7).join().unwrap(), 7);
/// }
///
/// #[selvedge::test]
/// fn a_number_is_a_number() -> Result<(), std::num::ParseIntError> {
///     assert_eq!("7".parse::<u32>()?, 7);
///     Ok(())
/// }
/// ```
pub use selvedge_macros::test;
