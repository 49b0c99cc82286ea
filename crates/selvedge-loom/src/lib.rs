//! The names of loom 0.7 for `selvedge`: tests that were written for loom run unchanged.
//!
//! `loom = { package = "selvedge-loom", … }` in `Cargo.toml` is the whole change. [`model()`] and [`model::Builder`] explore a closure
//! with optimal dynamic partial-order reduction: each Mazurkiewicz trace once, under sequential consistency. The types are those of
//! `selvedge`, which has all that loom has and most of what std has besides; only [`cell::UnsafeCell`] and [`thread::spawn`] are
//! different here, because loom's differ from those of std. The guide is `docs/from-loom.md` in the repository.
//!
//! ```
//! use selvedge_loom as loom;
//! use loom::sync::{Arc, atomic::{AtomicUsize, Ordering}};
//!
//! loom::model(|| {
//!     let x = Arc::new(AtomicUsize::new(0));
//!     let other = loom::thread::spawn({ let x = x.clone(); move || x.fetch_add(1, Ordering::AcqRel) });
//!     x.fetch_add(1, Ordering::AcqRel);
//!     other.join().unwrap();
//!     assert_eq!(x.load(Ordering::Acquire), 2);
//! });
//! ```

pub mod alloc;
pub mod cell;
pub mod exploring;
pub mod future;
pub mod hint;
pub mod lazy_static;
pub mod model;
pub mod sync;
pub mod thread;

pub use exploring::{explore, skip_branch, stop_exploring};
pub use model::model;
pub use selvedge::{lazy_static, thread_local};

/// The number of threads that loom allows. Here there is no limit; the name exists for code that uses it.
pub const MAX_THREADS: usize = 5;
